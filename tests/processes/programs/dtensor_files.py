"""Save the state of a `fully_shard` module under tensor parallelism, and load the files of both libraries."""

import json
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

ACTION, FOLDER, OWN = os.environ["FILES_ACTION"], os.environ["FILES_FOLDER"], os.environ["FILES_OF"]


def told(item):
    if isinstance(item, DTensor):
        mesh, local = item.device_mesh, item.to_local()
        whole = [] if any(each.is_partial() for each in item.placements) else told(item.full_tensor())
        said = [str(item.placements), list(item.shape), list(item.stride()), str(item.dtype).split(".")[-1]]
        said += [item.requires_grad, item.is_leaf, getattr(item, "_is_param", None), mesh.mesh.tolist()]
        return [
            *said,
            repr(mesh),
            mesh.get_coordinate(),
            [mesh.get_group(d).size() for d in range(mesh.ndim)],
            told(local),
            whole,
        ]
    if isinstance(item, torch.Tensor):
        return [[round(x, 4) for x in item.detach().double().flatten().tolist()], list(item.shape)]
    if isinstance(item, dict):
        return {str(key): told(value) for key, value in item.items()}
    return (
        [told(each) for each in item] if isinstance(item, (list, tuple)) else repr(item).replace("torchlike", "torch")
    )


def trained(mesh):
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    parallelize_module(model, mesh["tp"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
    fully_shard(model, mesh=mesh["dp"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    torch.manual_seed(5)
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.randn(4, 6)).pow(2).sum().backward()
        optimizer.step()
    return model, optimizer


def objects(mesh):
    model, optimizer = trained(mesh)
    x = torch.arange(35.0).reshape(7, 5)
    return {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "grid": distribute_tensor(x, mesh, [Shard(0), Shard(1)]),
        "twice": distribute_tensor(x, mesh, [Shard(0), Shard(0)]),
        "flat": distribute_tensor(x.t().double(), mesh["all"], [Shard(1)]),
        "partial": DTensor.from_local(x + dist.get_rank(), mesh, [Partial("max"), Replicate()]),
        "parameter": nn.Parameter(distribute_tensor(x.bfloat16(), mesh["tp"], [Shard(1)])),
        "mesh": [mesh, mesh["tp"], mesh["all"]],
        "placements": (Shard(1), Partial("avg")),
    }


def loaded(mesh, path, **options):
    """Load a file, print what is in it, and continue to train with it."""
    found = torch.load(path, **options)
    print(json.dumps(told(found)))
    print(found["mesh"][0] == mesh, found["mesh"][1] == mesh["tp"], hash(found["mesh"][2]) == hash(mesh["all"]))
    print(found["mesh"][0].get_group("tp").group_name, dist.get_process_group_ranks(found["mesh"][0]["dp"].get_group()))
    model, optimizer = trained(mesh)
    model.load_state_dict(found["model"])
    optimizer.load_state_dict(found["optimizer"])
    model(torch.ones(2, 6)).sum().backward()
    optimizer.step()
    print(json.dumps(told(model.state_dict())))


def sent(mesh):
    """Send a replicated tensor and its mesh as Python objects."""
    x = distribute_tensor(torch.arange(3.0), mesh["tp"], [Replicate()])
    given = [x, mesh] if dist.get_rank() == 0 else [None, None]
    dist.broadcast_object_list(given)
    print(given[0].to_local().tolist(), given[0].placements, given[1] == mesh)


dist.init_process_group("gloo")
shape = (2, 2) if dist.get_world_size() == 4 else (dist.get_world_size(), 1)
device_mesh = init_device_mesh("cpu", shape, mesh_dim_names=("dp", "tp"))
device_mesh["dp", "tp"]._flatten("all")
if ACTION == "save":
    made = objects(device_mesh)
    torch.save(made, f"{FOLDER}/{OWN}{dist.get_rank()}.pt")
    print(json.dumps(told(made)))
else:
    for weights_only in (True, False):
        loaded(device_mesh, f"{FOLDER}/{OWN}{dist.get_rank()}.pt", weights_only=weights_only)
    loaded(device_mesh, f"{FOLDER}/{OWN}{dist.get_rank()}.pt", mmap=True, map_location="cpu")
    sent(device_mesh)
dist.destroy_process_group()
