"""The stochastic gradient descent optimizer, with optional momentum."""

from __future__ import annotations

from typing import Any, ClassVar

import torchlike
from torchlike import Tensor
from torchlike._internal import Step, constant, current, layouts, unchanged
from torchlike.optim import _errors
from torchlike.optim._checks import check_implementation, check_lr, check_positive
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim._state.given import step_given
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT


@update_rule
def sgd_update(variant: tuple, scalars: tuple, step: Step, param: Any, grad: Any, buffer: Any = None) -> tuple:
    """Return the SGD update.

    Momentum uses `optax.trace`, whose arithmetic equals PyTorch's term by term and whose decay may be an input of the
    program. In half precision the formula is written out, because the terms are rounded.
    """
    import optax

    nesterov, is_first = variant
    lr, momentum, undamped = scalars
    if buffer is None:
        return (param - step(lr) * grad,)
    if is_first:  # differentiable steps only: PyTorch initializes the buffer with a detached copy of the gradient
        buffer = constant(grad)
        return param - step(lr) * (step(grad + step(momentum) * buffer) if nesterov else buffer), buffer
    if step is not unchanged:
        buffer = step(step(momentum * buffer) + step(undamped) * grad)
        return param - step(lr) * (step(grad + step(momentum) * buffer) if nesterov else buffer), buffer
    # Optax has no dampening. Scaling the gradient before the trace is equivalent.
    trace = optax.trace(momentum, nesterov)
    kept: Any
    update, kept = trace.update(undamped * grad, optax.TraceState(buffer))
    return param - lr * update, kept.trace


class SGD(RuleOptimizer):
    r"""The stochastic gradient descent optimizer: :math:`p \leftarrow p - \eta\,d`.

    .. math:: g \leftarrow g + \lambda p,\quad b \leftarrow \mu b + (1 - \tau) g,\quad
        d = g + \mu b \text{ (Nesterov)},\ b \text{ (momentum)},\ g \text{ (plain)}

    The first step with momentum sets :math:`b = g`, without dampening. With a sparse gradient :math:`b` is sparse.

    Args:
      params: parameters or groups of parameters.
      lr: learning rate :math:`\eta`, a number or a Tensor of one element.
      momentum: :math:`\mu`. With 0 there is no buffer :math:`b`.
      dampening: :math:`\tau`.
      weight_decay: :math:`\lambda`, an L2 penalty.
      nesterov: use Nesterov momentum. This requires momentum and no dampening.
      maximize: maximize the objective instead of minimizing it.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.
      fused: do not round intermediate results in half precision, like PyTorch's fused step. It has no other effect.
      differentiable: let autograd record the step, so that gradients flow through it.

    Raises:
      ValueError: `lr`, `momentum` or `weight_decay` is negative, or `nesterov` is set without momentum or with
        dampening.
      RuntimeError: a gradient is sparse and `weight_decay` or `fused` is set. The step raises this.

    >>> import torchlike
    >>> p = torchlike.nn.Parameter(torchlike.tensor([1.0, 2.0]))
    >>> optimizer = torchlike.optim.SGD([p], lr=0.5)
    >>> p.square().sum().backward()
    >>> optimizer.step()
    >>> p.tolist()
    [0.0, 0.0]
    """

    writes_complex = True
    rule = staticmethod(sgd_update)
    counts_on_device = True
    counters = ()
    made_late = ("momentum_buffer",)
    old_options: ClassVar = {"fused": False}
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
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        check_implementation(foreach, fused, differentiable)
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
        return bool(group["nesterov"]), is_first

    def _take_sparse(self, group: Group, grads: list, rows: list[int], sparse: list[int]) -> tuple[list, list]:
        if group["fused"]:
            raise _errors.sparse_with_fused("SGD")
        with torchlike.no_grad():
            for i in sparse:
                self._step_sparse(group, group["params"][i], grads[i])
        return [i for i in rows if i not in sparse], []

    def _step_sparse(self, group: Group, param: Tensor, grad: Tensor) -> None:
        """Update one parameter by its sparse gradient. The sums of sparse tensors stay uncoalesced, as in PyTorch."""
        direction = -grad if group["maximize"] else grad
        if group["weight_decay"]:
            direction = direction.add(param, alpha=group["weight_decay"])  # raises: sparse + dense
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
            current().capture.stop("a sparse momentum buffer is updated")
        buffer = kept.get("momentum_buffer")
        if buffer is None:
            buffer = kept["momentum_buffer"] = grad.clone()
        else:
            buffer.mul_(group["momentum"]).add_(grad, alpha=1 - group["dampening"])
        return grad.add(buffer, alpha=group["momentum"]) if group["nesterov"] else buffer

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        undamped = 1 - group["dampening"] * (1 - bucket.fresh)
        return group["lr"], group["momentum"], undamped


def sgd(
    params: list[Tensor],
    d_p_list: list[Tensor],
    momentum_buffer_list: list[Tensor | None],
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    *,
    weight_decay: float,
    momentum: float,
    lr: float | Tensor,
    dampening: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """Make one step of `SGD` on lists of tensors, in place.

    The options are those of the class. The options without default must be given.

    Args:
      params: the parameters, which are updated in place.
      d_p_list: their gradients.
      momentum_buffer_list: the buffers of momentum. None, before the first step, is replaced.
      has_sparse_grad: True is refused with `fused`. It has no effect otherwise.
      grad_scale: the factor by which a fused step divides the gradients.
      found_inf: a flag of one element. If it is not zero, a fused step does nothing.
      foreach, fused, weight_decay, momentum, lr, dampening, nesterov, maximize: see `SGD`.

    Raises:
      RuntimeError: `fused` is set and a gradient is sparse.
    """
    if fused and has_sparse_grad:
        raise RuntimeError("`_fused_sgd` does not support sparse gradients")
    made = step_given(
        SGD,
        params,
        d_p_list,
        {"momentum_buffer": momentum_buffer_list},
        (grad_scale, found_inf),
        foreach=foreach,
        fused=fused,
        weight_decay=weight_decay,
        momentum=momentum,
        lr=lr,
        dampening=dampening,
        nesterov=nesterov,
        maximize=maximize,
    )
    for i, kept in enumerate(made if momentum != 0 else ()):
        momentum_buffer_list[i] = kept.get("momentum_buffer")
