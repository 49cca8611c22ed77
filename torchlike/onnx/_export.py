"""`torch.onnx.export`."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import torchlike
from torchlike._internal import warn
from torchlike.export import ExportedProgram
from torchlike.jit._script import TracedFunction
from torchlike.onnx._capture import Varying, captured, in_mode
from torchlike.onnx._modes import OperatorExportTypes, TrainingMode
from torchlike.onnx._packages import needed
from torchlike.onnx._program import ONNXProgram, rename_axes
from torchlike.onnx._state import exporting
from torchlike.onnx.errors import OnnxExporterWarning
from torchlike.onnx.verification import verify_onnx_program

DEFAULT, OLDEST, NEWEST = 20, 18, 23
_NEAR = 1e-4
_AXES = (
    "# 'dynamic_axes' is not recommended when dynamo=True, and may lead to 'torch._dynamo.exc.UserError: Constraints "
    "violated.' Supply the 'dynamic_shapes' argument instead if export is unsuccessful."
)
_LEGACY = (
    "You are using the legacy TorchScript-based ONNX export. Starting in PyTorch 2.9, the new torch.export-based ONNX "
    "exporter has become the default. Learn more about the new export logic: "
    "https://docs.pytorch.org/docs/stable/onnx_export.html. For exporting control flow: "
    "https://pytorch.org/tutorials/beginner/onnx/export_control_flow_model_to_onnx_tutorial.html"
)


def export(
    model: torchlike.nn.Module | ExportedProgram | TracedFunction,
    args: tuple[Any, ...] = (),
    f: str | os.PathLike | None = None,
    *,
    kwargs: dict[str, Any] | None = None,
    verbose: bool | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    external_data: bool = True,
    dynamic_shapes: dict[str, Any] | tuple[Any, ...] | list[Any] | None = None,
    custom_translation_table: dict[Callable, Callable] | None = None,
    report: bool = False,
    optimize: bool = True,
    verify: bool = False,
    profile: bool = False,
    dump_exported_program: bool = False,
    artifacts_dir: str | os.PathLike = ".",
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: Mapping[str, Mapping[int, str]] | Mapping[str, Sequence[int]] | None = None,
    training: TrainingMode = TrainingMode.EVAL,
    operator_export_type: OperatorExportTypes = OperatorExportTypes.ONNX,
    do_constant_folding: bool = True,
    custom_opsets: Mapping[str, int] | None = None,
    export_modules_as_functions: bool | Collection[type[torchlike.nn.Module]] = False,
    autograd_inlining: bool = True,
) -> ONNXProgram | None:
    """Return a module as an ONNX model, and write it to a file.

    The packages of `pip install torchlike[onnx]` are needed.

    Args:
      model: a module, a traced function, or an exported program.
      args: the example inputs, a tuple or one tensor. A dict at the end has inputs by name. An input that is no tensor
        is fixed.
      f: the path of the file, or None for no file. A file that is open for writing bytes is deprecated.
      kwargs: the example inputs by name.
      verbose: True prints the steps of the export.
      input_names: the names of the inputs, in order. The default is the names of forward's parameters.
      output_names: the names of the outputs, in order. The default is the names of the operators that compute them.
      opset_version: the version of ONNX's operators, by default 20. Versions 18 to 23 are written as they are. Older
        ones are converted by the package onnx, and if it cannot convert the model, version 18 stays, with a warning.
      dynamo: False returns None, and exports the module in the mode that `training` gives. PyTorch uses its exporter of
        TorchScript then; the names and the graph are otherwise those of True.
      external_data: whether the weights are in a second file, `f` with `.data` appended. With `dynamo=False`, the
        weights are in the file itself.
      dynamic_shapes: which dims vary, as for `torch.export.export`. A name may stand in place of a `Dim`.
      custom_translation_table: not supported; must be None or empty.
      report: not supported; must be False.
      optimize: whether operators that are not used, and those that compute the same as others, are removed.
      verify: whether the results of ONNX Runtime are compared with those of the exported program. A difference is a
        warning.
      profile: not supported; must be False.
      dump_exported_program: whether the exported program is written to `artifacts_dir`.
      artifacts_dir: the folder of that file.
      export_params: whether the file `f` contains the weights.
      keep_initializers_as_inputs: whether the weights are inputs of the model in the file `f`.
      dynamic_axes: which dims vary, by the names of inputs: a dict from dims to names, or a list of dims.
      training: the mode of the module with `dynamo=False`. With `dynamo=True` the module's own mode is used.
      operator_export_type: must be `OperatorExportTypes.ONNX`.
      do_constant_folding: has no effect. Runtimes fold constants when they load a model.
      custom_opsets: not supported; must be None or empty.
      export_modules_as_functions: not supported; must be False.
      autograd_inlining: must be True.

    Returns:
      The ONNX program, or None with `dynamo=False`.

    Raises:
      OnnxExporterError: forward cannot be exported, or an operator has no form in ONNX.
      ModuleNotFoundError: the packages are not installed.

    >>> import torchlike as torch
    >>> net = torch.nn.Linear(3, 2).eval()
    >>> program = torch.onnx.export(net, (torch.ones(1, 3),), dynamic_shapes=({0: "batch"},))
    >>> program(torch.ones(5, 3))[0].shape
    torch.Size([5, 2])
    """
    _refuse(
        custom_translation_table=custom_translation_table,
        report=report,
        profile=profile,
        custom_opsets=custom_opsets,
        export_modules_as_functions=export_modules_as_functions,
        autograd_inlining=not autograd_inlining,
        operator_export_type=operator_export_type is not OperatorExportTypes.ONNX,
    )
    for package in ("onnx", "onnx_ir"):
        needed(package)
    args = (args,) if isinstance(args, torchlike.Tensor) else tuple(args)
    if not kwargs and args and isinstance(args[-1], dict):
        args, kwargs = args[:-1], args[-1]
    is_module = not isinstance(model, ExportedProgram)
    if is_module:
        _check_kind(dynamo, f, dynamic_shapes, dynamic_axes)
    say = (lambda text: print(f"[torch.onnx] {text}")) if verbose else (lambda text: None)
    varying = Varying(dynamic_shapes, dynamic_axes, input_names, output_names, dump_exported_program)
    with in_mode(model, dynamo, training), exporting():
        say("Obtain the operators of the model...")
        exported, names = captured(model, args, kwargs or {}, varying)
        if dump_exported_program:
            say(f"Exported program has been saved to '{_dumped(exported, artifacts_dir)}'.")
        say("Translate the operators into ONNX...")
        program = ONNXProgram(_model(exported, opset_version, optimize), exported)
    rename_axes(program.model, names)
    _rename(program.model.graph.inputs, input_names, "Input")
    _rename(program.model.graph.outputs, output_names, "Output")
    if verify:
        _verify(program, say)
    if f is not None:
        _write(program, f, export_params, keep_initializers_as_inputs, external_data and dynamo)
    return program if dynamo or not is_module else None


def _refuse(**given: Any) -> None:
    for name, value in given.items():
        if value:
            raise NotImplementedError(f"torchlike does not support onnx.export({name}=...)")


def _check_kind(dynamo: bool, f: Any, dynamic_shapes: Any, dynamic_axes: Any) -> None:
    if dynamo:
        if dynamic_shapes is None and dynamic_axes is not None:
            warn(_AXES, UserWarning)
        return
    warn(_LEGACY, DeprecationWarning)
    if dynamic_shapes:
        raise ValueError("The exporter only supports dynamic shapes through parameter dynamic_axes when dynamo=False.")
    if f is None:
        raise ValueError("with dynamo=False, the model is only written to a file: f must be a path")


def _dumped(exported: ExportedProgram, folder: str | os.PathLike) -> str:
    """Write an exported program to a folder, and return the path."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"onnx_export_{time.strftime('%Y-%m-%d_%H-%M-%S')}.pt2")
    torchlike.export.save(exported, path)
    return path


