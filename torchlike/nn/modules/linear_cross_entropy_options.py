"""The options of `linear_cross_entropy`."""

from torchlike.nn._linear_cross_entropy import LinearCrossEntropyOptions as LinearCrossEntropyOptions

__all__ = ["LinearCrossEntropyOptions"]
