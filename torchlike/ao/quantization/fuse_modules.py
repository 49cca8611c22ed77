"""Fusion of modules that a model calls one after another."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from torchlike import nn
from torchlike.ao.quantization.fuser_method_mappings import get_fuser_method
from torchlike.nn.utils.parametrize import type_before_parametrizations


def fuse_known_modules(mod_list: list, is_qat: bool, additional_fuser_method_mapping: dict | None = None) -> list:
    """Return the fused module, and identities for the other modules.

    Args:
      mod_list: the modules, in the order of their calls.
      is_qat: fuse for quantization-aware training.
      additional_fuser_method_mapping: more functions by classes.
    """
    kinds = tuple(type_before_parametrizations(m) for m in mod_list)
    fused = get_fuser_method(kinds, additional_fuser_method_mapping)(is_qat, *mod_list)
    for hook in mod_list[0]._forward_pre_hooks.values():
        fused.register_forward_pre_hook(hook)
    mod_list[0]._forward_pre_hooks.clear()
    for hook in mod_list[-1]._forward_hooks.values():
        fused.register_forward_hook(hook)
    mod_list[-1]._forward_hooks.clear()
    return [fused, *[_identity(mod_list[0].training) for _ in mod_list[1:]]]


def _identity(training: bool) -> Any:
    made = nn.Identity()
    made.training = training
    return made


def _fuse(model: Any, names: list, is_qat: bool, fuser: Callable, config: dict | None) -> None:
    modules = [model.get_submodule(name) for name in names]
    made = fuser(modules, is_qat, (config or {}).get("additional_fuser_method_mapping", {}))
    for name, module in zip(names, made):
        place, _, last = name.rpartition(".")
        setattr(model.get_submodule(place), last, module)


def _fuse_all(model: Any, modules_to_fuse: Any, is_qat: bool, inplace: bool, fuser: Callable, config: Any) -> Any:
    model = model if inplace else copy.deepcopy(model)
    is_one = all(isinstance(name, str) for name in modules_to_fuse)
    for names in [modules_to_fuse] if is_one else modules_to_fuse:
        _fuse(model, names, is_qat, fuser, config)
    return model


def fuse_modules(
    model: Any,
    modules_to_fuse: Any,
    inplace: bool = False,
    fuser_func: Callable = fuse_known_modules,
    fuse_custom_config_dict: dict | None = None,
) -> Any:
    """Return the model with the named modules fused: convolution or linear layer, batch norm, ReLU.

    The first module of each list becomes the fused one, and the others become identities.

    Args:
      model: a model in evaluation mode.
      modules_to_fuse: the names of the modules, or several lists of names.
      inplace: change `model` itself.
      fuser_func: the function that fuses a list of modules.
      fuse_custom_config_dict: `additional_fuser_method_mapping` with more functions by classes.

    Raises:
      AssertionError: the modules cannot be fused.

    >>> import torchlike as torch
    >>> model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.ReLU()).eval()
    >>> type(torch.ao.quantization.fuse_modules(model, ["0", "1", "2"])[0]).__name__
    'ConvReLU2d'
    """
    return _fuse_all(model, modules_to_fuse, False, inplace, fuser_func, fuse_custom_config_dict)


def fuse_modules_qat(
    model: Any,
    modules_to_fuse: Any,
    inplace: bool = False,
    fuser_func: Callable = fuse_known_modules,
    fuse_custom_config_dict: dict | None = None,
) -> Any:
    """Return the model with the named modules fused for quantization-aware training.

    Args:
      model: a model in training mode.
      modules_to_fuse: the names of the modules, or several lists of names.
      inplace: change `model` itself.
      fuser_func: the function that fuses a list of modules.
      fuse_custom_config_dict: `additional_fuser_method_mapping` with more functions by classes.

    Raises:
      AssertionError: the modules cannot be fused.
    """
    return _fuse_all(model, modules_to_fuse, True, inplace, fuser_func, fuse_custom_config_dict)
