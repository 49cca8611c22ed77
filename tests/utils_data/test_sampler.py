"""Samplers, compared with PyTorch: indices, and the generators' state afterwards."""

import pytest

from tests.utils_data.judge import same


def data(T):
    return T.utils.data


ORDERS = {
    "sequential": lambda D, **g: D.SequentialSampler(range(7)),
    "random": lambda D, **g: D.RandomSampler(range(7), **g),
    "random, fewer": lambda D, **g: D.RandomSampler(range(7), num_samples=3, **g),
    "random, several rounds": lambda D, **g: D.RandomSampler(range(7), num_samples=14, **g),
    "random, rounds and a rest": lambda D, **g: D.RandomSampler(range(7), num_samples=17, **g),
    "with replacement": lambda D, **g: D.RandomSampler(range(7), replacement=True, **g),
    "with replacement, one block": lambda D, **g: D.RandomSampler(range(7), True, 32, **g),
    "with replacement, blocks and a rest": lambda D, **g: D.RandomSampler(range(7), True, 70, **g),
    "subset": lambda D, **g: D.SubsetRandomSampler([3, 5, 9, 11], **g),
    "weighted": lambda D, **g: D.WeightedRandomSampler([0.1, 3.0, 0.5, 0.0], 6, **g),
    "weighted, without replacement": lambda D, **g: D.WeightedRandomSampler([0.1, 3.0, 0.5, 2.0], 3, False, **g),
    "batches": lambda D, **g: D.BatchSampler(D.RandomSampler(range(7), **g), 3, False),
    "full batches": lambda D, **g: D.BatchSampler(D.RandomSampler(range(7), **g), 3, True),
}


@pytest.mark.parametrize("name", ORDERS)
def test_order_from_the_default_generator(name):
    def twice(T):
        sampler = ORDERS[name](data(T))
        return len(sampler), list(sampler), list(sampler)

    same(twice)


@pytest.mark.parametrize("name", ORDERS)
def test_order_from_a_given_generator(name):
    def twice(T):
        generator = T.Generator()
        generator.manual_seed(99)
        sampler = ORDERS[name](data(T), generator=generator)
        return list(sampler), list(sampler), T.rand(3, generator=generator)

    same(twice)


def test_seed_is_drawn_when_the_first_index_is_asked_for():
    def first(T):
        it = iter(data(T).RandomSampler(range(5)))
        before = T.get_rng_state().tolist()
        next(it)
        return before == T.get_rng_state().tolist()

    same(first)


REFUSED = {
    "no samples": lambda D: D.RandomSampler([]),
    "zero": lambda D: D.RandomSampler(range(3), num_samples=0),
    "negative": lambda D: D.RandomSampler(range(3), num_samples=-1),
    "float": lambda D: D.RandomSampler(range(3), num_samples=1.5),
    "replacement": lambda D: D.RandomSampler(range(3), replacement=1),
    "weighted zero": lambda D: D.WeightedRandomSampler([1, 2], 0),
    "weighted float": lambda D: D.WeightedRandomSampler([1, 2], 1.0),
    "weighted bool": lambda D: D.WeightedRandomSampler([1, 2], True),
    "weights of two dims": lambda D: D.WeightedRandomSampler([[1, 2]], 2),
    "weighted replacement": lambda D: D.WeightedRandomSampler([1, 2], 2, 1),
    "too many without replacement": lambda D: list(D.WeightedRandomSampler([1.0, 2.0], 5, False)),
    "batch of none": lambda D: D.BatchSampler([1], 0, True),
    "batch of a float": lambda D: D.BatchSampler([1], 1.0, True),
    "batch of a bool": lambda D: D.BatchSampler([1], True, True),
    "batch of a string": lambda D: D.BatchSampler([1], "a", True),
    "drop_last": lambda D: D.BatchSampler([1], 1, 1),
    "not a sampler": lambda D: list(D.BatchSampler(3, 1, True)),
    "base class": lambda D: list(D.Sampler()),
    "base class, length": lambda D: len(D.Sampler()),
    "distributed without a group": lambda D: D.DistributedSampler(range(3)),
    "rank too large": lambda D: D.DistributedSampler(range(3), 2, 2),
    "rank negative": lambda D: D.DistributedSampler(range(3), 2, -1),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    same(lambda T: REFUSED[name](data(T)))


@pytest.mark.parametrize("options", [{}, {"shuffle": False}, {"drop_last": True}, {"seed": 5}])
@pytest.mark.parametrize("size", [2, 10, 11])
def test_distributed_shares(size, options):
    def shares(T):
        samplers = [data(T).DistributedSampler(range(size), 3, rank, **options) for rank in range(3)]
        samplers[1].set_epoch(4)
        return [(len(s), list(s)) for s in samplers]

    same(shares)
