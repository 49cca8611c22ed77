"""Gradients interpreted by NumPy: every operator over its samples, and the primitives where NumPy and JAX differ.

The expected results are those of XLA for the same jaxpr. Other tests compare the gradients with PyTorch's (tests/ops).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax

import torchlike
from tests.ops.row import JUDGED, SAMPLES, function
from tests.ops.sample import Fails, arguments, cotangent
from torchlike import _dtypes
from torchlike._engine import to_numpy
from torchlike._engine.interpreter import jaxpr, select
from torchlike._engine.interpreter.jaxpr import Unsupported, _sized, flatten
from torchlike._ops.schema.gradient import gradient
from torchlike._ops.schema.plan import OpPlan

pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.usefixtures("each_step_watched")]


@pytest.fixture
def each_step_watched(monkeypatch):
    """Check that every function of a program returns the shape and dtype that its equation declares."""
    plain = jaxpr._function

    def watched(eqn: Any, *rest: Any) -> Any:
        function = plain(eqn, *rest)
        due = [(v.aval.shape if not rest[0] else _sized(v.aval.shape, rest[0]), v.aval.dtype) for v in eqn.outvars]

        @functools.wraps(function)
        def run(*arrays: Any) -> Any:
            found = function(*arrays)
            each = found if len(due) > 1 else [found]
            assert all(isinstance(x, np.ndarray) for x in (*arrays, *each)), eqn
            assert [(x.shape, x.dtype) for x in each] == due, eqn
            return found

        return run

    monkeypatch.setattr(jaxpr, "_function", watched)


def interpreted(function: Any, *given: Any) -> list[np.ndarray]:
    """Return the results of a function on arrays, interpreted from its flattened jaxpr."""
    return run(jax.make_jaxpr(function)(*given), [np.asarray(x) for x in given])


def run(traced: Any, given: list[np.ndarray]) -> list[np.ndarray]:
    """Return the results of a jaxpr on arrays, and check that the arrays are not written."""
    program = flatten(traced)
    before = [x.tobytes() for x in given]
    with np.errstate(all="ignore"):
        found = program(*given)
    assert [x.tobytes() for x in given] == before
    return found


def assert_close(found: Any, due: Any, at: str = "") -> None:
    """Compare shape, dtype and values, with PyTorch's tolerance for the dtype."""
    found, due = np.asarray(found), np.asarray(due)
    assert (found.shape, found.dtype) == (due.shape, due.dtype), at
    half = due.dtype.kind == "V"
    a, b = (torch.from_numpy(np.array(x, np.float32 if half else None)) for x in (found, due))
    if half:
        a, b = a.bfloat16(), b.bfloat16()
    torch.testing.assert_close(a, b, equal_nan=True, msg=lambda text: f"{at}: {text}")


# -- every operator ----------------------------------------------------------------------------------------------------


FEW = 2  # the number of gradients tested for each name; all of them would take minutes


def gradients_of(key: str) -> Iterator[tuple[str, OpPlan, list[np.ndarray]]]:
    """Yield a description, the gradient plan and its inputs for each operator that the samples of a name record."""
    seen = set()
    for sample in SAMPLES[key]:
        if isinstance(sample, Fails) or not sample.gradient:
            continue
        for node in _nodes(_recorded(key, sample)):
            plan = node.plan
            if node.plan in seen or not isinstance(plan, OpPlan) or not any(plan.differentiable):
                continue
            seen.add(plan)
            wanted = tuple(i for i, a in enumerate(plan.inputs) if a.dtype.category >= _dtypes.FLOATING)
            given = tuple(i for i, floating in enumerate(plan.differentiable) if floating)
            cotangents = [cotangent(plan.outputs[i].shape, plan.outputs[i].dtype.numpy, i) for i in given]
            numbers = [np.asarray(x) for x in node.scalars] if plan.scalars else []
            arrays = [*map(to_numpy, node.saved), *cotangents, *numbers]
            yield f"{sample}: {plan}", gradient(plan, wanted, given), arrays


def _recorded(key: str, sample: Any) -> Any:
    leaf = lambda t: t.detach().requires_grad_() if t.is_floating_point() or t.is_complex() else t
    args, kwargs = arguments(torchlike, sample, leaf)
    return function(torchlike, key)(*args, **kwargs)


def _nodes(result: Any) -> Iterator[Any]:
    tensors = result if isinstance(result, tuple | list) else [result]
    left = [t.grad_fn for t in tensors if isinstance(t, torchlike.Tensor)]
    while left:
        node = left.pop()
        if node is not None and node.plan is not None:
            yield node
            left += [edge[0] for edge in node.edges if edge is not None]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("key", JUDGED)
