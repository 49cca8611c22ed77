"""Factories with `out=`: they write only the elements of `out`, in its memory order, or raise PyTorch's error."""

import warnings

import pytest

import torchlike
from tests.oracle import both

FACTORIES = {
    "zeros": lambda torch, out: torch.zeros(2, 2, out=out),
    "ones": lambda torch, out: torch.ones(4, out=out),
    "empty": lambda torch, out: torch.empty(2, 2, out=out).fill_(9),
    "full": lambda torch, out: torch.full((2, 2), 7, out=out),
    "arange": lambda torch, out: torch.arange(4, out=out),
    "arange of another length": lambda torch, out: torch.arange(6, out=out),
    "arange of fractions": lambda torch, out: torch.arange(0, 1, 0.25, out=out),
    "range": lambda torch, out: torch.range(0, 3, out=out),
    "linspace": lambda torch, out: torch.linspace(0, 1, 4, out=out),
    "linspace of another length": lambda torch, out: torch.linspace(0, 1, 6, out=out),
    "logspace": lambda torch, out: torch.logspace(0, 1, 4, out=out),
    "eye": lambda torch, out: torch.eye(2, out=out),
    "rand": lambda torch, out: torch.rand(2, 2, out=out),
    "randn": lambda torch, out: torch.randn(2, 2, out=out),
    "randn of another shape": lambda torch, out: torch.randn(20, out=out),
    "normal": lambda torch, out: torch.normal(1.0, 2.0, (2, 2), out=out),
    "randint": lambda torch, out: torch.randint(0, 9, (2, 2), out=out),
    "randperm": lambda torch, out: torch.randperm(4, out=out),
}
TARGETS = {  # the base tensor, and the view of it that is written
    "columns": lambda torch, dtype: _with(torch.zeros(2, 3, dtype=dtype), lambda x: x.narrow(1, 1, 2)),
    "rows": lambda torch, dtype: _with(torch.zeros(4, 2, dtype=dtype), lambda x: x[1:3]),
    "transposed": lambda torch, dtype: _with(torch.zeros(2, 2, dtype=dtype), lambda x: x.t()),
    "every other": lambda torch, dtype: _with(torch.zeros(8, dtype=dtype), lambda x: x[::2]),
    "expanded": lambda torch, dtype: _with(torch.zeros(1, 2, dtype=dtype), lambda x: x.expand(2, 2)),
    "too small": lambda torch, dtype: _with(torch.zeros(10, dtype=dtype), lambda x: x[1:3]),
    "empty": lambda torch, dtype: _with(torch.zeros(0, dtype=dtype), lambda x: x),
    "of more dims": lambda torch, dtype: _with(torch.zeros(1, 2, 2, dtype=dtype), lambda x: x),
}
DTYPES = ["float64", "int64", "uint8", "bool", "complex64"]


def _with(whole, view):
    return whole, view(whole)


REFUSED = [("eye", "expanded")]  # PyTorch writes each element several times


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    "target, dtype", [*[(target, "float32") for target in TARGETS], *[("columns", dtype) for dtype in DTYPES]]
)
@pytest.mark.parametrize("name", FACTORIES)
@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
def test_factories_write_into_out(name, target, dtype):
    def written(torch):
        whole, out = TARGETS[target](torch, getattr(torch, dtype))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            result = FACTORIES[name](torch, out)
        told = [str(w.message).partition(" (Triggered")[0] for w in said]
        return whole, out, out.stride(), out.storage_offset(), result is out, told

    if (name, target) in REFUSED:
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            written(torchlike)
    else:
        both(written)


@pytest.mark.parametrize("name", FACTORIES)
@pytest.mark.parametrize("is_view", [False, True])
@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
def test_a_target_that_requires_grad(name, is_view):
    def written(torch):
        whole = torch.zeros(2, 2, requires_grad=True)
        return FACTORIES[name](torch, whole.t() if is_view else whole)

    both(written)


@pytest.mark.parametrize("name", [name for name in FACTORIES if name not in ("empty", "randn")])
@pytest.mark.filterwarnings("ignore:torch.range is deprecated", "ignore:The number of elements")
def test_a_target_that_requires_grad_without_gradients(name):
    def written(torch):
        with torch.no_grad():
            # the result does not require grad any more
            return FACTORIES[name](torch, torch.zeros(2, 2, requires_grad=True))

    both(written)


def test_a_result_that_requires_grad():
    both(lambda torch: torch.arange(4, out=torch.zeros(2, 2), requires_grad=True))
    both(lambda torch: torch.rand(2, 2, out=torch.zeros(2, 2), requires_grad=True))
    both(lambda torch: torch.ones(2, 2, out=torch.zeros(0), requires_grad=True))


def test_another_dtype_than_asked_for():
    for make in (
        lambda torch, **options: torch.rand(2, **options),
        lambda torch, **options: torch.arange(2, **options),
    ):
        both(lambda torch: make(torch, dtype=torch.float64, out=torch.zeros(2)))  # noqa: B023
