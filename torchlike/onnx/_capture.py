"""The exported program of the model that `torch.onnx.export` receives."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torchlike
from torchlike._internal import warn
from torchlike.export import ExportedProgram
from torchlike.export._export import PLATFORMS
from torchlike.jax._functional import training as in_modes
from torchlike.jit._script import RecursiveScriptModule, TopLevelTracedModule, TracedFunction
from torchlike.onnx import _dynamic
from torchlike.onnx._modes import TrainingMode
from torchlike.onnx.errors import OnnxExporterError
from torchlike.utils import _pytree as pytree

_TRAINS = (
    "Exporting a model while it is in training mode. Please ensure that this is intended, as it may lead to different "
    "behavior during inference. Calling model.eval() before export is recommended."
)


class TorchExportError(OnnxExporterError):
    """Raised if `torch.export.export` cannot export the model."""


class Varying(NamedTuple):
    """The arguments of `torch.onnx.export` about dims that vary.

    Attributes:
      shapes: the `dynamic_shapes`.
      axes: the `dynamic_axes`.
      inputs, outputs: the names of inputs and outputs, or None.
      everywhere: whether the exported program must run on all platforms. Otherwise a model on the CPU is exported for
        the CPU only, which takes a third of the time.
    """

    shapes: Any
    axes: Any
    inputs: Any
    outputs: Any
    everywhere: bool


@contextlib.contextmanager
def in_mode(model: Any, dynamo: bool, training: TrainingMode) -> Iterator[None]:
    """Export a module in its own mode, or, with `dynamo=False`, in the mode that `training` gives."""
    if not isinstance(model, torchlike.nn.Module) or isinstance(model, TopLevelTracedModule | RecursiveScriptModule):
        yield
        return
    if dynamo:
        if training is TrainingMode.TRAINING and not model.training:
            raise NotImplementedError(
                "torchlike does not support onnx.export(training=...) with dynamo=True. Call model.train() instead."
            )
        if model.training:
            warn(_TRAINS, UserWarning)
        yield
        return
    wanted = {TrainingMode.EVAL: False, TrainingMode.TRAINING: True}.get(training)
    with in_modes([(part, part.training if wanted is None else wanted) for part in model.modules()]):
        yield


def captured(model: Any, args: tuple, kwargs: dict[str, Any], varying: Varying) -> tuple[ExportedProgram, dict]:
    """Return a model as an exported program, and the names of dims by the identifiers that stand for them.

    Raises:
      TorchExportError: the model cannot be exported.
    """
    names: dict[str, str] = {}
    if isinstance(model, ExportedProgram):
        return model, names
    if isinstance(model, RecursiveScriptModule):
        return model.programs()[0], names
    model = model._module if isinstance(model, TracedFunction) else model
    trains: list = []
    if isinstance(model, TopLevelTracedModule):
        model, trains = model._source, model._trains
    try:
        if not isinstance(model, torchlike.nn.Module):
            raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(model)}.")
        shapes = varying.shapes
        if shapes is None and varying.axes is not None:
            shapes = _dynamic.from_axes(
                model.forward, args, kwargs, varying.axes, varying.inputs or (), varying.outputs or ()
            )
        shapes = _dynamic.named(shapes, names)
        args, kwargs = _widened(model, args, kwargs, shapes)
        with in_modes(trains):
            tensors = [*model.parameters(), *model.buffers(), *pytree.tree_leaves((args, kwargs))]
            on_cpu = all(x.device.type == "cpu" for x in tensors if isinstance(x, torchlike.Tensor))
            platforms = ("cpu",) if on_cpu and not varying.everywhere else PLATFORMS
            return torchlike.export.export(model, args, kwargs, dynamic_shapes=shapes, platforms=platforms), names
    except Exception as error:
        raise TorchExportError(
            f"Failed to export the model with torch.export. {type(error).__name__}: {error}"
        ) from error


def _widened(model: Any, args: tuple, kwargs: dict, shapes: Any) -> tuple[tuple, dict]:
    """Return example inputs whose varying dims have at least two elements."""
    if not shapes:
        return args, kwargs
    names = list(inspect.signature(model.forward).bind(*args, **kwargs).arguments)
    specs = dict(shapes) if isinstance(shapes, Mapping) else dict(zip(names, shapes))
    wide = tuple(_dynamic.widened(x, specs.get(name)) for name, x in zip(names, args))
    return (*wide, *args[len(wide) :]), {name: _dynamic.widened(x, specs.get(name)) for name, x in kwargs.items()}
