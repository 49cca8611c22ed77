"""Bitwise equal sums of many members, and the treatment of NaN."""

import torch
import torch.distributed as dist

from tests.processes.saying import leave

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def bits(x):
    return hash(tuple(x.double().tolist()))


for count in (1, 2, 3, 5, 7, 64, 1000, 40_000, 1_500_000):
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        if count > 40_000 and dtype is not torch.float32:
            continue
        x = torch.randn(count, generator=torch.Generator().manual_seed(count + rank)).to(dtype)
        for op in (dist.ReduceOp.SUM, dist.ReduceOp.PRODUCT, dist.ReduceOp.AVG):
            y = x.clone()
            dist.all_reduce(y, op)
            print(count, dtype, op, bits(y))
        y = x.clone()
        dist.all_reduce(y, async_op=True).wait()
        print(count, dtype, "async", bits(y))
        y = x.clone()
        dist.reduce(y, size - 1)
        if rank == size - 1:
            print(count, dtype, "reduce", bits(y))
        y = torch.empty_like(x)
        dist.reduce_scatter(y, [x + i for i in range(size)])
        print(count, dtype, "reduce_scatter", bits(y))
for first in range(size):
    for op in (dist.ReduceOp.MIN, dist.ReduceOp.MAX):
        x = torch.full((9,), float(rank))
        x[rank == first :: 2] = float("nan")
        dist.all_reduce(x, op)
        print(op, x)
leave(dist)
