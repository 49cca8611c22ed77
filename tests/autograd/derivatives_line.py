"""A call as a function of numbers: the sums that `gradcheck` checks, and finite differences along lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.ops.row import function
from tests.ops.sample import Sample, arguments, made_real
from torchlike.autograd import gradcheck


@dataclass(frozen=True)
class Precision:
    """The dtypes in which to differentiate, and the step sizes and tolerances of finite differences."""

    real: type
    complex: type
    tolerances: dict[str, float]
    steps: dict[int, float]  # step sizes of differences that only distinguish zero from nonzero derivatives
    still: float  # a difference below this part of the value counts as zero


DOUBLE = Precision(
    np.float64, np.complex128, {"eps": 1e-6, "atol": 1e-5, "rtol": 1e-4}, {1: 1e-5, 2: 1e-4, 3: 2e-3}, 1e-6
)
# For operators that accept single precision only. With steps as large as the numbers, rounding errors are small, and
# differences over any distance are exact for products, which are linear in each input. For other functions such
# differences are inaccurate, and the check fails.
SINGLE = Precision(np.float32, np.complex64, {"eps": 0.5, "atol": 1e-5, "rtol": 1e-4}, {1: 1.0, 2: 1.0, 3: 1.0}, 1e-4)


def as_function(library: Any, key: str, sample: Sample, precision: Precision) -> tuple[Callable, list]:
    """Return a function from the sample's floating-point tensors to its differentiable results, and those tensors."""
    leaves: list = []

    def leaf(t: Any) -> Any:
        if not (t.is_floating_point() or t.is_complex()) or is_label(t.numpy()):
            return t
        leaves.append(_with_strides(library, t).detach().clone().requires_grad_())
        return _Place

    exact = copy(sample)
    exact.args, exact.kwargs = exactly(list(sample.args), precision), exactly(sample.kwargs, precision)
    args, kwargs = arguments(library, exact, leaf)
    call = function(library, key)
    dtypes = {getattr(library, np.dtype(kind).name) for kind in (precision.real, precision.complex)}

    def f(*inputs: Any) -> tuple:
        rest = iter(inputs)
        library.manual_seed(0)
        given = {place: _filled(a, rest) for place, a in [*enumerate(args), *kwargs.items()]}
        given |= {place: kind(given[place]) for place, kind in sample.kinds.items() if kind}
        result = call(*[given.pop(place) for place in range(len(args))], **given)
        return tuple(o for o in _flat(library, result) if o.dtype in dtypes and o.requires_grad)

    return f, leaves


def _with_strides(library: Any, t: Any) -> Any:
    """Return the tensor, or a new one if it has no elements.

    NumPy gives such tensors strides of zero, which `gradcheck` refuses.
    """
    return t if t.numel() else library.empty(t.shape, dtype=t.dtype)


def is_label(a: np.ndarray) -> bool:
    """Return whether the numbers are all 1 or -1, that is, labels of two classes."""
    return set(np.unique(a).tolist()) == {-1, 1}


