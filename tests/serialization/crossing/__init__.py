"""Objects built alike in both libraries, and their comparison across the libraries."""

import io
import itertools
from dataclasses import dataclass

import numpy as np
import torch

import torchlike
from tests.serialization.crossing._describe import describe
from tests.serialization.crossing._make import GENERATORS, PENDING, make

LIBRARIES = [torch, torchlike]


def save_bytes(T, obj, **options):
    buffer = io.BytesIO()
    T.save(obj, buffer, **options)
    return buffer.getvalue()


def load_bytes(T, data, **options):
    return T.load(io.BytesIO(data), **options)


def is_tensor(x):
    return isinstance(x, torch.Tensor | torchlike.Tensor)


def plain(x):
    """Replace tensors, dtypes and devices in `x` by tuples and strings, so that `==` compares across libraries."""
    if is_tensor(x):
        return (
            type(x).__name__,
            str(x.dtype),
            str(x.device),
            tuple(x.shape),
            tuple(x.stride()),
            x.storage_offset(),
            x.requires_grad,
            None if x.device.type == "meta" else _bits(x),
            plain(_attributes(x)),
        )
    if isinstance(x, dict):
        extra = getattr(x, "__dict__", None)
        return (type(x).__name__, {k: plain(v) for k, v in x.items()}, plain(extra) if extra else None)
    if isinstance(x, list | tuple):
        return (type(x).__name__, [plain(v) for v in x])
    if isinstance(x, torch.dtype | torchlike.dtype | torch.device | torchlike.device):
        return repr(x)
    return x


def _attributes(x):
    return {k: v for k, v in x.__dict__.items() if k == "tag"}


def _bits(x):
    if x.dtype in (torch.bfloat16, torchlike.bfloat16):
        x = x.float()
    return np.asarray(x.detach().numpy()).tobytes()


def refusal(f):
    """Return the type and message of the error that `f()` raises."""
    try:
        f()
    except Exception as e:
        return type(e).__name__, str(e)
    return "nothing raised", ""


@dataclass
class Result:
    """The outcome of saving one object with one library and loading it with the other."""

    kind: str
    writer: str
    ways: int
    failures: list


def cross(number, writer, reader):
    """Save an object with one library and load it with the other.

    Every combination of file format and `weights_only` is tried with which PyTorch loads its own file.
    """
    for T in LIBRARIES:
        T.manual_seed(number)
    made, kind = make(writer, number)
    memory = kind != PENDING  # do not compare the memory of lazily conjugated and negated tensors
    expected = describe(made, memory)
    own = make(torch, number)[0]
    failures, ways = [], 0
    for old, safe in itertools.product((False, True), (True, False)):
        options = {"_use_new_zipfile_serialization": not old}
        if not _loads_its_own(own, options, safe) or (old and kind == GENERATORS):
            # PyTorch loads generators from the old format only by chance: it creates them before it reads their states.
            continue
        ways += 1
        try:
            found = describe(load_bytes(reader, save_bytes(writer, made, **options), weights_only=safe), memory)
        except Exception as e:
            failures.append(f"old={old} weights_only={safe}: {type(e).__name__}: {str(e)[:400]}")
            continue
        if found != expected:
            failures.append(f"old={old} weights_only={safe}: {first_difference(expected, found)}")
    return Result(kind, writer.__name__, ways, failures if ways else ["PyTorch loads it in no way"])


def _loads_its_own(made, options, safe):
    try:
        load_bytes(torch, save_bytes(torch, made, **options), weights_only=safe)
    except Exception:
        return False
    return True


def first_difference(a, b):
    """Return the first difference between two descriptions."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple) and len(a) == len(b):
        for x, y in zip(a, b):
            if x != y:
                return f"{a[0] if a and isinstance(a[0], str) else ''} > {first_difference(x, y)}"
    return f"{str(a)[:200]} became {str(b)[:200]}"
