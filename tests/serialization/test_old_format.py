"""Files written in the format of PyTorch versions before 1.6."""

import io
import pickle
import pickletools

import pytest

import torchlike
from tests.serialization.crossing import LIBRARIES, load_bytes, plain, refusal, save_bytes
from tests.serialization.test_round_trip import OBJECTS

OLD = {"_use_new_zipfile_serialization": False}
UNREADABLE = ("uint16", "uint32", "uint64")  # PyTorch writes these and fails to read them
CASES = [
    (T, name)
    for T in LIBRARIES
    for name in OBJECTS
    if name != "self-reference" and (T is torchlike or name not in UNREADABLE)
]


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize(("reader", "name"), CASES)
def test_objects(name, reader, weights_only):
    data = save_bytes(torchlike, OBJECTS[name](torchlike), **OLD)
    assert plain(load_bytes(reader, data, weights_only=weights_only)) == plain(OBJECTS[name](reader))


def spoken(data):
    """Return the opcodes of the pickles in an old file, and the bytes after them.

    The opcodes PUT and GET are left out, and the keys of storages are replaced, because they differ between files.
    """
    file = io.BytesIO(data)
    stream = [(op.name, arg) for _ in range(4) for op, arg, _ in pickletools.genops(file)]
    keys = pickle.load(file)
    return [
        (op, "key" if arg in keys else arg) for op, arg in stream if "PUT" not in op and "GET" not in op
    ], file.read()


@pytest.mark.parametrize("name", ["tensor", "containers", "float32", "parameter"])
def test_the_file_says_what_pytorchs_says(name):
    theirs, ours = (spoken(save_bytes(T, OBJECTS[name](T), **OLD)) for T in LIBRARIES)
    assert ours[0] == theirs[0] and len(ours[1]) == len(theirs[1])


@pytest.mark.parametrize("protocol", [2, 4])
def test_protocols(protocol):
    data = save_bytes(torchlike, {"a": torchlike.ones(2)}, pickle_protocol=protocol, **OLD)
    for T in LIBRARIES:
        assert load_bytes(T, data, weights_only=False)["a"].tolist() == [1, 1]


@pytest.mark.parametrize("reader", LIBRARIES)
def test_several_in_one_stream(reader):
    file = io.BytesIO()
    for value in (torchlike.ones(3), {"a": torchlike.zeros(2)}):
        torchlike.save(value, file, **OLD)
    file.seek(0)
    assert reader.load(file).tolist() == [1, 1, 1] and reader.load(file)["a"].tolist() == [0, 0]


@pytest.mark.parametrize("name", ["", "sub/", ".", "missing/a.pt"])
def test_names_that_cannot_be_saved_to(name, tmp_path):
    path = f"{tmp_path}/{name}" if name else name
    expected, found = (refusal(lambda T=T: T.save(1, path, **OLD)) for T in LIBRARIES)
    assert found == expected


def test_a_path(tmp_path):
    for T in LIBRARIES:
        torchlike.save({"a": 1}, tmp_path / "old.pt", **OLD)
        assert T.load(tmp_path / "old.pt") == {"a": 1}
