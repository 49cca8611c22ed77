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
    """Some eigenpairs of a symmetric matrix, found by iteration, with the gradient of exact ones."""

    @staticmethod
    def forward(ctx: Any, A: Tensor, B: Tensor | None, solve: Callable) -> Any:
        """Solve, and keep the pairs."""
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
    r"""First-order perturbation theory: :math:`\dot\lambda_i = x_i^T \dot A x_i`, and :math:`\dot x_i` is
    :math:`(\lambda_i I - A)^+ \dot A x_i`. The pseudo-inverse is known on the span of X; outside of it, a system."""
    k, m = X.shape[-1], X.shape[-2]
    inner = X.mT @ grad_X  # (*, k, k)
    same = eye(k, dtype=bool_, device=X.device)
    gaps = (E[..., None, :] - E[..., :, None]).masked_fill(same, 1)  # [j, i]: E_i - E_j
    within = (inner / gaps).masked_fill(same, 0) + grad_E.diag_embed()
    if k == m:
        return X @ within @ X.mT
    onto = X @ X.mT
    outside = eye(m, dtype=X.dtype, device=X.device) - onto
    # On the span of X the systems' matrices are the identity.
    systems = E[..., :, None, None] * outside[..., None, :, :] - (outside @ A @ outside - onto)[..., None, :, :]
    right = (outside @ grad_X).mT[..., None]  # (*, k, m, 1)
    solved = rows["solve"](systems, right, True)[..., 0].mT  # (*, m, k)
    return (X @ within + outside @ solved) @ X.mT
