"""First, second and third derivatives of every operator, by `gradcheck` in float64 over the operators' samples.

All of them in one command, in as many processes as there are shards (each prints what failed and exits with 1):

    python -m tests.autograd.derivatives                  # everything
    python -m tests.autograd.derivatives --shard 0/4      # a quarter
    python -m tests.autograd.derivatives mul conv2d       # some

`test_derivatives.py` runs a few in the gate.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import torchlike
from tests.ops.row import JUDGED, SAMPLES, function
from tests.ops.sample import Fails, Sample, arguments, made_real
from torchlike.autograd import gradcheck, gradgradcheck

MOST_SAMPLES = 2  # of each operator
MOST_NUMBERS = 400  # of a sample's tensors
EXACT = {np.dtype(np.float64), np.dtype(np.complex128)}

# The keys whose samples lie where the operator is not smooth, so that differences say nothing, and why.
NOT_SMOOTH = {
    "atan2": "a sample lies on the branch cut",
    "logit": "a sample lies at the bounds of eps",
    "mode": "it asks which numbers are equal",
    "quantile": "a sample's q lies at one of the numbers",
    "nanquantile": "a sample's q lies at one of the numbers",
}
# Their input is taken to be symmetric, so it is made so.
SYMMETRIC = ("cholesky", "linalg.cholesky", "linalg.cholesky_ex", "linalg.eigh", "linalg.eigvalsh")


def check(key: str, order: int) -> list[str]:
    """What is wrong with the derivatives of one order; nothing where the operator has none."""
    found: list[str] = []
    if key in NOT_SMOOTH:
        return found
    for sample in _samples(key):
        try:
            _check(key, sample, order)
        except Exception as error:
            found.append(f"{key}, order {order}, {sample}: {type(error).__name__}: {str(error)[:500]}")
    return found


def _samples(key: str) -> list[Sample]:
    good = [s for s in SAMPLES[key] if not isinstance(s, Fails) and s.gradient and _is_plain(s)]
    # Where several numbers tie, many operators have a kink.
    different = [s for s in good if all(np.unique(a).size == a.size for a in _arrays([s.args, s.kwargs]))]
    return (different or good)[:MOST_SAMPLES]


def _is_plain(sample: Sample) -> bool:
    """Finite numbers, few, and some of them floating: at the edges of the range, differences say nothing."""
    arrays = list(_arrays([sample.args, sample.kwargs]))
    inexact = [a for a in arrays if a.dtype.kind in "fc" and a.dtype.itemsize > 2]
    half = any(a.dtype.kind == "V" or (a.dtype.kind == "f" and a.dtype.itemsize == 2) for a in arrays)
    return (
        bool(inexact)
        and not half
        and sum(a.size for a in inexact) <= MOST_NUMBERS
        and all(np.isfinite(a).all() for a in inexact)
    )


def _arrays(x: Any) -> Iterator[np.ndarray]:
    if isinstance(x, np.ndarray):
        yield x
    elif isinstance(x, dict):
        yield from _arrays(list(x.values()))
    elif isinstance(x, list | tuple):
        for each in x:
            yield from _arrays(each)


def _exactly(x: Any) -> Any:
    """The sample's arrays in double precision."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "fc":
        return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64, order="K")
    if isinstance(x, list | tuple):
        return type(x)([_exactly(y) for y in x])
    return np.float64 if x is np.float32 else np.complex128 if x is np.complex64 else x


def _check(key: str, sample: Sample, order: int) -> None:
    exact = Sample(*_exactly(list(sample.args)), **{k: _exactly(v) for k, v in sample.kwargs.items()})
    leaves: list = []

    def leaf(t: Any) -> Any:
        if not (t.is_floating_point() or t.is_complex()):
            return t
        leaves.append(t.detach().clone().requires_grad_())
        return _Place

    args, kwargs = arguments(torchlike, exact, leaf)
    call = function(torchlike, key)

    def f(*inputs: Any) -> Any:
        rest = iter(inputs)
        torchlike.manual_seed(0)
        if key in SYMMETRIC:
            rest = iter([(x + x.mH) / 2 for x in rest])
        result = call(*_filled(args, rest), **{k: _filled(v, rest) for k, v in kwargs.items()})
        return tuple(o for o in _flat(result) if o.dtype in (torchlike.float64, torchlike.complex128))

    outputs = f(*leaves)
    for o in outputs:
        o.tolist()  # the program that gradcheck runs too
    if not any(o.requires_grad for o in outputs):
        return
    nth = f if order < 3 else _gradient_of(f, len(leaves))
    inputs = tuple(leaves) if order < 3 else (*leaves, *_weights(outputs))
    how = {"fast_mode": True, "atol": 1e-4, "rtol": 1e-3, "check_undefined_grad": False}
    if order == 1:
        gradcheck(f, inputs, check_forward_ad=_has_forward(key), **how)
    else:
        gradgradcheck(nth, inputs, _weights(outputs if order < 3 else nth(*inputs)), **how)


class _Place:
    """Where a floating tensor stood among the arguments."""


def _filled(x: Any, tensors: Iterator[Any]) -> Any:
    if x is _Place:
        return next(tensors)
    return type(x)([_filled(y, tensors) for y in x]) if isinstance(x, list | tuple) else x


def _flat(result: Any) -> list:
    if isinstance(result, torchlike.Tensor):
        return [result]
    return [t for part in result for t in _flat(part)] if isinstance(result, list | tuple) else []


def _weights(outputs: tuple) -> tuple:
    """Fixed weights for the outputs that have a gradient."""
    random = np.random.default_rng(1)
    found = []
    for o in outputs:
        if o.requires_grad:
            numbers = random.uniform(-1, 1, tuple(o.shape))
            if o.is_complex():
                numbers = numbers + 1j * random.uniform(-1, 1, tuple(o.shape))
            found.append(made_real(torchlike, np.asarray(numbers)).to(o.dtype).requires_grad_())
    return tuple(found)


def _gradient_of(f: Callable, count: int) -> Callable:
    """The function from inputs and weights to the gradients of `f`."""

    def gradient(*args: Any) -> tuple:
        inputs, weights = args[:count], args[count:]
        outputs = [o for o in f(*inputs) if o.requires_grad]
        grads = torchlike.autograd.grad(outputs, inputs, weights, create_graph=True, allow_unused=True)
        return tuple(g for g in grads if g is not None)

    return gradient


NO_FORWARD_MODE = ("rnn", "lstm", "gru")  # their scan has a gradient of its own


def _has_forward(key: str) -> bool:
    return not any(name in key for name in NO_FORWARD_MODE)


def main(words: list[str]) -> int:
    """Check what the command line asks for; returns the process's exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="keys of tests/ops/samples; default: all")
    parser.add_argument("--shard", default="0/1", help="i/n: the i-th of n parts")
    parser.add_argument("--orders", default="123", help="the orders to check")
    asked = parser.parse_args(words)
    part, parts = (int(n) for n in asked.shard.split("/"))
    names = asked.names or [key for key in JUDGED if zlib.crc32(key.encode()) % parts == part]
    warnings.simplefilter("ignore")
    failures = []
    for number, key in enumerate(names):
        started = time.perf_counter()
        new = [line for order in map(int, asked.orders) for line in check(key, order)]
        failures += new
        print(f"[{number + 1}/{len(names)}] {key}: {time.perf_counter() - started:.1f} s", *new, sep="\n  ", flush=True)
        if number % 40 == 39:
            torchlike._core.run.forget_programs()
    print(f"{len(failures)} failures in {len(names)} operators")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
