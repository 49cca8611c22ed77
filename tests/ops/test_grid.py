"""The promotion grid: every pair of dtypes in every class of operand.

The result's dtype and value, or the error's type and text, must equal PyTorch's.
"""

import itertools

import pytest
import torch

import torchlike
from tests.oracle import assert_same

DTYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
NUMBERS = (True, 2, -1, 300, 70000, 2.5, -0.5, 1 + 2j)
SIZES = {"tensor": (2,), "zero-dim": ()}
OPERATORS = {
    "add": lambda library, a, b: library.add(a, b),
    "div": lambda library, a, b: library.div(a, b),
    "pow": lambda library, a, b: library.pow(a, b),
    "eq": lambda library, a, b: library.eq(a, b),
    "lt": lambda library, a, b: library.lt(a, b),
    "ge": lambda library, a, b: library.ge(a, b),
    "where": lambda library, a, b: library.where(library.tensor([True, False]), a, b),
    "cat": lambda library, a, b: library.cat((a, b)),
    "a + b": lambda library, a, b: a + b,
    "a / b": lambda library, a, b: a / b,
    "a ** b": lambda library, a, b: a**b,
    "a < b": lambda library, a, b: a < b,
}
PER_PAIR = ("add", "div", "pow", "eq", "lt", "ge", "where", "cat")

OF_WIDE = (
    "add",
    "sub",
    "mul",
    "div",
    "floor_divide",
    "remainder",
    "fmod",
    "pow",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "logical_and",
    "logical_or",
    "logical_xor",
    "gcd",
    "lcm",
    "atan2",
    "copysign",
    "hypot",
)
OF_ONE_WIDE = (
    "neg",
    "abs",
    "sqrt",
    "exp",
    "sum",
    "prod",
    "any",
    "all",
    "median",
    "unique",
    "floor",
    "ceil",
    "round",
    "reciprocal",
    "isnan",
    "logical_not",
    "bitwise_not",
    "argsort",
    "clone",
)
pytestmark = pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")


@pytest.fixture(autouse=True)
def interpreted():
    """Use the NumPy executor: there are thousands of programs, and each runs once."""
    torchlike.set_executor("numpy")
    yield
    torchlike.set_executor("auto")


def elements(kind: str, size: tuple, place: int):
    """Return one or two numbers that the dtype represents exactly.

    The second operand begins with a negative number if the dtype is a signed integer or a floating-point dtype.
    """
    if kind == "bool":
        numbers = ([True, False], [True, True])[place]
    elif kind.startswith("uint"):
        numbers = ([3, 200], [2, 1])[place]
    elif kind.startswith("int"):
        numbers = ([3, -2], [-1, 2])[place]
    elif kind.startswith("complex"):
        numbers = ([1.5 - 2j, 0.25j], [0.5 + 1j, 2])[place]
    else:
        numbers = ([1.5, -2], [-0.5, 0])[place]
    return numbers if size else numbers[0]


def operand(library, given, place: int):
    """Return a tensor of a dtype and size, or a number unchanged."""
    if not isinstance(given, tuple):
        return given
    kind, size = given
    return library.tensor(elements(kind, size, place), dtype=getattr(library, kind))


def outcome(library, name: str, first, second):
    """Return the result of an operator on two operands: a tensor, or an error's type and text."""
    try:
        return OPERATORS[name](library, operand(library, first, 0), operand(library, second, 1))
    except (RuntimeError, TypeError, NotImplementedError, ValueError, OverflowError) as error:
        return type(error).__name__, str(error)


def cases_of_tensors(kind: str):
    for other, (a, b) in itertools.product(DTYPES, itertools.product(SIZES.values(), repeat=2)):
        yield (kind, a), (other, b)


def cases_of_numbers(kind: str):
    for size, number in itertools.product(SIZES.values(), NUMBERS):
        yield (kind, size), number
        yield number, (kind, size)


def is_half_complex(theirs) -> bool:
    """Return whether PyTorch's result is complex32, which torchlike does not have."""
    return (isinstance(theirs, torch.Tensor) and theirs.dtype is torch.complex32) or "ComplexHalf" in str(theirs)


def differences(names, cases) -> list:
    """Return the cases in which the libraries differ. All cases are recorded before the first result is read."""
    pairs = [
        (name, *case, outcome(torchlike, name, *case), outcome(torch, name, *case)) for case in cases for name in names
    ]
    return [
        (name, a, b, ours, theirs)
        for name, a, b, ours, theirs in pairs
        if not is_half_complex(theirs) and not alike(ours, theirs)
    ]


def alike(ours, theirs) -> bool:
    if any(
        isinstance(x, tuple) and isinstance(x[0], str) for x in (ours, theirs)
    ):  # only the first line is compared, because PyTorch lists overloads below it
        return type(ours) is type(theirs) and (ours[0], ours[1].split("\n")[0]) == (theirs[0], theirs[1].split("\n")[0])
    try:
        assert_same(ours, theirs)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize("kind", DTYPES)
def test_of_two_tensors(kind):
    assert differences(PER_PAIR, cases_of_tensors(kind)) == []


@pytest.mark.parametrize("kind", DTYPES)
def test_of_a_tensor_and_a_number(kind):
    assert differences(OPERATORS, cases_of_numbers(kind)) == []


@pytest.mark.parametrize("kind", ["uint16", "uint32", "uint64"])
def test_kernels_of_wide_unsigned_integers(kind):
    wrong = []
    for name in (*OF_WIDE, *OF_ONE_WIDE):
        count = 2 if name in OF_WIDE else 1
        ours, theirs = (attempt(library, name, kind, count) for library in (torchlike, torch))
        if not alike(ours, theirs):
            wrong.append((name, ours, theirs))
    assert wrong == []


def attempt(library, name: str, kind: str, count: int):
    x = library.tensor([[3, 4], [1, 200]], dtype=getattr(library, kind))
    try:
        return getattr(library, name)(*[x] * count)
    except (RuntimeError, TypeError, NotImplementedError) as error:
        return type(error).__name__, str(error)
