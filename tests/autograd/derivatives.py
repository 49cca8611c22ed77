"""First, second and third derivatives of every operator, by `gradcheck` in float64 over the operators' samples.

One command checks all of them, prints what failed and exits with 1 if anything did:

    python -m tests.autograd.derivatives                  # everything
    python -m tests.autograd.derivatives --shard 0/4      # a quarter
    python -m tests.autograd.derivatives mul conv2d       # some
    python -m tests.autograd.derivatives --table          # everything, and docs/derivatives.md written anew

A sample becomes one function from its tensors and from weights of its results to three numbers: the weighted sum of
the results; that sum's gradient in a fixed direction; and again the gradient of this. `gradcheck` compares each with
its own gradient, so the third derivative with differences of the second. `test_derivatives.py` runs a few in the gate.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

if __name__ == "__main__":
    # The formulas are checked here, not what XLA makes of them: compiling takes a tenth of the time without its passes.
    os.environ.setdefault(
        "XLA_FLAGS",
        "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
        " --xla_cpu_use_fusion_emitters=false",
    )

import numpy as np
from tqdm import tqdm

import torchlike
from tests.autograd import derivatives_table
from tests.ops.row import JUDGED, SAMPLES, function
from tests.ops.sample import Fails, Sample, arguments
from torchlike.autograd import gradcheck

ORDERS = (1, 2, 3)
MOST_SAMPLES = 2  # of each operator; the third derivative is checked at the first
MOST_NUMBERS = 400  # of a sample's tensors
CLOSE = {"fast_mode": True, "atol": 1e-5, "rtol": 1e-4, "check_undefined_grad": False}

# Their input is taken to be symmetric, so it is made so.
SYMMETRIC = ("cholesky", "linalg.cholesky", "linalg.cholesky_ex", "linalg.eigh", "linalg.eigvalsh")
NO_FORWARD_MODE = ("rnn", "lstm", "gru")  # their scan has a gradient of its own


@dataclass
class Found:
    """What came of an operator."""

    zero: dict[int, bool] = field(default_factory=dict)  # for each order that was checked, whether it is zero
    wrong: dict[int, list[str]] = field(default_factory=dict)
    kinks: bool = False  # whether samples were passed over for a kink

    def word(self, order: int) -> str:
        """The order's entry in the table."""
        if order in self.wrong:
            return "wrong"
        if order in self.zero:
            return "zero" if self.zero[order] else "passed"
        return "kink" if self.kinks else "none"

    def lines(self) -> list[str]:
        """Everything that is wrong."""
        return [line for lines in self.wrong.values() for line in lines]


def check(key: str, orders: Sequence[int] = ORDERS) -> Found:
    """Check an operator at its first samples where it has a gradient and no kink."""
    found = Found()
    for number, (sample, f, leaves) in enumerate(islice(_functions(key, found), MOST_SAMPLES)):
        asked = [order for order in orders if order < 3 or number == 0]
        forward = not any(name in key for name in NO_FORWARD_MODE)
        for order, error in wrong_orders(f, leaves, asked, forward).items():
            found.wrong.setdefault(order, []).append(f"{key}, order {order}, {sample}: {error}")
        line = _Line(f, leaves)
        for order in asked:
            found.zero[order] = line.is_zero(order) and found.zero.get(order, True)
    return found


# -- samples -----------------------------------------------------------------------------------------------------------


def _functions(key: str, found: Found) -> Iterator[tuple[Sample, Callable, list]]:
    """The samples as functions and where to look at them: first as they are; then those with a kink, moved a little."""
    kinks = []
    for sample in _samples(key):
        f, leaves = _as_function(key, sample)
        if not f(*leaves):
            continue
        if _Line(f, leaves).is_smooth():
            yield sample, f, leaves
        else:
            kinks.append(sample)
    for sample in kinks:
        found.kinks = True
        f, leaves = _as_function(key, Sample(*_moved(list(sample.args)), **_moved(sample.kwargs)))
        with suppress(RuntimeError, ValueError):  # the operator may refuse the numbers
            if _Line(f, leaves).is_smooth():
                yield sample, f, leaves


def _samples(key: str) -> list[Sample]:
    good = [s for s in SAMPLES[key] if not isinstance(s, Fails) and _is_plain(s)]
    # Where several numbers tie, many operators have a kink; where tests leave the gradient out, there is a reason.
    ties = lambda s: any(np.unique(a).size != a.size for a in _arrays([s.args, s.kwargs]))
    return sorted(good, key=lambda s: (not s.gradient, ties(s)))


