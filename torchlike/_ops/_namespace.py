"""The array namespace of a kernel's inputs."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def namespace(array: Any) -> Any:
    """`numpy` for a host array, `jax.numpy` for anything else: kernels are written once against it."""
    return np if isinstance(array, (np.ndarray, np.generic)) else jnp


def constant(array: Any) -> Any:
    """The same numbers, through which no gradient flows."""
    return array if namespace(array) is np else jax.lax.stop_gradient(array)
