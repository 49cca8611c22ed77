"""`DataLoader`, compared with PyTorch: batches, random numbers and errors."""

import functools
import json
import subprocess
import sys
import warnings

import pytest
import torch

import torchlike
from tests.utils_data import workers
from tests.utils_data.judge import outcome, same


def rows(T):
    return T.utils.data.TensorDataset(T.arange(20.0).reshape(10, 2), T.arange(10))


def stream(T, length=None):
    members = {"__iter__": lambda s: iter(range(5))}
    if length is not None:
        members["__len__"] = lambda s: length
    return type("Numbers", (T.utils.data.IterableDataset,), members)()


def mapped(T, **members):
    members = {"__len__": lambda s: 4, "__getitem__": lambda s, i: i, **members}
    return type("Mapped", (T.utils.data.Dataset,), members)()


EPOCHS = {
    "in order": lambda T: (rows(T), {}),
    "batches": lambda T: (rows(T), {"batch_size": 3}),
    "full batches": lambda T: (rows(T), {"batch_size": 3, "drop_last": True}),
    "shuffled": lambda T: (rows(T), {"batch_size": 3, "shuffle": True}),
    "shuffled, own generator": lambda T: (
        rows(T),
        {"batch_size": 3, "shuffle": True, "generator": T.Generator().manual_seed(5)},
    ),
    "own generator": lambda T: (rows(T), {"generator": T.Generator().manual_seed(5)}),
    "single samples": lambda T: (rows(T), {"batch_size": None}),
    "single samples, shuffled": lambda T: (rows(T), {"batch_size": None, "shuffle": True}),
    "sampler": lambda T: (rows(T), {"sampler": [3, 1, -1], "batch_size": 2}),
    "sampler of tensors": lambda T: (rows(T), {"sampler": list(T.tensor([3, 1])), "batch_size": 2}),
    "sampler of lists": lambda T: (rows(T), {"sampler": [[0, 1], [2]], "batch_size": None}),
    "sampler too far": lambda T: (rows(T), {"sampler": [3, 17]}),
    "sampler of bools": lambda T: (rows(T), {"sampler": [True]}),
    "batch sampler": lambda T: (rows(T), {"batch_sampler": [[3], (1, 2), T.tensor([4, 5])]}),
    "batch sampler, empty batch": lambda T: (rows(T), {"batch_sampler": [[]]}),
    "weighted": lambda T: (rows(T), {"sampler": T.utils.data.WeightedRandomSampler(T.ones(10), 4), "batch_size": 2}),
    "subset": lambda T: (T.utils.data.Subset(rows(T), [7, 2, 5]), {"batch_size": 2}),
    "subset of a subset": lambda T: (
        T.utils.data.Subset(T.utils.data.Subset(rows(T), [7, 2, 5]), T.tensor([2, 0])),
        {"batch_size": 2},
    ),
    "split": lambda T: (T.utils.data.random_split(rows(T), [4, 6])[1], {"batch_size": 4, "shuffle": True}),
    "own collate": lambda T: (rows(T), {"batch_size": 2, "collate_fn": lambda batch: (len(batch), batch[0])}),
    "tensor that needs gradients": lambda T: (
        T.utils.data.TensorDataset(T.ones(3, 2, requires_grad=True)),
        {"batch_size": 2},
    ),
    "transposed": lambda T: (T.utils.data.TensorDataset(T.arange(6).reshape(2, 3).t()), {"batch_size": 2}),
    "overridden rows": lambda T: (
        type("Scaled", (T.utils.data.TensorDataset,), {"__getitem__": lambda s, i: s.tensors[0][i] * 10})(T.ones(3)),
        {"batch_size": 2},
    ),
    "a plain tensor": lambda T: (T.arange(4.0), {"batch_size": 3}),
    "a list": lambda T: ([1, 2, 3], {"batch_size": 2}),
    "a dict": lambda T: ({"a": 1, "b": 2}, {"sampler": ["b", "a"]}),
    "nothing": lambda T: ([], {}),
    "nothing, shuffled": lambda T: ([], {"shuffle": True}),
    "many at once": lambda T: (mapped(T, __getitems__=lambda s, i: [-j for j in i]), {"batch_size": 3}),
    "many at once switched off": lambda T: (mapped(T, __getitems__=None), {"batch_size": 3}),
    "stream": lambda T: (stream(T), {"batch_size": 2}),
    "stream, full batches": lambda T: (stream(T), {"batch_size": 2, "drop_last": True}),
    "stream, single samples": lambda T: (stream(T), {"batch_size": None}),
    "stream, shuffle=False": lambda T: (stream(T), {"shuffle": False}),
    "stream, shuffle=True": lambda T: (stream(T), {"shuffle": True}),
    "stream, sampler": lambda T: (stream(T), {"sampler": [0]}),
    "stream, batch sampler": lambda T: (stream(T), {"batch_sampler": [[0]]}),
    "not a sampler": lambda T: (rows(T), {"sampler": 3}),
    "not a function": lambda T: (rows(T), {"collate_fn": 3}),
    "pinned": lambda T: (rows(T), {"pin_memory": True}),
    "pinned to": lambda T: (rows(T), {"pin_memory": True, "pin_memory_device": "cuda"}),
    "truthy shuffle": lambda T: (rows(T), {"shuffle": "yes"}),
    "worker options": lambda T: (rows(T), {"worker_init_fn": print, "in_order": False}),
    **{
        str(options): lambda T, options=options: (rows(T), options)
        for options in (
            {"batch_size": 0},
            {"batch_size": -1},
            {"batch_size": 1.5},
            {"batch_size": True},
            {"batch_size": "a"},
            {"batch_size": None, "drop_last": True},
            {"num_workers": -1},
            {"num_workers": "a"},
            {"timeout": -1},
            {"timeout": 1},
            {"prefetch_factor": 2},
            {"prefetch_factor": 0},
            {"prefetch_factor": -1, "num_workers": 1},
            {"persistent_workers": True},
            {"shuffle": True, "sampler": [0]},
            {"batch_sampler": [[0]], "batch_size": 2},
            {"batch_sampler": [[0]], "shuffle": True},
            {"batch_sampler": [[0]], "drop_last": True},
            {"batch_sampler": [[0]], "sampler": [0]},
            {"drop_last": 3},
            {"drop_last": None},
            {"multiprocessing_context": "fork"},
        )
    },
}


