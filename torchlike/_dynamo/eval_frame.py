"""Where programs look for the class of compiled modules, and whether anything is compiled."""

from torchlike._compile.module import OptimizedModule as OptimizedModule


def is_dynamo_supported() -> bool:
    """Whether `torchlike.compile` works here: everywhere."""
    return True
