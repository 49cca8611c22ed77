"""Programs that are lowered and compiled for a target."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import jax
from jax.sharding import SingleDeviceSharding

from torchlike._dtypes.precision import Precision, switches
from torchlike._engine.ahead import hlo
from torchlike._engine.ahead.targets import Target
from torchlike._engine.ranks.mesh import RankMesh
from torchlike._engine.xla.executor import lower
from torchlike._engine.xla.jax_private import module_costs
from torchlike._engine.xla.target import at_precision, compiling_for, tracing_for


@dataclass(frozen=True)
class Memory:
    """The memory of a compiled program on one chip, in bytes.

    Attributes:
      arguments: the inputs: parameters, optimizer state, data.
      outputs: the results, including those that overwrite an input.
      aliased: the results that overwrite an input.
      temporaries: the largest sum of intermediate results that exist at one time.
      code: the machine code.
    """

    arguments: int
    outputs: int
    aliased: int
    temporaries: int
    code: int

    @property
    def total(self) -> int:
        """The bytes that the chip must have."""
        return self.arguments + self.outputs - self.aliased + self.temporaries + self.code


@dataclass(frozen=True)
class Program:
    """A program that was compiled for a target. It cannot run on this machine.

    Attributes:
      name: the name of the program.
      target: the name of the target.
      chips: the number of chips that the program uses.
      memory: the memory on one chip.
      flops: the floating-point operations of one run on one chip, by XLA's cost model. For a GPU, they are counted
        before optimization. The operations inside custom kernels, such as an attention kernel, are not counted. None if
        unknown.
      bytes_accessed: the bytes that the kernels of one run read and write on one chip, by XLA's cost model.
        None if unknown.
      collectives: the number of collectives by kind.
      host_transfers: the number of instructions that move data between the chip and the host, by kind. The program's
        own arguments and results are not counted.
      seconds: the time that compiling took on this machine.
      compiled: JAX's object (`jax.stages.Compiled`).
      backward: the program of the backward pass, if the result of the program is differentiated later.
    """

    name: str
    target: str
    chips: int
    memory: Memory
    flops: float | None
    bytes_accessed: float | None
    collectives: dict[str, int]
    host_transfers: dict[str, int]
    seconds: float
    compiled: Any = field(repr=False)
    backward: Program | None = None

    def as_text(self) -> str:
        """Return the optimized HLO text."""
        return self.compiled.as_text()


@dataclass(frozen=True)
class Recorded:
    """A program that was recorded and not compiled.

    Attributes:
      name: the name of the program.
      type: the type of the device on which it was recorded: "cpu", "cuda", "tpu".
      index: the index of the device.
      function: the program as a function of (donated arrays, kept arrays, packed numbers).
      given: the shapes and dtypes of its arguments.
      operators: the names of its operators, in order.
      key: identifies the program. Equal programs have equal keys.
      precision: the precision of each device type when it was recorded.
      during: makes a context in which the program must be lowered.
      ranks: the mesh of the process group whose collectives it contains, or None.
    """

    name: str
    type: str
    index: int
    function: Callable
    given: tuple
    operators: tuple[str, ...] = ()
    key: tuple = ()
    precision: dict[str, Precision] = field(default_factory=lambda: switches.of)
    during: Callable[[], AbstractContextManager] = contextlib.nullcontext
    ranks: RankMesh | None = None

    def lower(self, target: Target, backward: Lowered | None = None) -> Lowered:
        """Lower the program for one chip of a target, or for a chip of each rank.

        `backward` is the program of its backward pass.
        """
        if self.ranks is not None:
            return Lowered(self, target, self._of_ranks(self.ranks, target), backward)
        chip = target.chips[self.index if self.type == target.type else 0]
        place = SingleDeviceSharding(chip)
        precision = self.precision[target.type]
        with compiling_for(target.platform), self.during():
            lowering = lower(place, target.platform, precision, self.function, *self.given)
            return Lowered(self, target, lowering.lowered, backward)

    def _of_ranks(self, ranks: RankMesh, target: Target) -> Any:
        count = len(target.chips)
        if max(ranks.ranks) >= count:
            raise ValueError(f"{target.name} has {count} chips, but the process group has {ranks.size} ranks")
        with compiling_for(target.platform), self.during(), tracing_for(target.platform):
            with at_precision(self.precision[target.type]):
                return ranks.lowered(self.function, self.given, target.chips)[0].lowered


@dataclass(frozen=True)
class Lowered:
    """A program that was lowered for a target.

    Attributes:
      recorded: the program.
      target: the target.
      lowered: JAX's object (`jax.stages.Lowered`).
      backward: the program of the backward pass, if the result of the program is differentiated later.
    """

    recorded: Recorded
    target: Target
    lowered: Any = field(repr=False)
    backward: Lowered | None = None

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.recorded.name

    def as_text(self) -> str:
        """Return the StableHLO text."""
        return self.lowered.as_text()

    def compile(self) -> Program:
        """Compile the program.

        Raises:
          Exception: XLA's error, for example if the program needs more memory than the chip has.
        """
        started = time.perf_counter()
        with _not_stored():
            compiled = self._compiled()
        seconds = time.perf_counter() - started
        text = compiled.as_text()
        flops, accessed = _costs(self.lowered, compiled)
        return Program(
            name=self.name,
            target=self.target.name,
            chips=1 if self.recorded.ranks is None else self.recorded.ranks.size,
            memory=_memory(compiled.memory_analysis()),
            flops=flops,
            bytes_accessed=accessed,
            collectives=hlo.collectives(text),
            host_transfers=hlo.host_transfers(text),
            seconds=seconds,
            compiled=compiled,
            backward=self.backward and self.backward.compile(),
        )

    def _compiled(self) -> Any:
        *others, last = self.target.options
        for options in others:
            with contextlib.suppress(jax.errors.JaxRuntimeError):
                return self.lowered.compile(options)
        return self.lowered.compile(last)


@contextlib.contextmanager
def _not_stored() -> Iterator[None]:
    """Keep programs out of JAX's disk cache: without the device, JAX cannot load them again."""
    name = "jax_persistent_cache_min_compile_time_secs"
    before = getattr(jax.config, name)
    jax.config.update(name, float("inf"))
    try:
        yield
    finally:
        jax.config.update(name, before)


def _memory(analysis: Any) -> Memory:
    return Memory(
        arguments=analysis.argument_size_in_bytes,
        outputs=analysis.output_size_in_bytes,
        aliased=analysis.alias_size_in_bytes,
        temporaries=analysis.temp_size_in_bytes,
        code=analysis.generated_code_size_in_bytes,
    )


def _costs(lowered: Any, compiled: Any) -> tuple[float | None, float | None]:
    """Return the floating-point operations and the bytes accessed."""
    costs = compiled.cost_analysis()
    if costs is not None:
        return costs.get("flops"), costs.get("bytes accessed")
    # The GPU compiler gives no costs. After optimization, products are calls of libraries, whose operations XLA does
    # not know; before it, nothing is fused, so that the bytes are too many.
    before, after = module_costs(lowered, compiled)
    return before.get("flops"), after.get("bytes accessed")