@pytest.mark.parametrize("name", EPOCHS)
def test_two_epochs(name):
    def epochs(T):
        dataset, options = EPOCHS[name](T)
        loader = T.utils.data.DataLoader(dataset, **options)
        drawn = [list(loader), list(loader)]
        generator = options.get("generator")
        return drawn if generator is None else (drawn, T.rand(2, generator=generator))

    same(epochs)


@pytest.mark.parametrize(
    "options",
    [{}, {"batch_size": 3}, {"batch_size": 3, "drop_last": True}, {"batch_size": None}, {"batch_sampler": [[1], [2]]}],
)
def test_length(options):
    same(lambda T: len(T.utils.data.DataLoader(rows(T), **options)))
    if "batch_sampler" not in options:
        same(lambda T: len(T.utils.data.DataLoader(stream(T, 5), **options)))
    same(lambda T: len(iter(T.utils.data.DataLoader(rows(T), **options))))


def test_length_that_is_not_known():
    same(lambda T: len(T.utils.data.DataLoader(stream(T))))
    same(lambda T: len(T.utils.data.DataLoader([1], sampler=iter([0]))))


@pytest.mark.parametrize("batch_size", [None, 1, 2])
def test_stream_longer_than_it_said(batch_size):
    def epoch(T):
        loader = T.utils.data.DataLoader(stream(T, 3), batch_size=batch_size)
        return len(loader), list(loader)

    same(epoch)


def test_random_numbers_drawn_between_batches_do_not_disturb_the_order():
    def interleaved(T):
        loader = T.utils.data.DataLoader(rows(T), batch_size=4, shuffle=True)
        return [(batch, T.rand(2)) for batch in loader]

    same(interleaved)


def test_leaving_early():
    def leave(T):
        D = T.utils.data
        loader = D.DataLoader(rows(T), batch_size=4, sampler=D.RandomSampler(rows(T), generator=T.default_generator))
        iter(loader)
        return next(iter(loader)), next(iter(loader)), T.rand(1)

    same(leave)


@pytest.mark.parametrize(
    "name", ["batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"]
)
def test_fixed_attributes(name):
    same(lambda T: setattr(T.utils.data.DataLoader(rows(T)), name, 1))


