"""Runs a program with and without `compile` and compares the recorded results."""

from __future__ import annotations

import builtins
import re
import sys
import types
import warnings
from typing import Any

import torchlike
from tests.fuzz_state.programs import Program, smaller

_ADDRESS = re.compile(r"0x[0-9a-f]+")


def observe(program: Program, compile: Any) -> list:
    """Run a program, and return the result of each call and change together with the state after it."""
    seen: list = []

    def call(function: Any, show: Any) -> None:
        try:
            result = function()
        except Exception as error:
            result = _error(error)
        seen.append((_plain(result), _attempt(show)))

    module = sys.modules["fuzzed"] = types.ModuleType("fuzzed")  # dataclasses look up their module here
    names = vars(module)
    names |= {"torch": torchlike, "compile": compile, "call": call, "attempt": lambda error: seen.append(_error(error))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(builtins.compile(program.text(), "<program>", "exec"), names)
    return seen


def _attempt(show: Any) -> Any:
    try:
        return _plain(show())
    except Exception as error:
        return _error(error)


def _error(error: Exception) -> str:
    error.__traceback__ = None  # the traceback would keep all frames alive
    return f"{type(error).__name__}: {error}"


def _plain(x: Any) -> Any:
    """Convert a value into a form that can be compared."""
    if isinstance(x, torchlike.Tensor):
        return f"tensor({[float(f'{v:.5g}') for v in x.detach().flatten().tolist()]}, {x.dtype}, {x.requires_grad})"
    if isinstance(x, list | tuple):
        return [type(x).__name__, *map(_plain, x)]
    if isinstance(x, dict):
        return {str(key): _plain(y) for key, y in x.items()}, [*map(str, x)]
    return _ADDRESS.sub("", repr(x))


def plain(model: Any) -> Any:
    """Return the function or module uncompiled. This replaces `compile`."""
    return model


def difference(program: Program) -> str | None:
    """Run a program both ways and describe the first difference, or return None."""
    expected, found = observe(program, plain), observe(program, torchlike.compile)
    for i, (a, b) in enumerate(zip(expected, found)):
        if a != b:
            return f"step {i}: as it is written\n  {a}\ncompiled\n  {b}"
    return None if len(expected) == len(found) else "one stopped early"


def guarded(program: Program) -> str | None:
    """Return the difference of a program. An error of the run itself counts as a difference."""
    try:
        return difference(program)
    except Exception as error:
        return f"the program raised {type(error).__name__}: {error}"


def smallest(program: Program) -> Program:
    """Reduce a program to a smaller one with the same kind of difference."""
    kind = kind_of(guarded(program) or "")
    while True:
        one = next((s for s in smaller(program) if kind_of(guarded(s) or "") == kind), None)
        if one is None:
            return program
        program = one


def kind_of(found: str) -> str:
    """Return the kind of a difference: the same for all steps, or an error without its numbers."""
    return re.sub(r"\d+", "", found.partition(":")[0] if found.startswith("step") else found)[:100]
