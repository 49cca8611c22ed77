"""Random state dicts, equal in both libraries, and their comparison bit by bit."""

from __future__ import annotations

import collections
import importlib
import random
import sys

import numpy as np

DTYPES = ["float32", "float64", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "complex64", "complex128"]
DTYPES += ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
OBJECTS = [
    3,
    -1.5,
    1 << 80,
    True,
    None,
    "text, é",
    b"bytes",
    (1, (2.0, "a")),
    [1, [2, "b"]],
    {"a", "b"},
    1j,
    [],
    (collections.OrderedDict(x=1),),
    bytearray(b"xy"),
]


def bits(tensor):
    """Return the bytes of a tensor's elements in row-major order."""
    L = library(tensor)
    flat = tensor.detach().resolve_conj().resolve_neg().reshape(-1).clone(memory_format=L.contiguous_format)
    dtype = str(flat.dtype).partition(".")[2]
    if dtype == "bool" or not flat.numel():
        return dtype, tuple(tensor.shape), flat.tolist()
    return dtype, tuple(tensor.shape), flat.view(L.uint8).numpy().tobytes()


def library(tensor):
    """Return the library of a tensor."""
    return sys.modules[type(tensor).__module__.partition(".")[0]]


class States:
    """A generator of state dicts for one library.

    Args:
        L: the library.
        seed: the same seed gives the same state dicts in both libraries.
        blank: if True, tensors have the same shapes and other elements, and objects are None.
    """

    def __init__(self, L, seed, blank=False):
        self.L, self.blank = L, blank
        self.random = random.Random(seed)

    def elements(self, dtype, shape):
        """Return a contiguous tensor of random bits."""
        count = int(np.prod(shape))
        size = getattr(self.L, dtype).itemsize
        data = np.frombuffer(self.random.randbytes(count * size), np.uint8).copy()
        if self.blank:
            data[:] = 0
        if dtype == "bool":
            return self.L.from_numpy(data % 2 == 1).reshape(shape)
        if not count:
            return self.L.zeros(shape, dtype=getattr(self.L, dtype))
        return self.L.from_numpy(data).view(getattr(self.L, dtype)).reshape(shape)

    def shape(self, most=4):
        return [self.random.choice([0, 1, 2, 3, 5, 7]) for _ in range(self.random.randrange(most + 1))]

    def tensor(self):
        """Return a tensor of a random dtype, shape and stride."""
        dtype, shape = self.random.choice(DTYPES), self.shape()
        way = self.random.choice(["plain", "transposed", "stepped", "inside", "expanded", "conjugated", "last"])
        found = self.elements(dtype, [2, 4, 5, 3] if way == "last" else shape)
        if way == "last":
            found = found.permute(0, 3, 1, 2)
        elif way == "conjugated" and dtype.startswith("complex"):
            found = found.conj()
        elif shape and way == "transposed":
            found = found.transpose(0, -1)
        elif shape and shape[0] and way in ("stepped", "inside", "expanded"):
            found = {"stepped": found[::2], "inside": found[1:], "expanded": found[:1].expand(4, *shape[1:])}[way]
            # A load cannot write to an expanded tensor. XLA changes the bits of NaNs in a part of a tensor of a short
            # floating-point dtype.
            if self.blank and (way == "expanded" or dtype.startswith(("bfloat", "float8"))):
                found = found.clone(memory_format=self.L.contiguous_format)
        return found

    def value(self, depth):
        kind = self.random.random()
        if depth and kind < 0.2:
            return {self.key(): self.value(depth - 1) for _ in range(self.random.randrange(1, 4))}
        if depth and kind < 0.35:
            return [self.value(depth - 1) for _ in range(self.random.randrange(1, 4))]
        if kind < 0.8:
            return self.tensor()
        found = self.random.choice(OBJECTS)
        return None if self.blank else found

    def key(self):
        return f"k{self.random.randrange(1000)}"

    def state(self):
        """Return a nested state dict with at least one tensor."""
        return {"one": self.tensor(), **{f"{i}": self.value(3) for i in range(self.random.randrange(2, 8))}}

    def part(self, dtensor, mesh, placements, whole):
        """Return a distributed tensor, without communication."""
        name = f"{self.L.__name__}.distributed.tensor._utils"
        where = importlib.import_module(name).compute_local_shape_and_global_offset
        shape, offset = where(whole.shape, mesh, placements)
        region = whole[tuple(slice(b, b + n) for b, n in zip(offset, shape))].clone()
        return dtensor.from_local(region, mesh, placements, run_check=False, shape=whole.shape, stride=whole.stride())


def plain(value):
    """Return a state dict in a form that can be compared: tensors as bits, dictionaries without their types."""
    if hasattr(value, "full_tensor"):
        return plain(value.to_local()), str(value.placements), tuple(value.shape)
    if hasattr(value, "untyped_storage"):
        return bits(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(plain(item) for item in value)
    return type(value).__name__, value
