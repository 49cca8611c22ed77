"""`torch.export.export`: a module's forward as a program that does not need its source."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

import torchlike
from torchlike._dynamo.exc import UserError
from torchlike._engine.heap import without_cycles
from torchlike._engine.report import log
from torchlike._engine.trace.plan import specs
from torchlike._engine.trace.subtrace import Observed, Sampled
from torchlike._transforms.recording import is_tensor
from torchlike.export._comparisons import branches
from torchlike.export._generalize import DependsOnSizeError, generalized
from torchlike.export._graph import graph_of
from torchlike.export._listing import listed
from torchlike.export._program import ExportedProgram
from torchlike.export._record import Forward, Recorded, avals, record
from torchlike.export._saved import Saved
from torchlike.export._shapes import Sizes, sizes_of
from torchlike.export._steps import Constant, Program
from torchlike.utils import _pytree as pytree

PLATFORMS = ("cpu", "cuda", "tpu")


def export(
    mod: torchlike.nn.Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Mapping[str, Any] | Sequence[Any] | None = None,
    strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
    platforms: Sequence[str] = PLATFORMS,
) -> ExportedProgram:
    """Return a module's forward as an `ExportedProgram`: a graph, the parameters, and a program in StableHLO.

    Forward is recorded once at the sizes of the example inputs. With `dynamic_shapes` it is also recorded at two other
    sizes and at the limits that the dims declare. Every integer that differs between the recordings becomes a formula
    of the sizes. No recording computes anything.

    Args:
      mod: the module. Its training mode is that of the program.
      args: the example inputs, a tuple. Tensors may stand in tuples, lists, dicts and registered containers.
      kwargs: the example inputs by name.
      dynamic_shapes: which dims vary: a dict from the parameters of forward, or a sequence for its inputs. Each item is
        None, a dict from dims to `Dim`s, or a sequence with a `Dim`, `Dim.AUTO` or None for each dim, and for
        containers a container of such items. None: all sizes are fixed.
      strict: has no effect. PyTorch traces the same graph in both modes.
      preserve_module_call_signature: not supported; must be empty.
      prefer_deferred_runtime_asserts_over_guards: has no effect, because there are no guards.
      platforms: the platforms that the program can run on; not an argument of PyTorch.

    Returns:
      The exported program.

    Raises:
      RuntimeError: forward reads elements (`item()`, `if` on a tensor), samples random numbers, or its operators depend
        on a size that varies.
      UserError: `args` is not a tuple.
      ValueError: `mod` is not a module, or `dynamic_shapes` does not fit the inputs.

    >>> import torchlike as torch
    >>> batch = torch.export.Dim("batch")
    >>> program = torch.export.export(torch.nn.Linear(3, 2), (torch.ones(4, 3),), dynamic_shapes=({0: batch},))
    >>> program.module()(torch.ones(7, 3)).shape
    torch.Size([7, 2])
    """
    if not isinstance(mod, torchlike.nn.Module):
        raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(mod)}.")
    if not isinstance(args, tuple):
        raise UserError(f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}")
    if preserve_module_call_signature:
        raise NotImplementedError("torchlike does not support export(preserve_module_call_signature=...)")
    kwargs = dict(kwargs or {})
    tensors = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if is_tensor(leaf)]
    sizes = sizes_of(mod.forward, args, kwargs, dynamic_shapes, tensors)
    made = exported_at(mod, args, kwargs, sizes, platforms)
    _check_branches(Forward(mod), args, kwargs, sizes)
    return made


def _check_branches(forward: Forward, args: tuple, kwargs: dict, sizes: Sizes) -> None:
    """Raise an error if a comparison of sizes has another result at declared sizes that were not recorded."""
    if not sizes.dims:
        return
    try:
        found = branches(forward, args, kwargs, sizes)
    except Exception as error:  # forward does not accept the tensors and sizes that record comparisons
        log.logger.debug("the comparisons of %s are not checked", forward.what, exc_info=error)
        return
    for branch in found:
        samples = [*sizes.samples(), branch.sizes]
        try:
            _program(forward, _recorded(forward, args, kwargs, sizes, samples), sizes, samples)
        except Exception as error:
            advice = "Declare the sizes at which it holds (Dim(min=..., max=...))"
            raise _depends(forward, sizes, f"{branch.text}. {advice}") from error


def _program(forward: Forward, recorded: list[Recorded], sizes: Sizes, samples: list[dict[str, int]]) -> Program:
    weights = [tuple(tensor.shape) for tensor in forward.tensors.values()]
    return generalized(recorded, [*weights, *sizes.shapes], samples)


def exported_at(
    mod: torchlike.nn.Module, args: tuple, kwargs: dict, sizes: Sizes, platforms: Sequence[str] = PLATFORMS
) -> ExportedProgram:
    """Return the program of a module whose tensor inputs have these sizes."""
    forward = Forward(mod)
    leaves, tree = pytree.tree_flatten((args, kwargs))
    tensors = [leaf for leaf in leaves if is_tensor(leaf)]
    recorded = _recorded(forward, args, kwargs, sizes, sizes.samples())
    try:
        program = _program(forward, recorded, sizes, sizes.samples())
    except DependsOnSizeError as error:
        raise _depends(forward, sizes, f"{error}. Keep such branches and constants out of forward") from None
    names, places = _input_names(mod, args, kwargs)
    graph, signature = graph_of(program, forward, names, leaves, recorded[0])
    lifted = {f"c_lifted_tensor_{i}": np.asarray(c) for i, c in enumerate(_plain(program))}
    try:
        exported, shapes = _lowered(program, forward, tensors, sizes, list(lifted.values()), platforms)
    except (jax.errors.InconclusiveDimensionOperation, TypeError, ValueError) as error:
        if not sizes.dims:
            raise
        raise _depends(forward, sizes, str(error).splitlines()[0]) from error
    first = recorded[0]
    saved = Saved(
        exported, tree, first.tree, leaves, first.results, first.written, places, sizes, lifted, listed(program, shapes)
    )
    state = {name: tensor.detach() for name, tensor in forward.tensors.items()}
    return ExportedProgram(saved, state, [*forward.parameters], graph, signature)


def _depends(forward: Forward, sizes: Sizes, reason: str) -> RuntimeError:
    varying = ", ".join(sizes.dims)
    return RuntimeError(
        f"torchlike cannot export {forward.what} for varying {varying}: {reason}, or fix the size (Dim.STATIC)."
    )


def _recorded(
    forward: Forward, args: tuple, kwargs: dict, sizes: Sizes, samples: list[dict[str, int]]
) -> list[Recorded]:
    lifts = bool(sizes.dims)
    try:
        return [record(forward, args, kwargs, sizes.at(sample), lifts) for sample in samples]
    except Sampled:
        raise
    except Observed:
        if not lifts:
            raise
        # Forward may read a constant, such as `torch.tensor(2.0).item()`. Without lifting, constants can be read.
        return [record(forward, args, kwargs, sizes.at(sample), False) for sample in samples]


def _plain(program: Program) -> list:
    return [c for c in program.constants if not isinstance(c, Constant)]


def _lowered(
    program: Program, forward: Forward, tensors: list, sizes: Sizes, lifted: list, platforms: Sequence[str]
) -> tuple[Any, list[tuple]]:
    """Return the program in StableHLO, as `jax.export` makes it, and the shapes of the results of its steps."""
    symbols: dict[str, Any] = {}
    if sizes.dims:
        bounds = [f"{name} >= {dim.min}" for name, dim in sizes.dims.items()]
        bounds += [f"{name} <= {dim.max}" for name, dim in sizes.dims.items() if dim.max is not None]
        found = jax.export.symbolic_shape(", ".join(sizes.dims), constraints=bounds)
        symbols = dict(zip(sizes.dims, found))
    weights = specs(avals(forward.tensors), ())
    inputs = [jax.ShapeDtypeStruct(shape, t.dtype.numpy) for shape, t in zip(sizes.at(symbols), tensors)]
    constants = [jax.ShapeDtypeStruct(c.shape, c.dtype) for c in lifted]

    shapes: list[tuple] = []

    def run(weights: list, constants: list, inputs: list) -> list:
        shapes.clear()  # JAX may trace it again
        return program.run([*weights, *inputs], constants, shapes)

    with without_cycles():
        exported = jax.export.export(jax.jit(run), platforms=tuple(platforms))(weights, constants, inputs)
    return exported, shapes


def _input_names(mod: Any, args: tuple, kwargs: dict) -> tuple[list[str], list[str]]:
    """Return, for each leaf of the inputs, its name in the graph and its expression, such as `x['a'][0]`."""
    names: list[str] = []
    places: list[str] = []
    for name, value in inspect.signature(mod.forward).bind(*args, **kwargs).arguments.items():
        paths = [path for path, _ in pytree.tree_flatten_with_path(value)[0]]
        names += [name] if paths == [()] else [f"{name}_{i}" for i in range(len(paths))]
        places += [name + pytree.keystr(path) for path in paths]
    return names, places