def test_gradients_of_operators(key):
    functions, inputs, found, names = [], [], [], []
    for name, plan, given in itertools.islice(gradients_of(key), FEW):
        traced = jax.make_jaxpr(plan.function)(*given)
        try:
            found.append(run(traced, given))
        except Unsupported as error:
            assert str(error) == UNSUPPORTED.get(plan.op.name), name
            continue
        functions.append(jax.extend.core.jaxpr_as_fun(traced))
        inputs.append(given)
        names.append(name)
    every = lambda inputs: [f(*given) for f, given in zip(functions, inputs)]
    due = jax.jit(every, compiler_options={"xla_backend_optimization_level": 0})(inputs)
    for name, mine, theirs in zip(names, found, due):
        for a, b in zip(mine, theirs):
            assert_close(a, b, name)


# Operators with gradients that NumPy cannot interpret, each with the unsupported primitive.
UNSUPPORTED = {
    "_avg_pool2d": "reduce_window_sum",
    "_max_pool2d": "select_and_scatter_add",
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), "conv_general_dilated"),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), "conv_general_dilated"),
    **dict.fromkeys(("igamma", "igammac"), "igamma_grad_a"),
}


# -- primitives where NumPy and JAX differ -----------------------------------------------------------------------------

FLOATS = np.array(
    [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -1.5, 2.5, 0.49999997, -0.5, 3e9, -3e9, 300.7, 1e20, -1e20], np.float32
)
WHOLE = np.array([7, -7, 0, 1, -1, 100, -128, 127, 5], np.int8)
OTHERS = np.array([2, 2, 0, 0, -1, -3, -1, 7, 5], np.int8)
SHIFTS = np.array([0, 1, 7, 8, 9, -1, 1, 3, 2], np.int8)
GRID = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
INDICES = np.array([[0, 2], [-1, 3], [5, 1], [1, -4]])
EMPTY = np.zeros((0, 3), np.float32)
TIES = np.array([[3, 1, np.nan, 1, 3], [-0.0, 0.0, -1, np.inf, 0.0]], np.float32)


def _padded(*config: tuple[int, int, int]) -> Any:
    return lambda x: lax.pad(x, jnp.asarray(-1, x.dtype), config)


def _taken(mode: Any) -> Any:
    return lambda x, i: x.at[i[:, 0], :, i[:, 1]].get(mode=mode)


def _written(how: str, mode: Any) -> Any:
    def write(x: Any, i: Any) -> Any:
        new = jnp.arange(1, 1 + i.shape[0] * x.shape[1], dtype=x.dtype).reshape(i.shape[0], x.shape[1])
        return getattr(x.at[i[:, 0], :, i[:, 1]], how)(new, mode=mode)

    return write


def _windows(x: Any, i: Any, mode: Any) -> Any:
    """Gather windows of shape (1, 2, 2), whose first dim is collapsed."""
    dims = lax.GatherDimensionNumbers(offset_dims=(1, 2), collapsed_slice_dims=(0,), start_index_map=(2, 0))
    return lax.gather(x, i, dims, (1, 2, 2), mode=mode)


def _windows_added(x: Any, i: Any, mode: Any) -> Any:
    dims = lax.ScatterDimensionNumbers(
        update_window_dims=(0, 2), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(2, 0)
    )
    new = jnp.arange(16, dtype=x.dtype).reshape(2, 4, 2)
    return lax.scatter_add(x, i, new, dims, mode=mode)


def _product(dims: Any, **options: Any) -> Any:
    return lambda a, b: lax.dot_general(a, b, dims, **options)


def _looped(x: Any) -> Any:
    return lax.scan(lambda c, row: (c + jnp.tanh(row * c).sum(), (c * row, c)), jnp.ones((), x.dtype), x)


