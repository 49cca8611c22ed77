"""Operators on small host arrays, run at once.

A Python loop over elements calls such operators one by one and reads most results immediately. NumPy computes one in
less time than recording it takes. Only operators with exactly rounded results run at once, so the result is the same
whether an operator is recorded or not.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from torchlike._dtypes import INTEGER, bool_, dtype, float32, float64
from torchlike._engine import Aval
from torchlike._engine.trace.interrupts import reraise
from torchlike._engine.trace.plan import NUMBERS, NUMPY

if TYPE_CHECKING:
    from torchlike._ops.schema.plan import OpPlan

SMALL = 256  # elements
EXACT = frozenset(
    (
        *("add", "sub", "rsub", "mul", "true_divide", "floor_divide", "remainder", "neg", "abs", "sqrt", "square"),
        *("eq", "ne", "lt", "le", "gt", "ge", "minimum", "maximum", "clamp", "where", "sign", "floor", "ceil", "trunc"),
        *("logical_and", "logical_or", "logical_xor", "logical_not", "bitwise_and", "bitwise_or", "bitwise_xor"),
        *("bitwise_not", "bitwise_left_shift", "bitwise_right_shift", "isnan", "isinf", "isfinite", "_to"),
    )
)
# The kernels that are one function of Python's numbers.
_SUMS = {"add": operator.add, "sub": operator.sub, "rsub": lambda x, y: y - x, "mul": operator.mul}
_TESTS = {n: getattr(operator, n) for n in ("eq", "ne", "lt", "le", "gt", "ge")}
LARGEST = float(np.finfo(np.float32).max)
SMALLEST = 2 * float(np.finfo(np.float32).tiny)  # NumPy may report an underflow for smaller numbers
EXACT_UP_TO = 1 << 24  # float32 represents every integer up to this number
Early = Callable[[Sequence, Sequence], "np.ndarray | None"]


def early(plan: OpPlan) -> Early | None:
    """Return the function that runs a plan at once, `early(arrays, numbers) -> array`, or None if it must be recorded.

    The function returns None for numbers that it does not take.
    """
    avals = (*plan.inputs, *plan.outputs)
    if plan.single is None or plan.op.name not in EXACT or plan.executor != NUMPY:
        return None
    for a in avals:
        if a.__class__ is not Aval or a.numel > SMALL or a.device.type != "cpu" or a.dtype.numpy.isbuiltin != 1:
            return None
    kernel = _Kernel(plan)
    return _direct(plan, kernel) or kernel


class _Kernel:
    """Runs the kernel of a plan, as the interpreter does."""

    __slots__ = ("_kinds", "_plan")

    def __init__(self, plan: OpPlan) -> None:
        self._plan, self._kinds = plan, [NUMBERS[kind] for kind in plan.scalars]

    def __call__(self, arrays: Sequence, numbers: Sequence) -> np.ndarray | None:
        plan = self._plan
        try:
            with np.errstate(all="ignore"):
                made = [np.asarray(x) for x in plan.function(*arrays, *[k(x) for k, x in zip(self._kinds, numbers)])]
        except Exception as error:  # the recorded operator raises it where its result is needed
            reraise(error)
            return None
        if not plan.checked:
            plan.check(made)
        return made[0]


def _direct(plan: OpPlan, kernel: _Kernel) -> Early | None:
    """Return a faster function for sums, products and comparisons of equal dtypes, or None for other operators."""
    run: Any = plan.function
    compute = run.compute
    if compute is None or run.stored is not None or any(a.dtype is not compute for a in plan.inputs):
        return None
    if run.arguments.get("alpha", ("static", 1)) != ("static", 1) or not {"input", "other"} <= run.arguments.keys():
        return None
    is_float = compute is float32 or compute is float64
    if not (is_float or compute.category == INTEGER or (compute is bool_ and plan.op.name in _TESTS)):
        return None
    name, has_dims = plan.op.name, any(a.ndim for a in plan.inputs)
    if has_dims and (name in _TESTS or (name in _SUMS and plan.outputs[0].dtype is compute)):
        return _array_function(_TESTS.get(name) or _SUMS[name], run.arguments, compute, kernel)
    if name in _TESTS:
        return _number_test(_TESTS[name], run.arguments, compute, kernel)
    if name in _SUMS and plan.outputs[0].dtype is compute:
        return _number_sum(_SUMS[name], run.arguments, compute, kernel)
    return None


def _exact(compute: dtype) -> Callable[[Any], Any]:
    """Return a function that casts a Python number to a dtype, and returns None for numbers out of a safe range."""
    is_small = compute is bool_ or compute.is_floating_point
    low, high = (-EXACT_UP_TO, EXACT_UP_TO) if is_small else (np.iinfo(compute.numpy).min, np.iinfo(compute.numpy).max)
    low, high = int(low), int(high)

    def exact(number: Any) -> Any:
        if number.__class__ is float:
            if compute is float32:
                return np.float32(number).item() if number == 0 or SMALLEST < abs(number) < LARGEST else None
            return number if compute is float64 else None
        return number if number.__class__ is not complex and low <= number <= high else None

    return exact


def _array_function(function: Callable, arguments: dict, compute: dtype, kernel: _Kernel) -> Early:
    """Return a function for a sum, difference, product or comparison of small arrays."""
    (first, i), (second, j) = arguments["input"], arguments["other"]
    exact = _exact(compute)

    def run(arrays: Sequence, numbers: Sequence) -> np.ndarray | None:
        x = arrays[i] if first == "array" else exact(numbers[i])
        y = arrays[j] if second == "array" else exact(numbers[j])
        if x is None or y is None:
            return kernel(arrays, numbers)
        with np.errstate(all="ignore"):
            return np.asarray(function(x, y))

    return run


def _operands(arguments: dict, compute: dtype) -> Callable[[Sequence, Sequence], tuple[Any, Any] | None]:
    """Return a function that returns the two operands as Python numbers of a dtype.

    It returns None if a number is not in the range in which all dtypes agree with Python.
    """
    (first, i), (second, j) = arguments["input"], arguments["other"]
    exact = _exact(compute)

    def operands(arrays: Sequence, numbers: Sequence) -> tuple[Any, Any] | None:
        x = arrays[i].item() if first == "array" else exact(numbers[i])
        y = arrays[j].item() if second == "array" else exact(numbers[j])
        return None if x is None or y is None else (x, y)

    return operands


def _number_test(function: Callable, arguments: dict, compute: dtype, kernel: _Kernel) -> Early:
    operands = _operands(arguments, compute)

    def test(arrays: Sequence, numbers: Sequence) -> np.ndarray | None:
        pair = operands(arrays, numbers)
        return kernel(arrays, numbers) if pair is None else np.array(function(*pair), np.bool_)

    return test


def _number_sum(function: Callable, arguments: dict, compute: dtype, kernel: _Kernel) -> Early:
    """Return a function for a sum, difference or product.

    The exact sum or product of two float32 numbers, rounded to float64 and then to float32, is the correctly rounded
    result, because float64 has more than twice as many digits.
    """
    operands, to = _operands(arguments, compute), compute.numpy
    if compute is float32:
        fits = lambda x: x == 0 or SMALLEST < abs(x) < LARGEST
    elif compute is float64:
        fits = lambda x: x == x
    else:
        low, high = int(np.iinfo(to).min), int(np.iinfo(to).max)
        fits = lambda x: low <= x <= high

    def total(arrays: Sequence, numbers: Sequence) -> np.ndarray | None:
        pair = operands(arrays, numbers)
        made = None if pair is None else function(*pair)
        if made is None or not fits(made):  # an overflow, or NaN
            return kernel(arrays, numbers)
        return np.array(made, to)

    return total
