"""Decompositions, inverses, solutions of linear systems, norms of matrices."""

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
INDEFINITE = np.stack([EYE[:2, :2], np.array([[1, 2], [2, 1]], np.float32)])
REFUSED = [Fails(RECTANGLE), Fails(VECTOR), Fails(WHOLE)]


def close(sample: Sample) -> Sample:
    return sample.loosely("LAPACK's routine and its gradient round in another order", rtol=1e-4, atol=1e-4)


def near(*calls: Sample) -> list[Sample]:
    return [close(s) for s in calls]


BOTH_HALVES = "PyTorch fills the unused half too"
SIGNS = "eigenvectors have no sign; test_linalg judges what does not depend on it"

SAMPLES = {
    "linalg.inv": [*near(Sample(A), Sample(MANY)), *REFUSED, Fails(SINGULAR), Fails(np.zeros((3, 2, 2), np.float32))],
    "inverse": near(Sample(A)),
    "linalg.det": [*near(Sample(A), Sample(MANY)), *REFUSED],
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
        *near(Sample(POSITIVE), Sample(POSITIVES), Sample(POSITIVE, upper=True)),
        Fails(-EYE),
        Fails(INDEFINITE),
        *REFUSED,
    ],
    "cholesky": near(Sample(POSITIVE)),
    "linalg.cholesky_ex": near(Sample(POSITIVE)),
    "cholesky_solve": [s.without_gradient(BOTH_HALVES) for s in near(Sample(WIDE, HALF), Sample(WIDE, HALF.T, True))],
    "cholesky_inverse": [close(Sample(HALF + EYE)).any_stride("LAPACK's").without_gradient(BOTH_HALVES)],
    "linalg.pinv": near(Sample(A), Sample(TALL), Sample(WIDE)),
    "linalg.lstsq": [
        close(Sample(TALL, normal(4, 2))).any_stride("LAPACK's").without_gradient("its empty results differ")
    ],
    "linalg.matrix_exp": [
        Sample(A / 3).loosely("two series", rtol=1e-3, atol=1e-3),
        Sample(MANY / 3).loosely("two series", rtol=1e-3, atol=1e-3),
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
    "linalg.svd": [*near(Sample(A), Sample(MANY)), Fails(VECTOR)],
    "svd": near(Sample(A)),
    "linalg.svdvals": near(Sample(A), Sample(WIDE), Sample(MANY)),
    "linalg.eigh": [*[s.without_gradient(SIGNS) for s in near(Sample(POSITIVE))], Fails(RECTANGLE)],
    "linalg.eigvalsh": near(Sample(POSITIVE), Sample(POSITIVES)),
    "linalg.eigvals": [close(Sample(POSITIVE)).without_gradient("the order of the values")],
    "linalg.matrix_rank": [Sample(A), Sample(SINGULAR), Sample(MANY)],
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
    ],
}
