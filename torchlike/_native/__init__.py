"""Compiled kernels for NumPy's float32 arrays, where a C compiler was there at the installation (`hatch_build.py`).

Callers look at `is_there` and have NumPy's formula otherwise: nothing but speed depends on this package.
"""

from __future__ import annotations

try:
    from torchlike._native import rows as rows
    from torchlike._native import same as same
except ImportError:
    rows = same = None

is_there = rows is not None
