"""The fake tensor classes, which cannot be instantiated. Use `torch.device("meta")` for shapes without elements."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from torchlike import _errors


class FakeTensor:
    """The type of fake tensors; the constructor raises."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot("_subclasses.FakeTensor", 'use device="meta"')


class FakeTensorMode:
    """The mode that creates fake tensors; the constructor raises."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot("_subclasses.FakeTensorMode", 'use device="meta"')


def is_fake(x: Any) -> bool:
    """Return whether `x` is a fake tensor: always False, since there are none."""
    return isinstance(x, FakeTensor)


@contextlib.contextmanager
def unset_fake_temporarily() -> Iterator[None]:
    """Run a block outside of any mode of fake tensors. Since there is no such mode, nothing changes."""
    yield None
