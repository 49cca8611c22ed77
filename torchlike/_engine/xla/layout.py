"""Layouts of programs over the mesh: the shardings of inputs and results, and the compile.

An input has the sharding of its array. The state of a program (parameters, buffers, gradients, optimizer state) has the
sharding that the rules of the mesh prescribe, both as an input and as a result. XLA chooses the shardings of all other
results.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.sharding import NamedSharding

from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.devices import to_jax
from torchlike._dtypes.precision import switches
from torchlike._engine.trace.trace import Trace, operators
from torchlike._engine.xla.constraints import constrained
from torchlike._engine.xla.lowering import Lowering
from torchlike._engine.xla.mesh import GlobalMesh, active
from torchlike._engine.xla.target import at_precision, tracing_for

SMALL = 1 << 16  # bytes; a host array up to this size is passed to a program on the CPU, which puts it on each device


class SharedLayout(NamedTuple):
    """Inputs and results of an operator that share a layout, such as a parameter, its gradient and its state."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class Layout(NamedTuple):
    """The shardings of a program: part of its key.

    Attributes:
      mesh: the axes of the mesh.
      inputs: the shardings of the inputs.
      outputs: the shardings of the results; None if XLA decides.
    """

    mesh: tuple
    inputs: tuple[NamedSharding, ...]
    outputs: tuple[NamedSharding | None, ...]


def layout_of(
    device: Device, trace: Trace, live: Sequence[int], known: Mapping[int, NamedSharding] | None = None
) -> Layout | None:
    """Return the layout of the program of a trace, or None without a mesh.

    Args:
      device: the device of the trace.
      trace: the trace.
      live: the slots of the results.
      known: the shardings of some inputs.
    """
    mesh = active.over(device)
    if mesh is None:
        return None
    inputs, results = _shardings(mesh, trace, known or {})
    return Layout(tuple(mesh.axes.items()), tuple(inputs), tuple([results.get(slot) for slot in live]))


def _shardings(
    mesh: GlobalMesh, trace: Trace, known: Mapping[int, NamedSharding]
) -> tuple[list[NamedSharding], dict[int, NamedSharding]]:
    """Return the shardings of the inputs of a trace, and those of results that are known, by slot."""
    wanted = mesh.wanted()
    inputs = [value and wanted.get(id(value)) for value in [r() for r in trace.inputs]]
    for i, sharding in known.items():
        inputs[i] = sharding
    results = _follow(mesh, trace, inputs, wanted)
    return [sharding or _own(mesh, array) for sharding, array in zip(inputs, trace.arrays)], results


def _own(mesh: GlobalMesh, array: Any) -> NamedSharding:
    """Return the sharding of an input for which there is no rule.

    A large host array with the size of a batch, such as the mask of a dropout, is sharded as the batch.
    """
    own = mesh.sharding_of(array)
    if own is not None:
        return own
    return mesh.batch if mesh.is_led(array.shape) and array.nbytes > SMALL else mesh.replicated


def _place(mesh: GlobalMesh, trace: Trace, shardings: Sequence[NamedSharding], donated: Sequence[int]) -> None:
    """Put the inputs of a trace on the mesh. Their Values then have the new arrays."""
    limit = SMALL if mesh.device.type == "cpu" else -1
    for i, (array, sharding) in enumerate(zip(trace.arrays, shardings)):
        is_small = array.__class__ is np.ndarray and array.nbytes <= limit
        if is_small and sharding is mesh.replicated and i not in donated:
            continue
        moved = mesh.put(array, sharding)
        if moved is not array:
            trace.arrays[i] = moved
            owner = trace.inputs[i]()
            if owner is not None:
                owner.array = moved


def place(
    device: Device,
    trace: Trace,
    donated: Sequence[int],
    known: Callable[[GlobalMesh], Mapping[int, NamedSharding]],
) -> None:
    """Put the inputs of a trace on the mesh, if there is one. `known` returns the shardings of some inputs."""
    mesh = active.over(device)
    if mesh is not None:
        _place(mesh, trace, _shardings(mesh, trace, known(mesh))[0], donated)


def _follow(
    mesh: GlobalMesh, trace: Trace, inputs: list[NamedSharding | None], wanted: Mapping[int, NamedSharding]
) -> dict[int, NamedSharding]:
    """Return the shardings of results by slot, and set those of the inputs of operators with shared layouts."""
    results = {}
    for slot, r in enumerate(trace.results):
        value = r()
        if value is not None and id(value) in wanted:
            results[slot] = wanted[id(value)]
    _add_written(mesh, trace, inputs, results)
    first = 0
    for plan, slots in operators(trace.code):
        for group in plan.shared_layouts:
            given, made = [slots[i] for i in group.inputs], [first + i for i in group.outputs]
            sharding = _shared_sharding(mesh, trace, [*given, *made], inputs, results)
            if sharding is not None:
                results |= dict.fromkeys(made, sharding)
                for slot in given:
                    if slot < 0:
                        inputs[~slot] = inputs[~slot] or sharding
        first += len(plan.outputs)
    return results


