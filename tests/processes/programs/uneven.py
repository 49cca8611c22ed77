"""Uneven inputs: `DistributedDataParallel.join`, and `Join` with optimizers and with other joinables."""

from typing import Any, cast

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.join import Join, Joinable, JoinHook
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

from tests.processes.saying import leave, say

dist.init_process_group("gloo")
torch.set_default_dtype(torch.float64)
rank, size = dist.get_rank(), dist.get_world_size()


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept, self.used = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        return self.kept(x) + (self.used(x) if x[0, 0] > 0 else 0)


def batches(count, seed=0):
    made = torch.Generator().manual_seed(10 * seed + rank)
    return [torch.randn(3, 4, generator=made) for _ in range(count)]


def wrapped(net=None, **options):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 4)) if net is None else net()
    return DistributedDataParallel(net, **options)


def show(name, net):
    for key, value in net.module.named_parameters():
        print(name, key, value.reshape(-1)[::3].tolist(), None if value.grad is None else value.grad.sum().item())
    for key, value in net.module.named_buffers():
        print(name, key, value.tolist())


def trained(name, net, count, optimizer=None, within=None, skips=False, is_compiled=False):
    optimizer = optimizer or torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.5)

    def step(x):
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.detach()

    run = torch.compile(step) if is_compiled else step
    with within or net.join():
        for i, x in enumerate(batches(count)):
            if skips and i % 2 == 0:
                with net.no_sync():
                    net(x).square().mean().backward()
            else:
                print(name, i, run(x).item())
    show(name, net)


class Total(Joinable):
    """An object that adds numbers of all processes in each step."""

    def __init__(self):
        super().__init__()
        self.found = []

    def add(self, number):
        Join.notify_join_context(self)
        self.all(number)

    def all(self, number):
        total = torch.tensor(float(number))
        dist.all_reduce(total)
        self.found.append(total.item())

    def join_hook(self, **kwargs):
        return TotalHook(self, **kwargs)

    @property
    def join_device(self):
        return torch.device("cpu")

    @property
    def join_process_group(self):
        return dist.group.WORLD


class TotalHook(JoinHook):
    def __init__(self, total, missing=0):
        self.total, self.missing = total, missing

    def main_hook(self):
        self.total.all(self.missing)

    def post_hook(self, is_last_joiner):
        print("last", is_last_joiner)


trained("more", wrapped(), 3 + rank)
trained("fewer", wrapped(), 3 * (size - rank))
trained("none", wrapped(), 4 if rank == 1 else 0)
trained("even", wrapped(), 2)
net = wrapped()
trained("effective", net, 2 + 2 * rank, within=net.join(divide_by_initial_world_size=False))
net = wrapped()
trained("disabled", net, 2, within=net.join(enable=False))
trained("buffers", wrapped(lambda: nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))), 4 - rank)
trained("branches", wrapped(Branches, find_unused_parameters=True), 3 + 2 * rank)
trained("skips", wrapped(), 4 + 2 * rank, skips=True)

# The same module after the block.
net = wrapped()
trained("again", net, 1 + rank)
trained("again", net, 3 - rank)
loss = net(batches(1)[0]).sum()
loss.backward()
show("after", net)

net = wrapped()
say("ends", lambda: trained("ends", net, 2 + rank, within=net.join(throw_on_early_termination=True)))


def hook(state, bucket):
    state.append(bucket.buffer().numel())
    work: Any = dist.all_reduce(bucket.buffer(), async_op=True)
    return work.get_future().then(lambda done: done.value()[0] / size)


net, seen = wrapped(), []
net.register_comm_hook(seen, hook)
trained("hook", net, 2 + rank)
print("hook", seen)

net = wrapped()
zero = ZeroRedundancyOptimizer(net.parameters(), torch.optim.Adam, lr=0.05)
trained("zero", net, 2 + rank, zero, Join([net, zero]))

torch.manual_seed(0)
alone = nn.Linear(4, 4)  # without averages: each process updates its part with its own gradients
zero = ZeroRedundancyOptimizer(alone.parameters(), torch.optim.SGD, lr=0.1)
given = batches(1 + 2 * rank)
if hasattr(torch, "explain"):
    with Join([zero]):
        for x in given:
            alone.zero_grad()
            alone(x).square().mean().backward()
            zero.step()
else:  # PyTorch's `Join` waits forever if an optimizer is its first joinable
    for i in range(2 * size - 1):
        if i < len(given):
            alone.zero_grad()
            alone(given[i]).square().mean().backward()
        zero.step()
print("alone", alone.weight.tolist(), alone.bias.tolist())

total = Total()
with Join([total], missing=100):
    for i in range(2 * rank + 1):
        total.add(i)
print("total", total.found)
for name, run in {
    "empty": lambda: Join([]),
    "groups": lambda: Join([total, wrapped(process_group=dist.new_group())]),
    "unready": lambda: Join.notify_join_context(cast(Any, object())),
    "abstract": lambda: cast(Any, Joinable)(),
    "later": lambda: cast(Any, Join.notify_join_context(total)).wait(),
    "is": lambda: (isinstance(net, Joinable), isinstance(zero, Joinable), net.join_device, zero.join_device),
}.items():
    say(name, run)
trained("compiled", wrapped(), 3 + 2 * rank, is_compiled=hasattr(torch, "explain"))
leave(dist)
