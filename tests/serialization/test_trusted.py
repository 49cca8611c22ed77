"""Files written by PyTorch and loaded with `weights_only=False`."""

import io
import pickle
from collections import Counter, OrderedDict

import pytest
import torch

import torchlike
from tests.serialization.crossing import load_bytes, plain, save_bytes
from torchlike.serialization._load import full_unpickler


def read(made, **options):
    return load_bytes(torchlike, save_bytes(torch, made, **options), weights_only=False)


def builtins(package):
    """Yield the builtin functions of PyTorch's package that torchlike has too."""
    theirs, ours = torch, torchlike
    for part in filter(None, package.split(".")):
        theirs, ours = getattr(theirs, part), getattr(ours, part)
    for name in dir(theirs):
        if type(getattr(theirs, name)) is type(torch.relu) and not name.startswith("_") and hasattr(ours, name):
            yield name, getattr(theirs, name), getattr(ours, name)


@pytest.mark.parametrize("package", ["", "nn.functional", "special", "linalg", "fft"])
def test_builtin_functions(package):
    found = list(builtins(package))
    assert len(found) > 15
    for name, theirs, ours in found:
        if name in ("fork", "wait"):  # these belong to TorchScript
            continue
        # Some functions in PyTorch's nn.functional are functions of the root module. torchlike has two separate
        # functions in these cases.
        assert read(theirs) in (ours, getattr(torchlike, name, None)), name


def test_functions_by_name():
    assert read(torch.relu)(torchlike.tensor([-1.0, 2.0])).tolist() == [0, 2]
    assert read(torch.nn.functional.gelu) is torchlike.nn.functional.gelu
    assert read(torch.special.erf) is torchlike.special.erf
    assert read(torch.linalg.svd) is torchlike.linalg.svd
    assert read(torch.Tensor.add)(torchlike.ones(1), 2).item() == 3


RESULTS = {
    "max": lambda T: T.max(T.tensor([[1.0, 2.0], [4.0, 3.0]]), 1),
    "sort": lambda T: T.tensor([3, 1, 2]).sort(),
    "svd": lambda T: T.linalg.svd(T.eye(2)),
    "slogdet": lambda T: T.linalg.slogdet(T.eye(2)),
    "topk": lambda T: T.topk(T.tensor([3, 1, 2]), 2),
}


@pytest.mark.parametrize("name", RESULTS)
def test_named_results(name):
    found = read(RESULTS[name](torch))
    expected = RESULTS[name](torchlike)
    assert type(found) is type(expected) and plain(tuple(found)) == plain(tuple(expected))


def note(*args):
    """Do nothing. The tests register this function as a hook."""


def test_modules_with_hooks():
    module = torch.nn.Linear(2, 1)
    handles = [module.register_forward_hook(note), module.register_forward_pre_hook(note)]
    handles.append(module.register_full_backward_hook(note))
    found, first = read((module, handles[0]))
    assert list(found._forward_hooks.values()) == [note] == list(found._forward_pre_hooks.values())
    assert found(torchlike.ones(1, 2)).shape == (1, 1)
    first.remove()
    assert not found._forward_hooks


class Holder:
    """An object with attributes."""


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("weights_only", [False, True])
def test_storages_anywhere(old, weights_only):
    tensor = torch.arange(3.0)
    ordered = OrderedDict()
    ordered.kept = tensor.storage()
    made = {"a": tensor, "s": tensor.storage(), "o": ordered, "l": [({1: tensor.storage()},)]}
    if not old:
        made["u"] = torch.ones(1).untyped_storage()
    if not weights_only:
        made["c"], made["h"] = Counter(x=tensor.storage()), Holder()
        made["h"].kept = tensor.storage()
    data = save_bytes(torch, made, _use_new_zipfile_serialization=not old)
    found = load_bytes(torchlike, data, weights_only=weights_only)
    held = [found["s"], found["o"].kept, found["l"][0][0][1]]
    held += [] if weights_only else [found["c"]["x"], found["h"].kept]
    for storage in held:
        assert type(storage) is torchlike.storage.TypedStorage and storage.tolist() == [0, 1, 2]
        assert storage.data_ptr() == found["a"].data_ptr() and storage.dtype is torchlike.float32
    held[-1][0] = 5.0
    assert found["a"].tolist() == [5, 1, 2]
    if not old:
        expected = load_bytes(torch, data, weights_only=weights_only)["u"]
        assert str(found["u"].dtype) == str(expected.dtype) and found["u"].tolist() == expected.tolist()


def test_a_storage_beside_a_tensor_of_another_dtype():
    tensor = torch.ones(4).to(torch.float8_e4m3fn)
    found = load_bytes(torchlike, save_bytes(torch, [tensor, tensor.untyped_storage()]))
    assert found[1].tolist() == tensor.untyped_storage().tolist()
    assert found[0].float().tolist() == [1, 1, 1, 1]


def test_generators():
    generator = torch.Generator()
    generator.manual_seed(3)
    torch.rand(5, generator=generator)
    found = read({"g": generator})["g"]
    assert type(found) is torchlike.Generator and found.initial_seed() == 3
    assert torchlike.rand(4, generator=found).tolist() == torch.rand(4, generator=generator).tolist()


def test_tensors_of_plain_pickles():
    made = {"a": torch.arange(4.0)[1:], "p": torch.nn.Parameter(torch.ones(2))}
    found = full_unpickler(pickle)(io.BytesIO(pickle.dumps(made))).load()
    assert plain(found) == plain(made)


def test_types():
    made = [torch.FloatTensor, torch.cuda.HalfTensor, torch.complex32, torch.float8_e5m2, torch.storage.TypedStorage]
    for weights_only in (True, False):
        found = load_bytes(torchlike, save_bytes(torch, made), weights_only=weights_only)
        assert found[:4] == [
            torchlike.FloatTensor,
            torchlike.cuda.HalfTensor,
            torchlike.complex32,
            torchlike.float8_e5m2,
        ]
