"""The deprecated forms of mixed precision: their warnings, and the errors for arguments that they do not have."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchlike

FORMS: dict[str, Callable[[Any], Any]] = {
    "cuda autocast": lambda L: L.cuda.amp.autocast(),
    "cuda autocast, disabled": lambda L: L.cuda.amp.autocast(enabled=False),
    "cuda autocast of a dtype": lambda L: L.cuda.amp.autocast(True, L.bfloat16),
    "cuda autocast of a device type": lambda L: L.cuda.amp.autocast(device_type="cuda"),
    "cuda autocast of four": lambda L: L.cuda.amp.autocast(True, L.float16, True, 1),
    "cuda autocast, decorating": lambda L: L.cuda.amp.autocast()(lambda: 3)(),
    "cuda GradScaler": lambda L: L.cuda.amp.GradScaler(),
    "cuda GradScaler, disabled": lambda L: L.cuda.amp.GradScaler(enabled=False),
    "cuda GradScaler of a device": lambda L: L.cuda.amp.GradScaler(device="cuda"),
    "cuda GradScaler of six": lambda L: L.cuda.amp.GradScaler(1.0, 2.0, 0.5, 4, True, 6),
    "cuda custom_fwd": lambda L: L.cuda.amp.custom_fwd(lambda ctx: 1),
    "cuda custom_fwd with a dtype": lambda L: L.cuda.amp.custom_fwd(cast_inputs=L.float16),
    "cuda custom_bwd": lambda L: L.cuda.amp.custom_bwd(lambda ctx: 1),
    "cpu autocast": lambda L: L.cpu.amp.autocast(),
    "cpu autocast of a device type": lambda L: L.cpu.amp.autocast(device_type="cpu"),
    "cpu autocast of four": lambda L: L.cpu.amp.autocast(1, 2, 3, 4),
    "cpu GradScaler": lambda L: L.cpu.amp.GradScaler(),
    "cpu GradScaler of a device": lambda L: L.cpu.amp.GradScaler(device="cpu"),
    "a subclass": lambda L: type("Mine", (L.cuda.amp.autocast,), {})(enabled=False),
    "a subclass of GradScaler": lambda L: type("Mine", (L.cpu.amp.GradScaler,), {})(enabled=False),
    "autocast without a device type": lambda L: L.autocast(),
    "autocast of a number": lambda L: L.autocast(1),
    "autocast of an unknown argument": lambda L: L.autocast("cpu", fast=True),
    "CUDA autocast without CUDA": lambda L: L.autocast("cuda"),
    "autocast to integers": lambda L: L.autocast("cpu", dtype=L.int32),
    "GradScaler without a device": lambda L: L.amp.GradScaler(),
    "the dtype of GPUs": lambda L: L.get_autocast_gpu_dtype(),
    "the dtype of CPUs": lambda L: L.get_autocast_cpu_dtype(),
    "whether it is on for CPUs": lambda L: L.is_autocast_cpu_enabled(),
    "whether it is on for XLA": lambda L: L.is_autocast_xla_enabled(),
    "turned off for CPUs": lambda L: L.set_autocast_cpu_enabled(False),
    "another dtype of GPUs": lambda L: L.set_autocast_gpu_dtype(L.float16),
    "another dtype of CPUs": lambda L: L.set_autocast_cpu_dtype(L.bfloat16),
}


def told(form: Callable[[Any], Any], library: Any) -> tuple[list, str]:
    """Return the warnings of a form, without places in C++, and its error or the name of its result's type."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            found = type(form(library)).__name__
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    texts = [(w.category.__name__, str(w.message).partition(" (Triggered internally")[0]) for w in seen]
    return texts, found


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_told_in_pytorchs_words(form):
    assert told(form, torchlike) == told(form, torch)
