"""Functions of `torch` and of its namespaces called with one wrong argument: PyTorch's errors."""

import pytest

from tests.exclusions import FUNCTION_ARGUMENTS, FUNCTION_ARGUMENTS_CEILING, FUNCTION_TEXTS, FUNCTION_TEXTS_CEILING
from tests.oracle import errors_of
from tests.oracle.function_calls import Call, find, names, variants


def compared(name):
    """Return the kinds of wrong arguments that are answered in another way, and whether an error has other words.

    The answer differs if only one library raises, or if the errors have different types.
    """
    other, words = {}, False
    for call in variants(name):
        theirs, ours = _errors(name, call)
        if type(theirs).__name__ != type(ours).__name__:
            place, _, kind = call.kind.partition(": ")
            other.setdefault(place, []).append(kind)
        elif _text(theirs) != _text(ours):
            words = True
    return tuple(f"{place}: {' '.join(kinds)}".rstrip(": ") for place, kinds in other.items()), words


def _errors(name: str, call: Call):
    def program(library):
        args, kwargs = call.of(library)
        return find(library, name)(*args, **kwargs)

    return errors_of(program)


def _text(error):
    """Return the message of an error, without the list of PyTorch's overloads, which is not printed here."""
    return str(error).partition("received an invalid combination of arguments")[0].replace("torchlike.", "torch.")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", names())
def test_wrong_arguments(name):
    other, words = compared(name)
    assert other == FUNCTION_ARGUMENTS.get(name, ())
    assert words == (name in FUNCTION_TEXTS)


def test_the_tables_do_not_grow():
    kinds = sum(max(1, len(row.partition(": ")[2].split())) for rows in FUNCTION_ARGUMENTS.values() for row in rows)
    assert kinds == FUNCTION_ARGUMENTS_CEILING
    assert len(FUNCTION_TEXTS) == FUNCTION_TEXTS_CEILING
    assert {*FUNCTION_ARGUMENTS, *FUNCTION_TEXTS} <= {*names()}
