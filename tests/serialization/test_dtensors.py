"""DTensors, meshes and placements in files, read without a process group. See also `tests/processes/test_files.py`."""

from __future__ import annotations

import copy
import functools
import io
import pickle
import random

import pytest
import torch
import torch.distributed as dist
from torch.distributed._mesh_layout import _FlatLayout, _MeshLayout
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor._dtensor_spec import ShardOrderEntry, TensorMeta
from torch.distributed.tensor._ops._math_ops import _NormPartial
from torch.distributed.tensor.placement_types import _StridedShard

import torchlike
from tests.serialization.crossing import load_bytes, save_bytes
from tests.serialization.hostile import child, dtensors
from tests.serialization.hostile.mutations_of_pickles import (
    changed_opcodes,
    flipped_bytes_of_the_pickle,
    truncated_pickle,
)
from tests.serialization.hostile.seeds import seeds
from torchlike.distributed.tensor import placement_types

LIBRARIES = {"torch": torch, "torchlike": torchlike}


def described(found):
    """Return what both libraries tell about the objects of `dtensors.made`."""
    return {name: str(list(_told(item))).replace("torchlike", "torch") for name, item in found.items()}


def _told(item):
    if hasattr(item, "to_local"):
        local = item.to_local()
        yield from (item.placements, tuple(item.shape), item.stride(), item.dtype, item.requires_grad, item.is_leaf)
        yield from (local.tolist(), local.stride(), getattr(item, "_is_param", None), str(getattr(item, "tag", None)))
        item = item.device_mesh
    if hasattr(item, "mesh_dim_names"):
        root = item._root_mesh if hasattr(item, "_root_mesh") else item._root
        yield from (item, item.device_type, item.mesh_dim_names, item.get_coordinate(), root)
    elif hasattr(item, "tensor_meta"):
        yield from (item.mesh, item.placements, tuple(item.shape), tuple(item.stride), item.ndim)
    else:
        yield item


@functools.cache
def expected():
    return described(torch.load(io.BytesIO(dtensors.files()["torch"])))


@pytest.mark.parametrize("options", [{}, {"map_location": "cpu"}, {"map_location": {"cpu": "cpu"}}, {"mmap": True}])
@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize(("source", "reader"), [("torch", "torchlike"), ("torchlike", "torch"), ("torchlike",) * 2])
def test_both_libraries_read_both_files(source, reader, weights_only, options, tmp_path):
    (tmp_path / "a.pt").write_bytes(dtensors.files()[source])
    found = LIBRARIES[reader].load(tmp_path / "a.pt", weights_only=weights_only, **options)
    assert described(found) == expected()
    assert not torchlike.distributed.is_initialized()


@pytest.mark.parametrize("reader", LIBRARIES.values())
@pytest.mark.parametrize("weights_only", [True, False])
def test_the_format_of_old_files(reader, weights_only):
    data = save_bytes(torchlike, load_bytes(torchlike, dtensors.files()["torch"]), _use_new_zipfile_serialization=False)
    assert described(load_bytes(reader, data, weights_only=weights_only)) == expected()


def test_partial_norms():
    """PyTorch neither writes nor reads the order of the norm: it loads the maximum norm as the norm of order 2."""
    for norm in (1.0, float("inf")):
        mine = placement_types._NormPartial(norm)
        data = save_bytes(torchlike, mine)
        assert load_bytes(torch, data, weights_only=False).norm_type == 2
        assert load_bytes(torchlike, data) == mine
    theirs = load_bytes(torchlike, save_bytes(torch, _NormPartial(2.0)))
    assert theirs == placement_types._NormPartial(2)


def test_the_meta_device():
    found = load_bytes(torchlike, dtensors.files()["torch"], map_location="meta")["grid"]
    assert found.device.type == found.to_local().device.type == "meta"
    assert (tuple(found.shape), tuple(found.to_local().shape)) == ((4, 10), (2, 5))


def test_the_files_have_the_same_names():
    """PyTorch's `weights_only=True` permits a class only under the name that PyTorch writes."""
    names = [torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(d)) for d in dtensors.files().values()]
    assert names == [[], []]
    assert torchlike.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(dtensors.files()["torch"])) == []


@pytest.mark.parametrize("again", [copy.deepcopy, lambda found: pickle.loads(pickle.dumps(found))])
def test_copies_and_pickles(again):
    found = load_bytes(torchlike, dtensors.files()["torch"])
    copied = again(found)
    assert described(copied) == expected()
    assert copied["mesh"] == found["mesh"] and hash(copied["flat"]) == hash(found["flat"])
    assert copied["grid"].to_local().data_ptr() != found["grid"].to_local().data_ptr()


