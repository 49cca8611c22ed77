"""Runs a program in PyTorch, in torchlike, and compiled in torchlike, and compares the state after each call."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

import torchlike
from tests.fuzz_steps.interpreted import interpreted
from tests.fuzz_steps.look import Facts, Look
from tests.fuzz_steps.program import Program, execute, start

LARGEST = 1e6  # above this value, rounding alone can make the libraries differ
# (rtol, atol). float64 uses PyTorch's defaults. In float32, a few steps amplify rounding errors, most of all through
# Adam's division.
TOLERANCES = {"float64": (1e-7, 1e-7), "float32": (1e-3, 1e-4)}
WAYS = ("recorded", "compiled")
NUDGES = 3  # runs of PyTorch with inputs and parameters that differ in the last bit
# A difference of up to this multiple of the spread between those runs counts as rounding. Relative tolerances do not
# suffice, for example, for a gradient that is zero except for rounding.
TIMES = 100


@dataclass
class Seen:
    """The observable state after a statement: the error that it raised, and the facts about all names."""

    error: tuple[str, str] | None
    facts: Facts | None


@dataclass
class Ran:
    """Statistics of a run: the number of compiled calls that were replayed."""

    replays: int = 0


def observe(program: Program, library: Any, compile: Any, nudge: int = 0) -> list[Seen]:
    """Run a program and record all state after each call.

    A nonzero `nudge` is the seed of a change of each input and parameter in its last bit.
    """
    library.manual_seed(0)
    library.set_default_dtype(getattr(library, program.dtype))
    names = start(library, compile)
    seen = []
    try:
        for number, statement in enumerate(program.statements):
            error, facts = execute(statement, names), None
            if nudge and statement.startswith(("xs =", "ys =")):
                _nudge(names[statement[:2]], nudge)
            elif nudge and statement.startswith("model ="):
                _nudge([p.data for p in names["model"].parameters() if p.is_floating_point()], nudge)
            is_last = number == len(program.statements) - 1
            if program.is_looked_at(number):
                facts = Look(library, program.is_deep or is_last).names(names)
            seen.append(Seen(error, facts))
            if error is not None and not error[1].startswith("stop"):
                break  # the statement may have run in part, and its operators in another order
    finally:
        library.set_default_dtype(library.float32)
        library.set_grad_enabled(True)
    return seen


def plain(function: Any) -> Any:
    """Return the function uncompiled. This replaces `compile`."""
    return function


def seen_by(program: Program, way: str, ran: Ran | None = None) -> list[Seen]:
    """Run a program in torchlike and return its observed state."""
    ran = Ran() if ran is None else ran

    def compile(function: Any) -> Any:
        made = torchlike.compile(function)
        compiled.append(made._call if isinstance(made, torchlike.nn.Module) else made)
        return made

    compiled: list = []
    with torchlike.set_executor("numpy"), interpreted() if program.executor == "numpy" else contextlib.nullcontext():
        seen = observe(program, torchlike, plain if way == "recorded" else compile)
    ran.replays += sum(one.runs for each in compiled for among in each.kept.values() for one in among)
    return seen


def difference(program: Program, ways: tuple[str, ...] = WAYS, ran: Ran | None = None) -> str | None:
    """Run a program in both libraries and describe the first difference, or return None."""
    theirs = observe(program, torch, plain)
    for way in ways:
        ours = seen_by(program, way, ran)
        found = _differs(program, ours, theirs) and _differs(program, ours, theirs, _rounding(program, theirs))
        if found is not None:
            return f"{way}: {found}"
    return None


def _nudge(tensors: list[torch.Tensor], seed: int) -> None:
    rng = np.random.default_rng(seed)
    for t in tensors:
        to = torch.from_numpy(rng.choice([-np.inf, np.inf], tuple(t.shape))).to(t.dtype)
        t.copy_(torch.nextafter(t, to))


def _rounding(program: Program, theirs: list[Seen]) -> list[dict[str, float]]:
    """Measure, for each statement, how far rounding moves each fact in PyTorch."""
    found: list[dict[str, float]] = [{} for _ in theirs]
    for nudge in range(1, NUDGES + 1):
        for moved, seen, due in zip(found, observe(program, torch, plain, nudge), theirs):
            for key, x in (due.facts or {}).items():
                now = (seen.facts or {}).get(key)
                if isinstance(x, np.ndarray) and isinstance(now, np.ndarray) and now.shape == x.shape and x.size:
                    moved[key] = max(moved.get(key, 0.0), float(np.abs(now.astype("f8") - x).max()))
    return found


def _differs(program: Program, ours: list[Seen], theirs: list[Seen], rounding: list | None = None) -> str | None:
    for number, (mine, due) in enumerate(zip(ours, theirs)):
        at = f"statement {number}: {program.statements[number]!r}"
        if due.error is not None and "report an enhancement" in due.error[1]:
            return None  # an internal error that PyTorch itself reports as a bug ends the program
        if mine.error != due.error:
            return f"{at}\n  error {mine.error}\n  not   {due.error}"
        if due.error is not None and not due.error[1].startswith("stop"):
            return None
        if due.facts is not None and mine.facts is not None:
            if _is_wild(due.facts):
                return None
            found = _first(mine.facts, due.facts, program.dtype, rounding[number] if rounding else {})
            if found is not None:
                return f"{at}\n  {found}"
    return None


def _is_wild(facts: Facts) -> bool:
    arrays = [np.asarray(x) for x in facts.values() if isinstance(x, np.ndarray | float)]
    arrays = [x for x in arrays if x.dtype.kind == "f"]
    return any(not np.isfinite(x).all() or (np.abs(x) > LARGEST).any() for x in arrays)


def _first(ours: Facts, theirs: Facts, dtype: str, rounding: dict[str, float]) -> str | None:
    for key, due in theirs.items():
        if key not in ours or not _equal(ours[key], due, dtype, TIMES * rounding.get(key, 0.0)):
            return f"{key} is {ours.get(key, 'missing')!r}, not {due!r}"
    more = sorted(ours.keys() - theirs.keys())
    return f"there are {more}" if more else None


def _equal(mine: Any, due: Any, dtype: str, more: float = 0.0) -> bool:
    rtol, atol = TOLERANCES[dtype]
    if isinstance(due, np.ndarray):
        if not isinstance(mine, np.ndarray) or mine.shape != due.shape or mine.dtype != due.dtype:
            return False
        return (
            bool(np.allclose(mine, due, rtol, atol + more, equal_nan=True))
            if due.dtype.kind == "f"
            else bool((mine == due).all())
        )
    if isinstance(due, float):
        return isinstance(mine, float) and math.isclose(mine, due, rel_tol=rtol, abs_tol=atol)
    if isinstance(due, tuple | list):
        return type(mine) is type(due) and len(mine) == len(due) and all(_equal(a, b, dtype) for a, b in zip(mine, due))
    return type(mine) is type(due) and mine == due
