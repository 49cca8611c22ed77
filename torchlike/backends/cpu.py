"""The processor: the widest vector instructions that PyTorch would use on it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np


@functools.cache
def get_cpu_capability() -> str:
    """ "AVX512", "AVX2" or "DEFAULT", by the instructions that NumPy finds."""
    config: Any = np.show_config(mode="dicts")
    said = config.get("SIMD Extensions", {})
    found = {*said.get("baseline", ()), *said.get("found", ())}
    for capability, names in (("AVX512", ("AVX512_SKX", "X86_V4")), ("AVX2", ("AVX2", "X86_V3"))):
        if found.intersection(names):
            return capability
    return "DEFAULT"
