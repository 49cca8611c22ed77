"""The C kernels: their results equal those of PyTorch and of the NumPy formulas, and they refuse invalid buffers."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import both
from torchlike import _native
from torchlike._ops.nn import depthwise, windows
from torchlike._ops.reduce import row_sums

ODD = [-np.inf, np.inf, np.nan, 0.0, -0.0, 1e-40, -1e-40, 1e38, -1e38, -5.4, -5.6, 5.6, 104.0, -88.0]
COLUMNS = [*range(1, 71), 127, 1000, 4096]


def numbers(*shape: int, scale: float = 3.0) -> np.ndarray:
    return (np.random.default_rng(sum(shape)).normal(size=shape) * scale).astype(np.float32)


def compare(ours: np.ndarray, theirs: torch.Tensor, atol: float = 1e-7, rtol: float = 1e-6) -> None:
    torch.testing.assert_close(torch.from_numpy(ours), theirs.float(), atol=atol, rtol=rtol, equal_nan=True)


def test_the_extension_is_there_wherever_a_compiler_is():
    names = "rows convolutions same switch numbers memory normals pages"
    there = all(getattr(_native, name) is not None for name in names.split())
    assert there or not (shutil.which("cc") or shutil.which("gcc")), "`pip install -e .` compiles them"


# -- compared with PyTorch, where PyTorch has the function -------------------------------------------------------------


@pytest.fixture(params=["C", "NumPy"])
def maker(request, monkeypatch):
    """Run a test with the compiled kernels, and with the NumPy formulas instead."""
    monkeypatch.setattr(_native, "is_there", request.param == "C" and _native.is_there)
    with torchlike.set_executor("numpy"):
        yield


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 100_003])
def test_gelu(maker, count):
    x = numbers(count)
    ours = torchlike.nn.functional.gelu(torchlike.from_numpy(x)).numpy()
    compare(ours, torch.nn.functional.gelu(torch.from_numpy(x).double()), atol=1e-6)


@pytest.mark.parametrize("name", ["silu", "hardswish"])
@pytest.mark.parametrize("count", [0, 1, 16, 17, 100_003])
def test_other_activations(maker, name, count):
    x = np.concatenate([numbers(count, scale=20.0), np.float32([*ODD, 3, -3, np.nextafter(np.float32(3), 0)])])
    ours = getattr(torchlike.nn.functional, name)(torchlike.from_numpy(x)).numpy()
    compare(ours, getattr(torch.nn.functional, name)(torch.from_numpy(x)))


@pytest.mark.parametrize("name", ["gelu", "silu", "hardswish"])
def test_activations_in_other_memory_orders(maker, name):
    x = numbers(2, 5, 3, 4)
    images = [x, x.transpose(0, 3, 1, 2), x.transpose(3, 1, 0, 2), x[:, ::2], x[..., :3], x[:, :, :1], x[:0]]
    for image in images:
        ours = getattr(torchlike.nn.functional, name)(torchlike.from_numpy(image)).numpy()
        compare(ours, getattr(torch.nn.functional, name)(torch.from_numpy(image)), atol=1e-6)


@pytest.mark.parametrize("channels", [1, 15, 33])
@pytest.mark.parametrize("affine", [True, False])
def test_batch_norm_of_running_statistics(maker, channels, affine):
    mean, var, weight, bias = numbers(4, channels)
    given = [mean, var**2, *((weight, bias) if affine else (None, None))]
    last = numbers(2, 5, 3, channels)
    for image in (
        last.transpose(0, 3, 1, 2),
        np.ascontiguousarray(last.transpose(0, 3, 1, 2)),
        last[0, 0, :0],
        last[0, 0],
    ):
        ours, theirs = (
            L.nn.functional.batch_norm(L.from_numpy(image), *[g if g is None else L.from_numpy(g) for g in given])
            for L in (torchlike, torch)
        )
        compare(ours.numpy(), theirs, atol=1e-5, rtol=1e-5)  # x - mean is rounded


@pytest.mark.parametrize("columns", COLUMNS)
def test_softmax(maker, columns):
    x = numbers(3, columns, scale=20.0)
    ours = torchlike.softmax(torchlike.from_numpy(x), -1).numpy()
    compare(ours, torch.softmax(torch.from_numpy(x).double(), -1), rtol=1e-5)  # x - maximum is rounded


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("with_weight, with_bias", [(False, False), (True, False), (False, True), (True, True)])
def test_layer_norm(maker, columns, with_weight, with_bias):
    x, weight, bias = numbers(3, columns) + 10, numbers(columns), numbers(columns + 1)[1:]

    def program(library, cast):
        given = [None if not used else cast(w) for w, used in ((weight, with_weight), (bias, with_bias))]
        return library.nn.functional.layer_norm(cast(x), (columns,), *given)

    ours = program(torchlike, torchlike.from_numpy).numpy()
    # The subtraction of a mean of 10 loses a digit.
    compare(ours, program(torch, lambda a: torch.from_numpy(a).double()), atol=3e-5)


@pytest.mark.parametrize("columns", [0, 1, 15, 16, 17, 33, 4096])
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 5)])
def test_bias(maker, columns, shape):
    x, weight, bias = numbers(*shape, 4), numbers(columns, 4), numbers(columns)

    def program(library, cast):
        return library.nn.functional.linear(*map(cast, (x, weight, bias)))

    ours = program(torchlike, torchlike.from_numpy).numpy()
    # the terms of the sum are up to 50
    compare(ours, program(torch, lambda a: torch.from_numpy(a).double()), atol=1e-5)


@pytest.mark.parametrize("bias", [torch.ones(1), torch.ones(6)[::2], torch.ones(3, dtype=torch.float64)])
def test_a_bias_that_is_no_plain_row(maker, bias):
    def program(L):
        x, weight, row = L.arange(8.0).view(2, 4), L.arange(12.0).view(3, 4), L.from_numpy(bias.numpy())
        return L.nn.functional.linear(x.to(row.dtype), weight.to(row.dtype), row)

    both(program)


SUMS = {
    "sum": lambda L, x, dim: x.sum(dim),
    "mean": lambda L, x, dim: x.mean(dim, keepdim=True),
    "mse_loss": lambda L, x, dim: L.nn.functional.mse_loss(x, x * 3),
    "l1_loss": lambda L, x, dim: L.nn.functional.l1_loss(x, x * 3, reduction="sum"),
}
SHAPES = [(n,) for n in (1, 3, 4, 7, 8, 31, 33, 63, 257, 1000, 20_000)]
SHAPES += [(rows, columns) for rows in (1, 2, 5, 17, 100, 600) for columns in (1, 2, 6, 7, 9, 31, 33, 70)]
SHAPES += [(2, 5, 3), (3, 40, 12), (4, 1, 9), (0, 3), (3, 0)]


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_sums(maker, name, shape):
    """The sums in C have PyTorch's bits, where PyTorch adds eight numbers at once."""
    x, is_exact = numbers(*shape), _native.is_there and "AVX" in torch.backends.cpu.get_cpu_capability()
    for dim in [None, *range(len(shape)), *[(0, 1), (1, 2), (0, 2)][: 3 if len(shape) == 3 else 0]]:
        ours = SUMS[name](torchlike, torchlike.from_numpy(x), dim).numpy()
        theirs = SUMS[name](torch, torch.from_numpy(x), dim)
        compare(ours, theirs, atol=1e-3)
        if is_exact and dim != (0, 2):
            np.testing.assert_array_equal(ours, theirs.numpy())


