"""Ownership decides donation: a lent array is never donated, even if its reference count shows no other owner."""

import jax
import numpy as np
import pytest

import torchlike
from torchlike._engine.trace import flush, ownership
from torchlike._engine.trace.value import Value


@pytest.fixture
def blind(monkeypatch):
    """Raise the limit for reference counts, so that every array seems to have no other owner."""
    monkeypatch.setattr(flush, "LIST_ITEM", 1 << 60)


def computed(n=1000):
    x = torchlike.full((n,), 2.0) * 2
    x.sum().item()
    return x


def doubled(x):
    """Double `x` in place with XLA, and return the number of donated bytes."""
    with torchlike.set_executor("xla"), torchlike.explain() as report:
        x.mul_(2)
        x.sum().item()
    return report.totals.donated_bytes


@pytest.fixture(autouse=True)
def by_xla():
    with torchlike.set_executor("xla"):
        yield


def test_an_owned_array_is_donated():
    assert doubled(computed()) == 4000


def test_an_array_that_was_given_out_is_not(blind):
    x = computed()
    given = torchlike.jax.to_jax(x)
    assert doubled(x) == 0
    np.testing.assert_array_equal(given, np.full(1000, 4.0))
    assert doubled(x) == 4000  # the engine alone owns the array of the product


def test_the_array_of_two_values_is_not(blind):
    x = computed()
    second = x._storage.value.twin()
    assert doubled(x) == 0
    np.testing.assert_array_equal(second.array, np.full(1000, 4.0))


def test_a_note_ends_with_the_array():
    array = jax.numpy.zeros(3) + 1
    before = len(ownership.lent)
    assert ownership.has_lent([ownership.lend(array)])
    del array
    assert len(ownership.lent) == before


def test_host_arrays_need_no_note():
    value = Value(torchlike.zeros(2)._value.aval, np.zeros(2, np.float32))
    assert not ownership.has_lent([value.twin().array])


def test_a_compiled_step_copies_what_was_given_out():
    w = torchlike.zeros(4)
    f = torchlike.compile(lambda x: w.add_(x))
    for _ in range(3):
        f(torchlike.ones(4))
    given = torchlike.jax.to_jax(w)
    f(torchlike.ones(4))
    np.testing.assert_array_equal(given, [3.0] * 4)
    assert w.tolist() == [4.0] * 4
