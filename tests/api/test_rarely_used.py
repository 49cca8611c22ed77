"""Rarely used functions and arguments, and deterministic mode."""

import contextlib

import numpy as np
import pytest

from tests.oracle import both

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@contextlib.contextmanager
def deterministic(torch):
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


DTYPES = ["float32", "float16", "bfloat16", "float64", "int64", "uint8", "bool", "complex64", "int8", "uint16"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_uninitialized_memory_in_deterministic_mode(dtype):
    def filled(torch):
        kind = getattr(torch, dtype)
        with deterministic(torch):
            made = [torch.empty(2, dtype=kind), torch.ones(2, dtype=kind).new_empty(2), torch.zeros(2, dtype=kind)]
            return [*made, torch.empty_like(made[2]), torch.empty_strided((2, 2), (1, 2), dtype=kind)]

    both(filled)


def test_growth_in_deterministic_mode():
    def grown(torch):
        with deterministic(torch):
            return torch.ones(2).resize_(3), torch.ones(2).resize_as_(torch.ones(3)), torch.empty(2, out=torch.ones(2))

    both(grown)


def test_memory_that_is_not_filled():
    def filled(torch):
        settings = torch.utils.deterministic
        try:
            with deterministic(torch):
                settings.fill_uninitialized_memory = False
                before = settings.fill_uninitialized_memory, torch.empty(2).isnan()
                settings.fill_uninitialized_memory = True
                return *before, torch.empty(2).isnan(), settings.fill_uninitialized_memory
        finally:
            settings.fill_uninitialized_memory = True

    both(filled)


def test_fill_uninitialized_memory_accepts_only_bools():
    both(lambda torch: setattr(torch.utils.deterministic, "fill_uninitialized_memory", 3))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int64"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5])
def test_polygamma(n, dtype):
    both(lambda torch: torch.polygamma(n, torch.tensor([0.5, 1.0, 3.0]).to(getattr(torch, dtype))))


def test_the_gradient_of_polygamma():
    def gradient(torch):
        x = torch.tensor([0.5, 1.0, 3.0], dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(torch.polygamma(2, x).sum(), x)

    both(gradient)


FACTORS = [((2, 3), (3, 2)), ((2, 3), (2, 3)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 2, 2), (2, 2)), ((0, 3), (3, 2))]


@pytest.mark.parametrize("a, b", FACTORS, ids=str)
@pytest.mark.parametrize("dtypes", ["int8 int8", "uint8 int8", "int8 uint8", "float32 int8"])
def test_products_of_eight_bits(a, b, dtypes):
    def product(torch):
        one, other = (getattr(torch, dtype) for dtype in dtypes.split())
        numbers = lambda shape, dtype: (torch.arange(int(np.prod(shape))).reshape(shape) * 21 % 128).to(dtype)
        return torch._int_mm(numbers(a, one), numbers(b, other))

    both(product)


def test_where_products_of_eight_bits_are_written():
    ones = lambda torch: torch.ones(2, 2, dtype=torch.int8)
    both(lambda torch: torch._int_mm(ones(torch), ones(torch), out=torch.zeros(2, 2, dtype=torch.int32)))
    both(lambda torch: torch._int_mm(ones(torch), ones(torch), out=torch.zeros(2, 2)))


CALLS = {
    "attention without keys": lambda torch: torch.nn.functional.scaled_dot_product_attention(
        torch.ones(1, 2, 3), torch.ones(1, 0, 3), torch.ones(1, 0, 3)
    ),
    "roll": lambda torch: torch.roll(torch.arange(4).reshape(2, 2), 1, None),
    "roll by name": lambda torch: torch.arange(4).roll(shifts=1, dims=None),
    "vander": lambda torch: torch.vander(torch.tensor([1, 2, 3]), 2, True),
    "vander of nothing": lambda torch: torch.vander(torch.tensor([1, 2, 3]), 0),
    "vander of a matrix": lambda torch: torch.vander(torch.ones(2, 2)),
    "vander of less": lambda torch: torch.vander(torch.tensor([1, 2, 3]), -1),
    "special.softmax": lambda torch: torch.special.softmax(torch.arange(4.0).reshape(2, 2), 0),
    "special.log_softmax": lambda torch: torch.special.log_softmax(input=torch.arange(4), dim=0, dtype=torch.float64),
    "map2_": lambda torch: torch.ones(2).map2_(torch.tensor([3.0, 4.0]), torch.ones(1), lambda a, b, c: a + b * c),
    "map2_ of two dtypes": lambda torch: torch.ones(2).map2_(torch.ones(2).double(), torch.ones(2), lambda a, b, c: a),
    "map2_ of grad": lambda torch: torch.ones(2).map2_(
        torch.ones(2, requires_grad=True), torch.ones(2), lambda a, b, c: a
    ),
    "map2_ of two lengths": lambda torch: torch.ones(2).map2_(torch.ones(3), torch.ones(1), lambda a, b, c: a),
    "asarray": lambda torch: torch.asarray(torch.utils.dlpack.to_dlpack(torch.arange(3))),
    "asarray of another dtype": lambda torch: torch.asarray(
        torch.utils.dlpack.to_dlpack(torch.arange(3)), copy=True, dtype=torch.float32
    ),
    "asarray with grad": lambda torch: torch.asarray(torch.utils.dlpack.to_dlpack(torch.ones(3)), requires_grad=True),
    "nonzero": lambda torch: torch.nonzero(torch.eye(2), out=torch.zeros(0, dtype=torch.int64)),
    "nonzero into its own shape": lambda torch: torch.nonzero(torch.eye(2), out=torch.zeros(2, 2, dtype=torch.int64)),
    "nonzero into floats": lambda torch: torch.nonzero(torch.eye(2), out=torch.zeros(2)),
    "nonzero as a tuple": lambda torch: torch.nonzero(
        torch.eye(2), as_tuple=True, out=torch.zeros(0, dtype=torch.int64)
    ),
    "diff before a matrix": lambda torch: torch.diff(torch.ones(3), prepend=torch.ones(2, 2)),
    "diff before a number": lambda torch: torch.diff(torch.ones(3), prepend=torch.tensor(1.0)),
    "diff beside other rows": lambda torch: torch.diff(torch.ones(2, 3), append=torch.ones(3, 1)),
    "diff": lambda torch: torch.diff(torch.arange(6.0).reshape(2, 3), append=torch.ones(2, 2)),
}


@pytest.mark.parametrize("name", CALLS)
def test_call(name):
    both(CALLS[name])


ORDERED = {
    "contiguous": lambda torch: torch.ones(2, 3, 4, 5),
    "channels last": lambda torch: torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last),
    "transposed": lambda torch: torch.ones(2, 3).t(),
    "zero dims": lambda torch: torch.tensor(1.0),
    "expanded": lambda torch: torch.ones(1, 3).expand(2, 3),
    "dims of one": lambda torch: torch.ones(1, 3, 1, 5),
}


