"""The base class of schedules: division of a batch into microbatches, and execution of the actions of a rank."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.profiler import record_function

from ._actions import _Action, _ComputationType
from ._stage_base import _PipelineStageBase
from .microbatch import TensorChunkSpec, _split_tensor, merge_chunks, split_args_kwargs_into_chunks

_Kind = _ComputationType
_BATCH_DIM = TensorChunkSpec(0)


class _PipelineSchedule(ABC):
    """The base class of schedules.

    Args:
      n_microbatches (int): the number of microbatches.
      loss_fn (function, optional): maps an output and a target to a loss. Without it, a step computes no gradients.
      args_chunk_spec (tuple, optional): how positional arguments are divided. Default: tensors along dim 0.
      kwargs_chunk_spec (dict, optional): how keyword arguments are divided.
      output_merge_spec (tuple or dict, optional): how outputs are merged. Default: along dim 0.
      scale_grads: divide the gradients by the number of microbatches.
    """

    _requires_autograd = True

    def __init__(
        self,
        n_microbatches: int,
        loss_fn: Callable[..., Tensor] | None = None,
        args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: dict[str, Any] | tuple[Any] | None = None,
        scale_grads: bool = True,
    ) -> None:
        self._n_microbatches, self._loss_fn, self.scale_grads = n_microbatches, loss_fn, scale_grads
        self._args_chunk_spec, self._kwargs_chunk_spec = args_chunk_spec, kwargs_chunk_spec
        self._output_merge_spec = output_merge_spec
        self._has_backward = loss_fn is not None
        self._internal_losses: list[Tensor] = []
        self._backwards: Counter[int] = Counter()  # the backward passes of each stage in this step

    @abstractmethod
    def _own_stages(self) -> Sequence[_PipelineStageBase]:
        """Return the stages of this rank."""

    @abstractmethod
    def _step_microbatches(
        self,
        arg_mbs: list | None = None,
        kwarg_mbs: list | None = None,
        target_mbs: list | None = None,
        losses: list | None = None,
        return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Run a step on the arguments and targets of the microbatches."""

    def step(
        self,
        *args: Any,
        target: Any = None,
        losses: list | None = None,
        return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Run forward and backward passes on a batch.

        Args:
          *args: the inputs of the model, in the rank of the first stage.
          target (Tensor, optional): the target of the loss, in the rank of the last stage.
          losses (list, optional): receives the losses of the microbatches, in the rank of the last stage.
          return_outputs: whether to return the output.
          loss_kwargs (dict, optional): more arguments of the loss function.
          **kwargs: the keyword arguments of the stages of this rank.

        Returns:
          The output of the last stage, or None in other ranks.

        Raises:
          RuntimeError: gradients are needed but disabled, or a stage raises an error.
        """
        if self._has_backward and self._requires_autograd and not torchlike.is_grad_enabled():
            raise RuntimeError(
                "step() requires gradients to be enabled for backward computation; it should not be used under "
                "torch.no_grad() context. Please call eval() instead."
            )
        stages = self._own_stages()
        for stage in stages:
            stage.has_backward = self._has_backward
            stage.clear_runtime_states()
        arg_mbs, kwarg_mbs = self._split_inputs(args, kwargs)
        targets = None if target is None else [*_split_tensor(target, _BATCH_DIM, self._n_microbatches)]
        self._step_microbatches(arg_mbs, kwarg_mbs, targets, losses, return_outputs, loss_kwargs=loss_kwargs)
        last = [stage for stage in stages if stage.is_last]
        return self._merge_outputs(last[0].output_chunks) if last and return_outputs else None

    def eval(self, *args: Any, target: Any = None, losses: list | None = None, **kwargs: Any) -> Any:
        """Run forward passes only.

        Args:
          *args, **kwargs: the arguments of `step`.
          target (Tensor, optional): the target of the loss. It is needed if the schedule has a loss function.
          losses (list, optional): receives the losses of the microbatches.
        """
        before = self._has_backward
        try:
            self._has_backward = False
            return self.step(*args, target=target, losses=losses, **kwargs)
        finally:
            self._has_backward = before

    # -- parts of a step -----------------------------------------------------------------------------------------------

    def _check_inputs(
        self,
        arg_mbs: list | None = None,
        kwarg_mbs: list | None = None,
        target_mbs: list | None = None,
        losses: list | None = None,
    ) -> tuple[list, list]:
        for name, given in (("arg_mbs", arg_mbs), ("kwarg_mbs", kwarg_mbs), ("target_mbs", target_mbs)):
            if given is None:
                continue
            if not isinstance(given, list):
                raise TypeError(f"{name} must be a list but got a {type(given)}")
            if len(given) != self._n_microbatches:
                raise ValueError(f"Expecting {self._n_microbatches} {name} but got {len(given)}")
        if losses is not None and not isinstance(losses, list):
            raise TypeError(f"losses must be a list but got a {type(losses)}")
        count = self._n_microbatches
        return [()] * count if arg_mbs is None else arg_mbs, [{}] * count if kwarg_mbs is None else kwarg_mbs

    def _split_inputs(self, args: tuple, kwargs: dict[str, Any] | None = None) -> tuple[list[tuple], list[dict]]:
        if not args and not kwargs:
            return [()] * self._n_microbatches, [{}] * self._n_microbatches
        specs = self._args_chunk_spec, self._kwargs_chunk_spec
        return split_args_kwargs_into_chunks(args, kwargs, self._n_microbatches, *specs)

    def _merge_outputs(self, output_chunks: list) -> Any:
        return merge_chunks(output_chunks, self._output_merge_spec)

    def _compute_loss(self, output: Any, target: Any, loss_kwargs: dict[str, Any] | None = None) -> Tensor:
        return self._loss_fn(output, target, **(loss_kwargs or {}))  # type: ignore[misc]

    def _maybe_compute_loss(
        self, stage: _PipelineStageBase, output: Any, target_mbs: Any, mb_index: int, loss_kwargs: Any = None
    ) -> None:
        if stage.is_last and self._loss_fn is not None:
            self._internal_losses.append(self._compute_loss(output, target_mbs[mb_index], loss_kwargs))

    def _maybe_get_loss(self, stage: _PipelineStageBase, mb_index: int) -> Tensor | None:
        is_there = 0 <= mb_index < len(self._internal_losses)
        if stage.is_last and self._loss_fn is not None and is_there:
            return self._internal_losses[mb_index]
        if self._internal_losses and not is_there:
            raise RuntimeError(
                f"Loss for microbatch {mb_index} is not available. "
                f"Available losses for microbatches: {self._internal_losses}"
            )
        return None

    def _update_losses(self, stages: Any, losses: list | None) -> None:
        """Move the losses of the step to the user's list."""
        stages = stages if isinstance(stages, list) else [stages]
        if losses is not None and any(stage.is_last for stage in stages):
            if len(self._internal_losses) != self._n_microbatches:
                raise RuntimeError(f"Expecting {self._n_microbatches} losses but got {len(self._internal_losses)}")
            losses[:] = self._internal_losses
        self._internal_losses.clear()

    # -- execution -----------------------------------------------------------------------------------------------------

    def _run(
        self, order: Iterable[_Action | None], arg_mbs: Any, kwarg_mbs: Any, target_mbs: Any, **options: Any
    ) -> None:
        """Execute the actions of this rank. Stages receive what they need, and send their results at once."""
        self._backwards.clear()
        for step, action in enumerate(order):
            if action is None:
                continue
            try:
                with record_function(f"PP:{action}"):
                    for part in action.parts():
                        self._perform(part, arg_mbs, kwarg_mbs, target_mbs, **options)
            except Exception as error:
                self._report(error, step, action)
                raise

    def _report(self, error: Exception, step: int, action: _Action) -> None:
        """Log an error of an action. Schedules with one stage per rank log nothing."""
        return

    def _perform(
        self,
        action: _Action,
        arg_mbs: list,
        kwarg_mbs: list,
        target_mbs: Any,
        return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None,
    ) -> None:
        stages = {stage.stage_index: stage for stage in self._own_stages()}
        stage, kind = stages[action.stage_index], action.computation_type
        if kind == _Kind.REDUCE_GRAD:
            stage.perform_reduce_grad(self._n_microbatches if self.scale_grads else 1)
            return
        i = action.microbatch_index
        if i is None:
            raise AssertionError("All currently supported action types require valid microbatch_index")
        if kind == _Kind.FORWARD:
            output = stage.forward_one_chunk(i, arg_mbs[i], kwarg_mbs[i], save_forward_output=return_outputs)
            stage.send_outputs(i, stages)
            self._maybe_compute_loss(stage, output, target_mbs, i, loss_kwargs)
        elif kind == _Kind.BACKWARD_WEIGHT:
            stage.backward_weight_one_chunk(i, last_backward=self._is_last_backward(stage, kind))
        elif kind in (_Kind.FULL_BACKWARD, _Kind.BACKWARD_INPUT):
            last, full = self._is_last_backward(stage, kind), kind == _Kind.FULL_BACKWARD
            stage.backward_one_chunk(i, self._maybe_get_loss(stage, i), full_backward=full, last_backward=last)
            stage.send_gradients(i, stages)
        else:
            raise ValueError(f"Unknown computation type {kind}")

    def _is_last_backward(self, stage: _PipelineStageBase, kind: _ComputationType) -> bool:
        """Count the actions that compute gradients of parameters, and return whether this is the last one."""
        delayed = _Kind.BACKWARD_WEIGHT if stage.is_first else _Kind.BACKWARD_INPUT
        self._backwards[stage.stage_index] += kind in (_Kind.FULL_BACKWARD, delayed)
        return self._backwards[stage.stage_index] == self._n_microbatches
