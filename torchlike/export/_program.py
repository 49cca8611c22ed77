"""Exported programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax

import torchlike
from torchlike import fx
from torchlike.export._module import ExportedModule
from torchlike.export._saved import Input, Saved, checked, is_input, result_of
from torchlike.export.graph_signature import ExportGraphSignature
from torchlike.jax._arrays import array_of
from torchlike.utils import _pytree as pytree


class ExportedProgram:
    """A program that `torch.export.export` or `torch.export.load` made.

    The attributes `graph`, `graph_signature` and `state_dict` have the graph, its inputs and outputs, and the
    parameters and buffers.

    Args:
      saved (Saved): the contents of the file beside the state dict and the graph, such as the program in StableHLO.
      state (dict): the parameters and buffers by name.
      parameters (list of str): the names in `state` that are parameters.
      graph (Graph or None): the graph, for reading. None after `torch.export.load`.
      signature (ExportGraphSignature): the inputs and outputs of the graph.
      code (str): the graph as the text of a function, if `graph` is None.

    >>> import torchlike as torch
    >>> exported = torch.export.export(torch.nn.Linear(2, 1), (torch.ones(3, 2),))
    >>> list(exported.state_dict)
    ['weight', 'bias']
    >>> exported.module()(torch.ones(3, 2)).shape
    torch.Size([3, 1])
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
            leaves = checked(saved, args, kwargs)
            inputs = [leaf for leaf, example in zip(leaves, saved.leaves) if is_input(example)]
            found = saved.exported.call([state[name] for name in names], [*saved.constants.values()], inputs)
            result, changed = result_of(saved, found)
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
