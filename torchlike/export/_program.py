"""Exported programs, and the modules that run them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import numpy as np

import torchlike
from torchlike import fx
from torchlike._dtypes import from_numpy
from torchlike._internal import Value, aval, wrap
from torchlike._transforms.recording import is_tensor
from torchlike.export._record import TENSOR
from torchlike.export._shapes import Sizes
from torchlike.export.graph_signature import ExportGraphSignature
from torchlike.jax._arrays import array_of
from torchlike.utils import _pytree as pytree


class Saved(NamedTuple):
    """What the file of an exported program contains beside the state dict and the graph.

    Attributes:
      exported: the program in StableHLO. It takes the parameters and buffers, the constants, and the tensor inputs.
      in_spec, out_spec: the structures of the inputs (args, kwargs) and of the result.
      leaves: the leaves of the example inputs.
      results: the leaves of the result, with TENSOR in place of each tensor.
      written: the buffers that the program replaces, which are its last results.
      names: for each leaf of the inputs, its expression in terms of the parameters of forward, such as `x['a']`.
      sizes: the varying dims.
      constants: the constant arrays by name.
    """

    exported: Any
    in_spec: Any
    out_spec: Any
    leaves: list
    results: list
    written: list[str]
    names: list[str]
    sizes: Sizes
    constants: dict[str, np.ndarray]


class ExportedProgram:
    """A program that `torch.export.export` or `torch.export.load` made.

    Attributes:
      graph: the graph, for reading.
      graph_signature: its inputs and outputs.
      state_dict: the parameters and buffers.
    """

    def __init__(
        self,
        saved: Saved,
        state: dict[str, Any],
        parameters: list[str],
        graph: fx.Graph | None,
        signature: ExportGraphSignature,
        code: str = "",
    ) -> None:
        self._saved, self._parameters, self._code = saved, parameters, code
        self.state_dict, self.graph, self.graph_signature = state, graph, signature

    @property
    def constants(self) -> dict[str, Any]:
        """The constant tensors by name."""
        return {name: torchlike.from_numpy(array.copy()) for name, array in self._saved.constants.items()}

    @property
    def example_inputs(self) -> Any:
        """The example inputs as (args, kwargs), or None after `load`."""
        if any(isinstance(leaf, Input) for leaf in self._saved.leaves):
            return None
        return pytree.tree_unflatten(self._saved.leaves, self._saved.in_spec)

    @property
    def call_spec(self) -> Any:
        """The structures of the inputs and of the result."""
        return _CallSpec(self._saved.in_spec, self._saved.out_spec)

    @property
    def range_constraints(self) -> dict[str, tuple[int, int | None]]:
        """The least and the greatest size of each varying dim."""
        return {name: (dim.min, dim.max) for name, dim in self._saved.sizes.dims.items()}

    @property
    def graph_module(self) -> fx.GraphModule:
        """The graph as a module whose code can be printed. Use `module()` to run the program."""
        if self.graph is None:
            raise NotImplementedError("a loaded program has no graph; it has StableHLO: exported.stablehlo()")
        root = torchlike.nn.Module()
        for name, tensor in self.constants.items():
            root.register_buffer(name, tensor)
        return fx.GraphModule(root, self.graph)

    def named_parameters(self) -> Any:
        """Yield the name and the value of each parameter."""
        yield from ((name, self.state_dict[name]) for name in self._parameters)

    def parameters(self) -> Any:
        """Yield the parameters."""
        yield from (tensor for _, tensor in self.named_parameters())

    def named_buffers(self) -> Any:
        """Yield the name and the value of each buffer."""
        known = set(self._parameters)
        yield from ((name, tensor) for name, tensor in self.state_dict.items() if name not in known)

    def buffers(self) -> Any:
        """Yield the buffers."""
        yield from (tensor for _, tensor in self.named_buffers())

    def module(self) -> torchlike.nn.Module:
        """Return a module that runs the program with parameters and buffers of its own."""
        return ExportedModule(self._saved, self.state_dict, self._parameters)

    def run_decompositions(
        self, decomp_table: Any = None, decompose_custom_triton_ops: bool = False
    ) -> ExportedProgram:
        """Return this program. Its operators are those of StableHLO already.

        Args:
          decomp_table: must be None or empty.
          decompose_custom_triton_ops: must be False.
        """
        if decomp_table or decompose_custom_triton_ops:
            raise NotImplementedError("torchlike does not support run_decompositions(decomp_table=...)")
        return self

    def jax(self) -> tuple[dict[str, jax.Array], Callable]:
        """Return the parameters and buffers as JAX arrays, and the program as a function of JAX.

        `call(state, *args, **kwargs)` takes and returns arrays in the containers of the module's forward. It can be
        called in `jax.jit`. If the program replaces buffers, the result is `(result, buffers)`.
        """
        saved, names = self._saved, list(self.state_dict)

        def call(state: Mapping[str, Any], /, *args: Any, **kwargs: Any) -> Any:
            leaves = _checked(saved, args, kwargs)
            inputs = [leaf for leaf, example in zip(leaves, saved.leaves) if _is_input(example)]
            found = saved.exported.call([state[name] for name in names], [*saved.constants.values()], inputs)
            result, changed = _result(saved, found)
            return (result, changed) if saved.written else result

        return {name: array_of(tensor._value) for name, tensor in self.state_dict.items()}, call

    def stablehlo(self) -> str:
        """Return the program's StableHLO as text."""
        return self._saved.exported.mlir_module()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise RuntimeError, as in PyTorch."""
        raise RuntimeError(
            "Unable to call ExportedProgram directly. You should use `exported_program.module()` instead."
        )

    @property
    def code(self) -> str:
        """The graph as the text of a function."""
        return self._code if self.graph is None else self.graph.python_code("self").src.strip()

    def __str__(self) -> str:
        lines = self.code.replace("\n", "\n        ")
        return (
            f"ExportedProgram:\n    class GraphModule(torch.nn.Module):\n        {lines}\n\n"
            f"Graph signature: {self.graph_signature}\nRange constraints: {self.range_constraints}\n"
        )


class _CallSpec(NamedTuple):
    in_spec: Any
    out_spec: Any


class Input(NamedTuple):
    """A tensor among the example inputs of a loaded program."""

    shape: tuple
    dtype: Any


def _is_input(example: Any) -> bool:
    return is_tensor(example) or isinstance(example, Input)


class ExportedModule(torchlike.nn.Module):
    """A module that runs an exported program. Its parameters and buffers have their original names."""

    def __init__(self, saved: Saved, state: Mapping[str, Any], parameters: list[str]) -> None:
        super().__init__()
        object.__setattr__(self, "_saved", saved)
        self._names = list(state)
        for name, tensor in state.items():
            _place(self, name, tensor.detach().clone(), name in set(parameters))
        self._call = jax.jit(saved.exported.call)
        self._constants = [array_of(torchlike.from_numpy(a)._value) for a in saved.constants.values()]

    @classmethod
    def over(cls, other: ExportedModule, program: ExportedProgram) -> ExportedModule:
        """Return a module that runs another program with the parameters and buffers of `other`."""
        made = cls(program._saved, {}, [])
        made.__dict__.update({name: other.__dict__[name] for name in ("_parameters", "_buffers", "_modules")})
        made._names = list(program.state_dict)
        return made

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program.

        Args:
          args, kwargs: the inputs of the exported forward, with its sizes where they do not vary.

        Raises:
          ValueError: the inputs have another structure or dtype, or a constant differs.
          AssertionError: a size does not fit.
        """
        saved = self._saved
        leaves = _checked(saved, args, kwargs)
        tensors = [leaf for leaf, example in zip(leaves, saved.leaves) if _is_input(example)]
        own = {**dict(self.named_parameters()), **dict(self.named_buffers())}
        weights = [array_of(own[name]._value) for name in self._names]
        found = self._call(weights, self._constants, [array_of(t._value) for t in tensors])
        device = tensors[0].device if tensors else next(iter(own.values())).device
        result, changed = _result(saved, [_tensor(array, device) for array in found])
        with torchlike.no_grad():
            for name, tensor in changed.items():
                own[name].copy_(tensor)
        return result

    def train(self, mode: bool = True) -> Any:
        """Raise NotImplementedError: the mode was fixed by the export."""
        raise NotImplementedError("Calling train() is not supported yet.")

    def eval(self) -> Any:
        """Raise NotImplementedError: the mode was fixed by the export."""
        raise NotImplementedError("Calling eval() is not supported yet.")


