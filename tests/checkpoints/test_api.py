"""Results, errors and warnings of the functions are PyTorch's."""

import collections
import importlib
import warnings

import pytest
import torch

import torchlike
from tests.oracle import both


def dcp(L, name=""):
    return importlib.import_module(f"{L.__name__}.distributed.checkpoint{name and '.' + name}")


def state(L):
    return {
        "a": L.arange(6.0).view(2, 3),
        "nested": {"x": [L.ones(2), 3], "y": (1, 2), "l": [1, 2]},
        "empty": {},
        5: L.tensor(7),
    }


def outcome(run):
    """Return the result, or the failures without tracebacks."""
    try:
        return run()
    except BaseException as error:
        failures = getattr(error, "failures", None)
        if failures is None:
            raise
        said = {rank: (type(found).__name__, str(found)) for rank, (found, _) in failures.items()}
        return [(rank, kind, text.replace("torchlike.", "torch.")) for rank, (kind, text) in said.items()]


class Counter:
    """A stateful object."""

    def __init__(self):
        self.count = 0

    def state_dict(self):
        return {"count": self.count}

    def load_state_dict(self, found):
        self.count = found["count"]


def stateful(L, path):
    one, other = Counter(), Counter()
    one.count = 4
    dcp(L).save({"counter": one}, checkpoint_id=path)
    dcp(L).load({"counter": other}, checkpoint_id=path)
    return other.count


def training(L, path):
    """Save a module and an optimizer, load them into others, and compare a step."""
    L.manual_seed(0)

    def made():
        net = L.nn.Linear(3, 2)
        optimizer = L.optim.Adam(net.parameters(), lr=0.1)
        net(L.ones(1, 3)).sum().backward()
        optimizer.step()
        return net, optimizer

    S = dcp(L, "state_dict")
    net, optimizer = made()
    one = S.get_state_dict(net, optimizer)
    dcp(L).save({"model": one[0], "optimizer": one[1]}, checkpoint_id=path)
    net, optimizer = made()
    model, other = S.get_state_dict(net, optimizer)
    dcp(L).load({"model": model, "optimizer": other}, checkpoint_id=path)
    S.set_state_dict(net, optimizer, model_state_dict=model, optim_state_dict=other)
    optimizer.step()
    return list(net.parameters()), optimizer.state_dict()["state"]


def plain_optimizer(L, path):
    """Save the state dict of an optimizer itself, whose keys are ints."""
    L.manual_seed(0)
    net = L.nn.Linear(3, 2)
    optimizer = L.optim.Adam(net.parameters(), lr=0.1)
    net(L.ones(1, 3)).sum().backward()
    optimizer.step()
    before = {"optimizer": optimizer.state_dict()}
    keys = list(dcp(L).save(before, checkpoint_id=path).state_dict_metadata)
    dcp(L).load(before, checkpoint_id=path)
    return keys, before["optimizer"]["state"], before["optimizer"]["param_groups"]


def overwriting(L, path):
    dcp(L).save({"a": L.ones(2)}, checkpoint_id=path)
    return dcp(L).save({"a": L.ones(2)}, checkpoint_id=path).version


def read(L, path, loaded, planner=None, saved=None):
    dcp(L).save(state(L) if saved is None else saved, checkpoint_id=path)
    dcp(L).load(loaded, checkpoint_id=path, planner=planner)
    return loaded


def asynchronous(L, path):
    saved = {"a": L.ones(3), "b": [1]}
    future = dcp(L).async_save(saved, checkpoint_id=path)
    saved["a"].add_(5)
    saved["b"].append(2)
    metadata = future.result()
    loaded = {"a": L.zeros(3), "b": []}
    dcp(L).load(loaded, checkpoint_id=path)
    return loaded, metadata.version, future.done()


def shown(metadata):
    return [
        repr(metadata.state_dict_metadata),
        repr(metadata.planner_data),
        list(map(repr, metadata.storage_data)),
        [stored.relative_path for stored in metadata.storage_data.values()],
        metadata.version,
    ]


def converted(L, path):
    convert = dcp(L, "format_utils")
    dcp(L).save(state(L), checkpoint_id=path / "folder")
    convert.dcp_to_torch_save(path / "folder", path / "file.pt")
    convert.torch_save_to_dcp(path / "file.pt", path / "again")
    whole = dcp(L, "state_dict_loader")._load_state_dict_from_keys(checkpoint_id=path / "again")
    return L.load(path / "file.pt"), whole


def keys(L, path, which):
    dcp(L).save(state(L), checkpoint_id=path)
    return dcp(L, "state_dict_loader")._load_state_dict_from_keys(which, checkpoint_id=path)


