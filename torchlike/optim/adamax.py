"""The Adamax optimizer (Kingma and Ba, 2015)."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import Step, namespace
from torchlike.optim._checks import check_betas, check_lr, check_positive
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim._state.given import check_counters, step_given
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT


@update_rule
def adamax_update(variant: tuple, scalars: tuple, step: Step, param: Any, grad: Any, mean: Any, largest: Any) -> tuple:
    xp = namespace(param)
    rate, beta1_rest, beta2, eps = scalars
    mean = step(mean + beta1_rest * (grad - mean))
    largest = xp.maximum(step(largest * beta2), step(xp.abs(grad) + step(eps)))
    return param - rate * mean / largest, mean, largest


class Adamax(RuleOptimizer):
    r"""The Adamax optimizer: Adam with a decaying maximum in place of the second moment.

    .. math:: m \leftarrow \beta_1 m + (1-\beta_1) g,\quad u \leftarrow \max(\beta_2 u, |g| + \epsilon),\quad
        p \leftarrow p - \frac{\eta}{1-\beta_1^t}\,\frac{m}{u}

    Args:
      params: parameters or groups of parameters.
      lr: learning rate :math:`\eta`, a number or a Tensor of one element.
      betas: decay rates of the mean and of the maximum, each in [0, 1).
      eps: added to the absolute value of the gradient.
      weight_decay: L2 penalty.
      maximize: maximize the objective instead of minimizing it.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.
      capturable: True is not supported: the first step raises an error, as PyTorch's does on the CPU.
      differentiable: let autograd record the step, so that gradients flow through it.

    Raises:
      ValueError: an option is negative, or a beta is outside [0, 1).

    >>> import torchlike as torch
    >>> p = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = torch.optim.Adamax([p], lr=0.5)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> round(p.item(), 4)
    0.5
    """

    rule = staticmethod(adamax_update)
    counts_on_device = True

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check_positive(eps=eps)
        check_betas(betas)
        check_positive(weight_decay=weight_decay)
        super().__init__(
            params,
            dict(
                lr=lr,
                betas=betas,
                eps=eps,
                weight_decay=weight_decay,
                foreach=foreach,
                maximize=maximize,
                differentiable=differentiable,
                capturable=capturable,
            ),
        )

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        return "exp_avg", "exp_inf"

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        beta1, beta2 = group["betas"]
        rate = group["lr"] / (1 - beta1 ** now[0])
        return rate, 1 - beta1, beta2, group["eps"]


def adamax(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_infs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
) -> None:
    """Make one step of `Adamax` on lists of tensors, in place.

    The options are those of the class. The options without default must be given.

    Args:
      params: the parameters, which are updated in place.
      grads: their gradients.
      exp_avgs: the averages of the gradients.
      exp_infs: the decaying maxima of the gradients.
      state_steps: the number of steps of each parameter, as tensors of one element.
      has_complex: has no effect. Complex parameters are recognized.
      foreach, maximize, differentiable, capturable, eps, lr, weight_decay: see `Adamax`.
      beta1, beta2: the decay rates of the averages.
    """
    check_counters(state_steps=state_steps)
    step_given(
        Adamax,
        params,
        grads,
        {"exp_avg": exp_avgs, "exp_inf": exp_infs, "step": state_steps},
        foreach=foreach,
        maximize=maximize,
        differentiable=differentiable,
        capturable=capturable,
        eps=eps,
        betas=(beta1, beta2),
        lr=lr,
        weight_decay=weight_decay,
    )
