"""Check entries: one after the other, or in several processes."""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
import signal
import warnings
from collections.abc import Iterator

import torchlike
from tests.conformance import checks, refused
from tests.conformance.call import Limits, Verdict
from tests.conformance.entries import Entry, chosen, load

SECONDS = 30  # of CPU time for one sample; a longer compile fails the sample
MOST_SAMPLES = 100  # for one check; PyTorch has up to 1440, if they are a product of argument lists
MOST_COMPILED = 6  # for one check of compiled programs
COMPILED = ("float32", "int64", "bfloat16", "complex64")
COMPILED_GRADIENTS = ("float32", "float64")
ENTRIES_OF_ONE_PROCESS = 80  # a process runs out of memory mappings after too many compiled programs

Verdicts = dict[str, Verdict]


def judge(entry: Entry, limits: Limits, quick: bool = False) -> Verdicts:
    """Run every check of one entry. Return the verdicts of the checks that have samples, by the check's name.

    With `quick` only one dtype is checked, and no gradients, which have to be compiled.
    """
    found: Verdicts = {}
    dtypes, exact = (entry.dtypes[:1], []) if quick else (entry.dtypes, entry.gradient_dtypes)
    with warnings.catch_warnings(), torchlike.set_executor("numpy"):
        warnings.simplefilter("ignore")
        for dtype in dtypes:
            found[f"forward {dtype}"] = checks.forward(entry, dtype, limits)
        for dtype in dtypes[:1]:
            found["method"] = checks.method(entry, dtype, limits)
            found["in-place"] = checks.in_place(entry, dtype, limits)
            found["out="] = checks.out(entry, dtype, limits)
        for dtype in exact:
            found[f"gradients {dtype}"] = checks.gradients(entry, dtype, limits)
            found[f"second gradients {dtype}"] = checks.second_gradients(entry, dtype, limits)
        found["error type"], found["error text"] = refused.errors(entry, limits)
    return {name: verdict for name, verdict in found.items() if verdict.total}


def judge_compiled(entry: Entry, limits: Limits) -> Verdicts:
    """Check the results and the gradients of one entry, computed by programs that XLA compiles."""
    found: Verdicts = {}
    limits = dataclasses.replace(limits, rounding=True)
    with warnings.catch_warnings(), torchlike.set_executor("xla"):
        warnings.simplefilter("ignore")
        for dtype in entry.dtypes:
            if dtype in COMPILED:
                found[f"xla forward {dtype}"] = checks.forward(entry, dtype, limits)
        for dtype in entry.differentiable(COMPILED_GRADIENTS):
            found[f"xla gradients {dtype}"] = checks.gradients(entry, dtype, limits)
    return {name: verdict for name, verdict in found.items() if verdict.total}


def judge_all(
    entries: list[Entry], workers: int, samples: int | None, executor: str = "numpy"
) -> Iterator[tuple[str, Verdicts]]:
    """Yield the verdicts of many entries as they arrive."""
    numbers = {entry.name: number for number, entry in enumerate(load())}
    tasks = [(numbers[entry.name], samples, executor) for entry in entries]
    with multiprocessing.get_context("spawn").Pool(workers, maxtasksperchild=ENTRIES_OF_ONE_PROCESS) as pool:
        yield from pool.imap_unordered(_judge_one, tasks)


def _judge_one(task: tuple[int, int | None, str]) -> tuple[str, Verdicts]:
    number, samples, executor = task
    entry = load()[number]
    if executor == "xla":
        return entry.name, judge_compiled(entry, Limits(samples, samples, alarm))
    return entry.name, judge(entry, _limits(samples))


def _limits(samples: int | None) -> Limits:
    return Limits(samples, samples and (samples + 1) // 2, alarm)


@contextlib.contextmanager
def alarm() -> Iterator[None]:
    """Raise `TimeoutError` in a block that uses too much CPU time."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS} seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


__all__ = ["MOST_COMPILED", "MOST_SAMPLES", "Verdicts", "chosen", "judge", "judge_all", "judge_compiled"]
