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
from tests.ops.sample import Fails, Sample, made_real
from torchlike.autograd import gradcheck

ORDERS = (1, 2, 3)
MOST_SAMPLES = 3  # of each operator
FEW_NUMBERS, MOST_NUMBERS = 400, 10_000  # of a sample's tensors
STEPS = {1: 1e-5, 2: 1e-4, 3: 2e-3}  # of differences that only tell zero from other numbers
CLOSE = {"fast_mode": True, "atol": 1e-5, "rtol": 1e-4, "check_undefined_grad": False}

# Their input is taken to be symmetric, so it is made so.
SYMMETRIC = ("cholesky", "linalg.cholesky", "linalg.cholesky_ex", "linalg.eigh", "linalg.eigvalsh")
# The options with which PyTorch defines a gradient that is not the derivative (of a pseudoinverse, where it cuts).
ANOTHER_GRADIENT = ("padding_idx", "scale_grad_by_freq", "rcond")
# Arguments on which the result depends, and that have no gradient: kept between calls, or refused by PyTorch (here a
# shape of incomplete gamma functions has a first one, which tests/distributions checks); or whose gradient is that of
# what they are taken to come from, a log_softmax.
KEPT = {"nn.functional.ctc_loss": (0,), "nn.functional.batch_norm": (1, 2), "igamma": (0,), "igammac": (0,),
        "special.gammainc": (0,), "special.gammaincc": (0,)}  # fmt: skip


@dataclass
class Found:
    """What came of an operator."""

    zero: dict[int, bool] = field(default_factory=dict)  # for each order that was checked, whether it is zero
    wrong: dict[int, list[str]] = field(default_factory=dict)
    missed: bool = False  # whether samples with a gradient were passed over

    def word(self, order: int) -> str:
        """The order's entry in the table."""
        if order in self.wrong:
            return "wrong"
        if order in self.zero:
            return "zero" if self.zero[order] else "passed"
        return "unchecked" if self.missed else "none"

    def lines(self) -> list[str]:
        """Everything that is wrong."""
        return [line for lines in self.wrong.values() for line in lines]


def check(key: str, orders: Sequence[int] = ORDERS) -> Found:
    """Check an operator at its first samples where it has a gradient and no kink."""
    found = Found()
    try:
        _check(key, orders, found)
    except Exception as error:
        found.wrong.setdefault(orders[0], []).append(f"{key}: {type(error).__name__}: {str(error)[:500]}")
    return found


def _check(key: str, orders: Sequence[int], found: Found) -> None:
    for sample, line in islice(_lines(key, found), MOST_SAMPLES):
        for order, error in _wrong_orders(line, orders).items():
            found.wrong.setdefault(order, []).append(f"{key}, order {order}, {sample}: {error}")
        zero = False
        for order in sorted(orders):
            zero = zero or line.is_zero(order)
            found.zero[order] = zero and found.zero.get(order, True)


# -- samples -----------------------------------------------------------------------------------------------------------


def _lines(key: str, found: Found) -> Iterator[tuple[Sample, _Line]]:
    """Where to look at the operator: first the samples as they are; then those with a kink or without a value, moved a
    little."""
    kinks = []
    for sample in _samples(key):
        try:
            line = _Line(*_as_function(key, sample))
        except RuntimeError as error:
            if not str(error).endswith("got Double"):
                raise
            found.missed = True  # it takes no double precision, where alone differences tell
            return
        if not line.weights:
            continue
        found.missed = True
        if line.is_smooth():
            yield sample, line
        else:
            kinks.append(sample)
    for sample in kinks:
        with suppress(RuntimeError, ValueError):  # the operator may refuse the numbers
            line = _Line(*_as_function(key, Sample(*_moved(list(sample.args)), **_moved(sample.kwargs))))
            if line.is_smooth():
                yield sample, line


def _samples(key: str) -> list[Sample]:
    good = [s for s in SAMPLES[key] if not isinstance(s, Fails) and _size(s) <= MOST_NUMBERS]
    good = [s for s in good if not set(s.kwargs) & set(ANOTHER_GRADIENT) and not _is_half(s)]
    # Small ones are quicker; where several numbers tie, many operators have a kink; where tests leave the gradient
    # out, there is a reason.
    return sorted(good, key=lambda s: (not s.gradient, _ties(s), _size(s) > FEW_NUMBERS))


def _moved(x: Any) -> Any:
    """The same with all floating numbers moved a little, each by another distance."""
    if isinstance(x, dict):
        return {k: _moved(v) for k, v in x.items()}
    if isinstance(x, list | tuple):
        return type(x)([_moved(y) for y in x])
    if isinstance(x, np.ndarray) and x.dtype.kind in "fc" and not _is_label(x):
        x = np.nan_to_num(x, nan=0.5, posinf=1.5, neginf=-1.5)
        return (x + np.random.default_rng(x.size).uniform(-0.03, 0.03, x.shape)).astype(x.dtype)
    return x


def _is_half(sample: Sample) -> bool:
    return any(a.dtype.kind in "fV" and a.dtype.itemsize == 2 for a in _arrays([sample.args, sample.kwargs]))


def _is_label(a: np.ndarray) -> bool:
    """Whether the numbers are the signs 1 and -1, which stand for two classes."""
    return set(np.unique(a).tolist()) == {-1, 1}


def _ties(sample: Sample) -> bool:
    return any(np.unique(a).size != a.size for a in _arrays([sample.args, sample.kwargs]))