def renamed(L, path):
    """Save and load with planners of the user."""

    class Save(dcp(L).DefaultSavePlanner):
        def transform_object(self, write_item, object):
            found = super().transform_object(write_item, object)
            return found if write_item.index.fqn != "a" else found.half()

    class Load(dcp(L).DefaultLoadPlanner):
        seen = []

        def transform_tensor(self, read_item, tensor):
            self.seen.append(read_item.dest_index.fqn)
            return super().transform_tensor(read_item, tensor)

    dcp(L).save({"a": L.tensor([0.1]), "b": L.ones(2)}, checkpoint_id=path, planner=Save())
    loaded = {"a": L.zeros(1), "b": L.zeros(2)}
    dcp(L).load(loaded, checkpoint_id=path, planner=Load())
    return loaded, sorted(Load.seen)


def not_flat(L, path):
    saved = {"a": L.ones(2), 3: L.ones(1), "b": {"c": [1], "d": {}}}
    dcp(L).save(saved, checkpoint_id=path, planner=dcp(L).DefaultSavePlanner(flatten_state_dict=False))
    loaded = {"a": L.zeros(2), "3": L.zeros(1)}
    dcp(L).load(loaded, checkpoint_id=path, planner=dcp(L).DefaultLoadPlanner(flatten_state_dict=False))
    return loaded, shown(dcp(L).FileSystemReader(path).read_metadata())


def old_names(L, path):
    dcp(L).save_state_dict({"a": L.ones(2)}, dcp(L).FileSystemWriter(path), no_dist=True)
    loaded = {"a": L.zeros(2)}
    dcp(L).load_state_dict(loaded, dcp(L).FileSystemReader(path), no_dist=True)
    return loaded


PROGRAMS = {
    "metadata": lambda L, path: shown(dcp(L).save(state(L), checkpoint_id=path)),
    "metadata of a list": lambda L, path: shown(
        dcp(L).save({"a": [[L.ones(1)], {"b": 1}, (L.ones(1),)]}, checkpoint_id=path)
    ),
    "metadata, not flat": lambda L, path: shown(
        dcp(L).save(state(L), checkpoint_id=path, planner=dcp(L).DefaultSavePlanner(flatten_state_dict=False))
    ),
    "a file for each item": lambda L, path: shown(
        dcp(L).save(state(L), storage_writer=dcp(L).FileSystemWriter(path, single_file_per_rank=False))
    ),
    "three threads": lambda L, path: shown(
        dcp(L).save(state(L), storage_writer=dcp(L).FileSystemWriter(path, thread_count=3))
    )[0],
    "own metadata": lambda L, path: shown(dcp(L).save(state(L), checkpoint_id=path, use_collectives=False)),
    "load": lambda L, path: read(L, path, state(L) | {"a": L.zeros(2, 3)}),
    "into another dtype": lambda L, path: read(L, path, {"a": L.zeros(2, 3, dtype=L.int32)}),
    "into a transposed tensor": lambda L, path: read(L, path, {"a": L.zeros(3, 2).t()}),
    "into a parameter": lambda L, path: read(L, path, {"a": L.nn.Parameter(L.zeros(2, 3))}),
    "into a part of a tensor": lambda L, path: [x := L.zeros(4, 6), read(L, path, {"a": x[1:3, ::2]}), x],
    "not flat": not_flat,
    "missing key": lambda L, path: read(L, path, {"a": L.zeros(2, 3), "b": 1}),
    "missing key, partial": lambda L, path: read(
        L, path, {"a": L.zeros(2, 3), "b": 1}, dcp(L).DefaultLoadPlanner(allow_partial_load=True)
    ),
    "another size": lambda L, path: read(L, path, {"a": L.zeros(3, 3)}),
    "an object for a tensor": lambda L, path: read(L, path, {"a": 3}),
    "a tensor for an object": lambda L, path: read(L, path, {"a": L.ones(1)}, None, {"a": 4}),
    "the same key twice": lambda L, path: dcp(L).save({"a.b": 1, "a": {"b": 2}}, checkpoint_id=path),
    "no name": lambda L, path: dcp(L).save({"a": 1}),
    "no name to load": lambda L, path: dcp(L).load({"a": 1}),
    "a URL": lambda L, path: dcp(L).FileSystemWriter.validate_checkpoint_id("s3://bucket/x"),
    "a path that cannot be written": lambda L, path: dcp(L).FileSystemReader.validate_checkpoint_id("x/y"),
    "stateful": stateful,
    "training": training,
    "plain optimizer": plain_optimizer,
    "overwriting": overwriting,
    "async": asynchronous,
    "converted": converted,
    "all keys": lambda L, path: keys(L, path, None),
    "one key": lambda L, path: keys(L, path, "nested.x"),
    "some keys": lambda L, path: keys(L, path, {"a", "nested"}),
    "planners": renamed,
    "old names": old_names,
    "flat": lambda L, path: dcp(L, "_nested_dict").flatten_state_dict(state(L)),
    "unflattened": lambda L, path: dcp(L, "_nested_dict").unflatten_state_dict(
        *dcp(L, "_nested_dict").flatten_state_dict(state(L))
    ),
    "elements": lambda L, path: [
        x := {"a": [1, {"b": 2}]},
        dcp(L, "_traverse").get_element(x, ("a", 1, "b")),
        dcp(L, "_traverse").get_element(x, ("a", "c"), 7),
        dcp(L, "_traverse").set_element(x, ("a", 4, "d"), 5),
    ],
    "regions": lambda L, path: [
        repr(item)
        for item in dcp(L, "planner_helpers").create_read_items_for_chunk_list(
            "x",
            dcp(L).TensorStorageMetadata(
                dcp(L, "metadata").TensorProperties(),
                L.Size([7, 4]),
                [dcp(L).ChunkStorageMetadata(L.Size([i, 0]), L.Size([2 - (i == 6), 4])) for i in (0, 2, 4, 6)],
            ),
            [dcp(L).ChunkStorageMetadata(L.Size([1, 1]), L.Size([4, 2]))],
        )
    ],
    "overlapping chunks": lambda L, path: overlapping(L),
    "names": lambda L, path: sorted(name for name in dir(dcp(L)) if name[0].isupper() or name in ("load", "save")),
}


