"""The RAdam optimizer: Adam with a rectified variance (Liu et al., 2020)."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import Step, namespace
from torchlike.optim._checks import check_betas, check_lr, check_positive
from torchlike.optim._numbers import chosen
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim._state.given import check_counters, step_given
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT


@update_rule
def radam_update(variant: tuple, scalars: tuple, step: Step, param: Any, grad: Any, mean: Any, square: Any) -> tuple:
    xp = namespace(param)
    lr, correction, rectification, root_correction, beta1_rest, beta2, beta2_rest, eps = scalars
    mean = step(mean + beta1_rest * (grad - mean))
    square = step(step(beta2 * square) + beta2_rest * grad * grad)
    change = step(step(mean / correction) * lr)
    scale = step(root_correction / step(step(xp.sqrt(square)) + step(eps)))
    # Select by a scalar instead of a static flag, so that the first rectified step does not need another program.
    change = xp.where(rectification > 0, step(step(change * scale) * rectification), change)
    return param - change, mean, square


class RAdam(RuleOptimizer):
    r"""The RAdam optimizer: Adam that takes momentum steps until the second moment averages enough gradients.

    .. math:: \rho_t = \rho_\infty - \frac{2 t \beta_2^t}{1-\beta_2^t},\quad \rho_\infty = \frac{2}{1-\beta_2} - 1

    If :math:`\rho_t > 5`, the step is that of Adam multiplied by
    :math:`\sqrt{\frac{(\rho_t-4)(\rho_t-2)\rho_\infty}{(\rho_\infty-4)(\rho_\infty-2)\rho_t}}`. Otherwise it is
    :math:`p \leftarrow p - \eta\,m / (1-\beta_1^t)`.

    Args:
      params: parameters or groups of parameters.
      lr: learning rate :math:`\eta`, a number or a Tensor of one element.
      betas: decay rates of the two averages, each in [0, 1).
      eps: added to the denominator.
      weight_decay: L2 penalty. With `decoupled_weight_decay` it scales the parameter before the step, as in `AdamW`.
      decoupled_weight_decay: see `weight_decay`.
      maximize: maximize the objective instead of minimizing it.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.
      capturable: True is not supported: the first step raises an error, as PyTorch's does on the CPU.
      differentiable: let autograd record the step, so that gradients flow through it.

    Raises:
      ValueError: an option is negative, or a beta is outside [0, 1).

    >>> import torchlike as torch
    >>> p = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = torch.optim.RAdam([p], lr=0.5)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.tolist()
    [0.5]
    """

    rule = staticmethod(radam_update)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
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
                maximize=maximize,
                foreach=foreach,
                capturable=capturable,
                decoupled_weight_decay=decoupled_weight_decay,
                differentiable=differentiable,
            ),
        )

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        return "exp_avg", "exp_avg_sq"

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        (step,) = now
        beta1, beta2 = group["betas"]
        lr, corrections = group["lr"], (1 - beta1**step, _rectification(beta2, step), (1 - beta2**step) ** 0.5)
        return lr, *corrections, 1 - beta1, beta2, 1 - beta2, group["eps"]


def _rectification(beta2: float, step: float) -> float:
    """Return the rectification factor of the step, or 0 while the second moment averages too few gradients."""
    limit = 2 / (1 - beta2) - 1
    length = limit - 2 * step * beta2**step / (1 - beta2**step)
    if isinstance(length, float) and length <= 5.0:
        return 0.0
    ratio = (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
    return chosen(length > 5.0, ratio, 0.0) ** 0.5


def radam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
) -> None:
    """Make one step of `RAdam` on lists of tensors, in place.

    The options are those of the class. The options without default must be given.

    Args:
      params: the parameters, which are updated in place.
      grads: their gradients.
      exp_avgs: the averages of the gradients.
      exp_avg_sqs: the averages of the squared gradients.
      state_steps: the number of steps of each parameter, as tensors of one element.
      has_complex: has no effect. Complex parameters are recognized.
      decoupled_weight_decay, foreach, differentiable, capturable, maximize, lr, weight_decay, eps: see `RAdam`.
      beta1, beta2: the decay rates of the averages.
    """
    check_counters(state_steps=state_steps)
    step_given(
        RAdam,
        params,
        grads,
        {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "step": state_steps},
        decoupled_weight_decay=decoupled_weight_decay,
        foreach=foreach,
        differentiable=differentiable,
        capturable=capturable,
        maximize=maximize,
        betas=(beta1, beta2),
        lr=lr,
        weight_decay=weight_decay,
        eps=eps,
    )
