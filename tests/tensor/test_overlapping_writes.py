"""In-place writes whose operands share memory with the written tensor: what PyTorch refuses, and what it computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchlike
from tests.oracle import both

I, M = [0, 2], [True, False, True, False]
WRITES: dict[str, Callable[[Any, Any], Any]] = {
    # The number that is written may be an element of the target.
    "fill": lambda L, x: x.fill_(x[3]),
    "fill of a part": lambda L, x: x[:2].fill_(x[0]),
    "masked_fill": lambda L, x: x.masked_fill_(L.tensor(M), x[1]),
    "masked_fill by name": lambda L, x: x.masked_fill_(mask=x > 2, value=x[0]),
    "masked_fill by its own mask": lambda L, x: (x > 1).masked_fill_((b := x > 1), b[1]),
    "index_fill": lambda L, x: x.index_fill_(0, L.tensor(I), x[3]),
    "index_fill by name": lambda L, x: x.index_fill_(0, L.tensor(I), value=x[3]),
    "mask": lambda L, x: x.__setitem__(x > 1.5, x[0]),
    "mask of one element": lambda L, x: x.__setitem__(x > 1.5, x[:1]),
    "mask of a view": lambda L, x: x[:2].__setitem__(x[:2] > 0, x[1:2]),
    "index_put of a mask": lambda L, x: x.index_put_((x > 0,), x[:1]),
    "True": lambda L, x: x.__setitem__(True, x[0]),
    "True, one element": lambda L, x: x.__setitem__(True, x[:1]),
    "True, too many": lambda L, x: x.__setitem__(True, L.ones(2, 4)),
    # An index that is not yet computed decides whether the value overlaps.
    "pending place": lambda L, x: (y := x.view(2, 2) + 0).__setitem__(y.sum(1).argmax(), y[0]) or y,
    "pending place, the same": lambda L, x: (y := x.view(2, 2) + 0).__setitem__(y.sum(1).argmin(), y[0]) or y,
    "pending place and a list": lambda L, x: (
        (y := x.view(2, 2) + 0).__setitem__((y.sum(1).argmax(), [0]), y[0, :1]) or y
    ),
    "pending place in itself": lambda L, x: (y := L.arange(4) + 0).__setitem__(y[3], y[1]) or y,
    "index_put of a pending place": lambda L, x: (y := x + 0).index_put_((y.argmax(),), y[0]),
    # Other operands must not overlap.
    "mask, all elements": lambda L, x: x.__setitem__(x > 0, x),
    "zero-dim mask": lambda L, x: x[0].__setitem__(L.tensor(True), x[0]),
    "zero-dim mask of rows": lambda L, x: x.view(2, 2).__setitem__(L.tensor(True), x[0]),
    "zero-dim bytes": lambda L, x: x.__setitem__(L.tensor(1, dtype=L.uint8), 7),
    "zero-dim mask, complex": lambda L, x: x.__setitem__(L.tensor(True), L.tensor(3j)),
    "places": lambda L, x: x.__setitem__(L.tensor([0]), x[:1]),
    "partial mask": lambda L, x: (b := x > 1)[:2].masked_fill_(b[1:3], False),
    "own index": lambda L, x: (i := L.tensor([0, 2, 1])).index_fill_(0, i, 7),
    **{
        f"{name} by name": lambda L, x, name=name, options=options: getattr(x, name)(
            **{k: x[1:2] if v is None else v for k, v in options.items()}
        )
        for name, options in {
            "add_": {"other": None},
            "mul_": {"other": None},
            "div_": {"other": None, "rounding_mode": "floor"},
            "clamp_": {"min": None},
            "clamp_max_": {"max": None},
            "pow_": {"exponent": None},
            "copysign_": {"other": None},
            "lerp_": {"end": None, "weight": 0.5},
            "addcmul_": {"tensor1": None, "tensor2": None},
        }.items()
    },
    "ldexp": lambda L, x: x.ldexp_(x[1]),
    "ldexp of a part": lambda L, x: x[1:].ldexp_(x[:-1]),
    "addr": lambda L, x: x.view(2, 2).addr_(x[:2], L.ones(2)),
    "addr of another part": lambda L, x: x[:2].view(1, 2).addr_(L.ones(1), x[2:]),
    "clamp by itself": lambda L, x: x.clamp_(min=x),
    "copy": lambda L, x: x[1:].copy_(other=x[:-1]),
}


def outcome(L: Any, write: Callable) -> tuple:
    x = L.arange(1.0, 5.0)
    try:
        made = write(L, x)
    except Exception as error:
        return type(error).__name__, str(error), x.tolist()
    return None if made is None else made.tolist(), x.tolist()


@pytest.mark.parametrize("name", WRITES)
def test_writes(name):
    assert outcome(torchlike, WRITES[name]) == outcome(torch, WRITES[name])


@pytest.mark.parametrize(
    "write", [lambda y, m: y.masked_fill_(m, y[1]), lambda y, m: y.index_fill_(0, m.nonzero()[:, 0], y[1])]
)
def test_gradients_of_a_number_in_the_target(write):
    found = []
    for L in (torchlike, torch):
        x = L.arange(4.0, requires_grad=True)
        y = x * 2
        write(y, L.tensor(M))
        y.sum().backward()
        found.append((x.grad.tolist(), y.grad_fn.name()))
    assert found[0] == found[1]


NUMBERS = {
    "clamp": lambda L, x, z: [x.clamp(z, 3), x.clamp(1.5, z), x.clip(min=z, max=3.0), L.clamp(x.long(), z, 3)],
    "clamp_": lambda L, x, z: x.clamp_(z, 3),
    "nan_to_num_ of itself": lambda L, x, z: x.nan_to_num_(x[0]),
    "normal": lambda L, x, z: L.normal(z, 1.0, (2,)).shape,
    "add": lambda L, x, z: L.add(x, z, x),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", NUMBERS)
def test_zero_dim_tensors_stand_for_numbers(name):
    both(lambda L: NUMBERS[name](L, L.arange(1.0, 5.0), L.tensor(2.0)))


REFUSED = {
    "masked_scatter_": lambda x: x.masked_scatter_(x),
    "index_add_": lambda x: x.index_add_(x),
    "acos_": lambda x: x.acos_(x[:1]),
    "div_": lambda x: x.div_(x[:1], 1),
    "copy_": lambda x: x.copy_(x, 1),
    "index_fill_": lambda x: x.index_fill_(0, x, x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_errors_about_arguments_precede_those_about_memory(name):
    kinds = []
    for L in (torchlike, torch):
        with pytest.raises((TypeError, RuntimeError, IndexError)) as error:
            REFUSED[name](L.arange(1.0, 5.0))
        kinds.append((error.type, "single memory location" in str(error.value)))
    assert kinds[0] == kinds[1]
