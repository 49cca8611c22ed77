"""A Plan is one operator with its static arguments and input avals settled: the unit of recording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import numpy as np

from torchlike import _errors
from torchlike._engine.trace.value import Aval
from torchlike._engine.xla.target import in_each_form, placing_on_cpu, tracing_for

# Runtime numbers as arrays: the type of each kind.
NUMBERS: dict[type, type] = {float: np.float64, int: np.int64, bool: np.bool_, complex: np.complex128}

# How a plan runs in a program that is interpreted: by NumPy, as its function says (`NUMPY`); so the first time that its
# program comes and never again (`ONCE`: work that is sure to repeat); as the flat NumPy program of its jaxpr, or by an
# executable of its own where NumPy has no way (`OWN`, and gradients, `FLAT`, whose programs are compiled at once as a
# rule); or not at all (`COMPILED`: its program is always compiled at once).
NUMPY, ONCE, OWN, FLAT, COMPILED = "numpy", "once", "own", "flat", "compiled"


def specs(arrays: Iterable[Aval], scalars: Iterable[type]) -> list[jax.ShapeDtypeStruct]:
    """Arrays and runtime numbers as JAX takes them to trace a function."""
    given = [jax.ShapeDtypeStruct(a.shape, a.dtype.numpy) for a in arrays]
    return given + [jax.ShapeDtypeStruct((), NUMBERS[kind]) for kind in scalars]


class Plan:
    """What a trace entry runs.

    Attributes:
      name: the operator's name, for reports and for the names of XLA computations.
      inputs: avals of the array inputs.
      scalars: the Python types (`float`, `int`, `bool`, `complex`) of the runtime numbers.
      outputs: avals of the results.
      function: `function(*arrays, *scalars) -> tuple of arrays`, pure, over NumPy or JAX arrays.
      executor: how it runs in a program that is interpreted: `NUMPY`, `ONCE`, `OWN`, `FLAT` or `COMPILED`.
      flat: of an `OWN` or `FLAT` plan, what makes its program, or answers None where NumPy has no way to run it.
      host: on large arrays NumPy is as fast as so many of XLA's threads (0: no more than a compiled program).
      extra: whatever the layer above keeps with a plan (output strides, gradients, node name).
    """

    __slots__ = (
        "checked",
        "executor",
        "extra",
        "flat",
        "function",
        "host",
        "inputs",
        "jitted",
        "name",
        "outputs",
        "scalars",
        "single",
    )

    def __init__(
        self,
        name: str,
        inputs: tuple[Aval, ...],
        scalars: tuple[type, ...],
        outputs: tuple[Aval, ...],
        function: Callable[..., tuple],
        extra: Any = None,
    ) -> None:
        self.name, self.inputs, self.scalars, self.outputs = name, inputs, scalars, outputs
        self.function, self.extra = function, extra
        self.single = outputs[0] if len(outputs) == 1 else None
        self.jitted: Any = None
        self.checked = False
        self.executor = OWN
        self.host = 0
        self.flat: Callable[[], Any] | None = None

    def traced(self) -> Callable[..., tuple]:
        """The function as an inner `jax.jit`: traced and lowered once for a platform, however often a program repeats
        it."""
        if self.jitted is None:
            function = self.function

            def entry(*args):
                return self.check(in_each_form(function, *args))

            entry.__name__ = entry.__qualname__ = self.name
            self.jitted = jax.jit(entry)
        return self.jitted

    def run_alone(self, *given: Any) -> tuple:
        """The results for host arrays and numbers, by an executable of its own on the CPU."""
        with tracing_for("cpu"), placing_on_cpu():
            return self.traced()(*given)

    def check(self, made: Sequence) -> Sequence:
        """Compare a run's results with the declared avals, and return them.

        Tracing does this, and the first interpreted run. A result whose Tensor has another shape than its data would
        be believed by everything that is computed from it.
        """
        if len(made) != len(self.outputs) or any(
            tuple(x.shape) != tuple(a.shape) or x.dtype != a.dtype.numpy for x, a in zip(made, self.outputs)
        ):
            raise _errors.engine.wrong_results(self, [f"{x.dtype}{list(x.shape)}" for x in made])
        self.checked = True
        return made

    def argument(self, position: int) -> str:
        """What an array input is to the operator, for reports."""
        return f"input {position}"

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.inputs))}) -> {', '.join(map(str, self.outputs))}"