@pytest.mark.parametrize("name", ORDERED)
def test_dim_order(name):
    both(lambda torch: ORDERED[name](torch).dim_order())
    both(lambda torch: ORDERED[name](torch).dim_order(ambiguity_check=True))
    both(lambda torch: ORDERED[name](torch).dim_order(ambiguity_check=[torch.contiguous_format, torch.channels_last]))
    both(lambda torch: ORDERED[name](torch).dim_order(ambiguity_check=3))


OPTIONS = [
    {},
    {"noncontiguous": True},
    {"noncontiguous": True, "exclude_zero": True},
    {"requires_grad": True},
    {"low": 2, "high": 1},
    {"low": 1, "high": 3},
]


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "complex64", "uint8"])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (1,), (0,), ()], ids=str)
def test_make_tensor(shape, dtype):
    for options in OPTIONS:
        both(
            lambda torch: torch.testing.make_tensor(
                shape,
                dtype=getattr(torch, dtype),
                device="cpu",
                **options,  # noqa: B023
            )
        )


def test_make_tensor_in_a_memory_format():
    make = lambda torch, **options: torch.testing.make_tensor(
        (1, 2, 3, 4), dtype=torch.float32, device="cpu", memory_format=torch.channels_last, **options
    )
    both(make)
    both(lambda torch: make(torch, noncontiguous=True))
