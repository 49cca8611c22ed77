"""Samples of element-wise functions of two or more tensors or numbers."""

import ml_dtypes
import numpy as np

from tests.ops.sample import Fails, Sample, array, bools, integers, normal, scalar, uniform

inf, nan = np.inf, np.nan
A, B, ROW = normal(2, 3), normal(2, 3, seed=1), normal(3, seed=2)
INTS, SMALL = integers(4, low=-7, high=8), array(2, -2, 3, -3, dtype=np.int64)
BOOL, OTHER = bools(4), bools(4, seed=1)
COMPLEX = normal(2, 3, dtype=np.complex64)
BF16 = A.astype(ml_dtypes.bfloat16)

WORDS = "both refuse, in other words"
REFUSED = "PyTorch knows no derivative and raises in backward"

# All combinations of operand classes: a tensor with dims, a zero-dim tensor, and a number.
MIXED = [
    Sample(A, ROW),
    Sample(A.T, B.T),
    Sample(A, 2),
    Sample(integers(3), 1.5),
    Sample(integers(3, dtype=np.int32), integers(3)),
    Sample(BF16, A),
    Sample(BF16, scalar(2.0)).loosely("PyTorch rounds the gradient of the second to bfloat16", rtol=2e-2, atol=1e-2),
    Sample(BF16, B.astype(np.float16)),
]

