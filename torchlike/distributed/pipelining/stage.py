"""The stages of pipelines: of a module that the user divides, and of a traced `Pipe`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import _errors
from torchlike.distributed._group import ProcessGroup
from torchlike.nn import Module

from ._stage_base import _PipelineStageBase
from ._utils import PipeInfo, PipeliningMetadataError, as_tuple

Example = Tensor | tuple[Tensor | None, ...] | None


class PipelineStage(_PipelineStageBase):
    """A stage of a model that the user divides. Its outputs are the inputs of the next stage.

    The inputs and outputs of stages are found while the pipeline runs, so that examples are not needed. They are only
    checked.

    Args:
      submodule (Module): the module of the stage. It returns a tensor or a tuple of tensors.
      stage_index (int): the number of the stage, from 0.
      num_stages (int): the number of stages.
      device (device): the device of the stage.
      input_args (Tensor or tuple of Tensors, optional): examples of the inputs of a microbatch.
      output_args (Tensor or tuple of Tensors, optional): examples of the outputs of a microbatch.
      output_grads (Tensor or tuple, optional): examples of the gradients of the outputs.
      input_grads (Tensor or tuple, optional): examples of the gradients of the inputs.
      group (ProcessGroup, optional): the processes of the pipeline. Default: all processes.
      dw_builder (function, optional): returns the function that computes the gradients of the parameters. It is called
        after the backward pass of each microbatch.
      get_mesh: must be None. DTensors cannot be sent to another stage.

    Raises:
      ValueError: `stage_index` is too large.
      RuntimeError: there are more processes than stages.
      PipeliningMetadataError: an example is not a tensor, or a microbatch does not have the shape of the examples.
      NotImplementedError: `get_mesh` is given.

    >>> import torchlike as torch
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> stage = PipelineStage(torch.nn.Linear(2, 2), 0, 1, torch.device("cpu"))
    >>> stage.is_first, stage.is_last
    (True, True)
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self,
        submodule: Module,
        stage_index: int,
        num_stages: int,
        device: torchlike.device,
        input_args: Tensor | tuple[Tensor, ...] | None = None,
        output_args: Tensor | tuple[Tensor, ...] | None = None,
        output_grads: Example = None,
        input_grads: Example = None,
        group: ProcessGroup | None = None,
        dw_builder: Callable[[], Callable[..., None]] | None = None,
        get_mesh: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(submodule, stage_index, num_stages, device, group, dw_builder)
        if get_mesh is not None:
            instead = "send the local tensors of DTensors to the next stage"
            raise _errors.arguments.cannot("distributed.pipelining.PipelineStage(get_mesh=...)", instead)
        self._input_examples, self._output_examples = _examples(input_args), _examples(output_args)
        self._input_grads, self._output_grads = _examples(input_grads), _examples(output_grads)

    def forward_one_chunk(
        self, fwd_chunk_id: int, args: tuple, kwargs: dict[str, Any] | None = None, save_forward_output: bool = True
    ) -> Any:
        """Compute the output of a microbatch, and compare inputs and outputs with the examples.

        Args:
          fwd_chunk_id (int): the microbatch.
          args (tuple): the positional arguments of the first stage. Other stages receive theirs.
          kwargs (dict, optional): the keyword arguments.
          save_forward_output: whether the last stage keeps the output for the result of the step.

        Raises:
          RuntimeError: the module raises an error.
        """
        output = super().forward_one_chunk(fwd_chunk_id, args, kwargs, save_forward_output)
        outputs, inputs, received = self.fwd_cache[fwd_chunk_id]
        given = args if self.is_first else tuple(inputs[:received])
        self._compare("forward inputs", self._input_examples, given)
        self._compare("forward outputs", self._output_examples, outputs)
        return output

    def receive_gradients(self, microbatch: int) -> tuple[Tensor | None, ...]:
        """Return the gradients of the outputs of a microbatch, and compare them with the examples.

        Args:
          microbatch (int): the microbatch.
        """
        grads = super().receive_gradients(microbatch)
        self._compare("backward input (output_grads)", self._output_grads, grads)
        return grads

    def send_gradients(self, microbatch: int, local: dict[int, _PipelineStageBase]) -> None:
        """Send the gradients of the inputs of a microbatch, and compare them with the examples.

        Args:
          microbatch (int): the microbatch.
          local (dict): the stages of this process by their numbers.
        """
        if self.has_backward and not self.is_first:
            self._compare("backward output (input_grads)", self._input_grads, self.bwd_cache[microbatch])
        super().send_gradients(microbatch, local)

    def _compare(self, what: str, examples: tuple | None, found: tuple) -> None:
        shown = f"Stage {self.stage_index} {what}"
        if examples is None:
            return
        if len(examples) != len(found):
            raise PipeliningMetadataError(f"{shown}: expected {len(examples)} tensors, got {len(found)}")
        for i, (wanted, x) in enumerate(zip(examples, found)):
            if wanted is not None and x is not None and (wanted.shape, wanted.dtype) != (x.shape, x.dtype):
                raise PipeliningMetadataError(
                    f"{shown}[{i}]: expected {wanted.shape} of {wanted.dtype}, got {x.shape} of {x.dtype}"
                )