def _place(module: torchlike.nn.Module, name: str, tensor: Any, is_parameter: bool) -> None:
    *path, last = name.split(".")
    for part in path:
        if part not in module._modules:
            module.add_module(part, torchlike.nn.Module())
        module = module._modules[part]  # type: ignore[assignment]
    if is_parameter:
        module.register_parameter(last, torchlike.nn.Parameter(tensor, requires_grad=tensor.is_floating_point()))
    else:
        module.register_buffer(last, tensor)


def _tensor(array: Any, device: Any) -> Any:
    return wrap(Value(aval(array.shape, from_numpy(np.dtype(array.dtype)), device), array))


def _checked(saved: Saved, args: tuple, kwargs: dict) -> list:
    """Return the leaves of the inputs of a call. Raise `ValueError` if they do not fit the program."""
    leaves, spec = pytree.tree_flatten((args, kwargs))
    if not _is_alike(spec, saved.in_spec):
        raise ValueError(
            "Trying to flatten user inputs with exported input tree spec: \n"
            f"{saved.in_spec}\nbut actually got inputs with tree spec of: \n{spec}"
        )
    shapes = iter(saved.sizes.shapes)
    seen: dict[str, tuple[int, str]] = {}
    for name, leaf, example in zip(saved.names, leaves, saved.leaves):
        if _is_input(example):
            _check_input(name, leaf, example.dtype, next(shapes), saved.sizes, seen)
        elif type(leaf) is not type(example) or leaf != example:
            raise ValueError(f"{name} is {leaf!r}, but the program was exported for {example!r}")
    return leaves


