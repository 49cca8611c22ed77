"""`replicate`, which copies a module to several accelerators."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, TypeVar

from torchlike import Tensor
from torchlike._internal import _get_device_index
from torchlike.nn.modules.module import Module
from torchlike.nn.parallel import comm
from torchlike.nn.parallel._functions import Broadcast, _like

__all__ = ["replicate"]

T = TypeVar("T", bound=Module)


def replicate(network: T, devices: Sequence[Any], detach: bool = False) -> list[T]:
    """Return copies of a module on accelerators.

    The parameters of a copy are results of the original parameters, which receive the gradients. Buffers are copied.

    Args:
      network: the module, on an accelerator.
      devices: the accelerators, one for each copy.
      detach: whether gradients do not flow to the original parameters.

    >>> import torchlike as torch
    >>> torch.nn.parallel.replicate(torch.nn.Linear(2, 2), [])
    []
    """
    places = [_get_device_index(device, True) for device in devices]
    if not places:
        return []
    values = {tensor: tensor for tensor in [*network.parameters(), *network.buffers()]}
    recorded = [tensor for tensor in values if not detach and (tensor.requires_grad or _is_parameter(network, tensor))]
    copies = _copies(recorded, [tensor for tensor in values if tensor not in {*recorded}], places)
    return [_replica(network, found) for found in copies]


def _is_parameter(network: Module, tensor: Tensor) -> bool:
    return any(tensor is each for each in network.parameters())


def _copies(recorded: list[Tensor], plain: list[Tensor], places: list[Any]) -> list[dict[Tensor, Tensor]]:
    """Return for each accelerator the copies of the tensors. Autograd records the copies of `recorded`."""
    made: Any = Broadcast.apply(places, *recorded) if recorded else ()
    found = [dict(zip(recorded, made[i * len(recorded) :])) for i in range(len(places))]
    for copies, parts in zip(found, comm.broadcast_coalesced(plain, places) if plain else ()):
        copies.update((each, _like(part, each.is_complex())) for each, part in zip(plain, parts))
    return found


def _replica(network: T, copies: dict[Tensor, Tensor]) -> T:
    """Return a copy of a module that holds the given copies of its tensors."""
    made: dict[Module, Any] = {module: module._replicate_for_data_parallel() for module in network.modules()}
    for module, replica in made.items():
        replica._former_parameters = OrderedDict()
        for name, child in module._modules.items():
            replica._modules[name] = None if child is None else made[child]
        for name, param in module._parameters.items():
            if param is None:
                replica._parameters[name] = None
            else:  # not a leaf, so not a parameter of the copy
                object.__setattr__(replica, name, copies[param])
                replica._former_parameters[name] = copies[param]
        for name, buffer in module._buffers.items():
            replica._buffers[name] = None if buffer is None else copies[buffer]
    return made[network]
