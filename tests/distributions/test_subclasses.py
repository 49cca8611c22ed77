"""Classes of users that extend distributions and transforms, compared with PyTorch."""

from types import ModuleType
from typing import Any

import pytest
import torch

import torchlike

BOTH = [pytest.param(torch, id="torch"), pytest.param(torchlike, id="torchlike")]


def learned_transform(lib: Any) -> type:
    class Learned(lib.distributions.Transform, lib.nn.Module):
        domain = codomain = lib.distributions.constraints.real
        bijective = True

        def __init__(self) -> None:
            super().__init__(cache_size=1)
            self.shift = lib.nn.Parameter(lib.tensor([1.0, 2.0]))

        def _call(self, x: Any) -> Any:
            return x + self.shift

        __hash__ = lib.nn.Module.__hash__

    return Learned


@pytest.mark.parametrize("lib", BOTH)
def test_a_transform_that_is_a_module(lib: ModuleType) -> None:
    transform = learned_transform(lib)()
    assert [name for name, _ in transform.named_parameters()] == ["shift"]
    assert transform(lib.tensor([0.5, 0.5])).tolist() == [1.5, 2.5]


@pytest.mark.parametrize("lib", BOTH)
def test_a_distribution_that_is_a_module(lib: Any) -> None:
    class Learned(lib.distributions.Distribution, lib.nn.Module):
        arg_constraints: dict = {}

        def __init__(self) -> None:
            super().__init__((), (2,), validate_args=True)
            self.loc = lib.nn.Parameter(lib.zeros(2))

    learned = Learned()
    assert [name for name, _ in learned.named_parameters()] == ["loc"]
    assert (type(learned.batch_shape), type(learned.event_shape)) == (tuple, tuple)


@pytest.mark.parametrize("lib", BOTH)
def test_the_shapes_of_a_distribution_without_arguments(lib: Any) -> None:
    class Plain(lib.distributions.Distribution):
        arg_constraints: dict = {}

    assert repr((Plain().batch_shape, Plain().event_shape)) == "(torch.Size([]), torch.Size([]))"


@pytest.mark.parametrize("lib", BOTH)
def test_expand_of_a_subclass_with_constraints_of_its_own(lib: Any) -> None:
    class Ordered(lib.distributions.Categorical):
        arg_constraints = {"score": lib.distributions.constraints.real}

        def __init__(self, score: Any) -> None:
            self.score = score
            super().__init__(lib.stack([score.sigmoid(), 1 - score.sigmoid()], -1))

        def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
            new = self._get_checked_instance(Ordered, _instance)
            new.score = self.score.expand(batch_shape)
            return super().expand(batch_shape, new)

    wide = Ordered(lib.tensor([0.0, 1.0])).expand((3, 2))
    assert (tuple(wide.score.shape), tuple(wide.probs.shape), tuple(wide.sample().shape)) == ((3, 2), (3, 2, 2), (3, 2))
