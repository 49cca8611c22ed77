"""Attention of long sequences, whose scores are computed by blocks."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import torchlike
from tests.nn import attention_cases
from tests.oracle import both
from torchlike._ops.nn.attention import _attention, _flash_attention
from torchlike._ops.nn.attention_blockwise import BLOCK
from torchlike._ops.nn.attention_forms import LONG, attention_without_scores, fits


# The gradients are sums of 500 terms. PyTorch rounds the exponentials of half precision with a fast approximation.
@pytest.mark.one_in(5)
@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("seed", range(24))
def test_random_calls(seed, executor):
    run = attention_cases.program(seed, attention_cases.LONG)
    half = run.__doc__.startswith("bfloat16")
    with torchlike.set_executor(executor):
        both(run, stride=False, rtol=2e-2 if half else 1e-5, atol=1e-2 if half else 5e-5)


@pytest.mark.parametrize("heads", [(4, 4), (6, 2)])
@pytest.mark.parametrize("length", [1, 520, 1100])
def test_causal_attention_of_other_lengths(length, heads):
    def run(torch):
        shapes = (heads[0], length, 8), (heads[1], 600, 8), (heads[1], 600, 8)
        q, k, v = (torch.randn(2, *shape, requires_grad=True) for shape in shapes)
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return out, *torch.autograd.grad(out.sin().sum(), (q, k, v))

    both(run, stride=False, rtol=1e-5, atol=5e-5)


@pytest.mark.parametrize("dropout", [0.0, 0.5])
@pytest.mark.parametrize("name", ["query", "key", "value", "mask", "result"])
def test_a_tensor_that_is_overwritten_before_backward(name, dropout):
    def run(torch):
        leaf = torch.randn(1, 1, LONG // 256, 4, requires_grad=True)
        made = {"query": leaf * 1, "key": torch.randn(1, 1, 256, 4), "value": torch.randn(1, 1, 256, 4)}
        made["mask"] = torch.randn(LONG // 256, 256)
        made["result"] = torch.nn.functional.scaled_dot_product_attention(*made.values(), dropout_p=dropout)
        total = made["result"].sum()
        made[name].add_(1)
        return torch.autograd.grad(total, leaf)

    both(run, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_forward_mode(executor):
    def run(torch):
        forward = torch.autograd.forward_ad
        q, k, v = (torch.randn(2, 520, 4) for _ in range(3))
        with forward.dual_level():
            dual = forward.make_dual(q, k)
            return forward.unpack_dual(torch.nn.functional.scaled_dot_product_attention(dual, k, v)).tangent

    with torchlike.set_executor(executor):
        both(run, stride=False, rtol=1e-5, atol=1e-5)


def test_a_compiled_training_step():
    def run(torch):
        layer = torch.nn.MultiheadAttention(8, 2, batch_first=True)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        x = torch.randn(2, 520, 8)

        def step(x):
            optimizer.zero_grad()
            loss = (layer(x, x, x, need_weights=False)[0] - x).square().mean()
            loss.backward()
            optimizer.step()
            return loss

        compiled = step if torch is not torchlike else torchlike.compile(step)
        return [compiled(x).item() for _ in range(5)], [*layer.parameters()]

    both(run, rtol=1e-4, atol=1e-6)


def test_which_calls_run_by_blocks():
    shapes = (2, 3, LONG // 256, 4), (2, 3, 256, 4), (2, 3, 256, 4)
    assert fits(*shapes, None, False)
    assert fits(*shapes, (3, 1, 256), False)
    assert not fits(*shapes, (2, 2, 3, 1, 256), False)  # a mask with more dims than the scores
    assert not fits((0, *shapes[0][1:]), *shapes[1:], None, False)
    assert not fits((3, *shapes[0][1:]), *shapes[1:], (1, 1), False)  # batches that do not broadcast
    assert fits((2, 6, LONG, 4), *shapes[1:], (6, 1, 1), True)

    def operator(length):
        q, k = torchlike.ones(1, length, 4, requires_grad=True), torchlike.ones(1, 256, 4)
        out = torchlike.nn.functional.scaled_dot_product_attention(q, k, k)
        return out._edge[0].plan.name

    assert [operator(length) for length in (LONG // 256 - 1, LONG // 256)] == ["_attention", "_flash_attention"]


# -- the operator with small blocks, compared with the operator that has all scores ------------------------------------

SIZES = {
    "plain": ((2, 3, 9, 5), (2, 3, 11, 5), (2, 3, 11, 6)),
    "grouped": ((2, 4, 9, 5), (2, 2, 11, 5), (2, 2, 11, 6)),
    "matrices": ((8, 5), (8, 5), (8, 5)),
    "broadcast": ((2, 1, 9, 5), (1, 3, 7, 5), (3, 7, 6)),
}
MASKS = ("none", "causal", "each", "heads", "batches", "rows", "columns", "bool", "empty row")
DTYPES = {"float64": 1e-13, "float32": 1e-5, "float16": 4e-3}


def _case(sizes: str, mask: str, dtype: str, seed: int = 0):
    """Return the arrays (query, key, value, a mask or None), the factors of dropout, and the options."""
    random = np.random.default_rng(seed)
    q, k, v = SIZES[sizes]
    grouped = sizes == "grouped"
    lead = q[:-2] if grouped else np.broadcast_shapes(q[:-2], k[:-2], v[:-2])
    rows, columns = q[-2], k[-2]
    whole = (*lead, rows, columns)
    shapes = {"heads": whole[-3:], "rows": (rows, 1), "columns": (1, columns), "bool": (rows, columns)}
    shapes["batches"] = (*whole[:1], *[1] * (len(whole) - 3), rows, columns) if len(whole) > 2 else whole
    given: Any = None
    if mask not in ("none", "causal"):
        given = random.normal(size=shapes.get(mask, whole)).astype(dtype)
        given = given > 0 if mask == "bool" else given
    if mask == "empty row":
        given[..., 2, :] = -np.inf
    noise = (random.random(whole) > 0.3).astype(dtype) * 1.5 if seed % 2 else None
    arrays = [random.normal(size=shape).astype(dtype) for shape in (q, k, v)]
    options = {"enable_gqa": grouped, "is_causal": mask == "causal"}
    return [x if x is None else jnp.asarray(x) for x in (*arrays, given)], noise, options


def _two(sizes: str, mask: str, dtype: str, seed: int = 0, block: int = 4):
    """Return the arrays that have gradients, and the functions of them with small blocks and with all scores."""
    arrays, noise, options = _case(sizes, mask, dtype, seed)
    count = 4 if arrays[3] is not None and arrays[3].dtype != bool else 3
    fixed = *arrays[count:], noise
    blocks = lambda *some: _flash_attention.kernel(*some, *fixed, **options, block=block)
    scores = lambda *some: _attention.kernel(*some, *fixed, **options)
    return arrays[:count], blocks, scores


def _same(ours, due, tolerance=1e-12):
    for x, y in zip(jax.tree.leaves(ours), jax.tree.leaves(due), strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(np.asarray(x, "float64"), np.asarray(y, "float64"), tolerance, tolerance)


def _slope(function: Any, count: int) -> Any:
    total = lambda *some: jnp.sum(jnp.sin(function(*some)))
    return jax.grad(total, range(count))


CASES = [(sizes, mask) for sizes in SIZES for mask in MASKS]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("case", range(len(CASES)), ids=lambda i: "-".join(CASES[i]))
def test_blocks_give_the_numbers_of_all_scores(case):
    dtype = [*DTYPES][case % len(DTYPES)]
    arrays, blocks, scores = _two(CASES[case][0], CASES[case][1], dtype, seed=case)  # every other case has dropout
    results = lambda function: lambda *some: (function(*some), _slope(function, len(arrays))(*some))
    _same(jax.jit(results(blocks))(*arrays), jax.jit(results(scores))(*arrays), DTYPES[dtype])


def _gradient_of_gradient(function: Any, count: int) -> Any:
    slopes = _slope(function, count)
    total = lambda *some: sum(jnp.sum(x * jnp.cos(y)) for x, y in zip(slopes(*some), some))
    return jax.grad(total, range(count))


def _mapped(function: Any, axes: Any) -> Any:
    return jax.vmap(function, in_axes=axes)


def _directions(some):
    return tuple(jnp.cos(x) for x in some)


TRANSFORMS = {
    "jvp": lambda f, some: jax.jvp(f, some, _directions(some)),
    "second": lambda f, some: _gradient_of_gradient(f, len(some))(*some),
    "forward over reverse": lambda f, some: jax.jvp(_slope(f, len(some)), some, _directions(some)),
    "reverse over forward": lambda f, some: jax.grad(
        lambda x: jnp.sum(jax.jvp(f, (x, *some[1:]), _directions(some))[1])
    )(some[0]),
    "vmap": lambda f, some: _mapped(f, 0)(*[jnp.stack([x, -x]) for x in some]),
    "vmap of grad": lambda f, some: _mapped(_slope(f, len(some)), 0)(*[jnp.stack([x, -x]) for x in some]),
    "grad of vmap": lambda f, some: _slope(_mapped(f, [0, None] * (len(some) // 2)), len(some))(
        *[x if i % 2 else jnp.stack([x, -x, 2 * x]) for i, x in enumerate(some)]
    ),
    "grad of two vmaps": lambda f, some: _slope(_mapped(_mapped(f, [0, None, 0, None]), [None, 0, 0, None]), 4)(
        *[jnp.stack([x, 2 * x]) for x in some[:2]], jnp.stack([jnp.stack([some[2]] * 2)] * 2), some[3]
    ),
    "checkpoint": lambda f, some: _slope(jax.checkpoint(f), len(some))(*some),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_transforms(transform):
    arrays, blocks, scores = _two("grouped", "batches", "float64")
    ours, due = (jax.jit(lambda *some, f=f: TRANSFORMS[transform](f, some))(*arrays) for f in (blocks, scores))
    _same(ours, due)


@pytest.mark.parametrize("scale", [None, 0.7])
def test_numpy_computes_a_few_rows_at_a_time(scale, monkeypatch):
    monkeypatch.setattr("torchlike._ops.nn.attention_forms.PART", 150)
    for sizes in SIZES:
        for mask in MASKS:
            arrays, noise, options = _case(sizes, mask, "float64", 1)
            given = *[x if x is None else np.asarray(x) for x in arrays], noise
            factor = None if scale is None else np.float64(scale)
            _same(*[op.kernel(*given, **options, scale=factor) for op in (_flash_attention, _attention)])


def test_factors_of_dropout_are_drawn_by_the_block():
    arrays, _, options = _case("grouped", "none", "float32")
    lead, rows, columns = (2, 4), 9, 11

    def draw(state, index):  # any function of a state and the number of a score
        return ((index * np.uint32(2654435761) + state[0]) >> np.uint32(31)).astype("float32") * 2

    state = jnp.asarray([7], "uint32")
    noise = draw(state, jnp.arange(np.prod(lead) * rows * columns, dtype="uint32")).reshape(*lead, rows, columns)
    assert 0.3 < float(jnp.mean(noise)) / 2 < 0.7
    whole = lambda q, k, v: _attention.kernel(q, k, v, None, noise, **options)
    blocks = lambda q, k, v: attention_without_scores(
        q, k, v, None, state, False, None, True, False, block=4, draw=draw
    )
    for function in (lambda f: f, lambda f: _slope(f, 3)):
        _same(function(blocks)(*arrays[:3]), function(whole)(*arrays[:3]), 1e-5)


# -- memory ------------------------------------------------------------------------------------------------------------


def _temporaries(kernel, length, **options) -> int:
    def run(*some):
        return kernel(*some, **options), _slope(lambda *x: kernel(*x, **options), 3)(*some)

    arrays = [jax.ShapeDtypeStruct((1, 8, length, 64), "float32")] * 3
    found: Any = jax.jit(run).lower(*arrays).compile().memory_analysis()
    return found.temp_size_in_bytes


@pytest.mark.parametrize("causal", [False, True])
def test_memory_of_long_sequences(causal):
    ours = _temporaries(_flash_attention.kernel, 4096, is_causal=causal)
    assert ours < 0.05 * _temporaries(_attention.kernel, 4096, is_causal=causal)
    scores = 8 * 4096 * 4096 * 4
    assert ours < 0.15 * scores
    assert _temporaries(_flash_attention.kernel, 8192, is_causal=causal) < 2.5 * ours
    assert BLOCK == 512
