"""Inference tensors: those made in inference mode, of which no history is ever kept.

A tensor is one by the class of its storage. That it must not be saved for backward is a property of the plans of
operators that take it outside of inference mode, which follow from its aval: one of its own for each shape, dtype and
device. So neither writes nor recording ask about it, and nothing is in the way (`_core/seam.py`).
"""

from __future__ import annotations

import functools
import sys
import threading
from typing import Any
from weakref import ref

from torchlike import _errors, _modes
from torchlike._core import Aval, Value
from torchlike._core.seam import Seam
from torchlike._ops import _plan
from torchlike._ops._plan import OpPlan, dependence
from torchlike._storage import WRITE, Storage

_local = _modes.local


class InferenceAval(Aval):
    """What is known of an inference tensor's value."""

    __slots__ = ()


@functools.cache
def _twin(aval: Aval) -> InferenceAval:
    made = InferenceAval()
    made.shape, made.dtype, made.device = aval.shape, aval.dtype, aval.device
    made.ndim, made.numel = aval.ndim, aval.numel
    return made


class InferenceStorage(Storage):
    """What inference tensors share: writable in inference mode only, and without a count of writes for the user."""

    __slots__ = ()
    inference = True

    def put(self, value: Value, since: int | None = None, owner: Any = None, step: int = WRITE) -> None:
        self.check_change(owner)
        super().put(value, since, owner, step)

    def check_change(self, owner: Any) -> None:
        if not _local.inference and getattr(owner, "_counter", None) is None:
            raise _errors.autograd.write_to_inference()

    def leave(self) -> None:
        """At the end of inference mode: from now on operators are to know whose value they get."""
        value = self.value
        if value.__class__ is not Value or value.aval.__class__ is InferenceAval:
            return
        if value.array is not None:  # others may hold it
            self.value = Value(_twin(value.aval), value.array)
            return
        value.aval = _twin(value.aval)


class _Made(threading.local):
    """The storages made in this thread since it entered inference mode."""

    def __init__(self) -> None:
        self.storages: list[ref[InferenceStorage]] = []
        self.limit = 1000

    def add(self, storage: InferenceStorage) -> None:
        self.storages.append(ref(storage))
        if len(self.storages) > self.limit:
            self.storages = [r for r in self.storages if r() is not None]
            self.limit = 1000 + 2 * len(self.storages)


_made = _Made()


def _mark(tensor: Any) -> Any:
    """Make a new tensor an inference tensor, if this thread is in inference mode."""
    storage = tensor._storage
    if _local.inference and storage.__class__ is Storage:
        storage.__class__ = InferenceStorage
        _made.add(storage)
    return tensor


class InferencePlan(OpPlan):
    """The plan of an operator that takes inference tensors: they must not be what its gradient needs."""

    __slots__ = ()

    @property
    def saves_all(self) -> bool:  # type: ignore[override]
        edges = sys._getframe(1).f_locals["edges"]  # of the node that is being made: nobody else asks
        wanted = tuple([i for i, e in enumerate(edges) if e is not None])
        given = tuple([i for i, d in enumerate(self.differentiable) if d])
        if given and any(self.inputs[i].__class__ is InferenceAval for i in dependence(self, wanted, given)):
            raise _errors.autograd.inference_saved()
        return self.saved == tuple(range(len(self.inputs)))

    @saves_all.setter
    def saves_all(self, value: bool) -> None:
        pass


def _plan_of(plan: OpPlan) -> None:
    """Called with each new plan that takes an inference tensor."""
    plan.__class__ = InferencePlan
    if plan.op.family == "view":
        plan.outputs = tuple([_twin(a) if a.__class__ is Aval else a for a in plan.outputs])
        plan.single = plan.outputs[0]


_plan.on_foreign_aval.append(_plan_of)


@functools.cache
def _seams() -> tuple[Seam, ...]:
    from torchlike import _dispatch, _tensor

    plain_tensor_of, plain_wrap = _dispatch._tensor_of, _tensor.wrap

    def tensor_of(*args: Any) -> Any:
        return _mark(plain_tensor_of(*args))

    def wrap(*args: Any) -> Any:
        return _mark(plain_wrap(*args))

    return Seam(plain_tensor_of, tensor_of), Seam(plain_wrap, wrap)


def _switch(on: bool) -> None:
    if not on:
        storages, _made.storages = _made.storages, []
        for held in storages:
            storage = held()
            if storage is not None:
                storage.leave()
    for seam in _seams():
        seam.__enter__() if on else seam.__exit__()


_modes.on_inference_mode.append(_switch)