TRICKY: dict[str, tuple] = {
    "whole quotients": (lax.div, WHOLE, OTHERS),
    "whole remainders": (lax.rem, WHOLE, OTHERS),
    "remainders": (lax.rem, FLOATS, FLOATS[::-1]),
    "bytes divided": (lax.div, WHOLE.view(np.uint8), OTHERS.view(np.uint8)),
    "maxima with NaN": (lambda x, y: (lax.max(x, y), lax.min(x, y)), FLOATS, FLOATS[::-1]),
    "a clamp": (lambda x: lax.clamp(np.float32(-2), x, np.float32(2)), FLOATS),
    "signs": (lax.sign, FLOATS),
    "rounding": (lambda x: (lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), jnp.round(x)), FLOATS),
    "powers": (lambda x: [lax.integer_pow(x, y) for y in (-3, -1, 0, 1, 2, 5)], FLOATS),
    "powers of powers": (lax.pow, FLOATS, FLOATS[::-1]),
    "whole powers": (lambda x: lax.integer_pow(x, 3), WHOLE),
    "to whole numbers": (lambda x: [x.astype(t) for t in (np.int8, np.int32, np.int64, np.uint8, bool)], FLOATS),
    "whole to whole": (lambda x: [x.astype(t) for t in (np.uint8, np.int64, bool, np.float16, jnp.bfloat16)], WHOLE),
    "half precision": (lambda x: lax.reduce_sum(x.astype(np.float16) / 3, (0,)), np.ones((999, 2))),
    "shifts": (
        lambda x, n: [lax.shift_left(x, n), lax.shift_right_arithmetic(x, n), lax.shift_right_logical(x, n)],
        WHOLE,
        SHIFTS,
    ),
    "bits": (lambda x, y: [x & y, x | y, x ^ y, ~x], WHOLE, OTHERS),
    "truths": (lambda x, y: [x & y, x | y, x ^ y, ~x, jnp.sum(x), x.all(), x.any()], WHOLE > 0, OTHERS > 0),
    "complex numbers": (lambda x: [lax.complex(x, -x), abs(lax.complex(x, x)), lax.conj(x), jnp.real(1j * x)], GRID),
    "logistic": (lax.logistic, FLOATS),
    "special functions": (lambda x: [lax.erf(x), lax.erfc(x), lax.lgamma(x), lax.digamma(x)], GRID / 7 + 0.1),
    "cases": (lambda n, x: lax.select_n(n, x, -x, x * x), np.array([0, 2, 1], np.int32), GRID[0, :, 0]),
    "padding": (
        lambda x: [_padded((1, 2, 0), (0, 0, 1), (2, 0, 2))(x), _padded((-1, 0, 0), (0, -2, 0), (-2, 3, 1))(x)],
        GRID,
    ),
    "padding away": (_padded((-2, 0, 0), (1, -2, 2), (0, 0, 0)), GRID),
    "padding nothing": (_padded((1, 1, 0), (0, 1, 0)), EMPTY),
    "a turn in two dims": (lambda x: (lax.rev(x, (0, 2)), x[::2, ::-1, 1:3]), GRID),
    "reductions": (lambda x: [jnp.sum(x, (0, 2)), jnp.prod(x, 1), jnp.max(x), jnp.min(x, (1,)), jnp.mean(x)], GRID),
    "reductions of nothing": (lambda x: [jnp.sum(x, 0), jnp.prod(x, 0), jnp.max(x, 1), lax.reduce_max(x, (0,))], EMPTY),
    "whole sums": (lambda x: [lax.reduce_sum(x, (0,)), lax.cumsum(x), lax.cumprod(x, reverse=True)], WHOLE),
    "positions": (lambda x: [jnp.argmax(x, 1), jnp.argmin(x, 0), lax.argmax(x, 1, np.int32)], TIES),
    "running": (lambda x: [lax.cummax(x, 1), lax.cummin(x, 1, reverse=True), lax.cumlogsumexp(x, 1)], TIES),
    "sorted": (lambda x: [jnp.sort(x, 1), jnp.sort(x, 0), *lax.sort_key_val(x, jnp.arange(10).reshape(2, 5))], TIES),
    "sorted by two keys": (lambda x: lax.sort((x[0], -x[1], x[1]), num_keys=2), TIES),
    "the largest": (lambda x: lax.top_k(x, 3), TIES),
    "products": (_product((((2,), (1,)), ((0,), (0,)))), GRID, GRID.transpose(0, 2, 1)),
    "products of two dims": (_product((((2, 0), (1, 0)), ((), ()))), GRID, GRID.transpose(0, 2, 1)),
    "whole products": (_product((((0,), (0,)), ((), ())), preferred_element_type=np.int32), WHOLE, OTHERS),
    "products of nothing": (_product((((0,), (0,)), ((), ()))), EMPTY, EMPTY),
    "halves multiplied": (
        _product((((1,), (1,)), ((), ())), preferred_element_type=np.float32),
        GRID[0].astype(np.float16),
        GRID[1].astype(np.float16),
    ),
    **{f"picked, {m}": (_taken(m), GRID, INDICES) for m in ("fill", "clip")},
    "picked with a number": (lambda x, i: x.at[i[:, 0]].get(mode="fill", fill_value=7), GRID, INDICES),
    "whole numbers beyond": (lambda x, i: x.at[i[:, 1]].get(mode="fill"), WHOLE[:2], INDICES),
    "picked along": (lambda x, i: jnp.take_along_axis(x, i[None, :3, :1], 2), GRID, INDICES),
    "picked slices": (lambda x, i: [x[i[0, 0]], x[:, i[0, 1]], x[1, 2]], GRID, INDICES),
    **{
        f"{how}, {m}": (_written(how, m), GRID, INDICES)
        for how in ("add", "multiply", "min", "max")
        for m in ("drop", "clip")
    },
    "set": (lambda x, i: x.at[i[:2, 0], 1].set(-x[0, :2]), GRID, INDICES),
    "added rows": (lambda x, i: x.at[i[:, 1]].add(x[jnp.array([0, 1, 0, 1])]), GRID, INDICES),
    "added rows of nothing": (lambda x, i: x.at[i[:0, 1]].add(x[:0]), GRID, INDICES),
    "scattered": (jax.grad(lambda x, i: jnp.sum(x[i[:, 0], 1] ** 2)), GRID, INDICES),
    **{
        f"windows, {m}": (lambda x, i, m=m: [_windows(x, i, m), _windows_added(x, i, m)], GRID, INDICES[:, ::-1])
        for m in ("fill", "clip")
    },
    "one of each": (jax.vmap(lambda x, i: x.at[i[:, 1]].add(x[i[:, 0]])), GRID, INDICES.reshape(2, 2, 2)),
    "a slice that slides": (lambda x, i: lax.dynamic_slice(x, (i[0, 0], i[2, 0], i[3, 1]), (1, 2, 2)), GRID, INDICES),
    "a slice written": (lambda x, i: lax.dynamic_update_slice(x, -x[:1, :2], i[2, 0] + jnp.arange(3)), GRID, INDICES),
    "pieces": (lambda x: [*lax.split(x, (1, 3), 2), *jnp.stack([x, -x], 1), jnp.concatenate([x, x], 1)], GRID),
    "an order of dims": (lambda x: lax.reshape(x, (4, 6), (2, 0, 1)), GRID),
    "zero-dim arrays": (lambda x: [x, x * 2 > 3, x[None], jnp.where(x > 0, x, 1), x.astype(int)], np.float32(2.5)),
    "constants": (lambda x: [jnp.arange(3) + jnp.tri(3), jnp.zeros((2, 2)), jnp.full((3,), x)], np.float32(2)),
    "calls": (lambda x: [jax.nn.relu(x), jax.checkpoint(jnp.sin)(x), jax.nn.softmax(x), jnp.var(x, 1)], GRID),
    "the order of all floats": (
        lambda x, y: [lax.lt_to_p.bind(a, b) for a, b in ((x, y), (y, x), (x, x))],
        np.array([0.0, -0.0, np.nan, 1, -np.inf, -1, -2], np.float32),
        np.array([-0.0, 0.0, 1, np.nan, -3, -2, -1], np.float32),
    ),
    "a loop of fixed length": (_looped, GRID[0]),
    "a loop backwards, over nothing": (
        lambda x: lax.scan(lambda c, r: (c + r, r[0]), x[0], x[:0], reverse=True),
        GRID[0],
    ),
    "a loop of one result": (
        lambda x: [
            lax.scan(lambda c, r: (c * r, None), x[0], x)[0],
            lax.scan(lambda c, r: (c, r.sum()), 0.0, x, reverse=True)[1],
        ],
        GRID[0],
    ),
    "a loop's gradient": (jax.grad(lambda x: _looped(x)[1][0].sum()), GRID[0] / 24),
    "a loop that asks": (
        lambda x, n: lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * x[c[0]]), (0, x[0])),
        GRID[0],
        np.int64(2),
    ),
    "a loop of a number": (lambda x: lax.while_loop(lambda c: c < 3, lambda c: c + 1, x), np.float32(0.5)),
    "branches": (
        lambda x, n: [lax.switch(i, [jnp.sin, jnp.cos, lambda x: -x], x) for i in n],
        GRID,
        np.array([-1, 0, 1, 2, 9]),
    ),
    "branches with several results": (
        lambda x: lax.cond(x[0, 0, 0] < 1, lambda x: (x, x[0]), lambda x: (-x, x[1]), x),
        GRID,
    ),
    "transforms": (lambda x: [jnp.fft.fft(x), jnp.fft.rfft2(x), jnp.fft.irfft(jnp.fft.rfft(x), 4)], GRID),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("what", TRICKY)