def _moved(x: Any) -> Any:
    """The same with all floating numbers moved a little, each by another distance."""
    if isinstance(x, dict):
        return {k: _moved(v) for k, v in x.items()}
    if isinstance(x, list | tuple):
        return type(x)([_moved(y) for y in x])
    if isinstance(x, np.ndarray) and x.dtype.kind in "fc":
        return (x + np.random.default_rng(x.size).uniform(-0.03, 0.03, x.shape)).astype(x.dtype)
    return x


def _is_plain(sample: Sample) -> bool:
    """Finite numbers, few, and some of them floating: at the edges of the range, differences say nothing."""
    arrays = list(_arrays([sample.args, sample.kwargs]))
    inexact = [a for a in arrays if a.dtype.kind in "fc" and a.dtype.itemsize > 2]
    half = any(a.dtype.kind == "V" or (a.dtype.kind == "f" and a.dtype.itemsize == 2) for a in arrays)
    return (
        bool(inexact)
        and not half
        and sum(a.size for a in inexact) <= MOST_NUMBERS
        and all(np.isfinite(a).all() for a in inexact)
    )


def _arrays(x: Any) -> Iterator[np.ndarray]:
    if isinstance(x, np.ndarray):
        yield x
    elif isinstance(x, dict):
        yield from _arrays(list(x.values()))
    elif isinstance(x, list | tuple):
        for each in x:
            yield from _arrays(each)


