"""Distributed tensors on a mesh of two dims, and the functions around them."""

import io
import itertools

import torch
import torch.distributed as dist
import torch.distributed.tensor as T
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_module, distribute_tensor
from torch.distributed.tensor._utils import compute_local_shape_and_global_offset
from torch.distributed.tensor.experimental import implicit_replication, local_map
from torch.distributed.tensor.placement_types import _StridedShard

from tests.processes.saying import leave, say

dist.init_process_group("gloo")
rank = dist.get_rank()
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
line = mesh["tp"]


def local(x):
    return x.placements, [[round(float(n), 3) for n in row] for row in x.to_local().view(x.to_local().shape[0], -1)]


whole = torch.arange(20.0).view(5, 4)
kinds = [Replicate(), Shard(0), Shard(1)]


def show(before):
    made = distribute_tensor(whole, mesh, before)
    say("made", lambda: local(made))
    say("place", lambda: tuple(map(tuple, compute_local_shape_and_global_offset((5, 4), mesh, before))))
    say("to", lambda: [local(made.redistribute(mesh, after)) for after in itertools.product(kinds, kinds)])


def show_reduced(before):
    made = DTensor.from_local(torch.ones(4, 2) * (rank + 1), mesh, before)
    say("reduced", lambda: [local(made.redistribute(mesh, after)) for after in itertools.product(kinds, kinds)])


for before in itertools.product(kinds, kinds):
    show(before)
for before in ([Partial(), Shard(0)], [Shard(1), Partial()], [Partial(), Partial()]):
    show_reduced(before)
strided = [_StridedShard(0, split_factor=2), Shard(0)]
x = torch.arange(16.0).view(8, 2)
say("strided", lambda: local(distribute_tensor(x, mesh, strided)))
say("strided place", lambda: tuple(map(tuple, compute_local_shape_and_global_offset((8, 2), mesh, strided))))
say(
    "whole",
    lambda: DTensor.from_local(x[rank * 2 : rank * 2 + 2], mesh, strided, shape=(8, 2), stride=(2, 1)).full_tensor(),
)

for name, make in {
    "zeros": lambda: T.zeros(5, 4, device_mesh=mesh, placements=[Shard(0), Shard(1)]),
    "ones": lambda: T.ones((5, 4), device_mesh=line, placements=[Shard(0)], dtype=torch.float64),
    "full": lambda: T.full((3, 2), 7.0, device_mesh=line, requires_grad=True),
    "empty": lambda: T.empty(4, 2, device_mesh=line, placements=[Shard(1)]).zero_(),
}.items():
    found = make()
    facts = found.dtype, found.requires_grad, tuple(found.shape), found.stride()
    say(name, lambda found=found, facts=facts: (local(found), facts))
with line:
    say("of the context", lambda: T.ones(2, 2))

weight = nn.Parameter(distribute_tensor(whole, line, [Shard(0)]))
bias = nn.Parameter(distribute_tensor(torch.ones(4), line, [Replicate()]))
handle = bias.register_hook(lambda grad: say("hook", lambda: (type(grad).__name__, grad.full_tensor())))
y = weight * bias
(y * y).sum().backward()
handle.remove()
say("gradients", lambda: (local(weight.grad), bias.grad.full_tensor()))
say("norm", lambda: round(float(nn.utils.clip_grad_norm_([weight, bias], 1.0).full_tensor()), 3))
say("clipped", lambda: (local(weight.grad), [round(n, 3) for n in bias.grad.full_tensor().tolist()]))
say(
    "grad",
    lambda: [(type(g).__name__, g.full_tensor()) for g in torch.autograd.grad((weight * bias).sum(), [weight, bias])],
)
say("equal", lambda: (torch.equal(weight, weight * 1), torch.equal(weight, weight * 2)))
say(
    "item",
    lambda: (
        (weight * 1).redistribute(placements=[Replicate()]).sum().item(),
        bool((weight > 100).any()),
        float(weight.abs().sum(1).full_tensor()[0]),
    ),
)
say("length", lambda: (len(weight), weight.shape, weight.size(1), weight.dim(), weight.is_contiguous()))
say("mixed", lambda: weight + torch.ones(5, 4))
say("mixed product", lambda: F.linear(torch.ones(2, 4), weight))
say("one element", lambda: local(weight * torch.tensor(2.0)))
say("list", lambda: weight.tolist())
say("array", lambda: weight.detach().numpy())
with implicit_replication():
    say("replicated", lambda: local(weight + torch.ones(5, 4)))
say("mapped", lambda: local(local_map(lambda a: a + 1, out_placements=[Shard(0)], in_placements=([Shard(0)],))(weight)))
say("not mapped", lambda: local_map(lambda a: a, out_placements=[Shard(0)], in_placements=([Shard(1)],))(weight))

layer = nn.Linear(4, 6)
nn.init.ones_(layer.weight), nn.init.zeros_(layer.bias)


def shard(name, module, mesh):
    module.register_parameter("weight", nn.Parameter(distribute_tensor(module.weight, mesh, [Shard(0)])))


layer = distribute_module(
    layer,
    line,
    shard,
    lambda mod, inputs, mesh: DTensor.from_local(inputs[0], mesh, [Replicate()]),
    lambda mod, output, mesh: output.redistribute(placements=[Replicate()]).to_local(),
)
say("layer", lambda: (layer(torch.ones(2, 4)), [(n, p.placements) for n, p in layer.named_parameters()]))
say("again", lambda: distribute_module(layer, line))
state = {name: value * 2 for name, value in layer.state_dict().items()}
say("loaded", lambda: (layer.load_state_dict(state), local(layer.weight)))
nn.init.constant_(layer.weight, 3.0)
say("constant", lambda: local(layer.weight))
layer.weight.data.mul_(2)
say("data", lambda: local(layer.weight))
layer.zero_grad()
say("zero", lambda: layer.weight.grad)
for _ in range(2):
    layer(torch.ones(2, 4)).sum().backward()
say("twice", lambda: (local(layer.weight.grad), layer.bias.grad.full_tensor()))
say("layer norm", lambda: nn.utils.get_total_norm([layer.weight.grad, layer.bias.grad]).full_tensor())
say("dropout", lambda: F.dropout(weight, 0.5).placements)
say("in place", lambda: (weight.detach().add_(weight.detach() * 0), weight.detach().clamp_(0, 3).placements))
say("without", lambda: weight.detach().t().add_(1).placements)
say("half", lambda: (weight.half().dtype, weight.to(torch.bfloat16).placements))
saved = io.BytesIO()
torch.save(layer.weight.detach(), saved)
saved.seek(0)
loaded = torch.load(saved, weights_only=False)
say("saved", lambda: (local(loaded), loaded.device_mesh == line, loaded.full_tensor().sum()))
say("repeated", lambda: weight.detach().tril().full_tensor())
leave(dist)
