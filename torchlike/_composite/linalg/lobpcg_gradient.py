"""The gradient of `lobpcg`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._composite.ranges import eye
from torchlike._dtypes import bool_
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.function import Function


class Eigenpairs(Function):
    """The autograd function of `lobpcg`: eigenpairs found by iteration, differentiated like exact eigenpairs."""

    @staticmethod
    def forward(ctx: Any, A: Tensor, B: Tensor | None, solve: Callable) -> Any:
        """Solve for the eigenpairs, and save them for backward."""
        E, X = solve(A, B)
        ctx.has_other = B is not None
        ctx.save_for_backward(A, E, X)
        return E, X

    @staticmethod
    def backward(ctx: Any, grad_E: Tensor, grad_X: Tensor) -> Any:
        """Return the gradient of A."""
        A, E, X = ctx.saved_tensors
        if A.is_sparse:
            raise _errors.linalg.lobpcg_backward("sparse input")
        if ctx.has_other:
            raise ValueError("lobpcg.backward does not support backward with B != I yet.")
        return _gradient(A, E, X, grad_E, grad_X), None, None


def _gradient(A: Tensor, E: Tensor, X: Tensor, grad_E: Tensor, grad_X: Tensor) -> Tensor:
    """Return the gradient of A by first-order perturbation theory.

    The derivative of an eigenvalue E_i is x_i^T dA x_i, and that of its eigenvector is (E_i I - A)^+ dA x_i. Within the
    span of X the pseudoinverse is known; outside of it, a linear system is solved.
    """
    k, m = X.shape[-1], X.shape[-2]
    inner = X.mT @ grad_X  # (*, k, k)
    same = eye(k, dtype=bool_, device=X.device)
    gaps = (E[..., None, :] - E[..., :, None]).masked_fill(same, 1)  # [j, i]: E_i - E_j
    within = (inner / gaps).masked_fill(same, 0) + grad_E.diag_embed()
    if k == m:
        return X @ within @ X.mT
    onto = X @ X.mT
    outside = eye(m, dtype=X.dtype, device=X.device) - onto
    # On the span of X, the matrix of each system is the identity.
    systems = E[..., :, None, None] * outside[..., None, :, :] - (outside @ A @ outside - onto)[..., None, :, :]
    right = (outside @ grad_X).mT[..., None]  # (*, k, m, 1)
    solved = rows["solve"](systems, right, True)[..., 0].mT  # (*, m, k)
    return (X @ within + outside @ solved) @ X.mT
