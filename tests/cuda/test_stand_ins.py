"""`torch.cuda`, streams, events and `torch.accelerator` with devices. CPU devices stand for accelerators."""

import os
import subprocess
import sys

import jax
import pytest

import torchlike as L
from torchlike._dtypes.devices import stand_ins
from torchlike._engine import accelerators

THREE = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}


def printed(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, **THREE}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


CURRENT = """
import jax, threading
import torchlike as torch
from torchlike._dtypes.devices import stand_ins
with stand_ins("cuda", jax.devices()[1:4]):
    cuda, acc = torch.cuda, torch.accelerator
    at = lambda: (cuda.current_device(), torch.zeros(1, device="cuda").device.index, torch.ones(1).cuda().get_device())
    print(at())
    cuda.set_device(1)
    print(at(), cuda.current_stream().device, torch.device(2), torch.Stream().device, torch.Event().device)
    with cuda.device(2):
        print(at(), torch.ones(2, device="cuda")._value.array.device.id)
        with cuda.device(-1), cuda.device(None), cuda.device_of(torch.ones(1, device="cuda:0")):
            print(at())
    print(at())
    with acc.device_index(0):
        print(at(), acc.current_device_index())
    acc.set_device_index("cuda:2")
    print(at(), acc.current_accelerator(), acc.device_count(), acc.current_stream().device)
    other = []
    thread = threading.Thread(target=lambda: other.append(cuda.current_device()))
    thread.start(), thread.join()
    print(other)
    for wrong in (3, "cuda:7"):
        try:
            cuda.set_device(wrong)
        except RuntimeError as error:
            print(error)
    print(at())
"""


def test_the_current_device_is_that_of_a_type_without_an_index():
    assert printed(CURRENT) == [
        "(0, 0, 0)",
        "(1, 1, 1) cuda:1 cuda:2 cuda:1 cuda:1",
        "(2, 2, 2) 3",
        "(0, 0, 0)",
        "(1, 1, 1)",
        "(0, 0, 0) 0",
        "(2, 2, 2) cuda 3 cuda:2",
        "[0]",
        *["CUDA error: invalid device ordinal"] * 2,
        "(2, 2, 2)",
    ]


class Stated:
    """A JAX device with statistics of memory, as XLA's allocator for GPUs reports them."""

    device_kind, compute_capability, core_count, platform = "NVIDIA H100 80GB HBM3", "9.0", 132, "cuda"
    stats = {"bytes_in_use": 30, "peak_bytes_in_use": 50, "bytes_limit": 100, "num_allocs": 7, "bytes_reserved": 0}

    def memory_stats(self):
        return dict(self.stats)


@pytest.fixture(params=["cuda", "tpu"])
def kind(request):
    with stand_ins(request.param, jax.devices()[:1]):
        yield request.param


@pytest.fixture
def stated():
    with stand_ins("cuda", [Stated()]):
        yield L.cuda


def test_memory_as_xla_reports_it(stated):
    assert (stated.memory_allocated(), stated.max_memory_allocated("cuda:0")) == (30, 50)
    assert (stated.memory_reserved(0), stated.max_memory_reserved()) == (0, 50)
    assert stated.mem_get_info() == L.accelerator.get_memory_info(0) == (70, 100)
    assert stated.memory_stats() == L.accelerator.memory_stats()
    assert stated.memory_stats()["allocated_bytes.all.peak"] == stated.memory_stats()["peak_bytes_in_use"] == 50
    assert stated.memory_stats_as_nested_dict()["allocated_bytes"]["all"] == {"current": 30, "peak": 50}
    assert L.accelerator.memory_allocated() == 30 and L.accelerator.max_memory_allocated(0) == 50
    rows = dict(line.split() for line in stated.memory_summary().splitlines())
    assert rows["bytes_limit"] == "100" and rows["bytes_reserved"] == "0"
    assert "bytes_reserved" not in stated.memory_summary(abbreviated=True)


def test_properties(stated):
    found = stated.get_device_properties()
    assert (found.name, found.major, found.minor, found.total_memory) == ("NVIDIA H100 80GB HBM3", 9, 0, 100)
    assert found.multi_processor_count == 132 and "major=9" in repr(found)
    assert stated.get_device_capability(0) == (9, 0) and stated.get_device_name() == found.name
    assert stated.is_bf16_supported(False) and stated.is_tf32_supported()


@pytest.mark.parametrize(("variable", "due"), [(None, 0.75), ("0.4", 0.4)])
def test_the_fraction_of_the_memory(stated, monkeypatch, variable, due):
    monkeypatch.delenv("XLA_CLIENT_MEM_FRACTION", raising=False)
    monkeypatch.delenv("XLA_PYTHON_CLIENT_MEM_FRACTION", raising=False)
    if variable is not None:
        monkeypatch.setenv("XLA_PYTHON_CLIENT_MEM_FRACTION", variable)
    assert stated.get_per_process_memory_fraction() == due


