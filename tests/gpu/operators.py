"""The operators of PyTorch's database on a GPU: torchlike's results and gradients against PyTorch's on the same GPU."""

from __future__ import annotations

import copy
import multiprocessing
import os
import random
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch

import torchlike
from tests.conformance import checks, translate
from tests.conformance.call import Call, Made, attempt
from tests.conformance.compare import difference, tensors
from tests.conformance.entries import Entry, load
from tests.conformance.exclusions import UP_TO_A_CHOICE, WITHOUT_VALUES

DTYPES = "float32", "int64", "bfloat16", "complex64"
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


def judge(entry: Entry) -> Iterator[tuple[str, int, str | None]]:
    """Yield a check, a sample's number and the difference or None, for every sample that PyTorch accepts."""
    for dtype in entry.dtypes:
        if dtype in DTYPES:
            for number, call in _calls(entry, dtype, SAMPLES):
                due, refused = attempt(lambda: call.theirs(entry.info.op))  # noqa: B023
                if refused is None:
                    yield f"forward {dtype}", number, _tried(lambda: _forward(entry, call, due))  # noqa: B023
    for number, call in _calls(entry, "float32", GRADIENTS, True) if _has_gradient(entry) else ():
        due, refused = attempt(lambda: checks.derived(call, call.theirs(entry.info.op), 1))  # noqa: B023
        if refused is None and due is not None:
            mine = lambda: checks.derived(call, call.ours(checks.function_of(entry)), 1)  # noqa: B023
            judged = lambda: checks.gradients_differ(mine(), due, [0.0] * len(due))  # noqa: B023
            yield "gradient float32", number, _tried(judged)


def _forward(entry: Entry, call: OnGpu, theirs: Made) -> str | None:
    mine, due = call.ours(checks.function_of(entry)).result, theirs.result
    if entry.name in UP_TO_A_CHOICE:
        mine, due = checks.settled(call, mine), checks.settled(call, due)
    return difference(mine, due, theirs.memories, entry.name not in WITHOUT_VALUES)


def _has_gradient(entry: Entry) -> bool:
    info = entry.info
    return info.supports_autograd and torch.float32 in info.supported_backward_dtypes("cpu")


def _calls(entry: Entry, dtype: str, most: int, requires_grad: bool = False) -> Iterator[tuple[int, OnGpu]]:
    every = list(enumerate(entry.samples(dtype, requires_grad)))
    step = max(1, len(every) // most)
    for number, sample in every[::step][:most]:
        yield number, OnGpu(sample, number)


def _tried(judged: Callable[[], str | None]) -> str | None:
    try:
        return judged()
    except Exception as error:
        return f"{type(error).__name__}: {error}".partition("\n")[0]


def run(workers: int, seconds: float, every: int = 1) -> Iterator[tuple[str, list[tuple[str, int, str | None]]]]:
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


def _one(number: int) -> tuple[str, list[tuple[str, int, str | None]]]:
    entry = load()[number]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return entry.name, list(judge(entry))


def environment() -> None:
    """Let several processes share one GPU."""
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