def _examples(given: Any) -> tuple | None:
    """Return examples as a tuple, or None."""
    if given is None:
        return None
    found = as_tuple(given)
    for i, each in enumerate(found):
        if not isinstance(each, Tensor | None):
            raise PipeliningMetadataError(f"Expected a tensor as example {i}, got {type(each).__name__}")
    return found


class _PipelineStage(_PipelineStageBase):
    """A stage of a `Pipe`. Its inputs may come from several earlier stages.

    Args:
      stage_module (Module): the module of the stage.
      stage_index (int): the number of the stage.
      pipe_info (PipeInfo): the description of the pipe, which `Pipe.info` returns.
      device (device): the device of the stage, to which the module is moved.
      group (ProcessGroup, optional): the processes of the pipeline. Default: all processes.

    Raises:
      PipeliningMetadataError: the description has another number of stages, or a later stage takes an input of the
        model.
    """

    def __init__(
        self,
        stage_module: Module,
        stage_index: int,
        pipe_info: PipeInfo,
        device: torchlike.device,
        group: ProcessGroup | None = None,
    ) -> None:
        super().__init__(stage_module, stage_index, pipe_info.num_stages, device, group)
        self.pipe_info = pipe_info
        nodes = [node for node in pipe_info.graph.nodes if node.op == "call_module"]
        if len(nodes) != self.num_stages:
            raise PipeliningMetadataError(
                f"Number of submodules in pipe graph {len(nodes)} does not match number of stages {self.num_stages}"
            )
        self.node = nodes[stage_index]
        self.name = self.node.name
        self.submod_to_stage_index = {node.name: i for i, node in enumerate(nodes)}
        self._sources = {i: [self._source(arg) for arg in node.args] for i, node in enumerate(nodes)}
        if not any(p.is_meta for p in stage_module.parameters()):
            stage_module.to(device)

    def _source(self, arg: Any) -> tuple[int, int] | None:
        """Return the stage and the output from which an argument comes, or None for an input of the model."""
        output = 0
        if arg.op == "call_function" and arg.target is operator.getitem:
            arg, output = arg.args
        return (self.submod_to_stage_index[arg.name], output) if arg.op == "call_module" else None

    def get_stage_index_of_submod(self, submod_name: str) -> int:
        """Return the number of the stage with this name.

        Args:
          submod_name (str): the name of the module in the graph of the pipe.

        Raises:
          PipeliningMetadataError: there is no such stage.
        """
        if submod_name not in self.submod_to_stage_index:
            raise PipeliningMetadataError(f"Stage id of {submod_name} not found")
        return self.submod_to_stage_index[submod_name]

    def sources(self) -> list[tuple[int, int]]:
        """Return the stage and the output that each received input comes from."""
        if self.is_first:
            return []
        found = self._sources[self.stage_index]
        if None in found:
            raise PipeliningMetadataError(
                f"_retrieve_recv_activations expected non-root _RecvInfo but got root arg at index {found.index(None)}"
            )
        return [source for source in found if source is not None]

    def targets(self) -> dict[int, list[int]]:
        """Return the outputs that each later stage takes."""
        found: dict[int, list[int]] = {}
        for stage, sources in self._sources.items():
            taken = [source[1] for source in sources if source is not None and source[0] == self.stage_index]
            if taken:
                found[stage] = taken
        outputs = [output for taken in found.values() for output in taken]
        if self.has_backward and len(set(outputs)) != len(outputs):
            raise PipeliningMetadataError("Backward of skip connections not supported yet")
        return found


def build_stage(
    stage_module: Module,
    stage_index: int,
    pipe_info: PipeInfo,
    device: torchlike.device,
    group: ProcessGroup | None = None,
) -> _PipelineStage:
    """Return the stage of a traced `Pipe` that a schedule runs.

    Args:
      stage_module (Module): the module of the stage, which `Pipe.get_stage_module` returns.
      stage_index (int): the number of the stage.
      pipe_info (PipeInfo): the description of the pipe, which `Pipe.info` returns.
      device (device): the device of the stage.
      group (ProcessGroup, optional): the processes of the pipeline. Default: all processes.
    """
    return _PipelineStage(stage_module, stage_index, pipe_info, device, group)
