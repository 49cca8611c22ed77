"""Datasets and random_split, compared with PyTorch."""

import pytest

from tests.utils_data.judge import same


class Stream:
    """A mixin for each library's IterableDataset."""

    def __iter__(self):
        return iter(range(3))

    def __len__(self):
        return 3


def stream(T):
    return type("Numbers", (Stream, T.utils.data.IterableDataset), {})()


def plain_dataset(T, **members):
    return type("Plain", (T.utils.data.Dataset,), members)()


CASES = {
    "tensor": lambda T, D: [D.TensorDataset(T.arange(6).reshape(3, 2), T.arange(3.0))[i] for i in (0, -1, slice(1, 3))],
    "tensor length": lambda T, D: len(D.TensorDataset(T.arange(6).reshape(3, 2))),
    "tensor sizes": lambda T, D: D.TensorDataset(T.ones(2), T.ones(3)),
    "tensor out of range": lambda T, D: D.TensorDataset(T.ones(2))[2],
    "tensor without dims": lambda T, D: D.TensorDataset(T.tensor(1.0)),
    "tensor of a list": lambda T, D: D.TensorDataset([1, 2]),
    "stack": lambda T, D: [D.StackDataset([1, 2], "ab")[1], len(D.StackDataset([1, 2]))],
    "stack named": lambda T, D: D.StackDataset(a=[1, 2], b="ab")[1],
    "stack many": lambda T, D: D.StackDataset([1, 2], D.Subset("abc", [2, 0])).__getitems__([1, 0]),
    "stack many named": lambda T, D: D.StackDataset(n=[1, 2], l="ab").__getitems__([1, 0]),
    "stack sizes": lambda T, D: D.StackDataset([1, 2], [1]),
    "stack named sizes": lambda T, D: D.StackDataset(a=[1, 2], b=[1]),
    "stack of nothing": lambda T, D: D.StackDataset(),
    "stack of both": lambda T, D: D.StackDataset([1], a=[1]),
    "stack, short answer": lambda T, D: D.StackDataset(
        plain_dataset(T, __len__=lambda s: 2, __getitems__=lambda s, i: [0])
    ).__getitems__([0, 1]),
    "concat": lambda T, D: [D.ConcatDataset([[1, 2], [3], [], [4]])[i] for i in (0, 1, 2, 3, -1, -4)],
    "concat sizes": lambda T, D: D.ConcatDataset([[1, 2], [3]]).cumulative_sizes,
    "concat misspelt": lambda T, D: D.ConcatDataset([[1, 2], [3]]).cummulative_sizes,
    "concat too low": lambda T, D: D.ConcatDataset([[1, 2], [3]])[-4],
    "concat too high": lambda T, D: D.ConcatDataset([[1, 2], [3]])[5],
    "concat of nothing": lambda T, D: D.ConcatDataset([]),
    "concat of streams": lambda T, D: D.ConcatDataset([stream(T)]),
    "sum": lambda T, D: list(D.Subset("abc", [0]) + D.Subset("abc", [2])),
    "sum, no length": lambda T, D: D.Dataset() + D.Dataset(),
    "chain": lambda T, D: [list(stream(T) + stream(T)), len(stream(T) + stream(T))],
    "chain of lists": lambda T, D: list(D.ChainDataset([[1]])),
    "chain of lists, length": lambda T, D: len(D.ChainDataset([[1]])),
    "subset": lambda T, D: [D.Subset("abcd", [3, 1])[1], len(D.Subset("abcd", [3, 1]))],
    "subset of a tensor": lambda T, D: D.Subset(T.arange(5), [4, 3, 2])[[0, 2]],
    "subset by a tensor": lambda T, D: D.Subset(T.arange(5), T.tensor([4, 3, 2]))[1],
    "subset many": lambda T, D: D.Subset("abcd", [3, 1]).__getitems__([1, 0]),
    "subset many at once": lambda T, D: D.Subset(
        plain_dataset(T, __getitems__=lambda s, i: [-j for j in i]), [3, 1]
    ).__getitems__([1, 0]),
    "base": lambda T, D: D.Dataset()[0],
    "base length": lambda T, D: len(D.Dataset()),
    "stream without iter": lambda T, D: D.IterableDataset(),
    "generic": lambda T, D: str(D.Dataset[int]).split(".")[-1],
}


@pytest.mark.parametrize("name", CASES)
def test_datasets(name):
    same(lambda T: CASES[name](T, T.utils.data))


@pytest.mark.parametrize(
    "lengths",
    [
        [3, 7],
        [10],
        [0, 10],
        [0.5, 0.5],
        [0.3, 0.3, 0.4],
        [0.25, 0.75],
        [1.0],
        [0.1] * 10,
        [0.01, 0.99, 0.0],
        [3, 3],
        [0.3, 0.3],
        [-0.3, 1.3],
        [1.3, -0.3],
        [0.7, 0.7],
        [11, -1],
    ],
)
@pytest.mark.parametrize("own", [False, True])
def test_random_split(lengths, own):
    def split(T):
        options = {"generator": T.Generator().manual_seed(3)} if own else {}
        return [list(part.indices) for part in T.utils.data.random_split(range(10), lengths, **options)]

    same(split)
