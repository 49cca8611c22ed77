"""Samples of decompositions, inverses, solutions of linear systems, and matrix norms."""

import numpy as np

from tests.ops.sample import Fails, Sample, integers, normal

inf = np.inf
EYE = np.eye(3, dtype=np.float32)
A = normal(3, 3) + 3 * EYE
MANY = normal(2, 3, 3) + 3 * EYE
TALL, WIDE = normal(4, 3), normal(3, 4)
POSITIVE = (A @ A.T).astype(np.float32)
POSITIVES = np.stack([POSITIVE, POSITIVE + EYE])
HALF = np.tril(A)
SINGULAR, RECTANGLE, VECTOR, WHOLE = np.ones((2, 2), np.float32), normal(2, 3), normal(3), integers(3, 3)
ONE_TO_THREE = np.array([1, 2, 3], np.int32)
INDEFINITE = np.stack([EYE[:2, :2], np.array([[1, 2], [2, 1]], np.float32)])
REFUSED = [Fails(RECTANGLE), Fails(VECTOR), Fails(WHOLE)]


def close(sample: Sample) -> Sample:
    return sample.loosely("LAPACK's routine and its gradient round in another order", rtol=1e-4, atol=1e-4)


def near(*calls: Sample) -> list[Sample]:
    return [close(s) for s in calls]


def symmetric(a):
    return (a + a.mH) / 2


def of_symmetric(*calls: Sample) -> list[Sample]:
    return [close(s).taken_as(0, symmetric, "its halves are taken for one another") for s in calls]


def lower(a):
    return a.tril()


def upper(a):
    return a.triu()


CUTS = "it cuts, and PyTorch's gradient is that of the full rank"
OTHER_HALF = "the other half is not read, and its gradient is not zero"
NONE = "PyTorch has none"
SIGNS = "eigenvectors have no sign; test_linalg judges what does not depend on it"

