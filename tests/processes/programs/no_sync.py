"""Gradients that were accumulated under `no_sync` are averaged by the next synchronizing backward pass."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from tests.processes.saying import leave

dist.init_process_group("gloo")
rank = dist.get_rank()


class Branches(nn.Module):
    """A module with three layers. Each call uses the layers that it names."""

    def __init__(self):
        super().__init__()
        for i, name in enumerate("abc"):
            layer = nn.Linear(1, 1, bias=False)
            nn.init.constant_(layer.weight, i + 2.0)
            setattr(self, name, layer)

    def forward(self, x, names):
        for name in names:
            x = getattr(self, name)(x)
        return x


def run(net, names):
    net(torch.full((1, 1), rank + 1.0), names).sum().backward()


def gradients(net):
    return [None if p.grad is None else p.grad.item() for p in net.parameters()]


def passes(net, quiet, loud):
    """Run passes under `no_sync`, then synchronizing passes. Each pass lists the layers of process 0, 1, ..."""
    for names in quiet:
        with net.no_sync():
            run(net, names[rank])
        print("quiet", names, gradients(net))
    for names in loud:
        run(net, names[rank])
        print("loud", names, gradients(net))


def alike(*names):
    return [(each, each) for each in names]


some = DistributedDataParallel(Branches(), find_unused_parameters=True)
for quiet, loud in (
    (alike("a"), alike("b")),
    (alike("a", "ab"), alike("b")),
    ([("a", "c")], alike("b")),
    ([("a", "b"), ("c", "a")], [("b", "a")]),
    (alike(), alike("a", "b")),
    (alike("a"), alike("a", "c")),
):
    some.zero_grad()
    passes(some, quiet, loud)
passes(some, alike("a"), alike("b"))  # added to the existing gradients

every = DistributedDataParallel(Branches())
passes(every, alike("a", "abc"), alike("abc"))
passes(every, alike("b"), alike("abc", "abc"))
leave(dist)
