"""Check the first, second and third derivatives of every operator at its samples, by `gradcheck` in float64.

One command checks all of them, prints the failures, and exits with 1 if there is any:

    python -m tests.autograd.derivatives                  # everything
    python -m tests.autograd.derivatives --shard 0/4      # a quarter
    python -m tests.autograd.derivatives mul conv2d       # some
    python -m tests.autograd.derivatives --table          # everything, and rewrite docs/derivatives.md

A sample becomes one function from its tensors, and from weights of its results, to three numbers: the weighted sum of
the results; the gradient of that sum in a fixed direction; and the gradient of this number in a fixed direction.
`gradcheck` compares the gradient of each number with finite differences, so the third derivative is compared with
differences of the second. `test_derivatives.py` runs a few operators in the regular tests.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

if __name__ == "__main__":
    # This checks the formulas, not XLA's optimizations: without its passes a compile takes a tenth of the time.
    flags = ["--xla_backend_optimization_level=0", "--xla_llvm_disable_expensive_passes=true"]
    if version("jaxlib").startswith("0.10."):  # later versions abort the process at this flag
        flags.append("--xla_cpu_use_fusion_emitters=false")
    os.environ.setdefault("XLA_FLAGS", " ".join(flags))

import numpy as np
import torch
from tqdm import tqdm

import torchlike
from tests.autograd import derivatives_table
from tests.autograd.derivatives_line import DOUBLE, SINGLE, Line, is_label
from tests.ops.row import JUDGED, SAMPLES
from tests.ops.sample import Fails, Sample

ORDERS = (1, 2, 3)


@dataclass
class Found:
    """The result of checking an operator."""

    zero: dict[int, bool] = field(default_factory=dict)  # for each checked order, whether the derivative is zero
    wrong: dict[int, list[str]] = field(default_factory=dict)
    refused: set[int] = field(default_factory=set)  # the orders for which PyTorch raises the same error
    missed: bool = False  # whether samples with a gradient were skipped

    def word(self, order: int) -> str:
        """Return the entry of the order in the table."""
        if order in self.wrong:
            return "wrong"
        if order in self.zero:
            return "zero" if self.zero[order] else "passed"
        if order in self.refused:
            return "refused"
        return "unchecked" if self.missed else "none"

    def lines(self) -> list[str]:
        """Return all errors."""
        return [line for lines in self.wrong.values() for line in lines]


def check(key: str, orders: Sequence[int] = ORDERS) -> Found:
    """Check an operator at its samples that have a gradient and no kink."""
    found = Found()
    try:
        for sample, line in _lines(key, found):
            _check(key, sample, line, orders, found)
    except Exception as error:
        found.wrong.setdefault(orders[0], []).append(f"{key}: {_told(error)}")
    return found


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:500]}"


def _check(key: str, sample: Sample, line: Line, orders: Sequence[int], found: Found) -> None:
    errors = _errors(line, orders)
    refused = {order for order, error in errors.items() if _is_refused(error, key, sample, order)}
    found.refused |= refused
    for order in errors.keys() - refused:
        found.wrong.setdefault(order, []).append(f"{key}, order {order}, {sample}: {_told(errors[order])}")
    zero = False
    for order in sorted(set(orders) - refused):
        zero = zero or line.is_zero(order)
        found.zero[order] = zero and found.zero.get(order, True)


def _errors(line: Line, orders: Sequence[int]) -> dict[int, Exception]:
    """Return the error of each order. All orders are checked at once, and one by one if that fails."""
    whole = line.error(orders)
    if whole is None:
        return {}
    apart = {order: line.error([order]) for order in orders}
    return {order: error for order, error in apart.items() if error is not None} or {max(orders): whole}


# -- samples -----------------------------------------------------------------------------------------------------------


def _lines(key: str, found: Found) -> Iterator[tuple[Sample, Line]]:
    """Yield the points at which to check the operator: its samples.

    Samples at a kink or without a value are moved a little.
    """
    for sample in _samples(key):
        try:
            line = _line(key, sample)
        except RuntimeError as error:
            if not _is_refused(error, key, sample, 1):
                raise
            found.refused.update(ORDERS)
            continue
        if not line.weights:
            if _differentiated_by_pytorch(key, sample):
                found.wrong.setdefault(1, []).append(f"{key}, {sample}: PyTorch has a gradient")
            continue
        found.missed = True
        if line.is_smooth():
            yield sample, line
            continue
        with suppress(RuntimeError, ValueError):  # the operator may refuse the new values
            line = _line(key, _moved(sample))
            if line.is_smooth():
                yield sample, line


def _samples(key: str) -> list[Sample]:
    good = [s for s in SAMPLES[key] if not isinstance(s, Fails) and s.derivative]
    # In double precision a half-precision sample is like the others, so it is skipped if there are others.
    return [s for s in good if not _is_half(s)] or good


def _line(key: str, sample: Sample) -> Line:
    """Return the sample in double precision, or in single precision if the operator accepts nothing else."""
    try:
        return Line(torchlike, key, sample, DOUBLE)
    except RuntimeError as error:
        if not str(error).endswith("got Double"):
            raise
        return Line(torchlike, key, sample, SINGLE)


def _moved(sample: Sample) -> Sample:
    """Return the sample with all floating-point numbers moved a little, each by a different amount."""
    moved, random = copy(sample), np.random.default_rng(0)
    moved.args, moved.kwargs = _apart(sample.args, random), _apart(sample.kwargs, random)
    return moved


def _apart(x: Any, random: np.random.Generator) -> Any:
    if isinstance(x, dict):
        return {k: _apart(v, random) for k, v in x.items()}
    if isinstance(x, list | tuple):
        return type(x)([_apart(y, random) for y in x])
    if isinstance(x, np.ndarray) and x.dtype.kind in "fc" and not is_label(x):
        x = np.nan_to_num(x, nan=0.5, posinf=1.5, neginf=-1.5)
        return (x + random.uniform(-0.03, 0.03, x.shape)).astype(x.dtype)
    return x


def _is_half(sample: Sample) -> bool:
    return any(a.dtype.kind in "fV" and a.dtype.itemsize == 2 for a in _arrays([sample.args, sample.kwargs]))


def _arrays(x: Any) -> Iterator[np.ndarray]:
    if isinstance(x, np.ndarray):
        yield x
    elif isinstance(x, dict):
        yield from _arrays(list(x.values()))
    elif isinstance(x, list | tuple):
        for each in x:
            yield from _arrays(each)


# -- PyTorch -----------------------------------------------------------------------------------------------------------


def _is_refused(error: Exception, key: str, sample: Sample, order: int) -> bool:
    """Return whether PyTorch raises the same error for a derivative. The error of one order also occurs in the next."""
    try:
        Line(torch, key, sample).sums(order + 1)
    except Exception as theirs:
        return _words(theirs) == _words(error)
    return False


def _words(error: Exception) -> tuple[str, str]:
    return type(error).__name__, str(error).partition("\n")[0]


def _differentiated_by_pytorch(key: str, sample: Sample) -> bool:
    """Return whether PyTorch gives some of the call's inputs a nonzero gradient."""
    try:
        line = Line(torch, key, sample)
        found = torch.autograd.grad(line.sum(), line.leaves, allow_unused=True) if line.weights else ()
    except RuntimeError:
        return False
    return any(g is not None and g.any() for g in found)


