"""Recording of a module's forward at given sizes."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np

from torchlike import _errors
from torchlike._autograd.jax_function import Recording
from torchlike._dtypes import modes
from torchlike._dtypes.modes import no_grad
from torchlike._dtypes.recorder import Mode, Recorder, both, enter, leave
from torchlike._engine import Aval, aval
from torchlike._engine.trace.plan import specs
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.recording import Scene, is_tensor, recording
from torchlike.jax._functional import check_aliases, standing_in, training, written
from torchlike.utils import _pytree as pytree


class _Mark(enum.Enum):
    TENSOR = "TENSOR"

    def __repr__(self) -> str:
        return self.name


TENSOR: Any = _Mark.TENSOR  # stands for a tensor among the leaves of a result


class Forward:
    """A module whose forward is recorded: its parameters and buffers, and their names."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.parameters = dict(module.named_parameters())
        self.buffers = dict(module.named_buffers())
        self.tensors = {**self.parameters, **self.buffers}
        self.trains = [(part, part.training) for part in module.modules()]
        self.device = next((t.device for t in self.tensors.values()), modes.get_default_device())
        self.what = f"{type(module).__name__}.forward"


class Recorded(NamedTuple):
    """One recording of a forward."""

    recording: Recording
    results: list  # the leaves of the result, with TENSOR in place of each tensor
    tree: Any  # the structure of the result
    written: list[str]  # the buffers that forward writes to
    constants: list[np.ndarray]  # the arrays that forward makes, which are the last inputs of the recording


class _Resizing(Mode):
    """A mode that records operators that have no effect at these sizes, but have one at other sizes.

    With `lifts`, every new constant becomes an input of the recording, so that computations with it are recorded.
    """

    def __init__(self, scene: Scene, lifts: bool) -> None:
        self.scene, self.lifts, self.arrays = scene, lifts, []

    def over(self, below: Recorder) -> Recorder:
        return below.but(made=both(below.made, self._made) if self.lifts else below.made, resizes=True)

    def _made(self, storage: Any) -> None:
        value = storage.value
        if isinstance(value.array, np.ndarray):
            self.arrays.append(value.array)
            storage.value = self.scene.recording.input(value.aval, False)[0]


def record(
    forward: Forward,
    args: tuple,
    kwargs: dict,
    shapes: Sequence[tuple],
    lifts: bool,
    mark: Callable[[Any], Any] = lambda inputs: inputs,
) -> Recorded:
    """Record a forward whose tensor inputs have these shapes.

    With `lifts`, constants become inputs. `mark` returns the inputs as forward receives them.
    """
    leaves, tree = pytree.tree_flatten((args, kwargs))
    device, tensors = forward.device, forward.tensors
    with ExitStack() as stack:
        stack.enter_context(no_grad())
        scene = stack.enter_context(recording(forward.what, device))
        stack.enter_context(training(forward.trains))
        stack.enter_context(standing_in(scene, tensors, iter(specs(avals(tensors), ()))))
        given = iter(shapes)
        inputs = [_input(scene, leaf, next(given)) if is_tensor(leaf) else leaf for leaf in leaves]
        resizing = _Resizing(scene, lifts)
        enter(resizing)
        stack.callback(leave, resizing)
        inner_args, inner_kwargs = mark(pytree.tree_unflatten(inputs, tree))
        results, out_tree = pytree.tree_flatten(forward.module(*inner_args, **inner_kwargs))
        changed = written(scene, tensors)
        pairs = [leaf._pair() for leaf in results if is_tensor(leaf)]
        scene.recording.finish([*pairs, *changed.values()])
    check_aliases(forward.what, scene, tensors)
    if scene.undo_writes():
        raise _errors.recording.impure(forward.what, "writes to a tensor that is neither a parameter nor a buffer")
    shown = [TENSOR if is_tensor(leaf) else leaf for leaf in results]
    return Recorded(scene.recording, shown, out_tree, list(changed), resizing.arrays)


def _input(scene: Scene, tensor: Tensor, shape: tuple) -> Tensor:
    return scene.tensor(aval(shape, tensor.dtype, tensor.device), True)


def avals(tensors: Mapping[str, Tensor]) -> list[Aval]:
    """Return the avals of tensors."""
    return [tensor._aval for tensor in tensors.values()]
