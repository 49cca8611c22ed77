"""Numbers, casts, indices and operators of elements: the results are those of PyTorch and of the recorded operators."""

import itertools

import numpy as np
import pytest
import torch

import torchlike

both = pytest.mark.parametrize("L", [torch, torchlike])

WHOLE_DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64")
DTYPES = (*WHOLE_DTYPES, "float16", "bfloat16", "float32", "float64", "complex64", "complex128")
NUMBERS = (0, 1, -1, 255, 256, -256, 128, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 1.5, -0.0, 1e-46, 1e39, 3.4028236e38)
NUMBERS = (*NUMBERS, 70000.0, 1e300, float("inf"), float("nan"), True, 1j, 1 + 0j)


def outcome(function):
    try:
        return str(function())
    except Exception as error:
        return type(error).__name__, str(error)


def assigned(L, dtype, number):
    x = L.zeros(3, dtype=getattr(L, dtype))
    return outcome(lambda: x.__setitem__(1, number)), str(x.tolist()), x._version


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_are_cast_as_in_pytorch(dtype):
    for number in [n for n in NUMBERS if n != 1j]:  # the texts differ for imaginary numbers
        assert assigned(torchlike, dtype, number) == assigned(torch, dtype, number), number


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.filterwarnings("ignore")
def test_elements_are_cast_as_in_pytorch(source, target):
    numbers = [0, 1, 3, 100] if "int" in source or source == "bool" else [0.0, -0.0, 1.5, 100.25]
    found = []
    for L in (torch, torchlike):
        x, y = L.tensor(numbers, dtype=getattr(L, source)), L.zeros(4, dtype=getattr(L, target))
        for i in range(4):
            y[i] = x[i]
        y[:2] = x[2:]
        found.append(str(y.tolist()))
    assert found[0] == found[1]


INDICES = ["5", "-4", "0, 0, 0", "3, 0", "0, -5", "::0", "::-1", "'a'", "1.5", "None, 7", "..., 9", "[0, 2]", "()"]


def indexed(L, index):
    names = {"x": L.arange(12.0).reshape(3, 4)}
    read = outcome(lambda: eval(f"x[{index}]", names).tolist())
    return read, outcome(lambda: exec(f"x[{index}] = 1", names)), str(names["x"].tolist())


@pytest.mark.parametrize("index", INDICES)
def test_other_indices_raise_or_work_as_in_pytorch(index):
    assert indexed(torchlike, index) == indexed(torch, index)


@both
def test_indices_of_0d_tensors(L):
    counts, scalar = L.zeros(3, dtype=L.int64), L.tensor(2.5)
    for x in L.tensor([0, 1, 1, 2, 1]):
        counts[x] += 1
    assert counts.tolist() == [1, 3, 1]
    counts[L.tensor(1) : L.tensor(3)] = 0
    assert counts.tolist() == [1, 0, 0]
    for index in (0, 1, -1):
        text = "index -?1 is out of bounds for dimension 0 with size 0" if index else "invalid index of a 0-dim tensor"
        with pytest.raises(IndexError, match=text):
            scalar[index]
    scalar[()] = 4
    scalar[...] += 1
    assert scalar.item() == 5


# -- small operators ---------------------------------------------------------------------------------------------------

FLOATS = (0.0, -0.0, 1.5, -3.0, 0.1, 1e38, 3e38, 1e-38, 1e-45, float("inf"), float("-inf"), float("nan"))
WHOLE = (0, 1, -1, 7, 100, 127, -128)
OPERATORS = ("x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "x < y", "x >= y", "x == y", "x != y", "-x")
MORE = (
    "abs(x)",
    "x & y",
    "x | y",
    "x ^ y",
    "L.minimum(x, y)",
    "L.maximum(x, y)",
    "x.clamp(0, 2)",
    "L.where(x > y, x, y)",
)
PAIRS = [("float32", "float32"), ("float64", "float64"), ("float32", "float64"), ("float16", "float16")]
PAIRS += [("int64", "int64"), ("int32", "int32"), ("int8", "int8"), ("uint8", "int64"), ("int64", "float32")]
PAIRS += [("bool", "bool"), ("bool", "int32"), ("float32", "bool")]


def elements(L, dtype):
    numbers = FLOATS if "float" in dtype else (0, 1) if dtype == "bool" else WHOLE
    numbers = [abs(n) for n in numbers] if dtype == "uint8" else numbers
    dtype = getattr(L, dtype)
    return list(
        L.tensor(numbers, dtype=L.float64).to(dtype) if dtype.is_floating_point else L.tensor(numbers, dtype=dtype)
    )


@pytest.mark.parametrize(("left", "right"), PAIRS)
@pytest.mark.parametrize("expression", [*OPERATORS, *MORE])
def test_operators_of_elements_agree_with_pytorch_and_with_the_recorded_operator(expression, left, right):
    code = compile(expression, expression, "eval")
    run = lambda L, x, y: outcome(lambda: eval(code, {"L": L, "x": x, "y": y}).tolist())
    with np.errstate(all="raise"):
        for (x, a), (y, b) in itertools.product(
            zip(elements(torch, left), elements(torchlike, left)),
            zip(elements(torch, right), elements(torchlike, right)),
        ):
            found, recorded = run(torchlike, a, b), run(torchlike, a.reshape(1), b.reshape(1))
            assert found == (recorded.strip("[]") if isinstance(recorded, str) else recorded), (x, y)
            if not (found.__class__ is tuple or "//" in expression or "%" in expression or "imum" in expression):
                assert found == run(torch, x, y), (x, y)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int32", "uint8", "bool"])
@pytest.mark.parametrize("expression", [*OPERATORS[:-1], "y - x", "y / x"])
def test_numbers_as_operands(expression, dtype):
    code = compile(expression, expression, "eval")
    numbers = (0, 1, -1, 0.1, 2.5, 1e39, 1e-46, 300, 2**31, 2**53 + 1, True, float("inf"), float("nan"))
    run = lambda L, x, y: outcome(
        lambda: (lambda made: (made.tolist(), str(made.dtype)[-7:]))(eval(code, {"x": x, "y": y}))
    )
    with np.errstate(all="raise"):
        for (x, a), number in itertools.product(zip(elements(torch, dtype), elements(torchlike, dtype)), numbers):
            if not ("//" in expression or "%" in expression or (number == 300 and dtype == "uint8")):
                assert run(torchlike, a, number) == run(torch, x, number), (x, number)


@both
def test_integers_wrap_in_place(L):
    x = L.tensor([250, 3], dtype=L.uint8)
    x[0] += 10
    x[1] -= 5
    y = L.tensor([2**62, 1])
    y[0] *= 4
    y[1] -= 2**62
    y[1] -= 2**62
    y[1] -= 2**62
    assert x.tolist() == [4, 254] and y.tolist() == [0, 1 + 2**62]