REFUSED = {
    "reset_peak_memory_stats": (),
    "reset_accumulated_memory_stats": (0,),
    "set_per_process_memory_fraction": (0.5,),
    "memory_snapshot": (),
    "caching_allocator_alloc": (8,),
    "change_current_allocator": (None,),
    "MemPool": (),
    "CUDAGraph": (),
    "graph": (None,),
    "make_graphed_callables": (None, ()),
    "can_device_access_peer": (0, 1),
    "cudart": (),
    "set_sync_debug_mode": ("warn",),
    "utilization": (),
    "ExternalStream": (3,),
}


@pytest.mark.parametrize("name", REFUSED)
def test_unsupported_cuda_functions_raise_with_their_name(name):
    with stand_ins("cuda", jax.devices()), pytest.raises(NotImplementedError, match=rf"^torch\.cuda\.{name} is not "):
        getattr(L.cuda, name)(*REFUSED[name])


@pytest.mark.parametrize("name", ["reset_peak_memory_stats", "reset_accumulated_memory_stats", "Graph"])
def test_unsupported_accelerator_functions_raise_with_their_name(name, kind):
    with pytest.raises(NotImplementedError, match=rf"^torch\.accelerator\.{name} is not supported"):
        getattr(L.accelerator, name)()


def test_a_stream_is_the_only_one_of_its_device(kind):
    stream = L.Stream(device=kind)
    assert stream == L.Stream() == L.accelerator.current_stream() and hash(stream) == hash(L.Stream(0))
    assert repr(stream) == f"torch.Stream device_type={kind}, device_index=0, stream_id=0"
    assert stream != L.Stream("cpu")
    x = L.ones(3, device=kind)
    with stream:
        y = x * 2
    assert y._value.array is None
    event = stream.record_event()
    assert y._value.array is not None
    stream.wait_event(event)
    stream.wait_stream(L.Stream(kind))
    stream.synchronize()
    event.synchronize()
    assert stream.query() and event.query()


def test_query_does_not_wait(kind, monkeypatch):
    class Running:
        def is_ready(self):
            return False

    event, stream = L.Event(kind), L.Stream(kind)
    assert event.query()  # it was never recorded
    event.record(stream)
    monkeypatch.setattr(accelerators, "_arrays", lambda place: [Running()])
    assert not stream.query() and not event.query()


def test_times_between_events(kind):
    begin, end = (L.Event(kind, enable_timing=True) for _ in range(2))
    begin.record()
    x = L.ones(300, 300, device=kind)
    for _ in range(5):
        x = x @ x / 300
    end.record()
    assert x._value.array.is_ready()
    assert 0 < begin.elapsed_time(end) < 60_000 and end.elapsed_time(begin) == -begin.elapsed_time(end)
    with pytest.raises(ValueError, match="Both events must be created with argument 'enable_timing=True'"):
        begin.elapsed_time(L.Event(kind))
    with pytest.raises(ValueError, match="Both events must be recorded before calculating elapsed time"):
        begin.elapsed_time(L.Event(kind, enable_timing=True))


def test_streams_and_events_of_cuda():
    with stand_ins("cuda", jax.devices()):
        stream, event = L.cuda.Stream(), L.cuda.Event(enable_timing=True)
        assert (
            isinstance(stream, L.Stream)
            and isinstance(event, L.Event)
            and isinstance(stream.record_event(), L.cuda.Event)
        )
        assert stream == L.cuda.current_stream() == L.cuda.default_stream(0) and stream.device_index == 0
        assert repr(stream) == "<torch.cuda.Stream device=cuda:0>"
        with L.cuda.stream(stream), L.cuda.StreamContext(None):
            assert not L.cuda.is_current_stream_capturing()
        assert repr(event) == "<torch.cuda.Event uninitialized>"
        event.record(stream)
        assert repr(event) == "<torch.cuda.Event recorded>"
        L.cuda.set_stream(stream)
        with pytest.raises(NotImplementedError, match="interprocess"):
            L.cuda.Event(interprocess=True)


def test_the_accelerator(kind):
    found = L.accelerator
    assert found.is_available() and found.current_accelerator() == L.device(kind) and found.device_count() == 1
    assert found.current_device_index() == 0 and L.device(0) == L.device(kind, 0)
    assert L.float32 in found.get_device_capability()["supported_dtypes"]
    for order in (found.synchronize, found.empty_cache, found.empty_host_cache):
        order()
    found.set_stream(L.Stream())
    with pytest.raises(RuntimeError, match=r"^Accelerator expected$"):
        found.synchronize("cpu")
    with pytest.raises(TypeError, match="_accelerator_setStream"):
        found.set_stream(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["tpu", "xla", "gpu", "cuda"])
def test_names_of_devices(name):
    kind = L.device(name).type
    with stand_ins(kind, jax.devices()):
        assert L.ones(1, device=f"{name}:0").device == L.ones(1).to(name).device == L.device(kind, 0)
        assert L.zeros_like(L.ones(1), device=0).device == L.device(kind, 0)
