"""A sample of the database as a call of either library."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch

import torchlike
from tests.conformance import translate
from tests.conformance.compare import memory, tensors


@dataclass
class Verdict:
    """The number of samples that passed, the number of samples, and the first failure."""

    passed: int = 0
    total: int = 0
    failure: str = ""

    def add(self, failure: str | None, at: str) -> None:
        """Count one sample."""
        self.total += 1
        self.passed += failure is None
        if failure is not None and not self.failure:
            self.failure = f"{failure} [{at}]"


@dataclass
class Call:
    """A sample that can be called repeatedly: each call gets new tensors, the same numbers and the same seed."""

    sample: Any
    number: int = 0

    def theirs(self, function: Callable, **more: Any) -> Made:
        """Call the function under PyTorch."""
        s = self.sample
        args, kwargs = copy.deepcopy(((s.input, *s.args), s.kwargs))
        torch.manual_seed(0)
        return Made.of(function, args, {**kwargs, **more})

    def ours(self, function: Callable, **more: Any) -> Made:
        """Call the function under torchlike."""
        s = self.sample
        made = translate.Sharing(t for t in tensors([s.input, s.args, s.kwargs]) if isinstance(t, torch.Tensor))
        args, kwargs = translate.arguments((s.input, *s.args), made), translate.arguments(s.kwargs, made)
        torchlike.manual_seed(0)
        return Made.of(function, args, {**kwargs, **more})

    def nudged(self, seed: int) -> Call:
        """Return the call with each number unchanged or moved by one rounding step, at random."""
        sample, generator = copy.deepcopy(self.sample), torch.Generator().manual_seed(seed)
        for t in tensors([sample.input, sample.args, sample.kwargs]):
            if t.is_floating_point() or t.is_complex():
                steps = torch.randint(-1, 2, t.shape, generator=generator)
                with torch.no_grad():
                    t.mul_(1 + steps * torch.finfo(t.dtype).eps)
        return type(self)(sample, self.number)

    def widened(self) -> Call:
        """Return the call with the same numbers in the next wider dtype."""
        s = copy.copy(self.sample)
        s.input, s.args, s.kwargs = (_wide(part) for part in (s.input, s.args, s.kwargs))
        return type(self)(s, self.number)

    def __str__(self) -> str:
        s = self.sample
        given = [_short(a) for a in (s.input, *s.args)] + [f"{k}={_short(a)}" for k, a in s.kwargs.items()]
        text = ", ".join(given)
        return f"{self.number}: ({text[:120]}{'...' if len(text) > 120 else ''})"


@dataclass
class Made:
    """The arguments and the result of a call."""

    args: tuple
    kwargs: dict
    memories: frozenset[int]
    result: Any = None

    @classmethod
    def of(cls, function: Callable, args: tuple, kwargs: dict) -> Made:
        theirs = [t for t in tensors([args, kwargs]) if isinstance(t, torch.Tensor) and t.layout is torch.strided]
        made = cls(args, kwargs, frozenset(memory(t) for t in theirs if t.numel()))
        made.result = function(*args, **kwargs)
        return made

    @property
    def leaves(self) -> list[Any]:
        """The tensors that require grad."""
        return [t for t in tensors([self.args, self.kwargs]) if t.requires_grad]


@dataclass(frozen=True)
class Limits:
    """The number of samples of each check, a time limit for one sample, and the class of the calls.

    With `rounding`, results may differ by as much as PyTorch's own do when the inputs change by one rounding step.
    """

    samples: int | None = None
    gradients: int | None = None
    alarm: Callable[[], contextlib.AbstractContextManager] = contextlib.nullcontext
    call: type[Call] = Call
    rounding: bool = False

    def __call__(self, samples: Iterable[Any], gradients: bool = False) -> list[Call]:
        """Return the samples as calls. If there are too many, return evenly spaced ones."""
        every = list(enumerate(samples))
        most = (self.gradients if gradients else self.samples) or len(every)
        if len(every) > most:
            every = [every[i * len(every) // most] for i in range(most)]
        return [self.call(sample, number) for number, sample in every]


def attempt(call: Callable) -> tuple[Any, Exception | None]:
    """Return the result of a call and None, or None and the exception."""
    try:
        return call(), None
    except Exception as error:
        return None, error


_WIDER = {torch.bfloat16: torch.float32, torch.float32: torch.float64, torch.complex64: torch.complex128}


def _wide(a: Any) -> Any:
    if isinstance(a, torch.Tensor) and a.dtype in _WIDER:
        return a.detach().to(_WIDER[a.dtype]).requires_grad_(a.requires_grad)
    if isinstance(a, torch.dtype):
        return _WIDER.get(a, a)
    if isinstance(a, dict):
        return {key: _wide(item) for key, item in a.items()}
    return type(a)([_wide(item) for item in a]) if type(a) in (list, tuple) else a


def _short(a: Any) -> str:
    if isinstance(a, torch.Tensor):
        return f"{str(a.dtype).removeprefix('torch.')}{list(a.shape)}"
    if isinstance(a, list | tuple):
        return f"[{', '.join(_short(x) for x in a)}]"
    return repr(a)
