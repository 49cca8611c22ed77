"""`torch.backends.cpu`: the instruction set of the CPU."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np


@functools.cache
def get_cpu_capability() -> str:
    """Return "AVX512", "AVX2" or "DEFAULT", according to the instruction sets that NumPy detects."""
    config: Any = np.show_config(mode="dicts")
    said = config.get("SIMD Extensions", {})
    found = {*said.get("baseline", ()), *said.get("found", ())}
    for capability, names in (("AVX512", ("AVX512_SKX", "X86_V4")), ("AVX2", ("AVX2", "X86_V3"))):
        if found.intersection(names):
            return capability
    return "DEFAULT"
