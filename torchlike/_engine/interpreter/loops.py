"""Rules for JAX's loops and branches. The rules receive the bodies as programs instead of jaxprs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike._engine.interpreter.rules import Equation, rule
from torchlike._engine.xla.jax_private import part_sizes

# Primitives that run other jaxprs, and the names of the parameters with these jaxprs.
BODIES = {"scan": ("jaxpr",), "while": ("cond_jaxpr", "body_jaxpr"), "cond": ("branches",)}


GUESSED = 16  # the assumed number of iterations of a `while` loop, for the cost model


def as_rule_function(e: Equation, function: Callable, calls: int | None) -> Callable:
    """Convert a function that returns a list to the form that a rule must return.

    If the equation has one output, the converted function returns the only item of the list. For a loop, `calls` is the
    number of NumPy functions that one run calls. It becomes an attribute of the converted function.
    """
    found: Any = function if len(e.outputs) > 1 else lambda *arrays: function(*arrays)[0]
    if calls is not None:
        found.calls = calls
    return found


@rule("scan")
def _scan(e: Equation) -> Callable:
    body, count = e.params["jaxpr"], e.params["length"]
    constants, carried = _parts(e)
    begin = constants + carried
    steps = range(count)[::-1] if e.params.flag("reverse") else range(count)

    def scan(*arrays: Any) -> list:
        fixed, carry, rows = arrays[:constants], arrays[constants:begin], arrays[begin:]
        stacked = [np.empty(o.shape, o.dtype) for o in e.outputs[carried:]]
        for i in steps:
            found = body(*fixed, *carry, *[x[i] for x in rows])
            carry = found[:carried]
            for whole, row in zip(stacked, found[carried:]):
                whole[i] = row
        return [*carry, *stacked]

    return as_rule_function(e, scan, count * body.calls)


def _parts(e: Equation) -> tuple[int, int]:
    """Return the number of constants and the number of carried values among the inputs of a `scan`."""
    taken, returned = (part_sizes(e.params.get(name)) for name in ("ft_in", "ft_out"))  # since JAX 0.12
    if taken is None:
        return e.params["num_consts"], e.params["num_carry"]
    if returned is None or len(taken) != 3 or taken[1] != returned[0] or sum(taken) != len(e.inputs):
        raise e.refuse("of an unknown form")
    return taken[0], taken[1]


@rule("while")
def _while(e: Equation) -> Callable:
    condition, body = e.params["cond_jaxpr"], e.params["body_jaxpr"]
    begin = e.params["cond_nconsts"]
    end = begin + e.params["body_nconsts"]

    def repeat(*arrays: Any) -> list:
        constants, fixed, carry = arrays[:begin], arrays[begin:end], list(arrays[end:])
        while condition(*constants, *carry)[0]:
            carry = body(*fixed, *carry)
        return carry

    return as_rule_function(e, repeat, GUESSED * (condition.calls + body.calls))


@rule("cond")
def _cond(e: Equation) -> Callable:
    branches = e.params["branches"]
    last = len(branches) - 1
    choose = lambda which, *arrays: branches[min(max(int(which), 0), last)](*arrays)
    return as_rule_function(e, choose, max(branch.calls for branch in branches))
