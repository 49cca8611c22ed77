"""A hook that averages gradients over all processes at first, and over the processes of a subgroup later."""

from __future__ import annotations

import logging

from torchlike import Tensor, futures
from torchlike.distributed._c10d._buckets import GradBucket
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._world import new_subgroups
from torchlike.distributed.algorithms.ddp_comm_hooks import default_hooks

logger = logging.getLogger(__name__)


class PostLocalSGDState:
    """The state of `post_localSGD_hook`.

    Args:
      process_group (ProcessGroup or None): the processes before `start_localSGD_iter`. None means all.
      subgroup (ProcessGroup or None): the processes afterwards. None means those on the machine of this process.
      start_localSGD_iter (int): the number of steps before the averages over the subgroup begin.
      post_local_gradient_allreduce (bool, default True): whether gradients are averaged afterwards. If False, each
        process keeps its own.
    """

    __slots__ = ["iter", "post_local_gradient_allreduce", "process_group", "start_localSGD_iter", "subgroup"]

    def __init__(
        self,
        process_group: ProcessGroup | None,
        subgroup: ProcessGroup | None,
        start_localSGD_iter: int,
        post_local_gradient_allreduce: bool = True,
    ) -> None:
        logger.info("Local SGD will be started after %s iterations", start_localSGD_iter)
        self.process_group, self.subgroup = process_group, subgroup
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0

    def maybe_increase_iter(self, bucket: GradBucket) -> None:
        """Count a step, if the bucket is the last one of the step.

        Args:
          bucket (GradBucket): the bucket.
        """
        if bucket.is_last():
            self.iter += 1
        if self.iter == self.start_localSGD_iter:
            logger.info("Start to apply local SGD after %s iterations.", self.iter)


def post_localSGD_hook(state: PostLocalSGDState, bucket: GradBucket) -> futures.Future[Tensor]:
    """Average a bucket over all processes at first, and over the processes of a subgroup later.

    Use it with a `PeriodicModelAverager` of parameters (post-local SGD, arXiv:1808.07217).

    Args:
      state (PostLocalSGDState): the groups and the number of steps.
      bucket (GradBucket): the gradients.

    Returns:
      A future with the averaged gradients.
    """
    if state.iter < state.start_localSGD_iter:
        state.maybe_increase_iter(bucket)
        return default_hooks.allreduce_hook(state.process_group, bucket)
    if not state.post_local_gradient_allreduce:
        return default_hooks.done(bucket.buffer())
    if state.subgroup is None:
        state.subgroup, _ = new_subgroups()
    return default_hooks.allreduce_hook(state.subgroup, bucket)
