"""The XLA executor. It compiles a trace into one fused executable."""

from __future__ import annotations

import functools
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import jax
import numpy as np
from jax.sharding import SingleDeviceSharding

from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.devices import to_jax
from torchlike._dtypes.precision import Precision, switches
from torchlike._engine.heap import release_freed_blocks
from torchlike._engine.report import log
from torchlike._engine.report.compile_counters import stats
from torchlike._engine.report.program_statistics import heard
from torchlike._engine.report.timing import timed, watchers
from torchlike._engine.trace.interrupts import uninterrupted
from torchlike._engine.trace.plan import NUMBERS
from torchlike._engine.trace.trace import Trace, mesh_of, operators
from torchlike._engine.xla import allocation, layout, memory, transfers
from torchlike._engine.xla.background import Job, in_background
from torchlike._engine.xla.forked import forked
from torchlike._engine.xla.jax_private import quick_call
from torchlike._engine.xla.lowering import Lowering
from torchlike._engine.xla.target import at_precision, tracing_for

FEW_NUMBERS = 16  # a program of the CPU that takes more runtime numbers takes each of them as an array
SMALL = 1 << 16  # bytes; on the CPU, a host array up to this size is passed to the executable directly


def executable(device: Device, function: Callable, *given: Any, **options: Any) -> Any:
    """Compile a function for this device. The buffers of the first argument are donated. `options` are those of `jit`.

    The shardings of inputs and results name the device explicitly, because host arrays and programs without inputs do
    not determine it.
    """
    place = to_jax(device)
    return lower(
        SingleDeviceSharding(place), place.platform, switches.of[device.type], function, *given, **options
    ).compile()


def lower(
    place: SingleDeviceSharding, platform: str, precision: Precision, function: Callable, *given: Any, **options: Any
) -> Lowering:
    """Lower a function for one device of a platform. The buffers of the first argument are donated."""
    with tracing_for(platform), at_precision(precision):
        jitted = jax.jit(function, donate_argnums=0, in_shardings=place, out_shardings=place, **options)
        return Lowering(jitted, platform, *given)


class Executable:
    """A compiled program: `call(donated arrays, kept arrays, packed numbers) -> results`."""

    __slots__ = ("account", "call", "code", "compiled", "donated_bytes", "function", "is_warm", "needs")

    def __init__(
        self, device: Device, function: Callable, given: tuple, laid: layout.CompileLayout | None = None, **options: Any
    ) -> None:
        forked.check("a compiled program")
        started = time.perf_counter()
        make = executable if laid is None else laid.executable
        self.compiled = make(device, function, *given, **options)
        taken = time.perf_counter() - started
        release_freed_blocks(taken)
        stats.compiles += 1
        stats.compile_seconds += taken
        self.function, self.call, self.is_warm = function, self.compiled, False
        self.donated_bytes = sum(a.size * np.dtype(a.dtype).itemsize for a in given[0])
        self.needs = memory.needs_of(self.compiled)
        self.account: Any = None
        self.code: tuple = ()  # the code of the trace, if the program is a whole step

    def meet(self) -> None:
        """Prepare a run. Programs with collectives agree with the other ranks here."""

    def run(self, device: Device, *given: list) -> list:
        """Return the results. The first run looks up JAX's C++ entry point and sets `is_warm`."""
        if self.needs:
            allocation.check(device, self.needs)
        if transfers.counting:
            transfers.runs(device, given)
        results = timed(self.account, self.call, *given) if watchers else self.call(*given)
        if not self.is_warm:
            self.call, self.is_warm = quick_call(self.compiled)
        return results

    def run_into(self, found: list, device: Device, given: tuple) -> None:
        """Run the program and append the list of results to `found`. No signal handler runs in between."""
        if self.is_warm and not (self.needs or watchers or transfers.counting):
            with uninterrupted():
                found.extend(map(self.call, *[(x,) for x in given]))
            return
        with uninterrupted():
            found.append(self.run(device, *given))

    def fill(self, device: Device, places: Callable[[Iterator], Iterator], given: tuple) -> None:
        """Run the program and commit its results.

        No signal handler runs in between. `places(results)` returns an iterator that commits the results.
        """
        if self.is_warm and not (self.needs or watchers or transfers.counting):
            with uninterrupted():  # JAX runs Python code if the kinds of the arguments are new
                deque(places(chain.from_iterable(map(self.call, *[(x,) for x in given]))), 0)
            return
        with uninterrupted():
            deque(places(iter(self.run(device, *given))), 0)


