"""`torch.backends`: settings and queries of backends. The backend is always XLA."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

from torchlike._dtypes.precision import switches
from torchlike.backends import _settings
from torchlike.backends import cpu as cpu
from torchlike.backends import cuda as cuda
from torchlike.backends import cudnn as cudnn
from torchlike.backends import mha as mha
from torchlike.backends import mkl as mkl
from torchlike.backends import mkldnn as mkldnn
from torchlike.backends import mps as mps
from torchlike.backends import nnpack as nnpack
from torchlike.backends import openmp as openmp
from torchlike.backends import opt_einsum as opt_einsum
from torchlike.backends import quantized as quantized

if TYPE_CHECKING:
    fp32_precision: str


def __allow_nonbracketed_mutation() -> nullcontext:
    """Return a context in which settings may be changed. They can always be changed here."""
    return nullcontext()


def set_flags(_fp32_precision: str = "none") -> tuple[str]:
    """Set `fp32_precision` of all backends and return the previous value in a tuple."""
    before = switches.setting("generic", "all")
    if _fp32_precision is not None:
        switches.set("generic", "all", _fp32_precision)
    return (before,)


@contextlib.contextmanager
def flags(fp32_precision: str = "none") -> Iterator[None]:
    """Set `fp32_precision` of all backends within a `with` block."""
    before = set_flags(fp32_precision)
    try:
        yield
    finally:
        set_flags(*before)


_settings.attach(__name__, fp32_precision=_settings.fp32_precision("generic", "all"))
