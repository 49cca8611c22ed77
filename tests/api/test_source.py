"""`inspect` leads from public functions and methods to their implementation, and signatures use public names."""

import inspect
import re

import pytest

import torchlike

SPACES = {
    "torch": torchlike,
    "Tensor": torchlike.Tensor,
    "nn.functional": torchlike.nn.functional,
    "linalg": torchlike.linalg,
    "fft": torchlike.fft,
    "special": torchlike.special,
}
CALLING = (
    "torchlike._tensor.dispatch",
    "torchlike._tensor.binding",
    "torchlike._tensor.public_calls",
    "torchlike._tensor.out",
)
INNER_WORDS = re.compile(r"\b(Array|Arrays|Operand|Scalar|Real|Index|Dims|Ints)\b|<object object")


def functions(space):
    """Return the public functions of a namespace, by name."""
    found = {}
    for name in dir(space):
        try:
            each = getattr(space, name)
        except NotImplementedError:  # a name of an unsupported kind of tensor
            continue
        if not name.startswith("_") and inspect.isroutine(each) and "torchlike" in str(inspect.getmodule(each)):
            found[name] = each
    return found


@pytest.mark.parametrize("name", SPACES)
def test_the_source_is_that_of_the_implementation(name):
    found = functions(SPACES[name])
    homes = {each: inspect.getmodule(inspect.unwrap(function)).__name__ for each, function in found.items()}
    assert len(found) > 20
    assert {each: home for each, home in homes.items() if home in CALLING} == {}


@pytest.mark.parametrize("name", SPACES)
def test_signatures_use_public_words(name):
    signatures = {}
    for each, function in functions(SPACES[name]).items():
        signatures[each] = str(inspect.signature(function))
    assert {each: text for each, text in signatures.items() if INNER_WORDS.search(text)} == {}


def test_a_method_shows_its_kernel_and_its_whole_docstring():
    from torchlike._ops.elementwise import transcendental

    assert "namespace(input).sin(input)" in inspect.getsource(torchlike.Tensor.sin)
    assert inspect.getsourcefile(inspect.unwrap(torchlike.Tensor.sin_)) == transcendental.__file__
    of_function, _, out = torchlike.sin.__doc__.partition("  out (Tensor")
    assert torchlike.Tensor.sin.__doc__ == of_function + out.partition("\n")[2]
    assert "index[i][j]" in inspect.getsource(torchlike.Tensor.gather)
