"""The norm of the gradients of the modules that `FullyShardedDataParallel` wraps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torchlike
from torchlike import Tensor
from torchlike.distributed import _functional_collectives as collectives
from torchlike.distributed.fsdp import _state as states

if TYPE_CHECKING:
    from torchlike.distributed.fsdp.fully_sharded_data_parallel import FullyShardedDataParallel


def norm_of(root: FullyShardedDataParallel, kind: float) -> Tensor:
    """Return the norm of all gradients below a wrapper."""
    is_max = kind == float("inf")
    parts, seen = [], set()
    for each in root.fsdp_modules(root):
        for group in each._state.groups:
            params = [param.registered() for param in group.params]
            seen.update(map(id, params))
            part = _local_norm([states.local_of(p.grad) for p in params if p.grad is not None], kind)
            if group.info.shard_size > 1:
                part = collectives.all_reduce(part, "max" if is_max else "sum", group.info.shard_group)
            parts.append(part)
    rest = [p.grad for p in root.parameters() if p.grad is not None and id(p) not in seen]
    parts.append(_local_norm(rest, kind))
    total = torchlike.stack(parts)
    return total.max() if is_max else total.sum() ** (1 / kind)


def _local_norm(grads: list[Tensor], kind: float) -> Tensor:
    """Return the largest element, or the sum of the powers of the elements."""
    # All ranks need one dtype, also those whose shards are empty.
    wide = torchlike.promote_types(grads[0].dtype, torchlike.float32) if grads else torchlike.float32
    grads = [grad for grad in grads if grad.numel()]
    if not grads:
        return torchlike.zeros((), dtype=wide)
    norms = torchlike.stack([_wide_norm(grad, kind) for grad in grads])
    return norms.max() if kind == float("inf") else norms.pow(kind).sum()


def _wide_norm(grad: Tensor, kind: float) -> Tensor:
    return torchlike.linalg.vector_norm(grad, kind, dtype=torchlike.promote_types(grad.dtype, torchlike.float32))