def test_attributes():
    def seen(T):
        D = T.utils.data
        a, b, c = D.DataLoader([1, 2], shuffle=True), D.DataLoader([1], batch_sampler=[[0]]), D.DataLoader([1], None)
        names = [type(x).__name__ for x in (a.sampler, a.batch_sampler, b.sampler, b.batch_sampler, c.batch_sampler)]
        functions = [x.collate_fn.__name__ for x in (a, b, c)]
        plain = [(x.batch_size, x.drop_last, x.num_workers, x.timeout, x.pin_memory, x.generator) for x in (a, b, c)]
        return names, functions, plain

    same(seen)


def test_iterators_are_independent():
    def two(T):
        loader = T.utils.data.DataLoader([1, 2])
        a, b = iter(loader), iter(loader)
        return iter(a) is a, next(a), next(b), next(a)

    same(two)


def test_no_worker_in_the_main_process():
    assert torchlike.utils.data.get_worker_info() is None


@functools.cache
def _with_workers():
    """Return the results of loaders with workers in PyTorch and in torchlike.

    PyTorch forks its workers, so it runs in a new process without JAX and its threads.
    """
    command = [sys.executable, "-W", "ignore", workers.__file__, "torch"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as judge, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This DataLoader will create", UserWarning)  # more than the processors here
        ours = workers.results(torchlike)
        told, _ = judge.communicate(timeout=400)
    assert judge.returncode == 0
    return json.loads(told.splitlines()[-1]), json.loads(json.dumps(ours))


@pytest.mark.parametrize(
    "name",
    [
        "shuffled",
        "one",
        "more workers than batches",
        "persistent",
        "set up",
        "set up, persistent",
        "set up wrongly",
        "what is fixed",
        "weighted",
        "stream",
        "stream, full batches",
        "stream, single samples",
        "stream, persistent",
        "failing",
        "failing, persistent",
        "collated",
    ],
)
def test_workers(name):
    theirs, ours = _with_workers()
    assert ours.keys() == theirs.keys()
    assert ours[name] == theirs[name]


@pytest.mark.parametrize("context", ["nonsense", 3])
def test_contexts_that_are_none(context):
    same(lambda T: T.utils.data.DataLoader([1], num_workers=1, multiprocessing_context=context))


def test_attributes_of_a_loader_with_workers():
    def seen(T):
        loader = T.utils.data.DataLoader([1], num_workers=1, multiprocessing_context="spawn")
        return type(loader.multiprocessing_context).__name__, loader.prefetch_factor

    same(seen)


def test_signature_is_pytorchs():
    import inspect

    def names(T):
        return [(p.name, p.kind) for p in inspect.signature(T.utils.data.DataLoader).parameters.values()]

    assert names(torchlike) == names(torch)


def test_rows_are_gathered_at_once(monkeypatch):
    def forbidden(self, index):
        raise AssertionError("a sample was selected by itself")

    monkeypatch.setattr(torchlike.utils.data.dataset.TensorDataset, "__getitem__", forbidden)
    loader = torchlike.utils.data.DataLoader(rows(torchlike), batch_size=4, shuffle=True)
    expected = outcome(lambda T: list(T.utils.data.DataLoader(rows(T), batch_size=4, shuffle=True)), torch)
    torchlike.manual_seed(1234)
    assert outcome(lambda T: list(loader), torchlike) == expected


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # PyTorch's iterator has no workers
def test_a_prefetch_factor_of_zero_is_an_error():
    same(lambda T: list(T.utils.data.DataLoader([1, 2], num_workers=1, prefetch_factor=0)))


def test_the_warning_about_a_long_stream_names_the_workers():
    def load(T):
        loader = T.utils.data.DataLoader(stream(T, 3), num_workers=1)
        return len(loader), list(loader)

    expected, found = ([text for _, text in outcome(load, T)[1] if "Length of" in text] for T in (torch, torchlike))
    assert found == expected
    with pytest.warns(UserWarning, match="configuring the IterableDataset replica at each worker"):
        load(torchlike)


def test_an_iterator_whose_workers_were_shut_down_has_ended():
    def load(T):
        batches = iter(T.utils.data.DataLoader(range(6), num_workers=1))
        first = next(batches)
        batches._shutdown_workers()
        return first, list(batches)

    assert outcome(load, torchlike)[0] == outcome(load, torch)[0]  # the warnings about a fork depend on other tests
