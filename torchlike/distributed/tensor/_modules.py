"""`distribute_module`: a module with distributed parameters, inputs and outputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torchlike.nn as nn
from torchlike._internal import warn
from torchlike.distributed.device_mesh import DeviceMesh, current_mesh
from torchlike.distributed.tensor._api import DTensor
from torchlike.distributed.tensor._making import distribute_tensor
from torchlike.distributed.tensor.placement_types import Replicate


def distribute_module(
    module: nn.Module,
    device_mesh: DeviceMesh | None = None,
    partition_fn: Callable[[str, nn.Module, DeviceMesh], None] | None = None,
    input_fn: Callable[..., Any] | None = None,
    output_fn: Callable[..., Any] | None = None,
) -> nn.Module:
    """Turn the parameters and buffers of a module into `DTensor`s, and return the module.

    Args:
      module: the module. It is changed in place.
      device_mesh: the mesh. By default, the mesh of the enclosing `with` statement.
      partition_fn: a function of a name, a submodule and the mesh. It is called for each submodule, and may replace its
        parameters. Parameters and buffers that are still plain tensors are replicated.
      input_fn: a function of the module, its inputs and the mesh. It returns the inputs of `forward`.
      output_fn: a function of the module, its output and the mesh. It returns the output.

    Raises:
      RuntimeError: the module has been distributed before.
      ValueError: `input_fn` or `output_fn` has another number of arguments.

    >>> import torchlike as torch
    >>> from torchlike.distributed.tensor import distribute_module
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> mesh = torch.distributed.init_device_mesh("cpu", (1,))
    >>> distribute_module(torch.nn.Linear(2, 1), mesh).weight.placements
    (Replicate(),)
    >>> torch.distributed.destroy_process_group()
    """
    if getattr(module, "_distribute_module_applied", False):
        raise RuntimeError(
            "distribute_module should only be called once on a module, but it has already been called on this module!"
        )
    mesh = device_mesh or current_mesh()
    for name, each in list(module.named_modules()):
        if partition_fn is not None:
            partition_fn(name, each, mesh)
        _replicate(each, mesh)
    if input_fn is not None:
        with_module = _takes_module(input_fn, "input_fn", "inputs")
        module.register_forward_pre_hook(
            lambda mod, inputs: input_fn(mod, inputs, mesh) if with_module else input_fn(inputs, mesh)
        )
    if output_fn is not None:
        of_module = _takes_module(output_fn, "output_fn", "outputs")
        module.register_forward_hook(
            lambda mod, _, outputs: output_fn(mod, outputs, mesh) if of_module else output_fn(outputs, mesh)
        )
    module._distribute_module_applied = True
    return module


def _takes_module(function: Callable, name: str, what: str) -> bool:
    count = len(inspect.signature(function).parameters)
    if count == 2:
        warn(
            f"Deprecating {name} that takes two arguments ({what}, device_mesh), "
            f"please use {name} that takes in (module, {what}, device_mesh) instead!",
            FutureWarning,
        )
    elif count != 3:
        raise ValueError(f"{name} should take in 3 arguments, but got {count} arguments!")
    return count == 3


def _replicate(module: nn.Module, mesh: DeviceMesh) -> None:
    """Replicate the parameters and buffers of a module that are plain tensors."""
    whole = [Replicate()] * mesh.ndim
    for name, param in list(module._parameters.items()):
        if param is not None and not isinstance(param, DTensor):
            made = distribute_tensor(param.data, mesh, whole)
            module.register_parameter(name, nn.Parameter(made, requires_grad=param.requires_grad))
    for name, buffer in list(module._buffers.items()):
        if buffer is not None and not isinstance(buffer, DTensor):
            module._buffers[name] = distribute_tensor(buffer, mesh, whole)
