"""The compiler's first call, made ahead.

The first program of a process waits some 60 ms for XLA to set itself up. Who makes an optimizer is about to train, so a
small program is compiled in a thread of its own then, while the user's script goes on to its data.
"""

from __future__ import annotations

import contextlib
import threading

import jax
import jax.numpy as jnp

from torchlike._device import device as Device
from torchlike._device import to_jax

_begun = threading.Event()


def warm_up(device: Device) -> None:
    """Have XLA's compiler for this device ready soon; once in a process."""
    if not _begun.is_set() and device.type != "meta":
        _begun.set()
        threading.Thread(target=_compile, args=(device,), name="torchlike's first compile").start()


def _compile(device: Device) -> None:
    with contextlib.suppress(Exception):  # what cannot be compiled here fails where the user can see it
        place = jax.sharding.SingleDeviceSharding(to_jax(device))
        jax.jit(_program).lower(jax.ShapeDtypeStruct((8, 8), jnp.float32, sharding=place)).compile()


def _program(x: jax.Array) -> jax.Array:
    return jnp.exp(x).sum() + (x @ x).sum()
