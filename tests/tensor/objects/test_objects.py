"""Tensors made from objects, and calls with objects in place of numbers, indices and sizes, as in PyTorch."""

import warnings

import pytest
import torch

import torchlike
from tests.tensor.objects.samples import ARRAYS, ELEMENTS

DTYPES = (None, "bool", "uint8", "int8", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32")
DTYPES = (*DTYPES, "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2")

NESTED = {
    "alone": lambda x: x,
    "a list": lambda x: [x],
    "a tuple": lambda x: (x, x),
    "after a float": lambda x: [1.5, x],
    "after an int": lambda x: [1, x],
    "before an int": lambda x: [x, 1],
    "rows": lambda x: [[x], [x]],
}


def shown(made, L) -> str:
    if isinstance(made, L.Tensor):
        made = made.dtype, tuple(made.shape), made.stride(), made.tolist()
    return repr(made)


def described(call, L, with_text=True) -> str:
    """Return the result of a call without the name of the library, or the type and first line of its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            text = shown(call(L), L)
        except Exception as error:
            text = f"{type(error).__name__}: {str(error).splitlines()[0] if with_text else ''}"
    return text.replace("torchlike", "torch")


def differences(calls: dict, **options) -> dict:
    """Return what PyTorch and torchlike give for each call for which they differ."""
    found = {
        name: (described(call, torch, **options), described(call, torchlike, **options)) for name, call in calls.items()
    }
    return {name: pair for name, pair in found.items() if pair[0] != pair[1]}


OBJECTS = {**ELEMENTS, **{f"array, {name}": array for name, array in ARRAYS.items()}}


def differs(x: str, nest: str) -> bool:
    """Return whether torchlike refuses elements in another way, or refuses what PyTorch takes.

    A number after a row is refused at once; PyTorch first stores the elements of the row. The records of an array
    count as numbers, in PyTorch as sequences. A masked element is NaN; PyTorch refuses it.
    """
    is_row = x.startswith("array") or x in ("row", "whole row")
    return nest != "alone" and (x in ("array, record", "array, masked") or (is_row and nest == "before an int"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_are_converted_by_the_protocols_of_their_dtype(dtype):
    def call(nest, x):
        return lambda L: L.tensor(nest(x), dtype=dtype and getattr(L, dtype))

    pairs = [(x, nest) for x in OBJECTS for nest in NESTED if not differs(x, nest)]
    assert differences({(x, nest): call(NESTED[nest], OBJECTS[x]) for x, nest in pairs}) == {}


TENSORS = {
    "whole": lambda L: L.tensor(2),
    "real": lambda L: L.tensor(2.5),
    "bool": lambda L: L.tensor(True),
    "complex": lambda L: L.tensor(1 + 2j),
    "with a gradient": lambda L: L.tensor(2.5, requires_grad=True),
    "one element": lambda L: L.tensor([3.0]),
    "two elements": lambda L: L.tensor([1, 2]),
    "none": lambda L: L.tensor([]),
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_tensors_as_elements(dtype):
    def call(nest, make):
        return lambda L: L.tensor(nest(make(L)), dtype=dtype and getattr(L, dtype))

    nested = {name: nest for name, nest in NESTED.items() if name != "alone"}
    assert differences({(x, n): call(nested[n], TENSORS[x]) for x in TENSORS for n in nested}) == {}


CALLS = {
    "as_tensor": lambda L, x: L.as_tensor(x),
    "asarray": lambda L, x: L.asarray(x),
    "from_numpy": lambda L, x: L.from_numpy(x),
    "new_tensor": lambda L, x: L.ones(1, dtype=L.float64).new_tensor(x),
    "FloatTensor": lambda L, x: L.FloatTensor(x).zero_(),
    "Tensor": lambda L, x: L.Tensor(x).zero_(),
    "Tensor of two": lambda L, x: L.Tensor([x, x]),
    "LongTensor of a list": lambda L, x: L.LongTensor([x]),
    "full": lambda L, x: L.full((2,), x),
    "scalar_tensor": lambda L, x: L.scalar_tensor(x),
    "arange": lambda L, x: L.arange(x),
    "fill_": lambda L, x: L.zeros(2).fill_(x),
    "add": lambda L, x: L.add(L.ones(2, dtype=L.int32), x),
    "*": lambda L, x: L.ones(2, dtype=L.int32) * x,
    "+ of bools": lambda L, x: L.tensor([True, False]) + x,
    "==": lambda L, x: L.ones(2) == x,
    "where": lambda L, x: L.where(L.tensor([True, False]), L.ones(2, dtype=L.int32), x),
    "clamp": lambda L, x: L.ones(2, dtype=L.int32).clamp(min=x),
    "isin": lambda L, x: L.isin(L.arange(3), x),
    "einsum": lambda L, x: L.einsum("i->", x),
    "result_type": lambda L, x: L.result_type(L.ones(2, dtype=L.int32), x),
    "x[0] = ": lambda L, x: assigned(L.zeros(3), 0, x),
    "x[:2] = ": lambda L, x: assigned(L.zeros(3, dtype=L.int64), slice(2), x),
    "x[...]": lambda L, x: L.arange(12.0).view(4, 3)[x],
    "x[[...]]": lambda L, x: L.arange(12.0).view(4, 3)[[x]],
    "zeros": lambda L, x: L.zeros(x),
    "expand": lambda L, x: L.ones(1).expand(x),
    "Size": lambda L, x: L.Size([x]),
    "split": lambda L, x: [part.tolist() for part in L.arange(6).split(x)],
}


def assigned(tensor, index, x):
    tensor[index] = x
    return tensor


BEYOND_64_BITS = ("uint64", "large", "Huge")  # refused as numbers, with another error than in PyTorch
OTHERWISE = {
    ("arange", "imaginary"),  # another type of error
    ("Size", "Raising"),  # the error of `__index__` itself
    ("Tensor of two", "array, record"),  # see `differs`
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_take_and_refuse_the_objects_of_pytorch(name):
    call = CALLS[name]
    objects = {x: made for x, made in OBJECTS.items() if x not in BEYOND_64_BITS and (name, x) not in OTHERWISE}
    calls = {x: lambda L, made=made: call(L, made) for x, made in objects.items()}
    assert differences(calls, with_text=False) == {}
