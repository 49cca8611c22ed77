"""Reduction of the arrays of several processes to one array. The results are bitwise identical to Gloo's."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchlike._internal import _dtypes
from torchlike.distributed import _errors as errors


class RedOpType(enum.IntEnum):
    """The reduction operators, with PyTorch's numbers."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    __str__ = enum.Enum.__str__


class ReduceOp:
    """A reduction operator, such as `ReduceOp.SUM`."""

    RedOpType = RedOpType
    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = RedOpType

    def __init__(self, op: RedOpType = RedOpType.SUM) -> None:
        self.op = RedOpType(op)

    def __eq__(self, other: object) -> bool:
        return self.op == (other.op if isinstance(other, ReduceOp) else other)

    def __hash__(self) -> int:
        return hash(self.op)


def _least(total: np.ndarray, array: np.ndarray) -> np.ndarray:
    return np.where(total < array, total, array)  # this order of operands treats NaN as Gloo does


def _most(total: np.ndarray, array: np.ndarray) -> np.ndarray:
    return np.where(total > array, total, array)


SEGMENT = 1 << 20  # the maximum size in bytes of a segment in a reduction to one member
_FUNCTIONS: dict[RedOpType, Any] = {
    RedOpType.SUM: np.add,
    RedOpType.AVG: np.add,
    RedOpType.PRODUCT: np.multiply,
    RedOpType.MIN: _least,
    RedOpType.MAX: _most,
    RedOpType.BAND: np.bitwise_and,
    RedOpType.BOR: np.bitwise_or,
    RedOpType.BXOR: np.bitwise_xor,
}
_BITS = (RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR)
_TYPES = frozenset(
    (
        _dtypes.float32,
        _dtypes.float64,
        _dtypes.float16,
        _dtypes.bfloat16,
        _dtypes.int8,
        _dtypes.uint8,
        _dtypes.int32,
        _dtypes.int64,
        _dtypes.bool_,
        _dtypes.complex64,
        _dtypes.complex128,
    )
)


def checked(name: str, op: Any, dtype: _dtypes.dtype) -> RedOpType:
    """Return the reduction operator, or raise an error if `dtype` does not support it."""
    if isinstance(op, ReduceOp):
        op = op.op
    if not isinstance(op, RedOpType):
        raise TypeError(f"{name}(): op must be a ReduceOp, not {type(op).__name__}")
    if dtype.is_complex and op not in (RedOpType.SUM, RedOpType.AVG):
        raise ValueError(f"{name} does not support {op!s} on complex tensors")
    if dtype not in _TYPES:
        raise errors.scalar_type()
    if op in _BITS and dtype.is_floating_point:
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    if op is RedOpType.AVG and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {_NAMES[dtype]}")
    if op not in _FUNCTIONS:
        raise NotImplementedError(f"{name}: ReduceOp.{op.name} is not supported by torchlike yet")
    return op


_NAMES = {
    _dtypes.int8: "Char",
    _dtypes.uint8: "Byte",
    _dtypes.int32: "Int",
    _dtypes.int64: "Long",
    _dtypes.bool_: "Bool",
}


def reduced(arrays: Sequence[np.ndarray], op: RedOpType, largest: int | None = None) -> np.ndarray:
    """Reduce the members' arrays to one array, with the same bits as Gloo's ring algorithm.

    Each chunk is passed around the ring of members, towards lower ranks, and ends at the member whose rank is the
    chunk's number.
    """
    total = np.empty_like(arrays[0])
    sizes = chunks(total.size, total.itemsize, len(arrays), largest)
    flat, given = total.reshape(-1), [array.reshape(-1) for array in arrays]
    for number, (begin, end) in enumerate(sizes):
        flat[begin:end] = round_the_ring([array[begin:end] for array in given], number, op)
    return total


def chunks(count: int, width: int, size: int, largest: int | None = None) -> list[tuple[int, int]]:
    """Split `count` elements of `width` bytes into a chunk for each of `size` members. Return each begin and end.

    A chunk consists of segments of equal length: of two segments, or of more if a segment would exceed `largest` bytes.
    """
    if not count:
        return [(0, 0)] * size
    segment = _up(count * width, 2 * size) // (2 * size)
    segment = _up(segment if largest is None else min(segment, largest), width)
    segments = max(_up(count * width, segment) // segment, 2 * size)
    chunk = _up(segments, size) // size * segment // width
    return [(min(i * chunk, count), min((i + 1) * chunk, count)) for i in range(size)]


def _up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple


def round_the_ring(parts: Sequence[np.ndarray], number: int, op: RedOpType) -> np.ndarray:
    """Reduce the members' parts of the chunk `number`, from member `number - 1` down the ring to member `number`."""
    size = len(parts)
    total = parts[number - 1].copy()
    with np.errstate(all="ignore"):
        for i in range(2, size + 1):
            total = _FUNCTIONS[op](total, parts[(number - i) % size])
        if op is RedOpType.AVG:
            np.divide(total, size, out=total, casting="unsafe")
    return total