def _is_alike(spec: Any, saved: Any) -> bool:
    """Return whether two structures are equal. Named tuples are equal by name: a loaded program has its own classes."""
    if spec.type is not saved.type or len(spec.children_specs) != len(saved.children_specs):
        return False
    named = [(kind.__name__, kind._fields) for kind in (spec.context, saved.context) if hasattr(kind, "_fields")]
    same = named[0] == named[1] if len(named) == 2 else spec.context == saved.context
    return same and all(map(_is_alike, spec.children_specs, saved.children_specs))


def _check_input(name: str, leaf: Any, dtype: Any, shape: tuple, sizes: Sizes, seen: dict) -> None:
    """Raise if a tensor does not have the dtype and the sizes of the program. `seen` has the sizes found before."""
    given = tuple(leaf.shape)
    if getattr(leaf, "dtype", None) != dtype and is_tensor(leaf):
        raise ValueError(f"{name} has dtype {leaf.dtype}, but the program was exported for {dtype}")
    if len(given) != len(shape):
        raise ValueError(f"{name} has shape {list(given)}, but the program was exported for {list(shape)}")
    for i, (size, wanted) in enumerate(zip(given, shape)):
        place, text = f"{name}.size()[{i}]", str(wanted)
        if isinstance(wanted, str):
            dim = sizes.dims[wanted]
            if size < dim.min:
                raise AssertionError(f"Guard failed: {place} >= {dim.min}")
            if dim.max is not None and size > dim.max:
                raise AssertionError(f"Guard failed: {place} <= {dim.max}")
            wanted, text = seen.setdefault(wanted, (size, place))
        if size != wanted:
            raise AssertionError(f"Guard failed: {place} == {text}")


def _result(saved: Saved, found: list) -> tuple[Any, dict[str, Any]]:
    """Return the result in its structure, and the replaced buffers by name."""
    count = sum(leaf is TENSOR for leaf in saved.results)
    tensors = iter(found[:count])
    leaves = [next(tensors) if leaf is TENSOR else leaf for leaf in saved.results]
    return pytree.tree_unflatten(leaves, saved.out_spec), dict(zip(saved.written, found[count:]))