def test_tensors_of_one_storage_share_it():
    found = load_bytes(torchlike, dtensors.files()["torch"])
    found["grid"].to_local()[0, 0] = 7
    assert found["part"].to_local()[0, 0] == found["strided"].to_local()[0, 0] == 7


def test_local_operators_need_no_group():
    found = load_bytes(torchlike, dtensors.files()["torch"])
    assert (found["grid"] + 1).to_local().tolist() == (found["grid"].to_local() + 1).tolist()
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        found["grid"].full_tensor()


@pytest.fixture
def alone():
    store = torchlike.distributed.HashStore()
    torchlike.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    yield
    torchlike.distributed.destroy_process_group()


def test_parts_of_another_process_are_not_combined(alone):
    """PyTorch combines them with the parts of the group that has the same name, if there is one."""
    found = load_bytes(torchlike, dtensors.files()["torch"])["grid"]
    assert found.device_mesh.get_coordinate() == (1, 1)
    assert (found * 2).to_local().tolist() == (found.to_local() * 2).tolist()
    with pytest.raises(RuntimeError, match=r"are the parts of rank 3.*torch.distributed.checkpoint"):
        found.full_tensor()


def test_a_mesh_of_more_processes_has_no_groups(alone):
    mesh = load_bytes(torchlike, save_bytes(torch, dtensors.made()["mesh"]))
    assert mesh.mesh.tolist() == [[0, 1], [2, 3]]
    with pytest.raises(RuntimeError, match=r"needs a process group of the ranks \[0, 2\].*init_device_mesh"):
        mesh.get_group("dp")


def test_a_loaded_mesh_finds_the_groups_of_this_process(alone):
    mesh = torchlike.distributed.init_device_mesh("cpu", (1, 1), mesh_dim_names=("a", "b"))
    data = save_bytes(torchlike, {"mesh": mesh, "part": mesh["b"]})
    found = load_bytes(torchlike, data)
    assert found["mesh"] == mesh and found["part"] == mesh["b"] and found["mesh"]["a"] == mesh["a"]
    assert found["mesh"].get_all_groups() == mesh.get_all_groups()
    torchlike.distributed.destroy_process_group()
    store = torchlike.distributed.HashStore()
    torchlike.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    assert load_bytes(torchlike, data)["part"].get_group() is torchlike.distributed.group.WORLD


# -- older versions of PyTorch -----------------------------------------------------------------------------------------


def with_layout(mesh, shape, stride):
    """Give a mesh the state of PyTorch 2.10: one layout of all dims."""
    mesh._layout.__dict__.clear()
    mesh._layout.__dict__.update(shape=shape, stride=stride)


def with_ranks(mesh, coordinates):
    """Give a mesh the state of PyTorch 2.4: a tensor of its ranks, and no list of all ranks."""
    state = {"device_type": "cpu", "mesh": mesh.mesh, "mesh_dim_names": mesh.mesh_dim_names, "_dim_group_infos": []}
    mesh.__dict__.clear()
    mesh.__dict__.update(state, _flatten_mesh_list=(), _thread_id=None, _coordinate_on_dim=coordinates)


def of_older(change):
    dist.init_process_group("fake", store=dtensors.FakeStore(), rank=3, world_size=4)
    try:
        found = {name: item for name, item in dtensors.made(started=True).items() if name in ("grid", "part")}
        change(found)
        for item in found.values():
            for name in ("shard_order", "use_strided_shard_as_shard_order", "_hash"):
                item._spec.__dict__.pop(name)
        data = save_bytes(torch, found)
    finally:
        dist.destroy_process_group()
    return {name: item for name, item in load_bytes(torchlike, data).items()}


def _as_of_2_10(found):
    with_layout(found["grid"].device_mesh, (2, 2), (2, 1))
    with_layout(found["part"].device_mesh, 2, 1)


def _as_of_2_4(found):
    part, grid = (found[name].device_mesh for name in ("part", "grid"))
    with_ranks(part, [1])
    with_ranks(grid, [1, 1])


@pytest.mark.parametrize("change", [_as_of_2_10, _as_of_2_4])
def test_states_of_older_versions(change):
    found = of_older(change)
    new = load_bytes(torchlike, dtensors.files()["torch"])
    for name, item in found.items():
        assert item.to_local().tolist() == new[name].to_local().tolist() and item.placements == new[name].placements
        assert item.device_mesh == new[name].device_mesh
        assert item.device_mesh.get_coordinate() == new[name].device_mesh.get_coordinate()


