"""Damaged and malicious checkpoints are refused with a sentence, and never execute code."""

import gc
import io
import os
import pickle
import random

import pytest
import torch
import torch.distributed.checkpoint as theirs
from torch.distributed.checkpoint.filesystem import _StorageInfo
from torch.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    TensorProperties,
    TensorStorageMetadata,
)

import torchlike
import torchlike.distributed.checkpoint as ours
from torchlike.serialization import _items, _reader
from torchlike.serialization._storages import LoadedStorage

pytestmark = pytest.mark.filterwarnings("ignore")
_PLACE = (1261, 1705)  # the offset and length of the tensor that `saved` saves


def refused(folder, state=None, **options):
    """Return the message of the only failure of a load."""
    with pytest.raises(ours.CheckpointException) as caught:
        ours.load({"a": torchlike.zeros(40)} if state is None else state, checkpoint_id=folder, **options)
    return "; ".join(f"{type(error).__name__}: {error}" for error, _ in caught.value.failures.values())


_KINDS = {
    "AssertionError",
    "RuntimeError",
    "ValueError",
    "UnpicklingError",
    "FileNotFoundError",
    "NotImplementedError",
}


def saved(folder):
    metadata = theirs.save({"a": torch.arange(40.0), "b": [1, 2]}, checkpoint_id=folder)
    stored = metadata.storage_data[MetadataIndex("a", [0])]
    assert (stored.offset, stored.length) == _PLACE, stored
    return folder / ".metadata", folder / "__0_0.distcp"


