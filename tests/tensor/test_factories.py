"""Tensor factories: values, dtypes, strides and errors, compared with PyTorch."""

import copy
import operator
import pickle
import warnings

import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import assert_same, both

CALLS = """
L.zeros(2, 3, dtype=L.int8)
L.zeros([2, 3])
L.zeros(L.Size([2, 3]))
L.ones(size=(2, 3))
L.ones(2, dtype=int)
L.ones(np.int64(3))
L.ones(L.tensor(3))
L.full((2,), True)
L.full((2,), 1.5)
L.full((2,), 1j)
L.full((2,), -1, dtype=L.uint8)
L.full((2,), 2.5, dtype=L.int64)
L.empty(2, 3, 4, 5, memory_format=L.channels_last).stride()
L.empty_strided((2, 3), (1, 2)).stride()
L.empty_strided((2, 3), (7, 2)).fill_(1).stride()
L.empty_strided((2, 3), (0, 1)).stride()
L.empty_strided((5,), (4,)).untyped_storage().nbytes()
L.empty_strided((5,), (4,))._is_view()
L.empty_permuted((2, 3, 4), (1, 0, 2)).stride()
L.scalar_tensor(3)
L.eye(2, 3)
L.tril_indices(3, 4, -1)
L.triu_indices(3, 4, 1)
L.arange(5)
L.arange(1, 5, 2)
L.arange(5, 0, -1)
L.arange(0, 1, 0.1)
L.arange(start=1, end=5, step=2, dtype=L.float32)
L.arange(0.5, 3, dtype=L.int64)
L.arange(0, 5, 0.5, dtype=L.int32)
L.arange(0, 5, 1.5, dtype=L.uint8)
L.logspace(0, 11, 5, dtype=L.int64)
L.logspace(1.9, 1.2, 1, dtype=L.int64)
L.logspace(1, 1.2, 2, 5.0, dtype=L.int64)
L.linspace(0, 1, 5)
L.linspace(-10, 10, 7, dtype=L.float64)
L.linspace(-1, 1, 11)
L.linspace(0, 10, 5, dtype=L.int64)
L.linspace(0, 1, 7, dtype=L.bfloat16)
L.logspace(0, 2, 5, base=2)
L.logspace(4.3, 0, 2, base=5, dtype=L.bfloat16)
L.logspace(4.3, 3.3, 1, base=5, dtype=L.bfloat16)
L.range(1, 2, 0.5)
L.hann_window(5)
L.hann_window(5, periodic=False)
L.hamming_window(6)
L.blackman_window(6)
L.bartlett_window(6)
L.tensor([1, 2.5])
L.tensor([[True], [False]])
L.tensor(L.zeros(2, 3).shape)
L.tensor([L.zeros(2, 3).shape, L.zeros(4, 5).size()])
L.as_tensor(L.Size([]))
L.Size([2, 3]) + (4,)
(4,) + L.Size([2, 3])
L.Size([2, 3]) + (L.tensor(4), 5)
L.from_numpy(L.Size([2, 3]) + np.array([1, 2]))
L.Size([2, 3]) * 2
operator.iadd([1], L.Size([2, 3]))
operator.iadd((1,), L.Size([2, 3]))
L.tensor([])
L.tensor([[]])
L.tensor(range(3))
L.tensor([1, 2j])
L.tensor([L.tensor(1.0), 2])
L.tensor([np.float64(1.5), 2])
L.tensor([L.ones(1), L.ones(1, 1)])
L.tensor([2, L.tensor([1.5])])
L.tensor([[L.tensor([1])], [L.tensor([2])]])
L.tensor([[1.0, 2.0], L.ones(2)])
L.tensor([np.ones(2), L.ones(2)])
L.tensor([np.array([1, 2], np.int8)])
L.tensor(np.arange(6).reshape(2, 3).T)
L.tensor([1.7], dtype=L.int64)
L.tensor([-1], dtype=L.uint8)
L.tensor([1e10], dtype=L.float16)
L.as_tensor(np.array([1, 2]), dtype=L.float32)
L.asarray([1, 2], dtype=L.float32)
L.from_numpy(np.arange(6).reshape(2, 3).T)
L.frombuffer(bytearray(b"abcd"), dtype=L.uint8)
L.Tensor([1, 2])
L.Tensor(2, 3).shape
L.Tensor().shape
L.LongTensor([1.5, 2])
isinstance(L.ones(2), L.FloatTensor)
isinstance(L.ones(2), L.cuda.FloatTensor)
L.ones(2).type()
L.ones(2).type("torch.LongTensor")
L.ones(2).type(L.DoubleTensor)
L.ones(3).new(2).shape
L.ones(3, dtype=L.int64).new_tensor([1.5, 2])
L.ones(3).new_full((2,), 1)
L.ones(3).new_zeros(size=(2,))
L.zeros_like(L.ones(2, 3).t())
L.ones_like(L.ones(2, 6)[:, ::2])
L.full_like(L.ones(2, dtype=L.int64), 2.5)
L.empty_like(L.ones(2, 3).expand(4, 2, 3)).stride()
L.zeros(2, 3, device="meta").shape
L.zeros(2, out=L.ones(3))
"""

