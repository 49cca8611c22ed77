"""Tensors that are too large: the errors, and what holds after them. No test allocates much memory.

A small device stands for a GPU. The sizes for the host exceed the address space of a process.
"""

import gc
import io
import weakref

import jax
import pytest
import torch

import torchlike as L
from torchlike._dtypes.devices import stand_ins
from torchlike._engine import concrete
from torchlike._engine.xla import allocation, memory, transfers
from torchlike._errors.callers import Place

N = 1 << 47  # elements; one byte each is more than a process can address
LIMIT = 1 << 16  # bytes; the memory of the GPU
CREATED = """
zeros(N)
ones(N, dtype=torch.float16)
empty(N, dtype=torch.bfloat16)
zeros(N, dtype=torch.bool)
zeros(N, dtype=torch.complex64)
zeros(2, N, out=torch.empty(0))
full((N,), 3.0)
full((2, N), True)
arange(N)
arange(0, float(N))
arange(0, N, 2, dtype=torch.float64)
range(0, N)
eye(1 << 24, 1 << 23)
linspace(0, 1, N)
linspace(0, 1, N, dtype=torch.float64)
logspace(0, 1, N)
randn(N)
rand(N, dtype=torch.float64)
randint(5, (N,))
randperm(N)
normal(0.0, 1.0, (N,))
empty_strided((N,), (1,))
empty_strided((N,), (2,))
empty_strided((2, 2), (N, 1))
empty_permuted((1 << 24, 1 << 23), (1, 0))
empty(1 << 22, 2, 1 << 12, 1 << 12, memory_format=torch.channels_last)
tril_indices(1 << 24, 1 << 24)
triu_indices(1 << 24, 1 << 23, 7)
hann_window(N)
hamming_window(N, periodic=False)
kaiser_window(N)
fft.fftfreq(N)
fft.rfftfreq(N)
x.new_zeros(N)
x.new_ones(N)
x.new_empty(N)
x.new_full((N,), 3)
x.new_empty_strided((N,), (1,))
x.new(N)
zeros_like(x.expand(N))
empty_like(x.expand(N), dtype=torch.float64)
full_like(x.expand(N), 3)
rand_like(x.expand(N))
randn_like(x.expand(N))
randint_like(x.expand(N), 4)
bernoulli(x.expand(N))
dropout(x.expand(N), 0.5, True)
nn.functional.one_hot(torch.tensor([N - 1]))
bincount(torch.tensor([N]))
empty(0).resize_(N)
zeros(2).resize_(N)
x.untyped_storage().resize_(N)
nn.Linear(1 << 24, 1 << 23)
nn.Embedding(1 << 24, 1 << 23)
nn.LSTM(1 << 22, 1 << 23)
"""
OPERATORS = """
x.expand(N).clone()
x.expand(N).contiguous()
x.repeat(N)
x.expand(N).double()
x.expand(N).cumsum(0)
x.expand(N) + 1
x.expand(N) == 0
x.expand(1 << 24, 1 << 23).triu()
cat([x.expand(N), x])
outer(x.expand(1 << 24), x.expand(1 << 24))
diag_embed(x.expand(1 << 24))
nn.functional.pad(x, (0, N))
"""
HOST_ONLY = ["Tensor(N)", "UntypedStorage(N)", "FloatTensor(N)", "poisson(x.expand(N))"]
OVERFLOWING = """
zeros(1 << 62)
ones(1 << 32, 1 << 32)
empty(1 << 33, 1 << 33, 0)
zeros(0, 1 << 33, 1 << 33)
empty(1 << 62, device="meta")
rand(1 << 62, device="meta")
zeros(1 << 61, dtype=torch.bool)
full((1 << 62,), 1)
randn(1 << 62)
randint(3, (1 << 62,))
randperm(1 << 62)
arange(1 << 62)
arange(1 << 63)
arange(1e30)
range(0, 1 << 62)
eye(1 << 32, 1 << 32)
eye(1 << 31, 1 << 31)
linspace(0, 1, 1 << 62)
logspace(0, 1, 1 << 62)
hann_window(1 << 62, periodic=False)
empty_strided((1 << 62,), (1,))
empty_strided((2, 2), (1 << 62, 1 << 62))
empty_strided((2, 2), (-1, 1))
empty_permuted((1 << 32, 1 << 32), (1, 0))
x.new_zeros(1 << 62)
x.repeat(1 << 62)
x.resize_(1 << 62)
x.resize_(1 << 32, 1 << 32)
Tensor(1 << 62)
"""


def lines(text):
    return text.strip().split("\n")


def call(torch, code, **names):
    """Return the result of an expression, with its elements or its parameters computed."""
    made = eval(f"torch.{code}" if not code.startswith("x.") else code, {"torch": torch, "N": N, **names})
    for each in made.parameters() if isinstance(made, torch.nn.Module) else [made]:
        if isinstance(each, L.Tensor):
            concrete(each._value)
    return made