def overlapping(L):
    helpers, kinds, plans = dcp(L, "default_planner"), dcp(L, "metadata"), dcp(L, "planner")
    size = L.Size([4])

    def item(begin, length):
        chunk = kinds.ChunkStorageMetadata(L.Size([begin]), L.Size([length]))
        data = plans.TensorWriteData(chunk, kinds.TensorProperties(), size)
        return plans.WriteItem(kinds.MetadataIndex("x", [begin]), plans.WriteItemType.SHARD, tensor_data=data)

    planner = helpers.DefaultSavePlanner(flatten_state_dict=False)
    planner.create_global_plan([plans.SavePlan([item(0, 3)]), plans.SavePlan([item(2, 3)])])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_equal_pytorchs(name, tmp_path):
    def program(L):
        path = tmp_path / L.__name__
        path.mkdir()
        return outcome(lambda: PROGRAMS[name](L, path))

    both(program)


@pytest.mark.parametrize("name", ["overwriting", "old names", "one key", "async"])
def test_warnings(name, tmp_path):
    said = []
    for L in (torch, torchlike):
        (tmp_path / L.__name__).mkdir()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            outcome(lambda: PROGRAMS[name](L, tmp_path / L.__name__))  # noqa: B023
        texts = [(w.category.__name__, str(w.message).replace(str(tmp_path / L.__name__), "PATH")) for w in caught]
        said.append(collections.Counter(text for text in texts if "typed_storage" not in text[1].lower()))
    assert said[0] == said[1]


@pytest.mark.filterwarnings("ignore")
def test_meta_tensors_and_objects_that_pytorch_does_not_load(tmp_path):
    """PyTorch needs a process group for meta tensors, and drops objects if the state dict is not flattened."""
    state = read(torchlike, tmp_path, {"a": torchlike.zeros(2, 3, device="meta")}, None, {"a": torchlike.ones(2, 3)})
    assert state["a"].tolist() == [[1] * 3] * 2
    planner = dcp(torchlike).DefaultSavePlanner(flatten_state_dict=False)
    dcp(torchlike).save({"b": {"c": [1]}}, checkpoint_id=tmp_path, planner=planner)
    state = {"b": None}
    planner = dcp(torchlike).DefaultLoadPlanner(flatten_state_dict=False)
    dcp(torchlike).load(state, checkpoint_id=tmp_path, planner=planner)
    assert state == {"b": {"c": [1]}}


@pytest.mark.filterwarnings("ignore")
def test_unsupported_options_raise():
    L = torchlike
    for refused in (
        lambda: dcp(L).FileSystemWriter("x", cache_staged_state_dict=True),
        lambda: dcp(L).FileSystemWriter("x", _extensions=[3]),
        lambda: dcp(L).FileSystemReader("x", 3),
        lambda: dcp(L, "staging").StagingOptions(use_pinned_memory=True),
        lambda: dcp(L).async_save({}, async_checkpointer_type=dcp(L, "state_dict_saver").AsyncCheckpointerType.PROCESS),
    ):
        with pytest.raises(NotImplementedError, match="not supported by torchlike"):
            refused()


@pytest.mark.filterwarnings("ignore")
def test_an_asynchronous_save_during_training(tmp_path):
    """Each checkpoint holds the parameters at the time of its save, though training goes on."""
    torchlike.manual_seed(0)
    net = torchlike.nn.Linear(50, 50)
    optimizer = torchlike.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    futures, expected = [], []
    for i in range(8):
        expected.append(net.weight.detach().numpy().copy())
        futures.append(dcp(torchlike).async_save({"net": net}, checkpoint_id=tmp_path / str(i)))
        for _ in range(5):
            net(torchlike.ones(4, 50)).square().sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    for i, future in enumerate(futures):
        future.result()
        loaded = {"net": {"weight": torchlike.zeros(50, 50)}}
        dcp(torchlike).load(loaded, checkpoint_id=tmp_path / str(i))
        assert (loaded["net"]["weight"].numpy() == expected[i]).all()
