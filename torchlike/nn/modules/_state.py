"""Saving and loading of a module's state: `state_dict` and `load_state_dict`."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from torchlike import Tensor, no_grad
from torchlike._internal import warn
from torchlike.nn import _errors
from torchlike.nn.modules._handle import RemovableHandle
from torchlike.nn.modules._hooks import add_hook
from torchlike.nn.parameter import Parameter, is_lazy

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ("missing_keys", "unexpected_keys"))):
    """The result of `load_state_dict`: the missing keys and the unexpected keys of the dictionary."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class _Problems(NamedTuple):
    """What `load_state_dict` collects while it loads."""

    missing: list[str]
    unexpected: list[str]
    messages: list[str]


class _WrappedHook:
    """A picklable wrapper of a state hook. The hook receives the module as first argument only if `with_module`."""

    def __init__(self, hook: Callable, with_module: bool) -> None:
        self.hook, self.with_module = hook, with_module

    def __call__(self, module: Any, *args: Any) -> Any:
        return self.hook(module, *args) if self.with_module else self.hook(*args)


def _load(module: Any, state: Mapping[str, Any], prefix: str, metadata: Any, assign: bool, problems: _Problems) -> None:
    """Load the entries of `state` that begin with `prefix` into a module and its submodules."""
    local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        local_metadata["assign_to_params_buffers"] = True
    module._load_from_state_dict(state, prefix, local_metadata, True, *problems)
    for name, child in module._modules.items():
        if child is not None:
            below = f"{prefix}{name}."
            _load(child, {k: v for k, v in state.items() if k.startswith(below)}, below, metadata, assign, problems)
    incompatible = _IncompatibleKeys(problems.missing, problems.unexpected)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, incompatible) is not None:
            raise _errors.load_state_dict_hook_result()


