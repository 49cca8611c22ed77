"""Interoperability with JAX: modules as pure functions, JAX functions as operators, tensors as JAX arrays."""

from torchlike.jax._arrays import from_jax as from_jax
from torchlike.jax._arrays import to_jax as to_jax
from torchlike.jax._functional import functional as functional
from torchlike.jax._optax import to_optax as to_optax
from torchlike.jax._wrap import wrap as wrap
