"""Names that many repositories use and no other test calls: the same program runs under both libraries."""

from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest
import torch

import torchlike
from tests.oracle import both
from torchlike._dtypes import devices

TREE = {"a": [1, (2, None)], "b": {"c": 3.0}}
TREES = {
    "tree_flatten": lambda P: (P.tree_flatten(TREE)[0], repr(P.tree_flatten(TREE)[1])),
    "tree_map": lambda P: P.tree_map(lambda x: [x], TREE),
    "tree_map of two": lambda P: P.tree_map(lambda x, y: (x, y), [1, (2, 3)], [4, (5, [6])]),
    "tree_map of unlike ones": lambda P: P.tree_map(lambda x, y: x, [1, 2], [3]),
    "tree_map of a list and a leaf": lambda P: P.tree_map(lambda x, y: x, [1, 2], 3),
    "tree_map_only": lambda P: P.tree_map_only(int, lambda x: x + 1, TREE),
    "tree_map_only of two": lambda P: P.tree_map_only((int, float), lambda x: x + 1, TREE),
    "tree_unflatten": lambda P: P.tree_unflatten("wxyz", P.tree_flatten(TREE)[1]),
    "tree_unflatten of too few": lambda P: P.tree_unflatten([1], P.tree_flatten([1, 2])[1]),
    "is_leaf": lambda P: P.tree_leaves(TREE, is_leaf=lambda x: isinstance(x, list)),
    "containers": lambda P: P.tree_map(lambda x: x + 1, containers()),
    "TreeSpec": lambda P: counts(P.tree_structure(TREE)),
    "equal": lambda P: (
        P.tree_structure([1, 2]) == P.tree_structure([3, 4]),
        P.tree_structure([1]) == P.tree_structure((1,)),
    ),
    "_dict_flatten": lambda P: (P._dict_flatten({"a": 1}), P._dict_unflatten([1], ["a"])),
    "SUPPORTED_NODES": lambda P: (list in P.SUPPORTED_NODES, set in P.SUPPORTED_NODES),
    "tree_any": lambda P: (P.tree_any(lambda x: x == 3, TREE), P.tree_all(lambda x: x == 3, TREE)),
    "register_pytree_node": lambda P: registered(P),
}
PROGRAMS = {
    "LongTensor": lambda L: L.LongTensor([1, 2]),
    "IntTensor": lambda L: L.IntTensor([[1], [2]]),
    "BoolTensor": lambda L: L.BoolTensor([True, False]),
    "ByteTensor": lambda L: L.ByteTensor([1, 255]),
    "constant_": lambda L: L.nn.init.constant_(L.empty(2, 2), 3),
    "pi": lambda L: L.pi,
    "is_sparse": lambda L: L.ones(2).is_sparse,
    "is_meta": lambda L: (L.ones(2).is_meta, L.ones(2, device="meta").is_meta),
    "is_cpu": lambda L: (L.ones(2).is_cpu, L.ones(2, device="meta").is_cpu),
    "nelement": lambda L: L.ones(2, 3).nelement(),
    "ndimension": lambda L: L.ones(2, 3).ndimension(),
    "get_device": lambda L: L.ones(2).get_device(),
    "deterministic": lambda L: L.backends.cudnn.deterministic,
    "use_deterministic_algorithms": lambda L: deterministic(L),
    "default device": lambda L: default_device(L),
    "set_float32_matmul_precision": lambda L: precision(L),
    "affine_grid": lambda L: L.nn.functional.affine_grid(
        L.arange(6.0).reshape(1, 2, 3), [1, 1, 3, 4], align_corners=False
    ),
    "hann_window": lambda L: (L.hann_window(5), L.hann_window(6, periodic=False)),
    "ParameterDict": lambda L: sorted(L.nn.ParameterDict({"a": L.nn.Parameter(L.ones(2))}).state_dict()),
    "Buffer": lambda L: (type(L.nn.Buffer(L.ones(2))).__name__, L.nn.Buffer(L.ones(2)) + 1),
    "ConstantPad2d": lambda L: L.nn.ConstantPad2d((1, 0, 2, 1), 7.0)(L.ones(1, 2, 2)),
    "_BatchNorm": lambda L: isinstance(L.nn.BatchNorm1d(2), L.nn.modules.batchnorm._BatchNorm),
    "convert_sync_batchnorm": lambda L: type(L.nn.SyncBatchNorm.convert_sync_batchnorm(L.nn.BatchNorm1d(2))).__name__,
    "_pair": lambda L: (L.nn.modules.utils._pair(2), L.nn.modules.utils._pair((1, 2))),
    "_IncompatibleKeys": lambda L: L.nn.Linear(1, 1).load_state_dict({}, strict=False) == keys(L),
    "PackedSequence": lambda L: isinstance(packed(L), L.nn.utils.rnn.PackedSequence),
    "_LRScheduler": lambda L: issubclass(L.optim.lr_scheduler._LRScheduler, L.optim.lr_scheduler.LRScheduler),
    "positive_definite": lambda L: L.distributions.constraints.positive_definite.check(L.eye(2)),
    "lazy_property": lambda L: Lazy(L).twice,
    "SDPBackend": lambda L: (
        L.nn.attention.SDPBackend.EFFICIENT_ATTENTION.name,
        L.nn.attention.SDPBackend.CUDNN_ATTENTION.name,
    ),
    "RemovableHandle": lambda L: isinstance(hooked(L), L.utils.hooks.RemovableHandle),
    "FunctionCtx": lambda L: L.autograd.function.FunctionCtx.__name__,
    "OutOfMemoryError": lambda L: issubclass(L.OutOfMemoryError, RuntimeError),
    "AcceleratorError": lambda L: (
        issubclass(L.AcceleratorError, RuntimeError),
        L.cuda.AcceleratorError is L.AcceleratorError,
    ),
    "hip": lambda L: L.version.hip,
    "is_built": lambda L: L.backends.mps.is_built(),
    "allow_in_graph": lambda L: L._dynamo.allow_in_graph(abs)(-2),
    "_backward_hooks": lambda L: (L.ones(2)._backward_hooks, hooks_of(L)),
    "_cdata": lambda L: same_cdata(L),
    "solve": lambda L: L.ones(2, 2).solve(L.ones(2, 2)),
    "_assert": lambda L: (L._assert(True, "fine"), L._assert(L.ones(1) > 2, "small")),
    "get_device_module": lambda L: (L.get_device_module("cuda") is L.cuda, L.get_device_module() is L.cpu),
    "_flatten_dense_tensors": lambda L: L._utils._flatten_dense_tensors([L.ones(2, 2), L.zeros(3)]),
    "_unflatten_dense_tensors": lambda L: L._utils._unflatten_dense_tensors(L.arange(7), [L.ones(2, 2), L.zeros(3)]),
    "__version__": lambda L: type(L.__version__) is str or str(L.__version__) == L.__version__,
    "get_num_threads": lambda L: L.get_num_threads() > 0,
    "_foreach_mul_": lambda L: scaled(L, [L.ones(2), L.arange(3.0)]),
    "record_stream": lambda L: callable(L.ones(2).record_stream),
    "TracerWarning": lambda L: issubclass(L.jit.TracerWarning, Warning),
    "Number": lambda L: isinstance(2, L.types.Number) and not isinstance("2", L.types.Number),
    "HASH_REGEX": lambda L: L.hub.HASH_REGEX.search("resnet18-f37072fd.pth").group(1),
    "hub.get_dir": lambda L: hub_folder(L),
    "is_scripting": lambda L: (L.jit.is_scripting(), L.jit.is_tracing(), L.jit.annotate(int, 3)),
    "ignore": lambda L: (L.jit.ignore(plain)(2), L.jit.ignore()(plain)(2), L.jit.unused(plain)(3)),
    "export": lambda L: L.jit.export(plain)(2),
    "backends.mps": lambda L: L.backends.mps.is_macos_or_newer(13, 0),
}
WITHOUT_GPU = {
    "manual_seed_all": lambda L: L.cuda.manual_seed_all(3),
    "max_memory_allocated": lambda L: L.cuda.max_memory_allocated(),
    "max_memory_reserved": lambda L: L.cuda.max_memory_reserved(),
    "memory_reserved": lambda L: L.cuda.memory_reserved(),
    "get_rng_state_all": lambda L: L.cuda.get_rng_state_all(),
    "set_rng_state_all": lambda L: L.cuda.set_rng_state_all([]),
}
REFUSED_WITHOUT_GPU = {
    "get_device_properties": (0,),
    "get_device_capability": (),
    "mem_get_info": (),
    "current_stream": (),
    "default_stream": (),
}
OTHER_DEVICES = {
    "xpu": (
        "is_available",
        "device_count",
        "is_initialized",
        "empty_cache",
        "current_device",
        "memory_allocated",
        "memory_reserved",
        "max_memory_allocated",
        "get_device_name",
        "get_device_capability",
        "get_device_properties",
        "synchronize",
        "is_bf16_supported",
    ),
    "mps": (
        "is_available",
        "device_count",
        "empty_cache",
        "synchronize",
        "current_allocated_memory",
        "driver_allocated_memory",
    ),
}


