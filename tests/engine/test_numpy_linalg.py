"""Decompositions by the interpreter, compared with JAX: both use the same LAPACK, so signs and order agree too."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.lax import linalg

from torchlike._engine.interpreter.jaxpr import flatten
from torchlike._engine.interpreter.rules import Unsupported

DTYPES = ("float32", "complex128")  # some routines have the same name for real and complex numbers, others do not
SHAPES = ((1, 1), (2, 1, 5, 5), (60, 60))
OBLONG = (*SHAPES, (5, 3), (2, 4, 7), (80, 45), (20, 90))


def matrices(shape, dtype):
    random = np.random.default_rng(len(shape) + shape[-1])
    parts = random.normal(size=(2, *shape))
    return (parts[0] + 1j * parts[1] if dtype.startswith("c") else parts[0]).astype(dtype)


def hermitian(shape, dtype):
    a = matrices(shape, dtype)
    return a @ a.conj().swapaxes(-1, -2) + np.eye(shape[-1], dtype=dtype)


def check(function, *arrays):
    program = flatten(jax.make_jaxpr(function)(*arrays))
    with np.errstate(all="ignore"):
        found = program(*arrays)
    due = jax.tree.leaves(jax.jit(function)(*arrays))
    # Products around a decomposition are summed in a different order. LAPACK's error bound grows with the size.
    eps = 50 * np.finfo(arrays[0].dtype).eps * max(arrays[0].shape[-2:])
    for mine, its in zip(found, due, strict=True):
        assert (mine.shape, mine.dtype) == (its.shape, its.dtype)
        scale = max(1.0, np.nanmax(np.abs(its), initial=0))
        np.testing.assert_allclose(mine, its, rtol=0, atol=eps * scale)


SQUARE = {
    "cholesky": lambda a: linalg.cholesky(a, symmetrize_input=False),
    "eigh": lambda a: linalg.eigh(a, symmetrize_input=False),
    "eigh, of the upper half": lambda a: linalg.eigh(a, lower=False, symmetrize_input=False),
    "solve": lambda a: jnp.linalg.solve(a, a[..., :1]),
    "inv": jnp.linalg.inv,
    "det": jnp.linalg.det,
    "expm": lambda a: jax.scipy.linalg.expm(a / (9 * a.shape[-1])) if a.ndim == 2 else a,
}
ANY = {
    "lu": linalg.lu,
    "permutation": lambda a: linalg.lu_pivots_to_permutation(linalg.lu(a)[1], a.shape[-2]),
    "svd": lambda a: linalg.svd(a, full_matrices=False),
    "svd, whole": lambda a: linalg.svd(a, full_matrices=True),
    "svd, values": lambda a: linalg.svd(a, compute_uv=False),
    "qr": lambda a: linalg.qr(a, full_matrices=False),
    "qr, whole": lambda a: linalg.qr(a, full_matrices=True),
    "geqrf": lambda a: jnp.linalg.qr(a, "raw"),
    "product": lambda a: linalg.householder_product(a[..., : min(a.shape[-2:])], jnp.linalg.qr(a, "raw")[1]),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", SQUARE)
def test_of_square_matrices(name, shape, dtype):
    check(SQUARE[name], hermitian(shape, dtype))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", OBLONG)
@pytest.mark.parametrize("name", ANY)
def test_of_any_matrices(name, shape, dtype):
    check(ANY[name], matrices(shape, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sides", [(True, True), (True, False), (False, True), (False, False)])
def test_eigenvectors(sides, shape, dtype):
    left, right = sides
    check(
        lambda a: linalg.eig(a, compute_left_eigenvectors=left, compute_right_eigenvectors=right),
        matrices(shape, dtype),
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("flags", list(np.ndindex(2, 2, 2, 2, 2)), ids=str)
def test_triangular_systems(flags, dtype):
    names = "left_side", "lower", "transpose_a", "conjugate_a", "unit_diagonal"
    options = dict(zip(names, map(bool, flags)))
    a, b = hermitian((3, 4, 4), dtype) / 4, matrices((3, 4, 2), dtype)
    b = b if options["left_side"] else b.swapaxes(-1, -2)
    check(lambda a, b: linalg.triangular_solve(a, b, **options), a, b)


def test_matrices_without_a_decomposition_give_nan():
    bad = np.array([[[1.0, 2], [2, 1]], [[2.0, 1], [1, 2]]])
    check(SQUARE["cholesky"], bad)
    check(ANY["lu"], np.zeros((2, 2)))


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3), (0, 3, 3), (2, 3, 0)])
@pytest.mark.parametrize("name", ANY)
def test_matrices_of_nothing(name, shape):
    check(ANY[name], np.zeros(shape))


@pytest.mark.parametrize("name", ["cholesky", "eigh", "solve"])
def test_square_matrices_of_nothing(name):
    check(SQUARE[name], np.zeros((2, 0, 0)))
    check(SQUARE[name], np.zeros((0, 2, 2)))


def test_many_matrices_are_a_loop_whose_rent_is_reckoned():
    """Check that a batch of matrices counts as a loop, so that its break-even cost is estimated.

    The interpreter makes one call from Python for each matrix. A hundred thousand would take seconds, where an
    executable takes milliseconds.
    """
    program = flatten(jax.make_jaxpr(ANY["svd, values"])(np.zeros((300, 2, 2))))
    assert program.loops == [300]
    assert flatten(jax.make_jaxpr(ANY["svd, values"])(np.zeros((2, 2)))).loops == []


def test_a_refusal():
    with pytest.raises(Unsupported, match="qr with pivoting"):
        flatten(jax.make_jaxpr(lambda a: linalg.qr(a, pivoting=True))(np.zeros((2, 3))))
