"""Random collectives over a grid of processes, between random work that differs from rank to rank.

`CASES` is the number of cases, `SEED` the first of their seeds. Each case is a step that runs four times. Some steps
are compiled, on all ranks or only on some. All numbers are integers, so that the order of sums does not matter.
"""

import os
import random
import sys

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

from tests.processes.saying import leave

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
shape = {2: (1, 2), 3: (3, 1), 4: (2, 2)}[size]
mesh = init_device_mesh("cpu", shape, mesh_dim_names=("outer", "inner"))
GROUPS = {"world": dist.group.WORLD, "outer": mesh.get_group("outer"), "inner": mesh.get_group("inner")}


def all_reduce(x, group):
    x = x.clone()
    dist.all_reduce(x, group=group)
    return x % 1000


def largest(x, group):
    x = x.clone()
    work = dist.all_reduce(x, dist.ReduceOp.MAX, group=group, async_op=True)
    work.wait()
    return x


def all_gather(x, group):
    made = [torch.empty_like(x) for _ in range(dist.get_world_size(group))]
    dist.all_gather(made, x, group=group)
    return torch.stack(made).sum(0) % 1000


def reduce_scatter(x, group):
    count = dist.get_world_size(group)
    made = torch.empty_like(x)
    dist.reduce_scatter_tensor(made, torch.cat([x + i for i in range(count)]), group=group)
    return made % 1000


def broadcast(x, group):
    x = x.clone()
    dist.broadcast(x, dist.get_process_group_ranks(group)[-1], group=group)
    return x + 1


def all_to_all(x, group):
    count = dist.get_world_size(group)
    made = torch.empty(count, *x.shape, dtype=x.dtype)
    dist.all_to_all_single(made, torch.stack([x * (i + 1) for i in range(count)]), group=group)
    return made.sum(0) % 1000


COLLECTIVES = [all_reduce, all_reduce, largest, all_gather, reduce_scatter, broadcast, all_to_all]
LOCAL = [lambda x: x + 1, lambda x: x * 2 % 1000, lambda x: x.flip(0), lambda x: torch.where(x % 2 == 0, x, -x)]


def step_of(common, own):
    """Return a step. `common` chooses what all ranks do, `own` what this rank does between."""
    plan = []
    for _ in range(common.randrange(2, 9)):
        plan.append((common.choice(COLLECTIVES), common.choice([*GROUPS])))
        plan += [(common.choice(LOCAL), None)] * common.randrange(3)
    chance = common.choice((0, 0, 0.1, 0.4))
    reads = [own.random() < chance for _ in plan]
    extra = [own.choice((0, 0, 1, 3)) if chance else 0 for _ in plan]
    seen = []

    def step(x):
        for (call, group), is_read, more in zip(plan, reads, extra):
            x = call(x) if group is None else call(x, GROUPS[group])
            for _ in range(more):  # work without effect on the result
                x = (x * 3 - x * 2).clone()
            if is_read:
                seen.append(x.sum().item())
        return x

    return step, seen


def run(seed):
    common, own = random.Random(seed), random.Random(f"{seed} {rank}")
    step, seen = step_of(common, own)
    compiles = common.choice(("nobody", "all", "all", "some"))
    if "torchlike" in sys.modules and (compiles == "all" or (compiles == "some" and own.random() < 0.5)):
        step = torch.compile(step)
    shape = common.choice(((3,), (2, 5), (300,)))
    generator = torch.Generator().manual_seed(rank)
    for i in range(4):
        x = torch.randint(100, shape, generator=generator)
        print(seed, i, step(x).reshape(-1)[:6].tolist(), seen)


first = int(os.environ.get("SEED", "0"))
for seed in range(first, first + int(os.environ.get("CASES", "6"))):
    run(seed)
leave(dist)
