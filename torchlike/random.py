"""Seed and state of the default random number generator."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from torchlike._composite.random.random import get_rng_state as get_rng_state
from torchlike._composite.random.random import initial_seed as initial_seed
from torchlike._composite.random.random import manual_seed as manual_seed
from torchlike._composite.random.random import seed as seed
from torchlike._composite.random.random import set_rng_state as set_rng_state
from torchlike._dtypes import devices as _device
from torchlike._engine import accelerators
from torchlike._random import Preserved
from torchlike._random import default_generator as default_generator


@contextlib.contextmanager
def fork_rng(devices: Iterable[Any] | None = None, enabled: bool = True, device_type: str = "cuda") -> Iterator[None]:
    """Restore the states of the default generators when the `with` block ends.

    Args:
      devices: the accelerators whose generators are restored besides the CPU's; by default all of `device_type`.
      enabled: if False, do nothing.
      device_type: the type of the accelerators.

    >>> with torchlike.random.fork_rng():
    ...     _ = torchlike.manual_seed(0)
    """
    _device.device(device_type)
    if devices is None:
        found = [_device.device(device_type, i) for i in range(len(accelerators.devices(device_type)))]
    else:
        found = [_device.device(device_type, accelerators.number(device_type, each)) for each in devices]
    for device in found:
        _device.to_jax(device)
    if not enabled:
        yield
        return
    state = Preserved(found, all=False)
    try:
        yield
    finally:
        state.restore()


def thread_safe_generator() -> None:
    """Return the generator of this worker thread of a data loader: always None, because loaders use processes."""
    return None
