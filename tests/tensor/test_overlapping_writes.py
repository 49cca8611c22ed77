"""In-place writes whose operands share memory with the written tensor: what PyTorch refuses, and what it computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchlike

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
