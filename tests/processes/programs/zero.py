"""ZeroRedundancyOptimizer: steps, parameter groups, schedulers, state dicts and errors."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

from tests.processes.saying import STEPS, leave, say

dist.init_process_group("gloo")
torch.set_default_dtype(torch.float64)
rank, size = dist.get_rank(), dist.get_world_size()


def built():
    torch.manual_seed(0)
    return DistributedDataParallel(nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3), nn.Linear(3, 9)))


def step(net, optimizer, number):
    x = torch.randn(4, 5, generator=torch.Generator().manual_seed(100 * number + rank))
    optimizer.zero_grad()
    loss = net(x).square().mean()
    loss.backward()
    optimizer.step()
    return loss.item()


def trained(name, net, optimizer, scheduler=None, steps=STEPS):
    for number in range(steps):
        print(name, number, step(net, optimizer, number), [group["lr"] for group in optimizer.param_groups])
        if scheduler is not None:
            scheduler.step()
    for key, value in net.module.state_dict().items():
        print(name, key, value.reshape(-1)[::3].tolist())


def shapes(groups):
    return [[tuple(p.shape) for p in group["params"]] for group in groups]


net = built()
adam = ZeroRedundancyOptimizer(net.parameters(), torch.optim.AdamW, lr=0.05, weight_decay=0.1)
say("repr", lambda: adam)
say("mine", lambda: shapes(adam.optim.param_groups))
say("all", lambda: shapes(adam.param_groups))
say("not collected", lambda: adam.state_dict())
trained("adamw", net, adam)
for to in range(size):
    adam.consolidate_state_dict(to=to)
    say("collected", lambda: list(adam.state_dict()))
adam.consolidate_state_dict()
told = [adam.state_dict() if rank == 0 else None]
dist.broadcast_object_list(told, 0)
for number, entries in told[0]["state"].items():
    print("adamw", number, {name: value.tolist() for name, value in entries.items()})
say("groups", lambda: told[0]["param_groups"])
other = ZeroRedundancyOptimizer(net.parameters(), optimizer_class=torch.optim.AdamW, lr=1.0)
other.load_state_dict(told[0])
say("options", lambda: {k: v for k, v in other.param_groups[0].items() if k != "params"})
say("kept", lambda: sorted(tuple(p.shape) for p, entries in other.state.items() if entries))
trained("adamw", net, other, steps=2)

net = built()
weights = [p for p in net.parameters() if p.ndim > 1]
biases = [p for p in net.parameters() if p.ndim == 1]
groups = [{"params": weights, "lr": 0.2}, {"params": biases}]
sgd = ZeroRedundancyOptimizer(
    groups, optimizer_class=torch.optim.SGD, parameters_as_bucket_view=True, lr=0.1, momentum=0.9
)
say("two groups", lambda: (shapes(sgd.optim.param_groups), [group["lr"] for group in sgd.param_groups]))
trained("sgd", net, sgd, torch.optim.lr_scheduler.StepLR(sgd, 2, 0.5))
extra = nn.Linear(2, 3)
sgd.add_param_group({"params": extra.parameters(), "lr": 1.0})
say("added", lambda: (shapes(sgd.optim.param_groups), shapes(sgd.param_groups)))
extra(torch.ones(1, 2)).sum().backward()
sgd.step()
say("closure", lambda: sgd.step(lambda: 3))
print("extra", extra.weight.tolist(), extra.bias.tolist())
say("is", lambda: (isinstance(sgd, torch.optim.Optimizer), sgd.join_device, sgd.join_process_group is dist.group.WORLD))
single = nn.Parameter(torch.ones(2, dtype=torch.float32))
for name, given in {
    "empty": [],
    "tensor": torch.ones(2),
    "number": [3],
    "dtypes": [single, nn.Parameter(torch.ones(2))],
    "sparse": [nn.Parameter(torch.eye(2).to_sparse())],
}.items():
    say(name, lambda given=given: ZeroRedundancyOptimizer(given, optimizer_class=torch.optim.SGD, lr=1.0))
leave(dist)
