"""Operators and functions over their samples, with PyTorch as the reference.

All samples of a name are recorded before the first result is read, so each test compiles one program per name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import torchlike
from tests.ops.row import JUDGED, ROWS, SAMPLES, function, method, row
from tests.ops.sample import Fails, Sample, arguments, cotangent, made_real
from tests.oracle import Outcome, assert_same

# Both libraries warn about some names and defaults. These tests compare only the results.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def good(key: str) -> list[Sample]:
    """Return the samples that succeed."""
    return [s for s in SAMPLES[key] if not isinstance(s, Fails)]


def compare(pairs: list[tuple[Sample, Any, Any]], **options: Any) -> None:
    for sample, ours, theirs in pairs:
        assert_same(ours, theirs, at=str(sample), stride=sample.stride, **sample.tolerance, **options)


def attempt(call: Callable) -> tuple[Any, Exception | None]:
    try:
        return call(), None
    except Exception as error:
        return None, error


@pytest.mark.parametrize("key", ROWS)
def test_a_row_has_samples(key):
    assert any(k.rpartition(".")[2] == key for k in SAMPLES), "no samples in tests/ops/samples"


def compare_results(key: str) -> None:
    """Compare a name's results over its samples with PyTorch's."""
    pairs = []
    for sample in good(key):
        args, kwargs = arguments(torchlike, sample)
        ours = function(torchlike, key)(*args, **kwargs)
        args, kwargs = arguments(torch, sample)
        pairs.append((sample, ours, function(torch, key)(*args, **kwargs)))
    compare(pairs)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("key", JUDGED)
def test_results(key):
    compare_results(key)


@pytest.mark.parametrize("key", [k for k in JUDGED if any(isinstance(s, Fails) for s in SAMPLES[k])])
def test_errors(key):
    for sample in SAMPLES[key]:
        if isinstance(sample, Fails):
            _, theirs = attempt(lambda: _call(torch, key, sample))  # noqa: B023
            _, ours = attempt(lambda: _call(torchlike, key, sample))  # noqa: B023
            assert theirs is not None, f"{sample}: PyTorch accepts it"
            assert ours is not None, f"{sample}: no error, not {theirs!r}"
            assert _sentence(ours) == _sentence(theirs), str(sample)


def _call(library: Any, key: str, sample: Sample) -> Any:
    args, kwargs = arguments(library, sample)
    result = function(library, key)(*args, **kwargs)
    if isinstance(result, torchlike.Tensor):
        result.tolist()
    return result


def _sentence(error: Exception) -> tuple[str, str]:
    kind, text = Outcome(error=error).sentence
    return kind, text.partition("\n")[0]


# -- gradients ---------------------------------------------------------------------------------------------------------


@pytest.mark.one_in(5)
@pytest.mark.parametrize("key", JUDGED)
def test_gradients(key):
    samples = [s for s in good(key) if s.gradient]
    ours, theirs = _Backward(torchlike, key, samples), _Backward(torch, key, samples)
    for sample, mine, due in zip(samples, ours.results, theirs.results):
        assert [r.requires_grad for r in mine] == [r.requires_grad for r in due], str(sample)
    for sample, inputs, mine, due in zip(samples, ours.inputs, ours.gradients(), theirs.gradients()):
        assert len(mine) == len(due)
        for number, (a, b) in enumerate(zip(mine, due)):
            at = f"{sample}, gradient of tensor {number}"
            assert (a is None) == (b is None), f"{at}: {a}, not {b}"
            if a is not None:
                assert_same(a, b, at=at, stride=False, grad=False, **sample.tolerance)
        del inputs


@pytest.mark.one_in(5)
@pytest.mark.slow
@pytest.mark.parametrize("key", JUDGED)
def test_second_gradients(key):
    samples = [s for s in good(key) if s.gradient and s.second_gradient and not _half(s) and _judged_twice(key, s)]
    ours, theirs = _Backward(torchlike, key, samples), _Backward(torch, key, samples)
    for sample, mine, due in zip(samples, ours.second_gradients(), theirs.second_gradients()):
        for number, (a, b) in enumerate(zip(mine, due)):
            at = f"{sample}, second gradient of tensor {number}"
            if a is None or b is None:  # the gradient does not depend on this input: None or zeros
                assert all(x is None or not x.any() for x in (a, b)), at
            else:
                # At the ends of domains, PyTorch's gradient is often NaN although a finite gradient exists. Elements
                # that are not finite in PyTorch are not compared.
                b = b.resolve_conj().numpy(force=True)
                there = np.isfinite(b)
                a, b = np.where(there, a.numpy(), 0), np.where(there, b, 0)
                close = sample.tolerance or {"rtol": 1e-4, "atol": 1e-4}
                np.testing.assert_allclose(a, b, **close, err_msg=at)


def _judged_twice(key: str, sample: Sample) -> bool:
    """Return whether PyTorch can compute a second derivative of this call."""
    return attempt(lambda: _Backward(torch, key, [sample]).second_gradients())[1] is None


def _half(sample: Sample) -> bool:
    """Return whether a sample contains half-precision numbers, whose rounding depends on the gradient's formula."""
    return any(isinstance(a, np.ndarray) and a.dtype.itemsize == 2 and a.dtype.kind in "fV" for a in sample.args)