SAMPLES = {
    "linalg.inv": [*near(Sample(A), Sample(MANY)), *REFUSED, Fails(SINGULAR), Fails(np.zeros((3, 2, 2), np.float32))],
    "inverse": near(Sample(A)),
    "linalg.det": [*near(Sample(A), Sample(MANY)), Sample(A[:0, :0]), Sample(MANY[:, :0, :0]), *REFUSED],
    "det": near(Sample(A)),
    "linalg.slogdet": [*near(Sample(A), Sample(-MANY)), Fails(VECTOR)],
    "slogdet": near(Sample(A)),
    "logdet": near(Sample(A), Sample(POSITIVES)),
    "linalg.solve": [
        *near(Sample(A, VECTOR), Sample(A, WIDE), Sample(MANY, normal(2, 3, 2)), Sample(MANY, WIDE)),
        Fails(SINGULAR, normal(2)),
        Fails(A, TALL),
        Fails(A, normal(2)),
        close(Sample(A, TALL, left=False)).any_stride("a transposed solution"),
    ],
    "linalg.solve_triangular": [
        *near(
            Sample(HALF, WIDE, upper=False),
            Sample(HALF.T, WIDE, upper=True),
            Sample(HALF, TALL, upper=False, left=False),
            Sample(HALF, WIDE, upper=False, unitriangular=True),
        ),
        Fails(A, VECTOR, upper=True),
        Fails(A, TALL, upper=True),
    ],
    "linalg.cholesky": [
        *of_symmetric(Sample(POSITIVE), Sample(POSITIVES), Sample(POSITIVE, upper=True)),
        Fails(-EYE),
        Fails(INDEFINITE),
        *REFUSED,
    ],
    "cholesky": of_symmetric(Sample(POSITIVE)),
    "linalg.cholesky_ex": of_symmetric(Sample(POSITIVE), Sample(np.zeros((2, 0, 0), np.float32))),
    "cholesky_solve": near(
        Sample(WIDE, HALF).taken_as(1, lower, OTHER_HALF), Sample(WIDE, HALF.T, True).taken_as(1, upper, OTHER_HALF)
    ),
    "cholesky_inverse": [
        s.any_stride("LAPACK's")
        for s in near(
            Sample(HALF + EYE).taken_as(0, lower, OTHER_HALF),
            Sample(HALF.T + EYE, True).taken_as(0, upper, OTHER_HALF),
        )
    ],
    "linalg.pinv": [
        *near(Sample(A), Sample(TALL), Sample(WIDE), Sample(MANY, 0.3), Sample(MANY, atol=2.0)),
        *of_symmetric(Sample(A, hermitian=True)),
        *near(Sample(TALL, atol=0.1, rtol=np.float32(0.5)).by_convention(CUTS)),
        *near(
            Sample(TALL, rtol=np.array([[0.1], [0.5]], np.float32))
            .by_convention(CUTS)
            .taken_as("rtol", None, "a tolerance has no gradient")
        ),
        Fails(RECTANGLE, hermitian=True),
        Fails(VECTOR),
    ],
    "pinverse": near(Sample(TALL), Sample(A, rcond=0.5).by_convention(CUTS)),
    "linalg.lstsq": [
        *[
            s.any_stride("LAPACK's")
            for s in near(
                *(Sample(TALL, normal(4, 2), driver=driver) for driver in (None, "gels", "gelsd", "gelss")),
                Sample(WIDE, normal(3)),
                Sample(np.stack([TALL, TALL + 1]), normal(2, 4), driver="gelsd"),
                Sample(SINGULAR, normal(2, 2)).without_gradient(CUTS).by_convention(CUTS),
                Sample(A, VECTOR, 0.9, driver="gelsd").without_gradient(CUTS).by_convention(CUTS),
            )
        ],
        Fails(VECTOR, VECTOR),
        Fails(A, TALL),
        Fails(A, np.array(1, np.float32)),
        Fails(A, VECTOR.astype(np.float64)),
        Fails(WHOLE, WHOLE),
        Fails(A, MANY),
        Fails(MANY, normal(2, 4)),
        Fails(A, normal(4)),
        Fails(A, VECTOR, driver="svd"),
    ],
    "linalg.ldl_factor": [*[s.without_gradient(NONE) for s in near(Sample(A), Sample(MANY))], *REFUSED],
    "linalg.ldl_factor_ex": [
        s.without_gradient(NONE) for s in near(Sample(A, hermitian=True), Sample(np.zeros((2, 2, 2), np.float32)))
    ],
    "linalg.ldl_solve": [
        *[
            s.without_gradient(NONE)
            for s in near(Sample(A, ONE_TO_THREE, WIDE), Sample(MANY, np.stack([ONE_TO_THREE] * 2), WIDE))
        ],
        Fails(A, ONE_TO_THREE, VECTOR),
        Fails(A, ONE_TO_THREE, TALL),
        Fails(A, VECTOR, WIDE),
        Fails(MANY, ONE_TO_THREE, WIDE),
        Fails(A, ONE_TO_THREE, WIDE.astype(np.float64)),
    ],
    "linalg.matrix_exp": [
        Sample(A / 3).loosely("PyTorch computes a series in float32", rtol=1e-5, atol=1e-5),
        Sample(3 * A[:2, :2]).loosely("PyTorch computes a series in float32", rtol=1e-5, atol=1e-5),
        Sample(MANY / 3).loosely("PyTorch computes a series in float32", rtol=1e-5, atol=1e-5),
        Fails(RECTANGLE),
    ],
    "linalg.qr": [
        *near(Sample(A), Sample(TALL), Sample(MANY)),
        close(Sample(WIDE)).without_gradient("refused"),
        close(Sample(TALL, "r")).without_gradient("refused"),
        close(Sample(TALL, "complete")).without_gradient("refused"),
        Fails(VECTOR),
        Fails(A, "half"),
    ],
    "qr": near(Sample(TALL)),
    "linalg.svd": [
        *near(Sample(A), Sample(MANY)),
        Fails(VECTOR),
        Fails(A, driver="gesvd"),
    ],
    "svd": near(Sample(A), Sample(TALL, compute_uv=False)),
    "linalg.svdvals": near(Sample(A), Sample(WIDE), Sample(MANY)),
    "linalg.eigh": [*[s.without_gradient(SIGNS) for s in of_symmetric(Sample(POSITIVE))], Fails(RECTANGLE)],
    "linalg.eigvalsh": of_symmetric(Sample(POSITIVE), Sample(POSITIVES)),
    "linalg.eigvals": [close(Sample(POSITIVE)).without_gradient("the order of the values")],
    "linalg.matrix_rank": [
        *(Sample(A), Sample(SINGULAR), Sample(MANY), Sample(POSITIVE, hermitian=True), Sample(TALL[:0])),
        *(Sample(MANY, 3.0), Sample(MANY, atol=3.0), Sample(MANY, rtol=np.float32(0.5))),
        Fails(RECTANGLE, hermitian=True),
    ],
    "linalg.matrix_power": [
        *near(Sample(A, 3), Sample(A, 1), Sample(MANY, -2)),
        Sample(A, 0).without_gradient("a constant"),
    ],
    "linalg.multi_dot": [Sample([A, TALL.T, normal(4)]), Sample([A, A])],
    "linalg.matrix_norm": [
        *near(
            Sample(A),
            Sample(MANY),
            Sample(A, "nuc"),
            Sample(A, 1),
            Sample(A, -1),
            Sample(A, inf),
            Sample(MANY, 2, keepdim=True),
            Sample(A, -2),
            Sample(MANY, 1, (0, 2)),
        ),
        *(Sample(np.zeros(shape, np.float32), ord) for shape in ((0, 3), (0, 0)) for ord in (1, 2, inf, "nuc")),
        Fails(np.zeros((0, 0), np.float32), -2),
        Fails(VECTOR),
        Fails(A, 3),
    ],
    "linalg.norm": [
        *near(
            Sample(A),
            Sample(VECTOR, 1),
            Sample(A, 2),
            Sample(MANY),
            Sample(MANY, dim=1),
            Sample(A, 1),
            Sample(MANY, "fro", (1, 2)),
            Sample(MANY, inf, 1, True),
            Sample(A, "nuc"),
        ),
        Fails(MANY, 2),
    ],
    "linalg.cond": [
        close(Sample(A)),
        close(Sample(A, 1)).without_gradient("PyTorch fails: it overwrites what it saved"),
        Sample(SINGULAR, 1).without_gradient("PyTorch fails: it overwrites what it saved"),
        Sample(np.zeros((2, 0, 0), np.float32), "fro"),
        *(Fails(VECTOR), Fails(A, 3), Fails(RECTANGLE, "fro"), Fails(RECTANGLE, 1)),
    ],
}
