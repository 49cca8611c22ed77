"""Hooks that send gradients as integers of eight bits."""

from __future__ import annotations

import torchlike
from torchlike import Tensor, futures
from torchlike.distributed import _collectives as c
from torchlike.distributed._c10d._buckets import GradBucket
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._world import member
from torchlike.distributed.algorithms.ddp_comm_hooks.default_hooks import done


def quantization_pertensor_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> futures.Future[Tensor]:
    """Average a bucket whose gradients are sent as integers, with one scale and one zero point a process.

    Args:
      process_group (ProcessGroup or None): the processes. None means all.
      bucket (GradBucket): the gradients.

    Returns:
      A future with the averaged gradients, in float32.
    """
    flat = bucket.buffer()
    observer = torchlike.ao.quantization.MinMaxObserver().to(flat.device)
    observer(flat)
    scale, zero_point = observer.calculate_qparams()
    scales = torchlike.cat([scale.reshape(1), zero_point.reshape(1)]).to(torchlike.float32)
    return done(_mean(member(process_group), flat, scales))


def quantization_perchannel_hook(
    process_group: ProcessGroup | None, bucket: GradBucket, bucket_size: int = 512
) -> futures.Future[Tensor]:
    """Average a bucket whose gradients are sent as integers, with a scale and a zero point for each part.

    Args:
      process_group (ProcessGroup or None): the processes. None means all.
      bucket (GradBucket): the gradients.
      bucket_size (int, default 512): the number of elements of a part.

    Returns:
      A future with the averaged gradients, in float32.
    """
    flat = bucket.buffer()
    padding = bucket_size - len(flat) % bucket_size
    parts = torchlike.nn.functional.pad(flat, (0, padding)).view(-1, bucket_size)
    observer = torchlike.ao.quantization.PerChannelMinMaxObserver().to(flat.device)
    observer(parts)
    scales = torchlike.stack(observer.calculate_qparams()).to(torchlike.float32).unsqueeze(-1)
    return done(torchlike.flatten(_mean(member(process_group), parts, scales))[: flat.shape[0]])


def _mean(group: ProcessGroup, x: Tensor, scales: Tensor) -> Tensor:
    """Return the mean over the processes. `scales` are the scales and the zero points of this process."""
    all_scales = [torchlike.zeros_like(scales) for _ in range(group.size())]
    c.all_gather(all_scales, scales, group=group)
    integers = torchlike.clamp(torchlike.round(x / scales[0]) + scales[1], 0, 255).to(torchlike.uint8)
    all_integers = [torchlike.zeros_like(integers) for _ in range(group.size())]
    c.all_gather(all_integers, integers, group=group)
    total = torchlike.zeros_like(integers, dtype=torchlike.float32)
    for each, (scale, zero_point) in zip(all_integers, all_scales):
        total += scale * (each.to(torchlike.float32) - zero_point)
    return total / group.size()


__all__ = ["quantization_perchannel_hook", "quantization_pertensor_hook"]
