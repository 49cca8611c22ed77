"""Samples of element-wise functions of one tensor."""

import ml_dtypes
import numpy as np

from tests.ops.sample import Fails, Sample, array, bools, integers, normal, uniform

inf, nan = np.inf, np.nan
EDGES = array(-inf, -2.5, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 1.5, 2.5, inf, nan)
COMPLEX = normal(2, 3, dtype=np.complex64)
BOOL = bools(3)


def plain(x=None, *more):
    """Return samples of a transposed matrix, integers, bfloat16 and `EDGES`, followed by the samples `more`."""
    x = normal(2, 3) if x is None else x
    return [Sample(x.T), Sample(integers(3, low=1, high=4)), Sample(x.astype(ml_dtypes.bfloat16)), Sample(EDGES), *more]


NO_JVP_AT_EDGES = "the gradient at the end of the domain is inf in one library and NaN in the other"
NO_SHAPE = "PyTorch does not know the gradient of the shape"
GAMMA_EDGES = array(0, 0, 1, -1, 1, inf, 1, 0, inf), array(0, 1, 0, 1, -1, 1, inf, inf, inf)
GAMMA = ("series of two libraries", 1e-5, 1e-6)

SAMPLES = {
    "neg": [*plain(), Sample(COMPLEX), Fails(BOOL)],
    "positive": [Sample(normal(2)), Fails(BOOL)],
    "abs": [*plain(), Sample(COMPLEX).not_in_place("PyTorch refuses it"), Sample(integers(3)), Fails(BOOL)],
    "sgn": [*plain(), Sample(COMPLEX), Sample(array(0j, 3 + 4j, dtype=np.complex64))],
    "sign": [*plain(), Sample(BOOL), Sample(integers(3)), Sample(integers(3, low=0, dtype=np.uint8)), Fails(COMPLEX)],
    "square": [*plain(), Sample(COMPLEX), Sample(BOOL)],
    "reciprocal": [*plain(), Sample(COMPLEX), Sample(BOOL)],
    "sqrt": [*plain(uniform(2, 3)), Sample(COMPLEX)],
    "rsqrt": plain(uniform(2, 3)),
    "sigmoid": plain(),
    "relu": [*plain(), Sample(integers(4)), Fails(BOOL), Fails(COMPLEX)],
    "clone": [Sample(normal(2, 3).T), Sample(normal(2, 3, 4, 5).transpose(0, 2, 3, 1))],
    "nan_to_num": [
        Sample(EDGES),
        Sample(EDGES, nan=2.0, posinf=3.0),
        Sample(EDGES, 1.0, None, -4.0),
        Sample(EDGES, None),
        Sample(integers(3)),
        Sample(array(-inf, nan, dtype=ml_dtypes.bfloat16)),
        Sample(array(complex(nan, inf), dtype=np.complex64)).without_gradient("PyTorch knows no derivative"),
    ],
    "isnan": [Sample(EDGES), Sample(integers(3)), Sample(COMPLEX)],
    "isinf": [Sample(EDGES), Sample(integers(3)), Sample(COMPLEX)],
    "isfinite": [Sample(EDGES), Sample(integers(3)), Sample(COMPLEX)],
    "isposinf": [Sample(EDGES), Sample(integers(3)), Fails(COMPLEX)],
    "isneginf": [Sample(EDGES), Sample(integers(3)), Fails(COMPLEX)],
    "isreal": [Sample(EDGES), Sample(array(1j, 1, dtype=np.complex64))],
    "signbit": [Sample(EDGES), Sample(integers(3)), Sample(BOOL), Fails(COMPLEX)],
    "floor": [*plain(), Fails(BOOL), Fails(COMPLEX)],
    "ceil": [*plain(), Fails(BOOL), Fails(COMPLEX)],
    "trunc": [*plain(), Fails(BOOL), Fails(COMPLEX)],
    "round": [*plain(), Sample(normal(3) * 100, decimals=1), Sample(normal(3) * 100, decimals=-1), Fails(BOOL)],
    "frac": [Sample(normal(2, 3).T), Sample(EDGES), Fails(integers(3))],
    "deg2rad": [*plain(), Fails(COMPLEX)],
    "rad2deg": [*plain(), Fails(COMPLEX)],
    "real": [Sample(normal(2)), Sample(COMPLEX)],
    "imag": [Sample(COMPLEX), Fails(normal(2))],
    "conj": [Sample(normal(2)), Sample(COMPLEX)],
    "conj_physical": [Sample(normal(2)), Sample(COMPLEX)],
    "resolve_conj": [Sample(COMPLEX)],
    "resolve_neg": [Sample(COMPLEX)],
    "angle": [Sample(EDGES[4:]), Sample(normal(3)), Sample(integers(4)), Sample(COMPLEX)],
    "complex": [Sample(normal(2, 3), normal(2, 3, seed=1)), Fails(normal(2), normal(2, dtype=np.float64))],
    "polar": [Sample(uniform(2, 3), normal(2, 3, seed=1))],
    # -- exponentials, logarithms, trigonometric and hyperbolic functions
    "exp": [*plain(), Sample(COMPLEX), Sample(BOOL)],
    "exp2": plain(),
    "expm1": [*plain(), Sample(array(1e-7))],
    "log": [*plain(uniform(2, 3)), Sample(COMPLEX)],
    "log1p": [*plain(uniform(2, 3)), Sample(array(1e-7))],
    "log2": plain(uniform(2, 3)),
    "log10": plain(uniform(2, 3)),
    "sin": [*plain(), Sample(COMPLEX)],
    "cos": [*plain(), Sample(COMPLEX)],
    "tan": plain(),
    "asin": plain(uniform(2, 3)),
    "acos": plain(uniform(2, 3)),
    "atan": plain(),
    "sinh": plain(),
    "cosh": plain(),
    "tanh": [*plain(), Sample(COMPLEX)],
    "asinh": plain(),
    "acosh": plain(uniform(2, 3, low=1, high=3)),
    "atanh": plain(uniform(2, 3, low=-1)),
    "sinc": [Sample(normal(2, 3).T), Sample(array(0.0, 0.25, -1.5))],
    # -- special functions
    "erf": [*plain(), Fails(COMPLEX)],
    "erfc": plain(),
    "erfinv": plain(uniform(2, 3, low=-1)),
    "lgamma": [Sample(uniform(2, 3, high=4).T), Sample(array(0.0, 1.0, -0.5, inf)).without_gradient(NO_JVP_AT_EDGES)],
    "mvlgamma": [
        Sample(uniform(2, 3, low=2, high=4), 3),
        Sample(integers(3, low=2, high=5), 2).not_in_place("PyTorch names the types the other way round"),
        Fails(normal(2), 0),
    ],
    "digamma": [Sample(uniform(2, 3, low=0.1, high=4).T), Sample(array(1.0, -0.5))],
    "polygamma": [
        Sample(1, uniform(2, 3, low=0.5, high=4)).loosely("series of two libraries", rtol=1e-5, atol=1e-5),
        Sample(0, uniform(3, low=0.5)),
    ],
    "igamma": [
        Sample(uniform(2, 3, high=4), uniform(2, 3, high=4, seed=1)).taken_as(0, None, NO_SHAPE).loosely(*GAMMA),
        Sample(*GAMMA_EDGES).taken_as(0, None, NO_SHAPE),
        Fails(integers(2), integers(2)),
    ],
    "igammac": [
        Sample(uniform(2, 3, high=4), uniform(2, 3, high=4, seed=1)).taken_as(0, None, NO_SHAPE).loosely(*GAMMA),
        Sample(*GAMMA_EDGES).taken_as(0, None, NO_SHAPE),
    ],
    "i0": [Sample(normal(2, 3)), Sample(array(0.0, -0.0, 1e-9))],
    "special.i0e": [Sample(normal(2, 3))],
    "special.i1": [
        Sample(normal(2, 3)).loosely("series of two libraries", rtol=1e-5, atol=1e-6),
        Sample(array(0.0, -0.0, 1e-9)),
    ],
    "special.i1e": [
        Sample(normal(2, 3)).loosely("series of two libraries", rtol=1e-5, atol=1e-6),
        Sample(array(0.0, -0.0, 0.5)),
    ],
    "special.ndtr": [Sample(normal(2, 3)), Sample(array(-30.0, -5.0, 0.0, 9.0))],
    "special.log_ndtr": [Sample(normal(2, 3))],
    "special.ndtri": [Sample(uniform(2, 3, low=0.1, high=0.9))],
    "special.entr": [Sample(uniform(2, 3))],
    "logit": [
        Sample(uniform(2, 3)),
        Sample(array(0.0, 0.1, 0.5, 0.95, 1.0), eps=0.1),
        Sample(array(0.0, 1.0, -1.0)).without_gradient(NO_JVP_AT_EDGES),
    ],
    "special.xlog1py": [Sample(normal(3), uniform(3)), Sample(normal(3), 0.5)],
}
