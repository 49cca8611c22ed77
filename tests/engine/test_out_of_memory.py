"""Programs that run out of memory: the error, and what the storages hold after it. CPU devices stand for GPUs."""

import gc
import re
import weakref

import jax
import pytest
import torch

import torchlike as L
from torchlike._dtypes.devices import stand_ins
from torchlike._engine.xla import allocation, executor, memory
from torchlike._errors.callers import Place

SIZE = 5000  # a square float32 matrix of this size needs 95 MiB


class Small:
    """A JAX device that reports little memory."""

    def __init__(self, device, limit):
        self._device, self._limit = device, limit

    def __getattr__(self, name):
        return getattr(self._device, name)

    def memory_stats(self):
        return {"bytes_limit": self._limit, "bytes_in_use": 1 << 20}


@pytest.fixture
def gpu(monkeypatch):
    """A GPU with 64 MiB of memory."""
    real = allocation.to_jax
    monkeypatch.setattr(allocation, "to_jax", lambda d: Small(real(d), 1 << 26))
    with stand_ins("cuda", jax.devices()[:1]):
        yield "cuda"


def exhausted(text="Out of memory while trying to allocate 21474836480 bytes."):
    def call(*args):
        raise jax.errors.JaxRuntimeError(f"RESOURCE_EXHAUSTED: {text}")

    return call


def test_a_result_that_does_not_fit(gpu):
    x = L.ones(SIZE, 1, device=gpu)
    small = x.sum()
    large = x @ x.T
    with pytest.raises(L.OutOfMemoryError) as caught:
        large.sum().item()
    assert small.item() == SIZE
    text = str(caught.value)
    assert text.startswith("CUDA out of memory. Tried to allocate 95.37 MiB. GPU 0 has a total capacity of 64.00 MiB ")
    assert "of which 63.00 MiB is free. The program was run by " in text
    assert re.search(
        r"test_out_of_memory\.py:\d+\. Its largest tensors are the result of matmul, float32 \[5000, 5000\]", text
    )
    assert L.OutOfMemoryError is L.cuda.OutOfMemoryError and issubclass(L.OutOfMemoryError, RuntimeError)


def test_storages_have_their_contents_from_before(gpu):
    x = L.ones(SIZE, 1, device=gpu)
    w, counter = L.zeros(1, device=gpu), L.zeros(1, device=gpu)
    counter += 1
    w += (x @ x.T).sort().values.sum()  # XLA cannot sort without the whole matrix in memory
    counter += 1
    with pytest.raises(L.OutOfMemoryError):
        w.item()
    assert (w.item(), counter.item()) == (0, 2)


def test_operators_that_fit_run_one_by_one_on_the_device(gpu, monkeypatch):
    # The whole program reports that it needs more memory than there is, its operators do not.
    monkeypatch.setattr(memory, "needs_of", lambda compiled: 1 << 40)
    x = L.arange(6.0, device=gpu).reshape(2, 3)
    y = (x.sin() @ x.T).relu()
    assert L.allclose(y.cpu(), (x.cpu().sin() @ x.cpu().T).relu())
    assert isinstance(y._value.array, jax.Array)


def test_an_executable_that_runs_out_of_memory(gpu, monkeypatch):
    monkeypatch.setattr(executor, "quick_call", lambda compiled: (exhausted(), True))
    monkeypatch.setattr(memory, "needs_of", lambda compiled: 0)
    x = L.ones(3, device=gpu)
    outputs = []
    for _ in range(3):  # the first run of a program calls it by another way
        y = x.exp() * 2
        outputs.append(y.sum().item())
    assert outputs == [outputs[0]] * 3  # each operator has enough memory, so the results are there


@pytest.mark.parametrize("platform", ["cuda", "cpu"])
def test_a_compiled_step_that_runs_out_of_memory(platform, gpu):
    layer = L.nn.Linear(3, 2).to(platform)
    optimizer = L.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9)
    x = L.ones(4, 3, device=platform)

    @L.compile
    def step(x):
        optimizer.zero_grad()
        loss = layer(x).square().sum()
        loss.backward()
        optimizer.step()
        return loss

    for _ in range(4):
        step(x).item()
    before = [p.tolist() for p in layer.parameters()]
    (recordings,) = step.kept.values()
    program = recordings[0].replay.program
    real, program.call = program.call, exhausted()
    message = {
        "cuda": "CUDA out of memory. Tried to allocate 20.00 GiB.",
        "cpu": "you tried to allocate 21474836480 bytes",
    }
    with pytest.raises(RuntimeError, match=re.escape(message[platform])) as caught:
        step(x)
    assert isinstance(caught.value, L.OutOfMemoryError) == (platform == "cuda")
    assert [p.tolist() for p in layer.parameters()] == before
    program.call = real
    assert step(x).item() >= 0
    assert [p.tolist() for p in layer.parameters()] != before


def test_an_input_that_does_not_fit(gpu, monkeypatch):
    x, y = L.ones(3, device=gpu), L.arange(3.0, device=gpu)
    assert x.sum().item() == y.sum().item() == 3
    real = jax.device_put

    def put(array, *place):
        if array is x._value.array:
            exhausted()()
        return real(array, *place)

    monkeypatch.setattr(memory, "needs_of", lambda compiled: 1 << 40)
    a, b = x * 2, y * 2
    monkeypatch.setattr(jax, "device_put", put)
    with pytest.raises(L.OutOfMemoryError, match=r"Tried to allocate 20\.00 GiB"):
        a.tolist()
    assert b.tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("Out of memory while trying to allocate 21474836480 bytes.", 21474836480),
        ("Out of memory allocating 4000000000000 bytes.", 4000000000000),
        ("Ran out of memory in memory space hbm. Used 20.50G of 15.75G hbm.", int(20.5 * 2**30)),
        ("Failed to allocate 1.25GiB", int(1.25 * 2**30)),
        ("Something else", 0),
    ],
)
def test_amounts_in_messages_of_xla(text, due):
    assert allocation.amount(jax.errors.JaxRuntimeError(f"RESOURCE_EXHAUSTED: {text}")) == due


def test_other_errors_are_not_changed():
    error = jax.errors.JaxRuntimeError("INTERNAL: no")
    assert memory.explained(error, L.device("cpu"), (), Place("train.py", 3)) is error


def test_the_cpu_has_pytorchs_error():
    def absurd(library):
        (library.ones(1 << 24).unsqueeze(1) @ library.ones(1, 1 << 24)).sin().sum().item()

    for library in (torch, L):
        with pytest.raises(RuntimeError, match="DefaultCPUAllocator: can't allocate memory: you tried to allocate"):
            absurd(library)


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_an_error_keeps_no_tensors_alive(device, request):
    """The memory is free as soon as the handler ends: a retry with a smaller batch must not wait for the collector."""
    place = request.getfixturevalue("gpu") if device == "gpu" else "cpu"

    def fails():
        held = L.ones(3, device=place) + 1
        try:
            (L.ones(1, device=place).expand(1 << 45) * 2).tolist()
        except RuntimeError:
            return weakref.ref(held)

    gc.collect()
    gc.disable()
    try:
        assert fails()() is None
    finally:
        gc.enable()
