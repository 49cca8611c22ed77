"""The cost model that decides between interpreting and compiling, in seconds.

It does not measure times, so it is deterministic: every run of a script makes the same decisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike._engine import determinism
from torchlike._engine.interpreter.by_hand import ByHand
from torchlike._engine.interpreter.half import is_eight_bits
from torchlike._engine.trace.plan import COMPILED, FLAT, NUMPY, ONCE, VIEW, Plan
from torchlike._engine.trace.trace import Trace
from torchlike._engine.xla.mesh import active
from torchlike._engine.xla.target import THREADS

ENTRY = 5e-6  # to interpret an operator, or a function of a flat program
PROGRAM = 1e-4  # to interpret an entry that runs a flat program (`Plan.flat`)
BYTE = 1 / 4e9
# A small forward program is never compiled. To run a compiled one, its inputs go to XLA's buffers, XLA's threads start,
# and its results come back, which takes longer than a few operators of NumPy.
DISPATCH = 1.5e-4
SMALL_ENTRY = 1e-5  # to interpret an operator of a small program; some kernels make many calls of NumPy
SMALL_BYTE = 1 / 8e9
UPDATE_BYTE = 2.5e-10  # to interpret an optimizer step, with copies to blocks and back
COMPILE_ENTRY = 5e-3
COMPILE_KIND = 0.05  # for each distinct operator of a training program; XLA compiles equal kernels of a program once
COMPILE_REPEAT = 3e-3  # for each operator of a training program, besides the cost of its kind
COMPILE_LOOP = 0.2
COMPILE_BY_HAND = 0.5  # for each distinct operator with a loop that is written by hand for NumPy
COMPILE_UPDATE = 5e-3  # for each tensor that an optimizer step writes
COMPILE_BESIDE = 0.01  # for each other operator of a program with an optimizer step, such as one of clipping
LONG = 1.0  # a training program whose compile takes longer is interpreted at first
LONG_LIGHT = 0.75  # the same for a program of small arrays, which XLA runs little faster than NumPy
LONG_UPDATE = 0.08  # the same for an optimizer step, whose interpreted form gives the same bits
# A long compile begins in the background when a program ran this often in a row, and at the second number the compiled
# program replaces the interpreted one. The numbers are fixed: results must not depend on how long a compile takes.
BEGIN, REPLACE = 3, 10
LIGHT = 2e-5  # to interpret an operator of a training program whose arrays are small
# Such a program is interpreted until that has cost this many times its compile. The compile begins in the background
# one compile earlier, so that nothing waits for it, and not at all in a short script.
LIGHT_RUNS = 1.5
# A line that compiled this many programs at their second run, such as a search that trains many small models, probably
# drops its programs after a few runs. Its further programs are compiled after the second number of runs.
MANY, LATER = 8, 50
FEW, QUICK = 20, 2e-2  # operators and seconds: a training program within both limits is interpreted at its first run
RUNS = 100  # runs of a training program with loops written by hand that must cost less than its compile
WIDE = 1 << 22  # bytes; in a training program, operators that move more use several threads
LARGE = 1 << 22  # bytes; operators that NumPy runs as fast as XLA must move this much to keep a program interpreted


def moved(plan: Plan) -> int:
    """Return the number of bytes that an operator reads and writes."""
    return sum(a.numel * a.dtype.itemsize for a in (*plan.inputs, *plan.outputs))


def _programs(plans: Sequence[Plan]) -> list[Any]:
    """Return the flat programs of the plans."""
    programs = [plan.flat() for plan in plans if plan.flat is not None]
    return [program for program in programs if program is not None]


def _loops(programs: Sequence[Any]) -> list[int]:
    """Return, for each loop in flat programs, the number of functions that it calls."""
    return [calls for program in programs for calls in program.loops]


def is_by_hand(plans: Sequence[Plan]) -> bool:
    """Return whether some loops of these plans are written by hand for NumPy."""
    return any(plan.flat.__class__ is ByHand for plan in plans)


def is_as_fast_as_compiled(plans: Sequence[Plan]) -> bool:
    """Return whether NumPy runs most of the work of these plans as fast as XLA."""
    plans = [plan for plan in plans if plan.host != VIEW]
    return sum(moved(plan) for plan in plans if plan.host >= THREADS) >= max(LARGE, sum(map(moved, plans)) / 2)


def of_slower_run(plans: Sequence[Plan]) -> float:
    """Return the cost of interpreting those of these plans once that XLA would run faster."""
    return of_run([plan for plan in plans if plan.host < THREADS])


def is_below_dispatch(plans: Sequence[Plan]) -> bool:
    """Return whether NumPy runs these plans in less time than it takes to start a compiled program."""
    if not all(plan.executor == NUMPY for plan in plans):
        return False
    traffic = sum(moved(plan) for plan in plans if plan.host < THREADS)
    return SMALL_ENTRY * len(plans) + SMALL_BYTE * traffic <= DISPATCH


def of_compile(plans: Sequence[Plan]) -> float:
    """Return the cost of compiling a forward program or a short training program."""
    return COMPILE_ENTRY * len(plans) + COMPILE_LOOP * len(_loops(_programs(plans)))


def is_patient(plans: Sequence[Plan]) -> bool:
    """Return whether loops written by hand make many runs of these plans cheaper than their compile."""
    return is_by_hand(plans) and RUNS * of_run(plans) < of_compile(plans)


def of_long_compile(plans: Sequence[Plan]) -> float:
    """Return the cost of compiling a training program or an optimizer step, or 0 if it is short."""
    kinds = {*plans}
    cost = COMPILE_UPDATE * sum(len(plan.outputs) for plan in kinds if plan.executor == ONCE)
    if all(plan.executor == ONCE for plan in kinds):
        return cost if cost > LONG_UPDATE else 0.0
    if any(plan.executor == FLAT for plan in kinds):
        cost += COMPILE_KIND * len(kinds) + COMPILE_REPEAT * len(plans)
        cost += COMPILE_BY_HAND * sum(plan.flat.__class__ is ByHand for plan in kinds)
    elif cost:
        cost += COMPILE_BESIDE * sum(plan.executor != ONCE for plan in plans)
    limit = LONG if of_light_run(plans) is None else LONG_LIGHT
    return cost if cost > limit else 0.0


def of_light_run(plans: Sequence[Plan]) -> float | None:
    """Return the cost of one interpreted run of a training program, if XLA runs it little faster than NumPy.

    XLA gains little on programs of small arrays, such as a loop over recurrent cells, and on patient programs. Return
    None for other programs, and for programs with operators that NumPy cannot run.
    """
    by_hand = is_by_hand(plans)
    traffic, calls = BYTE * sum(map(moved, plans)), LIGHT * len(plans)
    is_light = is_patient(plans) if by_hand else traffic <= calls
    if not is_light or any(plan.flat is not None and plan.flat() is None for plan in plans):
        return None
    return of_run(plans) if by_hand else traffic + calls


def of_run(plans: Sequence[Plan]) -> float:
    """Return the cost of interpreting these plans once."""
    programs = _programs(plans)
    calls, inner = len(plans) + sum(_loops(programs)), sum(program.moved for program in programs)
    traffic = sum(moved(plan) * (UPDATE_BYTE if plan.executor == ONCE else BYTE) for plan in plans)
    return ENTRY * calls + PROGRAM * len(programs) + BYTE * inner + traffic


def runs_on_one_device(trace: Trace) -> bool:
    """Return whether a trace has no collectives and this process has no mesh. Only such a trace is compiled later."""
    return trace.mesh is None and active.mesh is None


def is_cold(trace: Trace, at_once: bool) -> bool:
    """Return whether NumPy should interpret a new trace.

    A trace of optimizer steps only is interpreted if that costs less than compiling it. Any other trace with an
    optimizer step is interpreted if its compile takes long, and a trace with an operator that must be compiled, or
    with 8-bit floats, is compiled. Otherwise, forward work is interpreted. A training program is interpreted if it
    is small, or if its compile takes long. It is also interpreted if the same operators ran with other shapes before,
    or if its line runs many different graphs; `at_once` is False in these two cases. Any other training program would
    be compiled one step later anyway, so it is compiled now. With deterministic algorithms, all training programs
    and all optimizer steps with other operators, such as clipping, are compiled at once.
    """
    plans = {x for x in trace.code if x.__class__ is not int}
    executors = {plan.executor for plan in plans}
    if COMPILED in executors or any(
        is_eight_bits(dt.numpy) for dt in {a.dtype for plan in plans for a in (*plan.inputs, *plan.outputs)}
    ):
        return False
    entries = [x for x in trace.code if x.__class__ is not int]
    if executors == {ONCE}:
        return all(moved(p) * UPDATE_BYTE < COMPILE_UPDATE * len(p.outputs) for p in plans)
    if determinism.is_enabled() and not executors.isdisjoint((FLAT, ONCE)):
        return False
    if runs_on_one_device(trace) and of_long_compile(entries):
        return True
    if ONCE in executors:  # only these plans give bitwise the same results as XLA
        return False
    return not (at_once and FLAT in executors) or _is_small(entries)


def _is_small(plans: list[Plan]) -> bool:
    """Return whether a training program is cheap to interpret, such as a test or an experiment at a prompt.

    A compile takes ten times as long as tracing its gradients. More than `FEW` operators are small if their loops are
    written by hand and their compile costs as much as many runs.
    """
    if BYTE * sum(map(moved, plans)) > QUICK:
        return False
    if len(plans) > FEW and not is_patient(plans):
        return False
    gradients = [plan.flat() for plan in plans if plan.executor == FLAT and plan.flat is not None]
    return None not in gradients and of_run(plans) <= QUICK
