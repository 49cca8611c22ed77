"""`torch.onnx.ONNXProgram`: an ONNX model and the exported program from which it was made."""

from __future__ import annotations

import contextlib
import copy
import os
import re
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import torchlike
from torchlike._internal import warn
from torchlike.onnx._packages import needed
from torchlike.onnx.errors import OnnxExporterWarning
from torchlike.utils import _pytree as pytree

LARGE = 1_500_000_000  # weights with more bytes are saved in a separate file; a protocol buffer holds at most 2 GB


class ONNXProgram:
    """An ONNX model that can be called with tensors.

    Args:
      model: the model, an `onnx_ir.Model`.
      exported_program: the exported program from which it was made, or None.

    Attributes:
      model: the model.
      exported_program: the exported program.

    >>> import torchlike as torch
    >>> program = torch.onnx.export(torch.nn.ReLU().eval(), (torch.ones(2),))
    >>> program(torch.tensor([-1.0, 1.0]))
    (tensor([0., 1.]),)
    >>> [node.op_type for node in program.model.graph]
    ['Relu']
    """

    def __init__(self, model: Any, exported_program: torchlike.export.ExportedProgram | None) -> None:
        self.model, self.exported_program = model, exported_program
        self._session: Any = None
        self._folder: Any = None

    def __repr__(self) -> str:
        model, program = (textwrap.indent(str(part), " " * 8) for part in (self.model, self.exported_program))
        return f"ONNXProgram(\n    model=\n{model}\n    ,\n    exported_program=\n{program}\n)\n"

    @property
    def model_proto(self) -> Any:
        """The model as an `onnx.ModelProto`."""
        return needed("onnx_ir").serde.serialize_model(self.model)

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[torchlike.Tensor, ...]:
        """Run the model in ONNX Runtime.

        Args:
          args, kwargs: the inputs of the exported forward. Inputs that are not tensors were fixed by the export.

        Returns:
          The results, a tuple of tensors.
        """
        if self._session is None:
            self.initialize_inference_session()
        current: Any = self._session
        return _tensors(current.run(None, self._inputs(args, kwargs)))

    def call_reference(self, *args: Any, **kwargs: Any) -> tuple[torchlike.Tensor, ...]:
        """Run the model in the reference implementation of the package onnx, which is slow.

        Args:
          args, kwargs: the inputs, as for a call.
        """
        evaluator = needed("onnx.reference").ReferenceEvaluator(self.model_proto)
        return _tensors(evaluator.run(None, self._inputs(args, kwargs)))

    def _inputs(self, args: tuple, kwargs: Mapping[str, Any]) -> dict[str, np.ndarray]:
        leaves = [x for x in pytree.tree_leaves((args, dict(kwargs))) if isinstance(x, torchlike.Tensor)]
        inputs = self.model.graph.inputs
        if len(leaves) != len(inputs):
            raise ValueError(f"the model takes {len(inputs)} tensors, but {len(leaves)} were given")
        return {given.name: leaf.detach().cpu().numpy() for given, leaf in zip(inputs, leaves)}

    def compute_values(
        self, value_names: Sequence[str], args: tuple = (), kwargs: Mapping[str, Any] | None = None
    ) -> tuple[torchlike.Tensor, ...]:
        """Return values inside the model.

        Args:
          value_names: the names of the values.
          args, kwargs: the inputs, as for a call.

        Raises:
          ValueError: the model has no value of that name.
        """
        graph = self.model.graph
        known = {value.name: value for node in graph for value in node.outputs}
        known |= {value.name: value for value in (*graph.inputs, *graph.initializers.values())}
        for name in value_names:
            if name not in known:
                raise ValueError(f"Value '{name}' not found in the model. Please provide a valid value name.")
        self.release()
        with _replaced(graph.outputs, [known[name] for name in value_names]):
            try:
                return self(*args, **dict(kwargs or {}))
            finally:
                self.release()

    def optimize(self) -> None:
        """Fold constants and fuse operators with the optimizer of onnxscript. Weights may be replaced by others."""
        self.model = needed("onnxscript.optimizer").optimize(self.model)
        self.release()

    def save(
        self,
        destination: str | os.PathLike,
        *,
        include_initializers: bool = True,
        keep_initializers_as_inputs: bool = False,
        external_data: bool | None = None,
    ) -> None:
        """Write the model to a file.

        Args:
          destination: the path.
          include_initializers: whether the file contains the weights.
          keep_initializers_as_inputs: whether the weights are inputs of the model too, so that a call may replace them.
          external_data: whether the weights are in a second file, `destination` with `.data` appended. None: only if
            they have more than 1.5 GB.

        Raises:
          TypeError: `destination` is not a path.
        """
        if not isinstance(destination, str | os.PathLike):
            raise TypeError(f"destination must be a path, got {type(destination)}")
        graph = self.model.graph
        weights = dict(graph.initializers)
        inputs = [*graph.inputs, *(weights.values() if keep_initializers_as_inputs else ())]
        with _replaced(graph.inputs, inputs):
            try:
                if not include_initializers:
                    graph.initializers.clear()
                _write(self.model, destination, external_data)
            finally:
                graph.initializers.update(weights)

    def apply_weights(self, state_dict: Mapping[str, torchlike.Tensor]) -> None:
        """Replace weights of the model.

        Args:
          state_dict: the new weights by name. A name that the model does not have is skipped with a warning.
        """
        ir = needed("onnx_ir")
        for name, tensor in state_dict.items():
            if name in self.model.graph.initializers:
                array = tensor.detach().cpu().numpy()
                self.model.graph.initializers[name].const_value = ir.Tensor(array.copy(), name=name)
            else:
                message = f"Weight '{name}' not found in the model. Skipped applying."
                warn(message, OnnxExporterWarning)
        self.release()

    def initialize_inference_session(self, initializer: Callable[[str | bytes], Any] | None = None) -> None:
        """Make the session of ONNX Runtime that calls use.

        Args:
          initializer: a function that returns a session for a path or for the bytes of the model. None: a session on
            the CPU.
        """
        if _bytes_of_weights(self.model) > LARGE:
            self._folder = tempfile.TemporaryDirectory()
            model: str | bytes = os.path.join(self._folder.name, "model.onnx")
            self.save(model, external_data=True)
        else:
            model = self.model_proto.SerializeToString()
        self._session = (initializer or session)(model)

    def release(self) -> None:
        """Delete the session of ONNX Runtime and its files."""
        self._session = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def rename_axes(self, rename_mapping: Mapping[Any, str]) -> None:
        """Rename dims that vary.

        Args:
          rename_mapping: the new names. The keys are names, or dims of the model such as
            `program.model.graph.inputs[0].shape[0]`.
        """
        names = {str(getattr(key, "value", key)): name for key, name in rename_mapping.items()}
        rename_axes(self.model, names)


