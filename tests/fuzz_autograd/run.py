"""Runs a program in both libraries and compares the observable state after each statement."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any

import torch

import torchlike
from tests.fuzz.programs import NAMES, Program
from tests.fuzz.run import attempt, coarsest, facts_of, first_difference, largest, note_births, values_of
from tests.fuzz_autograd.prelude import start

# Warnings of torchlike only, and of PyTorch only.
_NOT_COMPARED = re.compile("torchlike|gradient layout contract")
# Compiled functions may record another graph.
_OF_GRAPH = ("grad_fn", "is_view", "base", "version", "output_nr", "stride", "grad.stride", "grad is the earlier one")
_ADDRESS = re.compile("0x[0-9a-f]+|[0-9]{12,}")


@dataclass
class Seen:
    """The observable state after a statement: the error and warnings that it caused, and the facts about every name."""

    error: tuple[str, str] | None
    warned: list[tuple[str, str]]
    facts: dict[str, dict[str, Any]]


def observe(program: Program, library: Any, compile: Any = lambda function: function) -> list[Seen]:
    """Run a program and observe all names after each statement."""
    names = start(library, compile)
    seen: list[Seen] = []
    births: dict[int, tuple[Any, int]] = {}
    grads: dict[str, Any] = {}
    lives: list = []  # each tensor that ever had a name: memory of a tensor that no longer exists has no known version
    library.set_warn_always(True)
    try:
        for statement in program.statements:
            error, warned = _run(statement, names)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                note_births("backward(" in statement, True, names, births, library)
                with library.enable_grad():
                    facts = facts_of(names, births, library)
                    _note_grads(names, grads, facts, library)
                    facts["log"] = _log(names["log"], library)
            lives.append([names.get(n) for n in NAMES])
            seen.append(Seen(error, warned, facts))
    finally:
        library.set_grad_enabled(True)
        library.set_warn_always(False)
    return seen


def _run(statement: str, names: dict[str, Any]) -> tuple[tuple[str, str] | None, list[tuple[str, str]]]:
    error = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(statement, "<program>", "exec"), names)
        except Exception as raised:
            error = type(raised).__name__, _told(raised)
    told = ((w.category.__name__, _told(w.message)) for w in caught)
    return error, sorted({w for w in told if not _NOT_COMPARED.search(w[1])})


def _told(error: Any) -> str:
    """Return the first line of a message, without the parts that necessarily differ between the libraries."""
    return _ADDRESS.sub("0x", str(error).partition("\n")[0]).partition(" (Triggered internally")[0]


def _note_grads(names: dict[str, Any], grads: dict[str, Any], facts: dict[str, dict[str, Any]], library: Any) -> None:
    """Add to the facts whether the `.grad` of a leaf is the object that it was after the statement before."""
    for name in NAMES:
        t = names.get(name)
        if isinstance(t, library.Tensor):
            grad = attempt(lambda t=t: _grad_of(t))
            facts[name]["grad is the earlier one"] = grad is not None and grad is grads.get(name)
            grads[name] = grad


def _grad_of(t: Any) -> Any:
    return t.grad if t.is_leaf or t.retains_grad else None


def _log(log: list, library: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for i, each in enumerate(log):
        _describe(f"log[{i}]", each, found, library)
    return found


def _describe(at: str, x: Any, found: dict[str, Any], library: Any) -> None:
    if isinstance(x, library.Tensor):
        found[at] = str(x.dtype).rpartition(".")[2], tuple(x.shape), x.requires_grad
        found[f"{at}.values"] = values_of(x, library)
    elif isinstance(x, tuple | list):
        found[at] = f"{type(x).__name__} of {len(x)}"
        for i, each in enumerate(x):
            _describe(f"{at}[{i}]", each, found, library)
    else:
        found[at] = _ADDRESS.sub("0x", str(x)).replace("torchlike.", "torch.")


def difference(program: Program) -> str | None:
    """Run a program in both libraries and describe the first difference, or return None."""
    theirs = observe(program, torch)
    with torchlike.set_executor(program.executor):
        ours = observe(program, torchlike, torchlike.compile)
    scale, rounding = 1.0, max(coarsest(program), 1e-5)
    is_compiled = "run()" in program.statements
    not_compared = _OF_GRAPH if is_compiled else ("stride",)
    if "inference_mode" in str(program):
        not_compared += ("is_view", "base")
    for seen in [*ours, *theirs]:
        _forget(seen, not_compared)
    for number, (mine, due) in enumerate(zip(ours, theirs)):
        if due.error is not None and "please report" in due.error[1]:
            return None  # an internal error that PyTorch itself reports as a bug ends the program
        scale = max(scale, largest(due.facts))
        found = _differs(mine, due, scale, rounding)
        if found is not None:
            return f"statement {number}: {program.statements[number]!r}\n  {found}"
    return None


def _forget(seen: Seen, keys: tuple[str, ...]) -> None:
    """Remove facts that are not compared."""
    for facts in seen.facts.values():
        for key in keys:
            facts.pop(key, None)


def _differs(mine: Seen, due: Seen, scale: float, rounding: float) -> str | None:
    if mine.error != due.error:
        return f"error {mine.error}\n  not   {due.error}"
    if mine.warned != due.warned:
        return f"warned {mine.warned}\n  not    {due.warned}"
    return first_difference(mine.facts, due.facts, scale, rounding)
