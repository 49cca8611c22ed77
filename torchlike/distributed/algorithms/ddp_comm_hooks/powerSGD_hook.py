"""PowerSGD (arXiv:1905.13727): hooks that send products of narrow matrices instead of gradients."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import torchlike
from torchlike import Tensor, futures
from torchlike.distributed import _collectives as c
from torchlike.distributed._c10d._buckets import GradBucket
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._world import default, member
from torchlike.distributed.algorithms.ddp_comm_hooks import default_hooks
from torchlike.distributed.algorithms.ddp_comm_hooks._low_rank import Factors

logger = logging.getLogger(__name__)


class PowerSGDState:
    """The state of `powerSGD_hook` and `batched_powerSGD_hook`: their options, and what they keep between steps.

    Args:
      process_group (ProcessGroup or None): the processes. None means all.
      matrix_approximation_rank (int, default 1): the number of columns of the narrow matrices.
      start_powerSGD_iter (int, default 1000): the number of steps with plain averages before the compression begins.
      min_compression_rate (float, default 2): a gradient is compressed if that divides its size by more than this.
      use_error_feedback (bool, default True): whether the error of a step is added to the gradients of the next one.
      warm_start (bool, default True): whether a step starts with the narrow matrices of the step before.
      orthogonalization_epsilon (float, default 0): is added to the norms of columns before divisions.
      random_seed (int, default 0): the seed of the first narrow matrices. It must be the same in all processes.
      compression_stats_logging_frequency (int, default 10000): the number of steps between two log lines.
      batch_tensors_with_same_shape (bool, default False): whether gradients of one shape are multiplied together.

    Raises:
      ValueError: `start_powerSGD_iter` is less than 2, with error feedback or a warm start.
    """

    __slots__ = [
        "batch_tensors_with_same_shape",
        "compression_stats_logging_frequency",
        "error_dict",
        "iter",
        "matrix_approximation_rank",
        "min_compression_rate",
        "next_stats_report",
        "orthogonalization_epsilon",
        "p_memory_dict",
        "process_group",
        "q_memory_dict",
        "rng",
        "start_powerSGD_iter",
        "total_numel_after_compression",
        "total_numel_before_compression",
        "use_error_feedback",
        "warm_start",
    ]

    def __init__(
        self,
        process_group: ProcessGroup | None,
        matrix_approximation_rank: int = 1,
        start_powerSGD_iter: int = 1_000,
        min_compression_rate: float = 2,
        use_error_feedback: bool = True,
        warm_start: bool = True,
        orthogonalization_epsilon: float = 0,
        random_seed: int = 0,
        compression_stats_logging_frequency: int = 10_000,
        batch_tensors_with_same_shape: bool = False,
    ) -> None:
        options = {name: value for name, value in locals().items() if name in self.__slots__ or name == "random_seed"}
        options.pop("process_group")
        logger.info("PowerSGD config: %s", "; ".join(f"{name} = {value}" for name, value in options.items()))
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError(
                "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, because "
                "PowerSGD can only be applied after the first two iterations in DDP."
            )
        self.process_group = process_group
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.use_error_feedback, self.warm_start = use_error_feedback, warm_start
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.rng = np.random.RandomState(random_seed)
        self.error_dict: dict[int, Tensor] = {}
        self.p_memory_dict: dict[int, Tensor] = {}
        self.q_memory_dict: dict[int, Tensor] = {}
        self.iter = 0
        self.total_numel_before_compression = self.total_numel_after_compression = 0
        self.compression_stats_logging_frequency = max(1, compression_stats_logging_frequency)
        self.next_stats_report = 0
        self.batch_tensors_with_same_shape = batch_tensors_with_same_shape

    def __getstate__(self) -> dict[str, Any]:
        logger.warning("NOTE: Process group is not serializable and excluded from a saved state.")
        return {slot: getattr(self, slot) for slot in self.__slots__ if slot != "process_group"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.process_group = default()
        logger.warning(
            "NOTE: Process group will be set to a default group (i.e. the world size). If a different group is "
            "desired, please set `self.process_group` after PowerSGD state is loaded."
        )
        for slot, value in state.items():
            setattr(self, slot, value)

    def maybe_increase_iter(self, bucket: GradBucket) -> None:
        """Count a step, if the bucket is the last one of the step.

        Args:
          bucket (GradBucket): the bucket.
        """
        if bucket.is_last():
            self.iter += 1
        if self.iter == self.start_powerSGD_iter:
            logger.info("Start to apply PowerSGD after %s iterations.", self.iter)

    def compression_stats(self) -> tuple[float, int, int]:
        """Return the compression rate, and the numbers of elements before and after the compression."""
        before, after = self.total_numel_before_compression, self.total_numel_after_compression
        return before / after if after > 0 else 0, before, after

    def _count(self, before: int, after: int) -> None:
        self.total_numel_before_compression += before
        self.total_numel_after_compression += after

    def _report(self, bucket: GradBucket) -> None:
        if bucket.is_last() and self.iter >= self.next_stats_report:
            told = "Compression stats: iter %s, total before compression %s, total after compression %s, rate %s"
            rate, before, after = self.compression_stats()
            logger.info(told, self.iter, before, after, rate)
            self.next_stats_report = self.iter + self.compression_stats_logging_frequency

    def _corrected(self, index: int, flat: Tensor) -> Tensor | None:
        """Add the error of the step before to the gradients. Return a copy of them, from which to take the next one."""
        if not self.use_error_feedback:
            return None
        if index in self.error_dict:
            flat.add_(self.error_dict[index])
        return torchlike.clone(flat).detach()

    def _factors(self, index: int, batches: list[Tensor]) -> Factors:
        """Return the factors of the step before, with a warm start, or new ones."""
        rank = self.matrix_approximation_rank
        if self.warm_start and index in self.p_memory_dict:
            return Factors(batches, rank, (self.p_memory_dict[index], self.q_memory_dict[index]))
        factors = Factors(batches, rank)
        self.p_memory_dict[index], self.q_memory_dict[index] = factors.p, factors.q
        factors.draw(self.rng.randint(1_000_000_000))
        return factors

    def _finish(self, bucket: GradBucket, local: Tensor | None, approximation: Tensor) -> None:
        """Keep the error of this step, and count the step."""
        index = bucket.index()
        if local is not None:
            self.error_dict[index] = local - approximation
        if not self.warm_start:
            self.p_memory_dict.clear()
            self.q_memory_dict.clear()
        self.maybe_increase_iter(bucket)


def powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> futures.Future[Tensor]:
    """Average a bucket, with gradients of matrices compressed one by one.

    A gradient of shape (n, ...) is a matrix of n rows. Gradients that are not worth a compression are averaged as they
    are.

    Args:
      state (PowerSGDState): the options, and what is kept between steps.
      bucket (GradBucket): the gradients.

    Returns:
      A future with the averaged gradients.
    """
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return default_hooks.allreduce_hook(state.process_group, bucket)
    group, flat = member(state.process_group), bucket.buffer()
    local = state._corrected(bucket.index(), flat)
    plain, shapes = _sorted(state, bucket.gradients())
    state._report(bucket)
    stacked = list(_stacked(list(shapes.values()), state.batch_tensors_with_same_shape))
    factors = state._factors(bucket.index(), [batch for batch, _ in stacked])
    averaged = torchlike.cat([x.reshape(-1) for x in plain]) if plain else torchlike.zeros(0, dtype=flat.dtype)
    factors.compute_p(state.orthogonalization_epsilon)
    c.all_reduce(averaged, group=group)
    c.all_reduce(factors.p, group=group)
    averaged.div_(group.size())
    for x, part in zip(plain, averaged.split([x.numel() for x in plain])):
        x.copy_(part.view_as(x))
    factors.compute_q(state.orthogonalization_epsilon)
    c.all_reduce(factors.q, group=group)
    factors.q.div_(group.size())
    factors.multiply()
    for batch, originals in stacked:
        for original, matrix in zip(originals, batch):
            original.copy_(matrix)
    state._finish(bucket, local, flat)
    return default_hooks.done(flat)


def batched_powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> futures.Future[Tensor]:
    """Average a bucket, with all gradients compressed as one square matrix, padded with zeros.

    This is faster than `powerSGD_hook`, and less accurate.

    Args:
      state (PowerSGDState): the options, and what is kept between steps.
      bucket (GradBucket): the gradients.

    Returns:
      A future with the averaged gradients.
    """
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return default_hooks.allreduce_hook(state.process_group, bucket)
    group, flat = member(state.process_group), bucket.buffer()
    total = flat.shape[0]
    side = math.ceil(math.sqrt(total))
    state._count(total, side * state.matrix_approximation_rank * 2)
    padded = torchlike.nn.functional.pad(flat, (0, side * side - total))
    local = state._corrected(bucket.index(), padded)
    state._report(bucket)
    factors = state._factors(bucket.index(), [padded.view(1, side, side)])
    factors.compute_p(state.orthogonalization_epsilon)
    c.all_reduce(factors.p, group=group)
    factors.compute_q(state.orthogonalization_epsilon)
    c.all_reduce(factors.q, group=group)
    factors.q.div_(group.size())
    factors.multiply()
    state._finish(bucket, local, padded)
    return default_hooks.done(padded[:total])


def _sorted(state: PowerSGDState, gradients: list[Tensor]) -> tuple[list[Tensor], dict[tuple, list[Tensor]]]:
    """Return the gradients that are not worth a compression, and the matrices of the others by shape."""
    plain: list[Tensor] = []
    shapes: dict[tuple, list[Tensor]] = {}
    for gradient in gradients:
        matrix = gradient.view(gradient.shape[0], -1)
        rows, columns = matrix.shape
        small = (rows + columns) * min(rows, columns, state.matrix_approximation_rank)
        is_worth = small * state.min_compression_rate < rows * columns
        state._count(rows * columns, small if is_worth else rows * columns)
        if is_worth:
            shapes.setdefault(tuple(matrix.shape), []).append(matrix)
        else:
            plain.append(gradient)
    return plain, shapes


def _stacked(groups: list[list[Tensor]], together: bool) -> Iterator[tuple[Tensor, list[Tensor]]]:
    """Yield batches of matrices, each with the matrices that get its results: none, if it is a view of its matrix."""
    for matrices in groups:
        if together and len(matrices) > 1:
            yield torchlike.stack(matrices), matrices
        else:
            for matrix in matrices:
                yield matrix.unsqueeze(0), []


__all__ = ["PowerSGDState", "batched_powerSGD_hook", "powerSGD_hook"]
