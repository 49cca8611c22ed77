"""The Muon optimizer: momentum with orthogonalized updates (Jordan et al., 2024)."""

from __future__ import annotations

import math
from typing import Any

from torchlike import Tensor
from torchlike._internal import Step, bfloat16, namespace, rounding
from torchlike.optim import _errors
from torchlike.optim._checks import check_at_least
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT


@update_rule
def muon_update(variant: list, scalars: list, step: Step, param: Any, grad: Any, buffer: Any) -> tuple:
    """Return the Muon update.

    `optax.contrib.muon` is not used, because it iterates in the parameter's precision. PyTorch iterates in bfloat16.
    """
    nesterov, adjustment, steps = variant
    lr, momentum, newest_weight, eps, *coefficients = scalars
    buffer = buffer + newest_weight * (grad - buffer)
    direction = grad + momentum * (buffer - grad) if nesterov else buffer
    change = _orthogonal(direction, coefficients, steps, eps).astype(param.dtype)
    return param - lr * _rate_factor(adjustment, *param.shape) * change, buffer


def _orthogonal(matrix: Any, coefficients: list, steps: int, eps: Any) -> Any:
    """Approximate the nearest orthogonal matrix by a quintic Newton-Schulz iteration.

    Like PyTorch, the function iterates in bfloat16.
    """
    xp, step = namespace(matrix), rounding(bfloat16.numpy)  # `step` rounds where PyTorch stores a result
    a, b, c = coefficients
    wide = matrix.shape[0] <= matrix.shape[1]
    x = step((matrix if wide else matrix.T).astype(a.dtype))
    x = step(x / step(xp.maximum(step(xp.sqrt((x * x).sum())), eps)))
    for _ in range(steps):
        gram = step(x @ x.T)
        x = step(a * x + step(b * gram + c * (gram @ gram)) @ x)
    return x if wide else x.T


def _rate_factor(adjustment: str | None, rows: int, columns: int) -> float:
    if adjustment == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))


class Muon(RuleOptimizer):
    r"""The Muon optimizer, for matrices only. It steps along the orthogonalized momentum.

    .. math:: b \leftarrow \mu b + (1-\mu) g,\quad
        p \leftarrow (1 - \eta\lambda)\,p - \eta\,a\,\mathrm{orthogonal}((1-\mu) g + \mu b)

    with :math:`a = \sqrt{\max(1, R/C)}` for a matrix of R rows and C columns.

    Args:
      params: 2-dimensional parameters, or groups of parameters.
      lr: :math:`\eta`.
      weight_decay: :math:`\lambda`, decoupled.
      momentum: :math:`\mu`.
      nesterov: orthogonalize a mix of gradient and momentum, as above. Otherwise orthogonalize :math:`b`.
      ns_coefficients: the three coefficients of the Newton-Schulz iteration.
      eps: lower bound of the norm by which the matrix is divided.
      ns_steps: number of iterations, below 100.
      adjust_lr_fn: `"original"` or None for :math:`a` as above, or `"match_rms_adamw"` for
        :math:`a = 0.2\sqrt{\max(R, C)}`.

    Raises:
      ValueError: an option is out of range, or a parameter is not a matrix.
      RuntimeError: a parameter is complex. The first step raises this.

    >>> import torchlike as torch
    >>> weight = torch.nn.Parameter(torch.ones(2, 3))
    >>> optimizer = torch.optim.Muon([weight], lr=0.5)
    >>> weight.sum().backward()
    >>> optimizer.step()
    >>> bool((weight < 1.0).all())
    True
    """

    rule = staticmethod(muon_update)
    counts_on_device = True
    by_element = False
    counters = ()
    made_late = ("momentum_buffer",)

    def __init__(
        self,
        params: ParamsT,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        check_at_least(0, Learning_rate=lr, momentum=momentum, weight_decay=weight_decay)
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(
            params,
            dict(
                lr=lr,
                weight_decay=weight_decay,
                momentum=momentum,
                nesterov=nesterov,
                ns_coefficients=ns_coefficients,
                eps=eps,
                ns_steps=ns_steps,
                adjust_lr_fn=adjust_lr_fn,
            ),
        )
        for group in self.param_groups:
            for param in group["params"]:
                if param.dim() != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {param.size()}"
                    )

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        if param is not None and param.is_complex():
            raise _errors.no_complex("Muon")
        return ("momentum_buffer",)

    def _decay(self, group: Group) -> str | None:
        return "decoupled" if group["weight_decay"] else None

    def _variant(self, group: Group, is_first: bool) -> tuple:
        if group["ns_steps"] >= 100:
            raise ValueError("Number of steps must be less than 100 for computational efficiency")
        if len(group["ns_coefficients"]) != 3:
            raise ValueError("Coefficients must be a tuple of exactly 3 values")
        return bool(group["nesterov"]), group["adjust_lr_fn"], group["ns_steps"]

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        momentum = group["momentum"]
        return group["lr"], momentum, 1 - momentum, group["eps"], *group["ns_coefficients"]
