"""Run every collective on tensors of several dtypes and layouts, and calls that raise errors."""

import datetime

import torch
import torch.distributed as dist

from tests.processes.saying import leave, say

dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
rank, size = dist.get_rank(), dist.get_world_size()
Op = dist.ReduceOp


def reduced(dtype, op):
    x = (torch.tensor([3, 1, 5, 2]) + rank * torch.tensor([1, 0, -2, 1])).to(dtype)
    dist.all_reduce(x, getattr(Op, op))
    return x


for dtype in (
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int64",
    "int32",
    "int8",
    "uint8",
    "bool",
    "complex64",
    "int16",
):
    for op in ("SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"):
        say(f"all_reduce {dtype} {op}", lambda dtype=dtype, op=op: reduced(getattr(torch, dtype), op))

# Sums of multiples of a quarter are exact in any order.
large = torch.arange(100_000, dtype=torch.float32).remainder(64) / 4 + rank
dist.all_reduce(large)
say("large", lambda: (large.sum(), large[:5], large[-3:]))
for op in (Op.MIN, Op.MAX):
    for first in (0, 1):
        nan = torch.tensor([float("nan"), 1.0]) if rank == first else torch.tensor([1.0, 2.0])
        dist.all_reduce(nan, op)
        print(op, nan)
say("empty", lambda: [x := torch.empty(0), dist.all_reduce(x), x][2])
say("0-dim", lambda: [x := torch.tensor(1.5 + rank), dist.all_reduce(x), x][2])


def into(make, act):
    x = make()
    return act(x), x


say("broadcast", lambda: into(lambda: torch.full((2, 2), float(rank)), lambda x: dist.broadcast(x, 1)))
say(
    "broadcast a transposed one",
    lambda: into(lambda: torch.arange(6.0).view(2, 3) * (1 + rank), lambda x: dist.broadcast(x.t(), size - 1)),
)
say(
    "broadcast by rank in the group",
    lambda: into(lambda: torch.full((2,), rank), lambda x: dist.broadcast(x, group_src=1)),
)
say(
    "reduce",
    lambda: (
        into(lambda: torch.full((2,), rank + 1), lambda x: dist.reduce(x, 1, Op.PRODUCT))
        if rank == 1
        else dist.reduce(torch.full((2,), rank + 1), 1, Op.PRODUCT)
    ),
)
say(
    "all_gather",
    lambda: into(
        lambda: [torch.zeros(2, 2) for _ in range(size)], lambda xs: dist.all_gather(xs, torch.full((2, 2), rank + 0.5))
    ),
)
say(
    "all_gather_into_tensor",
    lambda: into(
        lambda: torch.zeros(size * 2, 3), lambda x: dist.all_gather_into_tensor(x, torch.full((2, 3), float(rank)))
    ),
)
say(
    "all_gather_single",
    lambda: into(
        lambda: torch.zeros(size * 2, dtype=torch.int64), lambda x: dist.all_gather_single(x, torch.full((2,), rank))
    ),
)
say(
    "gather",
    lambda: into(
        lambda: [torch.zeros(2) for _ in range(size)] if rank == 0 else None,
        lambda xs: dist.gather(torch.full((2,), float(rank)), xs),
    ),
)
say(
    "scatter",
    lambda: into(
        lambda: torch.zeros(2),
        lambda x: dist.scatter(x, [torch.full((2,), i + 0.5) for i in range(size)] if rank == 1 else None, src=1),
    ),
)
say(
    "reduce_scatter",
    lambda: into(
        lambda: torch.zeros(2),
        lambda x: dist.reduce_scatter(x, [torch.full((2,), i + float(rank)) for i in range(size)]),
    ),
)
say(
    "reduce_scatter_tensor",
    lambda: into(
        lambda: torch.zeros(2, 2),
        lambda x: dist.reduce_scatter_tensor(x, torch.arange(4.0 * size).view(2 * size, 2) + rank),
    ),
)
say(
    "all_to_all_single",
    lambda: into(
        lambda: torch.zeros(2 * size), lambda x: dist.all_to_all_single(x, torch.arange(2.0 * size) + 10 * rank)
    ),
)
say(
    "all_to_all_single of unlike parts",
    lambda: into(
        lambda: torch.zeros(size * (rank + 1)),
        lambda x: dist.all_to_all_single(
            x, torch.arange(float(sum(range(size + 1)))) + 10 * rank, [rank + 1] * size, [i + 1 for i in range(size)]
        ),
    ),
)
say(
    "all_to_all",
    lambda: into(
        lambda: [torch.zeros(1) for _ in range(size)],
        lambda xs: dist.all_to_all(xs, [torch.tensor([10.0 * rank + i]) for i in range(size)]),
    ),
)
say("async", lambda: into(lambda: torch.full((3,), 1.0 + rank), lambda x: dist.all_reduce(x, async_op=True).wait()))


