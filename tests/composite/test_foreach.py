"""Tests of `torch._foreach_*` against PyTorch, on the samples of PyTorch's own database of list operators."""

import copy
import itertools

import pytest
import torch
from torch.testing._internal import common_methods_invocations as database

import torchlike
from tests.conformance import translate
from tests.oracle import assert_same, both, outcome

ENTRIES = {
    op.name: op
    for kind in ("unary", "binary", "pointwise", "reduce", "other")
    for op in getattr(database, f"foreach_{kind}_op_db")
}
# Comparisons need real numbers. For complex norms PyTorch warns about a cast that it makes itself.
REAL = ("_foreach_clamp_min", "_foreach_clamp_max", "_foreach_minimum", "_foreach_maximum", "_foreach_norm")
CASES = [
    pytest.param(name, dtype, id=f"{name}-{dtype}")
    for name, op in ENTRIES.items()
    for dtype in (torch.float32, torch.int64, torch.bool, torch.complex64)
    if name not in REAL or dtype in (torch.float32, torch.int64)
]


def samples(op, dtype, count=8):
    """Return at most `count` of an entry's samples, evenly spaced."""
    made = list(op.sample_inputs("cpu", dtype, noncontiguous=False))
    return made[:: -(-len(made) // count)]


def names(op):
    return [n for n in (op.name, op.name + "_") if hasattr(torch, n)]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("entry, dtype", CASES)
def test_entry(entry, dtype):
    # PyTorch's own complex power is off by two units in the last place.
    close = {"rtol": 1e-5, "atol": 0} if entry == "_foreach_pow" and dtype.is_complex else {}
    # Sums of products up to 81 cancel, and the summation order differs.
    if entry == "_foreach_mm" and dtype is torch.float32:
        close = {"rtol": 1.3e-6, "atol": 1e-4}
    for name, sample in itertools.product(names(ENTRIES[entry]), samples(ENTRIES[entry], dtype)):
        compare(name, (sample.input, *sample.args), sample.kwargs, **close)


def compare(name, args, kwargs, **close):
    theirs = outcome(lambda torch: getattr(torch, name)(*copy.deepcopy(args), **copy.deepcopy(kwargs)), torch)
    ours = outcome(
        lambda torch: getattr(torch, name)(*translate.arguments(args), **translate.arguments(kwargs)), torchlike
    )
    if ours.error is not None and theirs.error is None:
        raise ours.error
    assert ours.sentence == theirs.sentence, (name, args, kwargs)
    if theirs.error is None:
        for mine, due in zip(ours.result, theirs.result, strict=True):
            assert_same(mine, due, stride=due.numel() > 0, **close)


def lists(torch, *sizes, grad=False):
    return [torch.arange(n * 1.0).requires_grad_(grad) for n in sizes]


FORMS = {
    "tensors": lambda torch, a: torch._foreach_add(a, lists(torch, 1, 2)),
    "alpha": lambda torch, a: torch._foreach_add(a, lists(torch, 1, 2), alpha=3),
    "one tensor": lambda torch, a: torch._foreach_add(a, torch.tensor(2.0), alpha=3),
    "numbers": lambda torch, a: torch._foreach_add(a, [1, 2.5]),
    "names": lambda torch, a: (torch._foreach_mul(self=a, scalars=[1, 2]), torch._foreach_mul(self=a, scalar=2)),
    "base": lambda torch, a: torch._foreach_pow(2, a),
    "factors": lambda torch, a: torch._foreach_addcdiv(a, a, [x + 1 for x in a], [1.0, 2.0]),
    "weights": lambda torch, a: torch._foreach_lerp(a, lists(torch, 1, 2), weight=[0.1, 0.2]),
    "ties": lambda torch, a: torch._foreach_maximum(a, lists(torch, 1, 2)),
    "bound": lambda torch, a: torch._foreach_minimum(a, 1.0),
    "norm": lambda torch, a: torch._foreach_norm(a, 3, dtype=torch.float64),
    "max": lambda torch, a: torch._foreach_max(a),
    "clone": lambda torch, a: torch._foreach_clone(a),
    "product": lambda torch, a: torch._foreach_mm([x[:, None] for x in a], [x[None] for x in a]),
}


@pytest.mark.parametrize("form", FORMS)
def test_gradients(form):
    def program(torch):
        a = lists(torch, 1, 2, grad=True)
        made = FORMS[form](torch, a)
        made = made if isinstance(made[0], torch.Tensor) else made[0] + made[1]
        sum(x.sum() for x in made).backward()
        return [x.detach() for x in made], [x.grad for x in a]

    both(program)


def test_numbers_packed_in_a_tensor():
    def program(torch):
        a = lists(torch, 1, 2)
        return torch._foreach_addcmul(a, a, a, torch.tensor([1.0, 2.0]))

    both(program)


def test_in_place_gives_the_list_back():
    def program(torch):
        a, b = lists(torch, 1, 2), tuple(lists(torch, 1, 2))
        return torch._foreach_add_(a, 1) is a, torch._foreach_exp_(b) is b, torch._foreach_zero_(self=a) is a, a, b

    both(program)


WRONG = {
    "lengths": lambda torch, a: torch._foreach_add(a, lists(torch, 1, 2, 3)),
    "lengths in place": lambda torch, a: torch._foreach_add_(a, lists(torch, 1, 2, 3)),
    "lengths of three": lambda torch, a: torch._foreach_addcmul(a, a, lists(torch, 1, 2, 3)),
    "weights": lambda torch, a: torch._foreach_lerp(a, a, lists(torch, 1, 2, 3)),
    "numbers": lambda torch, a: torch._foreach_add(a, [1, 2, 3]),
    "no tensors": lambda torch, a: torch._foreach_exp([]),
    "none to add": lambda torch, a: torch._foreach_add([], 1),
    "nothing to add": lambda torch, a: torch._foreach_add(a, []),
    "no list": lambda torch, a: torch._foreach_exp(a[0]),
    "no list to add": lambda torch, a: torch._foreach_add(a[0], 1),
    "numbers in place of tensors": lambda torch, a: torch._foreach_exp([a[0], 1]),
    "mixed": lambda torch, a: torch._foreach_add(a, [1, a[0]]),
    "text": lambda torch, a: torch._foreach_add(a, "a"),
    "dims": lambda torch, a: torch._foreach_mul(a, torch.ones(2)),
    "dims of what becomes a number": lambda torch, a: torch._foreach_sub(a, torch.ones(2)),
    "alpha of a number": lambda torch, a: torch._foreach_add(a, 1, alpha=2),
    "alpha of a product": lambda torch, a: torch._foreach_mul(a, a, alpha=2),
    "alpha of numbers": lambda torch, a: torch._foreach_add(a, [1, 2], alpha=2),
    "alpha of a difference": lambda torch, a: torch._foreach_sub(a, torch.tensor(1.0), alpha=2),
    "packed too long": lambda torch, a: torch._foreach_addcmul(a, a, a, torch.ones(3)),
    "packed dims": lambda torch, a: torch._foreach_addcmul(a, a, a, torch.tensor(1.0)),
    "list by the name of a number": lambda torch, a: torch._foreach_add(a, scalar=[1, 2]),
    "number by the name of a list": lambda torch, a: torch._foreach_add(a, other=1),
    "a list is missing": lambda torch, a: torch._foreach_addcmul(a, a),
    "a number is missing": lambda torch, a: torch._foreach_add(a),
    "unknown keyword": lambda torch, a: torch._foreach_exp(a, out=a),
    "too many": lambda torch, a: torch._foreach_exp(a, 1),
    "order of a norm": lambda torch, a: torch._foreach_norm(a, "fro"),
    "largest of none": lambda torch, a: torch._foreach_max([torch.empty(0)]),
    "largest norm of none": lambda torch, a: torch._foreach_norm([torch.empty(0)], float("inf")),
    "products": lambda torch, a: torch._foreach_mm(a, a[:1]),
    "source": lambda torch, a: torch._foreach_copy_(a, 1),
    "leaf": lambda torch, a: torch._foreach_add_(lists(torch, 1, grad=True), 1),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_errors(wrong):
    theirs, ours = (outcome(lambda t: WRONG[wrong](t, lists(t, 1, 2)), library) for library in (torch, torchlike))
    assert ours.sentence == (theirs.sentence[0], theirs.sentence[1].split("\n")[0])


@pytest.mark.parametrize("call", ["[[a, d, a], [a, None, d], []], True", "[[a, d]]", "[[None]]", "[[a], [a, a]]", "[]"])
def test_lists_by_device_and_dtype(call):
    """Group tensor lists as other libraries' optimizers do. PyTorch's groups have the order of a hash table,
    so both results are sorted."""

    def program(L):
        from importlib import import_module

        utils = import_module(f"{L.__name__}.utils._foreach_utils")
        names = {"a": L.ones(2), "d": L.zeros(3).double()}
        groups = eval(f"utils._group_tensors_by_device_and_dtype({call})", {**names, "utils": utils})
        assert utils._has_foreach_support([L.ones(1)], L.device("cpu"))
        return [(str(k), *groups[k]) for k in sorted(groups, key=str)]

    both(program)
