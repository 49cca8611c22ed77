"""`torch.cuda`, `xpu`, `mps` and `accelerator` without such a device behave as in PyTorch's CPU build."""

import importlib
import os
import subprocess
import sys

import pytest
import torch

import torchlike
from tests.cuda.calls import ABSENT, MODULES, OTHERWISE, find, names, ours_and_theirs, said
from tests.oracle import both

# PyTorch's `mps.Event` fails in `__del__` if its constructor failed.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.mark.parametrize("path", [f"{module}.{name}" for module in MODULES for name in names(module)])
def test_a_public_name_as_in_pytorch(path):
    module, _, name = path.rpartition(".")
    for ours, theirs, *args in ours_and_theirs(module, name, torchlike):
        if path in OTHERWISE:
            assert ours[0].startswith(OTHERWISE[path]), args
        else:
            assert ours == theirs, args


@pytest.mark.parametrize("path", [f"{module}.{name}" for module, reasons in ABSENT.items() for name in reasons])
def test_a_name_that_torchlike_does_not_have(path):
    find(torch, path)
    with pytest.raises(AttributeError):
        find(torchlike, path)


PLACES = ("cuda", "cuda:0", "cuda:3", "xpu", "xpu:0", 0)
USES = {
    "zeros": lambda L, d: L.zeros(1, device=d),
    "empty": lambda L, d: L.empty(2, device=d),
    "tensor": lambda L, d: L.tensor([1], device=d),
    "randn": lambda L, d: L.randn(2, device=d),
    "arange": lambda L, d: L.arange(2, device=d),
    "as_tensor": lambda L, d: L.as_tensor([1.0], device=d),
    "full": lambda L, d: L.full((2,), 1.0, device=d),
    "eye": lambda L, d: L.eye(2, device=d),
    "ones_like": lambda L, d: L.ones_like(L.ones(1), device=d),
    "new_zeros": lambda L, d: L.ones(1).new_zeros(1, device=d),
    "new_tensor": lambda L, d: L.ones(1).new_tensor([1], device=d),
    "new_full": lambda L, d: L.ones(1).new_full((1,), 2, device=d),
    "Tensor.to": lambda L, d: L.ones(1).to(d),
    "Tensor.to with dtype": lambda L, d: L.ones(1).to(d, L.float64, non_blocking=True),
    "Module.to": lambda L, d: L.nn.Linear(1, 1).to(d),
    "Linear": lambda L, d: L.nn.Linear(1, 1, device=d),
    "Parameter": lambda L, d: L.nn.Parameter(L.empty(1, device=d)),
    "with device": lambda L, d: zeros_within(L, d),
    "set_default_device": lambda L, d: zeros_by_default(L, d),
    "Stream": lambda L, d: L.Stream(d),
    "Event": lambda L, d: L.Event(device=d),
}


def zeros_within(library, place):
    with library.device(place):
        return library.zeros(1)


def zeros_by_default(library, place):
    try:
        library.set_default_device(place)
        return library.zeros(1)
    finally:
        library.set_default_device(None)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", USES)
def test_a_tensor_cannot_be_on_an_absent_device(name, place):
    ours, theirs = (said(lambda L=L: USES[name](L, place)) for L in (torchlike, torch))
    assert "Error: " in theirs[0]
    assert ours == theirs


MORE = {
    "device(0)": lambda L: L.device(0),
    "Tensor.cuda": lambda L: L.ones(1).cuda(),
    "Tensor.cuda of an index": lambda L: L.ones(1).cuda(0),
    "Tensor.cuda of a name": lambda L: L.ones(1).cuda("cuda:1", non_blocking=True),
    "Tensor.cuda of the cpu": lambda L: L.ones(1).cuda("cpu"),
    "Module.cuda": lambda L: L.nn.Linear(1, 1).cuda(),
    "Module.cuda of an index": lambda L: L.nn.Linear(1, 1).cuda(0),
    "meta with an index": lambda L: L.zeros(1, device="meta:0").device,
    "pin_memory": lambda L: L.ones(1).pin_memory(),
    "fork_rng": lambda L: L.random.fork_rng(devices=[0]).__enter__(),
    "device is entered": lambda L: L.cuda.device(0).__enter__(),
    "device is not entered": lambda L: L.cuda.device(-1).__enter__(),
    "idx of device": lambda L: [L.cuda.device(d).idx for d in (0, "cuda:1", "cuda", None)],
    "device_of": lambda L: L.cuda.device_of(L.ones(1)).idx,
    "set_device by name": lambda L: L.cuda.set_device("cuda:0"),
    "stream": lambda L: L.cuda.stream(None).__enter__(),
    "streams of the cpu": lambda L: [repr(L.Stream()), L.Stream().query(), L.Stream().is_capturing()],
    "handle": lambda L: L.Stream("cpu").native_handle,
    "events of the cpu": lambda L: [repr(L.Event()), L.Event().query(), L.Event().synchronize(), L.Event().wait()],
    "record on the cpu": lambda L: L.Event("cpu").record(),
    "times of the cpu": lambda L: L.Event("cpu", enable_timing=True).elapsed_time(L.Event("cpu")),
    "use_mem_pool": lambda L: L.cuda.use_mem_pool(None).__enter__(),
    "caching_allocator_disabled": lambda L: L.cuda.caching_allocator_disabled().__enter__(),
    "profiler": lambda L: L.cuda.profiler.start(),
    "history": lambda L: L.cuda.memory._record_memory_history(),
    "device_index": lambda L: L.accelerator.device_index(None).__enter__(),
    "device_index of 0": lambda L: L.accelerator.device_index(0).__enter__(),
}


@pytest.mark.parametrize("name", MORE)
def test_a_program_without_a_gpu(name):
    both(MORE[name])


@pytest.mark.parametrize("options", [{}, {"optional": True}, {"optional": True, "allow_cpu": True}])
@pytest.mark.parametrize("given", [0, -1, None, 1.5, "cuda", "cuda:1", "cpu", "nothing"])
def test_the_index_of_a_device(given, options):
    both(lambda L: importlib.import_module(f"{L.__name__}.cuda._utils")._get_device_index(given, **options))
    if isinstance(given, str) and given != "nothing":
        both(lambda L: L.cuda._get_device_index(L.device(given), **options))


def test_private_names_that_libraries_read():
    calls = []
    both(lambda L: (L.cuda._initialized, L.cuda._lazy_call(lambda: calls.append(L)), L.cuda.default_generators))
    assert not calls


@pytest.mark.parametrize("query", ["cuda.is_available()", "cuda.device_count()", "backends.cuda.is_built()"])
def test_a_query_starts_no_client_so_that_a_forked_process_can_use_xla(query):
    module = "torchlike._engine.xla.jax_private"
    program = f"import torchlike, {module}; print(torchlike.{query}, {module}.backend_is_started())"
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=os.environ | {"JAX_PLATFORMS": "cpu"}
    )
    assert said.stdout.split() in (["False", "False"], ["0", "False"]), said.stderr