class _Backward:
    """The gradients of all samples of a name, computed by one call of `autograd.grad`."""

    def __init__(self, library: Any, key: str, samples: list[Sample]) -> None:
        self.library, self.inputs, self.results = library, [], []
        for sample in samples:
            leaves: list = []

            def leaf(t: Any, leaves: list = leaves) -> Any:
                if t.is_floating_point() or t.is_complex():
                    t = t.detach().requires_grad_()
                    leaves.append(t)
                return t

            args, kwargs = arguments(library, sample, leaf)
            result = function(library, key)(*args, **kwargs)
            self.inputs.append(leaves)
            self.results.append(tensors(result))

    def gradients(self) -> list[list]:
        """Return the gradients of the results, each weighted by a fixed cotangent."""
        return self._of(self.results)

    def second_gradients(self) -> list[list]:
        """Return the gradients of the gradients."""
        first = self._of(self.results, create_graph=True)
        return self._of([[g for g in grads if g is not None] for grads in first])

    def _of(self, found: list[list], **options: Any) -> list[list]:
        roots, weights = [], []
        for results in found:
            for number, r in enumerate(results):
                if r.requires_grad:
                    kind = np.dtype(str(r.dtype).removeprefix("torch.").replace("bfloat16", "float32"))
                    weight = made_real(self.library, cotangent(tuple(r.shape), kind, number)).to(r.dtype)
                    roots.append(r)
                    weights.append(weight)
        if not roots:
            return [[None] * len(leaves) for leaves in self.inputs]
        flat = [t for leaves in self.inputs for t in leaves]
        grads = iter(self.library.autograd.grad(roots, flat, weights, allow_unused=True, **options))
        return [[next(grads) for _ in leaves] for leaves in self.inputs]


# PyTorch composes these functions of several operators, and the result has the node of the last one. In torchlike, each
# function is a single operator or a composition of different operators.
COMPOSED = (
    "Tensor.sum_to_size",
    "block_diag",
    "cdist",
    "chain_matmul",
    "cholesky",
    "combinations",
    "cov",
    "cumulative_trapezoid",
    "einsum",
    "fft.fft",
    "fft.ifft",
    "fft.ihfft",
    "fft.ihfft2",
    "fft.ihfftn",
    "fill",
    "gru",
    "inner",
    "kron",
    "linalg.cond",
    "linalg.lu",
    "linalg.matrix_norm",
    "linalg.multi_dot",
    "linalg.norm",
    "linalg.solve",
    "linalg.solve_ex",
    "linalg.vecdot",
    "lstm",
    "lstm_cell",
    "matmul",
    "narrow_copy",
    "nn.functional.dropout1d",
    "nn.functional.rrelu",
    "nn.functional.scaled_dot_product_attention",
    "repeat_interleave",
    "rnn_relu",
    "rnn_relu_cell",
    "rnn_tanh",
    "rnn_tanh_cell",
    "rot90",
    "special.ndtr",
    "trapezoid",
    "triangular_solve",
    "vander",
)
MINE = [k for k in JUDGED if k not in COMPOSED]


