"""Functions of `torchlike.linalg`: LDL factorization of symmetric matrices, which may be indefinite."""

from __future__ import annotations

from typing import Any

from torchlike import _errors, return_types
from torchlike._ops.schema.out_rules import EXACT
from torchlike._tensor import public_calls
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.factories import all_examples
from torchlike._tensor.tensor import Tensor


def _factored(name: str, A: Tensor, hermitian: bool, look: bool) -> tuple[Tensor, ...]:
    packed, pivots, info = rows["ldl_factor"](A, hermitian)
    if look and not A.is_meta and (seen := all_examples(info)).any():
        raise _errors.linalg.no_ldl_factor(name, int(seen.max()))
    return packed, pivots, info


def ldl_factor(input: Tensor, *, hermitian: bool = False) -> Any:
    """Return the factorization A = L D L^T, or A = L D L* if `hermitian` is True, where D is block diagonal.

    Only half of A is read. Checking for errors flushes the pending trace and blocks.

    Args:
      input: symmetric or Hermitian matrices, (..., n, n).
      hermitian: A is Hermitian, else symmetric.

    Returns:
      L and D in one matrix, and the pivots (the exchanged rows).

    Raises:
      LinAlgError: D has a zero on its diagonal.
    """
    packed, pivots, _ = _factored("torch.linalg.ldl_factor", input, hermitian, True)
    return return_types.linalg_ldl_factor((packed, pivots))


def ldl_factor_ex(input: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """Return the results of `ldl_factor`, and the position of the first zero on the diagonal of D as `info`.

    If `info` is not 0, raise an error only if `check_errors` is True.

    Args:
      input: symmetric or Hermitian matrices, (..., n, n).
      hermitian: A is Hermitian, else symmetric.
      check_errors: raise an error if the factorization fails.
    """
    found = _factored("torch.linalg.ldl_factor_ex", input, hermitian, check_errors)
    return return_types.linalg_ldl_factor_ex(found)


_INTO = EXACT._replace(called="aten::linalg_ldl_factor_ex")
LINALG = public_calls.named(
    {"ldl_factor": ldl_factor, "ldl_factor_ex": ldl_factor_ex},
    "linalg_",
    out={"ldl_factor": _INTO, "ldl_factor_ex": _INTO},
)
