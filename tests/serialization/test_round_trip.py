"""Files saved by one library and loaded by either, with and without `weights_only=True`."""

import collections
import copy
import io
import pickle
import pickletools
import zipfile

import numpy as np
import pytest
import torch

import torchlike
from tests.serialization.crossing import LIBRARIES, load_bytes, plain, save_bytes

DTYPES = "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128"

OBJECTS = {
    "tensor": lambda T: T.arange(6.0).reshape(2, 3),
    "scalar": lambda T: T.tensor(3),
    "empty": lambda T: T.empty(0, 3),
    "requires grad": lambda T: T.ones(2, requires_grad=True),
    "parameter": lambda T: T.nn.Parameter(T.ones(2)),
    "frozen parameter": lambda T: T.nn.Parameter(T.ones(2), requires_grad=False),
    "transposed": lambda T: T.arange(6.0).reshape(2, 3).t(),
    "slice": lambda T: T.arange(10.0)[2:7:2],
    "empty slice": lambda T: T.arange(3.0)[:0],
    "expanded": lambda T: T.arange(3.0).expand(2, 3),
    "shared": lambda T: (lambda x: [x, x.t(), x[1], x.detach()])(T.arange(6.0).reshape(2, 3)),
    "view before base": lambda T: (lambda x: [x[1], x.t(), x])(T.arange(6.0).reshape(2, 3)),
    "the same tensor twice": lambda T: [T.ones(2)] * 2,
    "attribute": lambda T: _tagged(T.arange(3.0)),
    "parameter with attribute": lambda T: _tagged(T.nn.Parameter(T.ones(1))),
    "meta": lambda T: T.empty(3, 2, device="meta"),
    "containers": lambda T: {
        "list": [T.ones(2), "text", 1, 2.5, None, True],
        "tuple": (1, (2, 3)),
        3: {"nested": {}},
        "bytes": b"abc",
        "set": {1, 2},
        "complex": 1j,
        "bytearray": bytearray(b"x"),
        "big": 10**30,
        "negative": -70000,
        "ü": "ß" * 300,
        "ordered": collections.OrderedDict(a=1, b=T.zeros(1)),
        "counter": collections.Counter("aab"),
    },
    "things of torch": lambda T: [T.float32, T.bool, T.bfloat16, T.Size([1, 2]), T.device("cpu"), T.device("cuda", 1)],
    "metadata": lambda T: _with_metadata(collections.OrderedDict(weight=T.ones(2, 2))),
    "optimizer state": lambda T: {
        "state": {0: {"step": T.tensor(3.0), "exp_avg": T.ones(2), "exp_avg_sq": T.zeros(2)}, 1: {}},
        "param_groups": [{"lr": 0.1, "betas": (0.9, 0.999), "amsgrad": False, "foreach": None, "params": [0, 1]}],
    },
    "self-reference": lambda T: _self_reference(),
    **{dtype: lambda T, dtype=dtype: T.tensor([0, 1, 1, 0]).to(getattr(T, dtype)) for dtype in DTYPES.split()},
}


def _tagged(tensor):
    tensor.tag = {"a": 1}
    return tensor


def _with_metadata(state):
    state._metadata = collections.OrderedDict({"": {"version": 2}})
    return state


def _self_reference():
    cell = []
    cell.append({"cell": 1, "list": cell})
    return cell


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("reader", LIBRARIES)
@pytest.mark.parametrize("writer", LIBRARIES)
@pytest.mark.parametrize("weights_only", [True, False])
def test_objects_cross(name, writer, reader, weights_only):
    if name == "self-reference":
        found = load_bytes(reader, save_bytes(writer, OBJECTS[name](writer)), weights_only=weights_only)
        assert found[0]["list"] is found
        return
    found = load_bytes(reader, save_bytes(writer, OBJECTS[name](writer)), weights_only=weights_only)
    assert plain(found) == plain(OBJECTS[name](reader))