def error_of(library, code, **names):
    with pytest.raises((RuntimeError, TypeError, ValueError)) as caught:
        call(library, code, x=library.ones(1), **names)
    return caught.type.__name__, str(caught.value)


class Small:
    """A JAX device that reports little memory."""

    def __init__(self, device):
        self._device = device

    def __getattr__(self, name):
        return getattr(self._device, name)

    def memory_stats(self):
        return {"bytes_limit": LIMIT, "bytes_in_use": 1 << 10}


@pytest.fixture
def gpu(monkeypatch):
    """A GPU with little memory, whose default device is that of new tensors."""
    real = allocation.to_jax
    monkeypatch.setattr(allocation, "to_jax", lambda d: Small(real(d)))
    monkeypatch.setattr(allocation, "LARGE", 1 << 12)
    monkeypatch.setattr(memory, "LARGE", 1 << 12)
    with stand_ins("cuda", jax.devices()[:1]), L.device("cuda"):
        yield "cuda"


def exhausted(*args, **kwargs):
    raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 21474836480 bytes.")


@pytest.mark.filterwarnings("ignore:torch.range")
@pytest.mark.parametrize("code", [*lines(CREATED), *lines(OPERATORS), *HOST_ONLY])
def test_too_large_for_the_host(code):
    due = error_of(torch, code)
    assert "DefaultCPUAllocator: can't allocate memory" in due[1]
    assert error_of(L, code) == due


@pytest.mark.filterwarnings("ignore:torch.range")
@pytest.mark.parametrize("code", lines(OVERFLOWING))
def test_a_size_that_overflows(code):
    due = error_of(torch, code)
    assert error_of(L, code) == due


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_views_have_a_size_limit(device, gpu):
    # PyTorch limits the memory only. XLA ends the process for such a shape.
    x = L.ones(1, device=device)
    for view in (lambda: x.expand(1 << 62), lambda: x.as_strided((1 << 62,), (0,))):
        with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
            view()
    assert x.tolist() == [1]


@pytest.mark.parametrize("code", ["zeros(1 << 63)", "full((3, 1 << 64), 1)", "randn(-(1 << 63) - 1)"])
def test_a_size_beyond_64_bits(code):
    kind, text = error_of(torch, code)
    assert error_of(L, code) == (kind, text.split("\n")[0] + '"')  # PyTorch adds a trace of C++


@pytest.mark.one_in(5)
@pytest.mark.filterwarnings("ignore:torch.range")
@pytest.mark.parametrize("code", [*lines(CREATED), *lines(OPERATORS)])
def test_too_large_for_an_accelerator(code, gpu):
    x = L.ones(1)
    with pytest.raises(L.OutOfMemoryError) as caught:
        call(L, code, x=x)
    text = str(caught.value)
    assert text.startswith("CUDA out of memory. Tried to allocate ")
    assert "iB. GPU 0 has a total capacity of 64.00 KiB of which 63.00 KiB is free. The program was run by " in text
    assert x.tolist() == [1]


@pytest.mark.parametrize("code", ["randn(N)", "rand(N)", "randint(5, (N,))", "randperm(N)", "bernoulli(x.expand(N))"])
def test_the_generator_of_the_host_does_not_advance(code):
    def draws(library):
        library.manual_seed(3)
        before = library.get_rng_state().tolist()
        error_of(library, code)
        assert library.get_rng_state().tolist() == before
        return library.rand(4).tolist()

    assert draws(L) == draws(torch)


@pytest.mark.parametrize("code", ["randn(N)", "rand(N)", "randint(5, (N,))", "randperm(N)"])
def test_the_generator_of_an_accelerator_does_not_advance(code, gpu):
    L.manual_seed(3)
    due = L.rand(4).tolist()
    L.manual_seed(3)
    with pytest.raises(L.OutOfMemoryError):
        call(L, code, x=L.ones(1))
    assert L.rand(4).tolist() == due


