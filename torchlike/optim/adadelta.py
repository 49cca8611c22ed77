"""The Adadelta optimizer (Zeiler, 2012)."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import Step, namespace
from torchlike.optim._checks import Capturable, check_fraction, check_lr, check_positive
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim._state.given import check_counters, step_given
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT


@update_rule
def adadelta_update(
    variant: tuple, scalars: tuple, step: Step, param: Any, grad: Any, square: Any, delta_square: Any
) -> tuple:
    """Return the Adadelta update.

    Optax's version is not used, because it computes `1 - rho` in the parameter's precision. PyTorch computes it in
    double precision.
    """
    xp = namespace(param)
    lr, rho, rest, eps = scalars
    square = step(step(rho * square) + rest * grad * grad)
    of_delta, of_grad = (step(xp.sqrt(step(a + step(eps)))) for a in (delta_square, square))
    delta = step(step(of_delta / of_grad) * grad)
    delta_square = step(rho * delta_square) + rest * delta * delta
    return param - step(lr) * delta, square, delta_square


class Adadelta(RuleOptimizer):
    r"""The Adadelta optimizer. It scales a gradient by the ratio of the RMS of recent steps and of recent gradients.

    .. math:: v \leftarrow \rho v + (1-\rho) g^2,\quad \Delta = \frac{\sqrt{u + \epsilon}}{\sqrt{v + \epsilon}}\,g,\quad
        u \leftarrow \rho u + (1-\rho)\Delta^2,\quad p \leftarrow p - \eta\Delta

    Args:
      params: parameters or groups of parameters.
      lr: factor :math:`\eta` of every step, a number or a Tensor of one element.
      rho: decay rate of both averages, in [0, 1].
      eps: added under both square roots.
      weight_decay: L2 penalty.
      maximize: maximize the objective instead of minimizing it.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.
      capturable: True is not supported: the first step raises an error, as PyTorch's does on the CPU.
      differentiable: let autograd record the step, so that gradients flow through it.

    Raises:
      ValueError: an option is negative, or `rho` is above 1.

    >>> import torchlike as torch
    >>> p = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = torch.optim.Adadelta([p], lr=1.0, rho=0.0, eps=1.0)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> round(p.item(), 4)
    0.2929
    """

    capturable = Capturable(xla=(False, False))
    writes_complex = True
    rule = staticmethod(adadelta_update)
    counts_on_device = True

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_fraction("rho", rho)
        check_positive(eps=eps, weight_decay=weight_decay)
        super().__init__(
            params,
            dict(
                lr=lr,
                rho=rho,
                eps=eps,
                weight_decay=weight_decay,
                maximize=maximize,
                capturable=capturable,
                foreach=foreach,
                differentiable=differentiable,
            ),
        )

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        return "square_avg", "acc_delta"

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        rho = group["rho"]
        return group["lr"], rho, 1 - rho, group["eps"]


def adadelta(
    params: list[Tensor],
    grads: list[Tensor],
    square_avgs: list[Tensor],
    acc_deltas: list[Tensor],
    state_steps: list[Tensor],
    capturable: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float | Tensor,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """Make one step of `Adadelta` on lists of tensors, in place.

    The options are those of the class. The options without default must be given.

    Args:
      params: the parameters, which are updated in place.
      grads: their gradients.
      square_avgs: the averages of the squared gradients.
      acc_deltas: the averages of the squared steps.
      state_steps: the number of steps of each parameter, as tensors of one element.
      has_complex: has no effect. Complex parameters are recognized.
      capturable, foreach, differentiable, lr, rho, eps, weight_decay, maximize: see `Adadelta`.
    """
    check_counters(state_steps=state_steps)
    step_given(
        Adadelta,
        params,
        grads,
        {"square_avg": square_avgs, "acc_delta": acc_deltas, "step": state_steps},
        capturable=capturable,
        foreach=foreach,
        differentiable=differentiable,
        lr=lr,
        rho=rho,
        eps=eps,
        weight_decay=weight_decay,
        maximize=maximize,
    )
