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
from tests.processes.saying import leave

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
    leave(dist)


main()
