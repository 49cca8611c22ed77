"""A context in which an optimizer works on other parameters and another state."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from torchlike import Tensor
from torchlike.optim.optimizer import Optimizer

_NAME = "swap_in_optimizer_params_and_state"
_Swap = tuple[dict[str, Any], list[Tensor]]


@contextlib.contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """Replace the parameters, the state and the options of an optimizer within a `with` statement.

    Steps change the given tensors. The optimizer gets its own parameters, state and options back at the end.

    Args:
      optimizer: an optimizer that has made a step.
      swapin_parameters: the other parameters, in the order of the optimizer's own.
      swapin_optim_state: the other state, as `optimizer.state_dict()` returns it. Its tensors are changed in place. The
        dictionaries are not changed.

    Raises:
      RuntimeError: the optimizer has no state, or the arguments do not fit its groups.

    >>> import torchlike as torch
    >>> p, q = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))
    >>> optimizer = torch.optim.SGD([p], lr=0.5, momentum=0.5)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> q.grad = torch.ones(1)
    >>> with torch.optim.swap_in_optimizer_params_and_state(optimizer, {"q": q}, optimizer.state_dict()):
    ...     optimizer.step()
    >>> p.item(), q.item()
    (0.5, 0.25)
    """
    state, swaps = _checked(optimizer, swapin_parameters, swapin_optim_state)
    groups, own_state = [*optimizer.param_groups], optimizer.state
    own_groups = [dict(group) for group in groups]
    try:
        swapped: defaultdict[Any, Any] = defaultdict(dict)
        for group, (options, params) in zip(groups, swaps):
            group.update({**options, "params": params})
            swapped.update((param, dict(state.get(at, {}))) for param, at in zip(params, options["params"]))
        optimizer.state = swapped
        yield
    finally:
        for group, own in zip(groups, own_groups):
            group.clear()
            group.update(own)
        optimizer.state = own_state


def _checked(optimizer: Optimizer, parameters: dict[str, Tensor], optim_state: Any) -> tuple[dict, list[_Swap]]:
    """Return the state and, for each group, its options and parameters."""
    if not optimizer.state:
        raise _requires("initialized optimizer state.")
    if not isinstance(optim_state, dict):
        raise _requires("a DCP-style optimizer state_dict.")
    state = _checked_state(optim_state.get("state"))
    groups = optim_state.get("param_groups")
    if not isinstance(groups, list):
        raise _requires(
            f"swapin_optim_state['param_groups'] to be a list of param-group dicts, got {type(groups).__name__}."
        )
    if len(optimizer.param_groups) != len(groups):
        raise RuntimeError("swapin_optim_state has a different number of parameter groups than the live optimizer.")
    params, at, swaps = [*parameters.values()], 0, []
    for index, (own, group) in enumerate(zip(optimizer.param_groups, groups)):
        count = len(_checked_group(index, own, group))
        if at + count > len(params):
            raise _requires("the explicit parameter state to match optimizer.param_groups ordering.")
        swaps.append((group, params[at : at + count]))
        at += count
    known = {number for group in groups for number in group["params"]}
    if extra := [key for key in state if key not in known]:
        raise _requires(
            "swapin_optim_state['state'] to be keyed only by packed parameter ids from param_groups[*]['params']; "
            f"got extra keys {extra!r}."
        )
    return state, swaps


def _checked_state(state: Any) -> dict:
    if not isinstance(state, dict):
        raise _requires(
            "swapin_optim_state['state'] to be a dict mapping packed parameter ids to per-param state dicts, "
            f"got {type(state).__name__}."
        )
    if any(isinstance(key, Tensor) for key in state):
        raise _requires("optimizer.state_dict()-style state keyed by packed parameter ids.")
    if any(isinstance(key, int) and not isinstance(kept, dict) for key, kept in state.items()):
        raise _requires("per-parameter optimizer state entries to be dictionaries.")
    return state


def _checked_group(index: int, own: dict[str, Any], group: Any) -> list[int]:
    """Return the numbers of the parameters of a group."""
    if not isinstance(group, dict):
        raise _requires("each optimizer param group to be a dictionary.")
    numbers = group.get("params")
    if not isinstance(numbers, list) or not all(isinstance(each, int) for each in numbers):
        raise _requires("optimizer.state_dict()-style param_groups[*]['params'] entries keyed by packed parameter ids.")
    if len(own["params"]) != len(numbers):
        raise RuntimeError(
            f"swapin_optim_state param group {index} has a different number of params than the live optimizer "
            "param group."
        )
    more, fewer = ([key for key in one if key not in other] for one, other in ((group, own), (own, group)))
    if more or fewer:
        raise _requires(
            "optimizer.state_dict()-style param group keys to exactly match the live optimizer group keys for "
            f"group {index}. Keys only in swap-in: {more}. Keys only in live: {fewer}."
        )
    return numbers


def _requires(what: str) -> RuntimeError:
    return RuntimeError(f"{_NAME} requires {what}")
