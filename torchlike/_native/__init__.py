"""Optional C extensions, compiled at installation if there is a C compiler (`hatch_build.py`).

They contain kernels for NumPy float32 arrays (`rows`, `convolutions`), normal random numbers (`normals`), comparisons
of guarded containers (`same`), copies of small data into arrays (`numbers`), grad modes that switch atomically under
interrupts (`switch`), shared memory whose finalizer cannot swallow an interrupt (`memory`), and huge pages for XLA's
temporaries (`pages`). A module is None if it was not compiled. Callers then do the same work in NumPy or Python, so
results do not depend on this package.
"""

from __future__ import annotations

try:
    from torchlike._native import rows as rows
except ImportError:
    rows = None
try:
    from torchlike._native import convolutions as convolutions
except ImportError:
    convolutions = None
try:
    from torchlike._native import numbers as numbers
except ImportError:
    numbers = None
try:
    from torchlike._native import same as same
except ImportError:
    same = None
try:
    from torchlike._native import switch as switch
except ImportError:
    switch = None
try:
    from torchlike._native import memory as memory
except ImportError:
    memory = None
try:
    from torchlike._native import normals as normals
except ImportError:
    normals = None
try:
    from torchlike._native import pages as pages
except ImportError:
    pages = None

is_there = rows is not None
