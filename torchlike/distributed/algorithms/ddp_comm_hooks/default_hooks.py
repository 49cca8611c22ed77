"""Hooks for `DistributedDataParallel.register_comm_hook`, which average the gradients of a bucket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor, futures
from torchlike.distributed import _collectives as c
from torchlike.distributed._c10d._buckets import GradBucket
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._world import member

Hook = Callable[[Any, GradBucket], "futures.Future[Tensor]"]


def _mean(group: ProcessGroup | None, buffer: Tensor) -> futures.Future[Any]:
    work = c.all_reduce(buffer.div_(member(group).size()), group=group, async_op=True)
    assert work is not None  # only processes outside the group get None
    return work.get_future().then(lambda done: done.value()[0])


def done(flat: Tensor) -> futures.Future[Tensor]:
    """Return a future whose value is known."""
    future: futures.Future[Tensor] = futures.Future()
    future.set_result(flat)
    return future


def allreduce_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> futures.Future[Tensor]:
    """Average the bucket over the processes."""
    return _mean(process_group, bucket.buffer())


def fp16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> futures.Future[Tensor]:
    """Average the bucket over the processes. The gradients are sent and summed in float16."""
    return _narrow(torchlike.float16, allreduce_hook)(process_group, bucket)


def bf16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> futures.Future[Tensor]:
    """Average the bucket over the processes. The gradients are sent and summed in bfloat16."""
    return _narrow(torchlike.bfloat16, allreduce_hook)(process_group, bucket)


def fp16_compress_wrapper(hook: Hook) -> Hook:
    """Wrap a hook so that it gets the bucket in float16. Its result is converted back to the original dtype."""
    return _narrow(torchlike.float16, hook)


def bf16_compress_wrapper(hook: Hook) -> Hook:
    """Wrap a hook so that it gets the bucket in bfloat16. Its result is converted back to the original dtype."""
    return _narrow(torchlike.bfloat16, hook)


def _narrow(dtype: torchlike.dtype, hook: Hook) -> Hook:
    def narrowed(state: Any, bucket: GradBucket) -> futures.Future[Tensor]:
        wide = bucket.buffer()
        bucket.set_buffer(wide.to(dtype))
        return hook(state, bucket).then(lambda done: wide.copy_(done.value()))

    return narrowed