Pair = namedtuple("Pair", "first second")


def containers():
    return [OrderedDict(a=1), defaultdict(list, b=2), deque([3, 4], maxlen=5), Pair(5, 6)]


def counts(spec):
    return spec.type, spec.context, spec.num_leaves, spec.num_nodes, spec.num_children, spec.is_leaf()


def registered(trees):
    class Box:
        def __init__(self, x):
            self.x = x

    trees.register_pytree_node(Box, lambda box: ([box.x], None), lambda parts, _: Box(*parts))
    return trees.tree_map(lambda x: x + 1, [Box(1)])[0].x


def scaled(library, tensors):
    library._foreach_mul_(tensors, 2)
    return tensors


def plain(x):
    return x + 1


class Lazy:
    def __init__(self, library):
        self.twice = None
        type(self).twice = library.distributions.utils.lazy_property(lambda self: 2)
        del self.__dict__["twice"]


def deterministic(library):
    before = library.are_deterministic_algorithms_enabled()
    library.use_deterministic_algorithms(True)
    try:
        return before, library.are_deterministic_algorithms_enabled()
    finally:
        library.use_deterministic_algorithms(False)


def default_device(library):
    library.set_default_device("meta")
    try:
        return str(library.get_default_device()), library.ones(2).device.type
    finally:
        library.set_default_device(None)


