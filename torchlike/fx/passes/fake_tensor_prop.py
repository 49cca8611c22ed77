"""`FakeTensorProp`, the propagation of fake tensors, which is not supported."""

from __future__ import annotations

from typing import Any

from torchlike.fx._errors import cannot


class FakeTensorProp:
    """An interpreter with fake tensors. Not supported: the constructor raises NotImplementedError.

    Args:
      args, kwargs: not used.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise cannot("fx.passes.fake_tensor_prop.FakeTensorProp", "propagate meta tensors with ShapeProp")


__all__ = ["FakeTensorProp"]
