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
from torchlike._random import default_generator as default_generator


@contextlib.contextmanager
def fork_rng(devices: Iterable[Any] | None = None, enabled: bool = True, device_type: str = "cuda") -> Iterator[None]:
    """Restore the state of the default generator when the `with` block ends.

    One generator serves all devices, so `devices` and `device_type` are only checked for existence.

    >>> with torchlike.random.fork_rng():
    ...     _ = torchlike.manual_seed(0)
    """
    from torchlike._dtypes import devices as _device
    from torchlike._engine import accelerators

    _device.device(device_type)
    for device in devices or ():
        accelerators.jax_device(device_type, device)
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)
