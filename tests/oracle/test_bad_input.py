"""Errors: PyTorch's type and message, raised by the line that causes the error."""

import io
import subprocess
import sys
import traceback
import warnings

import pytest
import torch

import torchlike
from tests.house.source import ROOT
from tests.oracle import Outcome, assert_same, outcome
from tests.oracle.bad_input import REFUSED, WARNED
from tools import make_signatures

ROWS = [
    pytest.param(program, id=f"{topic}: {name}") for topic, rows in REFUSED.items() for name, program in rows.items()
]
# Markers where PyTorch's message continues with details of its own build. Messages are compared up to a marker.
ENDS = (
    " but expected one of:",  # the C++ overloads
    "\nException raised from ",  # the C++ stack trace
    "\n\nTip: To see a more detailed error message",  # a compiler tip
    " (Triggered internally at ",  # the C++ source line
)


def comparable(made: Outcome) -> tuple[str, str] | None:
    """Return the error's type and the comparable part of its message."""
    return made.error and (type(made.error).__name__, _up_to_its_end(str(made.error)))


def _up_to_its_end(text: str) -> str:
    for end in ENDS:
        text = text.partition(end)[0]
    return text


@pytest.mark.parametrize("program", ROWS)
def test_refused_in_pytorchs_words(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings are compared below
        theirs, ours = outcome(program, torch), outcome(program, torchlike)
    assert theirs.error is not None, "PyTorch accepts this; the row is wrong"
    assert comparable(ours) == comparable(theirs)


def heard(program, library) -> tuple[Outcome, list[tuple[str, str]]]:
    """Return the outcome of a program and its warnings, including those that are given only once per process."""
    before = library.is_warn_always_enabled()
    library.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = outcome(program, library)
    finally:
        library.set_warn_always(before)
    # The name of a class includes its module, and the modules of the two libraries have different names.
    return made, [(w.category.__name__, _up_to_its_end(str(w.message)).replace("torchlike.", "torch.")) for w in caught]


@pytest.mark.parametrize("program", [pytest.param(program, id=name) for name, program in WARNED.items()])
def test_warned_of_in_pytorchs_words(program):
    # The warning is given once per process, and an earlier test may have triggered it.
    torch.storage._reset_warn_typed_storage_removal()
    theirs, due = heard(program, torch)
    ours, given = heard(program, torchlike)
    assert due, "PyTorch does not warn of this; the row is wrong"
    assert given == due
    assert ours.error is None
    assert_same(ours.result, theirs.result)


@pytest.mark.parametrize("program", ROWS)
def test_no_trace_of_jax_in_the_error(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        error = outcome(program, torchlike).error
    while error is not None:
        assert not type(error).__module__.startswith("jax")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def test_pinned_memory_is_refused():
    # The text is written out, because it is that of PyTorch's CPU build. A CUDA build asks for a driver instead.
    text = "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available"
    with pytest.raises(RuntimeError, match=f"^{text} on this system.$"):
        torchlike.ones(2, pin_memory=True)


def test_the_table_of_signatures_is_pytorchs():
    # In a new process, since the functions that set options accept any object.
    source = "from tools.make_signatures import table; print(table(), end='')"
    made = subprocess.run([sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True)
    assert make_signatures.TABLE.read_text() == made.stdout, made.stderr


@pytest.mark.parametrize(
    "program",
    [
        lambda t: t.linspace(1, 2),
        lambda t: t.add(object()),
        lambda t: t.ones(2).add(),
        lambda t: t.sum(object(), object()),
        lambda t: t.ones(2).clamp(object(), object(), object()),
        lambda t: t.linalg.norm(),
        lambda t: t.mm(t.ones(2, 2), t.ones(2, 2), 1),
        lambda t: t.randint(object()),
    ],
)
def test_an_error_lists_the_signatures(program):
    errors = []
    for library in (torchlike, torch):
        with pytest.raises(TypeError) as caught:
            program(library)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


UNKNOWN = [
    ("torch.sofmax", "softmax"),
    ("torch.nn.Linaer", "Linear"),
    ("torch.nn.functional.cross_entrpy", "cross_entropy"),
    ("torch.optim.AdmaW", "AdamW"),
    ("torch.float33", "float32"),
]


@pytest.mark.parametrize("name, nearest", UNKNOWN)
def test_an_unknown_name_raises_pytorchs_error_with_a_note_of_the_nearest_names(name, nearest):
    owner, _, last = name.rpartition(".")
    with pytest.raises(AttributeError) as theirs:
        eval(name, {"torch": torch})
    with pytest.raises(AttributeError) as caught:
        eval(name, {"torch": torchlike})
    assert str(caught.value).replace("torchlike", "torch") == str(theirs.value)
    assert repr(nearest) in traceback.format_exception(caught.value)[-1]
    assert not hasattr(eval(owner, {"torch": torchlike}), last)


def test_python_itself_suggests_the_nearest_method():
    # A `__getattr__` that adds the suggestion would make every attribute access of a tensor seven times slower.
    program = "import torchlike; torchlike.ones(2).sofmax"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.rstrip().endswith("'Tensor' object has no attribute 'sofmax'. Did you mean: 'softmax'?")


UNSUPPORTED = [
    ("layout", lambda torch: torch.zeros(2, layout=torch.sparse_coo)),
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
