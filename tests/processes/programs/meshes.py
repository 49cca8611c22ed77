"""Device meshes, and state dicts of wrapped modules."""

import torch
import torch.distributed as dist
import torch.distributed.checkpoint.state_dict as S
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import apply_activation_checkpointing
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from tests.processes.saying import leave, say

dist.init_process_group("gloo")
rank = dist.get_rank()
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
say("mesh", lambda: (mesh, mesh.mesh, mesh.device_type, mesh.mesh_dim_names, mesh.ndim, tuple(mesh.shape), mesh.size()))
say("places", lambda: (mesh.size(0), mesh.get_rank(), mesh.get_local_rank("dp"), mesh.get_local_rank(1)))
say("coordinate", lambda: tuple(mesh.get_coordinate()))
say("parts", lambda: (mesh["dp"], mesh["tp"].mesh, mesh["dp"].get_local_rank(), mesh["tp"].size(), mesh["dp", "tp"]))
ranks = dist.get_process_group_ranks
say("groups", lambda: (ranks(mesh.get_group("dp")), ranks(mesh.get_group(1)), len(mesh.get_all_groups())))
say("equal", lambda: mesh == DeviceMesh("cpu", [[0, 1], [2, 3]], mesh_dim_names=("dp", "tp")))
say("rows", lambda: (DeviceMesh("cpu", torch.arange(4)), ranks(DeviceMesh("cpu", [0, 1, 2, 3]).get_group())))
say("from a group", lambda: DeviceMesh.from_group(mesh.get_group("dp"), "cpu"))
say("without names", lambda: init_device_mesh("cpu", (2, 2)))
for name, run in {
    "which": lambda: mesh.get_group(),
    "which rank": lambda: mesh.get_local_rank(),
    "no dim": lambda: mesh["x"],
    "no group": lambda: mesh.get_group("x"),
    "order": lambda: mesh["tp", "dp"],
    "too large": lambda: init_device_mesh("cpu", (8,)),
    "index": lambda: init_device_mesh("cpu:0", (4,)),
    "names": lambda: init_device_mesh("cpu", (2, 2), mesh_dim_names=("a",)),
    "twice": lambda: init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "a")),
}.items():
    say(name, run)
say("flat", lambda: (flat := mesh["dp", "tp"]._flatten("all"), ranks(flat.get_group())))
say("flat by name", lambda: (mesh["all"], ranks(mesh["all"].get_group()), mesh._flatten("all") is mesh["all"]))
say("flat dim", lambda: mesh["dp"]._flatten("dp"))
cube = init_device_mesh("cpu", (2, 1, 2), mesh_dim_names=("dp", "cp", "tp"))
say("flat dims", lambda: (cube["dp", "cp"]._flatten("data"), ranks(cube["data"].get_group()), cube["data", "tp"]))
for name, make in {
    "flat again": lambda: cube["cp", "tp"]._flatten("data"),
    "flat as a dim": lambda: cube["dp", "cp"]._flatten("tp"),
    "overlap": lambda: cube["data", "dp"],
    "flat from a part": lambda: cube["dp", "cp"]["data"],
    "flat without names": lambda: init_device_mesh("cpu", (2, 2))._flatten("x"),
    "part without names": lambda: init_device_mesh("cpu", (2, 2))["x"],
}.items():
    say(name, make)
x = torch.full((2,), float(rank))
dist.all_reduce(x, group=mesh.get_group("tp"))
say("sum of a row", lambda: x)

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
apply_activation_checkpointing(net, check_fn=lambda module: isinstance(module, nn.Linear))
say("wrapped", lambda: (net, list(net.state_dict()), [name for name, _ in net.named_parameters()]))
say("inside", lambda: (net[0].weight.shape, net[0].in_features, [name for name, _ in net[0].named_parameters()]))
net = nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
say("before a step", lambda: S.get_optimizer_state_dict(net, optimizer)["state"]["0.weight"])
net(torch.ones(4, 2) * rank).sum().backward()
optimizer.step()
model, state = S.get_state_dict(net, optimizer)
say("model", lambda: {name: value.shape for name, value in model.items()})
say("state", lambda: {name: list(value) for name, value in state["state"].items()})
say("groups of parameters", lambda: (state["param_groups"][0]["params"], state["param_groups"][0]["lr"]))
flat = S.get_optimizer_state_dict(net, optimizer, options=S.StateDictOptions(flatten_optimizer_state_dict=True))
say("flat", lambda: (list(flat)[:4], len(flat), flat["param_groups.2.bias.lr"]))
full = S.StateDictOptions(full_state_dict=True, cpu_offload=True)
say("on the first", lambda: list(S.get_model_state_dict(net, options=full)))
step = state["state"]["0.weight"]["exp_avg"].clone()
optimizer.step()
say("set", lambda: S.set_model_state_dict(net, model))
S.set_optimizer_state_dict(net, optimizer, flat, options=S.StateDictOptions(flatten_optimizer_state_dict=True))
say("as it was", lambda: S.get_optimizer_state_dict(net, optimizer)["state"]["0.weight"]["exp_avg"].shape == step.shape)
say("options", lambda: S.StateDictOptions())
leave(dist)
