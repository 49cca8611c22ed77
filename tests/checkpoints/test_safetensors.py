"""Checkpoints in the safetensors format. Expected bytes are written by hand from the description of the format."""

import json
import struct

import numpy as np
import pytest

import torchlike
import torchlike.distributed.checkpoint as dcp
from tests.checkpoints.states import DTYPES, States, plain

pytestmark = pytest.mark.filterwarnings("ignore")


def state(blank=False):
    made = States(torchlike, 3, blank)
    found = {name: made.elements(name, [3, 4]) for name in DTYPES if name != "complex128"}
    return found | {"transposed": made.elements("int16", [4, 3]).t(), "empty": torchlike.zeros(0, 2)}


@pytest.mark.parametrize("distributed", [False, True])
@pytest.mark.parametrize("files", [None, 3])
def test_every_dtype_comes_back(distributed, files, tmp_path):
    saved, loaded = state(), state(True)
    numbers = {name: 1 + i % files for i, name in enumerate(saved)} if files else None
    writer = dcp.HuggingFaceStorageWriter(tmp_path, numbers, save_distributed=distributed)
    dcp.save(saved, storage_writer=writer)
    dcp.load(loaded, storage_reader=dcp.HuggingFaceStorageReader(tmp_path))
    assert plain(loaded) == plain(saved)
    names = sorted(path.name for path in tmp_path.iterdir())
    shard = "shard-00001-" if distributed else ""
    expected = [f"{shard}model-{i + 1:05}-of-{files or 1:05}.safetensors" for i in range(files or 1)]
    assert names == expected + ([] if distributed else ["model.safetensors.index.json"])


def file(path, header, data):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def test_the_bytes_of_a_file(tmp_path):
    saved = {"x": torchlike.tensor([1, 2], dtype=torchlike.int16)}
    dcp.save(saved, storage_writer=dcp.HuggingFaceStorageWriter(tmp_path))
    data = (tmp_path / "model-00001-of-00001.safetensors").read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    assert data[8 + length :] == np.array([1, 2], np.int16).tobytes() and length % 8 == 0
    assert json.loads(data[8 : 8 + length]) == {
        "__metadata__": {"DCP_SHARDING_INFO": '{"x": {"saved_offsets": [0]}}', "DCP_VERSION": "1.0", "format": "pt"},
        "x": {"dtype": "I16", "shape": [2], "data_offsets": [0, 4]},
    }
    assert json.loads((tmp_path / "model.safetensors.index.json").read_text()) == {
        "metadata": {"total_size": 4},
        "weight_map": {"x": "model-00001-of-00001.safetensors"},
    }


def test_parts_of_several_processes(tmp_path):
    whole = np.arange(12, dtype=np.float32).reshape(6, 2)
    for i, (begin, end) in enumerate([(0, 4), (4, 6)]):
        places = json.dumps({"x": {"saved_offsets": [begin, 0]}})
        entry = {"dtype": "F32", "shape": [end - begin, 2], "data_offsets": [0, 8 * (end - begin)]}
        header = {"__metadata__": {"DCP_SHARDING_INFO": places}, "x": entry}
        file(tmp_path / f"shard-0000{i + 1}-model-00001-of-00001.safetensors", header, whole[begin:end].tobytes())
    loaded = {"x": torchlike.zeros(6, 2)}
    dcp.load(loaded, storage_reader=dcp.HuggingFaceStorageReader(tmp_path))
    assert (loaded["x"].numpy() == whole).all()


ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
DAMAGED = {
    "nothing": (b"", b""),
    "no JSON": (b"{x", bytes(8)),
    "a list": (b"[]", bytes(8)),
    "short data": ({"x": ENTRY}, bytes(7)),
    "another length": ({"x": ENTRY | {"data_offsets": [0, 4]}}, bytes(8)),
    "before the data": ({"x": ENTRY | {"data_offsets": [-8, 0]}}, bytes(8)),
    "no such dtype": ({"x": ENTRY | {"dtype": "F99"}}, bytes(8)),
    "a huge shape": ({"x": ENTRY | {"shape": [1 << 62, 4]}}, bytes(8)),
    "a float in the shape": ({"x": ENTRY | {"shape": [2.0]}}, bytes(8)),
    "deep": (b"[" * 100_000, bytes(8)),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files(name, tmp_path):
    file(tmp_path / "a.safetensors", *DAMAGED[name])
    with pytest.raises(dcp.CheckpointException, match="is not a safetensors file, or it is damaged"):
        dcp.load({"x": torchlike.zeros(2)}, storage_reader=dcp.HuggingFaceStorageReader(tmp_path))


def test_the_writer_refuses_values_that_safetensors_cannot_hold(tmp_path):
    for value, said in ((3, "hold only tensors"), (torchlike.zeros(1, dtype=torchlike.complex128), "format lacks")):
        with pytest.raises(dcp.CheckpointException, match=said):
            dcp.save({"x": value}, storage_writer=dcp.HuggingFaceStorageWriter(tmp_path))
    with pytest.raises(NotImplementedError, match="'enable_consolidation' is not supported"):
        dcp.HuggingFaceStorageWriter(tmp_path, enable_consolidation=True)
