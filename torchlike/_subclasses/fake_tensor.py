"""Fake tensors: none is ever made. `torch.device("meta")` has shapes without elements."""

from __future__ import annotations

from typing import Any

from torchlike import _errors


class FakeTensor:
    """What nothing is an instance of."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot("_subclasses.FakeTensor", 'use device="meta"')


class FakeTensorMode:
    """Refused."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot("_subclasses.FakeTensorMode", 'use device="meta"')


def is_fake(x: Any) -> bool:
    """Whether it is a fake tensor: no."""
    return isinstance(x, FakeTensor)
