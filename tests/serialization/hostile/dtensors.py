"""Objects of `torch.distributed`, as rank 3 of 4 processes has them, without other processes."""

from __future__ import annotations

import functools
import io
import logging
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.distributed.tensor.placement_types import _StridedShard
from torch.testing._internal.distributed.fake_pg import FakeStore

import torchlike


def made(started: bool = False) -> dict[str, Any]:
    """Return DTensors on a mesh, on its parts and on a flattened mesh, and the objects of which they consist."""
    logging.getLogger("torch.distributed.device_mesh").setLevel(logging.ERROR)  # it warns of loads without groups
    if not started:
        dist.init_process_group("fake", store=FakeStore(), rank=3, world_size=4)
    try:
        mesh = dist.device_mesh.init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
        flat = mesh["dp", "tp"]._flatten("all")
        local, whole = torch.arange(10.0).reshape(2, 5), (4, 10)
        found = {
            "grid": DTensor.from_local(local, mesh, [Shard(0), Shard(1)], shape=whole, stride=(10, 1)),
            "part": DTensor.from_local(local, mesh["tp"], [Shard(1)], shape=(2, 10), stride=(10, 1)),
            "uneven": DTensor.from_local(local[:1], flat, [Shard(0)], shape=(7, 5), stride=(5, 1)),
            "strided": DTensor.from_local(local, mesh, [_StridedShard(0, split_factor=2), Shard(0)]),
            "partial": DTensor.from_local(local.double(), mesh, [Partial("max"), Replicate()]),
            "ints": DTensor.from_local(torch.arange(3), mesh["dp"], [Replicate()]),
            "grad": DTensor.from_local(local.clone(), mesh["dp"], [Replicate()]).requires_grad_(),
        }
        found["parameter"] = torch.nn.Parameter(found["grid"])
        found["parameter"].tag = ["a", local]
        parts = {"mesh": mesh, "flat": flat, "unnamed": dist.device_mesh.DeviceMesh("cpu", [[3, 1]])}
        placements = (Shard(-1), Replicate(), Partial("avg"), _StridedShard(1, split_factor=3))
        return {**found, **parts, "placements": placements, "spec": found["grid"]._spec}
    finally:
        if not started:
            dist.destroy_process_group()


@functools.cache
def files() -> dict[str, bytes]:
    """Return the file that PyTorch writes, and the one that torchlike writes after it has read that file."""
    theirs, ours = io.BytesIO(), io.BytesIO()
    torch.save(made(), theirs)
    torchlike.save(torchlike.load(io.BytesIO(theirs.getvalue())), ours)
    return {"torch": theirs.getvalue(), "torchlike": ours.getvalue()}