def test_primitives(what):
    function, *given = TRICKY[what]
    due = jax.tree.leaves(jax.jit(function)(*given))
    for number, (a, b) in enumerate(zip(interpreted(function, *given), due, strict=True)):
        assert_close(a, b, f"result {number}")


def test_unused_equations_are_dropped():
    def function(x: Any) -> Any:
        lax.fori_loop(0, 3, lambda i, y: y * x, x)
        return x + 1

    assert len(flatten(jax.make_jaxpr(function)(1.0)).steps) == 1


def test_a_refusal_names_the_primitive():
    turn = lambda x: lax.fori_loop(0, 3, lambda i, y: jax.scipy.linalg.schur(y)[1], x)
    with pytest.raises(Unsupported, match="schur"):
        flatten(jax.make_jaxpr(turn)(np.eye(2)))


def test_loops_that_end_one_by_one_are_refused():
    double = jax.vmap(lambda x: lax.while_loop(lambda y: y < 3, lambda y: y * 2, x))
    with pytest.raises(Unsupported, match="while with a batched condition"):
        flatten(jax.make_jaxpr(double)(np.ones(2)))


def test_the_calls_of_loops_are_counted():
    flat = lambda function: flatten(jax.make_jaxpr(function)(GRID[0]))
    assert flat(lambda x: jnp.sin(x) + 1).loops == []
    # `i + 1` counts too.
    assert flat(lambda x: lax.fori_loop(0, 9, lambda i, y: jnp.sin(y) * x, x) + 1).loops == [9 * 3]
    inner = lambda y: lax.fori_loop(0, 4, lambda i, z: z * z, y)
    assert flat(lambda x: lax.fori_loop(0, 3, lambda i, y: inner(y), x)).loops == [3 * (4 * 2 + 2)]


