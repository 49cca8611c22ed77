"""Objects of every kind, exchanged with PyTorch. `python -m tests.serialization.crossing` tests more objects."""

import io
import pickle

import pytest
import torch

import torchlike
from tests.oracle import both
from tests.serialization.crossing import cross, load_bytes, plain, refusal, save_bytes
from tests.serialization.crossing._make import KINDS


@pytest.mark.one_in(3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", range(len(KINDS)), ids=list(KINDS))
def test_an_object_of_each_kind(number):
    for writer, reader in ((torch, torchlike), (torchlike, torch)):
        result = cross(number, writer, reader)
        assert result.ways and not result.failures


FUNCTIONS = [
    lambda T: T.relu,
    lambda T: T.nn.functional.gelu,
    lambda T: T.Tensor.add,
    lambda T: T.linalg.norm,
    lambda T: T.special.expit,
    lambda T: T.nn.init.zeros_,
]


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_functions_of_pytorch_are_found(number):
    found = load_bytes(torchlike, save_bytes(torch, FUNCTIONS[number](torch)), weights_only=False)
    assert found is FUNCTIONS[number](torchlike)


def test_hooks_registered_after_loading_displace_none():
    layer = torch.nn.LazyLinear(2)
    for _ in range(5):
        layer.register_forward_pre_hook(print)
    found = load_bytes(torchlike, save_bytes(torch, layer), weights_only=False)
    count = len(found._forward_pre_hooks)
    for _ in range(10):
        found.register_forward_pre_hook(print)
    assert len(found._forward_pre_hooks) == count + 10


def test_a_lazy_layer_and_a_recurrent_one_work_after_crossing():
    for T, other in ((torch, torchlike), (torchlike, torch)):
        lazy = load_bytes(other, save_bytes(T, T.nn.LazyLinear(2)), weights_only=False)
        assert lazy(other.ones(3, 4)).shape == (3, 2) and type(lazy) is other.nn.Linear
        lstm = T.nn.LSTM(2, 3)
        found = load_bytes(other, save_bytes(T, lstm), weights_only=False)
        expected, result = (x(A.ones(4, 1, 2))[0].tolist() for A, x in ((T, lstm), (other, found)))
        assert torch.allclose(torch.tensor(expected), torch.tensor(result))


@pytest.mark.parametrize("args", [((1, 2),), ((1, 2), {}), ((1,),), (), ((1, 2), None), (1,)])
def test_named_results_are_made_as_pytorchs(args):
    expected, found = (refusal(lambda T=T: T.return_types.max(*args)) for T in (torch, torchlike))
    assert found[0] == expected[0]
    if args:
        assert found == expected


def test_named_results_are_pickled_as_pytorchs():
    both(lambda T: pickle.loads(pickle.dumps(T.max(T.eye(2), 0))))
    found = torch.load(io.BytesIO(save_bytes(torchlike, torchlike.sort(torchlike.ones(2)))), weights_only=False)
    assert plain(tuple(found)) == plain(tuple(torch.sort(torch.ones(2))))
