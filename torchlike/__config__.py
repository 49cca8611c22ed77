"""How this library was put together."""

from __future__ import annotations


def show() -> str:
    """The versions of what computes, as text."""
    from importlib.metadata import version

    from torchlike._engine.interpreter.executor import THREADS
    from torchlike.torch_version import LIKE, OWN

    built = {name: version(name) for name in ("jax", "jaxlib", "numpy", "ml_dtypes")}
    lines = [f"  - {name}: {number}" for name, number in built.items()]
    return "\n".join([f"torchlike {OWN}, as PyTorch {LIKE}, built with:", *lines, f"  - threads of XLA: {THREADS}", ""])


def parallel_info() -> str:
    """How many threads there are, as text."""
    from torchlike._engine.interpreter.executor import THREADS

    return f"XLA:\n\tthreads : {THREADS}\n"
