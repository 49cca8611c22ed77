"""Objects that a program may pass where PyTorch expects data, a number, an index or a size."""

import array
import collections
import ctypes
import decimal
import enum
import fractions

import numpy as np


class Real:
    def __float__(self):
        return 2.5


class Whole:
    def __index__(self):
        return 2


class Both(Whole, Real):
    pass


class Imaginary(Real):
    def __complex__(self):
        return 1 + 2j


class Huge:
    def __index__(self):
        return 2**70


class Raising:
    def __float__(self):
        raise KeyError("float")

    def __index__(self):
        raise KeyError("index")


class Listed:
    def __len__(self):
        return 2

    def __getitem__(self, place):
        return [1, 0][place]


class OwnFloat(float):
    def __float__(self):
        return 9.0


class OwnInt(int):
    def __index__(self):
        return 9


class Level(enum.IntEnum):
    LOW = 1


ELEMENTS = {
    "Decimal": decimal.Decimal("1.5"),
    "Fraction": fractions.Fraction(1, 2),
    **{cls.__name__: cls() for cls in (Real, Whole, Both, Imaginary, Huge, Raising, Listed)},
    "OwnFloat": OwnFloat(1.5),
    "OwnInt": OwnInt(3),
    "IntEnum": Level.LOW,
    "float32": np.float32(2.5),
    "float64": np.float64(2.5),
    "longdouble": np.longdouble(2.5),
    "int8": np.int8(-3),
    "uint64": np.uint64(2**64 - 1),
    "bool_": np.bool_(True),
    "complex64": np.complex64(1 + 2j),
    "datetime": np.datetime64("2020"),
    "str_": np.str_("1"),
    "bytes_": np.bytes_(b"1"),
    "no dims": np.array(2.5),
    "row": np.array([2.5]),
    "whole row": np.array([3]),
    "no numbers": np.zeros(0),
    "None": None,
    "text": "1",
    "bytes": b"1",
    "bytearray": bytearray(b"a"),
    "type": int,
    "set": {1},
    "dict": {0: 1},
    "Ellipsis": ...,
    "slice": slice(1),
    "range": range(2),
    "deque": collections.deque([1, 2]),
    "c_float": ctypes.c_float(1.5),
    "array": array.array("d", [1.5]),
    "memoryview": memoryview(b"ab"),
    "UserList": collections.UserList([1, 2]),
    "negative": -1.5,
    "fraction": 127.5,
    "large": 2**63,
    "nan": float("nan"),
    "imaginary": 1 + 2j,
}

_FIXED = np.arange(3.0)
_FIXED.flags.writeable = False

ARRAYS = {
    "negative strides": np.arange(4.0)[::-1],
    "read-only": _FIXED,
    "byte order": np.arange(3, dtype=">i4"),
    "float16": np.ones(2, np.float16),
    "object": np.array([1, None], object),
    "datetime": np.array(["2020-01-01"], "datetime64[D]"),
    "text": np.array(["a"]),
    "record": np.zeros(2, [("a", "f4")]),
    "complex": np.ones(2, complex),
    "uint16": np.array([1], np.uint16),
    "uint64": np.array([2**64 - 1], np.uint64),
    "longdouble": np.ones(2, np.longdouble),
    "repeated": np.broadcast_to(np.ones(1), (3,)),
    "column-major": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "empty": np.zeros((0, 3)),
    "new dim": np.arange(2)[None],
    "masked": np.ma.array([1, 2], mask=[False, True]),
    "bool": np.array([True, False]),
}
