"""PyTorch's home of the tuple helpers, which other projects import."""

from ._tuples import _ntuple as _ntuple
from ._tuples import _pair as _pair
from ._tuples import _quadruple as _quadruple
from ._tuples import _single as _single
from ._tuples import _triple as _triple