def _attention(L, q, is_causal, mask=None):
    return L.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=mask, is_causal=is_causal)


@pytest.mark.parametrize("length", [1, 2, 15, 16, 17, 33, 70])
@pytest.mark.parametrize("is_causal", [False, True])
def test_attention(maker, length, is_causal):
    q = numbers(2, 3, length, 8)
    ours = _attention(torchlike, torchlike.from_numpy(q), is_causal).numpy()
    compare(ours, _attention(torch, torch.from_numpy(q).double(), is_causal), atol=1e-5)


def _wide(L):
    q, k = L.arange(60.0).sin().view(1, 3, 20), L.arange(160.0).cos().view(1, 8, 20)
    return L.nn.functional.scaled_dot_product_attention(q, k, k, is_causal=True)


def _tall(L):
    q, k = L.arange(160.0).sin().view(1, 8, 20), L.arange(60.0).cos().view(1, 3, 20)
    return L.nn.functional.scaled_dot_product_attention(q, k, k, is_causal=True)


def _masked(L):
    mask = (L.arange(72).view(8, 9) * 7 % 5 > 1).logical_and(L.arange(8)[:, None] != 2)  # row 2 attends to nothing
    q, k = L.arange(32.0).sin().view(1, 8, 4), L.arange(36.0).cos().view(1, 9, 4)
    given = mask, L.where(mask, L.tensor(0.5), L.tensor(-float("inf")))
    return [L.nn.functional.scaled_dot_product_attention(q, k, k, attn_mask=m) for m in given]


