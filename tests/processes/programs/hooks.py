"""Functional collectives, and hooks on the gradient all-reduce."""

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import (
    DDPCommHookType,
    debugging_hooks,
    default_hooks,
    register_ddp_comm_hook,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.futures import Future

from tests.processes.saying import leave, say

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.group.WORLD
a = torch.arange(4.0).reshape(2, 2) + rank
mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("dp",))
say("sum", lambda: funcol.wait_tensor(funcol.all_reduce(a, "sum", world)))
say("mean of ranks", lambda: funcol.all_reduce(a, "avg", [0, 1]) + 0)
say("on a mesh", lambda: (funcol.all_reduce(a, "max", mesh) + 0, funcol.all_reduce(a, "min", (mesh, 0)) + 0, a))
say("rows", lambda: funcol.all_gather_tensor(a, 0, world) + 0)
say("columns", lambda: funcol.all_gather_tensor(a, 1, world) + 0)
say("sums of rows", lambda: funcol.reduce_scatter_tensor(a, "sum", 0, world) + 0)
say("sums of columns", lambda: funcol.reduce_scatter_tensor(a, "sum", 1, world) + 0)
say("to all", lambda: funcol.all_to_all_single(a, None, None, world) + 0)
say("to all in parts", lambda: funcol.all_to_all_single(a, [1, 1], [1, 1], world) + 0)
say("from one", lambda: funcol.broadcast(a, 1, world) + 0)
say("several", lambda: [x + 0 for x in funcol.all_reduce_coalesced([a, a], "sum", world)])
say("no way", lambda: funcol.all_reduce(a, "foo", world))
say("no group", lambda: funcol.all_reduce(a, "sum", 3))
say("no multiple", lambda: funcol.reduce_scatter_tensor(torch.ones(3), "sum", 0, world))
x = torch.ones(2, 2, requires_grad=True)
for name, run in {
    "rows": lambda x: funcol.all_gather_tensor_autograd(x, 0, world) * torch.arange(8.0).reshape(4, 2),
    "sums of rows": lambda x: funcol.reduce_scatter_tensor_autograd(x, "sum", 0, world) * (rank + 2),
    "to all": lambda x: funcol.all_to_all_single_autograd(x, [1, 1], [1, 1], world) * (rank + 2),
}.items():
    (run(x * (rank + 1)) + 0).sum().backward()
    say(f"gradient, {name}", lambda: x.grad)
    x.grad = None


def wrapped():
    torch.manual_seed(0)
    return nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)))


def gradients(net):
    net(torch.ones(2, 3) * (rank + 0.1)).sum().backward()
    return [p.grad for p in net.parameters()]


narrow = default_hooks.fp16_compress_wrapper(default_hooks.allreduce_hook)
for name, hook in {
    "mean": default_hooks.allreduce_hook,
    "narrow": default_hooks.fp16_compress_hook,
    "wrapped": narrow,
    "none": debugging_hooks.noop_hook,
}.items():
    net = wrapped()
    net.register_comm_hook(None, hook)
    say(name, lambda net=net: gradients(net))
seen = []


def doubled(state, bucket: dist.GradBucket) -> Future[torch.Tensor]:
    seen.append((state, bucket.index(), bucket.is_last(), bucket.buffer().shape))
    seen.append([(g.shape, p.shape) for g, p in zip(bucket.gradients(), bucket.parameters())])
    future = Future()
    future.set_result(bucket.buffer() * 2)
    return future


net = wrapped()
net.register_comm_hook("state", doubled)
say("doubled", lambda: (gradients(net), seen))
say("twice", lambda: net.register_comm_hook("state", doubled))
net = wrapped()
say("no function", lambda: net.register_comm_hook(None, 3))


def other(state, bucket: int): ...
def number(state, bucket: dist.GradBucket) -> int: ...


def listed(state, bucket):
    future = Future()
    future.set_result([bucket.buffer()])
    return future


say("other", lambda: net.register_comm_hook(None, other))
say("number", lambda: net.register_comm_hook(None, number))
net.register_comm_hook(None, listed)
say("listed", lambda: gradients(net))
for kind in DDPCommHookType.ALLREDUCE, DDPCommHookType.FP16_COMPRESS, DDPCommHookType.NOOP:
    net = wrapped()
    register_ddp_comm_hook(kind, net)
    say(kind.name, lambda net=net: gradients(net))
print([kind.name for kind in DDPCommHookType])
leave(dist)
