"""The table of rules, after all modules that register rules were imported."""

from torchlike.nested._internal import attention as attention
from torchlike.nested._internal import layers as layers
from torchlike.nested._internal import pointwise as pointwise
from torchlike.nested._internal import products as products
from torchlike.nested._internal import reductions as reductions
from torchlike.nested._internal import shapes as shapes
from torchlike.nested._internal.dispatch import TABLE as TABLE
