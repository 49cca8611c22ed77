"""A compiled call refuses the element values that PyTorch refuses, for inputs of any source and at every call."""

import pytest
import torch

import torchlike

CLASSES = 5
GOOD, BAD = [0, 1, 4, 3], [0, 1, 9, 3]

OPERATORS = {
    "cross_entropy": lambda lib, x, i: lib.nn.functional.cross_entropy(x, i),
    "nll_loss": lambda lib, x, i: lib.nn.functional.nll_loss(x, i),
    "embedding": lambda lib, x, i: lib.nn.functional.embedding(i, x.t()),
    "index": lambda lib, x, i: x.t()[i],
    "index_select": lambda lib, x, i: x.index_select(1, i),
    "gather": lambda lib, x, i: x.gather(1, i[:, None]),
    "one_hot": lambda lib, x, i: lib.nn.functional.one_hot(i, CLASSES),
}


def by_argument(lib, operator, compile):
    x = lib.ones(4, CLASSES)
    f = compile(lambda i: operator(lib, x, i))
    return lambda elements: f(lib.tensor(elements))


def by_pending_argument(lib, operator, compile):
    x = lib.ones(4, CLASSES)
    f = compile(lambda i: operator(lib, x, i))
    return lambda elements: f(lib.tensor(elements) + 0)


def by_argument_seen_in_part(lib, operator, compile):
    x = lib.ones(4, CLASSES)
    f = compile(lambda i: operator(lib, x, i))
    return lambda elements: f(lib.tensor([7, *elements, 8])[1:5])


def by_state(lib, operator, compile):
    x, i = lib.ones(4, CLASSES), lib.tensor(GOOD)
    f = compile(lambda: operator(lib, x, i))
    return lambda elements: (i.copy_(lib.tensor(elements)), f())[1]


def by_part_of_state(lib, operator, compile):
    x, whole = lib.ones(4, CLASSES), lib.tensor([7, *GOOD, 8])
    part = whole[1:5]
    f = compile(lambda: operator(lib, x, part))
    return lambda elements: (part.copy_(lib.tensor(elements)), f())[1]


def by_view_made_within(lib, operator, compile):
    x, whole = lib.ones(4, CLASSES), lib.tensor([7, *GOOD, 8])
    f = compile(lambda: operator(lib, x, whole[1:5]))
    return lambda elements: (whole[1:5].copy_(lib.tensor(elements)), f())[1]


def by_one_element_written(lib, operator, compile):
    x, i = lib.ones(4, CLASSES), lib.tensor(GOOD)
    f = compile(lambda: operator(lib, x, i))
    return lambda elements: (i.__setitem__(2, elements[2]), f())[1]


def by_arithmetic_within(lib, operator, compile):
    x, i = lib.ones(4, CLASSES), lib.tensor(GOOD)
    f = compile(lambda: operator(lib, x, i + 1 - 1))
    return lambda elements: (i.copy_(lib.tensor(elements)), f())[1]


def by_a_result_of_another_program(lib, operator, compile):
    x = lib.ones(4, CLASSES)
    f, g = compile(lambda i: operator(lib, x, i)), compile(lambda i: i * 2 - i)
    return lambda elements: f(g(lib.tensor(elements)))


def by_a_layer_that_learns(lib, operator, compile):
    w, i = lib.ones(4, CLASSES, requires_grad=True), lib.tensor(GOOD)
    f = compile(lambda: operator(lib, w * 2, i))
    return lambda elements: (i.copy_(lib.tensor(elements)), f())[1]


WAYS = [
    by_argument,
    by_pending_argument,
    by_argument_seen_in_part,
    by_state,
    by_part_of_state,
    by_view_made_within,
    by_one_element_written,
    by_arithmetic_within,
    by_a_result_of_another_program,
    by_a_layer_that_learns,
]


def outcomes(lib, way, operator, compile):
    """Return the result of each call: its elements, or the type and message of its error."""
    call, found = way(lib, operator, compile), []
    for elements in (GOOD, GOOD, BAD, GOOD, BAD):
        try:
            found.append(call(elements).tolist())
        except (IndexError, RuntimeError) as error:
            found.append(f"{type(error).__name__}: {error}")
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", OPERATORS)
def test_an_index_out_of_range_is_refused_at_its_call(way, name):
    expected = outcomes(torch, way, OPERATORS[name], lambda f: f)
    assert [isinstance(each, str) for each in expected] == [False, False, True, False, True]
    assert outcomes(torchlike, way, OPERATORS[name], torchlike.compile) == expected
