"""The functions that are operators just as they stand."""

from torchlike._bind import function

gelu = function("gelu")
hardshrink = function("hardshrink")
logsigmoid = function("logsigmoid")
prelu = function("prelu")
softshrink = function("softshrink")
softsign = function("softsign")
tanhshrink = function("tanhshrink")
