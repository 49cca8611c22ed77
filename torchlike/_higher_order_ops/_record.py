"""Capture of the functions that are passed to control-flow operators, with PyTorch's checks on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from torchlike import _errors
from torchlike._autograd.jax_function import Recording
from torchlike._dtypes import modes
from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.strides import is_dense, normal
from torchlike._engine import Aval
from torchlike._engine.trace.subtrace import Observed, Sampled
from torchlike._higher_order_ops._trees import Tree, flatten
from torchlike._tensor.storage import Storage
from torchlike._tensor.tensor import Tensor, wrap
from torchlike._transforms.jax_operators import Higher, apply
from torchlike._transforms.recording import Scene, is_tensor, recording


class ResultIndex(int):
    """The index of a tensor among the results of a recording."""


class Recorded(NamedTuple):
    """A captured function of tensors, with the container structure of its results."""

    recording: Recording
    leaves: list  # a `ResultIndex` for each tensor; other leaves are unchanged
    tree: Tree
    avals: list[Aval]
    strides: list[tuple[int, ...]]

    def filled(self, results: Sequence[Tensor]) -> Any:
        """Return the result containers of the function, with `results` in place of its own tensors."""
        return self.tree.filled([results[x] if isinstance(x, ResultIndex) else x for x in self.leaves])


class InputProperties(NamedTuple):
    """The properties of an input that a captured function can read."""

    aval: Aval
    requires_grad: bool
    strides: tuple[int, ...] | None

    @staticmethod
    def of(tensor: Tensor) -> InputProperties:
        """Return the properties of `tensor`."""
        return InputProperties(tensor._aval, tensor.requires_grad, tensor._strides)

    @staticmethod
    def of_carried(tensor: Tensor) -> InputProperties:
        """Return the properties of a carried value.

        A carried value requires grad, because results of the function replace it, and these may require grad even if
        the initial value does not.
        """
        return InputProperties(tensor._aval, True, tensor._strides)

    @staticmethod
    def of_slice(tensor: Tensor, carried: bool = False) -> InputProperties:
        """Return the properties of a slice of `tensor` along the first dim. A carried slice requires grad."""
        aval = tensor._aval
        return InputProperties(aval.like(tuple(aval.shape[1:])), carried or tensor.requires_grad, tensor.stride()[1:])


def record(
    name: str,
    role: str,
    function: Callable,
    inputs: Sequence[InputProperties],
    device: Device,
    call: Callable[[Callable, list], Any],
) -> Recorded:
    """Capture `call(function, tensors)`, with placeholder tensors that have the properties `inputs`.

    Raises UncapturedHigherOrderOpError as PyTorch does: if the function reads elements, writes to its inputs or to
    outside tensors, or returns results that share memory with inputs, with outside tensors or with each other. Raises
    `Sampled` if the function samples random numbers.
    """
    with recording(f"{role} of {name}", device) as scene:
        tensors = [scene.tensor(a, modes.local.grad and grad, strides) for a, grad, strides in inputs]
        try:
            leaves, tree = flatten(call(function, list(tensors)))
        except Sampled:
            raise
        except Observed as error:
            raise _errors.control_flow.observed(name, str(error)) from None
        found = [leaf for leaf in leaves if is_tensor(leaf)]
        _check_writes(name, scene, tensors)
        _check_aliases(name, scene, tensors, found)
        scene.recording.finish([tensor._pair() for tensor in found])
    places = iter(range(len(found)))
    leaves = [ResultIndex(next(places)) if is_tensor(leaf) else leaf for leaf in leaves]
    return Recorded(scene.recording, leaves, tree, [t._aval for t in found], [t.stride() for t in found])


def _check_aliases(name: str, scene: Scene, inputs: list[Tensor], results: list[Tensor]) -> None:
    given = {id(tensor._storage) for tensor in inputs}
    seen: set[int] = set()
    for tensor in results:
        storage: Storage = tensor._storage
        if id(storage) in given or scene.is_outer(storage):
            raise _errors.control_flow.aliasing(name, "Input-to-output")
        if id(storage) in seen:
            raise _errors.control_flow.aliasing(name, "Output-to-output")
        seen.add(id(storage))


def _check_writes(name: str, scene: Scene, inputs: list[Tensor]) -> None:
    placeholders = {id(value) for value, _ in scene.recording.inputs}
    changed = any(id(tensor._storage.value) not in placeholders for tensor in inputs)
    if scene.undo_writes() or changed:
        raise _errors.control_flow.mutation(name)


def operate(
    op: Higher, tensors: Sequence[Tensor], recorded: Sequence[Recorded], strides: Sequence[tuple[int, ...]] = ()
) -> list[Tensor]:
    """Record one operator on tensors and captured functions. Return its results, with `strides` if these are dense."""
    if not any(each.avals for each in recorded):
        return []
    given = [(tensor._pair() if modes.local.grad else (tensor._pair()[0], None)) for tensor in tensors]
    made = [wrap(*pair) for pair in apply(op, given, [each.recording for each in recorded])]
    for tensor, steps in zip(made, strides):
        shape = tuple(tensor.shape)
        tensor._strides = tensor._storage.strides = normal(shape, steps) if is_dense(shape, steps) else None
    return made


def device_of(tensors: Sequence[Any]) -> Device:
    """Return the device of the first tensor, or the default device if there is none."""
    return next((t.device for t in tensors), modes.get_default_device())


def differences(a: Recorded, given: Sequence[Tensor], count: int) -> list[str]:
    """Describe, in PyTorch's wording, how results differ from the tensors that they replace.

    The first `count` results are compared by shape, dtype and device.
    """
    found = []
    for i, (kind, tensor) in enumerate(zip(a.avals[:count], given)):
        parts = [
            f"'{what}: {x} vs {y}'"
            for what, x, y in (
                ("shape", kind.shape, tensor.shape),
                ("dtype", kind.dtype, tensor.dtype),
                ("device", kind.device, tensor.device),
            )
            if x != y
        ]
        if parts:
            found.append(f"pair[{i}] differ in {', '.join(parts)}")
    return found
