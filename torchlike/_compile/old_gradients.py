"""The memory of gradients that a compiled step replaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _native
from torchlike._dtypes.devices import cpu, to_jax
from torchlike._dtypes.devices import device as Device
from torchlike._engine import Aval, Value
from torchlike._engine.trace.ownership import has_lent
from torchlike._engine.xla.mesh import active
from torchlike._engine.xla.transfers import to_device
from torchlike._tensor.storage import Storage
from torchlike._tensor.tensor import Tensor

JaxArray = type(to_device(np.zeros(()), cpu))


class OldGradients:
    """The gradients that a call on an accelerator replaces without reading them.

    Their arrays are donated, and the new gradients take their memory, so that a step needs no memory for two sets of
    gradients. On the CPU, nothing is donated.

    Attributes:
      avals: the shapes and dtypes of the arrays.
    """

    __slots__ = ("_holders", "_nones", "_place", "avals")

    def __init__(self, device: Device, replaced: Sequence[tuple[Tensor, Aval]]) -> None:
        replaced = [] if device.type == "cpu" or active.over(device) is not None else replaced
        self._holders = [holder for holder, _ in replaced]
        self.avals = tuple([aval for _, aval in replaced])
        self._nones, self._place = [None] * len(replaced), to_jax(device) if replaced else None

    def arrays(self) -> list[jax.Array]:
        """Return the arrays of the gradients. If one of them may have another owner, return new arrays."""
        return self._alone() or self.fresh()

    def fresh(self) -> list[jax.Array]:
        """Return new arrays."""
        return [jnp.zeros(aval.shape, aval.dtype.numpy, device=self._place) for aval in self.avals]

    def _alone(self) -> list[Any] | None:
        same = _native.same
        if same is None or not self.avals:
            return None
        tensors = same.alone(self._holders, "_grad", Tensor)
        if tensors is None or not same.attributes(tensors, ("_chain",), self._nones):
            return None
        storages = same.alone(tensors, "_storage", Storage)
        values = storages and same.alone(storages, "value", Value)
        if not values or not same.attributes(values, ("stamp",), self._nones):
            return None
        if not same.attributes(values, ("aval",), [*self.avals]):
            return None
        arrays = same.alone(values, "array", JaxArray)
        return None if arrays is None or has_lent(arrays) else arrays
