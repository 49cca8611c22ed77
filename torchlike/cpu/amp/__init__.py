"""Mixed precision by the names it had for the CPU alone."""

from torchlike._dtypes import bfloat16 as _bfloat16
from torchlike.amp import _deprecated

autocast, GradScaler = _deprecated.of("cpu", _bfloat16)
