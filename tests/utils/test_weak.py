"""`utils.weak`: dictionaries keyed by identity with weak keys, in both libraries."""

import copy
import gc

import pytest
import torch
import torch.utils.weak

import torchlike
from tests.oracle import both


def filled(L, n=3):
    """Return equal tensors, and a dictionary from each tensor to its index."""
    keys = [L.ones(2) for _ in range(n)]
    return keys, L.utils.weak.WeakTensorKeyDictionary({k: i for i, k in enumerate(keys)})


def found(dictionary, keys):
    """Return the items of the dictionary, with each key replaced by its index."""
    places = {id(key): i for i, key in enumerate(keys)}
    return [(places[id(key)], value) for key, value in dictionary.items()]


def equal_keys(L):
    keys, d = filled(L)
    return found(d, keys), len(d), d[keys[1]], keys[1] in d, L.ones(2) in d, 3 in d, len(list(d)), list(d.values())


def dying(L):
    keys, d = filled(L)
    del keys[1]
    gc.collect()
    return len(d), list(d.values()), [r() is k for r, k in zip(d.keyrefs(), keys)]


def dying_while_looked_at(L):
    keys, d = filled(L)
    seen = []
    for _, value in d.items():
        seen.append(value)
        del keys[2:]
        gc.collect()
    return seen, len(d)


def changed(L):
    keys, d = filled(L)
    d[keys[0]] = 7
    del d[keys[1]]
    missing = d.get(keys[1]), d.get(keys[1], 5), d.pop(keys[1], 6), d.setdefault(keys[1], 9), d.setdefault(keys[0], 9)
    last = d.popitem()
    return missing, last[0] is keys[1], last[1], d.pop(keys[0]), found(d, keys)


def missing(L):
    _, d = filled(L)
    try:
        d[L.ones(2)]
    except KeyError as error:
        return type(error.args[0]).__name__


def copied(L):
    keys, d = filled(L)
    d[keys[0]] = [1]
    shallow, alike, deep = d.copy(), copy.copy(d), copy.deepcopy(d)
    d[keys[0]].append(2)
    return [found(x, keys) for x in (d, shallow, alike, deep)], d == shallow, d == deep, d == {}, d == 3, deep != d


def joined(L):
    keys, d = filled(L)
    more = {keys[0]: "new", (other := L.zeros(1)): "other"}
    all_keys = [*keys, other]
    results = [found(d | more, all_keys), found(more | d, all_keys)]
    d |= more
    d.update()
    d.update([(keys[1], "pair")])
    return results, found(d, all_keys)


def references(L):
    a, b = L.ones(2), L.ones(2)
    weak = L.utils.weak
    r, s, t = weak.WeakIdRef(a), weak.WeakIdRef(a), weak.WeakIdRef(b)
    alive = r == s, r == t, hash(r) == hash(s) == id(a), r() is a
    died = []
    w, x = weak.TensorWeakRef(a), weak.WeakIdRef(a, died.append)
    before = w() is a
    del a
    gc.collect()
    return alive, before, w(), r() is s() is x() is None, r == s, r == r, [each is x for each in died]


PROGRAMS = {
    f.__name__: f for f in (equal_keys, dying, dying_while_looked_at, changed, missing, copied, joined, references)
} | {
    "dictionary": lambda L: type(L.utils.weak.WeakIdKeyDictionary()).__name__,
    "pop what is not there": lambda L: type(outcome_of(lambda: filled(L)[1].pop(L.ones(1)))),
    "same class": lambda L: L.utils.weak.WeakTensorKeyDictionary is L.utils.weak.WeakIdKeyDictionary,
    "of an unhashable class": lambda L: outcome_of(lambda: hash(filled(L)[1])),
    "reference to a number": lambda L: L.utils.weak.TensorWeakRef(3),
    "key without references": lambda L: L.utils.weak.WeakIdKeyDictionary({3: 4}),
}


def outcome_of(program):
    try:
        return program()
    except (KeyError, TypeError) as error:
        return str(error) if isinstance(error, TypeError) else error


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_pytorch(name):
    both(PROGRAMS[name])


def test_the_dictionary_itself_is_let_go():
    """Check that the dictionary is in no reference cycle: it is freed at once, while its keys live."""
    keys, d = filled(torchlike)
    reference = torch.utils.weak.WeakIdRef(d)
    gc.disable()
    try:
        del d
        assert reference() is None and len(keys) == 3
    finally:
        gc.enable()
