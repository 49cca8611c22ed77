"""`pipeline`: tracing of a model, and its division into the stages of a `Pipe`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from types import MethodType
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.distributed._group import ProcessGroup
from torchlike.fx import GraphModule, Interpreter
from torchlike.fx.node import map_aggregate
from torchlike.nn import Module

from ._splitting import PREFIX, divided, separate_shared
from ._tracing import pipe_split as pipe_split
from ._tracing import split_after_forward, split_before_forward, traced
from ._utils import PipeInfo
from .stage import _PipelineStage


class _Detaching(Interpreter):
    """Runs the stages, which receive detached inputs."""

    def call_module(self, target: Any, args: tuple, kwargs: dict) -> Any:
        detached = lambda x: x.detach().requires_grad_() if isinstance(x, Tensor) and x.requires_grad else x
        return super().call_module(target, map_aggregate(args, detached), map_aggregate(kwargs, detached))


class Pipe(Module):
    """A model that is divided into stages. `pipeline` makes it.

    Calling it runs all stages in this process. The result is a tuple of the outputs.

    Args:
      split_gm (GraphModule): the module that calls the stages.
      num_stages (int): the number of stages.
      has_loss_and_backward: whether the module computes a loss and its gradients.
      loss_spec: which output is the loss.
    """

    def __init__(self, split_gm: GraphModule, num_stages: int, has_loss_and_backward: bool, loss_spec: Any) -> None:
        super().__init__()
        self.split_gm, self.num_stages = split_gm, num_stages
        self.has_loss_and_backward, self.loss_spec = has_loss_and_backward, loss_spec
        self.replicated_params = separate_shared(split_gm)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run all stages.

        Args:
          *args, **kwargs: the arguments of the model.
        """
        if kwargs:
            nodes = [node for node in self.split_gm.graph.nodes if node.op == "placeholder"]
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            default = lambda node: node.args[0] if node.args else inspect.Parameter.empty
            parameters = [inspect.Parameter(str(x.target).lstrip("*"), kind, default=default(x)) for x in nodes]
            bound = inspect.Signature(parameters).bind(*args, **kwargs)
            bound.apply_defaults()
            args = tuple(bound.arguments.values())
        return _Detaching(self.split_gm, garbage_collect_values=False).run(*args)

    def get_stage_module(self, stage_idx: int) -> Module:
        """Return the module of a stage.

        Args:
          stage_idx (int): the number of the stage.

        Raises:
          ValueError: there is no such stage.
        """
        if not 0 <= stage_idx < self.num_stages:
            raise ValueError(f"Invalid stage index {stage_idx}!")
        return getattr(self.split_gm, f"{PREFIX}{stage_idx}")

    @staticmethod
    def from_tracing(
        mod: Module,
        example_args: tuple,
        example_kwargs: dict[str, Any] | None = None,
        split_policy: Callable[[GraphModule], GraphModule] | None = None,
    ) -> Pipe:
        """Trace a model and divide it at its calls of `pipe_split`.

        Args:
          mod (Module): the model.
          example_args (tuple): the positional arguments of a microbatch.
          example_kwargs (dict, optional): its keyword arguments.
          split_policy (function, optional): receives the traced model and returns it with calls of `pipe_split`.

        Raises:
          RuntimeError: the model cannot be traced.
        """
        try:
            graph = traced(mod, example_args, example_kwargs or {})
        except Exception as error:
            raise RuntimeError(
                "It seems that we cannot capture your model as a full graph. Typical reasons include graph breaks, "
                "data/shape-dependent control flow, or missing meta kernels for custom operators. You can use our "
                "manual pipeline interfaces, or try to fix the graph breaks, see "
                "https://pytorch.org/docs/stable/export.html"
            ) from error
        if split_policy is not None:
            graph = split_policy(GraphModule(mod, graph)).graph
        split = divided(mod, graph)
        return Pipe(split, len([*split.children()]), False, None)

    def print_readable(self) -> None:
        """Print the code of the module and of its stages."""
        self.split_gm.print_readable()

    def __str__(self) -> str:
        return str(self.split_gm)

    def __repr__(self) -> str:
        return repr(self.split_gm)

    def info(self) -> PipeInfo:
        """Return the description of the pipe that `build_stage` takes."""
        return PipeInfo(self.split_gm.graph, self.num_stages, self.has_loss_and_backward)

    def build_stage(
        self, stage_index: int, device: torchlike.device, group: ProcessGroup | None = None
    ) -> _PipelineStage:
        """Return the stage that a schedule runs.

        Args:
          stage_index (int): the number of the stage.
          device (device): the device of the stage.
          group (ProcessGroup, optional): the processes of the pipeline. Default: all processes.
        """
        module = self.get_stage_module(stage_index)
        for node in module.graph.nodes:
            if node.op == "call_function" and "device" in node.kwargs and node.kwargs["device"] != device:
                node.update_kwarg("device", device)
                module.recompile()
        return _PipelineStage(module, stage_index, self.info(), device, group)