def _size(sample: Sample) -> int:
    return sum(a.size for a in _arrays([sample.args, sample.kwargs]))


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
        if not (t.is_floating_point() or t.is_complex()) or _is_label(t.numpy()):
            return t
        leaves.append(t.detach().clone().requires_grad_())
        return _Place

    each = lambda place: (lambda t: t) if place in KEPT.get(key, ()) else leaf
    args = [made_real(torchlike, a, each(place)) for place, a in enumerate(exact.args)]
    kwargs = {k: made_real(torchlike, a, leaf) for k, a in exact.kwargs.items()}
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


def _wrong_orders(line: _Line, orders: Sequence[int]) -> dict[int, str]:
    """The orders whose derivatives are wrong, and how. First derivatives are checked in forward mode too."""
    whole = _error(line, orders)
    if whole is None:
        return {}
    apart = {order: _error(line, [order]) for order in orders}
    return {order: error for order, error in apart.items() if error is not None} or {max(orders): whole}


def _error(line: _Line, orders: Sequence[int]) -> str | None:
    f, leaves = line.f, line.leaves
    try:
        sums = lambda *at: [_sums(f, at, len(leaves), max(orders))[n - 1] for n in orders]
        gradcheck(sums, (*leaves, *line.weights), **CLOSE)
        if 1 in orders:
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
    sums = [_weighted(f(*inputs), weights)]
    while len(sums) < most:
        found = torchlike.autograd.grad(sums[-1], at, create_graph=True, allow_unused=True)
        directions = [torchlike.tensor(random.uniform(-1, 1, tuple(_real(x).shape))) for x in at]
        sums.append(_weighted(found, directions))
        if not sums[-1].requires_grad:  # that it does not depend on anything is to be checked too
            sums[-1] = sums[-1] + sum((_real(x) * 0).sum() for x in at)
    for s in sums:
        if not np.isfinite(s.item()):
            raise ArithmeticError(f"a derivative is {s.item()}")
    return sums


def _weighted(tensors: Sequence, weights: Sequence) -> Any:
    return sum((_real(t) * w).sum() for t, w in zip(tensors, weights) if t is not None)


def _real(x: Any) -> Any:
    return torchlike.view_as_real(x.resolve_conj()) if x.is_complex() else x


class _Line:
    """The weighted sum of what a function gives, along lines through the sample."""

    def __init__(self, f: Callable, leaves: list) -> None:
        self.f, self.leaves, self.weights = f, leaves, _weights(f(*leaves))
        self.random = np.random.default_rng(3)
        self.at = [x.detach().cpu().numpy() for x in leaves]
        self.turn()

    def turn(self) -> None:
        """Take another direction."""
        draw = lambda x: self.random.uniform(-1, 1, (*x.shape, 2)) @ (1, 1j if x.dtype.kind == "c" else 0)
        self.along = [draw(x) for x in self.at]

    def value(self, t: float) -> float:
        """The sum at a distance from the sample."""
        moved = [torchlike.tensor(x + t * d, requires_grad=True) for x, d in zip(self.at, self.along)]
        return float(_weighted(self.f(*moved), self.weights).item())

    def is_smooth(self) -> bool:
        """Whether the function has a value here, and one slope and curvature on both sides and near by."""
        if not all(np.isfinite(x).all() for x in self.at):
            return False
        here, h, bend = self.value(0.0), 2e-6, 1e-5
        try:
            left, right, near = [(self.value(t) - here) / t for t in (-h, h, h / 8)]
            before, after = [(self.value(2 * t) - 2 * self.value(t) + here) / bend**2 for t in (-bend, bend)]
        except (RuntimeError, ValueError):  # the sample lies where the function ends
            return False
        straight = max(abs(left - right), abs(near - right)) <= 1e-3 * (1 + abs(right))
        return straight and abs(before - after) <= 1e-3 * (1 + abs(after) + abs(here))

    def is_zero(self, order: int) -> bool:
        """Whether a derivative is zero, by differences along a few lines: one may cross a kink."""
        for _ in range(4):
            if abs(self._derivative(order)) < 1e-6 * (1 + abs(self.value(0.0))):
                return True
            self.turn()
        return False

    def _derivative(self, order: int) -> float:
        value, h = self.value, STEPS[order]
        if order == 1:
            return (value(h) - value(-h)) / (2 * h)
        if order == 2:
            return (value(h) - 2 * value(0.0) + value(-h)) / h**2
        return (value(2 * h) - 2 * value(h) + 2 * value(-h) - value(-2 * h)) / (2 * h**3)


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
    if asked.table and asked.orders != "123":
        parser.error("the table is of all orders")
    unknown = [key for key in asked.names if key not in SAMPLES]
    if unknown:
        parser.error(f"no samples of {', '.join(unknown)}")
    names = asked.names or [key for key in JUDGED if zlib.crc32(key.encode()) % parts == part]
    warnings.simplefilter("ignore")
    torchlike.set_executor("xla")  # values by the kernels whose gradients are taken
    found: dict[str, Found] = {}
    bar = tqdm(names, unit="operator")
    for number, key in enumerate(bar):
        bar.set_postfix_str(key)
        found[key] = check(key, orders)
        for line in found[key].lines():
            tqdm.write(line)
        if asked.table:
            derivatives_table.write({key: [found[key].word(order) for order in ORDERS]})
        if number % 40 == 39:
            torchlike._core.run.forget_programs()
    wrong = [key for key in names if found[key].wrong]
    tqdm.write(f"{len(wrong)} of {len(names)} operators have wrong derivatives: {' '.join(wrong) or 'none'}")
    if asked.table:
        tqdm.write(derivatives_table.count())
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
