"""What is compiled, where a C compiler was there at the installation (`hatch_build.py`): kernels for NumPy's float32
arrays, a comparison of containers, and grad modes that no interrupt splits.

Callers ask whether it is there and do the same in NumPy or Python otherwise: results do not depend on this package.
"""

from __future__ import annotations

try:
    from torchlike._native import rows as rows
except ImportError:
    rows = None
try:
    from torchlike._native import same as same
except ImportError:
    same = None
try:
    from torchlike._native import switch as switch
except ImportError:
    switch = None

is_there = rows is not None
