"""The Rprop optimizer: resilient backpropagation (Riedmiller and Braun, 1993)."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import Step, namespace, wrong_type
from torchlike.optim import _errors
from torchlike.optim._checks import Capturable, check_lr
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim._state.given import check_counters, step_given
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT


@update_rule
def rprop_update(variant: tuple, scalars: tuple, step: Step, param: Any, grad: Any, previous: Any, size: Any) -> tuple:
    xp = namespace(param)
    shrink, grow, smallest, largest = scalars
    agreement = step(grad * previous)
    factor = xp.where(agreement > 0, step(grow), xp.where(agreement < 0, step(shrink), 1))
    size = xp.clip(step(size * factor), step(smallest), step(largest))
    grad = xp.where(factor == step(shrink), 0, grad)  # no step after a change of sign
    return param - xp.sign(grad) * size, grad, size


class Rprop(RuleOptimizer):
    r"""The Rprop optimizer. Each element has its own step size, which grows while its gradient keeps its sign.

    .. math:: \eta \leftarrow \mathrm{clip}(\eta\,[\eta_+ \text{ or } \eta_-]),\quad
        p \leftarrow p - \mathrm{sign}(g)\,\eta

    If the gradient of an element changes sign, the step size of the element shrinks and the element is not updated.

    Args:
      params: parameters or groups of parameters.
      lr: initial step size, a number or a Tensor of one element.
      etas: factors of decrease and increase, :math:`0 < \eta_- < 1 < \eta_+`.
      step_sizes: minimal and maximal step size.
      maximize: maximize the objective instead of minimizing it.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.
      capturable: True is not supported: the first step raises an error, as PyTorch's does on the CPU.
      differentiable: let autograd record the step, so that gradients flow through it.

    Raises:
      ValueError: `lr` is negative, or the factors violate the inequality.

    >>> import torchlike as torch
    >>> p = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = torch.optim.Rprop([p], lr=0.5)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.tolist()
    [0.5]
    """

    capturable = Capturable(xla=(True, True))
    rule = staticmethod(rprop_update)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise _errors.invalid("eta values", f"{etas[0]}, {etas[1]}")
        super().__init__(
            params,
            dict(
                lr=lr,
                etas=etas,
                step_sizes=step_sizes,
                foreach=foreach,
                maximize=maximize,
                differentiable=differentiable,
                capturable=capturable,
            ),
        )

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        return "prev", "step_size"

    def _start(self, group: Group, name: str, param: Tensor) -> Tensor:
        lr = group["lr"]
        if name == "step_size" and isinstance(lr, Tensor) and lr.requires_grad:
            raise wrong_type("full_like", "fill_value", 2, "Number", lr)
        return super()._start(group, name, param)

    def _initial(self, group: Group, name: str, shape: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        lr = group["lr"]
        return (0.0 if name == "prev" else lr.item() if isinstance(lr, Tensor) else lr), shape

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        return *group["etas"], *group["step_sizes"]


def rprop(
    params: list[Tensor],
    grads: list[Tensor],
    prevs: list[Tensor],
    step_sizes: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    maximize: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    step_size_min: float,
    step_size_max: float,
    etaminus: float,
    etaplus: float,
) -> None:
    """Make one step of `Rprop` on lists of tensors, in place.

    The options are those of the class. The options without default must be given.

    Args:
      params: the parameters, which are updated in place.
      grads: their gradients.
      prevs: the gradients of the previous step.
      step_sizes: the step size of each element.
      state_steps: the number of steps of each parameter, as tensors of one element.
      has_complex: has no effect. Complex parameters are recognized.
      foreach, capturable, maximize, differentiable: see `Rprop`.
      step_size_min, step_size_max: the bounds of the step sizes.
      etaminus, etaplus: the factors of decrease and increase.
    """
    check_counters(state_steps=state_steps)
    step_given(
        Rprop,
        params,
        grads,
        {"prev": prevs, "step_size": step_sizes, "step": state_steps},
        lr=0.0,  # only the first step sizes depend on it
        foreach=foreach,
        capturable=capturable,
        maximize=maximize,
        differentiable=differentiable,
        step_sizes=(step_size_min, step_size_max),
        etas=(etaminus, etaplus),
    )
