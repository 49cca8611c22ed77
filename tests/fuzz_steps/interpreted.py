"""Compiled calls without the compile: an executable of XLA takes a quarter of a second to make, and what these programs
try is how a call is recorded and run again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import jax

from torchlike._compile import whole_program
from torchlike._core.numpy_executor import Interpreted
from torchlike._core.plan import NUMBERS
from torchlike._core.xla_executor import numbers_of


class _Executable:
    """Called as XLA's executable is. What is donated cannot be used any more."""

    def __init__(self, trace: Any, live: tuple[int, ...], donated: tuple[int, ...]) -> None:
        self._program = Interpreted(trace, tuple(dict.fromkeys(i for i in live if i >= 0)))
        self._live, self._results = live, range(len(trace.results))
        _, self._places, self._kinds = numbers_of(trace)
        self._lengths = [len(x.scalars) for x in trace.code if not isinstance(x, int) and x.scalars]
        self._order = [*donated, *[i for i in range(len(trace.arrays)) if i not in donated]]

    def __call__(self, given: list, kept: list, packs: list) -> list:
        arrays: list[Any] = [None] * len(self._order)
        for i, array in zip(self._order, [*given, *kept]):
            arrays[i] = array
        trace = SimpleNamespace(arrays=arrays, results=self._results, scalars=self._scalars(packs))
        made = dict(zip(self._program.live, self._program(trace)))  # type: ignore[arg-type]
        copied = [jax.device_put(made[i] if i >= 0 else arrays[~i].__array__().copy()) for i in self._live]
        for array in given:
            array.delete()
        return copied

    def _scalars(self, packs: list) -> list[list]:
        present = [kind for kind in NUMBERS if kind in self._kinds]
        streams = {kind: iter(pack.tolist()) for kind, pack in zip(present, packs)}
        numbers = [next(streams[kind]) for kind in self._kinds]
        return [numbers[place : place + length] for place, length in zip(self._places, self._lengths)]


def _make(device: Any, trace: Any, live: tuple[int, ...], donated: tuple[int, ...], given: Any) -> Any:
    account: Any = SimpleNamespace(runs=0)
    return whole_program.Program(_Executable(trace, live, donated), account, _make)


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """Within, compiled calls are interpreted."""
    before, whole_program._make = whole_program._make, _make
    whole_program._programs.clear()
    try:
        yield
    finally:
        whole_program._make = before
        whole_program._programs.clear()
