"""`out=` of every operator in PyTorch's database, with a few targets each. ``python -m tests.out`` runs all targets."""

import warnings

import pytest

import torchlike
from tests.exclusions import OUT, OUT_CEILING
from tests.oracle import both
from tests.out.judge import chosen_entries, excluded, faults
from tests.out.targets import DTYPES, KINDS

pytestmark = pytest.mark.filterwarnings("ignore")

GROUPS, KINDS_OF_ONE = 12, 3


@pytest.fixture(autouse=True)
def interpreted():
    """Interpret the calls, because none of them is worth a compile."""
    with torchlike.set_executor("numpy"):
        yield


@pytest.mark.one_in(3)
@pytest.mark.parametrize("group", range(GROUPS))
def test_every_operator(group):
    entries = list(enumerate(chosen_entries([])))[group::GROUPS]
    found = [fault for number, entry in entries for fault in faults(entry, 1, kinds=_some(number), one_dtype=True)]
    assert [fault for fault in found if not excluded(fault)] == []


def _some(number):
    return tuple(KINDS[(number * KINDS_OF_ONE + i * 7) % len(KINDS)] for i in range(KINDS_OF_ONE))


def test_the_exclusions_do_not_grow():
    assert sum(len(kinds) for kinds, _ in OUT.values()) == OUT_CEILING
    assert {entry.name for entry in chosen_entries([])} >= OUT.keys()
    assert {kind for kinds, _ in OUT.values() for kind in kinds} <= {kind.name for kind in KINDS} | SHARED


SHARED = {"the input", "beside the input", "of an input that requires grad"}


# -- cases that the database does not cover ----------------------------------------------------------------------------

REDUCTIONS = ("sum", "prod", "mean", "nansum", "cumsum", "cumprod", "softmax", "amax", "argmax", "logsumexp", "std")


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_reduction_into_every_dtype(name, dtype):
    def written(torch):
        x = torch.tensor([[1.5, 2.5, 3.0], [0.5, 1.0, 2.0]])
        out = torch.zeros(getattr(torch, name)(x, 0).shape, dtype=getattr(torch, dtype))
        return getattr(torch, name)(x, 0, out=out)

    both(written)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "cumsum", "cumprod", "softmax"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_an_explicit_dtype_and_out(name, dtype):
    def written(torch):
        x = torch.tensor([1.5, 2.5, 3.0])
        function = getattr(torch, name)
        out = torch.zeros(function(x, 0).shape, dtype=getattr(torch, dtype))
        return function(x, 0, dtype=torch.float64, out=out)

    both(written)


PROGRAMS = {
    "a product in another order": lambda torch: torch.add(torch.ones(2, 3).t(), 1, out=torch.empty(0)),
    "several results": lambda torch: tuple(
        torch.sort(torch.tensor([3.0, 1.0, 2.0]), out=(torch.zeros(3), torch.zeros(3).long()))
    ),
    "several results in a list": lambda torch: tuple(
        torch.sort(torch.tensor([3.0, 1.0]), out=[torch.zeros(2), torch.zeros(2).long()])
    ),
    "one target for two results": lambda torch: torch.linalg.eigh(torch.eye(2), out=torch.zeros(2)),
    "one target for two results of a row": lambda torch: torch.topk(torch.ones(2), 1, out=torch.zeros(1)),
    "three targets for two results": lambda torch: torch.cummax(
        torch.ones(2), 0, out=(torch.zeros(2), torch.zeros(2).long(), torch.zeros(2))
    ),
    "a sum of one element": lambda torch: torch.cumsum(torch.tensor(2.0), 0, out=torch.zeros((), dtype=torch.bool)),
    "the operand": lambda torch: (lambda x: torch.exp(x, out=x))(torch.tensor([0.0, 1.0])),
    "a part of the operand": lambda torch: (lambda x: torch.exp(x[:3], out=x[1:]))(torch.ones(4)),
    "without gradients": lambda torch: _without_gradients(torch),
    "one of the operands requires grad": lambda torch: torch.mul(
        torch.ones(2), torch.ones(2, requires_grad=True), out=torch.zeros(2)
    ),
}


def _without_gradients(torch):
    out = torch.zeros(2, requires_grad=True)
    with torch.no_grad():
        torch.mul(torch.ones(2), 3, out=out)
    return out.detach(), out.requires_grad


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program(name):
    both(PROGRAMS[name])


def test_a_resized_target_is_told_of():
    def told(torch):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            torch.exp(torch.zeros(3), out=torch.zeros(2))
            torch.exp(torch.zeros(3), out=torch.zeros(0))
        return [str(w.message).partition(" (Triggered")[0] for w in said]

    both(told)
