"""Classes are pickled under the module in which PyTorch defines them."""

import importlib
import io
import operator
import pickle
import pickletools

import pytest
import torch

import torchlike
from tests.serialization.crossing import LIBRARIES, load_bytes, save_bytes
from torchlike.serialization import _homes
from torchlike.serialization._names import torch_name

PACKAGES = [
    "nn",
    "nn.functional",
    "nn.parameter",
    "nn.utils",
    "nn.utils.parametrizations",
    "nn.attention.flex_attention",
    "nn.modules.module",
    "optim",
    "optim.lr_scheduler",
    "optim.swa_utils",
    "distributions",
    "distributions.transforms",
    "distributions.constraints",
    "utils.data",
    "autograd",
    "autograd.graph",
    "amp",
    "cuda",
    "cuda.amp",
    "fx",
    "profiler",
    "linalg",
    "random",
    "functional",
]


def defined(package):
    """Yield each class and Python function that both packages define, with its name."""
    theirs, ours = (importlib.import_module(f"{T.__name__}.{package}") for T in LIBRARIES)
    for name in sorted(set(dir(theirs)) & set(dir(ours))):
        a, b = getattr(theirs, name), getattr(ours, name)
        if name.startswith("_") or not all(isinstance(x, type | type(defined)) for x in (a, b)):
            continue
        if a.__module__.startswith("torch") and a.__qualname__ == b.__qualname__ == name:
            yield name, a, b


def written(data):
    """Return the first global name in a pickle."""
    return next(str(arg) for op, arg, _ in pickletools.genops(data) if op.name == "GLOBAL")


@pytest.mark.parametrize("package", PACKAGES)
def test_names_are_pytorchs(package):
    found = {name: torch_name(b) for name, _, b in defined(package)}
    assert found == {name: tuple(written(pickle.dumps(a, 2)).split(" ")) for name, a, _ in defined(package)}


def test_enough_is_compared():
    assert sum(1 for package in PACKAGES for _ in defined(package)) > 500


@pytest.mark.parametrize("package", ["linalg", "fft", "special", "nn.functional"])
def test_builtin_functions_can_be_found_in_pytorch(package):
    theirs, ours = (importlib.import_module(f"{T.__name__}.{package}") for T in LIBRARIES)
    builtins = [n for n in dir(theirs) if isinstance(getattr(theirs, n), type(torch.relu)) and not n.startswith("_")]
    named = [torch_name(getattr(ours, n)) for n in builtins if isinstance(getattr(ours, n, None), type(defined))]
    assert len(named) > 15
    assert all(hasattr(importlib.import_module(module), name) for module, name in filter(None, named))


@pytest.mark.parametrize("place", ["", "Tensor", "fft", "linalg", "special", "nn.functional"])
def test_plain_pickles_of_functions_and_methods(place):
    space = operator.attrgetter(place)(torchlike) if place else torchlike
    functions = [found for name, found in vars(space).items() if isinstance(found, type(defined)) and name[0] != "_"]
    assert len(functions) > 15
    assert [pickle.loads(pickle.dumps(found)) for found in functions] == functions


def test_a_module_loads_in_pytorch_under_safe_globals():
    model = torchlike.nn.Sequential(torchlike.nn.Linear(2, 3), torchlike.nn.Dropout(0.5))
    safe = [torch.nn.Sequential, torch.nn.Linear, torch.nn.Dropout, set]
    with torch.serialization.safe_globals(safe):
        found = torch.load(io.BytesIO(save_bytes(torchlike, model)), weights_only=True)
    assert type(found[1]) is torch.nn.Dropout
    assert found[0].weight.tolist() == model[0].weight.tolist()


@pytest.mark.parametrize("writer", LIBRARIES)
@pytest.mark.parametrize("reader", LIBRARIES)
def test_whole_optimizers_cross(writer, reader):
    parameter = writer.nn.Parameter(writer.ones(2))
    data = save_bytes(writer, writer.optim.AdamW([parameter], lr=0.5))
    found = load_bytes(reader, data, weights_only=False)
    assert type(found) is reader.optim.AdamW and found.param_groups[0]["lr"] == 0.5


def test_every_listed_place_exists():
    for path in (*_homes._MODULES, *filter(None, _homes._OFFERED)):
        assert importlib.import_module(f"torchlike.{path}")
    for path in _homes._NAMES:
        module, _, name = f"torchlike.{path}".rpartition(".")
        assert hasattr(importlib.import_module(module), name), path
