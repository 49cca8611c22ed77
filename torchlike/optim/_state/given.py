"""The functional forms of the optimizers: one step on given lists of parameters, gradients and state.

A functional step uses the rule of the optimizer's class. It makes an optimizer whose only group has the options of the
call and whose state is the given state.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import _engine
from torchlike.optim._rule import RuleOptimizer

Lists = dict[str, Sequence[Any]]


def check_counters(**lists: Sequence[Any]) -> None:
    """Raise if a list of counters contains something other than tensors."""
    for name, counters in lists.items():
        if not all(isinstance(each, Tensor) for each in counters):
            raise RuntimeError(f"API has changed, `{name}` argument must contain a list of singleton tensors")


def step_given(
    cls: type[RuleOptimizer],
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    state: Lists,
    scaling: tuple[Tensor | None, Tensor | None] = (None, None),
    **options: Any,
) -> list[dict[str, Any]]:
    """Make one step of the rule of `cls` on the given tensors, in place.

    Args:
      cls: the class of the optimizer.
      params: the parameters.
      grads: their gradients.
      state: for each name of a counter or of a state tensor the values for the parameters. Entries may be None.
      scaling: the factor of the gradients and the flag that skips the step. They require `fused`.
      **options: the options of the parameter group.

    Returns:
      The state of each parameter after the step.
    """
    given = _unscaled(grads, *scaling, bool(options.get("fused")))
    group = {"params": [*params], "foreach": None, "differentiable": False, **options}
    kept = [
        {name: values[i] for name, values in state.items() if i < len(values) and values[i] is not None}
        for i in range(len(params))
    ]
    if given is None or not kept:
        return kept
    tensors = [*params, *given, *[x for each in (*kept, options) for x in each.values() if isinstance(x, Tensor)]]
    with _engine.uninterrupted():
        optimizer = _made(cls, group, [*given], dict(zip(params, kept)))
        if torchlike.is_grad_enabled() and any(each.requires_grad for each in tensors):
            optimizer._step_recorded()
        else:
            optimizer._step_rows(0, group)
            optimizer._settle()
    _engine.boundary()
    return kept


def _unscaled(
    grads: Sequence[Tensor], scale: Tensor | None, found_inf: Tensor | None, fused: bool
) -> Sequence[Tensor] | None:
    """Divide the gradients by their factor in place. Return None if the step is skipped."""
    if not fused and not (scale is None and found_inf is None):
        raise AssertionError("Expected grad_scale and found_inf to be None")
    if found_inf is not None and found_inf.item():
        return None
    if scale is not None:
        with torchlike.no_grad():
            for grad in grads:
                grad.div_(scale)
    return grads


def _made(cls: type[RuleOptimizer], group: dict, grads: list[Tensor], state: dict) -> RuleOptimizer:
    """Return an optimizer with one group, the given state and the given gradients."""
    optimizer = cls.__new__(cls)
    optimizer.defaults = group
    optimizer.param_groups = [group]
    optimizer.state = defaultdict(dict, state)
    optimizer._given = grads
    return optimizer
