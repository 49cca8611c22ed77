"""The state of an optimizer that is made from an optax transformation: its layout over the parameters of a group."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from operator import is_
from typing import Any

from torchlike import Tensor
from torchlike._internal import Structure, Update, initial_state
from torchlike.optim._state.makers import Maker


class Layout:
    """The parameters of a group that the transformation sees, and its state over them. It is valid for some steps."""

    def __init__(self, maker: Maker, structure: Structure, params: list[Tensor]) -> None:
        self.maker, self.recipe, self.structure, self.params = maker, maker.recipe(), structure, params
        self.state: list[Tensor] = []
        self.plans: dict[tuple, Any] = {}
        self.owners = [params if leaf.param is None else [params[leaf.param]] for leaf in structure.leaves]

    def holds(self, maker: Maker, params: list[Tensor], state: Mapping[Tensor, Any]) -> bool:
        """Return whether nothing has changed since the last step."""
        return (
            self.maker.names == maker.names
            and all([a is b or a == b for (_, a), (_, b) in zip(self.maker.fixed, maker.fixed)])
            and len(params) == len(self.params)
            and all(map(is_, params, self.params))
            and all([p._aval is a for p, a in zip(params, self.structure.params)])
            and self.is_as_left(state)
        )

    def kept(self) -> Callable[[], Any]:
        """Return a function that does nothing: a step changes no numbers on the host."""
        return lambda: None

    def fill(self, state: dict[Tensor, Any], numbers: list[float]) -> None:
        """Take the state of the parameters, and create missing entries."""
        leaves, starts = self.structure.leaves, None
        tensors = []
        for i, (leaf, owners) in enumerate(zip(leaves, self.owners)):
            found = next((state[p][leaf.name] for p in owners if leaf.name in state.get(p, ())), None)
            if found is None:
                starts = starts or initial_state(self.recipe, self.structure, numbers, self.params)
                found = starts[i]
            elif found.shape != leaf.aval.shape:
                raise RuntimeError(
                    f"the state {leaf.name} of the transformation depends on all parameters of the group and has "
                    f"{list(found.shape)} elements, but {list(leaf.aval.shape)} with the new parameters"
                )
            tensors.append(found.to(leaf.aval.dtype))
        for leaf, owners, tensor in zip(leaves, self.owners, tensors):
            for p in owners:
                state[p][leaf.name] = tensor
        self.state = tensors

    def is_as_left(self, state: Mapping[Tensor, Any]) -> bool:
        """Return whether the state has the tensors of the last step."""
        return all(
            [
                state.get(p, {}).get(leaf.name) is tensor
                for leaf, owners, tensor in zip(self.structure.leaves, self.owners, self.state)
                for p in owners[:1]
            ]
        )

    def plan(self, update: Update, extra: tuple) -> Any:
        """Return the plan of an update with additional arrays of these avals."""
        key = update.stepped, update.extra, update.skips, extra
        found = self.plans.get(key)
        if found is None:
            found = self.plans[key] = _plan(update, extra)
        return found


def _plan(update: Update, extra: tuple) -> Any:
    try:
        return _shared_plan(update, extra)
    except TypeError:  # a mask cannot be hashed, or the transformation raises this
        return update.plan(extra)


@functools.lru_cache(128)
def _shared_plan(update: Update, extra: tuple) -> Any:
    return update.plan(extra)
