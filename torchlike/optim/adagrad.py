"""The Adagrad optimizer (Duchi et al., 2011)."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import Step, namespace
from torchlike.optim import _errors
from torchlike.optim._checks import check_implementation, check_lr, check_positive
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim._state.given import check_counters, step_given
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT, scalar_dtype


@update_rule
def adagrad_update(variant: tuple, scalars: tuple, step: Step, param: Any, grad: Any, total: Any) -> tuple:
    """Return the Adagrad update.

    `optax.scale_by_rss` is not used: unlike PyTorch it adds `eps` under the square root and skips zero sums.
    """
    rate, eps = scalars
    total = step(total + grad * grad)
    return param - rate * grad / step(step(namespace(param).sqrt(total)) + step(eps)), total


@update_rule
def adagrad_rows_update(variant: tuple, scalars: tuple, step: Step, param: Any, grad: Any, total: Any) -> tuple:
    """Return the update of the rows of a sparse gradient. PyTorch divides before it multiplies here."""
    rate, eps = scalars
    total = step(total + step(grad * grad))
    return param - rate * step(grad / step(step(namespace(param).sqrt(total)) + step(eps))), total


class Adagrad(RuleOptimizer):
    r"""The Adagrad optimizer. It divides a gradient by the root of the sum of all squared gradients so far.

    .. math:: s \leftarrow s + g^2,\quad
        p \leftarrow p - \frac{\eta}{1 + (t-1)\,\eta_\delta}\,\frac{g}{\sqrt{s}+\epsilon}

    A sparse gradient updates only the rows that it contains.

    Args:
      params: parameters or groups of parameters. The constructor creates their state, not the first step.
      lr: learning rate :math:`\eta`, a number or a Tensor of one element.
      lr_decay: :math:`\eta_\delta`.
      weight_decay: L2 penalty.
      initial_accumulator_value: initial value of :math:`s`.
      eps: added to the square root.
      maximize: maximize the objective instead of minimizing it.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.
      fused: do not round intermediate results in half precision, like PyTorch's fused step. It has no other effect.
      differentiable: let autograd record the step, so that gradients flow through it.

    Raises:
      ValueError: an option is negative.
      RuntimeError: a gradient is sparse and `weight_decay` or `fused` is set. The step raises this.

    >>> import torchlike
    >>> p = torchlike.nn.Parameter(torchlike.tensor([1.0]))
    >>> optimizer = torchlike.optim.Adagrad([p], lr=0.5)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.tolist()
    [0.5]
    """

    rule = staticmethod(adagrad_update)
    counts_on_device = True
    sparse_rule = staticmethod(adagrad_rows_update)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_positive(
            lr_decay=lr_decay, weight_decay=weight_decay, initial_accumulator_value=initial_accumulator_value, eps=eps
        )
        check_implementation(foreach, fused, differentiable)
        super().__init__(
            params,
            dict(
                lr=lr,
                lr_decay=lr_decay,
                eps=eps,
                weight_decay=weight_decay,
                initial_accumulator_value=initial_accumulator_value,
                foreach=foreach,
                maximize=maximize,
                differentiable=differentiable,
                fused=fused,
            ),
        )
        for group in self.param_groups:
            for param in group["params"]:
                self._state[param] = {"step": 0.0, "sum": self._start(group, "sum", param)}
                self._show_counters(param, self._state[param], scalar_dtype())

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        return ("sum",)

    def _initial(self, group: Group, name: str, shape: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        return group["initial_accumulator_value"], shape

    def _take_sparse(self, group: Group, grads: list, rows: list[int], sparse: list[int]) -> tuple[list, list]:
        if group["fused"]:
            raise _errors.sparse_with_fused("Adagrad")
        if group["weight_decay"]:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        return super()._take_sparse(group, grads, rows, sparse)

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        rate = group["lr"] / (1 + before[0] * group["lr_decay"])
        return rate, group["eps"]


def adagrad(
    params: list[Tensor],
    grads: list[Tensor],
    state_sums: list[Tensor],
    state_steps: list[Tensor],
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float | Tensor,
    weight_decay: float,
    lr_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Make one step of `Adagrad` on lists of tensors, in place.

    The options are those of the class. The options without default must be given.

    Args:
      params: the parameters, which are updated in place.
      grads: their gradients.
      state_sums: the sums of the squared gradients.
      state_steps: the number of steps of each parameter, as tensors of one element.
      has_sparse_grad: has no effect. Sparse gradients are recognized.
      has_complex: has no effect. Complex parameters are recognized.
      grad_scale: the factor by which a fused step divides the gradients.
      found_inf: a flag of one element. If it is not zero, a fused step does nothing.
      fused, foreach, differentiable, lr, weight_decay, lr_decay, eps, maximize: see `Adagrad`.
    """
    check_counters(state_steps=state_steps)
    step_given(
        Adagrad,
        params,
        grads,
        {"sum": state_sums, "step": state_steps},
        (grad_scale, found_inf),
        fused=fused,
        foreach=foreach,
        differentiable=differentiable,
        lr=lr,
        weight_decay=weight_decay,
        lr_decay=lr_decay,
        eps=eps,
        maximize=maximize,
    )