def test_names_of_older_versions():
    seed = next(s for s in seeds() if s.name == "torch-dtensors")
    old = seed.pickle.replace(b"ctorch.distributed.tensor\nDTensor", b"ctorch.distributed._tensor.api\nDTensor")
    for name in (b"placement_types", b"_dtensor_spec"):
        old = old.replace(b"torch.distributed.tensor." + name, b"torch.distributed._tensor." + name)
    renamed = old.replace(b"_tensor._dtensor_spec\nShardOrderEntry", b"tensor._dtensor_spec\nShardOrderEntry")
    for weights_only in (True, False):
        assert described(load_bytes(torchlike, seed.with_pickle(renamed), weights_only=weights_only)) == expected()


# -- damaged and hostile files -----------------------------------------------------------------------------------------


def layout(*axes):
    """Return PyTorch's layout of axes (shape, stride), without its checks."""
    flat = [object.__new__(_FlatLayout) for _ in axes]
    for made, (shape, stride) in zip(flat, axes):
        made.__dict__.update(shape=shape, stride=stride)
    made = object.__new__(_MeshLayout)
    made.__dict__["axes"] = tuple(flat)
    return made


def ranks(*numbers):
    return {"_flatten_rank_map": numbers, "_rank_map": torch.tensor(numbers, dtype=torch.int32)}


OF_SPECS = [
    ({"placements": (Shard(0),)}, "1 placements on a mesh of 2 dims"),
    ({"placements": (Shard(0), Shard(2)), "shard_order": None}, "has 2 dims and the placement"),
    ({"placements": (Shard(0), Shard(-1)), "shard_order": None}, "has 2 dims and the placement"),
    ({"placements": (Shard(0), "Shard(1)")}, "invalid placements"),
    ({"placements": [Shard(0), Shard(1)]}, "invalid placements"),
    ({"placements": (Replicate(), Replicate()), "shard_order": None}, "local tensor of the shape"),
    ({"placements": (_StridedShard(0, split_factor=1 << 40), Shard(1))}, "invalid split_factor"),
    ({"shard_order": (ShardOrderEntry(0, (1,)), ShardOrderEntry(1, (0,)))}, "another order"),
    ({"tensor_meta": TensorMeta(torch.Size((8, 10)), (10, 1), torch.float32)}, "spec or its local tensor has others"),
    ({"tensor_meta": TensorMeta(torch.Size((4, 10)), (1, 4), torch.float32)}, "spec or its local tensor has others"),
    ({"tensor_meta": TensorMeta(torch.Size((4, 10)), (10, 1), torch.int32)}, "spec or its local tensor has others"),
    ({"tensor_meta": TensorMeta((4, -10), (10, 1), torch.float32)}, "invalid sizes"),
    ({"tensor_meta": TensorMeta((4, 10), (10,), torch.float32)}, "invalid geometry"),
    ({"tensor_meta": ((4, 10), (10, 1), torch.float32)}, "invalid geometry"),
    ({"tensor_meta": None}, "has no spec"),
    ({"mesh": None}, "invalid mesh"),
]
OF_MESHES = [
    ({"_layout": layout(((2,), (1,)), ((2,), (1,)))}, "overlap"),
    ({"_layout": layout(((2,), (3,)), ((2,), (1,)))}, "overlap"),
    ({"_layout": layout(((2,), (4,)), ((2,), (1,)))}, "larger than its list of 4 ranks"),
    ({"_layout": layout(((1 << 40,), (2,)), ((2,), (1,)))}, "invalid sizes"),
    ({"_layout": layout(((2,), (2,)), ((2,), (1.0,)))}, "invalid strides"),
    ({"_layout": layout(((2,), (0,)), ((2,), (1,)))}, "invalid strides"),
    ({"_layout": layout(((2,), (2,)))}, "invalid names"),
    ({"_layout": None}, "has no layout"),
    ({"_flatten_rank_map": (0, 1, 3, 2)}, "two different lists"),
    (ranks(0, 1, 1, 3), "not different ranks"),
    (ranks(0, 1, -2, 3), "not different ranks"),
    ({"_rank_map": torch.ones(4)}, "has no ranks"),
    ({"_rank_map": torch.zeros(1, dtype=torch.int32).expand(1 << 40)}, "more than|objects"),
    ({"_mesh_dim_names": ("a",)}, "invalid names"),
    ({"_mesh_dim_names": ("a", "a")}, "invalid names"),
    ({"_device_type": "../cpu"}, "invalid device type"),
    ({"_rank": -1}, "invalid rank"),
    ({"_rank": "3"}, "invalid rank"),
    ({"_dim_group_names": [1, 2]}, "invalid names of groups"),
    ({"_root_mesh": 3}, "invalid root mesh"),
    ({"_flatten_mapping": {"all": 3}}, "invalid parts"),
]


