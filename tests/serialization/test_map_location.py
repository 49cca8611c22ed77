"""The device of loaded tensors (`map_location`)."""

import io
import zipfile

import pytest
import torch

import torchlike
from tests.serialization.crossing import LIBRARIES, load_bytes, plain, refusal, save_bytes


def from_cuda():
    """Return a checkpoint as a machine with a GPU would write it."""
    source, target = io.BytesIO(save_bytes(torch, {"a": torch.ones(2)})), io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data.replace(b"X\x03\0\0\0cpu", b"X\x06\0\0\0cuda:0"))
    return target.getvalue()


PLACES = {
    "cpu": lambda T: "cpu",
    "a device": lambda T: T.device("cpu"),
    "meta": lambda T: "meta",
    "the meta device": lambda T: T.device("meta"),
    "a dict": lambda T: {"cuda:0": "cpu"},
    "a dict without the place": lambda T: {"cuda:1": "cpu"},
    "a dict to meta": lambda T: {"cuda:0": "meta"},
    "a function": lambda T: lambda storage, location: storage,
    "a function that calls cpu": lambda T: lambda storage, location: storage.cpu(),
    "a function that does not mind": lambda T: lambda storage, location: None,
    "nothing": lambda T: None,
    "cuda": lambda T: "cuda",
    "cuda:7": lambda T: "cuda:7",
    "cpu:0": lambda T: "cpu:0",
    "nowhere": lambda T: "foo",
    "a number": lambda T: 3,
}


@pytest.mark.parametrize("name", PLACES)
def test_places(name, monkeypatch):
    for T in LIBRARIES:
        monkeypatch.setattr(T.cuda, "is_available", lambda: False)

    def attempt(T):
        return plain(load_bytes(T, from_cuda(), map_location=PLACES[name](T)))

    expected, found = (refusal(lambda T=T: attempt(T)) for T in LIBRARIES)
    assert found == expected
    if found[0] == "nothing raised":
        assert attempt(torchlike) == attempt(torch)


def test_arguments_of_a_map_location_function():
    for T in LIBRARIES:
        seen = []

        def place(storage, location, seen=seen):
            seen.append((location, str(storage.device), storage.nbytes(), len(storage)))
            return storage

        load_bytes(T, save_bytes(T, [T.ones(3), T.ones(2).double()]), map_location=place)
        assert seen == [("cpu", "cpu", 12, 12), ("cpu", "cpu", 16, 16)]


def test_a_function_must_return_a_storage():
    with pytest.raises(TypeError, match="map_location must return a storage or None"):
        load_bytes(torchlike, save_bytes(torch, torch.ones(2)), map_location=lambda storage, location: 3)
