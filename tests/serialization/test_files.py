"""Files: the layout of the archive, kinds of path arguments, damage, and replacement of an existing file."""

import io
import os
import pathlib
import pickle
import struct
import zipfile

import numpy as np
import pytest
import torch

import torchlike
from tests.serialization.crossing import LIBRARIES, load_bytes, plain, refusal, save_bytes


def checkpoint(T):
    return {"weight": T.arange(300.0).reshape(20, 15), "step": 7, "half": T.ones(5).half()}


def test_archive_layout_is_pytorchs(tmp_path):
    layouts = []
    for T in LIBRARIES:
        T.save(checkpoint(T), tmp_path / "model.v1.pt")
        with zipfile.ZipFile(tmp_path / "model.v1.pt") as archive:
            assert archive.testzip() is None
            layouts.append([(i.filename, i.file_size) for i in archive.infolist()])
            small = [archive.read(f"model.v1/{n}") for n in (".format_version", ".storage_alignment", "byteorder")]
            identity = archive.read("model.v1/.data/serialization_id")
        assert small == [b"1", b"64", b"little"] and len(identity) == 40 and identity.isdigit()
    assert layouts[0] == layouts[1]


def test_records_start_at_multiples_of_64(tmp_path):
    torchlike.save(checkpoint(torchlike), tmp_path / "a.pt")
    data = (tmp_path / "a.pt").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.pt") as archive:
        for info in archive.infolist():
            name, extra = struct.unpack_from("<2H", data, info.header_offset + 26)
            assert (info.header_offset + 30 + name + extra) % 64 == 0


@pytest.mark.parametrize("name", ["plain", "a.tar.gz", "with space.pt", "ü.pt"])
def test_the_archive_is_named_after_the_file(name, tmp_path):
    folders = []
    for T in LIBRARIES:
        T.save(1, tmp_path / name)
        with zipfile.ZipFile(tmp_path / name) as archive:
            folders.append(archive.namelist()[0])
    assert folders[0] == folders[1]


def test_ways_to_name_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torchlike.save(1, "a.pt")
    torchlike.save(2, pathlib.Path("b.pt"))
    with open("c.pt", "wb") as f:
        torchlike.save(3, f)
    assert [T.load(n) for T in LIBRARIES for n in ("a.pt", pathlib.Path("b.pt"), "c.pt")] == [1, 2, 3] * 2
    with open("c.pt", "rb") as f:
        assert torchlike.load(f) == 3
        assert not f.closed


def test_an_archive_inside_a_file():
    for writer in LIBRARIES:
        buffer = io.BytesIO(b"header")
        buffer.seek(6)
        writer.save(checkpoint(writer), buffer)
        for reader in LIBRARIES:
            buffer.seek(6)
            assert plain(reader.load(buffer)) == plain(checkpoint(reader))


def test_a_stream_that_can_only_write():
    class Stream:
        def __init__(self):
            self.parts = []

        def write(self, data):
            self.parts.append(bytes(data))

    stream = Stream()
    torchlike.save(checkpoint(torchlike), stream)
    assert plain(load_bytes(torch, b"".join(stream.parts))) == plain(checkpoint(torch))


def test_compressed_archives_can_be_read(tmp_path):
    source, target = io.BytesIO(save_bytes(torch, checkpoint(torch))), tmp_path / "a.pt"
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    assert plain(torchlike.load(target)) == plain(checkpoint(torchlike))
    with pytest.raises(RuntimeError, match="compressed"):
        torchlike.load(target, mmap=True)


def test_the_other_byte_order():
    with zipfile.ZipFile(io.BytesIO(save_bytes(torch, torch.tensor([1.0, 2.0])))) as old:
        records = {name: old.read(name) for name in old.namelist()}
    records["archive/byteorder"] = b"big"
    records["archive/data/0"] = np.array([1, 2], ">f4").tobytes()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as new:
        for name, data in records.items():
            new.writestr(name, data)
    assert load_bytes(torchlike, buffer.getvalue()).tolist() == [1, 2]


@pytest.mark.parametrize("writer", LIBRARIES)
@pytest.mark.parametrize("reader", LIBRARIES)
def test_mmap(writer, reader, tmp_path):
    writer.save(checkpoint(writer), tmp_path / "a.pt")
    assert plain(reader.load(tmp_path / "a.pt", mmap=True)) == plain(checkpoint(reader))


def test_a_mapped_file_can_be_replaced_and_is_not_written(tmp_path):
    torchlike.save(torchlike.ones(3), tmp_path / "a.pt")
    mapped = torchlike.load(tmp_path / "a.pt", mmap=True)
    mapped.add_(1)
    assert torchlike.load(tmp_path / "a.pt").tolist() == [1, 1, 1]
    torchlike.save(torchlike.zeros(3), tmp_path / "a.pt")
    assert mapped.tolist() == [2, 2, 2]