def session(model: str | bytes) -> Any:
    """Return a session of ONNX Runtime on the CPU."""
    runtime = needed("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 3  # errors
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def rename_axes(model: Any, names: Mapping[str, str]) -> None:
    """Rename varying dims of all values of a model. A formula such as `2*s0` gets the new names too."""
    ir = needed("onnx_ir")
    if not names:
        return
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, names)) + r")\b")
    values = [*model.graph.inputs, *model.graph.initializers.values()]
    values += [value for node in ir.traversal.RecursiveGraphIterator(model.graph) for value in node.outputs]
    for value in values:
        if value.shape is None or not any(isinstance(n, ir.SymbolicDim) for n in value.shape):
            continue
        sizes = [n if isinstance(n, int) else n.value for n in value.shape]
        renamed = [pattern.sub(lambda m: names[m[0]], n) if isinstance(n, str) else n for n in sizes]
        value.shape = ir.Shape(renamed)


def _bytes_of_weights(model: Any) -> int:
    return sum(w.const_value.nbytes for w in model.graph.initializers.values() if w.const_value is not None)


def _write(model: Any, destination: str | os.PathLike, external: bool | None) -> None:
    ir = needed("onnx_ir")
    if external or _bytes_of_weights(model) > LARGE:
        copied = copy.copy(model)  # `ir.save` temporarily replaces the weights by references to the file
        ir.save(copied, destination, external_data=f"{os.path.basename(destination)}.data")
    else:
        ir.save(model, destination)


@contextlib.contextmanager
def _replaced(values: Any, others: Sequence[Any]) -> Iterator[None]:
    """Replace the inputs or outputs of a graph inside a `with` block."""
    before = list(values)
    values.clear()
    values.extend(others)
    try:
        yield
    finally:
        values.clear()
        values.extend(before)


def _tensors(arrays: Sequence[np.ndarray]) -> tuple[torchlike.Tensor, ...]:
    return tuple(torchlike.from_numpy(np.array(array)) for array in arrays)
