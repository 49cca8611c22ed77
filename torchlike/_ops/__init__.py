"""The operators: importing a family's file puts its rows into the registry."""

from torchlike._ops import binary as binary
from torchlike._ops import clamp as clamp
from torchlike._ops import compare as compare
from torchlike._ops import complex as complex
from torchlike._ops import convert as convert
from torchlike._ops import index as index
from torchlike._ops import loss as loss
from torchlike._ops import matmul as matmul
from torchlike._ops import power as power
from torchlike._ops import reduce as reduce
from torchlike._ops import shape as shape
from torchlike._ops import special as special
from torchlike._ops import transcendental as transcendental
from torchlike._ops import unary as unary
from torchlike._ops import view as view
from torchlike._ops._declare import REGISTRY as REGISTRY
from torchlike._ops._declare import Op as Op
