"""Functional calls of modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike import _errors
from torchlike.nn import Module
from torchlike.nn.utils.stateless import call_with


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call `module` with the given parameters and buffers in place of its own. The module itself is not changed.

    Args:
      module: any module.
      parameter_and_buffer_dicts: a dict, or a sequence of dicts, of tensors by dotted name. The module's own tensors
        are used for missing names.
      args: a tuple of arguments, or a single argument that is not a tuple.
      kwargs: the keyword arguments.
      tie_weights: if a parameter has several names, a tensor given for one name replaces it under all names.
      strict: raise an error if names are missing or unexpected.

    >>> import torchlike as torch
    >>> layer = torch.nn.Linear(2, 1, bias=False)
    >>> torch.func.functional_call(layer, {"weight": torch.ones(1, 2)}, torch.tensor([1.0, 2.0]))
    tensor([3.])
    """
    if not isinstance(parameter_and_buffer_dicts, dict | list | tuple):
        raise _errors.func.dicts_kind(parameter_and_buffer_dicts)
    return call_with(module, parameter_and_buffer_dicts, args, kwargs, tie_weights=tie_weights, strict=strict)


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return dicts of the parameters and of the buffers of several models of one class.

    The tensors of each name are stacked along a new first dim.

    Args:
      models: the modules. They are all in training mode or all in eval mode.
    """
    from torchlike import stack

    if not len(models):
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise _errors.func.models_differ("mode")
    if not all(type(m) is type(models[0]) for m in models):
        raise _errors.func.models_differ("class")
    params = [dict(m.named_parameters()) for m in models]
    buffers = [dict(m.named_buffers()) for m in models]
    stacked = {name: stack([p[name] for p in params]).detach() for name in params[0]}
    for name, tensor in stacked.items():
        tensor._require_grad(params[0][name].requires_grad)
    return stacked, {name: stack([b[name] for b in buffers]) for name in buffers[0]}


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Make all batch norm modules in `root` (including itself) use batch statistics only. Return `root`.

    Args:
      root: a module.
    """
    from torchlike.nn.modules.batchnorm import _BatchNorm

    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def functionalize(func: Any, *, remove: str = "mutations") -> Any:
    """Raise an error: PyTorch's `functionalize` rewrites functions for its tracers, which torchlike does not have.

    Args:
      func, remove: not used.
    """
    raise NotImplementedError(
        "torch.func.functionalize rewrites functions for PyTorch's tracers, which torchlike "
        "does not have; call the function itself"
    )
