"""Methods of Tensor called with arguments of wrong types: PyTorch's errors."""

import pytest
import torch

import torchlike
from tests.exclusions import METHOD_ARGUMENTS, METHOD_ARGUMENTS_CEILING, METHOD_TEXTS, METHOD_TEXTS_CEILING
from tests.oracle import errors_of

VALUES = {
    "None": lambda L: (None,),
    "str": lambda L: ("x",),
    "object": lambda L: (object(),),
    "[None]": lambda L: ([None],),
    "dtype": lambda L: (L.float32,),
    "float": lambda L: (1.5,),
    "bool": lambda L: (True,),
    "bytes": lambda L: (b"a",),
    "dict": lambda L: ({},),
    "None, None": lambda L: (None, None),
    "str, str": lambda L: ("x", "y"),
}
NAMES = sorted(
    name
    for name in set(dir(torch.Tensor)) & set(dir(torchlike.Tensor))
    if not name.startswith("_") and name not in ("xpu", "ipu", "mtia") and callable(getattr(torch.Tensor, name))
)


def compared(name):
    """Return the outcomes in both libraries, by the kind of the arguments."""
    found = {}
    # Python names the class of a method in another way if the method is first looked up and then called.
    calls = {1: eval(f"lambda t, a: t.{name}(a)"), 2: eval(f"lambda t, a, b: t.{name}(a, b)")}
    for kind, values in VALUES.items():
        call = lambda L, values=values: calls[len(values(L))](L.ones(2, 3), *values(L))
        found[kind] = errors_of(call)
    return found


def text(error):
    """Return the message of an error, without the list of PyTorch's overloads, which is not printed here."""
    return str(error).partition("received an invalid combination of arguments")[0].replace("torchlike.", "torch.")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_wrong_arguments(name):
    found = compared(name)
    other = tuple(kind for kind, (theirs, ours) in found.items() if type(theirs).__name__ != type(ours).__name__)
    assert other == METHOD_ARGUMENTS.get(name, ())
    same_type = [pair for kind, pair in found.items() if kind not in other]
    assert any(text(theirs) != text(ours) for theirs, ours in same_type) == (name in METHOD_TEXTS)


def test_the_tables_do_not_grow():
    assert sum(map(len, METHOD_ARGUMENTS.values())) == METHOD_ARGUMENTS_CEILING
    assert len(METHOD_TEXTS) == METHOD_TEXTS_CEILING
