"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import Step, constant, current, layouts, unchanged
from torchlike.optim import _errors
from torchlike.optim._checks import check_implementation, check_lr, check_positive
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT


@update_rule
def sgd_update(variant: tuple, scalars: tuple, step: Step, param: Any, grad: Any, buffer: Any = None) -> tuple:
    """Optax's momentum: its arithmetic is PyTorch's, term for term, and its decay may be an input of the program. Half
    precision is rounded between the terms."""
    import optax

    nesterov, is_first = variant
    lr, momentum, undamped = scalars
    if buffer is None:
        return (param - step(lr) * grad,)
    if is_first:  # of those that are recorded: PyTorch's buffer begins as a detached copy
        buffer = constant(grad)
        return param - step(lr) * (step(grad + step(momentum) * buffer) if nesterov else buffer), buffer
    if step is not unchanged:
        buffer = step(step(momentum * buffer) + step(undamped) * grad)
        return param - step(lr) * (step(grad + step(momentum) * buffer) if nesterov else buffer), buffer
    # Optax has no dampening; damping what enters the trace is the same thing.
    trace = optax.trace(momentum, nesterov)
    kept: Any
    update, kept = trace.update(undamped * grad, optax.TraceState(buffer))
    return param - lr * update, kept.trace


class SGD(RuleOptimizer):
    r"""Stochastic gradient descent: :math:`p \leftarrow p - \eta\,d`.

    .. math:: g \leftarrow g + \lambda p,\quad b \leftarrow \mu b + (1 - \tau) g,\quad
        d = g + \mu b \text{ (Nesterov)},\ b \text{ (momentum)},\ g \text{ (plain)}

    The first step with momentum sets :math:`b = g`, undamped. With a sparse gradient :math:`b` is sparse.

    Args:
      params: parameters or groups of them.
      lr: learning rate :math:`\eta`, a number or a Tensor of one element.
      momentum: :math:`\mu`; 0 keeps no buffer.
      dampening: :math:`\tau`.
      weight_decay: :math:`\lambda`, an L2 penalty.
      nesterov: look ahead along the buffer; needs momentum and no dampening.
      maximize: ascend instead.
      foreach, fused: kept and without effect: in PyTorch they choose among implementations with equal results.
      differentiable: whether autograd records the step, so that gradients flow through it.

    Raises:
      ValueError: a negative rate, momentum or decay, or `nesterov` without momentum or with dampening.
      RuntimeError: at a step, a sparse gradient together with `weight_decay` or `fused`.

    >>> import torchlike
    >>> p = torchlike.nn.Parameter(torchlike.tensor([1.0, 2.0]))
    >>> optimizer = torchlike.optim.SGD([p], lr=0.5)
    >>> p.square().sum().backward()
    >>> optimizer.step()
    >>> p.tolist()
    [0.0, 0.0]
    """

    rule = staticmethod(sgd_update)
    counters = ()
    made_late = ("momentum_buffer",)
    records_lists = True

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_positive(momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise _errors.nesterov_needs_momentum()
        check_implementation("SGD", foreach, fused, differentiable=differentiable)
        super().__init__(
            params,
            dict(
                lr=lr,
                momentum=momentum,
                dampening=dampening,
                weight_decay=weight_decay,
                nesterov=nesterov,
                maximize=maximize,
                foreach=foreach,
                differentiable=differentiable,
                fused=fused,
            ),
        )

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        return ("momentum_buffer",) if group["momentum"] != 0 else ()

    def _variant(self, group: Group, is_first: bool) -> tuple:
        return group["nesterov"], is_first

    def _take_sparse(self, group: Group, grads: list, rows: list[int], sparse: list[int]) -> tuple[list, list]:
        if group["fused"]:
            raise _errors.sparse_with_fused("SGD")
        with torchlike.no_grad():
            for i in sparse:
                self._step_sparse(group, group["params"][i], grads[i])
        return [i for i in rows if i not in sparse], []

    def _step_sparse(self, group: Group, param: Tensor, grad: Tensor) -> None:
        """One parameter's step: sums of sparse tensors, which keep equal indices apart as PyTorch's do."""
        direction = -grad if group["maximize"] else grad
        if group["weight_decay"]:
            direction = direction.add(param, alpha=group["weight_decay"])  # refused
        if group["momentum"]:
            direction = self._with_momentum(group, self.state[param], direction)
        param.add_(direction, alpha=-float(group["lr"]))

    def _prepare(self, group: Group, names: tuple[str, ...], param: Tensor) -> bool:
        buffer = self._state.get(param, {}).get("momentum_buffer")
        if names and buffer is not None and buffer.is_sparse:
            raise layouts.add_to_sparse()
        return super()._prepare(group, names, param)

    def _with_momentum(self, group: Group, kept: dict[str, Any], grad: Tensor) -> Tensor:
        if current().capture is not None:
            current().capture.stop("the rows of a sparse momentum buffer are merged")
        buffer = kept.get("momentum_buffer")
        if buffer is None:
            buffer = kept["momentum_buffer"] = grad.clone()
        else:
            buffer.mul_(group["momentum"]).add_(grad, alpha=1 - group["dampening"])
        return grad.add(buffer, alpha=group["momentum"]) if group["nesterov"] else buffer

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        undamped = 1.0 if bucket.fresh else 1 - group["dampening"]
        return group["lr"], group["momentum"], undamped
