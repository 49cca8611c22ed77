"""Samples of Bessel functions, orthogonal polynomials and related functions."""

import numpy as np

from tests.ops.sample import Fails, Sample, array, integers, normal, uniform

inf, nan = np.inf, np.nan
WHERE = uniform(4, 5, low=0.1, high=6.0, dtype=np.float64)
SIGNED = normal(4, 5, dtype=np.float64) * 4
NO_SLOPE = "PyTorch does not know the derivative by the exponent"
COARSE = ("PyTorch's approximation has seven digits", 1e-5, 1e-6)


def of(x, *more):
    """Return samples of double, float and integer dtype, and a failing complex one."""
    return [
        Sample(x).loosely(*COARSE),
        Sample(x.astype(np.float32)).loosely(*COARSE),
        Sample(integers(3, low=1, high=4)).loosely(*COARSE),
        Fails(normal(2, dtype=np.complex64)),
        *more,
    ]


def of_degree(x=None):
    """Return samples with integer degrees from -2 to 6 and with fractional degrees, and two failing calls."""
    x = SIGNED / 4 if x is None else x
    degrees = integers(5, low=-2, high=7)
    floats = Sample(x.astype(np.float32), degrees.astype(np.float32)).loosely("cancellation", 1e-4, 1e-5)
    return [
        Sample(x, degrees),
        floats,
        Sample(x, 3),
        Sample(0.5, degrees),
        Sample(x, degrees + 0.75),
        Fails(2, 3),
        Fails(normal(2, dtype=np.complex64), 2),
    ]


SAMPLES = {
    **{
        f"special.{name}": of(SIGNED)
        for name in (
            "airy_ai",
            "bessel_j0",
            "bessel_j1",
            "modified_bessel_i0",
            "modified_bessel_i1",
            "spherical_bessel_j0",
        )
    },
    **{
        f"special.{name}": of(WHERE, Sample(array(0.0, -1.0)))
        for name in (
            "bessel_y0",
            "bessel_y1",
            "modified_bessel_k0",
            "modified_bessel_k1",
            "scaled_modified_bessel_k0",
            "scaled_modified_bessel_k1",
        )
    },
    "special.zeta": [
        Sample(WHERE + 1, WHERE).without_gradient(NO_SLOPE),
        Sample(array(1.0, 2.0, 0.5, 3.0, 3.0), array(1.0, 0.0, 1.0, -1.5, nan)).without_gradient(NO_SLOPE),
        Sample(2.0, uniform(3, low=1.0, high=4.0)),
        Sample(2.0, integers(3, low=1, high=4)),
        Fails(2, 3),
    ],
    "special.erfcx": [
        Sample(SIGNED),
        Sample(normal(2, 3).T),
        Sample(integers(3)),
        Fails(normal(2, dtype=np.complex64)),
    ],
    **{f"special.{kind}chebyshev_polynomial_{which}": of_degree() for kind in ("", "shifted_") for which in "tuvw"},
    **{
        f"special.{name}": of_degree()
        for name in ("hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p")
    },
}
