"""The base classes of schedules with several stages per rank."""

from __future__ import annotations

import csv
import logging
from collections.abc import Callable, Sequence
from typing import Any, Literal

from torchlike import Tensor
from torchlike._internal import _errors

from ._actions import COMPUTING, Order, _Action, format_pipeline_order, with_reductions
from ._checks import validated
from ._schedule_base import _PipelineSchedule
from ._stage_base import _PipelineStageBase
from ._utils import PipeliningMetadataError, generate_stage_to_rank_mapping
from .microbatch import TensorChunkSpec

logger = logging.getLogger("torchlike.distributed.pipelining.schedules")


class PipelineScheduleMulti(_PipelineSchedule):
    """The base class of schedules with several stages per rank. Subclasses set `pipeline_order`.

    Args:
      stages (list): the stages of this rank.
      n_microbatches (int): the number of microbatches.
      loss_fn (function, optional): maps an output and a target to a loss. Without it, a step computes no gradients.
      args_chunk_spec (tuple, optional): how positional arguments are divided. Default: tensors along dim 0.
      kwargs_chunk_spec (dict, optional): how keyword arguments are divided.
      output_merge_spec (tuple or dict, optional): how outputs are merged. Default: along dim 0.
      use_full_backward: has no effect, except for a warning in the log.
      scale_grads: divide the gradients by the number of microbatches.
      backward_requires_autograd: whether a step with a loss needs gradients to be enabled.
    """

    def __init__(
        self,
        stages: list[_PipelineStageBase],
        n_microbatches: int,
        loss_fn: Callable[..., Tensor] | None = None,
        args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: dict[str, Any] | tuple[Any] | None = None,
        use_full_backward: bool | None = None,
        scale_grads: bool = True,
        backward_requires_autograd: bool = True,
    ) -> None:
        specs = args_chunk_spec, kwargs_chunk_spec, output_merge_spec
        super().__init__(n_microbatches, loss_fn, *specs, scale_grads)
        self._stages, self._num_stages = stages, stages[0].num_stages
        self.pp_group_size, self.rank = stages[0].group_size, stages[0].group_rank
        self._requires_autograd = backward_requires_autograd
        self.pipeline_order: dict[int, Order] = {}
        self._place_stages(generate_stage_to_rank_mapping(self.pp_group_size, self._num_stages))
        if use_full_backward is not None:
            logger.warning(
                "Deprecation warning: 'use_full_backward' is no longer supported. "
                "Simply stop passing it, and everything should still work fine."
            )

    def _own_stages(self) -> Sequence[_PipelineStageBase]:
        return self._stages

    def _place_stages(self, ranks: dict[int, int]) -> None:
        """Set the rank of each stage."""
        self.stage_index_to_group_rank = ranks
        for stage in self._stages:
            stage.stage_index_to_group_rank = ranks

    def _validate_and_set_stage_mapping(self, actions: dict[int, Order]) -> None:
        self._place_stages(validated(actions, self.pp_group_size, self._num_stages, self._n_microbatches))

    def _set_order(self, order: dict[int, Order]) -> None:
        """Check and set the actions of all ranks."""
        for rank, actions in order.items():
            for i, action in enumerate(actions):
                if action is not None and action.computation_type not in COMPUTING:
                    raise ValueError(
                        f"Expected compute-only schedule but found communication action '{action}' at rank {rank}, "
                        f"position {i}. Communication actions (e.g. SEND_F, RECV_F, etc.) should not be present when "
                        "format='compute_only'."
                    )
        self.pipeline_order = order
        self._validate_and_set_stage_mapping(order)

    def _dump_csv(self, filename: str) -> None:
        """Write the actions of each rank as a row of a CSV file."""
        with open(filename, "w", newline="") as file:
            csv.writer(file).writerows(self.pipeline_order.values())

    def _load_csv(self, filename: str, format: Literal["compute_only", "compute_comms"] = "compute_only") -> None:
        """Read the actions of each rank from a CSV file. The file has no actions that send or receive."""
        if format != "compute_only":
            raise AssertionError(f'format must be "compute_only", got {format}')
        with open(filename, newline="") as file:
            self._set_order({rank: [*map(_Action.from_str, row)] for rank, row in enumerate(csv.reader(file))})

    def _check_neighbours(self) -> None:
        """Raise RuntimeError if a stage takes outputs of a stage that is not the one before it."""
        for stage in self._stages:
            found = {source for source, _ in stage.sources()}, set(stage.targets())
            allowed = [{stage.stage_index + step} for step in (-1, 1)]
            for direction, actual, wanted in zip(("forward recv", "forward send"), found, allowed):
                if actual - wanted:
                    raise RuntimeError(
                        "PipelineScheduleMulti only supports adjacent-stage communication, but stage "
                        f"{stage.stage_index} has {direction} stages {sorted(actual)} with non-adjacent stages "
                        f"{sorted(actual - wanted)} (allowed adjacent stages: {sorted(wanted)}). This commonly "
                        "indicates skip connections, which are unsupported in this schedule runtime."
                    )

    def _step_microbatches(
        self,
        arg_mbs: list | None = None,
        kwarg_mbs: list | None = None,
        target_mbs: list | None = None,
        losses: list | None = None,
        return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None,
    ) -> None:
        arg_mbs, kwarg_mbs = self._check_inputs(arg_mbs, kwarg_mbs, target_mbs, losses)
        self._check_neighbours()
        own = self.pipeline_order.get(self.rank)
        if own is None:
            raise PipeliningMetadataError("The schedule has no actions: set them by `_load_csv`")
        order = with_reductions(own, self._n_microbatches)
        self._run(order, arg_mbs, kwarg_mbs, target_mbs, return_outputs=return_outputs, loss_kwargs=loss_kwargs)
        self._update_losses(self._stages, losses)

    def _report(self, error: Exception, step: int, action: _Action) -> None:
        logger.error(
            "[Rank %s] pipeline schedule %s caught the following exception '%s' at time_step %s when running action %s",
            self.rank,
            self.__class__.__name__,
            error,
            step,
            action,
        )
        table = {rank: with_reductions(order, self._n_microbatches) for rank, order in self.pipeline_order.items()}
        logger.error("%s", format_pipeline_order(table, error_step_number=step))


class _PipelineScheduleRuntime(PipelineScheduleMulti):
    """The base class of the schedules that are ready for use.

    Args:
      *args, **kwargs: the arguments of `PipelineScheduleMulti`.
      defer_pp_recv: has no effect: inputs are received when they are needed.
    """

    def __init__(self, *args: Any, defer_pp_recv: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._defer_pp_recv = defer_pp_recv

    def register_custom_function(self, computation_type: Any, custom_function: Any) -> None:
        """Replace the execution of a kind of action. Not supported: the call raises NotImplementedError.

        Args:
          computation_type, custom_function: not supported.
        """
        instead = "schedules run their actions themselves"
        raise _errors.arguments.cannot("distributed.pipelining.register_custom_function", instead)
