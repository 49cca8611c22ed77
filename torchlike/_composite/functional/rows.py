"""The functions that are public functions of operators without changes."""

from torchlike._tensor.binding import function

gelu = function("gelu")
grouped_mm = function("grouped_mm")
hardshrink = function("hardshrink")
linear = function("linear")
logsigmoid = function("logsigmoid")
prelu = function("prelu")
softplus = function("softplus")
softshrink = function("softshrink")
softsign = function("softsign")
tanhshrink = function("tanhshrink")
