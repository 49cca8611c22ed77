"""The class of compiled modules, and a query for compiler support."""

from torchlike._compile.module import OptimizedModule as OptimizedModule


def is_dynamo_supported() -> bool:
    """Return whether `torchlike.compile` is supported: always True."""
    return True