def _odd_softmax(L):
    rows = [[1.0, float(n)] + [0.5] * rest for n in ODD for rest in (0, 14, 30)]
    return [L.softmax(L.tensor(row), -1) for row in [*rows, [-float("inf")] * 20]]


def _turned(L):
    x = L.arange(120.0).sin().view(10, 12).t()
    return L.softmax(x, -1), L.nn.functional.gelu(x), L.nn.functional.layer_norm(x, (10,))


def _of_two_dims(L):
    return L.nn.functional.layer_norm(L.arange(120.0).sin().view(2, 3, 20), (3, 20), eps=0.1)


@pytest.mark.parametrize("program", [_wide, _tall, _masked, _odd_softmax, _turned, _of_two_dims])
def test_programs_with_native_kernels_equal_pytorchs(maker, program):
    both(program)


def test_gelu_of_odd_numbers_is_that_of_xla(maker):  # PyTorch's result at infinity depends on its build
    x = torchlike.tensor(ODD)
    ours = torchlike.nn.functional.gelu(x).numpy()
    with torchlike.set_executor("xla"):
        theirs = torchlike.nn.functional.gelu(x).numpy()
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


# -- the kernels themselves --------------------------------------------------------------------------------------------


@pytest.fixture
def rows():
    """Return the C extension. Without a compiler it is None, and the tests that use it check nothing."""
    return _native.rows


def test_masked_scores_are_not_read(rows):
    x = np.where(np.tri(40, dtype=bool), numbers(3, 40, 40), np.float32(np.nan))
    if rows:
        weights = row_sums.attention_weights(x.copy(), True)
        compare(weights, torch.softmax(torch.from_numpy(np.where(np.isnan(x), -np.inf, x)).double(), -1), rtol=1e-5)
        assert not np.triu(weights, 1).any()


def test_in_place(rows):
    x = numbers(5, 37)
    if rows:
        expected = [row_sums.softmax(x), row_sums.activated(x, "gelu")]
        rows.softmax(a := x.copy(), a, 37, 0, False)
        rows.gelu(b := x.copy(), b)
        np.testing.assert_array_equal(np.stack([a, b]), np.stack(expected))


def test_statistics(rows):
    x = numbers(7, 50) + 1000
    if rows:
        _, mean, squares = row_sums.standardize(x, 50, 1e-5, None, None)
        wide = x.astype(np.float64)
        np.testing.assert_allclose(mean, wide.mean(-1), rtol=1e-6)
        np.testing.assert_allclose(squares, wide.var(-1) * 50, rtol=1e-4)


WINDOWS = [
    # images, sizes, channels, kernel, strides, padding, dilations
    (2, (7, 9), 45, (3, 2), (2, 1), ((1, 2), (0, 1)), (1, 2)),
    (1, (8,), 3, (4,), (3,), ((2, 0),), (1,)),
    (3, (5, 5), 32, (5, 5), (1, 1), ((2, 2), (2, 2)), (1, 1)),
    (2, (6, 1), 1, (1, 1), (4, 1), ((0, 0), (0, 3)), (1, 1)),
]


@pytest.mark.parametrize("case", WINDOWS)
def test_windows_and_depthwise_convolutions(case, monkeypatch):
    """Compare the kernels in C with NumPy's code, which replaces them without a compiler."""
    images, sizes, channels, kernel, stride, pads, dilation = case
    x, w = numbers(images, *sizes, channels), numbers(*kernel, channels)
    found = []
    for module in (_native.convolutions, None):
        monkeypatch.setattr(_native, "convolutions", module)
        columns = windows.gathered(x, kernel, stride, pads, dilation)
        found.append((columns, depthwise.alone(windows.padded(x, pads), w, stride, dilation)))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-5, atol=1e-5)