class Evil:
    """An object whose unpickling runs a command."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_metadata_executes_no_code(protocol, tmp_path):
    metadata, _ = saved(tmp_path)
    for evil in (Evil(tmp_path / "ran"), Metadata({"a": Evil(tmp_path / "ran")}), Metadata({}, Evil(tmp_path / "ran"))):
        metadata.write_bytes(pickle.dumps(evil, protocol))
        assert "posix.system" in refused(tmp_path) or "nt.system" in refused(tmp_path)
    assert not (tmp_path / "ran").exists()


def test_an_object_executes_no_code(tmp_path):
    theirs.save({"a": Evil(tmp_path / "ran")}, checkpoint_id=tmp_path)
    said = refused(tmp_path, {"a": None})
    assert "The object 'a' of the checkpoint was not loaded" in said
    assert "DefaultLoadPlanner(weights_only=False)" in said and not (tmp_path / "ran").exists()


def test_an_object_of_a_trusted_checkpoint(tmp_path):
    theirs.save({"a": range(3), "b": random.Random(3).getstate()}, checkpoint_id=tmp_path)
    state = {"b": None}
    ours.load(state, checkpoint_id=tmp_path)
    assert state["b"] == random.Random(3).getstate()
    assert "range" in refused(tmp_path, {"a": None})
    state = {"a": None}
    ours.load(state, checkpoint_id=tmp_path, planner=ours.DefaultLoadPlanner(weights_only=False))
    assert state["a"] == range(3)
    with torchlike.serialization.safe_globals([range]):
        state = {"a": None}
        ours.load(state, checkpoint_id=tmp_path)
    assert state["a"] == range(3)


def whole(**changes):
    """Return metadata of one tensor of 40 elements."""
    size = torch.Size([40])
    tensor = TensorStorageMetadata(TensorProperties(torch.float32), size, [ChunkStorageMetadata(torch.Size([0]), size)])
    stored = {MetadataIndex("a", [0], 0): _StorageInfo("__0_0.distcp", *_PLACE)}
    return Metadata(**{"state_dict_metadata": {"a": tensor}, "storage_data": stored, **changes})


def unbuilt(cls):
    return object.__new__(cls)


INVALID = {
    "a chunk without sizes": lambda: whole(
        state_dict_metadata={
            "a": TensorStorageMetadata(TensorProperties(), torch.Size([40]), [unbuilt(ChunkStorageMetadata)])
        }
    ),
    "a size that is a list": lambda: whole(
        state_dict_metadata={"a": TensorStorageMetadata(TensorProperties(), [40], [])}
    ),
    "a text as metadata": lambda: whole(state_dict_metadata={"a": "tensor"}),
    "a list as metadata": lambda: whole(state_dict_metadata=[]),
    "a text as a place": lambda: whole(storage_data={MetadataIndex("a", [0]): "__0_0.distcp"}),
    "a negative place": lambda: whole(storage_data={MetadataIndex("a", [0]): _StorageInfo("__0_0.distcp", -1, 3)}),
    "negative offsets": lambda: whole(
        state_dict_metadata={
            "a": TensorStorageMetadata(
                TensorProperties(),
                torch.Size([40]),
                [ChunkStorageMetadata(torch.Size([-1]), torch.Size([41]))],
            )
        }
    ),
    "a place of a text": lambda: whole(storage_data={"a": _StorageInfo("__0_0.distcp", 1, 3)}),
    "something else": lambda: [1, 2],
    "only a part": lambda: BytesStorageMetadata(),
}


@pytest.mark.parametrize("name", INVALID)
def test_invalid_metadata(name, tmp_path):
    metadata, _ = saved(tmp_path)
    metadata.write_bytes(pickle.dumps(INVALID[name]()))
    said = refused(tmp_path)
    assert "Weights only load failed for" in said and str(metadata) in said, said


OTHERS = {
    "outside": (lambda: whole(storage_data={MetadataIndex("a", [0]): _StorageInfo("../x", 0, 3)}), "outside of"),
    "absolute": (lambda: whole(storage_data={MetadataIndex("a", [0]): _StorageInfo("/etc/x", 0, 3)}), "outside of"),
    "missing file": (lambda: whole(storage_data={MetadataIndex("a", [0]): _StorageInfo("x", 0, 3)}), "No such file"),
    "missing item": (lambda: whole(storage_data={}), "does not store MetadataIndex"),
    "too long": (
        lambda: whole(storage_data={MetadataIndex("a", [0]): _StorageInfo("__0_0.distcp", 0, 1 << 40)}),
        "is truncated",
    ),
    "no tensor there": (
        lambda: whole(storage_data={MetadataIndex("a", [0]): _StorageInfo("__0_0.distcp", 0, 1261)}),
        "stored where a tensor was expected",
    ),
    "another place": (
        lambda: whole(storage_data={MetadataIndex("a", [0]): _StorageInfo("__0_0.distcp", 1262, 1500)}),
        "no saved tensor lies between the bytes 1262 and 2762",
    ),
    "another size": (
        lambda: whole(
            state_dict_metadata={
                "a": TensorStorageMetadata(
                    TensorProperties(),
                    torch.Size([41]),
                    [ChunkStorageMetadata(torch.Size([0]), torch.Size([41]))],
                )
            }
        ),
        "unlike the metadata",
    ),
    "extensions": (
        lambda: whole(storage_data={MetadataIndex("a", [0]): _StorageInfo("__0_0.distcp", *_PLACE, ["zstd"])}),
        "was saved with the extensions",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_metadata_that_does_not_fit_the_files(name, tmp_path):
    make, expected = OTHERS[name]
    metadata, _ = saved(tmp_path)
    metadata.write_bytes(pickle.dumps(make()))
    assert expected in refused(tmp_path, {"a": torchlike.zeros(41 if name == "another size" else 40)})


def test_metadata_that_fits_is_read(tmp_path):
    metadata, _ = saved(tmp_path)
    metadata.write_bytes(pickle.dumps(whole()))
    state = {"a": torchlike.zeros(40)}
    ours.load(state, checkpoint_id=tmp_path)
    assert state["a"].tolist() == list(range(40))


def test_a_truncated_file_at_every_length(tmp_path):
    for path in saved(tmp_path):
        data = path.read_bytes()
        for length in range(0, len(data), 37):
            path.write_bytes(data[:length])
            assert str(path) in refused(tmp_path, {"a": torchlike.zeros(40), "b": []})
        path.write_bytes(data)


def test_changed_bytes_of_the_data_never_give_other_elements(tmp_path):
    _, path = saved(tmp_path)
    data = path.read_bytes()
    chance = random.Random(0)
    for _ in range(60):
        changed = bytearray(data)
        changed[chance.randrange(_PLACE[0], len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        state = {"a": torchlike.zeros(40)}
        try:
            ours.load(state, checkpoint_id=tmp_path)
        except ours.CheckpointException as error:
            assert str(path) in str(error)
            continue
        assert state["a"].tolist() == list(range(40))


def test_changed_bytes_of_the_metadata_raise_or_are_harmless(tmp_path):
    path, _ = saved(tmp_path)
    data = path.read_bytes()
    chance = random.Random(0)
    for _ in range(200):
        changed = bytearray(data)
        for _ in range(chance.randrange(1, 4)):
            changed[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(changed)
        try:
            ours.load({"a": torchlike.zeros(40)}, checkpoint_id=tmp_path)
        except ours.CheckpointException as error:
            failures = [type(found).__name__ for found, _ in error.failures.values()]
            assert set(failures) <= _KINDS, str(error)


def test_an_item_reads_only_the_region(tmp_path, monkeypatch):
    """A part of a chunk is read through a memory map, and a whole chunk with its checksum."""
    theirs.save({"a": torch.arange(1 << 20)}, checkpoint_id=tmp_path)
    with open(tmp_path / "__0_0.distcp", "rb") as file:
        end = os.fstat(file.fileno()).st_size
        read = []
        monkeypatch.setattr(_reader.Reader, "storage", _recording(_reader.Reader.storage, read))
        part = _items.load_region(file, file.name, 0, end, [100], [3])
        assert part.tolist() == [100, 101, 102] and read == [True]
        assert _items.load_region(file, file.name, 0, end, [0], [1 << 20]).sum() == (1 << 19) * ((1 << 20) - 1)
        assert read == [True, True, False]


def test_the_memory_of_an_item_is_freed_at_once(tmp_path):
    _, path = saved(tmp_path)
    gc.collect()
    gc.disable()
    try:
        with open(path, "rb") as file:
            _items.load_region(file, str(path), _PLACE[0], sum(_PLACE), [0], [40])
        assert not any(isinstance(found, LoadedStorage) for found in gc.get_objects())
    finally:
        gc.enable()


def _recording(method, read):
    def storage(self, key, size):
        read.append(self._map_path is not None)
        return method(self, key, size)

    return storage


def test_bytes_after_an_item_are_not_read(tmp_path):
    _, path = saved(tmp_path)
    with path.open("ab") as file:
        file.write(io.BytesIO(b"other data").read())
    state = {"a": torchlike.zeros(40)}
    ours.load(state, checkpoint_id=tmp_path)
    assert state["a"].tolist() == list(range(40))
