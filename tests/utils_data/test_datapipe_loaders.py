"""Loaders of data pipes, compared with PyTorch: orders, shares of workers, seeds of epochs and warnings."""

import random
import warnings
from importlib import import_module

import pytest
import torch

import torchlike


def add(x):
    return x + 1


def init(number):
    random.seed(number)


def names(library):
    """Return the names that the expressions use."""
    data = library.utils.data
    pipes = f"{library.__name__}.utils.data.datapipes"
    wrapper = import_module(f"{pipes}.iter").IterableWrapper

    def loads(pipe, epochs=2, **options):
        library.manual_seed(0)
        loader = data.DataLoader(pipe, **options)
        batches = [[b.tolist() if hasattr(b, "tolist") else b for b in loader] for _ in range(epochs)]
        return batches, library.randint(100, (1,)).item()

    return {
        **{"loads": loads, "R": lambda n=10: wrapper(range(n)), "Q": import_module(f"{pipes}.map").SequenceWrapper},
        **{"add": add, "init": init, "torch": library, "D": data},
    }


def seen(library, source):
    """Return the result of an expression or its error as text, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = repr(eval(source, names(library)))
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    texts = [
        str(each.message) for each in caught if "process" not in str(each.message) and "fork" not in str(each.message)
    ]
    return result.replace("torchlike.", "torch."), texts


SOURCES = [
    "loads(R(),batch_size=4)",
    "loads(R().shuffle(),batch_size=4)",
    "loads(R().shuffle(),batch_size=4,shuffle=True)",
    "loads(R().shuffle(),batch_size=4,shuffle=False)",
    "loads(R(),shuffle=True)",
    "loads(R().sharding_filter(),batch_size=4)",
    "loads(R().shuffle().sharding_filter().map(add),batch_size=3)",
    "loads(R().shuffle().batch(3).collate(),batch_size=None)",
    "len(D.DataLoader(R(),batch_size=3))",
    "len(D.DataLoader(R().unbatch(),batch_size=3))",
    "type(D.DataLoader(R()).dataset).__name__",
    "repr(D.DataLoader(R()).dataset)",
    "loads(R(),sampler=[1])",
    "loads(Q(range(10)).map(add),batch_size=4)",
    "loads(Q(range(10)).map(add),batch_size=4,shuffle=True)",
    "loads(Q(range(10)).shuffle(),batch_size=4)",
    "len(D.DataLoader(Q(range(5)),batch_size=2))",
    "loads(R().shuffle(),generator=torch.Generator().manual_seed(3),batch_size=5)",
    "type(D.DataLoader(Q([1])).dataset).__name__",
    "loads(R(),batch_size=4,num_workers=2)",
    "loads(R().sharding_filter(),batch_size=2,num_workers=2)",
    "loads(R().shuffle().sharding_filter(),batch_size=2,num_workers=2)",
    "loads(R().shuffle().sharding_filter().map(add),batch_size=2,num_workers=2,shuffle=True,worker_init_fn=init)",
    "loads(R().shuffle().sharding_filter(),batch_size=2,num_workers=2,shuffle=False)",
    "loads(R().shuffle().sharding_filter(),batch_size=2,num_workers=2,persistent_workers=True,epochs=3)",
    "loads(Q(range(6)).map(add),batch_size=2,num_workers=2,shuffle=True)",
    "loads(R().shuffle().sharding_filter().map(lambda x:x),batch_size=5,num_workers=2)",
    "loads(R().sharding_filter().shuffle(),batch_size=2,num_workers=2)",
    "loads(R(4).shuffle(),num_workers=2,batch_size=2)",
]


@pytest.mark.parametrize("source", SOURCES)
def test_same(source):
    assert seen(torchlike, source) == seen(torch, source)
