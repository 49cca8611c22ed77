"""Products of vectors and matrices."""

import ml_dtypes
import numpy as np

from tests.ops.sample import Fails, Sample, array, bools, integers, normal, scalar

V, W = normal(3), normal(3, seed=1)
A, B = normal(2, 3), normal(3, 4)
X, Y = normal(5, 2, 3), normal(5, 3, 4)
DOUBLE = normal(3, 4, dtype=np.float64)
INTS = integers(3, 3)
COMPLEX = normal(2, 3, dtype=np.complex64)
BF16 = {"why": "PyTorch sums in another order before it rounds", "rtol": 2e-2, "atol": 2e-2}

SAMPLES = {
    "matmul": [Sample(A, B), Sample(A, V), Sample(V, B), Sample(V, W), Sample(X, Y), Sample(X, B), Sample(A, Y),
               Sample(V, Y), Sample(X, V), Sample(normal(2, 1, 2, 3), Y), Sample(A.T, A), Sample(INTS, INTS),
               Sample(A.astype(ml_dtypes.bfloat16), B.astype(ml_dtypes.bfloat16)).loosely(**BF16),
               Sample(COMPLEX, COMPLEX.T), Fails(A, A), Fails(A, DOUBLE), Fails(A, normal(2)), Fails(V, normal(2)),
               Fails(X, X), Fails(X, A), Fails(V, X.transpose(0, 1, 2)), Fails(scalar(1.0), V), Fails(V, A),
               Fails(V, W.astype(np.float64)), Fails(X, Y.astype(np.float64)), Fails(A, W.astype(np.float64)),
               Fails(normal(3, 2, 2), normal(2, 2, 2))],
    "mm": [Sample(A, B), Sample(A.T, A), Sample(INTS, INTS), Fails(V, A), Fails(A, V), Fails(A, A), Fails(A, DOUBLE),
           Fails(bools(2, 2), bools(2, 2))],
    "bmm": [Sample(X, Y), Fails(A, Y), Fails(X, B), Fails(X, X), Fails(X, Y.astype(np.float64))],
    "mv": [Sample(A, V), Fails(V, V), Fails(A, normal(2)), Fails(A, V.astype(np.float64))],
    "dot": [Sample(V, W), Sample(integers(3), integers(3)), Fails(A, V), Fails(V, normal(2)),
            Fails(V, W.astype(np.float64))],
    "vdot": [Sample(V, W), Sample(COMPLEX[0], COMPLEX[1])],
    "outer": [Sample(V, normal(4)), Sample(integers(3), V), Fails(A, V), Fails(V, A)],
    "inner": [Sample(A, normal(4, 3)), Sample(V, W), Sample(scalar(2.0), A), Fails(A, normal(2))],
    "addmm": [Sample(normal(4), A, B).not_in_place("refused in other words"), Sample(normal(2, 4), A, B, beta=0.5, alpha=2), Sample(scalar(1.0), A, B).not_in_place("refused in other words"),
              Sample(array(np.nan), A, B, beta=0).not_in_place("the shape does not fit").without_gradient("NaN"),
              Fails(V, A, B), Fails(normal(4), V, B),
              Fails(normal(4), A, V), Fails(normal(4), A, A), Fails(normal(4), A, DOUBLE), Fails(X, A, B)],
    "baddbmm": [Sample(normal(5, 2, 4), X, Y), Sample(normal(4), X, Y, beta=0.5, alpha=2).not_in_place("refused in other words"), Fails(V, X, Y),
                Fails(normal(4), A, Y)],
    "addbmm": [Sample(normal(2, 4), X, Y, alpha=0.5), Fails(V, X, Y)],
    "addmv": [Sample(normal(2), A, V, beta=2), Fails(normal(2), A, normal(2))],
    "addr": [Sample(normal(3, 4), V, normal(4), alpha=0.5), Fails(V, V, normal(2))],
    "einsum": [Sample("ij,jk->ik", A, B), Sample("ij,jk->ki", A, B), Sample("bij,bjk->bik", X, Y), Sample("ij->", A),
               Sample("ii->i", normal(3, 3)).any_stride("a view in PyTorch"), Sample("i,j->ij", V, W), Sample("...ij,...jk->...ik", X, B),
               Sample("bij, jk -> b i k", X, B), Sample("ij,jk", A, B), Sample("ij", A), Sample("ij->ji", A).any_stride("a view in PyTorch"),
               Sample("bi,bj,k->bijk", A, A, V), Sample("ij,jk->ik", [A, B]), Fails("ij,jk->ik", A, A),
               Fails("ij,jk->ik", A), Fails("ij->ik", A), Fails("ijk->ik", A), Fails("i1->i", A)],
    "tensordot": [Sample(A, B, 1), Sample(X, Y, ([0, 2], [0, 1])), Sample(V, W, 0), Sample(X, X, dims=3),
                  Fails(A, A, 1), Fails(A, A, ([0], [0, 1])), Fails(V, W, 2)],
    "kron": [Sample(A, B), Sample(V, A), Sample(integers(2), V)],
    "trace": [Sample(A), Sample(INTS), Fails(V)],
    "linalg.cross": [Sample(V, W), Sample(A, normal(2, 3, seed=1)), Sample(A, normal(1, 3)), Fails(A, normal(3)),
                     Fails(normal(2), normal(2)), Sample(B, normal(3, 4, seed=1), dim=0)],
    "Tensor.cross": [Sample(A, normal(2, 3, seed=1)), Sample(B, normal(3, 4, seed=1), 0), Fails(normal(2, 2), normal(2, 2))],
    "linalg.vecdot": [Sample(A, normal(2, 3, seed=1)), Sample(COMPLEX, COMPLEX, dim=0)],
    "chain_matmul": [Sample(A, B, normal(4, 2))],
}  # fmt: skip