def test_results_are_let_go_when_nothing_looks_at_them():
    program = flatten(jax.make_jaxpr(lambda x: jnp.sum(jnp.exp(x) * 2))(GRID))
    assert [len(dead) for _, _, _, dead in program.steps] == [1, 1, 1]


def test_results_are_not_the_constants_of_the_program():
    program = flatten(jax.make_jaxpr(lambda x: (jnp.arange(3), jnp.zeros((2, 2))))(GRID))
    for result in program(GRID):
        result += 5
    assert [x.tolist() for x in program(GRID)] == [[0, 1, 2], [[0, 0], [0, 0]]]


def test_symbolic_dims():
    (n,) = jax.export.symbolic_shape("n")

    def function(x: Any) -> Any:
        average = jnp.sum(x, 1, keepdims=True) / x.shape[1]
        return jnp.pad(x - average, ((0, 0), (1, 2))) * jnp.arange(x.shape[1] + 3)

    flat = jaxpr.Flat(jax.make_jaxpr(function)(jax.ShapeDtypeStruct((2, n), np.float32)))
    for size in (1, 4, 7):
        given = np.arange(2 * size, dtype=np.float32).reshape(2, size)
        assert_close(flat.program({"n": size})(given)[0], jax.jit(function)(given))


def test_selection_equals_where():
    """Check `select.where` for the arrays that its kernel takes, and for those that it leaves to NumPy."""
    x = np.random.default_rng(0).standard_normal((100, 64)).astype(np.float32)
    short = np.asarray(jnp.asarray(x, jnp.bfloat16))
    row, image = x[0], x.reshape(4, 5, 5, 64).transpose(0, 3, 1, 2)
    numbers = [1, 1.5, True, np.float32(0), np.float64(2), np.int64(3), x[:1, :1], x[0, 0, None]]
    arrays = [
        x,
        x.T.reshape(x.shape),
        x[::-1],
        x.astype(np.float64),
        x.astype(np.int64),
        x > 1,
        x.astype(np.float16),
        row,
    ]
    pairs = [(x, y) for y in (*arrays, *numbers)] + [
        (image, image + 1),
        (image, 0.0),
        (arrays[4], 2),
        (arrays[4], 2.5),
        (short, -short),
        (short, short[0, 0]),
    ]
    for a, b in [*pairs, *[(b, a) for a, b in pairs]]:
        which = (a if np.shape(a) and np.ndim(a) > 1 and np.size(a) > 64 else b) > 0
        ours, theirs = select.where(which, a, b), np.where(which, a, b)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