class State:
    """The part of `Module` that saves and loads its state."""

    _version = 1
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _modules: dict[str, Any]
    _state_dict_hooks: OrderedDict
    _state_dict_pre_hooks: OrderedDict
    _load_state_dict_pre_hooks: OrderedDict
    _load_state_dict_post_hooks: OrderedDict

    # --- saving ---

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Return an ordered dictionary of every parameter and persistent buffer, by dotted name.

        The tensors share memory with those of the module. The extra state of modules that override `get_extra_state` is
        included. The attribute `_metadata` of the result holds the version of each module.

        Args:
          *args: deprecated: `destination`, `prefix` and `keep_vars` by position.
          destination: a dictionary to which the entries are added.
          prefix: is added to every name.
          keep_vars: return the parameters themselves. Otherwise the tensors are detached.

        >>> import torchlike as torch
        >>> list(torch.nn.Linear(2, 3).state_dict())
        ['weight', 'bias']
        """
        if args:
            warn(_errors.state_dict_positional(), FutureWarning)
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return self._run_state_dict_hooks(destination, prefix, local_metadata)

    def _run_state_dict_hooks(self, destination: Any, prefix: str, local_metadata: dict) -> Any:
        for hook in self._state_dict_hooks.values():
            returned = hook(self, destination, prefix, local_metadata)
            if getattr(hook, "_from_public_api", False):
                if returned is not None:
                    raise RuntimeError("state_dict post-hook must return None")
            elif returned is not None:
                destination = returned
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Add the tensors of this module to `destination`, without those of its submodules."""
        for name, tensor in self._own_state().items():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not State.get_extra_state:
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def _own_state(self) -> dict[str, Any]:
        buffers = {n: b for n, b in self._buffers.items() if n not in self._non_persistent_buffers_set}
        return {n: t for n, t in (*self._parameters.items(), *buffers.items()) if t is not None}

    def get_extra_state(self) -> Any:
        """Return extra state for the state dictionary. Override it together with `set_extra_state`."""
        raise _errors.unreachable_extra_state("get")

    def set_extra_state(self, state: Any) -> None:
        """Restore the state that `get_extra_state` returned. Override it together with `get_extra_state`.

        Args:
          state: the state from the dictionary.
        """
        raise _errors.unreachable_extra_state("set")

    # --- loading ---

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Copy the tensors of `state_dict` into this module and its submodules.

        Args:
          state_dict: a mapping of dotted names to tensors. It is not changed.
          strict: raise an error for a missing or unexpected key.
          assign: put the tensors of the dictionary in place of those of the module, instead of copying.

        Returns:
          The named tuple (missing_keys, unexpected_keys).

        Raises:
          TypeError: `state_dict` is not a mapping.
          RuntimeError: a tensor cannot be loaded, for example because its shape differs, or, with `strict`, a key is
            missing or unexpected. The message lists every such key and tensor.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        problems = _Problems([], [], [])
        missing, unexpected, messages = problems
        metadata = getattr(state_dict, "_metadata", None)
        state: Any = OrderedDict(state_dict)
        if metadata is not None:
            state._metadata = metadata
        _load(self, state, "", metadata, assign, problems)
        if strict and unexpected:
            messages.insert(0, _errors.unexpected_keys(unexpected))
        if strict and missing:
            messages.insert(0, _errors.missing_keys(missing))
        if messages:
            raise RuntimeError(
                "Error(s) in loading state_dict for {}:\n\t{}".format(type(self).__name__, "\n\t".join(messages))
            )
        return _IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ) -> None:
        """Load the tensors of this module without its submodules, and append problems to the last three arguments."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = self._own_state()
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, mine in own.items():
            key = prefix + name
            if key in state_dict:
                message = self._load_one(name, key, mine, state_dict[key], assign)
                error_msgs.extend([message] if message else [])
            elif strict:
                missing_keys.append(key)
        self._load_extra_state(state_dict, prefix + _EXTRA_STATE_KEY_SUFFIX, strict, missing_keys, unexpected_keys)
        if strict:
            unexpected_keys.extend(k for k in state_dict if self._is_unexpected(k, prefix, own))

    def _load_one(self, name: str, key: str, mine: Any, theirs: Any, assign: bool) -> str | None:
        """Copy or assign one tensor. Return an error message, or None on success."""
        if not isinstance(theirs, Tensor):
            return _errors.loaded_value_is_no_tensor(key, type(theirs))
        if is_lazy(theirs) and is_lazy(mine):
            return None
        if len(mine.shape) == 0 and len(theirs.shape) == 1 and len(theirs) == 1:
            theirs = theirs[0]  # old checkpoints hold scalars with shape (1,)
        if theirs.shape != mine.shape:
            return _errors.loaded_size_mismatch(key, theirs.shape, mine.shape)
        if mine.device.type == "meta" and theirs.device.type != "meta" and not assign:
            warn(_errors.loading_into_meta(key))
        try:
            with no_grad():
                if assign:
                    setattr(self, name, _as_kind_of(mine, theirs))
                else:
                    mine.copy_(theirs)
        except Exception as error:
            return _errors.loading_failed(key, mine.shape, theirs.shape, error)
        return None

    def _load_extra_state(self, state_dict, key, strict, missing_keys, unexpected_keys) -> None:
        if type(self).set_extra_state is not State.set_extra_state:
            if key in state_dict:
                self.set_extra_state(state_dict[key])
            elif strict:
                missing_keys.append(key)
        elif strict and key in state_dict:
            unexpected_keys.append(key)

    def _is_unexpected(self, key: str, prefix: str, own: dict[str, Any]) -> bool:
        if not key.startswith(prefix) or key == prefix + _EXTRA_STATE_KEY_SUFFIX:
            return False
        first, dot, _ = key[len(prefix) :].partition(".")
        return first not in (self._modules if dot else own)

    # --- hooks ---

    def register_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Run `hook(module, prefix, keep_vars)` before `state_dict` collects this module's tensors.

        Args:
          hook: the function.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Run `hook(module, state_dict, prefix, local_metadata)` after `state_dict` has collected this module.

        The hook may modify the dictionary in place and must return None.

        Args:
          hook: the function.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        marked: Any = hook
        marked._from_public_api = True
        return add_hook(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable) -> RemovableHandle:
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                f"Cannot register the same function as the state dict post hook that was previously registered via "
                f"register_state_dict_post_hook: {hook}"
            )
        return add_hook(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Run the hook before `load_state_dict` loads this module.

        The hook is `hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors)`.

        Args:
          hook: the function.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook: Callable, with_module: bool = False) -> RemovableHandle:
        return add_hook(self._load_state_dict_pre_hooks, _WrappedHook(hook, with_module))

    def register_load_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Run `hook(module, incompatible_keys)` after loading. The hook may modify the two lists of keys.

        Args:
          hook: the function.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        return add_hook(self._load_state_dict_post_hooks, hook)


def _as_kind_of(mine: Any, theirs: Any) -> Any:
    """Return the loaded tensor `theirs` as a replacement for `mine`: a parameter if `mine` is a parameter."""
    if not isinstance(mine, Parameter):
        return theirs
    if not isinstance(theirs, Parameter):
        return Parameter(theirs, requires_grad=mine.requires_grad)
    return theirs._require_grad(mine.requires_grad)
