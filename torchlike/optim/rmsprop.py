"""The RMSprop optimizer (Hinton, 2012)."""

from __future__ import annotations

from typing import Any, ClassVar

from torchlike import Tensor
from torchlike._internal import Step, namespace
from torchlike.optim._checks import Capturable, check_lr, check_positive
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim._state.given import check_counters, step_given
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT


@update_rule
def rmsprop_update(variant: tuple, scalars: tuple, step: Step, param: Any, grad: Any, square: Any, *more: Any) -> tuple:
    """Return the RMSprop update.

    Optax's version is not used, because it computes `1 - decay` in the parameter's precision. PyTorch computes it in
    double precision.
    """
    xp = namespace(param)
    has_buffer, centered = variant
    lr, alpha, rest, eps, momentum = scalars
    square = step(step(alpha * square) + rest * grad * grad)
    variance, means = square, ()
    if centered:
        mean = step(more[-1] + rest * (grad - more[-1]))
        variance, means = step(square - mean * mean), (mean,)
    rate, change, buffers = lr, grad / step(step(xp.sqrt(variance)) + step(eps)), ()
    if has_buffer:
        change = step(step(momentum * more[0]) + change)
        rate, buffers = step(lr), (change,)
    return (param - rate * change, square, *buffers, *means)


class RMSprop(RuleOptimizer):
    r"""The RMSprop optimizer. It divides a gradient by the running root mean square of gradients.

    .. math:: v \leftarrow \alpha v + (1-\alpha) g^2,\quad p \leftarrow p - \eta\, g / (\sqrt{v} + \epsilon)

    Args:
      params: parameters or groups of parameters.
      lr: learning rate :math:`\eta`, a number or a Tensor of one element.
      alpha: decay rate of the averages.
      eps: added to the square root.
      weight_decay: L2 penalty.
      momentum: if not 0, each step is the scaled gradient plus `momentum` times the previous step.
      centered: subtract the squared running mean of the gradient from :math:`v`, so that the divisor estimates the
        standard deviation.
      maximize: maximize the objective instead of minimizing it.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.
      capturable: True is not supported: the first step raises an error, as PyTorch's does on the CPU.
      differentiable: let autograd record the step, so that gradients flow through it.

    Raises:
      ValueError: an option is negative.

    >>> import torchlike
    >>> p = torchlike.nn.Parameter(torchlike.tensor([1.0]))
    >>> optimizer = torchlike.optim.RMSprop([p], lr=0.5, alpha=0.75)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.tolist()
    [0.0]
    """

    capturable = Capturable(xla=(True, True))
    old_options: ClassVar = {"momentum": 0}
    rule = staticmethod(rmsprop_update)
    counts_on_device = True

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_positive(eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(
            params,
            dict(
                lr=lr,
                momentum=momentum,
                alpha=alpha,
                eps=eps,
                centered=centered,
                weight_decay=weight_decay,
                capturable=capturable,
                foreach=foreach,
                maximize=maximize,
                differentiable=differentiable,
            ),
        )

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        buffer = ("momentum_buffer",) if group["momentum"] > 0 else ()
        return ("square_avg", *buffer, *(("grad_avg",) if group["centered"] else ()))

    def _variant(self, group: Group, is_first: bool) -> tuple:
        return group["momentum"] > 0, bool(group["centered"])

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        alpha = group["alpha"]
        return group["lr"], alpha, 1 - alpha, group["eps"], group["momentum"]


def rmsprop(
    params: list[Tensor],
    grads: list[Tensor],
    square_avgs: list[Tensor],
    grad_avgs: list[Tensor],
    momentum_buffer_list: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lr: float | Tensor,
    alpha: float,
    eps: float,
    weight_decay: float,
    momentum: float,
    centered: bool,
) -> None:
    """Make one step of `RMSprop` on lists of tensors, in place.

    The options are those of the class. The options without default must be given.

    Args:
      params: the parameters, which are updated in place.
      grads: their gradients.
      square_avgs: the averages of the squared gradients.
      grad_avgs: the averages of the gradients, used with `centered`.
      momentum_buffer_list: the buffers of momentum. They are used with `momentum`.
      state_steps: the number of steps of each parameter, as tensors of one element.
      has_complex: has no effect. Complex parameters are recognized.
      foreach, maximize, differentiable, capturable, lr, alpha, eps, weight_decay, momentum, centered: see `RMSprop`.
    """
    check_counters(state_steps=state_steps)
    step_given(
        RMSprop,
        params,
        grads,
        {
            "square_avg": square_avgs,
            "grad_avg": grad_avgs,
            "momentum_buffer": momentum_buffer_list,
            "step": state_steps,
        },
        foreach=foreach,
        maximize=maximize,
        differentiable=differentiable,
        capturable=capturable,
        lr=lr,
        alpha=alpha,
        eps=eps,
        weight_decay=weight_decay,
        momentum=momentum,
        centered=centered,
    )