HERE = np.zeros((4, 6), np.float32)
FIXED = HERE.copy()
FIXED.flags.writeable = False
WRONG = {
    "other dtype": lambda rows: rows.gelu(HERE.astype(np.float64), HERE),
    "other bytes": lambda rows: rows.gelu(HERE.view(np.int32), HERE),
    "no rows of memory": lambda rows: rows.gelu(HERE.T, HERE),
    "other size": lambda rows: rows.gelu(HERE, HERE[:3]),
    "not writable": lambda rows: rows.gelu(HERE, FIXED),
    "a fixed sum": lambda rows: rows.add(FIXED, HERE[0]),
    "a row that does not fit": lambda rows: rows.add(HERE, HERE[0, :5]),
    "a row of none": lambda rows: rows.add(HERE, HERE[0, :0]),
    "no silu": lambda rows: rows.silu(HERE, FIXED),
    "no hardswish": lambda rows: rows.hardswish(HERE, HERE[0]),
    "other terms": lambda rows: rows.scale(HERE, HERE[0], HERE[0, :5], HERE.copy()),
    "other factors": lambda rows: rows.scale(HERE, HERE[0, :5], HERE[0, :5], HERE.copy()),
    "a fixed scale": lambda rows: rows.scale(HERE, HERE[0], HERE[0], FIXED),
    "no whole rows": lambda rows: rows.softmax(HERE, HERE, 5, 0, False),
    "no columns": lambda rows: rows.softmax(HERE, HERE, 0, 0, False),
    "no whole matrices": lambda rows: rows.softmax(HERE, HERE, 6, 3, False),
    "negative": lambda rows: rows.softmax(HERE, HERE, 6, -1, False),
    "too few means": lambda rows: rows.standardize(HERE, HERE, HERE[0, :3], HERE[0, :4], 6, 1e-5, None, None),
    "too many squares": lambda rows: rows.standardize(HERE, HERE, HERE[0, :4], HERE[0, :5], 6, 1e-5, None, None),
    "short weight": lambda rows: rows.standardize(HERE, HERE, HERE[0, :4], HERE[0, :4], 6, 1e-5, HERE[0, :5], None),
    "selected bytes": lambda rows: rows.select(HERE > 0, HERE.astype(np.float16), HERE, HERE.copy()),
    "a mask of other size": lambda rows: rows.select(HERE[:2] > 0, HERE, HERE, HERE.copy()),
    "two elements for all": lambda rows: rows.select(HERE > 0, HERE[0, :2], HERE, HERE.copy()),
    "a fixed selection": lambda rows: rows.select(HERE > 0, HERE, HERE, FIXED),
    "windows beyond the input": lambda _: _native.convolutions.convolve(
        HERE, HERE[0, :3], HERE, (1, 4, 6, 4, 6, 1, 3, 1, 1, 1, 1, 1)
    ),
    "no channels": lambda _: _native.convolutions.convolve(HERE, HERE, HERE, (1, 4, 6, 4, 6, 0, 1, 1, 1, 1, 1, 1)),
    "too few results": lambda _: _native.convolutions.convolve(
        HERE, HERE[0, :1], HERE[0], (1, 4, 6, 4, 6, 1, 1, 1, 1, 1, 1, 1)
    ),
    "negative padding": lambda _: _native.convolutions.gather(
        HERE, HERE.copy(), (1, 4, 6, 4, 6, 1, 1, 1, 1, 1, 1, 1, -1, 0)
    ),
    "too few columns": lambda _: _native.convolutions.gather(HERE, HERE[0], (1, 4, 6, 4, 6, 1, 1, 1, 1, 1, 1, 1, 0, 0)),
    "words of another size": lambda _: _native.normals.fill(
        np.zeros(16, np.uint64), np.zeros(16, np.float32), 0.0, 1.0
    ),
    "no whole block": lambda _: _native.normals.fill(np.zeros(24, np.uint32), np.zeros(24, np.float32), 0.0, 1.0),
    "whole numbers": lambda _: _native.normals.fill(np.zeros(16, np.uint32), np.zeros(16, np.int32), 0.0, 1.0),
    "long bias": lambda rows: rows.standardize(HERE, HERE, HERE[0, :4], HERE[0, :4], 6, 1e-5, None, HERE),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG)
def test_wrong_arguments_raise(rows, call):
    if rows:
        with pytest.raises(ValueError):
            call(rows)


def test_arguments_are_counted(rows):
    if rows:
        functions = [f for module in (rows, _native.convolutions) for f in vars(module).values() if callable(f)]
        assert len(functions) == 11
        for function in functions:
            with pytest.raises(TypeError, match="argument"):
                function(HERE)