# -- the command -------------------------------------------------------------------------------------------------------


def main(words: list[str]) -> int:
    """Check the operators of the command line; return the exit status of the process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="keys of tests/ops/samples; default: all")
    parser.add_argument("--shard", default="0/1", help="i/n: the i-th of n parts")
    parser.add_argument("--orders", default="123", help="the orders to check")
    parser.add_argument("--table", action="store_true", help="write what was found into docs/derivatives.md")
    asked = parser.parse_args(words)
    part, parts = (int(n) for n in asked.shard.split("/"))
    orders = [int(o) for o in asked.orders]
    if asked.table and asked.orders != "123":
        parser.error("the table is of all orders")
    unknown = [key for key in asked.names if key not in SAMPLES]
    if unknown:
        parser.error(f"no samples of {', '.join(unknown)}")
    names = asked.names or [key for key in JUDGED if zlib.crc32(key.encode()) % parts == part]
    warnings.simplefilter("ignore")
    torchlike.set_executor("xla")  # values come from the kernels that are differentiated
    found: dict[str, Found] = {}
    bar = tqdm(names, unit="operator")
    for number, key in enumerate(bar):
        bar.set_postfix_str(key)
        found[key] = check(key, orders)
        for line in found[key].lines():
            tqdm.write(line)
        if asked.table:
            derivatives_table.write({key: [found[key].word(order) for order in ORDERS]})
        if number % 40 == 39:
            torchlike._engine.trace.flush.forget_programs()
    wrong = [key for key in names if found[key].wrong]
    tqdm.write(f"{len(wrong)} of {len(names)} operators have wrong derivatives: {' '.join(wrong) or 'none'}")
    if asked.table:
        tqdm.write(derivatives_table.count())
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