def _exactly(x: Any) -> Any:
    """The sample's arrays in double precision."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "fc":
        return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64, order="K")
    if isinstance(x, list | tuple):
        return type(x)([_exactly(y) for y in x])
    return np.float64 if x is np.float32 else np.complex128 if x is np.complex64 else x


def _as_function(key: str, sample: Sample) -> tuple[Callable, list]:
    """The sample as a function of its floating tensors to its results that have a gradient; and those tensors."""
    exact = Sample(*_exactly(list(sample.args)), **{k: _exactly(v) for k, v in sample.kwargs.items()})
    leaves: list = []

    def leaf(t: Any) -> Any:
        if not (t.is_floating_point() or t.is_complex()):
            return t
        leaves.append(t.detach().clone().requires_grad_())
        return _Place

    args, kwargs = arguments(torchlike, exact, leaf)
    call = function(torchlike, key)

    def f(*inputs: Any) -> tuple:
        rest = iter(inputs)
        torchlike.manual_seed(0)
        if key in SYMMETRIC:
            rest = iter([(x + x.mH) / 2 for x in rest])
        result = call(*_filled(args, rest), **{k: _filled(v, rest) for k, v in kwargs.items()})
        exact = (torchlike.float64, torchlike.complex128)
        return tuple(o for o in _flat(result) if o.dtype in exact and o.requires_grad)

    return f, leaves


class _Place:
    """Where a floating tensor stood among the arguments."""


def _filled(x: Any, tensors: Iterator[Any]) -> Any:
    if x is _Place:
        return next(tensors)
    return type(x)([_filled(y, tensors) for y in x]) if isinstance(x, list | tuple) else x


def _flat(result: Any) -> list:
    if isinstance(result, torchlike.Tensor):
        return [result]
    return [t for part in result for t in _flat(part)] if isinstance(result, list | tuple) else []


# -- derivatives -------------------------------------------------------------------------------------------------------


def wrong_orders(f: Callable, leaves: list, orders: Sequence[int], forward: bool = True) -> dict[int, str]:
    """The orders whose derivatives of `f` are wrong, and how. First derivatives are checked in forward mode too."""
    if not orders:
        return {}
    whole = _error(f, leaves, orders, forward)
    if whole is None:
        return {}
    apart = {order: _error(f, leaves, [order], forward) for order in orders}
    return {order: error for order, error in apart.items() if error is not None} or {max(orders): whole}


def _error(f: Callable, leaves: list, orders: Sequence[int], forward: bool) -> str | None:
    try:
        inputs = (*leaves, *_weights(f(*leaves)))
        gradcheck(lambda *at: [_sums(f, at, len(leaves), max(orders))[n - 1] for n in orders], inputs, **CLOSE)
        if 1 in orders and forward:
            gradcheck(f, tuple(leaves), check_forward_ad=True, check_backward_ad=False, **CLOSE)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:500]}"
    return None


def _weights(outputs: Sequence) -> list:
    """Fixed weights for all numbers of the outputs, those of a complex one being its real and imaginary parts."""
    random = np.random.default_rng(1)
    shapes = [(*o.shape, 2) if o.is_complex() else tuple(o.shape) for o in outputs]
    return [torchlike.tensor(random.uniform(-1, 1, shape), requires_grad=True) for shape in shapes]


def _sums(f: Callable, at: Sequence, count: int, most: int) -> list:
    """The weighted sum of what `f` gives, its derivative in a fixed direction, the derivative of that, ..."""
    random, inputs, weights = np.random.default_rng(2), at[:count], at[count:]
    # What does not depend on an input in the graph must not depend on it in truth: so each sum depends on all.
    nothing = sum(((_real(x) * 0).sum() for x in at), torchlike.zeros((), dtype=torchlike.float64))
    sums = [_weighted(f(*inputs), weights) + nothing]
    while len(sums) < most:
        found = torchlike.autograd.grad(sums[-1], at, create_graph=True)
        directions = [torchlike.tensor(random.uniform(-1, 1, tuple(_real(x).shape))) for x in at]
        sums.append(_weighted(found, directions) + nothing)
    for s in sums:
        if not np.isfinite(s.item()):
            raise ArithmeticError(f"a derivative is {s.item()}")
    return sums


def _weighted(tensors: Sequence, weights: Sequence) -> Any:
    return sum((_real(t) * w).sum() for t, w in zip(tensors, weights))


def _real(x: Any) -> Any:
    return torchlike.view_as_real(x.resolve_conj()) if x.is_complex() else x


class _Line:
    """The weighted sum of what a function gives, along a line through the sample."""

    def __init__(self, f: Callable, leaves: list) -> None:
        random = np.random.default_rng(3)
        self.f, self.weights = f, _weights(f(*leaves))
        self.at = [x.detach().cpu().numpy() for x in leaves]
        self.along = [random.uniform(-1, 1, (*x.shape, 2)) @ (1, 1j if x.dtype.kind == "c" else 0) for x in self.at]

    def value(self, t: float) -> float:
        """The sum at a distance from the sample."""
        moved = [torchlike.tensor(x + t * d, requires_grad=True) for x, d in zip(self.at, self.along)]
        return float(_weighted(self.f(*moved), self.weights).item())

    def is_smooth(self) -> bool:
        """Whether the function has a value here and the same slope on both sides."""
        here, h = self.value(0.0), 2e-6
        slopes = (here - self.value(-h)) / h, (self.value(h) - here) / h
        return abs(slopes[0] - slopes[1]) <= 1e-3 * (1 + abs(slopes[0]))

    def is_zero(self, order: int) -> bool:
        """Whether a derivative along the line is zero, by differences."""
        value, h = self.value, 2e-3
        if order == 1:
            found = (value(h) - value(-h)) / (2 * h)
        elif order == 2:
            found = (value(h) - 2 * value(0.0) + value(-h)) / h**2
        else:
            found = (value(2 * h) - 2 * value(h) + 2 * value(-h) - value(-2 * h)) / (2 * h**3)
        return abs(found) < 1e-6 * (1 + abs(value(0.0)))


# -- the command -------------------------------------------------------------------------------------------------------


def main(words: list[str]) -> int:
    """Check what the command line asks for; returns the process's exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="keys of tests/ops/samples; default: all")
    parser.add_argument("--shard", default="0/1", help="i/n: the i-th of n parts")
    parser.add_argument("--orders", default="123", help="the orders to check")
    parser.add_argument("--table", action="store_true", help="write what was found into docs/derivatives.md")
    asked = parser.parse_args(words)
    part, parts = (int(n) for n in asked.shard.split("/"))
    orders = [int(o) for o in asked.orders]
    unknown = [key for key in asked.names if key not in SAMPLES]
    if unknown:
        parser.error(f"no samples of {', '.join(unknown)}")
    names = asked.names or [key for key in JUDGED if zlib.crc32(key.encode()) % parts == part]
    warnings.simplefilter("ignore")
    found: dict[str, Found] = {}
    bar = tqdm(names, unit="operator")
    for number, key in enumerate(bar):
        bar.set_postfix_str(key)
        found[key] = check(key, orders)
        for line in found[key].lines():
            tqdm.write(line)
        if number % 40 == 39:
            torchlike._core.run.forget_programs()
    wrong = [key for key in names if found[key].wrong]
    tqdm.write(f"{len(wrong)} of {len(names)} operators have wrong derivatives: {' '.join(wrong) or 'none'}")
    if asked.table:
        derivatives_table.write({key: [found[key].word(order) for order in ORDERS] for key in names})
        tqdm.write(derivatives_table.count())
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
