"""Plans, the unit of recording. A Plan is one operator with fixed static arguments and input avals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import numpy as np

from torchlike import _errors
from torchlike._engine.trace.value import Aval
from torchlike._engine.xla.forked import forked
from torchlike._engine.xla.target import in_each_form, placing_on_cpu, tracing_for

# The NumPy type of each type of runtime number.
NUMBERS: dict[type, type] = {float: np.float64, int: np.int64, bool: np.bool_, complex: np.complex128}

# How a plan runs in an interpreted program:
#   NUMPY     its function runs on NumPy arrays.
#   ONCE      as NUMPY, but only at the first run of its program. Optimizer steps use it, because they always repeat.
#   OWN       as the flat NumPy program of its jaxpr, or as a separate executable if NumPy cannot run it.
#   FLAT      as OWN. Gradients use it; their programs are usually compiled immediately.
#   COMPILED  never: a program with such a plan is always compiled immediately.
NUMPY, ONCE, OWN, FLAT, COMPILED = "numpy", "once", "own", "flat", "compiled"
VIEW = 1 << 30  # `Plan.host` of an operator that only makes a view


def specs(arrays: Iterable[Aval], scalars: Iterable[type]) -> list[jax.ShapeDtypeStruct]:
    """Return the shapes and dtypes of arrays and runtime numbers, as JAX takes them to trace a function."""
    given = [jax.ShapeDtypeStruct(a.shape, a.dtype.numpy) for a in arrays]
    return given + [jax.ShapeDtypeStruct((), NUMBERS[kind]) for kind in scalars]


class Plan:
    """One operator with fixed static arguments and input avals, as a trace entry runs it.

    Attributes:
      name: the operator's name, for reports and for the names of XLA computations.
      inputs: avals of the array inputs.
      scalars: the Python types (`float`, `int`, `bool`, `complex`) of the runtime numbers.
      outputs: avals of the results.
      function: `function(*arrays, *scalars) -> tuple of arrays`, pure, over NumPy or JAX arrays.
      executor: how it runs in an interpreted program: `NUMPY`, `ONCE`, `OWN`, `FLAT` or `COMPILED`.
      flat: for an `OWN` or `FLAT` plan, a function that makes its NumPy program, or returns None if NumPy cannot run
        it.
      host: on large arrays, NumPy is as fast as XLA with this many threads (0: NumPy is never as fast as a compiled
        program). `VIEW` if the operator only makes a view.
      mesh: for a collective, the mesh of its process group (`_engine/ranks/mesh.py`); otherwise None.
      shared_layouts: the inputs and results that share a layout over a mesh (see `_engine/xla/layout.py`).
      extra: data of the calling layer (output strides, gradients, node name).
      reorders_edges: whether the edges of its gradient node in PyTorch may have another order than the inputs.
    """

    reorders_edges = False

    __slots__ = (
        "checked",
        "executor",
        "extra",
        "flat",
        "function",
        "host",
        "inputs",
        "jitted",
        "mesh",
        "name",
        "outputs",
        "scalars",
        "shared_layouts",
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
        self.mesh: Any = None
        self.checked = False
        self.executor = OWN
        self.host = 0
        self.flat: Callable[[], Any] | None = None
        self.shared_layouts: Sequence[Any] = ()

    def traced(self) -> Callable[..., tuple]:
        """Return the function as an inner `jax.jit`.

        JAX traces and lowers it once per platform, even if a program contains it many times.
        """
        if self.jitted is None:
            function = self.function

            def entry(*args):
                return self.check(in_each_form(function, *args))

            entry.__name__ = entry.__qualname__ = self.name
            self.jitted = jax.jit(entry)
        return self.jitted

    def run_alone(self, *given: Any) -> tuple:
        """Return the results for host arrays and numbers. Runs a separate executable on the CPU."""
        forked.check(f"the operator {self.name}")
        with tracing_for("cpu"), placing_on_cpu():
            return self.traced()(*given)

    def check(self, made: Sequence) -> Sequence:
        """Check results against the declared avals, and return them.

        Tracing and the first interpreted run call this. Without the check, a result with the wrong shape would pass
        silently into later operators.
        """
        if len(made) != len(self.outputs) or any(
            tuple(x.shape) != tuple(a.shape) or x.dtype != a.dtype.numpy for x, a in zip(made, self.outputs)
        ):
            raise _errors.engine.wrong_results(self, [f"{x.dtype}{list(x.shape)}" for x in made])
        self.checked = True
        return made

    def calls(self) -> list[Any]:
        """Return a description of each collective in the operator."""
        return []

    def argument(self, position: int) -> str:
        """Return the name of an array input, for reports."""
        return f"input {position}"

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.inputs))}) -> {', '.join(map(str, self.outputs))}"
