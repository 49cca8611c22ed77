"""Wrappers that add activation checkpointing to existing modules."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from torchlike._internal import _errors
from torchlike.distributed.fsdp.wrap import _Policy, apply_policy, lambda_auto_wrap_policy
from torchlike.nn import Module, Parameter
from torchlike.utils.checkpoint import checkpoint

_CHECKPOINT_WRAPPED_MODULE = "_checkpoint_wrapped_module"
_CHECKPOINT_PREFIX = _CHECKPOINT_WRAPPED_MODULE + "."


class CheckpointImpl(enum.Enum):
    """The two implementations of `torch.utils.checkpoint`."""

    REENTRANT = enum.auto()
    NO_REENTRANT = enum.auto()


class ActivationWrapper(Module):
    """The base class of module wrappers. Attributes that a wrapper lacks are looked up in the wrapped module.

    The names of parameters, also in the state dict, are those of the wrapped module.
    """

    def __init__(self, module: Module) -> None:
        super().__init__()
        self._checkpoint_wrapped_module = module
        self._register_state_dict_hook(_without_prefix)
        self._register_load_state_dict_pre_hook(_with_prefix)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__(_CHECKPOINT_WRAPPED_MODULE), name)

    def __getitem__(self, key: Any) -> Any:
        inside: Any = self._checkpoint_wrapped_module
        return inside[key]

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Parameter]]:
        """Yield the parameters with their names in the wrapped module."""
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.replace(f"{_CHECKPOINT_WRAPPED_MODULE}.", ""), parameter


def _without_prefix(module: Module, state: dict, prefix: str, metadata: Any) -> dict:
    for key in [key for key in state if key.startswith(f"{prefix}{_CHECKPOINT_WRAPPED_MODULE}.")]:
        state[prefix + key.removeprefix(f"{prefix}{_CHECKPOINT_WRAPPED_MODULE}.")] = state.pop(key)
    return state


def _with_prefix(state: dict, prefix: str, *_: Any) -> None:
    for key in [
        key for key in state if key.startswith(prefix) and not key.startswith(f"{prefix}{_CHECKPOINT_WRAPPED_MODULE}.")
    ]:
        state[f"{prefix}{_CHECKPOINT_WRAPPED_MODULE}.{key.removeprefix(prefix)}"] = state.pop(key)


class CheckpointWrapper(ActivationWrapper):
    """A module that saves only its inputs, and recomputes its activations in the backward pass."""

    def __init__(
        self,
        mod: Module,
        checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
        checkpoint_fn: Callable[..., Any] | None = None,
        **checkpoint_fn_kwargs: Any,
    ) -> None:
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        is_old = checkpoint_impl is CheckpointImpl.REENTRANT
        self.checkpoint_fn = (
            partial(checkpoint, use_reentrant=is_old, **checkpoint_fn_kwargs)
            if checkpoint_fn is None
            else partial(checkpoint_fn, **checkpoint_fn_kwargs)
        )

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if self.checkpoint_impl is CheckpointImpl.REENTRANT and kwargs:
            names = tuple(kwargs)

            def positional(*given: Any) -> Any:
                count = len(given) - len(names)
                return self._checkpoint_wrapped_module(*given[:count], **dict(zip(names, given[count:])))

            return self.checkpoint_fn(positional, *args, *kwargs.values())
        return self.checkpoint_fn(self._checkpoint_wrapped_module, *args, **kwargs)


def checkpoint_wrapper(
    module: Module,
    checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
    checkpoint_fn: Callable[..., Any] | None = None,
    **checkpoint_fn_kwargs: Any,
) -> Module:
    """Wrap `module` with activation checkpointing. `checkpoint_fn` replaces `torch.utils.checkpoint.checkpoint`."""
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def offload_wrapper(module: Module) -> Module:
    """Raise an error: offloading of activations is not supported."""
    raise _errors.arguments.cannot(
        "distributed.algorithms._checkpoint.checkpoint_wrapper.offload_wrapper",
        "use checkpoint_wrapper, which stores no activations",
    )


def apply_activation_checkpointing(
    model: Module,
    checkpoint_wrapper_fn: Callable[[Module], Module] = checkpoint_wrapper,
    check_fn: Callable[[Module], bool] = lambda _: True,
    auto_wrap_policy: Any = None,
) -> None:
    """Wrap submodules of `model`, inner modules first. `model` itself is not wrapped.

    Args:
      model: the module.
      checkpoint_wrapper_fn: the function that wraps a module.
      check_fn: returns whether a submodule is wrapped.
      auto_wrap_policy: a policy of `distributed.fsdp.wrap` that chooses the submodules instead of `check_fn`.
    """
    if auto_wrap_policy is None:
        auto_wrap_policy = partial(lambda_auto_wrap_policy, lambda_fn=check_fn)
    if not callable(auto_wrap_policy) and not isinstance(auto_wrap_policy, _Policy):
        raise ValueError(f"Expected {auto_wrap_policy} to be callable or be a pre-defined wrap policy")
    apply_policy(model, auto_wrap_policy, checkpoint_wrapper_fn, {}, (set(), set()))
