"""Unsupported kinds of tensors: the error of each name says which kind it belongs to, and `hasattr` returns False."""

import pytest
import torch

import torchlike
from tests.oracle import both

NAMES = (
    "quantize_per_tensor",
    "quantize_per_channel",
    "qint8",
    "quint4x2",
    "quantization",
    "QInt8Storage",
    "nested",
    "_nested_from_padded",
)


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    assert hasattr(torch, name) and not hasattr(torchlike, name)
    with pytest.raises(NotImplementedError, match=rf"^torch\.{name}: (quantized|nested) tensors are not supported"):
        getattr(torchlike, name)


@pytest.mark.parametrize("name", ["int_repr", "q_scale", "qscheme"])
def test_methods(name):
    t = torchlike.ones(2)
    assert hasattr(torch.Tensor, name) and not hasattr(t, name) and not hasattr(torchlike.Tensor, name)
    with pytest.raises(NotImplementedError, match=rf"^Tensor\.{name}: quantized tensors are not supported"):
        getattr(t, name)


def test_no_refused_name_exists_here():
    for name in vars(torchlike):
        torchlike._api.refused.refuse("torch", name)


@pytest.mark.parametrize("factory", ["zeros", "ones", "empty"])
def test_there_are_no_named_tensors(factory):
    both(lambda torch: getattr(torch, factory)(2, 3, names=("a", "b")))
    both(lambda torch: torch.full((2, 3), 1.0, names=("a", "b")))