REFUSED = {
    "no parent": lambda T, d: T.save(1, f"{d}/missing/a.pt"),
    "an int to save to": lambda T, d: T.save(1, 3),
    "an int to load from": lambda T, d: T.load(3),
    "no such file": lambda T, d: T.load(f"{d}/missing.pt"),
    "text": lambda T, d: T.load(io.StringIO("abc")),
    "a pickle": lambda T, d: load_bytes(T, pickle.dumps({"a": 1}, 4)),
    "a pickle, everything allowed": lambda T, d: load_bytes(T, pickle.dumps({"a": 1}), weights_only=False),
    "mmap of a stream": lambda T, d: load_bytes(T, save_bytes(T, 1), mmap=True),
    "pickle module and weights_only": lambda T, d: T.load(io.BytesIO(), pickle_module=pickle, weights_only=True),
}


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name, tmp_path):
    expected, found = (refusal(lambda T=T: REFUSED[name](T, tmp_path)) for T in LIBRARIES)
    assert found == expected


def test_an_empty_file_is_truncated(tmp_path):
    (tmp_path / "empty.pt").write_bytes(b"")
    with pytest.raises(pickle.UnpicklingError, match=r"empty.pt: it is truncated; get a new copy of the file"):
        torchlike.load(tmp_path / "empty.pt")


def damaged(change):
    data = bytearray(save_bytes(torchlike, {"a": torchlike.ones(1000)}))
    change(data)
    return bytes(data)


def _flip(data):
    data[data.index(struct.pack("<4f", 1, 1, 1, 1))] ^= 1


def _truncate(data):
    del data[2000:]


@pytest.mark.parametrize("change", [_flip, _truncate])
def test_damage_is_noticed(change):
    with pytest.raises(RuntimeError, match="corrupted"):
        load_bytes(torchlike, damaged(change))


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("data", [b"hello, this is text", b"\x93NUMPY\x01\x00", b"{}"])
def test_other_files_are_told_apart(data, weights_only):
    with pytest.raises(pickle.UnpicklingError, match=r"not a file that torch\.save wrote"):
        load_bytes(torchlike, data, weights_only=weights_only)


def test_other_archives_are_told_apart():
    for name, text in (("a/b.txt", 'hasRecord\\("version"\\)'), ("b.txt", "not in a subdirectory: b.txt")):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr(name, "x")
        for T in LIBRARIES:
            with pytest.raises(RuntimeError, match=text):
                load_bytes(T, buffer.getvalue())


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_torchscript_is_refused(weights_only, tmp_path):
    torch.jit.save(torch.jit.script(torch.nn.ReLU()), str(tmp_path / "a.pt"))
    with pytest.raises((RuntimeError, NotImplementedError), match="TorchScript"):
        torchlike.load(tmp_path / "a.pt", weights_only=weights_only)


class Interrupting:
    """An object that raises when it is pickled."""

    def __reduce__(self):
        raise KeyboardInterrupt


def test_the_old_file_survives_an_interrupt(tmp_path, monkeypatch):
    path = tmp_path / "a.pt"
    torchlike.save("old", path)
    with pytest.raises(KeyboardInterrupt):
        torchlike.save(Interrupting(), path)
    assert torchlike.load(path) == "old"

    def interrupted(fd):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        torchlike.save("new", path)
    assert torchlike.load(path) == "old" and os.listdir(tmp_path) == ["a.pt"]


def test_replacing_keeps_mode_and_link(tmp_path):
    real, link = tmp_path / "real.pt", tmp_path / "link.pt"
    torchlike.save(1, real)
    os.chmod(real, 0o640)
    os.symlink(real, link)
    torchlike.save(2, link)
    assert link.is_symlink() and torchlike.load(real) == 2
    assert real.stat().st_mode & 0o777 == 0o640


def test_devices_are_written_directly():
    torchlike.save(1, "/dev/null")


@pytest.mark.parametrize("weights_only", [True, False])
def test_the_old_format_is_read(weights_only):
    x = torch.arange(6.0)
    tied = {"a": x.reshape(2, 3), "b": x[1:3], "p": torch.nn.Parameter(torch.ones(2)), "h": torch.ones(2).bfloat16()}
    data = save_bytes(torch, tied, _use_new_zipfile_serialization=False)
    found = load_bytes(torchlike, data, weights_only=weights_only)
    assert plain(found) == plain(tied)
    found["b"].zero_()
    assert found["a"].tolist() == [[0, 0, 0], [3, 4, 5]]


def test_the_old_format_is_not_mapped(tmp_path):
    torch.save(torch.ones(2), tmp_path / "a.pt", _use_new_zipfile_serialization=False)
    expected, found = (refusal(lambda T=T: T.load(str(tmp_path / "a.pt"), mmap=True)) for T in LIBRARIES)
    assert found == expected
