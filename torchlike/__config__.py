"""The build configuration of this library."""

from __future__ import annotations


def show() -> str:
    """Return a string with the versions of torchlike's dependencies and the number of XLA threads."""
    from importlib.metadata import version

    from torchlike._engine.xla.target import THREADS
    from torchlike.torch_version import LIKE, OWN

    built = {name: version(name) for name in ("jax", "jaxlib", "numpy", "ml_dtypes")}
    lines = [f"  - {name}: {number}" for name, number in built.items()]
    return "\n".join([f"torchlike {OWN}, as PyTorch {LIKE}, built with:", *lines, f"  - threads of XLA: {THREADS}", ""])


def parallel_info() -> str:
    """Return a string with the number of threads."""
    from torchlike._engine.xla.target import THREADS

    return f"XLA:\n\tthreads : {THREADS}\n"
