"""Runs compiled calls and optimizer steps without XLA.

An XLA compile takes a quarter of a second, and the programs test capture and replay but not XLA. NumPy therefore
interprets the captured operators.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np

from torchlike._compile import operator_replay, trusted, whole_program
from torchlike._compile.differentiable import part
from torchlike._composite import multi_tensor
from torchlike._engine.interpreter.executor import Interpreted, _run
from torchlike._engine.programs import programs
from torchlike._engine.trace.plan import NUMPY, ONCE
from torchlike._engine.trace.trace import operators
from torchlike._engine.xla.executor import Executable, numbers_of, unpack


class _Executable:
    """A replacement for XLA's executable. It invalidates donated arrays as XLA does."""

    def __init__(self, trace: Any, live: tuple[int, ...], donated: tuple[int, ...], vectors: tuple) -> None:
        self._program = Interpreted(trace, tuple(dict.fromkeys(i for i in live if i >= 0)))
        self._live, self._results = live, range(len(trace.results))
        _, self._places, _ = numbers_of(trace)
        self._vectors = vectors
        self._lengths = [len(plan.scalars) for plan, _ in operators(trace.code) if plan.scalars]
        self._order = [*donated, *[i for i in range(len(trace.arrays)) if i not in donated]]
        self._donated = len(donated)

    def __call__(self, given: list, kept: list, packs: list) -> list:
        arrays: list[Any] = [None] * len(self._order)
        for i, array in zip(self._order, [*given[: self._donated], *kept]):
            arrays[i] = np.asarray(array)
        trace: Any = SimpleNamespace(arrays=arrays, results=self._results, scalars=self._scalars(packs))
        made = dict(zip(self._program.live, self._program(trace)))
        copied = [jax.device_put(made[i] if i >= 0 else arrays[~i].copy()) for i in self._live]
        for array in given:
            array.delete()
        return copied

    def _scalars(self, packs: list) -> list[list]:
        numbers = unpack(self._vectors, [np.asarray(pack).tolist() for pack in packs])
        return [numbers[place : place + length] for place, length in zip(self._places, self._lengths)]


def _make(
    device: Any, trace: Any, live: tuple[int, ...], donated: tuple[int, ...], spare: int, packs: Any, given: Any
) -> Any:
    """Replace `whole_program._make`."""
    made = Executable.__new__(Executable)
    made.call = made.compiled = _Executable(trace, live, donated, packs.vectors)
    made.function, made.is_warm, made.needs, made.donated_bytes = _make, True, 0, 0
    made.account = SimpleNamespace(runs=0)
    return made


def _part(trace: Any, name: str, begin: int, end: int, first: int, given: Sequence[int], wanted: Sequence[int]) -> Any:
    """Replace `differentiable.part` in `operator_replay`."""
    plan = part(trace, name, begin, end, first, given, wanted)
    _, places, _ = numbers_of(trace)
    places = places[sum(bool(plan.scalars) for plan, _ in operators(trace.code[:begin])) :]
    entries = list(operators(trace.code[begin:end]))

    def run(*flat: Any) -> tuple:
        found = dict(zip(given, flat))
        numbers, at, begins = flat[len(given) :], first, iter(places)
        for each, slots in entries:
            start = next(begins) if each.scalars else 0
            made = _run(each, [found[s] for s in slots] + [*numbers[start : start + len(each.scalars)]])
            found |= {at + i: array for i, array in enumerate(made)}
            at += len(each.outputs)
        return tuple([found[s] for s in wanted])

    plan.function, plan.executor = run, NUMPY
    return plan


_PLAIN = SimpleNamespace(jit=lambda function: function)
_REPLACED: list[tuple[Any, str, Callable | Any]] = [
    (whole_program, "_make", _make),
    (operator_replay, "part", _part),
    (multi_tensor, "jax", _PLAIN),
    (multi_tensor, "COMPILED", ONCE),  # update rules run in NumPy
    (trusted, "LIBRARIES", trusted.LIBRARIES | {"tests"}),  # the code that replaces XLA is not user code
]


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """Interpret every program that can be interpreted, instead of compiling it, within this context."""
    before = [getattr(module, name) for module, name, _ in _REPLACED]
    _forget()
    try:
        for module, name, other in _REPLACED:
            setattr(module, name, other)
        yield
    finally:
        for (module, name, _), held in zip(_REPLACED, before):
            setattr(module, name, held)
        _forget()


def _forget() -> None:
    for key in [key for key in programs._held if key[0] == "whole"]:
        del programs._held[key]
    multi_tensor._plans.clear()
