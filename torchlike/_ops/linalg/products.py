"""The product of two matrices as one primitive, in the memory layout that XLA's CPU kernels run fastest.

XLA passes a transposed factor to Eigen, which gathers it across the rows of memory. Transposing the smaller factor in
memory first is up to twice as fast (docs/decisions/0016-matrix-products.md has the figures). The primitive has three
forms (a @ b, a @ b.mT and a.mT @ b), because the gradients of each form are products of the other two forms.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._engine.interpreter.half import is_half
from torchlike._engine.interpreter.rules import Equation, rule
from torchlike._engine.interpreter.sums import product as numpy_product
from torchlike._engine.xla.jax_private import (
    Primitive,
    ShapedArray,
    defbilinear,
    is_symbolic,
    lower_fun,
    primitive_batchers,
    register_lowering,
)
from torchlike._ops.elementwise.float8 import wide

# Up to this many rows of the first factor, NumPy's BLAS is faster if the transposed factor comes first.
FEW_ROWS = 64
# From this many rows of the first factor, transposing the second factor is faster even in the program of a whole step.
MANY_ROWS = 256
SMALL = 1 << 16  # elements; copying a larger factor costs more than the product gains
# With fewer multiplications per matrix of a batch, XLA aborts the process if the result is in column-major order.
TINY = 256

# The contracted dim of each factor, counted from the end: 1 is the last dim.
FORMS = {"nn": (1, 2), "nt": (1, 1), "tn": (2, 2)}

product_p = Primitive("torchlike_product")


def product(a: Any, b: Any, form: str) -> Any:
    """Return `a @ b` ("nn"), `a @ b.mT` ("nt") or `a.mT @ b` ("tn") of two (batches of) matrices of one dtype."""
    precision = jax.config.jax_default_matmul_precision  # type: ignore[attr-defined]
    return product_p.bind(a, b, form=form, precision=precision)


def rows_times(x: Any, w: Any, form: str = "nn") -> Any:
    """Return `matmul(x, w)`, or `matmul(x, w.mT)` for the form "nt", for vectors and broadcast batches too."""
    x, w = wide(x), wide(w)
    if isinstance(x, np.ndarray):
        return _numpy_product(x, w, form)
    if x.ndim + w.ndim >= 3 and x.dtype == w.dtype and 0 not in x.shape:  # a vector has the gradients of a matrix
        if x.ndim == 1 and w.ndim == 2:
            return product(x[None], w, form)[0]
        if w.ndim == 1:
            return rows_times(x, w[:, None])[..., 0]
    alike = x.ndim >= 2 and w.ndim >= 2 and x.dtype == w.dtype and 0 not in x.shape
    if not alike or (w.ndim > 2 and w.shape[:-2] != x.shape[:-2]):
        return jnp.matmul(x, jnp.swapaxes(w, -1, -2) if form == "nt" and w.ndim > 1 else w)
    if w.ndim > 2:
        return product(x, w, form)
    found = product(x.reshape(-1, x.shape[-1]), w, form)
    return found.reshape(*x.shape[:-1], found.shape[-1])


def _numpy_product(x: np.ndarray, w: np.ndarray, form: str) -> np.ndarray:
    if x.dtype == np.complex64 == w.dtype:  # NumPy's single-precision sums lose digits
        return _numpy_product(x.astype(np.complex128), w.astype(np.complex128), form).astype(np.complex64)
    if form == "nt" and w.ndim == 2 and 0 < x.size <= FEW_ROWS * w.shape[1]:
        found = numpy_product(w, x.reshape(-1, x.shape[-1]).T).T
        return np.ascontiguousarray(found).reshape(*x.shape[:-1], w.shape[0])
    if w.ndim == 2 < x.ndim and x.size:  # one product; NumPy would compute one per matrix
        return numpy_product(x.reshape(-1, x.shape[-1]), w.T if form == "nt" else w).reshape(*x.shape[:-1], -1)
    if x.ndim == 1 and w.ndim > 2 and form == "nn" and w.size:
        columns = w.swapaxes(-1, -2)
        return np.matmul(columns.reshape(-1, x.size), x).reshape(columns.shape[:-1])
    return numpy_product(x, np.swapaxes(w, -1, -2) if form == "nt" and w.ndim > 1 else w)


class _Whole(threading.local):
    """A flag that is set while this thread lowers a whole step as one program (`with whole_step:`)."""

    held = False

    def __enter__(self) -> None:
        self.held = True

    def __exit__(self, *_: object) -> None:
        self.held = False


whole_step = _Whole()


def _plain(a: Any, b: Any, *, form: str, precision: Any = None) -> Any:
    batch = tuple(range(a.ndim - 2))
    of_a, of_b = (a.ndim - n for n in FORMS[form])
    return lax.dot_general(a, b, (((of_a,), (of_b,)), (batch, batch)), precision=precision)


def _laid_out(a: Any, b: Any, *, form: str, precision: Any) -> Any:
    """Return the product in the fastest layout on the CPU.

    The barriers keep XLA from merging a transpose into the product. The CPU has one precision only.
    """
    if any(map(is_symbolic, b.shape)) or (form != "nt" and any(map(is_symbolic, a.shape))):
        return _plain(a, b, form=form)
    fixed, transposed = lax.optimization_barrier, lambda x: jnp.swapaxes(x, -1, -2)
    floating = a.dtype in (jnp.float32, jnp.float64)
    vector = _vector(a, b, form) if floating and a.ndim == 2 else None
    if vector is not None:
        return _with_two_vectors(a, b, form, vector)
    has_many_rows = is_symbolic(a.shape[-2]) or a.shape[-2] >= MANY_ROWS
    turned = a.ndim == 2 and b.size <= SMALL and (has_many_rows or not whole_step.held)
    if floating and form == "nt" and turned:
        return _plain(a, fixed(transposed(b)), form="nn")
    if floating and form == "tn" and a.size <= min(b.size, SMALL):
        return _plain(fixed(transposed(a)), b, form="nn")
    if floating and form == "tn" and b.size <= SMALL and (a.ndim == 2 or _work(a, b) >= TINY):
        return transposed(fixed(_plain(fixed(transposed(b)), a, form="nn")))
    return _plain(a, b, form=form)


def _vector(a: Any, b: Any, form: str) -> int | None:
    """Return the position of the factor that is a vector, a matrix with one row or column, if the other is not."""
    rows, columns = _shape(a, b, form=form, precision=None).shape
    if (rows == 1) == (columns == 1) or 1 in (a.size, b.size):
        return None
    return 0 if rows == 1 else 1


def _with_two_vectors(a: Any, b: Any, form: str, vector: int) -> Any:
    """Return the product of a matrix and a vector, computed as one of the matrix and two vectors, one of them zero.

    XLA generates code for each product with one vector. That takes 15 to 170 ms per product, in loops too, and the code
    uses one thread. Products with two vectors call Eigen.
    """
    factors = [a, b]
    free = FORMS[form][vector] - 1  # the dim that is not contracted
    factors[vector] = jnp.pad(factors[vector], [(0, int(dim == free)) for dim in range(2)])
    return lax.slice_in_dim(_plain(*factors, form=form), 0, 1, axis=vector)


def _work(a: Any, b: Any) -> int:
    """Return the number of multiplications per matrix of a batch, in the form "tn"."""
    return a.shape[-2] * a.shape[-1] * b.shape[-1]


@rule("torchlike_product")
def _by_numpy(e: Equation) -> Any:
    form, dtype = e.params["form"], e.outputs[0].dtype
    turned = lambda x: x.swapaxes(-1, -2)

    def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return numpy_product(turned(a) if form == "tn" else a, turned(b) if form == "nt" else b)

    if not is_half(dtype):
        return multiply
    return lambda a, b: multiply(a.astype(np.float32), b.astype(np.float32)).astype(dtype)


def _shape(a: Any, b: Any, *, form: str, precision: Any) -> ShapedArray:
    of_a, of_b = FORMS[form]
    return ShapedArray((*a.shape[:-2], a.shape[of_a - 3], b.shape[of_b - 3]), a.dtype)


def _to_first(change: Any, a: Any, b: Any, *, form: str, precision: Any) -> Any:
    if form == "tn":
        return _again(b, change, "nt", precision)
    return _again(change, b, "nt" if form == "nn" else "nn", precision)


def _to_second(change: Any, a: Any, b: Any, *, form: str, precision: Any) -> Any:
    if form == "tn":
        return _again(a, change, "nn", precision)
    return _again(*((a, change) if form == "nn" else (change, a)), "tn", precision)


def _again(a: Any, b: Any, form: str, precision: Any) -> Any:
    return product_p.bind(a, b, form=form, precision=precision)


def _batched(factors: Any, dims: Any, *, form: str, precision: Any) -> tuple:
    return jax.vmap(functools.partial(_plain, form=form, precision=precision), in_axes=dims)(*factors), 0


product_p.def_impl(_plain)
product_p.def_abstract_eval(_shape)
defbilinear(product_p, _to_first, _to_second)
primitive_batchers[product_p] = _batched
register_lowering(product_p, lower_fun(_plain, multiple_results=False))
register_lowering(product_p, lower_fun(_laid_out, multiple_results=False), platform="cpu")
