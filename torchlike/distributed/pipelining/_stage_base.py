"""A stage of a pipeline: the forward and backward passes of a module on microbatches."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._world import get_rank, get_world_size, member
from torchlike.distributed.fsdp import FSDPModule
from torchlike.nn import Module
from torchlike.nn.parallel.distributed import DistributedDataParallel
from torchlike.utils._pytree import tree_leaves

from ._backward import stage_backward
from ._links import Links
from ._utils import as_tuple, map_debug_info


class _PipelineStageBase:
    """The base class of stages.

    Args:
      submodule (Module): the module of the stage.
      stage_index (int): the number of the stage, from 0.
      num_stages (int): the number of stages.
      device (device): the device of the stage.
      group (ProcessGroup, optional): the processes of the pipeline. Default: all processes.
      dw_builder (function, optional): returns the function that computes the gradients of the parameters. It is called
        after the backward pass of each microbatch.

    Raises:
      ValueError: `stage_index` is too large.
      RuntimeError: there are more processes than stages.
    """

    def __init__(
        self,
        submodule: Module,
        stage_index: int,
        num_stages: int,
        device: torchlike.device,
        group: ProcessGroup | None = None,
        dw_builder: Callable[[], Callable[..., None]] | None = None,
    ) -> None:
        if stage_index >= num_stages:
            raise ValueError(f"Stage index {stage_index} is out of range of {num_stages}")
        self.submod, self.stage_index, self.num_stages = submodule, stage_index, num_stages
        self.device, self.group, self.dw_builder = device, group, dw_builder
        self.group_rank, self.group_size = get_rank(group), get_world_size(group)
        if self.group_size > num_stages:
            raise RuntimeError(
                f"Pipeline group size {self.group_size} cannot be larger than number of stages {num_stages}"
            )
        self.fwd_cache: dict[int, tuple[tuple, list, int]] = {}  # by microbatch: outputs, inputs, number received
        self.bwd_cache: dict[int, tuple[Tensor | None, ...]] = {}  # by microbatch: the gradients of received inputs
        self.backward_state: dict[int, dict[str, Any]] = {}  # by microbatch: a backward pass that is delayed
        self.dw_runner: dict[int, Callable[..., None]] = {}
        self.output_chunks: list[Any] = []
        self.has_backward = False
        self.log_prefix = f"[Stage {stage_index}]"
        self.stage_index_to_group_rank = {i: i % self.group_size for i in range(num_stages)}
        self._links = Links(member(group), num_stages, device)

    @property
    def is_first(self) -> bool:
        """Whether this is the first stage."""
        return self.stage_index == 0

    @property
    def is_last(self) -> bool:
        """Whether this is the last stage."""
        return self.stage_index == self.num_stages - 1

    # -- the neighbours ------------------------------------------------------------------------------------------------

    def sources(self) -> list[tuple[int, int]]:
        """Return the stage and the output that each received input comes from. One output -1 stands for all."""
        return [] if self.is_first else [(self.stage_index - 1, -1)]

    def targets(self) -> dict[int, list[int]]:
        """Return the outputs that each later stage takes. The output -1 stands for all."""
        return {} if self.is_last else {self.stage_index + 1: [-1]}

    def clear_runtime_states(self) -> None:
        """Drop the states of the last step."""
        self.fwd_cache.clear()
        self.output_chunks.clear()
        self._links.clear()

    # -- forward -------------------------------------------------------------------------------------------------------

    def receive_inputs(self, microbatch: int) -> tuple[Tensor, ...]:
        """Return the inputs of a microbatch that earlier stages send."""
        order, ranks = self.sources(), self.stage_index_to_group_rank
        given: dict[Any, Any] = {}
        for stage in dict.fromkeys(stage for stage, _ in order):
            received = self._links.receive(stage, self.stage_index, microbatch, ranks[stage])
            taken = [output for source, output in order if source == stage]
            given |= {(stage, output): x for output, x in zip(taken, received)} if taken != [-1] else {stage: received}
        inputs = [x for source in order for x in (given[source[0]] if source[1] == -1 else [given[source]])]
        for x in inputs:
            x.requires_grad_(x.requires_grad and self.has_backward and torchlike.is_grad_enabled())
        return tuple(inputs)

    def send_outputs(self, microbatch: int, local: dict[int, _PipelineStageBase]) -> None:
        """Send the outputs of a microbatch to the stages that take them.

        Args:
          microbatch (int): the microbatch.
          local (dict): the stages of this process by their numbers.
        """
        outputs = self.fwd_cache[microbatch][0]
        for stage, taken in self.targets().items():
            chosen = outputs if taken == [-1] else tuple(outputs[i] for i in taken)
            self._pass_on(chosen, stage, microbatch, local)

    def _pass_on(self, tensors: tuple, stage: int, microbatch: int, local: dict[int, _PipelineStageBase]) -> None:
        if stage in local:
            local[stage]._links.put(tensors, self.stage_index, stage, microbatch)
        else:
            rank = self.stage_index_to_group_rank[stage]
            self._links.send(tensors, self.stage_index, stage, microbatch, rank)

    def forward_maybe_with_nosync(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module. `DistributedDataParallel` does not prepare to average gradients.

        Args:
          *args, **kwargs: the arguments of the module.
        """
        ddp = isinstance(self.submod, DistributedDataParallel)
        with self.submod.no_sync() if ddp else nullcontext():
            return self.submod(*args, **kwargs)

    def forward_one_chunk(
        self, fwd_chunk_id: int, args: tuple, kwargs: dict[str, Any] | None = None, save_forward_output: bool = True
    ) -> Any:
        """Compute the output of a microbatch.

        Args:
          fwd_chunk_id (int): the microbatch.
          args (tuple): the positional arguments of the first stage. Other stages receive theirs.
          kwargs (dict, optional): the keyword arguments.
          save_forward_output: whether the last stage keeps the output for the result of the step.

        Raises:
          RuntimeError: the module raises an error.
        """
        args, kwargs = args if self.is_first else self.receive_inputs(fwd_chunk_id), kwargs or {}
        try:
            output = self.forward_maybe_with_nosync(*args, **kwargs)
        except Exception as error:
            raise RuntimeError(
                f"\n            {self.log_prefix} failed to run forward:\n            args: {map_debug_info(args)}\n"
                f"            kwargs: {map_debug_info(kwargs)}\n            "
            ) from error
        if self.is_last and save_forward_output:
            self.output_chunks.append(output)
        inputs = [*tree_leaves(args), *tree_leaves(kwargs)]
        self.fwd_cache[fwd_chunk_id] = as_tuple(output), inputs, 0 if self.is_first else len(args)
        return output

    # -- backward ------------------------------------------------------------------------------------------------------

    def receive_gradients(self, microbatch: int) -> tuple[Tensor | None, ...]:
        """Return the gradients of the outputs of a microbatch, which later stages send."""
        outputs = self.fwd_cache[microbatch][0]
        found: list[Tensor | None] = [None] * len(outputs)
        for stage, taken in self.targets().items():
            rank = self.stage_index_to_group_rank[stage]
            received = self._links.receive(stage, self.stage_index, microbatch, rank)
            for i, grad in zip(range(len(outputs)) if taken == [-1] else taken, received):
                found[i] = grad
        return tuple(found)

    def send_gradients(self, microbatch: int, local: dict[int, _PipelineStageBase]) -> None:
        """Send the gradients of the received inputs of a microbatch to the stages that they come from.

        Args:
          microbatch (int): the microbatch.
          local (dict): the stages of this process by their numbers.
        """
        if not self.has_backward:
            return
        grads, order = self.bwd_cache.pop(microbatch), self.sources()
        for stage in dict.fromkeys(stage for stage, _ in order):
            chosen = grads if order == [(stage, -1)] else tuple(g for g, each in zip(grads, order) if each[0] == stage)
            self._pass_on(chosen, stage, microbatch, local)

    def backward_maybe_with_nosync(self, values: dict[str, Any], last_backward: bool) -> tuple[Tensor | None, ...]:
        """Run a backward pass. Wrappers of data parallelism average the gradients in the last pass of a step.

        Args:
          values (dict): the arguments of `stage_backward`.
          last_backward: whether this is the last pass of the step.
        """
        if isinstance(self.submod, DistributedDataParallel):
            if not last_backward:
                with self.submod.no_sync():
                    return stage_backward(**values)
            outputs = [x for x in tree_leaves(values["stage_output"]) if isinstance(x, Tensor)]
            self.submod.reducer.prepare_for_backward(outputs)
        elif isinstance(self.submod, FSDPModule):
            self.submod.set_is_last_backward(last_backward)
            self.submod.set_reshard_after_backward(last_backward)
            self.submod.set_requires_gradient_sync(last_backward)
        return stage_backward(**values)

    def backward_one_chunk(
        self, bwd_chunk_id: int, loss: Tensor | None = None, full_backward: bool = True, last_backward: bool = False
    ) -> None:
        """Run the backward pass of a microbatch.

        Args:
          bwd_chunk_id (int): the microbatch.
          loss (Tensor, optional): the loss, in the last stage.
          full_backward: False if `backward_weight_one_chunk` follows. Of the first stage, and with `dw_builder`, it
            computes the gradients of the parameters; elsewhere they are computed here too.
          last_backward: whether this is the last backward pass of the step.
        """
        if not self.has_backward:
            return
        grads = None if self.is_last else self.receive_gradients(bwd_chunk_id)
        outputs, inputs, count = self.fwd_cache.pop(bwd_chunk_id)
        values = {"stage_output": loss if self.is_last else outputs, "output_grads": grads, "input_values": inputs}
        if self.dw_builder is not None:
            found = self.backward_maybe_with_nosync(values, last_backward)
            self.dw_runner[bwd_chunk_id] = self.dw_builder()
            if full_backward:
                self.dw_runner.pop(bwd_chunk_id)()
        elif not full_backward and self.is_first:
            found, self.backward_state[bwd_chunk_id] = (), values
        else:
            found = self.backward_maybe_with_nosync(values, last_backward)
            if not full_backward:
                self.backward_state[bwd_chunk_id] = {}
                _detach(as_tuple(values["stage_output"]))
        self.bwd_cache[bwd_chunk_id] = found[:count]
        if self.is_last and not self.is_first:
            _detach(outputs)

    def backward_weight_one_chunk(self, bwd_chunk_id: int, last_backward: bool = False) -> None:
        """Finish the backward pass of a microbatch after `backward_one_chunk` with `full_backward=False`.

        Args:
          bwd_chunk_id (int): the microbatch.
          last_backward: whether this is the last backward pass of the step.

        Raises:
          AssertionError: `backward_one_chunk` was not called.
        """
        if not self.has_backward:
            return
        if bwd_chunk_id not in self.dw_runner and bwd_chunk_id not in self.backward_state:
            raise AssertionError(
                f"{self.log_prefix} Attempted to run backward_weight_one_chunk for chunk {bwd_chunk_id}"
                " without first calling `backward_one_chunk(full_backward=False)`"
            )
        if self.dw_builder is not None:
            self.dw_runner.pop(bwd_chunk_id)()
            return
        values = self.backward_state.pop(bwd_chunk_id)
        if values:
            self.backward_maybe_with_nosync(values, last_backward)

    def scale_grads(self, grad_scale_factor: int) -> None:
        """Divide the gradients of the parameters.

        Args:
          grad_scale_factor (int): the divisor, usually the number of microbatches.
        """
        if grad_scale_factor != 1:
            for p in self.submod.parameters():
                if p.grad is not None:
                    p.grad.div_(grad_scale_factor)

    def perform_reduce_grad(self, grad_scale_factor: int) -> None:
        """Finish the gradients after the last backward pass of a step.

        Args:
          grad_scale_factor (int): the divisor of the gradients.
        """
        self.scale_grads(grad_scale_factor)


def _detach(tensors: tuple) -> None:
    """Drop the autograd graphs of tensors. Views keep theirs."""
    for x in tensors:
        if not x._is_view():
            x.detach_()
