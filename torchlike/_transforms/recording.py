"""Recording a function over tensors: what it is given, and what it may not do to tensors from outside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

import jax
import numpy as np

from torchlike._autograd.jax_function import Recording
from torchlike._autograd.nodes import sequence
from torchlike._dtypes import modes
from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.recorder import Mode, Recorder, both, enter, leave
from torchlike._dtypes.strides import is_dense
from torchlike._engine import Aval
from torchlike._engine.trace.subtrace import SubTrace
from torchlike._tensor.storage import Storage
from torchlike._tensor.tensor import Tensor, wrap
from torchlike._transforms import forward_mode, saved_tensor_hooks


class Scene(Mode):
    """A recording under way, and the storages that were made in it."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.made: WeakSet[Storage] = WeakSet()

    def over(self, below: Recorder) -> Recorder:
        """The recorder that tells of new storages."""
        return below.but(made=both(below.made, self.made.add))

    def tensor(self, aval: Aval, differentiable: bool, strides: tuple[int, ...] | None = None) -> Tensor:
        """A new input."""
        if strides is not None and not is_dense(tuple(aval.shape), strides):
            strides = None
        return wrap(*self.recording.input(aval, differentiable), strides)

    def is_outer(self, storage: Storage) -> bool:
        """Whether a storage was there before."""
        if storage in self.made:
            return False
        value, sub = storage.value, self.recording.sub
        return value.trace is not sub or value.slot < 0

    def undo_writes(self) -> list[Storage]:
        """Give the storages from outside that were written to what they had; returns them."""
        found, sub = [], self.recording.sub
        for held, old in sub.written.values():
            storage = held()
            if storage is None or storage in self.made or (old.trace is sub and old.slot >= 0):
                continue
            storage.value = old
            found.append(storage)
        return found


@contextmanager
def recording(what: str, device: Device) -> Iterator[Scene]:
    """Record what is done inside as a function of its own."""
    scene = Scene(Recording(SubTrace(what, device), next(sequence)))
    hooks = saved_tensor_hooks.local.stack
    with scene.recording.sub, forward_mode.paused():
        # Hooks outside get the tensors that the recorded function saves as a whole, not those of its parts.
        saved_tensor_hooks.local.stack = ()
        enter(scene)
        try:
            yield scene
        except BaseException:
            scene.undo_writes()
            raise
        finally:
            leave(scene)
            saved_tensor_hooks.local.stack = hooks


def is_array(x: Any) -> bool:
    """Whether a leaf of a tree is an array for JAX."""
    return isinstance(x, jax.Array | np.ndarray)


def is_tensor(x: Any) -> bool:
    """Whether a leaf of a tree is a tensor."""
    return isinstance(x, Tensor)


def any_requires_grad(tensors: Any) -> bool:
    """Whether gradients are recorded, and reach any of these."""
    return modes.local.grad and any(t.requires_grad for t in tensors)
