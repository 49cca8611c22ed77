"""Size-generic programs: each result equals that of a trace at the actual size, or the actual size is traced."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import torchlike
from tests.ops.sample import normal
from torchlike import _dtypes
from torchlike._engine.interpreter.jaxpr import Unsupported, flatten
from torchlike._engine.interpreter.symbolic_sizes import AnySize, _pattern
from torchlike._ops.schema.gradient import gradient
from torchlike._ops.schema.interpreted import gradient_program
from torchlike._ops.schema.plan import OpPlan


class Counted:
    """The size-generic programs of a function of one input, with a count of its traces."""

    def __init__(self, function: Any) -> None:
        self.function, self.traces, self.family = function, [], AnySize()

    def trace(self, shapes: Any) -> Any:
        self.traces.append(shapes)
        return jax.make_jaxpr(self.function)(jax.ShapeDtypeStruct(shapes[0], np.float32))

    def check(self, *shape: int) -> None:
        given = normal(*shape)
        with np.errstate(all="ignore"):
            (found,) = self.family.program((shape,), self.trace)(given)
        due = np.asarray(jax.jit(self.function)(given))
        assert (found.shape, found.dtype) == (due.shape, due.dtype)
        np.testing.assert_allclose(found, due, 1e-5, 1e-6)


def test_the_third_size_is_not_traced():
    """The third size reuses the size-generic trace.

    The hash tables of JAX's caches occasionally compare a symbolic size with a cached size, because a few bits of the
    hashes are equal. This cannot be distinguished from a comparison in the function, so one more size is traced.
    """
    counts = []
    for _ in range(8):
        softmax = Counted(lambda x: jax.nn.softmax(x - jnp.mean(x, 0) + jnp.arange(x.shape[1])))
        for n in (5, 7, 6, 11, 2):
            softmax.check(3, n)
        counts.append(len(softmax.traces))
    assert min(counts) == 2 and sorted(counts)[4] <= 4


def test_a_trace_keeps_no_variables_of_the_caller_alive():
    family = Counted(lambda x: jax.nn.softmax(x - jnp.mean(x, 0)))

    class Variable:
        pass

    def caller() -> weakref.ref:
        variable = Variable()
        for n in (5, 7):
            family.check(3, n)
        return weakref.ref(variable)

    gc.disable()
    try:
        assert caller()() is None
    finally:
        gc.enable()
    assert len(family.traces) == 2


def test_one_is_another_formula():
    squeezed = Counted(lambda x: x[:, 0] if x.shape[1] == 1 else x[:, 1])
    for n in (5, 7, 6, 1, 8):
        squeezed.check(2, n)


def _routed(rows: jax.Array, index: jax.Array) -> jax.Array:
    return jnp.cumsum(rows, 0)[index] * rows.shape[0]


def _traces_of_routed() -> int:
    """Return the number of traces for batches of 6 sizes, from which rows are gathered in 7 numbers."""
    traces, family = [], AnySize()

    def trace(shapes: Any) -> Any:
        traces.append(shapes)
        kinds = jax.ShapeDtypeStruct(shapes[0], np.float32), jax.ShapeDtypeStruct(shapes[1], np.int32)
        return jax.make_jaxpr(_routed)(*kinds)

    for rows in (52, 56, 48, 16, 44, 32):
        for count in (10, 1, 7, 16, 4, 1, 16, 12, 9):
            x, i = normal(rows, 16), np.arange(count, dtype=np.int32) % rows
            (found,) = family.program((x.shape, i.shape), trace)(x, i)
            np.testing.assert_allclose(found, np.cumsum(x, 0)[i] * rows, 1e-4, 1e-4)
    return len(traces)


def test_sizes_of_one_and_equal_sizes_use_up_no_attempts():
    """A few patterns serve 42 sets of shapes, although some sizes are 1 or equal to another size."""
    assert sorted(_traces_of_routed() for _ in range(3))[1] <= 20


def test_strides_of_even_and_odd_sizes():
    """A cotangent with the strided size has a pattern for even sizes and one for odd sizes."""
    traces, family = [], AnySize()

    def halved(x: jax.Array, y: jax.Array) -> jax.Array:
        return x[::2] * y

    def trace(shapes: Any) -> Any:
        traces.append(shapes)
        return jax.make_jaxpr(halved)(*[jax.ShapeDtypeStruct(shape, np.float32) for shape in shapes])

    for n in (9, 12, 15, 20, 11, 14, 17, 22, *range(23, 60)):
        x, y = normal(n), normal((n + 1) // 2)
        (found,) = family.program((x.shape, y.shape), trace)(x, y)
        np.testing.assert_array_equal(found, x[::2] * y)
    assert len(traces) <= 20


def test_dims_that_are_equal_by_chance_are_traced():
    square = Counted(lambda x: x.T * 2 if x.shape[0] == x.shape[1] else x)
    for n in (5, 7, 3, 4, 9, 3):
        square.check(3, n)
    assert ((3, 3),) in square.traces


@pytest.mark.parametrize("sizes", [(5, 7, 6, 5, 8), (7, 6, 8, 5), (7, 5, 6, 5)])
def test_a_size_with_a_formula_of_its_own_is_traced(sizes):
    odd = Counted(lambda x: x * 2 if x.shape[0] + 1 in (6, 60) else x)
    for n in sizes:
        odd.check(n)


def test_a_branch_on_a_symbolic_size_is_traced_for_each_size():
    large = Counted(lambda x: x * 2 if x.shape[0] > 6 else x)
    for n in (5, 7, 6, 5, 8):
        large.check(n)


def test_ranks_and_sizes_at_once():
    mean = Counted(lambda x: x / x.size)
    for shape in ((5,), (7,), (4, 6), (4, 8), (5, 8), (6, 9), (7, 14), (8, 17), (9,)):
        mean.check(*shape)


def test_a_refusal_is_remembered():
    values = Counted(lambda x: jax.scipy.linalg.schur(x[:, None] * x))
    for n in (2, 3, 4):
        with pytest.raises(Unsupported, match="schur"):
            values.family.program(((n,),), values.trace)
    assert len(values.traces) == 1


@pytest.mark.parametrize("steps", ["of that size", "until it is done"])
def test_loops_have_any_size(steps):
    def function(x):
        if steps == "of that size":
            return lax.fori_loop(0, x.shape[0], lambda i, y: lax.dynamic_update_index_in_dim(y, y[i] * 2, i, 0), x)
        return lax.while_loop(lambda y: jnp.sum(y) < 100, lambda y: y * 2 + 1, x)

    loop = Counted(function)
    for n in (2, 3, 4, 5, 9):
        loop.check(n)
    assert loop.family._patterns


@pytest.mark.parametrize(
    ("first", "second", "dims"),
    [
        (((4, 5), (5,)), ((4, 7), (7,)), ["4", "n0", "n0"]),
        (((3, 5), (15,)), ((3, 7), (21,)), ["3", "n0", "3 n0"]),
        (((5,), (6,)), ((9,), (10,)), ["n0", "n0 + 1"]),
        (((5, 8),), ((9, 11),), ["n0", "n1"]),
        (((9, 5),), ((13, 7),), ["2 n0 + -1", "n0"]),
        (((11, 5),), ((25, 12),), ["2 n0 + 1", "n0"]),
        (((30, 5),), ((34, 7),), ["n1", "n0"]),
    ],
)
def test_forms(first, second, dims):
    pattern = _pattern(first, second)
    assert pattern is not None
    shown = [f"{d.offset}" if not d.name else f"{d.factor} {d.name} + {d.offset}" for d in pattern.dims]
    assert [x.removeprefix("1 ").removesuffix(" + 0") for x in shown] == dims


# -- gradients of operators --------------------------------------------------------------------------------------------


def _grown(n: int) -> list[Any]:
    x = torchlike.from_numpy(normal(2, n, 12)).requires_grad_()
    table = torchlike.from_numpy(normal(9, 12)).requires_grad_()
    heads = x.view(2, n, 3, 4).transpose(1, 2)
    return [
        torchlike.nn.functional.linear(x, table, torchlike.ones(9, requires_grad=True)),
        torchlike.nn.functional.layer_norm(x, (12,), torchlike.ones(12, requires_grad=True)),
        torchlike.nn.functional.gelu(x),
        torchlike.nn.functional.scaled_dot_product_attention(heads, heads, heads, is_causal=True),
        torchlike.nn.functional.embedding(torchlike.arange(2 * n).reshape(2, n) % 9, table),
        torchlike.nn.functional.cross_entropy(x.reshape(2 * n, 12), torchlike.arange(2 * n) % 12),
        x.reshape(-1, 6),
        x[:, 1:],
        x.sum(1),
        x.expand(5, 2, n, 12),
        torchlike.cat([x, x[:, :1]], 1),
        x.softmax(1),
        x.mean(),
        x.max(1)[0],
        x.std(1),
        x.cumsum(1),
        x.flip(1),
        x @ x.mT,
        x.mT.contiguous(),
        x * x[:, :1] + 2,
    ]


def test_gradients_of_operators():
    plans: dict[str, list[OpPlan]] = {}
    for n in (7, 10, 8, 5):
        for number, result in enumerate(_grown(n)):
            plans.setdefault(f"{number} {result.grad_fn.name()}", []).append(result.grad_fn.plan)
    for name, sizes in plans.items():
        for plan in sizes:
            wanted = tuple(i for i, a in enumerate(plan.inputs) if a.dtype.category >= _dtypes.FLOATING)
            given = tuple(i for i, floating in enumerate(plan.differentiable) if floating)
            made = gradient(plan, wanted, given)
            arrays = [
                normal(*a.shape, dtype=np.float32, seed=i).astype(a.dtype.numpy) for i, a in enumerate(made.inputs)
            ]
            arrays += [np.asarray(0.5) for _ in plan.scalars]
            with np.errstate(all="ignore"):
                found = gradient_program(plan, wanted, given)(*arrays)
                due = flatten(jax.make_jaxpr(made.function)(*arrays))(*arrays)
            for a, b in zip(found, due, strict=True):
                assert (a.shape, a.dtype) == (b.shape, b.dtype), name
                np.testing.assert_allclose(a, b, 1e-5, 1e-5, err_msg=name)
