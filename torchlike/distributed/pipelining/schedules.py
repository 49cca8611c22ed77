"""The schedules of pipelines. They run the same computations in different orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torchlike import Tensor
from torchlike.nn import Module

from . import _orders, _v_orders
from ._actions import Order, with_reductions
from ._actions import _Action as _Action
from ._actions import _ComputationType as _ComputationType
from ._actions import format_pipeline_order as _format_pipeline_order  # noqa: F401 - PyTorch's name
from ._multi import PipelineScheduleMulti as PipelineScheduleMulti
from ._multi import _PipelineScheduleRuntime as _PipelineScheduleRuntime
from ._schedule_base import _PipelineSchedule as _PipelineSchedule
from ._stage_base import _PipelineStageBase
from ._utils import generate_stage_to_rank_mapping
from .microbatch import TensorChunkSpec


class PipelineScheduleSingle(_PipelineSchedule):
    """The base class of schedules with one stage per rank. Subclasses define `_step_microbatches`.

    Args:
      stage (PipelineStage): the stage of this rank.
      n_microbatches (int): the number of microbatches.
      loss_fn (function, optional): maps an output and a target to a loss. Without it, a step computes no gradients.
      args_chunk_spec (tuple, optional): how positional arguments are divided. Default: tensors along dim 0.
      kwargs_chunk_spec (dict, optional): how keyword arguments are divided.
      output_merge_spec (tuple or dict, optional): how outputs are merged. Default: along dim 0.
      scale_grads: divide the gradients by the number of microbatches.
    """

    def __init__(
        self,
        stage: _PipelineStageBase,
        n_microbatches: int,
        loss_fn: Callable[..., Tensor] | None = None,
        args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: dict[str, Any] | tuple[Any] | None = None,
        scale_grads: bool = True,
    ) -> None:
        specs = args_chunk_spec, kwargs_chunk_spec, output_merge_spec
        super().__init__(n_microbatches, loss_fn, *specs, scale_grads)
        self._stage, self._num_stages = stage, stage.num_stages
        self.pipeline_order = self._get_pipeline_order()

    def _own_stages(self) -> Sequence[_PipelineStageBase]:
        return [self._stage]

    def _get_pipeline_order(self) -> dict[int, Order] | None:
        return None

    def _run_order(
        self,
        order: Order,
        arg_mbs: list | None,
        kwarg_mbs: list | None,
        target_mbs: list | None,
        losses: list | None,
        return_outputs: bool,
        loss_kwargs: dict[str, Any] | None,
    ) -> None:
        arg_mbs, kwarg_mbs = self._check_inputs(arg_mbs, kwarg_mbs, target_mbs, losses)
        self._run(order, arg_mbs, kwarg_mbs, target_mbs, return_outputs=return_outputs, loss_kwargs=loss_kwargs)
        self._update_losses(self._stage, losses)


class _ScheduleForwardOnly(PipelineScheduleSingle):
    """The schedule that runs forward passes only."""

    def _step_microbatches(
        self,
        arg_mbs: list | None = None,
        kwarg_mbs: list | None = None,
        target_mbs: list | None = None,
        losses: list | None = None,
        return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None,
    ) -> None:
        if target_mbs is not None or losses is not None:
            raise RuntimeError("Forward-only schedule does not support loss computation")
        order = _orders.gpipe(self._stage.stage_index, self._n_microbatches)[: self._n_microbatches]
        self._run_order(order, arg_mbs, kwarg_mbs, None, None, return_outputs, loss_kwargs)


class _OrderedSingle(PipelineScheduleSingle):
    """The base class of schedules with one stage per rank that are ready for use."""

    def _order_of(self, rank: int) -> Order:
        raise NotImplementedError

    def _get_pipeline_order(self) -> dict[int, Order]:
        ranks = range(self._num_stages)
        return {rank: with_reductions(self._order_of(rank), self._n_microbatches) for rank in ranks}

    def _step_microbatches(
        self,
        arg_mbs: list | None = None,
        kwarg_mbs: list | None = None,
        target_mbs: list | None = None,
        losses: list | None = None,
        return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None,
    ) -> None:
        order = self._get_pipeline_order()[self._stage.stage_index]
        self._run_order(order, arg_mbs, kwarg_mbs, target_mbs, losses, return_outputs, loss_kwargs)


class ScheduleGPipe(_OrderedSingle):
    """GPipe: the forward passes of all microbatches, and then their backward passes.

    Args:
      stage, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads: the arguments
        of `PipelineScheduleSingle`.

    >>> import torchlike as torch
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> stage = torch.distributed.pipelining.PipelineStage(torch.nn.Identity(), 0, 1, torch.device("cpu"))
    >>> ScheduleGPipe(stage, n_microbatches=2).step(torch.arange(4.0))
    tensor([0., 1., 2., 3.])
    >>> torch.distributed.destroy_process_group()
    """

    def _order_of(self, rank: int) -> Order:
        return _orders.gpipe(rank, self._n_microbatches)


class Schedule1F1B(_OrderedSingle):
    """1F1B: one forward pass and one backward pass in turn, after some forward passes.

    Args:
      stage, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads: the arguments
        of `PipelineScheduleSingle`.

    Raises:
      ValueError: there are fewer microbatches than stages.
    """

    def __init__(
        self,
        stage: _PipelineStageBase,
        n_microbatches: int,
        loss_fn: Callable[..., Tensor] | None = None,
        args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: dict[str, Any] | tuple[Any] | None = None,
        scale_grads: bool = True,
    ) -> None:
        specs = args_chunk_spec, kwargs_chunk_spec, output_merge_spec
        super().__init__(stage, n_microbatches, loss_fn, *specs, scale_grads)
        if n_microbatches < self._num_stages:
            raise ValueError(
                f"Number of microbatches ({n_microbatches}) must be greater than "
                f"or equal to the number of stages ({self._num_stages})."
            )

    def _order_of(self, rank: int) -> Order:
        return _orders.one_forward_one_backward(rank, self._num_stages, self._n_microbatches)


class ScheduleLoopedBFS(_PipelineScheduleRuntime):
    """Looped breadth-first: each stage runs all microbatches before the next stage of the rank does.

    Args:
      stages (list): the stages of this rank.
      n_microbatches, loss_fn, output_merge_spec, scale_grads, backward_requires_autograd: the arguments of
        `PipelineScheduleMulti`.
      defer_pp_recv: has no effect: inputs are received when they are needed.
    """

    def __init__(
        self,
        stages: list[_PipelineStageBase],
        n_microbatches: int,
        loss_fn: Callable[..., Tensor] | None = None,
        output_merge_spec: dict[str, Any] | tuple[Any] | None = None,
        scale_grads: bool = True,
        backward_requires_autograd: bool = True,
        defer_pp_recv: bool = False,
    ) -> None:
        super().__init__(
            stages,
            n_microbatches,
            loss_fn,
            output_merge_spec=output_merge_spec,
            scale_grads=scale_grads,
            backward_requires_autograd=backward_requires_autograd,
            defer_pp_recv=defer_pp_recv,
        )
        size, local = self.pp_group_size, len(stages)
        self._set_order({r: _orders.looped_breadth_first(r, size, local, n_microbatches) for r in range(size)})


class _Full(_PipelineScheduleRuntime):
    """The base class of schedules with all options."""

    def __init__(
        self,
        stages: list[_PipelineStageBase],
        n_microbatches: int,
        loss_fn: Callable[..., Tensor] | None = None,
        args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: dict[str, Any] | tuple[Any] | None = None,
        scale_grads: bool = True,
        backward_requires_autograd: bool = True,
        defer_pp_recv: bool = False,
    ) -> None:
        super().__init__(
            stages,
            n_microbatches,
            loss_fn,
            args_chunk_spec,
            kwargs_chunk_spec,
            output_merge_spec,
            scale_grads=scale_grads,
            backward_requires_autograd=backward_requires_autograd,
            defer_pp_recv=defer_pp_recv,
        )
        self.n_local_stages = len(stages)
        self._prepare()

    def _prepare(self) -> None:
        raise NotImplementedError

    def _check_plain(self) -> None:
        """Raise RuntimeError if a stage has a compiled module."""
        for stage in self._stages:
            for module in stage.submod.modules() if isinstance(stage.submod, Module) else ():
                if "_orig_mod" in module._modules:  # the module of torch.compile
                    raise RuntimeError(
                        f"The {type(self).__name__} schedule is not supported with stage modules that have used "
                        f"torch.compile. Found OptimizedModule in {type(module).__name__}"
                    )

    def _interleave(self, name: str, zero_bubble: bool) -> dict[int, Order]:
        size, count = self.pp_group_size, self._n_microbatches
        self.number_of_rounds = max(1, count // size)
        self.microbatches_per_round = count // self.number_of_rounds
        if count % self.number_of_rounds != 0:
            raise ValueError(
                f"{name} requires the number of microbatches to be a multiple of the number of rounds "
                f"({self.number_of_rounds}), but got {count}."
            )
        options = self.n_local_stages, count, self.microbatches_per_round, zero_bubble
        return {rank: _orders.interleaved(rank, size, *options) for rank in range(size)}

    def _place_in_v(self) -> None:
        """Place the two stages of each rank in V form."""
        self._place_stages(generate_stage_to_rank_mapping(self.pp_group_size, self._num_stages, style="v"))
        if self.n_local_stages != 2:
            raise ValueError(f"ZBV requires exactly 2 stages per rank, but got {self.n_local_stages}.")
        self.num_stages = self._num_stages


class ScheduleInterleaved1F1B(_Full):
    """Interleaved 1F1B: one forward pass and one backward pass in turn, with several stages per rank.

    Args:
      stages, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec: the arguments of
        `PipelineScheduleMulti`.
      scale_grads, backward_requires_autograd: arguments of `PipelineScheduleMulti` too.
      defer_pp_recv: has no effect: inputs are received when they are needed.

    Raises:
      ValueError: the number of microbatches is not a multiple of the number of rounds.
    """

    def _prepare(self) -> None:
        self._set_order(self._interleave("Interleaved 1F1B", False))


class ScheduleInterleavedZeroBubble(_Full):
    """Interleaved 1F1B in which the first stage delays the gradients of its parameters.

    Args:
      stages, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec: the arguments of
        `PipelineScheduleMulti`.
      scale_grads, backward_requires_autograd: arguments of `PipelineScheduleMulti` too.
      defer_pp_recv: has no effect: inputs are received when they are needed.

    Raises:
      ValueError: the number of microbatches is not a multiple of the number of rounds.
      RuntimeError: a stage has a compiled module.
    """

    def _prepare(self) -> None:
        self._check_plain()
        orders = self._interleave("Zero bubble", True)
        self._set_order(_orders.with_bubbles(orders, self.n_local_stages * self.pp_group_size))


class ScheduleZBVZeroBubble(_Full):
    """The zero-bubble schedule in V form. Each rank has two stages: `rank` and `num_stages - 1 - rank`.

    Args:
      stages, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec: the arguments of
        `PipelineScheduleMulti`.
      scale_grads, backward_requires_autograd: arguments of `PipelineScheduleMulti` too.
      defer_pp_recv: has no effect: inputs are received when they are needed.

    Raises:
      ValueError: a rank has another number of stages.
      RuntimeError: a stage has a compiled module.
    """

    def _prepare(self) -> None:
        self._check_plain()
        self._place_in_v()
        size = self.pp_group_size
        self._set_order({r: _v_orders.zbv(r, size, self._num_stages, self._n_microbatches) for r in range(size)})


class ScheduleDualPipeV(_Full):
    """DualPipeV: forward passes of one stage next to backward passes of the other stage of a rank.

    Args:
      stages, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec: the arguments of
        `PipelineScheduleMulti`.
      scale_grads, backward_requires_autograd: arguments of `PipelineScheduleMulti` too.
      defer_pp_recv: has no effect: inputs are received when they are needed.

    Raises:
      ValueError: a rank does not have two stages, or there are fewer microbatches than stages.
      RuntimeError: a stage has a compiled module.
    """

    def _prepare(self) -> None:
        self._check_plain()
        self._place_in_v()
        if self._n_microbatches < self._num_stages:
            raise ValueError(
                f"DualPipeV requires at least as many microbatches as stages, but got {self._n_microbatches} "
                f"microbatches and {self._num_stages} stages."
            )
        size = self.pp_group_size
        self._set_order({rank: _v_orders.dual_pipe_v(rank, size, self._n_microbatches) for rank in range(size)})


_BY_NAME: dict[str, type[_PipelineSchedule]] = {
    "1F1B": Schedule1F1B,
    "Interleaved1F1B": ScheduleInterleaved1F1B,
    "GPipe": ScheduleGPipe,
    "LoopedBFS": ScheduleLoopedBFS,
    "InterleavedZeroBubble": ScheduleInterleavedZeroBubble,
    "PipelineScheduleSingle": PipelineScheduleSingle,
    "PipelineScheduleMulti": PipelineScheduleMulti,
    "ZBVZeroBubble": ScheduleZBVZeroBubble,
    "DualPipeV": ScheduleDualPipeV,
}


def get_schedule_class(schedule_name: str) -> type[_PipelineSchedule]:
    """Return the class of a schedule.

    Args:
      schedule_name (str): the name, in upper or lower case.

    Raises:
      ValueError: the name is unknown.

    >>> get_schedule_class("gpipe").__name__
    'ScheduleGPipe'
    """
    found = {name.lower(): schedule for name, schedule in _BY_NAME.items()}.get(schedule_name.lower())
    if found is None:
        raise ValueError(f"Unknown schedule name '{schedule_name}'. The valid options are {[*_BY_NAME]}")
    return found
