"""The dtype of a result, for every pair of dtypes and every class of operand. Nothing is computed."""

import itertools

import pytest
import torch

import torchlike

DTYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
NUMBERS = (True, 2, 2.5, 2j)
OF_TWO = (
    "add",
    "mul",
    "true_divide",
    "floor_divide",
    "pow",
    "remainder",
    "maximum",
    "eq",
    "bitwise_and",
    "atan2",
    "logical_or",
)
OF_ONE = (
    "exp",
    "sum",
    "prod",
    "cumsum",
    "abs",
    "neg",
    "sigmoid",
    "mean",
    "any",
    "argmax",
    "square",
    "floor",
    "round",
    "reciprocal",
    "sqrt",
    "sign",
    "isnan",
    "angle",
    "amax",
    "median",
    "std",
    "logical_not",
)


def half_complex(*operands) -> bool:
    """Return whether PyTorch's result is complex32 (float16 with a complex number), which torchlike does not have."""
    kinds = [kind for kind, _ in operands]
    return "float16" in kinds and any(isinstance(k, complex) or str(k).startswith("complex") for k in kinds)


def seen(library, name: str, *operands):
    """Return the dtype of a result, or the type of the error."""
    tensors = [
        library.ones(shape, dtype=getattr(library, kind)) if shape is not None else kind for kind, shape in operands
    ]
    extra = (0,) if name == "cumsum" else ()
    try:
        return str(getattr(library, name)(*tensors, *extra).dtype)
    except (RuntimeError, TypeError) as error:
        return type(error).__name__


@pytest.mark.parametrize("name", OF_TWO)
def test_of_two_tensors(name):
    wrong = []
    for a, b in itertools.product(DTYPES, DTYPES):
        for left, right in (((2,), (2,)), ((2,), ()), ((), (2,))):
            operands = ((a, left), (b, right))
            if half_complex(*operands):
                continue
            ours, theirs = seen(torchlike, name, *operands), seen(torch, name, *operands)
            if ours != theirs:
                wrong.append((operands, ours, theirs))
    assert wrong == []


@pytest.mark.parametrize("name", OF_TWO)
def test_of_a_tensor_and_a_number(name):
    wrong = []
    for kind, number, shape in itertools.product(DTYPES, NUMBERS, ((2,), ())):
        operands = ((kind, shape), (number, None))
        if half_complex(*operands):
            continue
        ours, theirs = seen(torchlike, name, *operands), seen(torch, name, *operands)
        if ours != theirs:
            wrong.append((operands, ours, theirs))
    assert wrong == []


@pytest.mark.parametrize("name", OF_ONE)
def test_of_one_tensor(name):
    for kind in DTYPES:
        operand = (kind, (2,))
        assert seen(torchlike, name, operand) == seen(torch, name, operand), kind
