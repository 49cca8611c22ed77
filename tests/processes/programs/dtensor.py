"""Distributed tensors: conversion, gradients, optimizers and copies."""

import copy

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor import rand as dtensor_rand
from torch.distributed.tensor import zeros as dtensor_zeros

from tests.processes.saying import leave, say

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
mesh = init_device_mesh("cpu", (size,))


def facts(x):
    return (
        x.placements,
        tuple(x.shape),
        x.stride(),
        x.numel(),
        x.ndim,
        x.dtype,
        (x._local_tensor * 1000).round().tolist(),
        x.requires_grad,
    )


whole = torch.arange(15.0).view(5, 3)


def show_made(placement):
    made = distribute_tensor(whole, mesh, [placement])
    say("made", lambda: made)
    say("facts", lambda: facts(made))
    say("full", lambda: made.full_tensor())
    for other in (Replicate(), Shard(0), Shard(1)):
        say(f"to {other}", lambda other=other: facts(made.redistribute(mesh, [other])))


for placement in (Replicate(), Shard(0), Shard(1), Shard(-1)):
    show_made(placement)


def show_local(placement):
    local = (torch.arange(12.0).view(4, 3) * (rank + 1)).requires_grad_()
    made = DTensor.from_local(local, mesh, [placement])
    say("from local", lambda: facts(made))
    for other in (Replicate(), Shard(0), Shard(1)):
        local.grad = None
        found = DTensor.from_local(local, mesh, [placement]).redistribute(mesh, [other])
        say("to", lambda found=found: facts(found))
        mine = found.to_local()
        (mine * torch.arange(float(mine.numel())).view(mine.shape)).sum().backward()
        say("gradient", lambda: local.grad)


for placement in (Replicate(), Shard(0), Shard(1), Partial(), Partial("avg"), Partial("max")):
    show_local(placement)

for name, run in {
    "no placements": lambda: distribute_tensor(whole, mesh).redistribute(mesh),
    "to partial": lambda: distribute_tensor(whole, mesh).redistribute(mesh, [Partial()]),
    "twice": lambda: DTensor.from_local(distribute_tensor(whole, mesh), mesh),
    "only a shape": lambda: DTensor.from_local(whole, mesh, [Shard(0)], shape=(8, 3)),
    "no such dim": lambda: distribute_tensor(whole, mesh, [Shard(4)]),
    "too many": lambda: distribute_tensor(whole, mesh, [Shard(0), Shard(1)]),
}.items():
    say(name, run)


def optimized(make):
    params = [nn.Parameter(distribute_tensor(whole * 0.1, mesh, [each])) for each in (Shard(0), Replicate(), Shard(1))]
    optimizer = make(params)
    for _ in range(3):
        optimizer.zero_grad()
        sum((p.to_local() ** 2).sum() for p in params).backward()
        optimizer.step()
    kinds = [(type(p).__name__, isinstance(p, nn.Parameter)) for p in params]
    say("updated", lambda: (kinds, [(facts(p), p.grad.placements) for p in params]))
    state = optimizer.state_dict()["state"][0]
    say("state", lambda: {k: getattr(v, "placements", None) for k, v in state.items()})
    optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    optimizer.step()
    say("loaded", lambda: [facts(p) for p in params])
    return params


for make in (
    lambda p: torch.optim.SGD(p, 0.1, momentum=0.9),
    lambda p: torch.optim.Adam(p, 0.1, foreach=True),
    lambda p: torch.optim.AdamW(p, 0.1, fused=True),
    lambda p: torch.optim.Adagrad(p, 0.1),
):
    params = optimized(make)

again = copy.deepcopy(params[0])
say("a copy", lambda: (facts(again), again.is_leaf, isinstance(again, nn.Parameter)))
module = nn.Module()
module.weight = params[0]
say("a module", lambda: [(name, facts(p)) for name, p in module.named_parameters()])
say("state dict", lambda: {k: (type(v).__name__, v.placements) for k, v in module.state_dict().items()})
with torch.no_grad():
    say("detached", lambda: facts(params[0].detach().add_(1).mul_(2)))
    say("in place", lambda: facts(params[0]))
    say("copied", lambda: facts(params[1].copy_(params[0])))
    say("zero", lambda: facts(params[1].zero_()))

