"""Errors of a kernel that are not torchlike's own words: those of Python, NumPy and JAX."""

from __future__ import annotations

import dis
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors


def in_own_words(error: Exception, function: str, arrays: tuple) -> Exception | None:
    """The error that users see in place of one that no `raise` of torchlike's made; None where one did.

    Callers look for JAX's own classes, which say that a tracer was asked for its value, and for NumPy's singular
    matrices: these are left alone.
    """
    kind = type(error).__module__.partition(".")[0]
    if kind not in ("builtins", "numpy") or isinstance(error, np.linalg.LinAlgError) or _is_raised_here(error):
        return None
    return _errors.arguments.no_fit(function, [(x.shape, _dtype(x)) for x in arrays if hasattr(x, "dtype")])


def _dtype(x: Any) -> Any:
    return _dtypes.FROM_NUMPY.get(x.dtype, x.dtype)


def _is_raised_here(error: Exception) -> bool:
    """Whether a statement of this package raised the error."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or not last.tb_frame.f_globals.get("__name__", "").startswith("torchlike."):
        return False
    return dis.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] in ("RAISE_VARARGS", "RERAISE")
