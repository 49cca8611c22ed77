"""The floating-point operations of a plan's matrix products, counted in what JAX traces of it."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import jax

from torchlike._core import trace as _trace
from torchlike._core.jax_private import dce_jaxpr
from torchlike._core.plan import Plan, specs
from torchlike._core.trace import Trace
from torchlike._device import device as Device

MATRIX, BATCH = "mm", "bmm"


@functools.lru_cache(4096)
def of_plan(plan: Plan) -> tuple[tuple[str, int], ...]:
    """Return the kind (`MATRIX` or `BATCH`) and operations of each product that a plan computes.

    A multiplication with its addition is two operations. A loop whose length is not known counts once; of the branches
    of a condition, the first counts.
    """
    traced = jax.make_jaxpr(plan.function)(*specs(plan.inputs, plan.scalars)).jaxpr
    needed, _ = dce_jaxpr(traced, [True] * len(traced.outvars))
    return tuple(_products(needed))


def _products(jaxpr: Any) -> Iterator[tuple[str, int]]:
    for equation in jaxpr.eqns:
        count = COUNTS.get(equation.primitive.name)
        if count is not None:
            yield from count(equation)
            continue
        times = equation.params["length"] if equation.primitive.name == "scan" else 1
        for inner in _inner(equation.params):
            yield from [(kind, times * number) for kind, number in _products(inner)]


def _inner(params: dict) -> Iterator[Any]:
    for name, value in params.items():
        if name == "branches":
            value = value[0]
        inner = getattr(value, "jaxpr", value)
        if hasattr(inner, "eqns"):
            yield inner


def _dot(equation: Any) -> Iterator[tuple[str, int]]:
    (summed, _), (batch, _) = equation.params["dimension_numbers"]
    a, b = (x.aval for x in equation.invars)
    if summed and min(a.ndim, b.ndim) > len(summed) + len(batch):  # PyTorch counts no products with vectors
        length = math.prod(a.shape[i] for i in summed)
        yield BATCH if batch else MATRIX, 2 * length * math.prod(equation.outvars[0].aval.shape)


def _product(equation: Any) -> Iterator[tuple[str, int]]:
    a = equation.invars[0].aval
    length = a.shape[-2 if equation.params["form"] == "tn" else -1]
    yield BATCH if a.ndim > 2 else MATRIX, 2 * length * math.prod(equation.outvars[0].aval.shape)


COUNTS: dict[str, Callable[[Any], Iterator[tuple[str, int]]]] = {
    "dot_general": _dot,
    "torchlike_product": _product,
}


class Watcher:
    """Tells `see(plan)` of every operator that is recorded between `start` and `stop`, in order, at each `look`."""

    def __init__(self, see: Callable[[Plan], None]) -> None:
        self._see = see
        self._seen: dict[Device, tuple[Trace, int]] = {}

    def start(self) -> None:
        """Begin after what is pending now."""
        with _trace.lock:
            self._seen = {device: (found, len(found.code)) for device, found in _trace.pending.items()}
            _trace.watchers.append(self)

    def stop(self) -> None:
        """Look for the last time."""
        with _trace.lock:
            self.look()
            _trace.watchers.remove(self)
            self._seen.clear()

    def look(self) -> None:
        """Tell of what was recorded since the last time."""
        with _trace.lock:
            for device, found in _trace.pending.items():
                self.ran(device, found)

    def ran(self, device: Device, found: Trace) -> None:
        """Tell of what was recorded in a trace since the last time."""
        before, position = self._seen.get(device, (None, 0))
        position = position if before is found else 0
        self._seen[device] = found, len(found.code)
        for plan, _ in _trace.operators(found.code[position:]):
            self._see(plan)

    def recorded(self, plan: Plan) -> None:
        """Tell of an operator on `meta`, which is in no trace."""
        self._see(plan)


__all__ = ["BATCH", "MATRIX", "Watcher", "of_plan"]
