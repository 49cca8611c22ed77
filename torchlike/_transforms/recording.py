"""Capture of a function over tensors: its inputs, and the checks on writes to tensors from outside."""

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
    """A recording context: the open recording and the storages created in it."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.made: WeakSet[Storage] = WeakSet()

    def over(self, below: Recorder) -> Recorder:
        """Return a recorder that adds new storages to `made`."""
        return below.but(made=both(below.made, self.made.add))

    def tensor(self, aval: Aval, differentiable: bool, strides: tuple[int, ...] | None = None) -> Tensor:
        """Return a placeholder tensor for a new input."""
        if strides is not None and not is_dense(tuple(aval.shape), strides):
            strides = None
        return wrap(*self.recording.input(aval, differentiable), strides)

    def is_outer(self, storage: Storage) -> bool:
        """Return whether a storage existed before the recording."""
        if storage in self.made:
            return False
        value, sub = storage.value, self.recording.sub
        return value.trace is not sub or value.slot < 0

    def undo_writes(self) -> list[Storage]:
        """Restore the contents of outside storages that were written to. Return these storages."""
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
    """Record the operators in the `with` block as a separate function."""
    scene = Scene(Recording(SubTrace(what, device), next(sequence)))
    hooks = saved_tensor_hooks.local.stack
    with scene.recording.sub, forward_mode.paused():
        # Outer hooks receive the tensors saved by the captured function as a whole, not those of its operators.
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
    """Return whether a leaf of a pytree is an array."""
    return isinstance(x, jax.Array | np.ndarray)


def is_tensor(x: Any) -> bool:
    """Return whether a leaf of a pytree is a tensor."""
    return isinstance(x, Tensor)


def any_requires_grad(tensors: Any) -> bool:
    """Return whether grad mode is on and any of the tensors requires grad."""
    return modes.local.grad and any(t.requires_grad for t in tensors)