class SplitPoint(Enum):
    """Where a stage begins: before (`BEGINNING`) or after (`END`) the call of a submodule."""

    BEGINNING = 1
    END = 2


class PipeSplitWrapper:
    """A namespace that contains `SplitPoint`."""

    SplitPoint = SplitPoint


def annotate_split_points(mod: Module, spec: dict[str, SplitPoint]) -> None:
    """Mark submodules at which `pipeline` divides a model. The marks remain.

    Args:
      mod (Module): the model.
      spec (dict): maps dotted names of submodules to split points.

    Raises:
      AttributeError: there is no such submodule.
      ValueError: a value is not a split point.
    """
    forwards = {SplitPoint.BEGINNING: split_before_forward, SplitPoint.END: split_after_forward}
    for name, point in spec.items():
        owner, path = mod, name.split(".")
        for i, part in enumerate(path[:-1]):
            try:
                owner = getattr(owner, part)
            except AttributeError as error:
                raise AttributeError(
                    f"Specified target {name} referenced nonexistent module {'.'.join(path[: i + 1])}"
                ) from error
        marked = getattr(owner, path[-1])
        marked._orig_forward = marked.forward
        if point not in forwards:
            raise ValueError("Unknown split point type.")
        marked.forward = MethodType(forwards[point], marked)


def pipeline(
    module: Module,
    mb_args: tuple,
    mb_kwargs: dict[str, Any] | None = None,
    split_spec: dict[str, SplitPoint] | None = None,
    split_policy: Callable[[GraphModule], GraphModule] | None = None,
) -> Pipe:
    """Divide a model into stages by tracing it.

    The model is traced symbolically. With `split_spec`, only the modules that contain split points are traced into.

    Args:
      module (Module): the model. Its stages share its parameters.
      mb_args (tuple): the positional arguments of a microbatch. Only their number is used.
      mb_kwargs (dict, optional): the keyword arguments of a microbatch. Arguments that are not given are constant.
      split_spec (dict, optional): maps dotted names of submodules to the places where stages begin.
      split_policy (function, optional): receives the traced model and returns it with calls of `pipe_split`.

    Raises:
      ValueError: both `split_spec` and `split_policy` are given.
      RuntimeError: the model cannot be traced.

    >>> import torchlike as torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    >>> pipe = pipeline(model, mb_args=(torch.ones(1, 2),), split_spec={"1": SplitPoint.BEGINNING})
    >>> [name for name, _ in pipe.get_stage_module(1).named_parameters()]
    ['1.weight', '1.bias']
    """
    if split_spec is not None and split_policy is not None:
        raise ValueError("Cannot specify both `split_spec` and `split_policy`. Please use only one of them.")
    if split_spec is not None:
        annotate_split_points(module, split_spec)
    return Pipe.from_tracing(module, mb_args, mb_kwargs, split_policy)
