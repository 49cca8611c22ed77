"""The array namespace of a kernel's inputs."""

from __future__ import annotations

import threading
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


class _OwnGradients(threading.local):
    """Whether kernels leave their differentiation to JAX, which a pass in forward mode asks for: a `jax.custom_vjp` has
    none. Use as a context manager."""

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1

    @property
    def are_off(self) -> bool:
        return self.depth > 0


own_gradients = _OwnGradients()


def namespace(array: Any) -> Any:
    """`numpy` for a host array, `jax.numpy` for anything else: kernels are written once against it."""
    return np if isinstance(array, (np.ndarray, np.generic)) else jnp


def constant(array: Any) -> Any:
    """The same numbers, through which no gradient flows."""
    return array if namespace(array) is np else jax.lax.stop_gradient(array)
