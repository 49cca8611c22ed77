"""Unsupported kinds of tensors: the error of each name says which kind it belongs to, and `hasattr` returns False."""

import pytest
import torch

import torchlike
from tests.oracle import both

NAMES = (
    "quantized_gru",
    "quantized_max_pool2d",
    "QInt8Storage",
    "_nested_from_padded",
)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_unsupported_kinds_of_tensors_raise(name):
    assert hasattr(torch, name) and not hasattr(torchlike, name)
    with pytest.raises(NotImplementedError, match=rf"^torch\.{name}: (quantized|nested) tensors are not supported"):
        getattr(torchlike, name)


def test_no_public_name_is_listed_as_refused():
    for name in vars(torchlike):
        torchlike._api.refused.refuse("torch", name)


@pytest.mark.parametrize("factory", ["zeros", "ones", "empty"])
def test_factories_treat_names_of_dims_as_pytorch(factory):
    both(lambda torch: getattr(torch, factory)(2, 3, names=("a", "b")))
    both(lambda torch: torch.full((2, 3), 1.0, names=("a", "b")))


def _unusable():
    from torchlike.package import PackageExporter, PackageImporter
    from torchlike.utils.mobile_optimizer import optimize_for_mobile

    return {
        "package.PackageExporter": lambda: PackageExporter("file"),
        "package.PackageImporter": lambda: PackageImporter("file"),
        "utils.mobile_optimizer.optimize_for_mobile": lambda: optimize_for_mobile(torchlike.nn.ReLU()),
    }


@pytest.mark.parametrize("name", list(_unusable()))
def test_import_only_names_raise_when_called(name):
    with pytest.raises(NotImplementedError, match=rf"^torch\.{name} is not supported by torchlike; use|; save"):
        _unusable()[name]()
