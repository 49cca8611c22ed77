"""Convolutions as functions: the public functions of the operators."""

from torchlike._tensor.binding import function

conv1d, conv2d, conv3d = function("conv1d"), function("conv2d"), function("conv3d")
conv_transpose1d, conv_transpose2d = function("conv_transpose1d"), function("conv_transpose2d")
conv_transpose3d = function("conv_transpose3d")
