"""Samples of views: other shapes and orders of the same elements."""

import numpy as np

from tests.ops.sample import Fails, Sample, normal, scalar

A, B, V, S = normal(2, 3, 4), normal(2, 3), normal(3), scalar(3.0)
FLAT = normal(6)
COMPLEX = normal(2, 3, dtype=np.complex64)
ONES = normal(1, 3, 1, 2)

SAMPLES = {
    "Tensor.view": [
        Sample(A, 6, 4),
        Sample(A, (-1,)),
        Sample(B.T, 3, 2),
        Sample(FLAT, 2, -1),
        Fails(A, 5, -1),
        Fails(A, 2, -2),
        Fails(B.T, 6),
        Fails(A, -1, -1),
        Fails(A, "x"),
    ],
    "reshape": [Sample(A, (4, 6)), Sample(B.T, (6,)), Sample(B.T, (-1,)), Fails(A, (5, 5)), Fails(A)],
    "permute": [
        Sample(A, (2, 0, 1)),
        Sample(A, dims=(-1, 0, 1)),
        Fails(A, (0, 1)),
        Fails(A, (0, 1, 1)),
        Fails(A, (0, 1, 5)),
    ],
    "transpose": [Sample(A, 0, 1), Sample(A, -1, 0), Sample(S, 0, -1), Fails(A, 0, 3), Fails(A, 0)],
    "swapaxes": [Sample(A, 0, 2), Sample(A, axis0=0, axis1=1)],
    "swapdims": [Sample(A, dim0=0, dim1=1)],
    "adjoint": [Sample(A), Sample(COMPLEX), Fails(V)],
    "Tensor.expand": [
        Sample(V, 2, 3),
        Sample(V, 2, -1),
        Sample(ONES, 4, 3, -1, 2),
        Sample(V, size=(2, 3)),
        Fails(B, 3, 2),
        Fails(B, 3),
        Fails(V, -1, 3),
    ],
    "broadcast_to": [Sample(V, (2, 3)), Fails(V, (3, 2)), Fails(V, 2)],
    "broadcast_tensors": [Sample(V, B), Fails(V, normal(2))],
    "squeeze": [Sample(ONES), Sample(ONES, 0), Sample(ONES, (0, 2)), Sample(ONES, 1), Sample(S), Fails(ONES, 4)],
    "unsqueeze": [Sample(A, 0), Sample(B.T, 1), Sample(S, -1), Fails(A, 4)],
    "flatten": [Sample(A), Sample(A, 1), Sample(B.T), Sample(S), Fails(A, 2, 1), Fails(A, 3)],
    "ravel": [Sample(B), Sample(B.T)],
    "unflatten": [Sample(A, 2, (2, -1)), Fails(A, 2, (3, -1)), Fails(A, -1, ())],
    "movedim": [Sample(A, 0, 2), Sample(A, (0, 1), (2, 0)), Fails(A, (0, 0), (1, 2)), Fails(A, (0, 1), (2,))],
    "moveaxis": [Sample(A, 0, -1)],
    "t": [Sample(B), Sample(V), Fails(A)],
    "diagonal": [Sample(B), Sample(A, 1, 1, 2), Sample(A, -1), Sample(A, 5), Fails(A, 0, 1, 1), Fails(V)],
    "Tensor.unfold": [
        Sample(A, 2, 2, 1),
        Sample(A, -1, 2, 2),
        Sample(S, 0, 1, 1),
        Fails(A, 1, 5, 1),
        Fails(A, 1, 2, 0),
    ],
    "select": [Sample(A, 0, 1), Sample(A, 1, -1), Fails(A, 1, 3), Fails(A, 3, 0), Fails(S, 0, 0), Fails(A, 0, 1.5)],
    "narrow": [Sample(A, 1, 0, 2), Sample(A, 1, -1, 1), Fails(A, 1, 1, 3), Fails(A, 1, 5, 1), Fails(A, 1, 0, -1)],
    "split": [Sample(A, 2, 1), Sample(A, [1, 2], 1), Fails(A, [1, 1], 1), Fails(A, 0), Fails(A, -1)],
    "split_with_sizes": [Sample(A, [1, 3], -1), Fails(A, [3, -1])],
    "chunk": [Sample(A, 2, 1), Sample(A, 5, 2), Fails(A, 0), Fails(A, 1.5)],
    "tensor_split": [Sample(A, 3, 2), Sample(A, (1, 2), dim=1), Fails(A, 0)],
    "hsplit": [Sample(A, 3), Sample(V, 3), Fails(A, 4)],
    "vsplit": [Sample(A, 2), Fails(V, 3)],
    "dsplit": [Sample(A, [1, 2]), Fails(B, 1)],
    "unbind": [Sample(A), Sample(A, 1), Fails(S)],
    "as_strided": [
        Sample(A, (2, 2), (1, 2), 1),
        Sample(B.T, (2, 2), (1, 3)),
        Sample(V, (3, 2), (1, 0)),
        Fails(A, (2,), (100,)),
        Fails(A, (2,), (1, 2)),
        Fails(A, (2,), (-1,)),
    ],
    "view_as_real": [Sample(COMPLEX), Sample(COMPLEX.T), Fails(A)],
    "view_as_complex": [Sample(normal(3, 2)), Fails(A), Fails(S), Fails(normal(2, 2).T)],
    "atleast_1d": [Sample(S), Sample(S, V)],
    "atleast_2d": [Sample(V)],
    "atleast_3d": [Sample(V), Sample(B)],
    "Tensor.sum_to_size": [Sample(A, 3, 4), Sample(A, 2, 1, 4), Fails(A, 5)],
}
