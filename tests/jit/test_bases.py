"""Scripted modules whose classes extend layers of the library."""

import pytest
import torch

import torchlike
from tests.jit.compared import reloaded

pytestmark = pytest.mark.filterwarnings("ignore")


def _stack(L):
    class Stack(L.nn.Sequential):
        def forward(self, x):
            for i, layer in enumerate(self):
                x = layer(x) + i
            return x

    return Stack(L.nn.Linear(3, 3), L.nn.ReLU())


def _plain(L):
    class Named(L.nn.Sequential):
        pass

    return Named(L.nn.Linear(3, 3), L.nn.ReLU())


def _layer(L):
    class Scaled(L.nn.Linear):
        def __init__(self):
            super().__init__(3, 2)
            self.scale = 2.0

        def forward(self, x):
            return L.nn.functional.linear(x, self.weight, self.bias) * self.scale

    return Scaled()


def _named(L):
    class Block(L.nn.ModuleDict):
        def forward(self, x):
            for name, layer in self.items():
                if name != "skipped":
                    x = layer(x)
            return x

    return Block({"first": L.nn.Linear(3, 3), "skipped": L.nn.ReLU()})


@pytest.mark.parametrize("make", [_stack, _plain, _layer, _named], ids=lambda make: make.__name__)
def test_results_after_loading(make):
    ends = []
    for L in (torch, torchlike):
        L.manual_seed(0)
        module, x = make(L), L.arange(6.0).reshape(2, 3) - 2
        scripted = L.jit.script(module)
        ends.append([each(x).detach().numpy() for each in (module, scripted, reloaded(L, scripted))])
    for due, found in zip(*ends):
        torch.testing.assert_close(torch.from_numpy(found), torch.from_numpy(due))