def two_under_way():
    x, y = torch.full((2,), 1.0 + rank), torch.full((2,), 2.0 + rank)
    first, second = dist.all_reduce(x, async_op=True), dist.broadcast(y, 0, async_op=True)
    second.wait()
    first.wait()
    return x, y, first.is_completed(), first.result()


say("two under way", two_under_way)
say(
    "coalesced",
    lambda: into(lambda: [torch.ones(2), torch.full((1,), rank / 2)], lambda xs: dist.all_reduce_coalesced(xs)),
)
say("barrier", lambda: (dist.barrier(), dist.monitored_barrier()))

group = dist.new_group([1, 0])
say("group", lambda: (dist.get_process_group_ranks(group), group.size(), dist.get_rank(group)) if rank < 2 else group)
single = dist.new_group([1])
say("single", lambda: (dist.get_rank(single), dist.get_world_size(single)))
say("in a group", lambda: into(lambda: torch.full((2,), rank + 1), lambda x: dist.all_reduce(x, group=group)))
say("in another", lambda: into(lambda: torch.full((2,), rank + 1), lambda x: dist.all_reduce(x, group=single)))
mine, every = dist.new_subgroups(1)
say("subgroups", lambda: (dist.get_process_group_ranks(mine), len(every)))
local = dist.new_group([rank], use_local_synchronization=True)
say(
    "own group",
    lambda: (
        dist.get_process_group_ranks(local),
        into(lambda: torch.ones(1), lambda x: dist.all_reduce(x, group=local)),
    ),
)


def without_elements(shape):
    x, gathered = torch.ones(shape), [torch.ones(shape) for _ in range(size)]
    dist.all_reduce(x)
    dist.all_gather(gathered, x)
    return x.shape, [y.shape for y in gathered]


for shape in (0,), (0, 3), (2, 0):
    say("no elements", lambda shape=shape: without_elements(shape))

x = torch.ones(2, requires_grad=True)
y = x * (rank + 1)
dist.all_reduce(y)
y.sum().backward()
say("history stays", lambda: (y, x.grad, y._version))

from torch.distributed.distributed_c10d import _coalescing_manager  # noqa: E402

x, y = torch.full((3,), float(rank)), torch.ones(2)
with _coalescing_manager(async_ops=True) as manager:
    returned = dist.all_reduce(x), dist.all_reduce(y)
manager.wait()
say("coalesced", lambda: (returned, x, y))
say("not split", lambda: dist.split_group(None, [[rank]]))

for name, run in {
    "no tensor": lambda: dist.all_reduce(3),
    "no list": lambda: dist.all_gather(torch.ones(2), torch.ones(2)),
    "short list": lambda: dist.all_gather([torch.ones(2)], torch.ones(2)),
    "other shape": lambda: dist.all_gather([torch.ones(3)] * size, torch.ones(2)),
    "other dtype": lambda: dist.all_gather([torch.ones(2).int()] * size, torch.ones(2)),
    "no source": lambda: dist.broadcast(torch.ones(2)),
    "no such source": lambda: dist.broadcast(torch.ones(2), 9),
    "both sources": lambda: dist.broadcast(torch.ones(2), 0, group_src=0),
    "no list where one is wanted": lambda: dist.gather(torch.ones(2), dst=rank),
    "a list where none is wanted": lambda: dist.gather(torch.ones(2), [torch.ones(2)] * size, dst=1 - min(rank, 1)),
    "a list to scatter": lambda: dist.scatter(torch.ones(2), [torch.ones(2)] * size, src=1 - min(rank, 1)),
    "wrong parts": lambda: dist.all_to_all_single(torch.ones(2), torch.ones(2), [2] * size, [3] * size),
    "wrong number of parts": lambda: dist.all_to_all_single(torch.ones(6), torch.ones(6), [6], [6]),
    "wrong number of inputs": lambda: dist.reduce_scatter(torch.ones(2), [torch.ones(2)] * (size + 1)),
    "to itself": lambda: dist.send(torch.ones(1), rank),
    "no such group": lambda: dist.all_reduce(torch.ones(1), group=4),
    "rank of nobody": lambda: dist.new_group([9]),
}.items():
    say(name, run)
leave(dist)
say("afterwards", dist.get_rank)