def exactly(x: Any, precision: Precision) -> Any:
    """Return the arrays and dtypes of an argument in the given precision."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "fcV":
        return x.astype(precision.complex if x.dtype.kind == "c" else precision.real, order="K")
    if isinstance(x, list | tuple):
        return type(x)([exactly(y, precision) for y in x])
    if isinstance(x, dict):
        return {k: exactly(v, precision) for k, v in x.items()}
    return precision.real if x is np.float32 else precision.complex if x is np.complex64 else x


class _Place:
    """A placeholder for a floating-point tensor among the arguments."""


def _filled(x: Any, tensors: Iterator[Any]) -> Any:
    if x is _Place:
        return next(tensors)
    return type(x)([_filled(y, tensors) for y in x]) if isinstance(x, list | tuple) else x


def _flat(library: Any, result: Any) -> list:
    if isinstance(result, library.Tensor):
        return [result]
    return [t for part in result for t in _flat(library, part)] if isinstance(result, list | tuple) else []


class Line:
    """The weighted sum of the results of a call, along lines through the sample."""

    def __init__(self, library: Any, key: str, sample: Sample, precision: Precision = DOUBLE) -> None:
        self.library, self.precision = library, precision
        self.f, self.leaves = as_function(library, key, sample, precision)
        self.weights = self._weights()
        self.random = np.random.default_rng(3)
        self.at = [x.detach().cpu().numpy() for x in self.leaves]
        self.turn()

    def _weights(self) -> list:
        """Return fixed weights for all numbers of the results.

        A complex result has weights for its real and imaginary parts.
        """
        random = np.random.default_rng(1)
        shapes = [(*o.shape, 2) if o.is_complex() else tuple(o.shape) for o in self.f(*self.leaves)]
        return [self._tensor(random.uniform(-1, 1, shape)).requires_grad_() for shape in shapes]

    def _tensor(self, numbers: Any) -> Any:
        """Return the numbers as a tensor in the precision of the line."""
        return _with_strides(self.library, made_real(self.library, exactly(np.asarray(numbers), self.precision)))

    # -- derivatives ---------------------------------------------------------------------------------------------------

    def error(self, orders: Sequence[int]) -> Exception | None:
        """Return the error that `gradcheck` raises for these derivatives, or None.

        First derivatives are also checked in forward mode.
        """
        options = {"fast_mode": True, "check_undefined_grad": False, **self.precision.tolerances}
        try:
            sums = lambda *at: [self.sums(max(orders), at)[n - 1] for n in orders]
            gradcheck(sums, (*self.leaves, *self.weights), **options)
            if 1 in orders:
                gradcheck(self.f, tuple(self.leaves), check_forward_ad=True, check_backward_ad=False, **options)
        except Exception as error:
            return error
        return None

    def sum(self, at: Sequence = ()) -> Any:
        """Return the weighted sum of the results, at the sample or at other inputs and weights."""
        at, count = at or (*self.leaves, *self.weights), len(self.leaves)
        return self._weighted(self.f(*at[:count]), at[count:])

    def sums(self, most: int, at: Sequence = ()) -> list:
        """Return `most` numbers: the weighted sum of the results and its successive derivatives in fixed directions."""
        at, random = at or (*self.leaves, *self.weights), np.random.default_rng(2)
        sums = [self.sum(at)]
        while len(sums) < most:
            found = self.library.autograd.grad(sums[-1], at, create_graph=True, allow_unused=True)
            directions = [self._tensor(random.uniform(-1, 1, tuple(self._real(x).shape))) for x in at]
            sums.append(self._weighted(found, directions))
            if not sums[
                -1
            ].requires_grad:  # make a constant depend on the inputs, so that its zero gradient is checked too
                sums[-1] = sums[-1] + sum((self._real(x) * 0).sum() for x in at)
        for s in sums:
            if not np.isfinite(s.item()):
                raise ArithmeticError(f"a derivative is {s.item()}")
        return sums

    def _weighted(self, tensors: Sequence, weights: Sequence) -> Any:
        return sum((self._real(t) * w).sum() for t, w in zip(tensors, weights) if t is not None)

    def _real(self, x: Any) -> Any:
        return self.library.view_as_real(x.resolve_conj()) if x.is_complex() else x

    # -- differences ---------------------------------------------------------------------------------------------------

    def turn(self) -> None:
        """Choose another random direction."""
        draw = lambda x: self.random.uniform(-1, 1, (*x.shape, 2)) @ (1, 1j if x.dtype.kind == "c" else 0)
        self.along = [draw(x) for x in self.at]

    def value(self, t: float) -> float:
        """Return the sum at distance `t` from the sample."""
        moved = [self._tensor(x + t * d).requires_grad_() for x, d in zip(self.at, self.along)]
        return float(self.sum((*moved, *self.weights)).item())

    def is_smooth(self) -> bool:
        """Return whether the function has a value here, and no kink along a few random lines.

        One line may miss a kink.
        """
        if not all(np.isfinite(x).all() for x in self.at):
            return False
        for _ in range(3 if self.precision is DOUBLE else 0):  # single precision is too coarse for small steps
            if not self._is_smooth_along():
                return False
            self.turn()
        return True

    def _is_smooth_along(self) -> bool:
        """Return whether the slope and curvature on both sides of the sample, and nearby, agree."""
        here, h, bend = self.value(0.0), 2e-6, 1e-5
        try:
            left, right, near = [(self.value(t) - here) / t for t in (-h, h, h / 8)]
            before, after = [(self.value(2 * t) - 2 * self.value(t) + here) / bend**2 for t in (-bend, bend)]
        except (RuntimeError, ValueError):  # the sample lies at the end of the function's domain
            return False
        straight = max(abs(left - right), abs(near - right)) <= 1e-3 * (1 + abs(right))
        return straight and abs(before - after) <= 1e-3 * (1 + abs(after) + abs(here))

    def is_zero(self, order: int) -> bool:
        """Return whether the difference of this order is zero along one of a few lines. A line may cross a kink."""
        for _ in range(4):
            if abs(self._difference(order)) < self.precision.still * (1 + abs(self.value(0.0))):
                return True
            self.turn()
        return False

    def _difference(self, order: int) -> float:
        value, h = self.value, self.precision.steps[order]
        if order == 1:
            return (value(h) - value(-h)) / (2 * h)
        if order == 2:
            return (value(h) - 2 * value(0.0) + value(-h)) / h**2
        return (value(2 * h) - 2 * value(h) + 2 * value(-h) - value(-2 * h)) / (2 * h**3)