def executable_of(
    device: Device,
    code: tuple,
    function: Callable,
    given: tuple,
    laid: layout.CompileLayout | None = None,
    **options: Any,
) -> Executable:
    """Return the executable of a trace. With collectives, all members of a process group run it together.

    `laid` is its layout over the mesh of this process, if there is one.
    """
    mesh = mesh_of(code)
    if mesh is not None and laid is not None:
        raise RuntimeError("a process whose devices are a mesh (--mesh, torchlike.distribute) cannot run collectives")
    started = time.perf_counter()
    if mesh is not None:
        made = mesh.executable(device, code, function, given, **options)
    else:
        made = Executable(device, function, given, laid, **options)
    if not in_background():
        log.report_wait(time.perf_counter() - started, [plan.name for plan, _ in operators(code)])
    return made


class Fused:
    """A compiled trace. It keeps no reference to the trace from which it was compiled."""

    __slots__ = ("_donated", "_job", "_kept", "_laid", "_packs", "_place", "_private", "_small", "executable")

    executable: Executable

    def __init__(
        self, device: Device, trace: Trace, live: tuple[int, ...], donated: tuple[int, ...], later: bool = False
    ) -> None:
        """Compile a trace. With `later`, compile it in the background, until `finish`."""
        chosen, places, kinds = numbers_of(trace)
        self._donated = donated = usable(trace, live, donated)
        self._kept = tuple(sorted(set(range(len(trace.inputs))) - set(donated)))
        self._place, self._private = functools.partial(transfers.to_device, device=device), frozenset(donated)
        self._small = SMALL if device.type == "cpu" else -1
        vectors = vectors_of(kinds, alone(device, kinds))
        pack = _packer(vectors)
        packs: Callable = lambda scalars: pack([x for i in chosen for x in scalars[i]])
        if device.type != "cpu":
            resident = transfers.Resident(device)
            packs = lambda scalars: resident(pack([x for i in chosen for x in scalars[i]]))
        self._packs = packs
        code = tuple(trace.code)
        self._laid = laid = layout.layout_to_compile(device, trace, live, donated)
        function = replay(code if laid is None else laid.code, places, vectors, donated, self._kept, live)
        if later:
            given = self._kinds(trace)
            self._job = Job(lambda: (executable_of(device, code, function, given, laid), heard.from_disk))
        else:
            self.executable = executable_of(device, code, function, self.arguments(trace), laid)

    def is_ready(self) -> bool:
        """Return whether the compile in the background has ended."""
        return self._job.is_done()

    def wait(self, names: Sequence[str]) -> None:
        """Wait for the compile in the background of operators with these names."""
        started = time.perf_counter()
        self._job.wait()
        log.report_wait(time.perf_counter() - started, names)

    def finish(self) -> tuple[float, int]:
        """End the compile in the background. Raises its error.

        Returns:
          The seconds that it took, and the number of programs that it loaded from disk.
        """
        job = self._job
        self.executable, from_disk = job.result()
        del self._job
        return job.seconds, from_disk

    def _kinds(self, trace: Trace) -> tuple[list, list, list]:
        """Return the shapes and dtypes of the arguments of the executable."""
        arrays = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in trace.arrays]
        return [arrays[i] for i in self._donated], [arrays[i] for i in self._kept], self._packs(trace.scalars)

    @property
    def account(self) -> Any:
        """The statistics of the program."""
        return self.executable.account

    @account.setter
    def account(self, account: Any) -> None:
        self.executable.account = account

    @property
    def donated_bytes(self) -> int:
        """The total size in bytes of the donated inputs."""
        return self.executable.donated_bytes

    def arguments(self, trace: Trace) -> tuple[list, list, list]:
        """Return the arguments of the executable.

        A large host array is copied to the device once, and its Value then has the device array. A donated large host
        array is first copied on the host. On the CPU, a small host array is passed directly: JAX copies it at each
        call, which costs less than keeping a copy. On other devices every host array counts as large.
        """
        if self._laid is not None:
            self._laid.place(trace)
        arrays = trace.arrays
        for i in trace.hosts:
            if arrays[i].__class__ is np.ndarray and arrays[i].nbytes > self._small:  # else small, or already moved
                moved = self._place(arrays[i].copy() if i in self._private else arrays[i])
                owner = trace.inputs[i]()
                arrays[i] = moved
                if owner is not None:
                    owner.array = moved
        return [arrays[i] for i in self._donated], [arrays[i] for i in self._kept], self._packs(trace.scalars)