def refused(found, why):
    data = save_bytes(torch, found)
    for weights_only in (True, False):
        with pytest.raises(pickle.UnpicklingError, match=why):
            load_bytes(torchlike, data, weights_only=weights_only)


@pytest.mark.parametrize(("state", "why"), OF_SPECS)
def test_specs_that_do_not_fit(state, why):
    found = dtensors.made()["grid"]
    found._spec.__dict__.update(state)
    refused(found, why)


@pytest.mark.parametrize(("state", "why"), OF_MESHES)
def test_meshes_that_do_not_fit(state, why):
    found = dtensors.made()["mesh"]
    found.__dict__.update(state)
    if "objects" in why:
        with pytest.raises(pickle.UnpicklingError, match=why):
            load_bytes(torchlike, save_bytes(torch, found))
        return
    refused(found, why)


def test_parts_of_another_mesh():
    found = dtensors.made()
    found["part"].device_mesh.__dict__["_root_mesh"] = found["unnamed"]
    refused(found["part"], "not a part of its root mesh")
    found = dtensors.made()
    found["mesh"]._flatten_mapping["all"] = found["unnamed"]
    refused(found["mesh"], "not a part of its root mesh")


@pytest.mark.parametrize(
    "local", [torch.ones(2, 4), torch.ones(2, 5).double(), torch.ones(10), torch.eye(2).to_sparse()]
)
def test_local_tensors_that_do_not_fit(local):
    found = dtensors.made()["grid"]
    found._local_tensor = local
    refused(found, "local tensor")


@pytest.mark.parametrize("name", ["_spec", "_source", "to_local", "shape", "__class__", "_grad", "requires_grad"])
def test_attributes_that_are_reserved(name):
    found = dtensors.made()["grid"]
    found.__dict__[name] = 1
    refused(found, "reserved")


SHARD = b"ctorch.distributed.tensor.placement_types\nShard\n"
DIM = b"}X\x03\x00\x00\x00dimK\x00s"
PICKLES = {
    "no state": SHARD + b")\x81",
    "two states": SHARD + b")\x81" + DIM + b"b" + DIM + b"b",
    "no object": SHARD + DIM + b"b",
    "a call": SHARD + b"K\x00\x85R",
    "arguments": SHARD + b"K\x00\x85\x81" + DIM + b"b",
    "a key without a state": b"}" + SHARD + b")\x81K\x01s",
    "a mesh as key": b"}ctorch.distributed.device_mesh\nDeviceMesh\n)\x81K\x01s",
    "a mesh in a key": b"}ctorch.distributed.device_mesh\nDeviceMesh\n)\x81\x85K\x01s",
    "a list as state": SHARD + b")\x81]b",
    "a tensor class": b"ctorch.distributed.tensor\nDTensor\n)\x81",
    "a short tuple": b"ctorch.distributed.tensor._dtensor_spec\nTensorMeta\nK\x01\x85\x81",
    "another name": b"ctorch.distributed.tensor\ndistribute_tensor\n)R",
    "a module": b"ctorch.distributed.tensor.placement_types\nfields\n)R",
}


@pytest.mark.parametrize("stream", PICKLES.values(), ids=PICKLES)
def test_forged_pickles(stream):
    seed = next(s for s in seeds() if s.name == "torch-dtensors")
    with pytest.raises((pickle.UnpicklingError, NotImplementedError)):
        load_bytes(torchlike, seed.with_pickle(b"\x80\x02" + stream + b"."))


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@pytest.mark.parametrize("change", [changed_opcodes, flipped_bytes_of_the_pickle, truncated_pickle])
@pytest.mark.parametrize("name", ["torch-dtensors", "torchlike-dtensors"])
def test_random_damage(change, name, tmp_path):
    """A damaged file is refused in one sentence, or its tensors are consistent and have the data of the file."""
    seed, path, outcomes = next(s for s in seeds() if s.name == name), tmp_path / "a.pt", set()
    for number in range(150):
        path.write_bytes(change(random.Random(number), seed))
        try:
            found = torchlike.load(path)
        except Exception as error:
            outcomes.add(child.REFUSED)
            outcome = child.classify(error, str(path))
            assert outcome.kind == child.REFUSED, outcome.detail
        else:
            outcomes.add(child.LOADED)
            assert child.foreign(found, str(path)) == ""
    assert child.REFUSED in outcomes
    assert not torchlike.distributed.is_initialized() and not dist.is_initialized()