def _model(exported: ExportedProgram, wanted: int | None, optimize: bool) -> Any:
    from torchlike.onnx._convert import model_of

    opset = DEFAULT if wanted is None else wanted
    model = model_of(exported, min(max(opset, OLDEST), NEWEST))
    if optimize:
        _cleaned(model)
    if OLDEST <= opset <= NEWEST:
        return model
    ir, converter = needed("onnx_ir"), needed("onnx.version_converter")
    try:
        return ir.serde.deserialize_model(converter.convert_version(ir.serde.serialize_model(model), opset))
    except Exception as error:  # the converter raises RuntimeError and its own ConvertError
        kept = model.opset_imports[""]
        message = f"The model has opset version {kept}, because onnx cannot convert it to version {opset}: {error}"
        warn(message, OnnxExporterWarning)
        return model


def _cleaned(model: Any) -> None:
    """Remove unused nodes, and nodes that repeat a computation."""
    passes = needed("onnx_ir.passes.common")
    passes.CommonSubexpressionEliminationPass()(model)
    passes.RemoveUnusedNodesPass()(model)


def _rename(values: Any, names: Sequence[str] | None, what: str) -> None:
    if not names:
        return
    if len(set(names)) != len(names):
        twice = [name for i, name in enumerate(names) if name in names[:i]]
        raise ValueError(f"{what} names cannot be duplicated: {twice}")
    for value, name in zip(values, names):
        value.name = name


def _verify(program: ONNXProgram, say: Callable) -> None:
    """Compare the results of ONNX Runtime with those of the exported program."""
    say("Check the numerical accuracy of the model in ONNX Runtime...")
    for found in verify_onnx_program(program):
        if min(found.max_abs_diff, found.max_rel_diff) > _NEAR:
            message = f"Output '{found.name}' differs in ONNX Runtime by {found.max_abs_diff:.2g}"
            warn(message, OnnxExporterWarning)


def _write(program: ONNXProgram, f: Any, params: bool, keep: bool, external: bool) -> None:
    if isinstance(f, io.BytesIO):
        if external:
            message = "Saving ONNX model to a BytesIO object is deprecated. Please use a file path instead."
            warn(message, DeprecationWarning)
        f.write(program.model_proto.SerializeToString())
        return
    program.save(f, include_initializers=params, keep_initializers_as_inputs=keep, external_data=external)