def _names(node: Any) -> tuple[str, ...]:
    """Return the name of a node, that of its class, and its `repr` without the address."""
    return () if node is None else (node.name(), str(type(node)), repr(node).partition(" at ")[0])


@pytest.mark.parametrize("key", MINE)
def test_names_of_nodes(key):
    for sample in [s for s in good(key) if s.gradient]:
        ours, theirs = (_Backward(library, key, [sample]).results[0] for library in (torchlike, torch))
        seen, due = ([_names(r.grad_fn) for r in results] for results in (ours, theirs))
        assert seen == due, str(sample)


def tensors(result: Any) -> list:
    """Return the tensors in a result, which may be a nested tuple."""
    if isinstance(result, torch.Tensor | torchlike.Tensor):
        return [result]
    return [t for x in result for t in tensors(x)] if isinstance(result, tuple | list) else []


# -- methods, in-place variants and out= -------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [k for k in JUDGED if callable(method(torch, k))])
def test_the_method_is_the_function(key):
    assert method(torchlike, key) is not None
    pairs = []
    for sample in good(key)[:2]:
        args, kwargs = arguments(torch, sample)
        if not args or not isinstance(args[0], torch.Tensor):
            continue
        theirs, refused = attempt(lambda: method(torch, key)(*args, **kwargs))  # noqa: B023
        if refused is None:
            args, kwargs = arguments(torchlike, sample)
            pairs.append((sample, method(torchlike, key)(*args, **kwargs), theirs))
    compare(pairs)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("key", [k for k in JUDGED if "." not in k])
def test_the_in_place_twin(key):
    name = key + "_"
    assert hasattr(torchlike.Tensor, name) == hasattr(torch.Tensor, name), f"Tensor.{name}"
    if not hasattr(torch.Tensor, name):
        return
    pairs = []
    for sample in [s for s in good(key) if s.in_place]:
        theirs, refused = attempt(lambda: _in_place(torch, name, sample))  # noqa: B023
        ours, ours_refused = attempt(lambda: _in_place(torchlike, name, sample))  # noqa: B023
        if refused is None and ours_refused is not None:
            raise ours_refused
        assert (ours_refused is None) == (refused is None), f"{sample}: {ours_refused!r}, not {refused!r}"
        if refused is not None:
            assert _sentence(ours_refused) == _sentence(refused), str(sample)
        elif theirs is not None:
            pairs.append((sample, ours, theirs))
    compare(pairs)


def _in_place(library: Any, name: str, sample: Sample) -> Any:
    args, kwargs = arguments(library, sample)
    if not args or not isinstance(args[0], library.Tensor):
        return None
    target, *rest = args
    result = getattr(target, name)(*rest, **kwargs)
    assert result is target
    return target


@pytest.mark.parametrize("key", [k for k in JUDGED if row(k) is not None and "nn." not in k])
def test_out(key):
    pairs = []
    for sample in good(key)[:2]:
        theirs, refused = attempt(lambda: _into(torch, key, sample))  # noqa: B023
        if refused is None:  # some overloads of a PyTorch function have no out=
            pairs.append((sample, _into(torchlike, key, sample), theirs))
    compare(pairs)


def _into(library: Any, key: str, sample: Sample) -> Any:
    args, kwargs = arguments(library, sample)
    result = function(library, key)(*args, **kwargs)
    made = tuple(library.zeros(tuple(t.shape), dtype=t.dtype) for t in tensors(result))
    out = made if isinstance(result, tuple) else made[0]
    written = function(library, key)(*args, **kwargs, out=out)
    assert all(a is b for a, b in zip(tensors(written), made))
    return made
