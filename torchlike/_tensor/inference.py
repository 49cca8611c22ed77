"""Inference tensors: tensors created in inference mode, which autograd never records.

A tensor is an inference tensor if its storage is an `InferenceStorage`. An inference tensor must not be saved for
backward. The plan of an operator with such an input checks this. Inference tensors have avals of their own class, so
their plans have other keys than those of ordinary tensors. Calls with ordinary tensors therefore need no check.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any
from weakref import ref

from torchlike import _errors
from torchlike._autograd.versions import remembered_inputs
from torchlike._dtypes import modes
from torchlike._dtypes.recorder import Mode, Recorder, both, current, enter, leave
from torchlike._engine import Aval, Value
from torchlike._ops.schema.gradient import dependence
from torchlike._ops.schema.plan import OpPlan
from torchlike._tensor.storage import WRITE, Storage

_local = modes.local


class InferenceAval(Aval):
    """The aval of an inference tensor."""

    __slots__ = ()

    def adapt(self, plan: OpPlan) -> None:
        """Make the plan raise if a node would save the tensor, and make its views inference tensors."""
        if plan.check_node is None:  # otherwise the plan already raises for every node
            plan.check_node = functools.partial(_check_saved, plan)
        if plan.op.family == "view":
            plan.outputs = tuple([_twin(a) if a.__class__ is Aval else a for a in plan.outputs])
            plan.single = plan.outputs[0]


@functools.cache
def _twin(aval: Aval) -> InferenceAval:
    made = InferenceAval()
    made.shape, made.dtype, made.device = aval.shape, aval.dtype, aval.device
    made.ndim, made.numel = aval.ndim, aval.numel
    return made


class InferenceStorage(Storage):
    """The storage of inference tensors. It is writable only in inference mode, and users cannot read its version."""

    __slots__ = ()
    inference = True

    def put(self, value: Value, since: int | None = None, owner: Any = None, step: int = WRITE) -> None:
        self.check_change(owner)
        super().put(value, since, owner, step)

    def check_change(self, owner: Any) -> None:
        if not _local.inference and getattr(owner, "_counter", None) is None:
            raise _errors.autograd.write_to_inference()

    def leave(self) -> None:
        """Mark the current value as that of an inference tensor. Called at the end of inference mode."""
        value = self.value
        if value.__class__ is not Value or value.aval.__class__ is InferenceAval:
            return
        if value.array is not None:  # other references may exist
            self.value = value.twin(_twin(value.aval))
            return
        value.aval = _twin(value.aval)


def _check_saved(plan: OpPlan, edges: Sequence) -> None:
    """Raise for a node that saves an inference tensor in PyTorch too, except inside of a function transform."""
    if _local.transforms:
        return
    wanted = tuple([i for i, e in enumerate(edges) if e is not None])
    given = tuple([i for i, d in enumerate(plan.differentiable) if d])
    if not given:
        return
    needed = dependence(plan, wanted, given).intersection(remembered_inputs(plan, wanted, given))
    if any(plan.inputs[i].__class__ is InferenceAval for i in needed):
        raise _errors.autograd.inference_saved()


class Inference(Mode):
    """The mode of one inference-mode region. Tensors created in it are inference tensors."""

    def __init__(self) -> None:
        self.storages: list[ref[InferenceStorage]] = []
        self.limit = 1000

    def over(self, below: Recorder) -> Recorder:
        """Return a recorder that marks new storages."""
        return below.but(made=both(below.made, self.mark))

    def mark(self, storage: Any) -> None:
        """Turn a new storage into that of an inference tensor."""
        if storage.__class__ is not Storage:
            return
        storage.__class__ = InferenceStorage
        self.storages.append(ref(storage))
        if len(self.storages) > self.limit:
            self.storages = [r for r in self.storages if r() is not None]
            self.limit = 1000 + 2 * len(self.storages)

    def end(self) -> None:
        """Mark the values of all storages created in the region that are still alive."""
        for held in self.storages:
            storage = held()
            if storage is not None:
                storage.leave()


def _switch(on: bool) -> None:
    if on:
        enter(Inference())
        return
    mode = next(mode for mode in reversed(current().modes) if isinstance(mode, Inference))
    leave(mode)
    mode.end()


modes.on_inference_mode.append(_switch)
