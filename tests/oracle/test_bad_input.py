"""Errors: PyTorch's type and sentence, at the line that made them."""

import io
import subprocess
import sys
import warnings

import pytest
import torch

import torchlike
from tests.house.source import ROOT
from tests.oracle import outcome
from tests.oracle.bad_input import FAMILIES

ROWS = [pytest.param(row.program, id=f"{family}: {row.name}") for family, rows in FAMILIES.items() for row in rows]


@pytest.mark.parametrize("program", ROWS)
def test_refused_in_pytorchs_words(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the judge says besides its error
        theirs = outcome(program, torch)
    assert theirs.error is not None, "PyTorch accepts this; the row is wrong"
    ours = outcome(program, torchlike)
    assert ours.sentence == theirs.sentence


@pytest.mark.parametrize("program", ROWS)
def test_no_trace_of_jax_in_the_error(program):
    error = outcome(program, torchlike).error
    while error is not None:
        assert not type(error).__module__.startswith("jax")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


UNKNOWN = [
    ("torch.sofmax", "softmax"),
    ("torch.nn.Linaer", "Linear"),
    ("torch.nn.functional.cross_entrpy", "cross_entropy"),
    ("torch.optim.AdmaW", "AdamW"),
    ("torch.float33", "float32"),
]


@pytest.mark.parametrize("name, nearest", UNKNOWN)
def test_an_unknown_name_is_answered_with_the_nearest(name, nearest):
    owner, _, last = name.rpartition(".")
    with pytest.raises(AttributeError) as caught:
        eval(name, {"torch": torchlike})
    assert f"has no attribute {last!r}" in str(caught.value)
    assert nearest in str(caught.value)
    assert not hasattr(eval(owner, {"torch": torchlike}), last)


def test_python_itself_suggests_the_nearest_method():
    # A `__getattr__` that named it would slow every access to every attribute of a tensor sevenfold.
    program = "import torchlike; torchlike.ones(2).sofmax"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.rstrip().endswith("'Tensor' object has no attribute 'sofmax'. Did you mean: 'softmax'?")


UNSUPPORTED = [
    ("num_workers", lambda torch: torch.utils.data.DataLoader([1], num_workers=2)),
    ("capturable", lambda torch: torch.optim.Adam([torch.ones(1)], capturable=True)),
    ("pickle_module", lambda torch: torch.save({}, io.BytesIO(), pickle_module=io)),
]


@pytest.mark.parametrize("argument, program", UNSUPPORTED, ids=[row[0] for row in UNSUPPORTED])
def test_an_unsupported_argument_is_named(argument, program):
    error = outcome(program, torchlike).error
    assert isinstance(error, NotImplementedError)
    assert argument in str(error)


UNEXPECTED = [
    ("function", lambda torch: torch.relu(torch.ones(2), inplce=True)),
    ("method", lambda torch: torch.ones(2).sum(dimension=0)),
    ("functional", lambda torch: torch.nn.functional.dropout(torch.ones(2), prob=0.1)),
    ("factory", lambda torch: torch.zeros(2, typ=torch.float32)),
    ("module", lambda torch: torch.nn.Linear(2, 2, biass=True)),
    ("optimizer", lambda torch: torch.optim.SGD([torch.ones(1)], lr=1, momentun=0.9)),
]


@pytest.mark.parametrize("program", [pytest.param(program, id=name) for name, program in UNEXPECTED])
def test_a_misspelt_argument_is_a_type_error_as_in_pytorch(program):
    ours, theirs = outcome(program, torchlike), outcome(program, torch)
    assert isinstance(ours.error, TypeError) and isinstance(theirs.error, TypeError)
