"""Stores return PyTorch's results, in one process and from several threads."""

import threading
from datetime import timedelta

import pytest
import torch

import torchlike
from tests.oracle import both

SOON = timedelta(milliseconds=30)
STORES = {
    "hash": lambda D, path: D.HashStore(),
    "tcp": lambda D, path: D.TCPStore("127.0.0.1", 0, 1, True, timedelta(seconds=5)),
    "file": lambda D, path: D.FileStore(str(path / D.__name__), 1),
    "prefix": lambda D, path: D.PrefixStore("before", D.HashStore()),
}
PROGRAMS = {
    "set and get": lambda s: [s.set("a", "b"), s.get("a"), s.set("a", b"c"), s.get("a"), s.num_keys()],
    "bytes": lambda s: [s.set("a", b"\xff\x00\n"), s.get("a")],
    "add": lambda s: [s.add("n", 2), s.add("n", -5), s.get("n")],
    "check": lambda s: [s.set("a", "1"), s.check(["a"]), s.check(["a", "b"]), s.check(["b"])],
    "delete": lambda s: [s.set("a", "1"), s.delete_key("a"), s.delete_key("a"), s.check(["a"])],
    "compare_set": lambda s: [
        s.compare_set("k", "", "v"),
        s.compare_set("k", "v", "w"),
        s.compare_set("k", "x", "y"),
        s.get("k"),
        s.compare_set("none", "a", "b"),
    ],
    "wait": lambda s: [s.set("a", "1"), s.wait(["a"]), s.wait(["a"], SOON)],
    "timeout": lambda s: [s.set_timeout(SOON), s.timeout],
}
WRONG = {
    "get": lambda s: s.get(3),
    "set": lambda s: s.set("a", 3),
    "check": lambda s: s.check(3),
    "wait": lambda s: s.wait("a", SOON),
}
LATE = {
    "hash": lambda s: s.wait(["m"], SOON),
    "tcp": lambda s: s.wait(["m", "n"], SOON),
    "hash, get": lambda s: [s.set_timeout(SOON), s.get("m")],
    "prefix": lambda s: s.wait(["m"], SOON),
}
SEVERAL = {
    "append": lambda s: [s.set("a", "1"), s.append("a", "2"), s.get("a")],
    "multi": lambda s: [s.multi_set(["a", "b"], ["1", "2"]), s.multi_get(["b", "a"]), s.has_extended_api()],
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("kind", STORES)
def test_stores(kind, name, tmp_path):
    if (kind, name) != ("file", "delete"):  # in a file store, PyTorch reports that a deleted key still exists
        both(lambda L: PROGRAMS[name](STORES[kind](L.distributed, tmp_path)))


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("kind", ["hash", "tcp", "prefix"])
def test_several_keys(kind, name, tmp_path):
    both(lambda L: SEVERAL[name](STORES[kind](L.distributed, tmp_path)))


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("kind", STORES)
def test_wrong_arguments(kind, name, tmp_path):
    for L in torch, torchlike:
        with pytest.raises(TypeError, match=rf"{name}\(\): incompatible function arguments"):
            WRONG[name](STORES[kind](L.distributed, tmp_path))


@pytest.mark.parametrize("name", LATE)
def test_keys_that_do_not_come(name, tmp_path):
    both(lambda L: LATE[name](STORES[name.partition(",")[0]](L.distributed, tmp_path)))


@pytest.mark.parametrize("kind", STORES)
def test_a_key_that_another_thread_sets(kind, tmp_path):
    store = STORES[kind](torchlike.distributed, tmp_path)
    threading.Timer(0.05, lambda: store.set("late", "here")).start()
    assert store.get("late") == b"here"
    adding = [threading.Thread(target=lambda: [store.add("n", 1) for _ in range(20)]) for _ in range(4)]
    for thread in adding:
        thread.start()
    for thread in adding:
        thread.join()
    assert store.add("n", 0) == 80


def test_no_server():
    both(lambda L: L.distributed.TCPStore("127.0.0.1", 1, 2, False, timedelta(milliseconds=100)))


def test_two_stores_of_one_server():
    D = torchlike.distributed
    first = D.TCPStore("127.0.0.1", 0, is_master=True)
    second = D.TCPStore("127.0.0.1", first.port)
    second.set("a", "1")
    assert first.get("a") == b"1" and first.list_keys() == ["a"]
    with pytest.raises(D.DistNetworkError, match="failed to listen on port"):
        D.TCPStore("127.0.0.1", first.port, is_master=True)
    with pytest.raises(TypeError, match="a text or bytes, got int"):
        first.set("a", 3)


def test_prefixes():
    both(lambda L: prefixes(L.distributed))


def prefixes(D):
    below = D.HashStore()
    store = D.PrefixStore("a", D.PrefixStore("b", below))
    store.set("k", "v")
    below.set("other", "x")
    store.set_timeout(SOON)
    counts = below.num_keys(), store.num_keys(), below.timeout
    return below.get("b/a/k"), store.get("k"), store.underlying_store.get("a/k"), store.check(["k"]), counts


@pytest.mark.parametrize("kind", STORES)
def test_a_value_that_is_not_a_number(kind, tmp_path):
    store = STORES[kind](torchlike.distributed, tmp_path)
    store.set("a", "b")
    with pytest.raises(ValueError, match=r"stoll: the value of the key '.*a' is not a whole number"):
        store.add("a", 1)
    assert store.get("a") == b"b"