@pytest.mark.parametrize("name", OBJECTS)
def test_the_pickle_says_what_pytorchs_says(name, tmp_path):
    spoken = []
    for T in LIBRARIES:
        data = save_bytes(T, OBJECTS[name](T))
        (tmp_path / "file").write_bytes(data)
        with zipfile.ZipFile(tmp_path / "file") as archive:
            stream = [(op.name, arg) for op, arg, _ in pickletools.genops(archive.read("archive/data.pkl"))]
            spoken.append([op for op in stream if op[0] not in ("BINPUT", "BINGET", "LONG_BINPUT", "LONG_BINGET")])
    assert spoken[0] == spoken[1]


@pytest.mark.parametrize("writer", LIBRARIES)
def test_loaded_tensors_share_what_was_shared(writer):
    data = save_bytes(writer, OBJECTS["shared"](writer))
    whole, turned, row, alias = load_bytes(torchlike, data)
    whole[1, 2] = 50
    assert turned[2, 1].item() == row[2].item() == alias[1, 2].item() == 50
    row.mul_(2)
    assert whole[1].tolist() == [6, 8, 100]


def test_loaded_tensors_are_no_views_and_train():
    saved = save_bytes(torch, [torch.nn.Parameter(torch.ones(3)), torch.ones(3, requires_grad=True)])
    for leaf in load_bytes(torchlike, saved):
        assert leaf.is_leaf and leaf._base is None
        (leaf * 2).sum().backward()
        assert leaf.grad.tolist() == [2, 2, 2]


def test_parameters_keep_their_identity():
    p = torchlike.nn.Parameter(torchlike.ones(2))
    a, b, c = load_bytes(torch, save_bytes(torchlike, [p, p, p.data]))
    assert a is b and a.data_ptr() == c.data_ptr()


def test_one_storage_seen_as_two_dtypes_is_refused():
    for T in LIBRARIES:
        x = T.arange(4.0)
        with pytest.raises(RuntimeError, match="Cannot save multiple tensors or storages that view the same"):
            save_bytes(T, [x, x.view(T.int32)])


def test_lazy_conjugates_of_pytorch():
    z = torch.tensor([1 + 2j, 3 - 1j])
    assert load_bytes(torchlike, save_bytes(torch, z.conj())).tolist() == z.conj().tolist()
    assert load_bytes(torchlike, save_bytes(torch, z.conj().imag)).tolist() == z.conj().imag.tolist()


def test_a_whole_module():
    layer = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    found = load_bytes(torchlike, save_bytes(torch, layer), weights_only=False)
    assert type(found) is torchlike.nn.Sequential
    x = torch.ones(1, 2)
    assert np.allclose(found(torchlike.ones(1, 2)).tolist(), layer(x).tolist())
    back = load_bytes(torch, save_bytes(torchlike, found), weights_only=False)
    assert np.array_equal(back(x).tolist(), layer(x).tolist())


class Momentum:
    def __init__(self, value):
        self.value = value


def test_own_classes():
    data = save_bytes(torchlike, Momentum(torchlike.ones(2)))
    assert load_bytes(torchlike, data, weights_only=False).value.tolist() == [1, 1]
    assert load_bytes(torch, data, weights_only=False).value.tolist() == [1, 1]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_protocols(protocol):
    data = save_bytes(torchlike, {"a": torchlike.ones(2), "dtype": torchlike.int8}, pickle_protocol=protocol)
    for T in LIBRARIES:
        found = load_bytes(T, data, weights_only=False)
        assert found["a"].tolist() == [1, 1] and found["dtype"] is T.int8


def test_equal_objects_make_equal_files():
    first, second = (save_bytes(torchlike, {"a": torchlike.arange(100.0), "b": 2}) for _ in range(2))
    assert first == second


def training(T, name):
    T.manual_seed(0)
    model = T.nn.Sequential(T.nn.Linear(3, 4), T.nn.BatchNorm1d(4), T.nn.Tanh(), T.nn.Linear(4, 1))
    optimizer = {
        "Adam": lambda p: T.optim.Adam(p, lr=0.05, amsgrad=True),
        "SGD": lambda p: T.optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True),
        "AdamW": lambda p: T.optim.AdamW(p, lr=0.05),
        "RMSprop": lambda p: T.optim.RMSprop(p, lr=0.01, centered=True, momentum=0.5),
    }[name](model.parameters())
    return model, optimizer