def precision(library):
    library.set_float32_matmul_precision("high")
    try:
        return library.get_float32_matmul_precision()
    finally:
        library.set_float32_matmul_precision("highest")


def keys(library):
    return library.nn.modules.module._IncompatibleKeys(["weight", "bias"], [])


def packed(library):
    return library.nn.utils.rnn.pack_padded_sequence(library.ones(3, 2, 1), [3, 2])


def hooked(library):
    return library.nn.Linear(1, 1).register_forward_hook(print)


def hooks_of(library):
    x = library.ones(2, requires_grad=True)
    x.register_hook(plain)
    return len(x._backward_hooks), (x * 2)._backward_hooks


def same_cdata(library):
    x = library.ones(2)
    return type(x._cdata) is int, x._cdata == x._cdata, x._cdata == library.ones(2)._cdata


def hub_folder(library):
    before = library.hub.get_dir()
    library.hub.set_dir("/somewhere")
    try:
        return library.hub.get_dir()
    finally:
        library.hub.set_dir(before)


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(devices, "jax_devices", lambda type: [])


def test_without_an_accelerator():
    # The expected values are those of PyTorch's CPU build. A CUDA build names its device type and requires a driver.
    accelerator = torchlike.accelerator
    assert not accelerator.is_available()
    assert accelerator.current_accelerator() is None
    assert accelerator.device_count() == 0
    with pytest.raises(RuntimeError, match=r"^Cannot access accelerator device when none is available\.$"):
        accelerator.set_device_index(0)
    assert torchlike.version.cuda is None


@pytest.mark.parametrize("name", PROGRAMS)
def test_is_as_in_pytorch(name):
    both(PROGRAMS[name])


@pytest.mark.parametrize("name", WITHOUT_GPU)
def test_without_a_gpu(name, no_gpu):
    found = []
    for library in (torch, torchlike):
        try:
            found.append(WITHOUT_GPU[name](library))
        except (RuntimeError, AssertionError) as error:
            found.append(isinstance(error, Exception))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", REFUSED_WITHOUT_GPU)
def test_refused_without_a_gpu(name, no_gpu):
    with pytest.raises((RuntimeError, AssertionError)):
        getattr(torchlike.cuda, name)(*REFUSED_WITHOUT_GPU[name])


@pytest.mark.parametrize("name", [f"{place}.{name}" for place, names in OTHER_DEVICES.items() for name in names])
def test_other_devices(name):
    place, _, function = name.partition(".")
    both(lambda library: getattr(getattr(library, place), function)())


@pytest.mark.parametrize("name", TREES)
def test_trees(name):
    both(lambda library: TREES[name](library.utils._pytree))


def test_a_file_is_fetched_once(tmp_path):
    source, url = tmp_path / "source.pth", (tmp_path / "source.pth").as_uri()
    torchlike.save({"w": torchlike.arange(3)}, source)
    for _ in range(2):
        found = torchlike.hub.load_state_dict_from_url(url, str(tmp_path / "kept"), progress=False, weights_only=True)
        assert found["w"].tolist() == [0, 1, 2]
        source.unlink(missing_ok=True)
    assert torchlike.utils.model_zoo.load_url is torchlike.hub.load_state_dict_from_url


def test_a_file_of_another_content_is_refused(tmp_path):
    (tmp_path / "a").write_text("a")
    with pytest.raises(RuntimeError, match='invalid hash value \\(expected "00"'):
        torchlike.hub.download_url_to_file((tmp_path / "a").as_uri(), str(tmp_path / "b"), "00")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a"]
