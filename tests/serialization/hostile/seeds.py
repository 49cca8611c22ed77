"""Genuine files, written by PyTorch and by torchlike in both formats."""

from __future__ import annotations

import functools
import io
import warnings
import zipfile
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Any

import torch

import torchlike
from tests.serialization.hostile import dtensors, pickles
from tests.serialization.hostile.archives import Record, build


@dataclass(frozen=True)
class Seed:
    """A file split into parts: the records of an archive, or the pickles and storages of an old file."""

    name: str
    records: tuple[tuple[str, bytes], ...] = ()
    stream: tuple[bytes, ...] = ()
    tail: bytes = b""

    @property
    def is_zip(self) -> bool:
        """Return whether the file is an archive."""
        return bool(self.records)

    @property
    def pickle(self) -> bytes:
        """The pickle of the saved object."""
        return dict(self.records)["archive/data.pkl"] if self.is_zip else self.stream[3]

    def file(self) -> bytes:
        """Return the undamaged file."""
        return self.with_pickle(self.pickle)

    def with_pickle(self, pickle: bytes) -> bytes:
        """Return the file with another pickle and correct checksums."""
        if self.is_zip:
            return build(self.as_records(pickle))
        return b"".join((*self.stream[:3], pickle, *self.stream[4:])) + self.tail

    def as_records(self, pickle: bytes | None = None) -> list[Record]:
        """Return the records of an archive."""
        return [
            Record(n, pickle if pickle is not None and n.endswith("data.pkl") else data) for n, data in self.records
        ]


def _objects(T: Any) -> dict[str, Any]:
    """Return the objects to save, built alike by either library."""
    T.manual_seed(0)
    net = T.nn.Sequential(T.nn.Conv2d(2, 3, 3), T.nn.BatchNorm2d(3), T.nn.Linear(4, 2))
    optimizer = T.optim.Adam(net.parameters(), lr=0.1)
    net(T.ones(1, 2, 4, 6)).sum().backward()
    optimizer.step()
    base = T.arange(24.0)
    tagged = T.ones(2)
    tagged.tag = "a"
    ordered = OrderedDict(a=1)
    ordered.extra = [1]
    found = {
        "state_dict": net.state_dict(),
        "training": {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "loss": [0.5, 0.25]},
        "module": net,
        "shared": [base, base[2:10], base.reshape(4, 6).t(), base[::3], base[:0], T.tensor(5)],
        "dtypes": [
            T.ones(3).to(getattr(T, d))
            for d in ("float64", "float16", "bfloat16", "int32", "int8", "uint8", "bool", "complex64", "float8_e4m3fn")
        ],
        "parameters": [net[2].weight, T.nn.Parameter(T.ones(2), False), T.ones(3, requires_grad=True)],
        "attributes": [tagged, ordered],
        "meta": T.empty(3, 4, device="meta"),
        "containers": {
            "set": {1, 2},
            "counter": Counter("aab"),
            "bytes": b"ab",
            "array": bytearray(b"xy"),
            3: 1j,
            "size": T.Size([2, 3]),
            "device": T.device("cpu"),
            "dtype": T.float16,
            (1, 2): None,
            "text": "ü",
            "long": 1 << 70,
        },
        "coo": T.eye(3).to_sparse().coalesce(),
        "compressed": [T.eye(4).to_sparse_csr(), T.eye(4).to_sparse_csc()],
    }
    if T is torch:
        found["storages"] = [T.ones(2).storage(), T.ones(3).untyped_storage()]
        found["blocks"] = [T.eye(4).to_sparse_bsr((2, 2)), T.eye(4).to_sparse_bsc((2, 2))]
        found["conj"] = [T.ones(2, dtype=T.complex64).conj(), T.ones(2, dtype=T.complex64).conj().imag]
    return found


def _zip_seed(name: str, T: Any, made: Any) -> Seed:
    buffer = io.BytesIO()
    T.save(made, buffer)
    return _seed_of(name, buffer)


def _seed_of(name: str, file: io.BytesIO) -> Seed:
    with zipfile.ZipFile(file) as archive:
        return Seed(name, tuple((n, archive.read(n)) for n in archive.namelist()))


def _old_seed(name: str, made: Any) -> Seed:
    buffer = io.BytesIO()
    torch.save(made, buffer, _use_new_zipfile_serialization=False)
    rest, stream = buffer.getvalue(), []
    for _ in range(5):
        length = sum(map(len, pickles.tokens(rest)))
        stream.append(rest[:length])
        rest = rest[length:]
    # Replace the keys of the storages, which are memory addresses, by small numbers.
    keys = {key: pickles.text(str(i)) for i, key in enumerate(_texts(stream[4]))}
    stream[3:] = [b"".join(keys.get(token, token) for token in pickles.tokens(part)) for part in stream[3:]]
    return Seed(name, (), tuple(stream), rest)


def _texts(stream: bytes) -> list[bytes]:
    return [token for token in pickles.tokens(stream) if token[:1] == b"X"]


@functools.cache
def seeds() -> tuple[Seed, ...]:
    """Return all seed files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, ours = _objects(torch), _objects(torchlike)
        found = [_zip_seed(f"torch-{name}", torch, made) for name, made in theirs.items()]
        found += [_zip_seed(f"torchlike-{name}", torchlike, made) for name, made in ours.items()]
        old = [name for name in theirs if name not in ("meta", "conj", "module")]
        found += [_seed_of(f"{name}-dtensors", io.BytesIO(file)) for name, file in dtensors.files().items()]
        found += [_old_seed(f"old-{name}", theirs[name]) for name in old]
    return tuple(found)