def steps(T, model, optimizer, count):
    x = T.arange(24.0).reshape(8, 3) / 10
    losses = []
    for _ in range(count):
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("name", ["Adam", "SGD", "AdamW", "RMSprop"])
@pytest.mark.parametrize("writer", LIBRARIES)
@pytest.mark.parametrize("reader", LIBRARIES)
def test_training_goes_on_in_the_other_library(name, writer, reader):
    model, optimizer = training(writer, name)
    steps(writer, model, optimizer, 3)
    saved = save_bytes(writer, {"model": model.state_dict(), "optimizer": optimizer.state_dict()})
    other_model, other_optimizer = training(reader, name)
    found = load_bytes(reader, saved)
    other_model.load_state_dict(found["model"])
    other_optimizer.load_state_dict(found["optimizer"])
    expected = steps(writer, model, optimizer, 4)
    assert np.allclose(steps(reader, other_model, other_optimizer, 4), expected, rtol=2e-5)


STORAGES = {
    "typed": lambda T: T.storage.TypedStorage([1, 2], dtype=T.int32),
    "untyped": lambda T: T.arange(4.0).untyped_storage(),
    "in containers": lambda T: {"a": [T.arange(4.0).untyped_storage(), (T.BoolStorage([1, 0]),)]},
}


def elements(x):
    if isinstance(x, dict):
        return {k: elements(v) for k, v in x.items()}
    if isinstance(x, list | tuple):
        return [elements(v) for v in x]
    return type(x).__name__, str(x.dtype), x.tolist()


# PyTorch fails to read untyped storages from files of the old format, even from its own.
@pytest.mark.parametrize(("name", "old"), [("typed", True), *((name, False) for name in STORAGES)])
@pytest.mark.parametrize("writer", LIBRARIES)
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_storages_come_back_as_storages(name, writer, old):
    data = save_bytes(writer, STORAGES[name](writer), _use_new_zipfile_serialization=not old)
    theirs, ours = (elements(load_bytes(T, data)) for T in LIBRARIES)
    assert ours == theirs


def test_a_storage_shares_memory_with_its_tensor():
    x = torchlike.arange(4, dtype=torchlike.uint8)
    for T in LIBRARIES:
        tensor, storage = load_bytes(T, save_bytes(torchlike, [x, x.untyped_storage()]))
        tensor[0] = 7
        assert storage.tolist() == [7, 1, 2, 3]


def test_a_storage_as_another_dtype_than_its_tensor():
    for T in LIBRARIES:
        x, y = T.arange(4.0), T.zeros(4, dtype=T.float8_e4m3fn)
        with pytest.raises(RuntimeError, match="Cannot save multiple tensors or storages that view the same"):
            save_bytes(T, [x, x.untyped_storage()])
        shared = load_bytes(torchlike, save_bytes(T, [y, y.view(T.float8_e5m2), y.untyped_storage()]))
        assert [str(part.dtype).partition(".")[2] for part in shared] == ["float8_e4m3fn", "float8_e5m2", "uint8"]


def test_a_result_that_requires_grad_does_so_after_pickling():
    for T in LIBRARIES:
        found = pickle.loads(pickle.dumps(T.ones(2, requires_grad=True) * 2))
        assert found.requires_grad and found.is_leaf


@pytest.mark.parametrize("kind", ["plain", "view", "empty", "parameter"])
def test_version_counters(kind):
    found = []
    for lib in (torch, torchlike):
        tensor = {"plain": lib.ones(2), "view": lib.ones(3)[1:], "empty": lib.ones(0)}.get(kind)
        tensor = lib.nn.Parameter(lib.ones(2)) if tensor is None else tensor
        made = [pickle.loads(pickle.dumps(tensor)), copy.deepcopy(tensor)]
        for is_archive in (True, False):
            file = io.BytesIO()
            lib.save([tensor, tensor], file, _use_new_zipfile_serialization=is_archive)
            file.seek(0)
            made += lib.load(file)
        made[2].data.fill_(2.0)
        found.append([each._version for each in made])
        with lib.no_grad():
            made[2].mul_(2.0)
        found[-1].append(made[2]._version)
    assert found[0] == found[1]
