"""Translation of errors raised by Python, NumPy or JAX into errors that name the function that the user called.

The original error is logged by the logger `torchlike` at level DEBUG. A caller writes
`except Exception as error: raise of_call(error, ...) from error.__cause__`. It must not assign the result to a local
variable: a frame that refers to its own error is a reference cycle, which keeps the user's tensors alive.
"""

from __future__ import annotations

import dis
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._engine.report.log import logger

_OTHERS = ("jax", "jaxlib", "numpy", "scipy", "ml_dtypes")
_KINDS = (TypeError, IndexError)  # PyTorch raises these types too; any other type becomes RuntimeError


def of_kernel(error: Exception, function: str, arrays: tuple) -> Exception:
    """Return the error to raise instead of an error in a kernel. It is the same error if torchlike itself raised it.

    `arrays` are the kernel's array arguments. The executor replaces a MemoryError, because it knows the results.
    """
    if isinstance(error, MemoryError):
        return error
    return _errors.arguments.no_fit(function, arrays) if is_foreign(error) else error


def of_call(error: Exception, function: str, args: tuple, kwargs: dict) -> Exception:
    """Return the error to raise instead of an error in a function.

    It is the same error if torchlike itself raised it.
    """
    if not is_foreign(error):
        return error
    if isinstance(error, MemoryError):
        return _errors.memory.host_out_of_memory(error)
    ours = _errors.arguments.no_fit(function, (*args, *kwargs.values()))
    kind = next((kind for kind in _KINDS if isinstance(error, kind)), RuntimeError)
    return kind(str(ours))


def is_foreign(error: Exception) -> bool:
    """Return whether NumPy or JAX raised the error, or Python did so in torchlike's code without a `raise` statement.

    Return False for an error in the user's code, and for a warning that a filter turns into an error. Also return False
    for JAX's tracer errors and NumPy's `LinAlgError`, which callers handle.
    """
    kind = type(error).__module__.partition(".")[0]
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or kind not in ("builtins", "numpy") or isinstance(error, np.linalg.LinAlgError | Warning):
        return False
    place: Any = last.tb_frame.f_globals.get("__name__", "")
    package = place.partition(".")[0]
    raised = dis.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] in ("RAISE_VARARGS", "RERAISE")
    found = package in _OTHERS if package != "torchlike" else not raised
    if found:
        logger.debug("torchlike replaced an error of Python, NumPy or JAX", exc_info=error)
    return found