def _add_written(
    mesh: GlobalMesh, trace: Trace, inputs: Sequence[NamedSharding | None], results: dict[int, NamedSharding]
) -> None:
    """Add the shardings of results that replace the contents of a storage: those of the old contents."""
    first: dict[Any, Any] = {}  # the contents at the beginning, by storage
    for storage, old, slot in trace.puts:
        if storage() is None:  # a reference to a freed storage has no hash
            continue
        held = first.setdefault(storage, old)
        value = trace.results[slot]()
        if isinstance(held, int):
            array, sharding = (trace.arrays[~held], inputs[~held]) if held < 0 else (None, results.get(held))
        else:
            array, sharding = held.array, None
        sharding = sharding or mesh.sharding_of(array)
        if sharding is not None and value is not None and (array is None or array.shape == value.aval.shape):
            results.setdefault(slot, sharding)


def _shared_sharding(
    mesh: GlobalMesh,
    trace: Trace,
    slots: Sequence[int],
    inputs: Sequence[NamedSharding | None],
    results: Mapping[int, NamedSharding],
) -> NamedSharding | None:
    """Return the sharding of a shared layout: the first known sharding of its slots, which begin with the parameter."""
    for slot in slots:
        found = results.get(slot) if slot >= 0 else inputs[~slot]
        if found is not None:
            return found
    if slots[0] >= 0:
        return None
    return mesh.sharding_of(trace.arrays[~slots[0]]) or mesh.replicated


class CompileLayout(NamedTuple):
    """The layout of a program that is about to be compiled.

    Attributes:
      mesh: the mesh.
      inputs: the shardings of the inputs.
      outputs: the shardings of the results; None if XLA decides.
      donated: the inputs in the first argument of the program.
      code: the code of the trace, with constraints.
    """

    mesh: GlobalMesh
    inputs: Sequence[NamedSharding]
    outputs: Sequence[NamedSharding | None]
    donated: Sequence[int]
    code: tuple

    def place(self, trace: Trace) -> None:
        """Put the inputs of a trace of this program on the mesh."""
        _place(self.mesh, trace, self.inputs, self.donated)

    def executable(self, device: Device, function: Callable, *given: Sequence[Any], **options: Any) -> MeshExecutable:
        """Compile a function for the mesh (see `executor.executable`)."""
        inputs, outputs = self.inputs, list(self.outputs)
        kept = [sharding for i, sharding in enumerate(inputs) if i not in set(self.donated)]
        shardings = [inputs[i] for i in self.donated], kept, [self.mesh.replicated] * len(given[2])
        with tracing_for(to_jax(device).platform), at_precision(switches.of[device.type]):
            jitted = jax.jit(function, donate_argnums=0, in_shardings=shardings, out_shardings=outputs, **options)
            with warnings.catch_warnings():
                # JAX frees a donated array that no result can reuse, because their shardings differ. This is harmless.
                warnings.filterwarnings("ignore", "Some donated buffers were not usable")
                return MeshExecutable(self.mesh, Lowering(jitted, to_jax(device).platform, *given), shardings)


def layout_to_compile(
    device: Device, trace: Trace, live: Sequence[int], donated: Sequence[int]
) -> CompileLayout | None:
    """Return the layout of the program of a trace whose inputs are on the mesh, or None without a mesh."""
    mesh = active.over(device)
    if mesh is None:
        return None
    inputs, results = _shardings(mesh, trace, {})
    code = tuple(constrained(mesh, trace.code, inputs, results))
    return CompileLayout(mesh, inputs, [results.get(slot) for slot in live], donated, code)


class MeshExecutable:
    """A program that was compiled for the mesh. Its arguments are moved to the shardings of the program if needed."""

    def __init__(self, mesh: GlobalMesh, lowering: Lowering, shardings: tuple) -> None:
        self._mesh, self.shardings = mesh, shardings
        self.compiled = lowering.compile()

    def __call__(self, *given: Sequence[Any]) -> list:
        moved = [
            [x if x.__class__ is np.ndarray else self.aligned(x, sharding) for x, sharding in zip(*pair)]
            for pair in zip(given, self.shardings)
        ]
        return self.compiled(*moved)

    def aligned(self, array: Any, sharding: NamedSharding) -> jax.Array:
        """Return the array, moved to this sharding over the mesh if it has another one."""
        return self._mesh.put(array, sharding)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.compiled, name)  # JAX's `memory_analysis`, `as_text`, ...


def shared_layouts_of_update(
    lengths: Sequence[int], written: Sequence[int], alone: int, shapes: Sequence[tuple]
) -> Iterator[SharedLayout]:
    """Yield the shared layouts of an update of many tensors. The i-th layout is that of the i-th tensor of each column.

    Args:
      lengths: the number of tensors in each column.
      written: the columns that are written.
      alone: the number of layouts whose tensors are not concatenated.
      shapes: the shapes of all tensors.
    """
    begins = [sum(lengths[:c]) for c in range(len(lengths))]
    for i in range(alone):
        like = [begin + i for begin in begins if shapes[begin + i] == shapes[i]]
        outputs = [sum(lengths[c] for c in written[:n]) + i for n in range(len(written))]
        yield SharedLayout(
            tuple(like), tuple([at for at, c in zip(outputs, written) if shapes[begins[c] + i] == shapes[i]])
        )
    # Concatenated state keeps its layout.
    for n, c in enumerate(written):
        if lengths[c] < lengths[0]:
            begin = sum(lengths[other] for other in written[:n])
            yield from [SharedLayout((begins[c] + i,), (begin + i,)) for i in range(alone, lengths[c])]
