"""Load and save random state dicts with distributed tensors, in any number of processes.

The environment names the folders: `CHECKPOINT_LOAD` (which may be empty) and `CHECKPOINT_SAVE`. `CHECKPOINT_SEEDS` are
the seeds. Placements depend on the number of processes.
"""

import os
import random
import warnings

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.placement_types import _StridedShard

from tests.checkpoints.states import DTYPES, States, plain
from tests.processes.saying import leave, say

MESHES = {1: [[0]], 2: [[0, 1], [[0], [1]]], 3: [[0, 1, 2], [1, 2]], 4: [[0, 1, 2, 3], [[0, 1], [2, 3]], [3, 1]]}


def state(meshes, seed, blank):
    """Return a state dict and the whole tensors of its distributed tensors."""
    made, wholes = States(torch, seed, blank), {}
    for i in range(6):
        shape = [made.random.choice([1, 2, 3, 5, 7, 8]) for _ in range(made.random.randrange(1, 4))]
        wholes[f"d{i}"] = made.elements(made.random.choice(DTYPES), shape)
    found = made.state()
    chance = random.Random(seed * 10 + dist.get_world_size())
    for name, whole in wholes.items():
        mesh = chance.choice(meshes)
        placements = [chance.choice([Replicate(), *map(Shard, range(whole.dim()))]) for _ in range(mesh.ndim)]
        if mesh.ndim == 2 and chance.random() < 0.3:
            placements = [_StridedShard(0, split_factor=mesh.size(1)), Shard(0)]
        if mesh.get_coordinate() is not None:
            found[name] = made.part(DTensor, mesh, placements, whole)
    return found


def sharded(mesh, blank=False):
    whole = States(torch, 5, blank).elements("float32", [7, 2])
    return States(torch, 0).part(DTensor, mesh, [Shard(0)], whole)


def loaded(mesh, folder, **options):
    """Return whether the loaded tensor has the saved elements."""
    found = {"x": sharded(mesh, True)}
    dcp.load(found, checkpoint_id=folder, **options)
    return torch.equal(found["x"].to_local(), sharded(mesh).to_local()), sorted(os.listdir(folder))


def failure(mesh, folder):
    """A key that is missing in the last process raises in all of them."""
    dcp.save({"x": sharded(mesh)}, checkpoint_id=folder)
    last = dist.get_rank() == dist.get_world_size() - 1
    try:
        dcp.load({"y" if last else "x": sharded(mesh)}, checkpoint_id=folder)
    except dcp.CheckpointException as error:
        return [(rank - dist.get_world_size(), str(found)) for rank, (found, _) in error.failures.items()]


def asynchronous(mesh, folder):
    saved = {"x": sharded(mesh)}
    future = dcp.async_save(saved, checkpoint_id=folder, process_group=dist.new_group())
    saved["x"].to_local().zero_()
    future.result()
    return loaded(mesh, folder)[0]


def alone(mesh, folder):
    """Each process saves on its own."""
    dcp.save({"x": sharded(mesh)}, checkpoint_id=folder, use_collectives=False)
    found, files = loaded(mesh, folder)
    return found, len(files) == 2 * dist.get_world_size(), "__0.metadata" in files


def one(mesh, folder):
    """A group of the last process saves and loads."""
    last = dist.get_world_size() - 1
    group = dist.new_group([last])
    if dist.get_rank() == last:
        dcp.save({"a": torch.ones(2)}, checkpoint_id=folder, process_group=group)
    dist.barrier()
    found = {"a": torch.zeros(2)}
    dcp.load(found, checkpoint_id=folder)
    return found, sorted(os.listdir(folder))


def main():
    warnings.simplefilter("ignore")
    dist.init_process_group("gloo")
    meshes = [DeviceMesh("cpu", ranks) for ranks in MESHES[dist.get_world_size()]]
    before, after = os.environ["CHECKPOINT_LOAD"], os.environ["CHECKPOINT_SAVE"]
    for seed in map(int, os.environ["CHECKPOINT_SEEDS"].split()):
        expected = state(meshes, seed, False)
        dcp.save(expected, checkpoint_id=os.path.join(after, str(seed)))
        if not before:
            continue
        loaded = state(meshes, seed, True)
        dcp.load(loaded, checkpoint_id=os.path.join(before, str(seed)))
        found, wanted = plain(loaded), plain(expected)
        differ = [(name, found[name], wanted[name]) for name in wanted if found[name] != wanted[name]]
        assert not differ, (seed, dist.get_rank(), differ)
        print("same", seed, flush=True)
    for name, run in {"failure": failure, "asynchronous": asynchronous, "alone": alone, "one": one}.items():
        say(name, lambda: run(meshes[0], os.path.join(after, name)))  # noqa: B023
    leave(dist)


main()