# -- reductions of partial terms that are not sums of their terms' reductions
terms = DTensor.from_local(torch.tensor([1.0 - 2 * rank, 3.0 * rank - 2, 0.0]), mesh, [Partial()])
for order in (0, 1, 2, float("inf")):
    norms = torch.linalg.vector_norm(distribute_tensor(whole, mesh, [Shard(0)]), order)
    stacked = torch.stack([norms] * 3)
    found = [torch.linalg.vector_norm(x, order) for x in (terms, stacked)]
    say("norms", lambda found=found: [x.full_tensor() for x in found])
    both = [norms, distribute_tensor(torch.tensor(5.0), mesh, [Replicate()])]
    rows = [each.view(1) for each in both]
    joined = [torch.stack(both), torch.stack(both[::-1]), torch.cat(rows)]
    found = [*joined, torch.linalg.vector_norm(joined[0], order)]
    say("norms and whole", lambda found=found: [x.full_tensor() for x in found])

weight = distribute_tensor(torch.arange(8.0).view(4, 2), mesh, [Shard(0)])
bias = distribute_tensor(torch.arange(4.0), mesh, [Shard(0)])
x = distribute_tensor(torch.arange(6.0).view(3, 2), mesh, [Replicate()])
half = x.bfloat16()
with torch.autocast("cpu", torch.bfloat16):
    for name, run in {
        "linear": lambda: nn.functional.linear(x, weight, bias),
        "linear of half": lambda: nn.functional.linear(half, weight, bias),
        "product of half": lambda: half @ weight.t(),
        "norm of half": lambda: nn.functional.layer_norm(half, (2,)),
        "loss of half": lambda: nn.functional.mse_loss(half, x),
    }.items():
        say(f"autocast {name}", lambda run=run: (run().dtype, run().placements, run().full_tensor()))
# -- products, rounded quotients, other dtypes, and operators that change the dims in place
factors = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.0, 2.0, 3.0]])


def product(placement):
    x = distribute_tensor(factors / 4, mesh, [placement]).requires_grad_()
    found = x.prod()
    found.full_tensor().backward()
    return found.placements, found.full_tensor(), x.grad.full_tensor()


quotients = DTensor.from_local(torch.tensor([7.0, -5.0, 2.5]) - rank, mesh, [Partial()])


def show_whole(placement):
    cut = distribute_tensor(factors, mesh, [placement])
    say("product", lambda: product(placement))
    say("bits", lambda: (cut.view(torch.int32).placements, cut.view(torch.int32).full_tensor()))
    say("along a dim", lambda: cut.take_along_dim(cut.argsort(1, descending=True), 1).full_tensor())
    say("counted", lambda: (cut.count_nonzero().placements, cut.count_nonzero(0).full_tensor()))
    say("reversed", lambda: (cut.flip(1).full_tensor(), (2 / cut).placements, (2**cut).placements))


def rounded(mode):
    return torch.div(quotients, 2, rounding_mode=mode).full_tensor()


for each in (Replicate(), Shard(0), Shard(1)):
    show_whole(each)
column = distribute_tensor(torch.arange(6.0).view(6, 1), mesh, [Shard(0)])
say("squeezed in place", lambda: (column.squeeze_(1).to_local().shape, column.full_tensor()))
say("rounded quotients", lambda: (rounded("floor"), rounded("trunc")))
say("a negative dim", lambda: dtensor_zeros(4, 6, device_mesh=mesh, placements=[Shard(-1)]))
say("a negative dim", lambda: dtensor_rand(4, 6, device_mesh=mesh, placements=[Shard(-1)]))
one = init_device_mesh("cpu", (1, size), mesh_dim_names=("dp", "tp"))
say("a dim of size 1", lambda: (one["tp", "dp"].shape, one["dp", "tp"].shape, one["dp", "dp"].shape))
leave(dist)