SAMPLES = {
    "add": [
        *MIXED,
        Sample(A, 2.5, alpha=3),
        Sample(BOOL, OTHER),
        Sample(BOOL, 2),
        Sample(A, COMPLEX),
        Sample(A, 2j),
        Sample(integers(3), integers(3), alpha=2),
        Fails(normal(2), normal(3)),
        Fails(INTS, INTS, alpha=1.5),
        Sample(integers(3, dtype=np.uint8), integers(3, dtype=np.int8)),
    ],
    "sub": [*MIXED, Sample(A, B, alpha=0.5), Fails(BOOL, OTHER), Fails(BOOL, 2), Fails(normal(2), normal(3))],
    "rsub": [Sample(A, B), Sample(A, 2, alpha=3)],
    "mul": [*MIXED, Sample(BOOL, OTHER), Sample(COMPLEX, COMPLEX), Sample(COMPLEX, A)],
    "true_divide": [*MIXED, Sample(INTS, SMALL), Sample(2, A), Sample(A, 0), Sample(COMPLEX, COMPLEX + 1)],
    "div": [
        *MIXED,
        Sample(INTS, SMALL, rounding_mode="trunc"),
        Sample(INTS, SMALL, rounding_mode="floor"),
        Sample(A * 4, B, rounding_mode="trunc"),
        Sample(A * 4, B, rounding_mode="floor"),
        Sample(A, 0.3, rounding_mode="floor"),
        Fails(A, B, rounding_mode="up"),
    ],
    "floor_divide": [
        Sample(INTS, SMALL),
        Sample(INTS, 2),
        Sample(INTS, 2.5),
        Sample(A * 4, B).without_gradient(REFUSED),
        Sample(2, SMALL),
        Sample(array(1.0, -1.0, 0.0, inf, 3.3), array(0.0, 0.0, 2.0, 2.0, -1.1)).without_gradient(REFUSED),
        Fails(BOOL, OTHER),
    ],
    "remainder": [
        Sample(INTS, SMALL),
        Sample(INTS, 3),
        Sample(INTS, 2.5),
        Sample(A * 4, B),
        Sample(A * 4, -1.5),
        Sample(7, SMALL),
        Fails(BOOL, OTHER),
    ],
    "fmod": [Sample(INTS, SMALL), Sample(INTS, 3), Sample(A * 4, B), Sample(A * 4, -1.5)],
    "gcd": [Sample(INTS, SMALL), Fails(A, B)],
    "lcm": [Sample(INTS, SMALL)],
    "addcmul": [
        Sample(A, B, ROW),
        Sample(A, B, ROW, value=0.5),
        Sample(INTS, INTS, SMALL, value=2),
        Sample(INTS, INTS, INTS, value=1.5),
    ],
    "addcdiv": [Sample(A, B, ROW), Sample(A, B, ROW, value=0.5), Fails(INTS, INTS, SMALL)],
    "lerp": [
        Sample(A, B, 0.25),
        Sample(A, B, 0.75),
        Sample(A, B, uniform(3)),
        Fails(A, B.astype(np.float64), 0.5),
        Fails(INTS, INTS, 0.5),
    ],
    "atan2": [Sample(A, ROW), Sample(INTS, SMALL), Sample(array(0.0, 0.0, 1.0, -0.0), array(0.0, 1.0, 0.0, -1.0))],
    "hypot": [Sample(A, ROW), Fails(INTS, SMALL)],
    "logaddexp": [
        Sample(A, ROW),
        Sample(A + 1j * ROW, ROW - 1j * A),
        Sample(array(-inf, inf, 1.0), array(-inf, inf, 2.0)).without_gradient("NaN in PyTorch where both are infinite"),
    ],
    "logaddexp2": [Sample(A, ROW)],
    "copysign": [Sample(A, ROW), Sample(A, -2.0), Sample(INTS, SMALL), Sample(array(0.0, -1.0), array(-1.0, 0.0))],
    "nextafter": [Sample(A, ROW), Sample(array(1.0, 2.0), array(1.0, 3.0)).by_convention("zero where both are equal")],
    "ldexp": [
        Sample(A, integers(3)).without_gradient("PyTorch takes 2 to a negative whole number as 0 in it"),
        Sample(INTS, SMALL).not_in_place(WORDS),
    ],
    "heaviside": [
        Sample(array(-1.0, 0.0, 2.0, nan), array(5.0, 6.0, 7.0, 8.0)).without_gradient(REFUSED),
        Fails(A, INTS),
    ],
    "xlogy": [
        Sample(A, uniform(2, 3)),
        Sample(array(0.0, 0.0, 1.0), array(1.0, 2.0, 0.5)),
        Sample(A, 2.0),
        Sample(2, uniform(3)),
        Sample(array(0.0, 0.0), array(0.0, nan)).without_gradient("NaN in PyTorch"),
    ],
    # -- powers
    "pow": [
        Sample(A, B),
        Sample(uniform(3), ROW),
        Sample(INTS, 2),
        Sample(INTS, 2.5),
        Sample(SMALL, integers(4, low=0)),
        Sample(2, ROW),
        Sample(0, array(0.0, 2.0, -1.0)),
        Sample(2.0, INTS),
        Sample(INTS, INTS),
        Sample(BF16, 1.5),
        Sample(array(0.0, 0, 0, 2, -2, 1, 0), array(0.0, 2, -1, 3, 3, 0, 0.5)),
        Sample(A, 0),
        Sample(A, 1),
        Sample(A, 2),
        Sample(A, 3),
        Sample(uniform(3), 0.5),
        Sample(uniform(3), -0.5),
        Sample(A, -1),
        Sample(A, -2),
        Sample(uniform(3), 1.5),
        Sample(array(0.0), 0.5),
        Sample(array(1, -1, -1, 0, 2, dtype=np.int64), array(-1, -2, -1, -1, -1, dtype=np.int64)),
        Fails(INTS, -1),
        Fails(BOOL, OTHER),
        Sample(uniform(3), scalar(2.0, np.float64)),
        Sample(COMPLEX, 2),
    ],
    "float_power": [Sample(INTS, 2), Sample(uniform(3), ROW)],
    # -- comparisons
    "eq": [*MIXED, Sample(A, A), Sample(COMPLEX, COMPLEX), Sample(BOOL, True)],
    "ne": [*MIXED, Sample(A, A)],
    "lt": [*MIXED, Sample(A, A), Fails(COMPLEX, COMPLEX)],
    "le": [*MIXED, Sample(A, A)],
    "gt": [*MIXED, Sample(A, A)],
    "ge": [*MIXED, Sample(A, A)],
    "isclose": [
        Sample(A, A + 1e-6),
        Sample(array(nan, inf, -inf), array(nan, inf, inf)),
        Sample(INTS, INTS),
        Sample(array(nan), array(nan), equal_nan=True),
        Fails(A, A.astype(np.float64)),
        Fails(A, A, rtol=-1.0),
    ],
    "logical_and": [Sample(BOOL, OTHER), Sample(A, INTS[:3])],
    "logical_or": [Sample(BOOL, OTHER), Sample(A, INTS[:3])],
    "logical_xor": [Sample(BOOL, OTHER), Sample(A, INTS[:3])],
    "logical_not": [Sample(BOOL), Sample(INTS), Sample(A)],
    "bitwise_not": [Sample(BOOL), Sample(INTS), Sample(integers(3, low=0, dtype=np.uint8)), Fails(A)],
    "bitwise_and": [Sample(BOOL, OTHER), Sample(INTS, SMALL), Sample(INTS, 3), Sample(BOOL, 2), Fails(A, B)],
    "bitwise_or": [Sample(BOOL, OTHER), Sample(INTS, SMALL), Sample(3, INTS)],
    "bitwise_xor": [Sample(BOOL, OTHER), Sample(INTS, SMALL)],
    "bitwise_left_shift": [Sample(INTS, 2), Sample(INTS, array(0, 63, 64, -1, dtype=np.int64)), Fails(A, B)],
    "bitwise_right_shift": [
        Sample(INTS, 2),
        Sample(INTS, array(0, 63, 64, -1, dtype=np.int64)),
        Sample(integers(3, low=0, high=255, dtype=np.uint8), array(1, 8, 9, dtype=np.uint8)),
    ],
    # -- minimum and maximum
    "maximum": [
        Sample(A, ROW),
        Sample(array(1.0, nan, 2, nan), array(1.0, 3, nan, nan)),
        Sample(INTS, SMALL),
        Sample(INTS, scalar(1.5)),
        Fails(COMPLEX, COMPLEX),
    ],
    "minimum": [Sample(A, ROW), Sample(array(1.0, nan, 2, nan), array(1.0, 3, nan, nan)), Sample(BOOL, OTHER)],
    "fmax": [Sample(A, ROW), Sample(array(1.0, nan, 2, nan), array(1.0, 3, nan, nan))],
    "fmin": [Sample(A, ROW), Sample(array(1.0, nan, 2, nan), array(1.0, 3, nan, nan))],
    "clamp": [
        Sample(array(0.0, 2, -1, nan, 5), 0, 2),
        Sample(array(0.0, 2, -1, nan, 5), array(0.0, 0, 0, 0, 6), array(2.0, 2, 2, 2, 4)),
        Fails(A, A, 2),
        Fails(A, 0.5, A),
        Sample(A.T, min=0.5),
        Sample(A, max=-0.5),
        Sample(INTS, 0.5).not_in_place(WORDS),
        Sample(INTS, -2, 3),
        Sample(A, 1.0, -1.0),
        Sample(BF16, -0.5, 0.5),
        Fails(A),
        Fails(COMPLEX, 0),
        Sample(array(1.0, 2), array(nan, 0.0)),
        Sample(A, nan),
    ],
    "clamp_min": [Sample(A, 0.5), Sample(array(0.0, 2, -1, nan), array(0.0, 0, 0, 0)), Sample(INTS, 2)],
    "clamp_max": [Sample(A, 0.5), Sample(array(0.0, 2, -1, nan), array(0.0, 0, 0, 0)), Sample(INTS, 2)],
    "where": [
        Sample(bools(2, 3), A, ROW),
        Sample(bools(2, 3), A.T.reshape(2, 3), 0.0),
        Sample(BOOL, 1, 2.5),
        Sample(BOOL, INTS, 1.5),
        Sample(BOOL, 1, 2),
        Sample(array(True, False, dtype=bool), array(1.0, nan), array(nan, 2.0)),
        Sample(BOOL, scalar(1.0), INTS),
        Fails(A, A, A),
    ],
}
