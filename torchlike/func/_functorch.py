"""The package ``functorch``: the transforms of `torch.func` under their first names, and functional modules.

`import functorch` imports this module in programs for which `import torch` means torchlike.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torchlike import _errors, func
from torchlike._internal import warn
from torchlike.nn import Module, Parameter
from torchlike.nn.utils.stateless import call_with
from torchlike.version import __version__ as __version__


def _deprecated(function: Callable, instead: str) -> Callable:
    """Return `function` with the warning that functorch gives at each call."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        warn(_errors.func.in_functorch(function.__name__, instead), FutureWarning)
        return function(*args, **kwargs)

    return call


vmap = _deprecated(func.vmap, "torch.vmap")
grad = _deprecated(func.grad, "torch.func.grad")
grad_and_value = _deprecated(func.grad_and_value, "torch.func.grad_and_value")
vjp = _deprecated(func.vjp, "torch.func.vjp")
jvp = _deprecated(func.jvp, "torch.func.jvp")
jacrev = _deprecated(func.jacrev, "torch.func.jacrev")
jacfwd = _deprecated(func.jacfwd, "torch.func.jacfwd")
hessian = _deprecated(func.hessian, "torch.func.hessian")
functionalize = _deprecated(func.functionalize, "torch.func.functionalize")


class FunctionalModule(Module):
    """A module that is called with its parameters. `make_functional` returns it."""

    def __init__(self, stateless_model: Module, param_names: tuple[str, ...]) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names

    def forward(self, params: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        return call_with(self.stateless_model, dict(zip(self.param_names, params)), args, kwargs)


class FunctionalModuleWithBuffers(Module):
    """A module that is called with its parameters and its buffers. `make_functional_with_buffers` returns it."""

    def __init__(self, stateless_model: Module, param_names: tuple[str, ...], buffer_names: tuple[str, ...]) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names
        self.buffer_names = buffer_names

    def forward(self, params: Iterable[Any], buffers: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        given = dict(zip(self.param_names, params)) | dict(zip(self.buffer_names, buffers))
        return call_with(self.stateless_model, given, args, kwargs)


def _parts(model: Module, disable_autograd_tracking: bool) -> tuple[FunctionalModuleWithBuffers, tuple, tuple]:
    """Return a copy of `model` without memory, and copies of its parameters and of its buffers."""
    holder = copy.deepcopy(model)
    params, buffers = dict(holder.named_parameters()), dict(holder.named_buffers())
    if disable_autograd_tracking:
        for param in params.values():
            param.requires_grad_(False)
    function = FunctionalModuleWithBuffers(_without_memory(model), tuple(params), tuple(buffers))
    return function, tuple(params.values()), tuple(buffers.values())


def _without_memory(model: Module) -> Module:
    """Return a copy of `model` whose parameters and buffers have no memory. Shared ones stay shared."""
    copied = copy.deepcopy(model)
    empty = {x: Parameter(x.detach().to("meta"), x.requires_grad) for x in copied.parameters()}
    empty |= {x: x.to("meta") for x in copied.buffers()}
    for module in copied.modules():
        for name, x in [*module._parameters.items(), *module._buffers.items()]:
            if x is not None:
                setattr(module, name, empty[x])
    return copied


def make_functional(model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, tuple]:
    """Return a function and a tuple of parameters: `function(params, *args)` is `model(*args)`.

    Args:
      model: a module without buffers. It is copied.
      disable_autograd_tracking: return parameters that require no gradient.
    """
    warn(_errors.func.in_functorch("make_functional", "torch.func.functional_call"), FutureWarning)
    if next(model.buffers(), None) is not None:
        raise _errors.func.has_buffers()
    function, params, _ = _parts(model, disable_autograd_tracking)
    return FunctionalModule(function.stateless_model, function.param_names), params


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, tuple, tuple]:
    """Return a function, parameters and buffers: `function(params, buffers, *args)` is `model(*args)`."""
    warn(_errors.func.in_functorch("make_functional_with_buffers", "torch.func.functional_call"), FutureWarning)
    return _parts(model, disable_autograd_tracking)


def combine_state_for_ensemble(models: Sequence[Module]) -> tuple[FunctionalModuleWithBuffers, tuple, tuple]:
    """Return a function of one of several models of one class, and their parameters and buffers, stacked.

    `vmap` of the function, over the parameters and the buffers, calls all models.
    """
    from torchlike import stack

    warn(_errors.func.in_functorch("combine_state_for_ensemble", "torch.func.stack_module_state"), FutureWarning)
    if not len(models):
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise _errors.func.models_differ("mode", "combine_state_for_ensemble")
    if len({type(model) for model in models}) > 1:
        raise _errors.func.models_differ("class", "combine_state_for_ensemble")
    functions, params, buffers = zip(*[_parts(model, False) for model in models])
    stacked_params, stacked_buffers = (tuple(stack(same).detach() for same in zip(*each)) for each in (params, buffers))
    return functions[0], stacked_params, stacked_buffers
