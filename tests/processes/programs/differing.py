"""Ranks that record different programs: reads on one rank, other batch sizes, extra work, other orders of waits."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from tests.processes.saying import leave

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def model():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
    net = DistributedDataParallel(net)
    return net, torch.optim.AdamW(net.parameters(), 1e-2)


def train(step_of, name):
    net, optimizer = model()
    step = step_of(net, optimizer)
    torch.manual_seed(rank)
    for i in range(8):
        rows = 4 + rank if i in (3, 7) else 8  # uneven batches
        loss = step(torch.randn(rows, 6), torch.randint(0, 3, (rows,)), i)
        if rank == i % size:  # one rank logs
            print(name, i, f"{loss.item():.4f}")
        if rank == 0 and i == 5:
            print(name, "norm", f"{sum(p.grad.norm() for p in net.parameters()).item():.4f}")
    print(name, [f"{p.sum().item():.3f}" for p in net.parameters()])


def plain(net, optimizer):
    def step(x, y, i):
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return step


def reading(net, optimizer):
    """Rank 0 reads values between forward, backward and the optimizer's step."""

    def step(x, y, i):
        out = net(x)
        if rank == 0 and i % 2:
            print("out", f"{out.sum().item():.4f}")
        loss = nn.functional.cross_entropy(out, y)
        if rank == size - 1 and i % 3 == 0:
            print("loss", f"{loss.item():.4f}")
        optimizer.zero_grad()
        loss.backward()
        if rank == 0 and i == 2:
            print("grad", f"{next(net.parameters()).grad.abs().sum().item():.4f}")
        optimizer.step()
        return loss

    return step


def compiled(net, optimizer):
    # PyTorch's own compiler is not under test.
    backend = {} if hasattr(torch, "explain") else {"backend": "eager"}
    whole = torch.compile(lambda x, y: plain(net, optimizer)(x, y, 0), **backend)
    return lambda x, y, i: whole(x, y)


def manual(net, optimizer):
    """The script reduces the gradients itself, with handles that the ranks wait for in different orders."""

    def step(x, y, i):
        loss = nn.functional.cross_entropy(net.module(x), y)
        optimizer.zero_grad()
        loss.backward()
        works = [dist.all_reduce(p.grad, async_op=True) for p in net.parameters()]
        for work in works if rank else works[::-1]:
            work.wait()
        for p in net.parameters():
            p.grad /= size
        optimizer.step()
        return loss

    return step


for way in (plain, reading, manual, compiled):
    train(way, way.__name__)

# A result that only one rank uses, and one that no rank uses.
x = torch.full((3,), float(rank + 1))
dist.reduce(x, 1)
if rank == 1:
    print("reduced", x.tolist())
dist.all_reduce(torch.ones(2))
total = torch.ones(()) * rank
dist.all_reduce(total, async_op=True)
later = torch.ones(2)
dist.all_reduce(later)
print("later", later.tolist())
leave(dist)