def test_smaller_tensors_after_an_error(gpu):
    x = L.ones(3)
    for device in (gpu, "cpu"):
        for make in (L.zeros, L.randn):
            with pytest.raises(RuntimeError, match="memory"):
                make(N, device=device)
            assert make(3, device=device).shape == (3,)
    copy, total = x[:1].expand(N).clone(), x * 2
    with pytest.raises(L.OutOfMemoryError):
        concrete(copy._value)
    assert total.tolist() == [2, 2, 2]
    assert (x + 1).tolist() == [2, 2, 2]
    del copy
    assert L.zeros(LIMIT // 8).sum().item() == 0


def test_resize_that_fails_changes_nothing():
    # PyTorch gives the tensor the new shape before it allocates the memory. Reads then leave the memory.
    x = L.arange(4.0)
    view, w = x[1:], L.ones(4, requires_grad=True)
    y = (w * x).sum()
    with pytest.raises(RuntimeError, match="memory"):
        x.resize_(N)
    y.backward()  # x, which the product saved, is unchanged
    assert w.grad.tolist() == x.tolist() == [0, 1, 2, 3]
    x.resize_(2, 3)[1, 1:] = 7
    assert view.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "code", ["x.to(gpu)", "x.cuda()", "torch.tensor(x.numpy(), device=gpu)", "torch.zeros_like(x, device=gpu)"]
)
def test_moves_to_an_accelerator(code, gpu):
    x = L.arange(LIMIT // 4, dtype=L.float32, device="cpu") + 1
    x.sum().item()
    with pytest.raises(
        L.OutOfMemoryError, match=r"allocate 64\.00 KiB.*test_allocation|allocate 64\.00 KiB.*<string>:1"
    ):
        eval(code, {"torch": L, "x": x, "gpu": gpu})
    assert x[:3].to(gpu).tolist() == [1, 2, 3]


def test_a_module_and_a_file_that_do_not_fit(gpu):
    with L.device("cpu"):
        layer = L.nn.Linear(LIMIT // 8, 4)
    file = io.BytesIO()
    L.save(layer.state_dict(), file)
    file.seek(0)
    for move in (lambda: layer.to(gpu), lambda: L.load(file, map_location=gpu)):
        with pytest.raises(L.OutOfMemoryError, match=r"Tried to allocate 128\.00 KiB"):
            move()
    assert layer.to("cpu")(L.ones(LIMIT // 8, device="cpu")).shape == (4,)


def test_an_allocation_that_only_xla_refuses(gpu, monkeypatch):
    x = L.arange(6.0, device="cpu")
    x.sum().item()
    with monkeypatch.context() as patched:
        patched.setattr(jax, "device_put", exhausted)
        with pytest.raises(L.OutOfMemoryError, match=r"Tried to allocate 20\.00 GiB.*test_allocation\.py:\d+\."):
            x.to(gpu)
    assert x.to(gpu).sum().item() == 15


def test_a_read_that_fails(gpu, monkeypatch):
    x = L.arange(6.0)
    x.sum().item()
    with monkeypatch.context() as patched:
        patched.setattr(transfers, "np", Failing())
        with pytest.raises(L.OutOfMemoryError, match=r"Tried to allocate 20\.00 GiB"):
            x.tolist()
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


class Failing:
    """NumPy in which the conversion of an array of JAX fails."""

    asarray = staticmethod(exhausted)


@pytest.mark.parametrize("executor", ["auto", "numpy", "xla", "immediate"])
def test_executors(executor):
    with L.set_executor(executor):
        x = L.ones(3)
        for code in ("x.expand(N, 3).clone()", "x.expand(N, 3) + 1", "x.expand(N, 3).cumsum(0)"):
            assert error_of(L, code) == error_of(torch, code.replace("x.", "torch.ones(3)."))
        assert (x + 1).tolist() == [2, 2, 2]


def test_compiled_functions(gpu):
    @L.compile
    def step(x, n):
        return x * 2 + L.zeros(n).sum()

    x = L.ones(3)
    for _ in range(3):
        assert step(x, 4).tolist() == [2, 2, 2]
        with pytest.raises(L.OutOfMemoryError, match=r"test_allocation\.py:\d+\."):
            step(x, N)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize(
    "code",
    [
        "zeros(N)",
        "randn(N)",
        "eye(1 << 24, 1 << 23)",
        "zeros_like(x.expand(N))",
        "bernoulli(x.expand(N))",
        "x.expand(N).clone()",
        "x.expand(N).unique()",
        "vander(x, N)",
        "empty(0).resize_(N)",
        "as_strided(x, (1 << 62,), (0,))",
    ],
)
def test_an_error_keeps_no_tensor_alive(code, device, gpu):
    def attempt():
        x = L.ones(1, device=device)
        with pytest.raises(RuntimeError):
            call(L, code, x=x)
        return weakref.ref(x), weakref.ref(x._storage)

    attempt()
    gc.collect()
    gc.disable()
    try:
        assert [alive() for alive in attempt()] == [None, None]
    finally:
        gc.enable()


def test_tensors_in_cycles_are_freed_before_the_error(monkeypatch, gpu):
    """A device whose memory is full as long as a tensor in a cycle exists."""
    cycle = [L.ones(3)]
    cycle.append(cycle)
    alive = weakref.ref(cycle[0])
    stats = lambda _: {"bytes_limit": LIMIT, "bytes_in_use": 0 if alive() is None else LIMIT}
    monkeypatch.setattr(Small, "memory_stats", stats)
    with pytest.raises(L.OutOfMemoryError):
        L.ones(2048)
    del cycle
    assert L.ones(2048).sum().item() == 2048
    assert alive() is None


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("no"), L.OutOfMemoryError("raised by a program")])
def test_errors_of_programs_are_not_changed(error):
    class Raising(L.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            raise error

    with pytest.raises(type(error)) as caught:
        Raising.apply(L.ones(3))
    assert caught.value is error
    assert memory.explained(RuntimeError("no"), L.device("cpu"), (), Place("train.py", 3)).args == ("no",)
