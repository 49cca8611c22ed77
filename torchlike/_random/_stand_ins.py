"""Sampling functions that a captured function can replace (see `Recorder.capture`).

A capture that samples with a JAX key instead of a generator sets `capture.draws_with`. Then
`capture.draws_with(draw, generator, ...)` returns the samples. Outside of a capture,
`local.watch(draw, generator, ...)` returns them if it is set: `make_fx` sets it to see each call.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from torchlike._dtypes.recorder import current

from . import _choice, _integer, _real, _waiting

Draw = TypeVar("Draw", bound=Callable)


class _Local(threading.local):
    watch: Callable[..., Any] | None = None


local = _Local()


def _replaceable(draw: Draw) -> Draw:
    @functools.wraps(draw)
    def drawing(*args, **kwargs):
        capture = current().capture
        if capture is None or capture.draws_with is None:
            return draw(*args, **kwargs) if local.watch is None else local.watch(draw, *args, **kwargs)
        return capture.draws_with(draw, *args, **kwargs)

    made: Any = drawing
    return made


bernoulli = _replaceable(_choice.bernoulli)
dropout_noise = _replaceable(_choice.dropout_noise)
exponential = _replaceable(_waiting.exponential)
normal = _replaceable(_real.normal)
randint = _replaceable(_integer.randint)
randperm = _replaceable(_integer.randperm)
uniform = _replaceable(_real.uniform)


@_replaceable
def state_words(generator: Any, source: Any) -> Any:
    """Return the state of `source`, an accelerator's generator, as four 32-bit words.

    `generator` is None for the default generator.
    """
    return source.words()


__all__ = ["bernoulli", "dropout_noise", "exponential", "normal", "randint", "randperm", "state_words", "uniform"]
