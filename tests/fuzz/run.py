"""Runs a program in both libraries and compares the observable state after each statement."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any
from weakref import ref

import numpy as np
import torch

import torchlike
from tests.fuzz.programs import NAMES, Program, execute, start


@dataclass
class Seen:
    """The observable state after a statement: the error that it raised, and the facts about every name."""

    error: tuple[str, str] | None
    facts: dict[str, dict[str, Any]]


def observe(program: Program, library: Any) -> list[Seen]:
    """Run a program and observe all names after each statement, or only after the last if it is not `watched`."""
    names = start(library)
    seen = []
    births: dict[int, tuple[Any, int]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for number, statement in enumerate(program.statements):
                may = "@" in statement or has_inference(names, library)
                error = execute(statement, names)
                note_births("backward(" in statement, may or has_inference(names, library), names, births, library)
                look = program.watched or number == len(program.statements) - 1
                facts = facts_of(names, births, library) if look else {}
                if look:
                    facts["log"] = {f"log[{i}]": values_of(t, library) for i, t in enumerate(names["log"])}
                seen.append(Seen(error and sentence(error), facts))
        finally:
            library.set_grad_enabled(True)
    return seen


def sentence(error: Exception) -> tuple[str, str]:
    return type(error).__name__, str(error).partition("\n")[0]


def _tensors(names: dict[str, Any], library: Any) -> list:
    return [t for t in (names.get(n) for n in NAMES) if isinstance(t, library.Tensor)]


def has_inference(names: dict[str, Any], library: Any) -> bool:
    return any(t.is_inference() for t in _tensors(names, library))


def note_births(
    backward: bool, may: bool, names: dict[str, Any], births: dict[int, tuple[Any, int]], library: Any
) -> None:
    """Record the initial version of each new tensor, so that only later writes are counted.

    The initial version is not always 0, because PyTorch may write to a tensor while it creates it. Some operators do
    this (`may`: the statement may have called one), and `backward` does it when it copies a gradient into `.grad`
    (docs/differences.md).
    """
    tensors = _tensors(names, library)
    found = [attempt(lambda: t.grad) for t in tensors] if backward else []  # noqa: B023
    gradients = [g for g in found if isinstance(g, library.Tensor)]
    for t in [*gradients, *tensors]:
        if id(t) not in births or births[id(t)][0]() is not t:
            memory, version = _memory(t, library), 0 if t.is_inference() else t._version
            alive = [(held(), born) for held, born in births.values()]
            known = [born for other, born in alive if other is not None and _memory(other, library) == memory]
            fresh = version if (may and t._base is None) or any(t is g for g in gradients) else 0
            births[id(t)] = ref(t), min([version, *known]) if known else fresh


def facts_of(names: dict[str, Any], births: dict[int, tuple[Any, int]], library: Any) -> dict[str, dict[str, Any]]:
    """Return what can be observed of each named tensor."""
    live = {n: names[n] for n in NAMES if n in names}
    tensors = {n: t for n, t in live.items() if isinstance(t, library.Tensor)}
    found: dict[str, dict[str, Any]] = {n: {"is": type(t).__name__} for n, t in live.items()}
    owners: dict[Any, str] = {}
    objects: dict[int, str] = {}
    for name, t in tensors.items():
        found[name] = _of_tensor(t, tensors, library)
        if isinstance(found[name]["version"], int):
            found[name]["version"] -= births[id(t)][1]
        found[name]["memory of"] = owners.setdefault(_memory(t, library), name)
        found[name]["same object"] = objects.setdefault(id(t), name)
    return found


def _memory(t: Any, library: Any) -> Any:
    return t.untyped_storage()._cdata if library is torch else id(t._storage.whole)


def _of_tensor(t: Any, tensors: dict[str, Any], library: Any) -> dict[str, Any]:
    facts = _outside(t)
    facts |= {
        "offset": t.storage_offset(),
        "is_leaf": attempt(lambda: t.is_leaf),
        "is_inference": t.is_inference(),
        "retains_grad": attempt(lambda: t.retains_grad),
        "version": attempt(lambda: t._version),
        "grad_fn": attempt(lambda: t.grad_fn and t.grad_fn.name()),
        "output_nr": attempt(lambda: t.output_nr),
        "is_view": t._is_view(),
        "base": _name_of(t._base, tensors),
        "values": attempt(lambda: values_of(t, library)),
    }
    grad = attempt(lambda: t.grad)
    if isinstance(grad, library.Tensor):
        facts |= {f"grad.{key}": fact for key, fact in _outside(grad).items()}
        facts["grad.values"] = values_of(grad, library)
        facts["grad is"] = _name_of(grad, tensors)
    elif grad is not None:
        facts["grad"] = grad
    return facts


def _outside(t: Any) -> dict[str, Any]:
    return {
        "shape": tuple(t.shape),
        # The strides of an empty tensor are not observable.
        "stride": tuple(s for s, n in zip(t.stride(), t.shape) if n > 1) if t.numel() else None,
        "dtype": str(t.dtype).rpartition(".")[2],
        "requires_grad": attempt(lambda: t.requires_grad),
    }


def _name_of(t: Any, tensors: dict[str, Any]) -> str | None:
    if t is None:
        return None
    return next((n for n, other in tensors.items() if other is t), "unnamed")


def attempt(ask: Any) -> Any:
    try:
        return ask()
    except Exception as error:
        return sentence(error)


def values_of(t: Any, library: Any) -> np.ndarray:
    """Return a copy of the elements. Dtypes that NumPy lacks become float32."""
    if t is None:
        return np.zeros(0)
    if library is torch:
        plain = t.detach().resolve_conj().resolve_neg()
        # Let PyTorch make the copy: `numpy()` would change the properties of its storage.
        return (plain.float() if plain.dtype is torch.bfloat16 else plain.clone()).numpy()
    host = t._host()
    return np.array(host.astype(np.float32) if str(t.dtype).endswith("bfloat16") else host)


# -- comparing ---------------------------------------------------------------------------------------------------------

_ROUNDING = {"float32": 1e-5, "complex64": 1e-5, "float64": 1e-9, "complex128": 1e-9, "bfloat16": 2e-2}


def difference(program: Program) -> str | None:
    """Run a program in both libraries and describe the first difference, or return None."""
    theirs = observe(program, torch)
    with torchlike.set_executor(program.executor):
        ours = observe(program, torchlike)
    scale, rounding = 1.0, coarsest(program)
    for number, (mine, due) in enumerate(zip(ours, theirs)):
        at = f"statement {number}: {program.statements[number]!r}"
        if mine.error != due.error:
            found = f"error {mine.error}\n  not   {due.error}"
        else:
            scale = max(scale, largest(due.facts))
            found = first_difference(mine.facts, due.facts, scale, rounding)
        if found is not None:
            # After an internal error, which PyTorch itself reports as a bug, the libraries are no longer compared.
            return None if "please report" in found else f"{at}\n  {found}"
    return None


def largest(facts: dict[str, dict[str, Any]]) -> float:
    arrays = [x for of in facts.values() for x in of.values() if isinstance(x, np.ndarray) and x.dtype.kind in "fc"]
    finite = [float(np.abs(x[np.isfinite(x)]).max()) for x in arrays if np.isfinite(x).any()]
    return max(finite, default=0.0)


def coarsest(program: Program) -> float:
    """Return the rounding of the coarsest dtype in a program.

    A value that was rounded to this dtype keeps the rounding error after a conversion to another dtype.
    """
    text = str(program)
    return max([r for dtype, r in _ROUNDING.items() if dtype in text] + [1e-5] * (".float()" in text), default=1e-9)


def first_difference(ours: dict, theirs: dict, scale: float, rounding: float) -> str | None:
    if ours.keys() != theirs.keys():
        return f"names {list(ours)}, not {list(theirs)}"
    for name, due in theirs.items():
        mine = ours[name]
        for key, fact in due.items():
            dtype = due.get("grad.dtype" if key.startswith("grad.") else "dtype", "float32")
            tolerance = max(_ROUNDING[dtype], rounding) * scale if dtype in _ROUNDING else 0.0
            if key not in mine or not _equal(mine[key], fact, tolerance):
                return f"{name}: {key} is {mine.get(key)!r}, not {fact!r}"
        if mine.keys() != due.keys():
            return f"{name}: has {sorted(mine.keys() - due.keys())}"
    return None


def _equal(mine: Any, due: Any, tolerance: float) -> bool:
    if not isinstance(due, np.ndarray):
        return mine == due
    if mine.shape != due.shape or mine.dtype != due.dtype:
        return False
    if due.dtype.kind not in "fc":
        return bool((mine == due).all())
    tolerance = tolerance if math.isfinite(tolerance) else 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.allclose(mine, due, rtol=max(tolerance, 1e-12), atol=tolerance, equal_nan=True))


def smallest(program: Program, still: Any = difference) -> Program:
    """Return the program without the statements that are not needed to reproduce the difference."""
    statements = list(program.statements)
    changed = True
    while changed:
        changed = False
        for i in range(len(statements) - 1, -1, -1):
            fewer = statements[:i] + statements[i + 1 :]
            if fewer and still(_with(program, fewer)) is not None:
                statements, changed = fewer, True
    return _with(program, statements)


def _with(program: Program, statements: list[str]) -> Program:
    return Program(tuple(statements), program.executor, program.watched)


def script(program: Program) -> str:
    """Format a program as a script for either library."""
    lines = ["import torch", "", "log, inf, nan = [], float('inf'), float('nan')"]
    names = start(torch)
    for statement in program.statements:
        error = execute(statement, names)
        if error is None:
            lines.append(statement)
        else:
            body = statement.replace("\n", "\n    ")
            lines.append(f"try:\n    {body}\nexcept {type(error).__name__} as error:\n    print(error)")
    torch.set_grad_enabled(True)
    return "\n".join(lines)
