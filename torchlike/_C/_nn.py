"""A module for `torch._C._nn`: the argument parser of `to`. `_api/pickled_names.py` adds functions."""

from __future__ import annotations

from typing import Any

from torchlike import _dtypes
from torchlike._composite.views.conversions import _parse_to as parse_to
from torchlike._dtypes import devices
from torchlike._dtypes import memory_format as mf
from torchlike._tensor.tensor import Tensor


def _parse_to(*args: Any, **kwargs: Any) -> tuple:
    """Return the device, dtype, `non_blocking` flag and memory format of a call of `to`.

    A missing device, dtype or memory format is None; a missing flag is False.
    """
    device, dtype, _, memory_format = parse_to(args, kwargs)
    if isinstance(device, Tensor):
        device, dtype = device.device, device.dtype
    flags = [a for a in args if isinstance(a, bool)]
    waits = flags[0] if flags else bool(kwargs.get("non_blocking", False))
    place = None if device is None else devices.device(device)
    assert dtype is None or isinstance(dtype, _dtypes.dtype)
    return place, dtype, waits, kwargs.get("memory_format") if memory_format is not mf.preserve_format else None