ERRORS = """
L.zeros(2, -1)
L.zeros(2.5)
L.zeros(2, 3.5)
L.zeros(None)
L.zeros()
L.zeros(True)
L.zeros(2, size=3)
L.zeros(2, dtype="float32")
L.zeros(2, foo=1)
L.zeros(1, pin_memory=True)
L.ones(2, dtype=L.int64, requires_grad=True)
L.full(2, 1)
L.full((2,), "a")
L.tensor([1, "a"])
L.tensor(["ab"])
L.tensor([b"a"])
L.tensor([b"ab", 1])
L.tensor([[1, 2], "ab"])
L.tensor([""])
L.full((2,), 300, dtype=L.uint8)
L.eye(-1)
L.arange()
L.arange("a")
L.arange(5, 0)
L.arange(0, 5, 0)
L.arange(3, dtype=L.bool)
L.arange(float("inf"))
L.linspace(0, 1, -1)
L.linspace(0, 1)
L.tensor()
L.tensor("a")
L.tensor(["a"])
L.tensor([None])
L.tensor({})
L.tensor([[1, 2], [3]])
L.tensor([[1, 2], 3])
L.tensor([1, [2, 3]])
L.tensor([1.0, [2, 3]])
L.tensor(2**63)
L.tensor([300], dtype=L.uint8)
L.Size([2, 3]) + [4]
L.Size([2, 3]) + 4
L.Size([2, 3]) + L.tensor([4, 5])
L.Size([2, 3]) + (4.5,)
(4, "a") + L.Size([2, 3])
L.tensor([1j], dtype=L.float32)
L.tensor(np.arange(3)[::-1])
L.from_numpy([1])
L.from_numpy(np.array(["a"]))
L.frombuffer(bytearray(b"abcd"), dtype=L.float32, offset=2)
L.Tensor(3.5)
L.ones(2).type("foo")
L.zeros_like(5)
L.empty_strided((2,), (1, 2))
L.empty_strided((2,), (-1,))
L.empty_strided((2, 3), (0, 1)).fill_(1).mul_(2)
L.empty_permuted([2], [3])
L.empty_permuted([2], [0, 1])
L.empty_permuted([2, 3], [0, 0])
L.arange(0, 10, 0.5, dtype=L.int64)
L.linspace(L.tensor([1, 2]), 3, 5)
L.logspace(0, L.tensor([1, 2]), 5)
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


def evaluate(library, call: str):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(call, {"L": library, "np": np, "operator": operator})


def refusal(library, call: str) -> tuple[str, str]:
    with pytest.raises(Exception) as caught:
        evaluate(library, call)
    return type(caught.value).__name__, str(caught.value).partition("\n")[0]


@pytest.mark.parametrize("call", lines(CALLS))
def test_factories_equal_pytorchs(call):
    assert_same(evaluate(torchlike, call), evaluate(torch, call))


@pytest.mark.parametrize("call", lines(ERRORS))
def test_errors_equal_pytorchs(call):
    ours, theirs = refusal(torchlike, call), refusal(torch, call)
    # A CUDA build of PyTorch checks for the driver first.
    assert ours[0] == theirs[0] if "NVIDIA driver" in theirs[1] else ours == theirs


def test_the_default_dtype_is_that_of_floats():
    torchlike.set_default_dtype(torchlike.float64)
    try:
        assert torchlike.tensor([1.5]).dtype is torchlike.ones(1).dtype is torchlike.float64
    finally:
        torchlike.set_default_dtype(torchlike.float32)


def test_copies_keep_the_order_of_memory():
    t = torchlike.ones(2, 3).t()
    assert copy.deepcopy(t).stride() == pickle.loads(pickle.dumps(t)).stride() == (1, 3)


def test_from_numpy_shares():
    array = np.zeros(2)
    t = torchlike.from_numpy(array)
    array[0] = 1
    t[1] = 2
    assert t.tolist() == array.tolist() == [1, 2]


def test_a_dlpack_round_trip():
    t = torchlike.arange(3)
    assert np.from_dlpack(t).tolist() == torchlike.from_dlpack(np.arange(3)).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "name",
    [
        "is_available",
        "device_count",
        "memory_allocated",
        "get_arch_list",
        "empty_cache",
        "get_rng_state_all",
        "is_initialized",
    ],
)
def test_cuda_answers_as_pytorch_without_a_gpu(name):
    # A CUDA build of PyTorch lists the architectures that it was built for.
    if not torchlike.cuda.is_available() and not (name == "get_arch_list" and torch.version.cuda):
        assert getattr(torchlike.cuda, name)() == getattr(torch.cuda, name)()


def test_an_order_to_a_gpu_that_is_not_there_is_refused():
    if not torchlike.cuda.is_available():
        for order in (torchlike.cuda.synchronize, torchlike.cuda.current_device, torchlike.cuda.get_device_name):
            with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
                order()


def test_tf32_is_the_precision_of_products():
    matmul = torchlike.backends.cuda.matmul
    assert matmul.allow_tf32 is False
    matmul.allow_tf32 = True
    try:
        assert torchlike.get_float32_matmul_precision() == "high"
    finally:
        matmul.allow_tf32 = False


def test_flags_are_put_back():
    with torchlike.backends.cudnn.flags(enabled=True, benchmark=True):
        assert torchlike.backends.cudnn.benchmark
    assert not torchlike.backends.cudnn.benchmark


def test_half_precision_is_rounded_twice():
    """Check that Python numbers are rounded to half precision by way of float32, as in PyTorch.

    -108.03125000001 lies between two float16 numbers. Rounded to float32, it lies exactly in the middle.
    """
    number = -108.03125000001
    made = (
        lambda library: library.tensor([number], dtype=library.float16),
        lambda library: library.tensor([number], dtype=library.float64).half(),
        lambda library: library.tensor(np.array([number]), dtype=library.float16),
        lambda library: library.full((1,), number, dtype=library.float16),
        lambda library: library.zeros(1, dtype=library.float16).fill_(number),
    )
    for program in made:
        both(program)


HUGE = (100_000, 100_000)  # 40 GB of float32: nothing is allocated or sampled on `meta`
ON_META = {
    "zeros": lambda L, m: L.zeros(HUGE, device="meta"),
    "full": lambda L, m: L.full(HUGE, 1.0, device="meta"),
    "zeros_like": lambda L, m: L.zeros_like(m),
    "full_like": lambda L, m: L.full_like(m, 2.0),
    "new_zeros": lambda L, m: m.new_zeros(HUGE),
    "rand": lambda L, m: L.rand(HUGE, device="meta"),
    "randint": lambda L, m: L.randint(5, HUGE, device="meta"),
    "rand_like": lambda L, m: L.rand_like(m),
    "randperm": lambda L, m: L.randperm(10**12, device="meta"),
    "normal": lambda L, m: L.normal(0.0, 1.0, HUGE, device="meta"),
    "normal_": lambda L, m: m.normal_(),
    "bernoulli": lambda L, m: L.bernoulli(m),
    "dropout": lambda L, m: L.nn.functional.dropout(m),
    "a layer": lambda L, m: L.nn.Linear(100_000, 100_000, device="meta").weight.detach(),
    "an initialised layer": lambda L, m: L.nn.init.kaiming_uniform_(m),
    "empty_strided": lambda L, m: L.empty_strided(HUGE, (1, 100_000), device="meta"),
}


@pytest.mark.parametrize("name", ON_META)
def test_meta_factories_use_no_memory_and_no_random_numbers(name):
    def program(L):
        made = ON_META[name](L, L.empty(HUGE, device="meta"))
        return made.is_meta, tuple(made.shape), made.stride(), str(made.dtype).split(".")[-1], L.rand(3)

    both(program)


def test_numbers_alone_are_added_divided_and_multiplied_to_tensors():
    both(lambda L: [L.add(1, 2, alpha=3), L.sub(3, 1.5), L.mul(2, 3.5), L.div(7, 2), L.true_divide(1, 2)])
    both(lambda L: [L.div(-7, 2, rounding_mode=mode) for mode in ("floor", "trunc")] + [L.floor_divide(7, 2)])


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("name", ["full", "full_like", "arange", "linspace"])
def test_a_tensor_as_a_number(name, grad):
    calls = {
        "full": lambda torch, number: torch.full((2,), number),
        "full_like": lambda torch, number: torch.full_like(torch.ones(2), number),
        "arange": lambda torch, number: torch.arange(number),
        "linspace": lambda torch, number: torch.linspace(number, 1, 3),
    }
    both(lambda torch: calls[name](torch, torch.tensor(3.0, requires_grad=grad)))