def usable(trace: Trace, live: tuple[int, ...], donated: tuple[int, ...]) -> tuple[int, ...]:
    """Return the donatable inputs whose memory an output of the same shape and dtype can reuse."""
    wanted = Counter(value.aval for value in (trace.results[i]() for i in live) if value is not None)
    found = []
    for i in donated:
        kind = (trace.arrays[i].shape, np.dtype(trace.arrays[i].dtype))
        match = next((a for a in wanted if wanted[a] and (tuple(a.shape), a.dtype.numpy) == kind), None)
        if match is not None:
            wanted[match] -= 1
            found.append(i)
    return tuple(found)


def numbers_of(trace: Trace) -> tuple[list[int], list[int], list[type]]:
    """Return the numbers that the program of a trace takes, in three lists.

    The lists contain the indices of the sequences of numbers, the index of the first number of each entry, and the
    types of all numbers. A sequence that two entries share is taken once. XLA can then eliminate the common
    subexpressions of these entries.
    """
    wanted = [item.scalars for item in trace.code if not isinstance(item, int) and item.scalars]
    begins: dict[tuple, int] = {}
    chosen, places, kinds = [], [], []
    for i, (numbers, types) in enumerate(zip(trace.scalars, wanted)):
        key = (id(numbers), types)
        if key not in begins:
            begins[key] = len(kinds)
            chosen.append(i)
            kinds.extend(types)
        places.append(begins[key])
    return chosen, places, kinds


def replay(code: tuple, places: list[int], vectors: tuple, donated: tuple, kept: tuple, live: tuple) -> Callable:
    """Return the trace as a JAX function of (donated inputs, kept inputs, packed scalars).

    `vectors` describes the packed scalars (see `vectors_of`). Further donated inputs only give their memory to results.
    """
    order = donated + kept

    def torchlike_program(given: list, held: list, packs: list):
        inputs = dict(zip(order, [*given[: len(donated)], *held]))
        results: list = []
        run_entries(code, places, results, inputs, unpack(vectors, packs))
        return [results[i] if i >= 0 else inputs[~i] for i in live]

    return torchlike_program


def run_entries(code: Sequence, places: Sequence[int], results: list, inputs: Any, numbers: Sequence) -> None:
    """Run a trace's entries on JAX arrays and append their results to `results`.

    `inputs[~slot]` is the input for a slot below 0. `places` has, for each entry with runtime numbers, the index of its
    first number in `numbers`.
    """
    begins = iter(places)
    for plan, slots in operators(code):
        begin = next(begins) if plan.scalars else 0
        arrays = [results[s] if s >= 0 else inputs[~s] for s in slots]
        results.extend(plan.traced()(*arrays, *numbers[begin : begin + len(plan.scalars)]))


def vectors_of(kinds: Sequence[type], classes: Mapping[int, int] = {}) -> tuple[tuple[type, tuple[int, ...]], ...]:
    """Return the vectors that hold the runtime numbers of a program: the NumPy type and the positions of the numbers.

    There is one vector for each Python type and each class of numbers. `classes` maps positions to their class, by
    default 0. Numbers that change together form a class, so that the vectors of other classes stay on the device.
    """
    found: dict[tuple[int, int], list[int]] = {}
    order = list(NUMBERS)
    for i, kind in enumerate(kinds):
        found.setdefault((order.index(kind), classes.get(i, 0)), []).append(i)
    return tuple([(NUMBERS[order[kind]], tuple(found[kind, each])) for kind, each in sorted(found)])


def alone(device: Device, kinds: Sequence[type]) -> dict[int, int]:
    """Return the classes of runtime numbers (see `vectors_of`) that give each number its own vector, if there are many.

    XLA reads an element of a vector within the kernel that uses it. The kernels of a loop that read different elements
    differ, and XLA compiles each of them, which takes about 20 ms per number. An argument takes 2 µs of each run.
    """
    return {i: i for i in range(len(kinds))} if device.type == "cpu" and len(kinds) > FEW_NUMBERS else {}


def _packer(vectors: tuple[tuple[type, tuple[int, ...]], ...]) -> Callable[[list], list[np.ndarray]]:
    """Return a function that packs the Python numbers of a trace into vectors."""
    if len(vectors) == 1:
        dt = vectors[0][0]
        return lambda scalars: [np.array(scalars, dt)]
    return lambda scalars: [np.array([scalars[i] for i in where], dt) for dt, where in vectors]


def unpack(vectors: tuple[tuple[type, tuple[int, ...]], ...], packs: list) -> list:
    """Return the numbers in their order, as zero-dim arrays."""
    numbers = {at: pack[i] for (_, where), pack in zip(vectors, packs, strict=True) for i, at in enumerate(where)}
    return [numbers[i] for i in range(len(numbers))]
