"""The operators of PyTorch's database on a GPU: torchlike's results and gradients against PyTorch's on the same GPU."""

from __future__ import annotations

import copy
import multiprocessing
import os
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

import torchlike
from tests.conformance import translate
from tests.conformance.call import Call, Limits, Made
from tests.conformance.compare import tensors
from tests.conformance.entries import load
from tests.conformance.run import Verdicts, judge_compiled

SAMPLES, GRADIENTS = 4, 2  # of one check


class OnGpu(Call):
    """A sample whose tensors are on the GPU."""

    def theirs(self, function: Callable, **more: Any) -> Made:
        """Call the function under PyTorch, on its GPU if it has one."""
        s = self.sample
        device = "cuda" if torch.cuda.is_available() else "cpu"
        args, kwargs = copy.deepcopy(((s.input, *s.args), s.kwargs))
        torch.manual_seed(0)
        return Made.of(function, _moved(args, device), {**_moved(kwargs, device), **more})

    def ours(self, function: Callable, **more: Any) -> Made:
        """Call the function under torchlike, on the GPU."""
        s = self.sample
        made = translate.Sharing(t for t in tensors([s.input, s.args, s.kwargs]) if isinstance(t, torch.Tensor))
        on_gpu = lambda t: made(t).detach().to("cuda").requires_grad_(t.requires_grad)
        args, kwargs = translate.arguments((s.input, *s.args), on_gpu), translate.arguments(s.kwargs, on_gpu)
        torchlike.manual_seed(0)
        return Made.of(function, args, {**_devices(kwargs, "cuda"), **more})


def _moved(given: Any, device: str) -> Any:
    """Return an argument with its tensors on a device."""
    if isinstance(given, torch.Tensor):
        return given.detach().to(device).requires_grad_(given.requires_grad)
    if isinstance(given, tuple) and hasattr(given, "_fields"):
        return type(given)(*[_moved(item, device) for item in given])
    if isinstance(given, list | tuple) and not isinstance(given, torch.Size):
        return type(given)([_moved(item, device) for item in given])
    if isinstance(given, dict):
        return _devices({key: _moved(item, device) for key, item in given.items()}, device)
    return given


def _devices(kwargs: dict[str, Any], device: str) -> dict[str, Any]:
    """Return keyword arguments whose `device` is this one."""
    return {**kwargs, "device": device} if kwargs.get("device") is not None else kwargs


def run(workers: int, seconds: float, every: int = 1) -> Iterator[tuple[str, Verdicts]]:
    """Yield each operator and its verdicts as they arrive, for at most this time. `every` = 2 takes each second one."""
    end = time.monotonic() + seconds
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        order = list(range(0, len(load()), every))
        random.Random(0).shuffle(order)  # so that a run that is cut short is a sample
        found = pool.imap_unordered(_one, order)
        while True:
            try:
                yield found.next(timeout=max(end - time.monotonic(), 0.1))
            except (StopIteration, multiprocessing.TimeoutError):
                break
        pool.terminate()


def _one(number: int) -> tuple[str, Verdicts]:
    entry = load()[number]
    return entry.name, judge_compiled(entry, Limits(SAMPLES, GRADIENTS, call=OnGpu))


def environment() -> None:
    """Let several processes share one GPU."""
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
