"""Arguments that name dims and counts take the same types as PyTorch's."""

import inspect

import pytest
import torch

import torchlike
from tests.exclusions import DIM_ARGUMENTS, DIM_ARGUMENTS_CEILING
from tests.oracle import outcome

PARAMETERS = (
    *("dim", "dim0", "dim1", "dims", "diagonal", "offset", "k", "n", "axis", "keepdim", "descending"),
    *("start", "end", "length", "repeats", "shifts", "chunks", "sections"),
)
VALUES = [(0, 1), (0,), [0], "0", 1.5, None]
FLAGS = ("keepdim", "descending")


def cases():
    for name in sorted(set(dir(torch)) & set(dir(torchlike))):
        if name.startswith("_"):  # `_C` would be imported
            continue
        function = getattr(torchlike, name)
        if isinstance(function, type) or not callable(function):
            continue
        try:
            parameters = inspect.signature(function).parameters
        except (TypeError, ValueError):
            continue
        yield from ((name, parameter) for parameter in parameters if parameter in PARAMETERS)


@pytest.mark.parametrize(("name", "parameter"), list(cases()))
@pytest.mark.filterwarnings("ignore")
def test_the_same_types_are_taken(name, parameter):
    call = lambda value: lambda L: getattr(L, name)(L.tensor([[1.0, 2.0], [3.0, 5.0]]), **{parameter: value})
    taken = {}
    for value in [True] if parameter in FLAGS else VALUES:
        theirs, ours = outcome(call(value), torch), outcome(call(value), torchlike)
        if (theirs.error is None) != (ours.error is None):
            taken[repr(value)] = "refused here" if ours.error else "taken here"
    assert taken == dict.fromkeys(DIM_ARGUMENTS.get(f"{name} {parameter}", ()), "taken here")


def test_the_table_does_not_grow():
    assert sum(map(len, DIM_ARGUMENTS.values())) == DIM_ARGUMENTS_CEILING
