"""`Optimizer`, the base class of optimizers: parameter groups, state, hooks and state dictionaries."""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable
from copy import deepcopy
from itertools import chain
from operator import is_
from typing import Any, TypeAlias

import torchlike
from torchlike import Tensor
from torchlike._internal import _engine, _native, clear_gradient, current, warn
from torchlike.optim import _errors
from torchlike.utils.hooks import RemovableHandle

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
StateDict: TypeAlias = dict[str, Any]


class _RequiredParameter:
    """The type of `required`, the default of an option that every parameter group must set."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()

_every_step_pre: OrderedDict[int, Callable] = OrderedDict()
_every_step_post: OrderedDict[int, Callable] = OrderedDict()

# The attributes that hold the hooks of one optimizer, under PyTorch's names.
_HOOKS = tuple(
    f"_optimizer_{name}"
    for name in (
        "step_pre_hooks",
        "step_post_hooks",
        "state_dict_pre_hooks",
        "state_dict_post_hooks",
        "load_state_dict_pre_hooks",
        "load_state_dict_post_hooks",
    )
)


def _keep(hooks: OrderedDict[int, Callable], hook: Callable, prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before every step of every optimizer."""
    return _keep(_every_step_pre, hook)


def register_optimizer_step_post_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after every step of every optimizer."""
    return _keep(_every_step_post, hook)


def _get_value(x: Any) -> Any:
    """Return the number of a tensor of one element, or anything else itself."""
    return x.item() if isinstance(x, Tensor) else x


def _use_grad_for_differentiable(func: Callable) -> Callable:
    """Decorate the `step` of an optimizer so that autograd records it only if the option `differentiable` is set."""

    @functools.wraps(func)
    def step(*args: Any, **kwargs: Any) -> Any:
        with torchlike.set_grad_enabled(args[0].defaults["differentiable"]):
            return func(*args, **kwargs)

    return step


def _default_to_fused_or_foreach(
    params: list[Tensor], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Return PyTorch's defaults of `fused` and `foreach` for the given parameters."""
    from torchlike.utils._foreach_utils import (
        _get_foreach_kernels_supported_devices,
        _get_fused_kernels_supported_devices,
    )

    def everywhere(kinds: list[str]) -> bool:
        return not differentiable and all(p is None or p.device.type in kinds for p in params)

    inexact = all(p is None or p.is_floating_point() for p in params)
    fused = use_fused and inexact and everywhere(_get_fused_kernels_supported_devices())
    return fused, not fused and everywhere(_get_foreach_kernels_supported_devices())


def _hooked(step: Callable) -> Callable:
    """Return a wrapper that runs `step` and its hooks. The wrapper flushes the pending traces after the step."""

    @functools.wraps(step)
    def hooked_step(*args: Any, **kwargs: Any) -> Any:
        self = args[0]
        for hook in chain(_every_step_pre.values(), self._optimizer_step_pre_hooks.values()):
            result = hook(self, args, kwargs)
            if result is not None:
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError(
                        f"{hooked_step} must return None or a tuple of (new_args, new_kwargs), but got {result}."
                    )
                args, kwargs = result
        out = step(*args, **kwargs)
        _engine.boundary()
        for hook in chain(self._optimizer_step_post_hooks.values(), _every_step_post.values()):
            hook(self, args, kwargs)
        return out

    made: Any = hooked_step
    made.hooked = True
    return made


_HOOKED = _hooked(_hooked).__code__


def step_of(optimizer: Optimizer) -> Callable | None:
    """Return the function `step` of an optimizer's class, or None if user code replaced or hooked it."""
    own, of_class = vars(optimizer).get("step"), type(optimizer).step
    hooks = [_every_step_pre, _every_step_post, *[getattr(optimizer, name) for name in _HOOKS[:2]]]
    if any(hooks) or (own is not None and own is not getattr(optimizer, "_noted_step", None)):
        return None
    return of_class.__wrapped__ if of_class.__code__ is _HOOKED else None  # type: ignore[attr-defined]


class _Groups:
    """A guard that passes if an optimizer has the same groups and the same parameters as during the capture."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self._seen = [tuple(each) for each in self._lists()]

    def _lists(self) -> list[Any]:
        groups = self.optimizer.param_groups
        return [[*groups], *[[*group["params"]] for group in groups]]

    def __call__(self) -> bool:
        lists = self._lists()
        if len(lists) != len(self._seen):
            return False
        if _native.same is not None:
            return _native.same.hold(lists, self._seen)
        return all([len(a) == len(b) and all(map(is_, a, b)) for a, b in zip(lists, self._seen)])


class Optimizer:
    """The base class of all optimizers. It holds groups of parameters, each with its options, and their state.

    Args:
      params: an iterable of the tensors to optimize, of `(name, tensor)` pairs, or of dictionaries with an entry
        `params` and options of the group.
      defaults: the default options of the groups.

    A subclass reads `self.param_groups`, stores its state in `self.state[param]` and overrides `step`.

    Raises:
      TypeError: `params` is a tensor, or contains something other than tensors.
      ValueError: there are no parameters, a tensor is not a leaf, or a parameter is in two groups.

    >>> import torchlike as torch
    >>> class Descent(torch.optim.Optimizer):
    ...     def step(self):
    ...         with torch.no_grad():
    ...             for group in self.param_groups:
    ...                 for p in group["params"]:
    ...                     p -= group["lr"] * p.grad
    >>> p = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = Descent([p], {"lr": 0.5})
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.tolist()
    [0.5]
    """

    _optimizer_step_pre_hooks: OrderedDict
    _optimizer_step_post_hooks: OrderedDict
    _optimizer_state_dict_pre_hooks: OrderedDict
    _optimizer_state_dict_post_hooks: OrderedDict
    _optimizer_load_state_dict_pre_hooks: OrderedDict
    _optimizer_load_state_dict_post_hooks: OrderedDict

    profile_hook_step = staticmethod(_hooked)
    _zero_grad_profile_name = property(lambda self: f"Optimizer.zero_grad#{type(self).__name__}.zero_grad")

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._set_up()
        if isinstance(params, Tensor):
            raise _errors.params_is_a_tensor(params.type())
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _set_up(self) -> None:
        """Create the parts that are not pickled: empty hook dictionaries and the wrapper of `step`."""
        for name in _HOOKS:
            if name not in self.__dict__:
                setattr(self, name, OrderedDict())
        self._patch_step_function()

    def _patch_step_function(self) -> None:
        """Wrap `step` once per class, so that it calls the hooks. Optimizers with their own `__init__` call this."""
        cls = type(self)
        if not getattr(cls.step, "hooked", False):
            cls.step = _hooked(cls.step)
            cls.step.__qualname__ = f"{cls.__qualname__}.step"  # for error messages, also if `step` is inherited

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._set_up()

    def __repr__(self) -> str:
        groups = []
        for i, group in enumerate(self.param_groups):
            options = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            groups.append(f"Parameter Group {i}\n{''.join(options)}")
        return f"{type(self).__name__} (\n" + "\n".join(groups) + ")"

    # --- parameter groups ---------------------------------------------------------------------------------------------

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters.

        Args:
          param_group: a dictionary with `params` and any options that differ from the defaults.

        Raises:
          TypeError: the group is not a dictionary, the parameters are in a set, or one of them is not a tensor.
          ValueError: a tensor is not a leaf, a parameter is in another group, or only some groups have names.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        param_group["params"] = list(params)
        _split_names(param_group)
        self._check_group(param_group)
        self.param_groups.append(param_group)

    def _check_group(self, group: dict[str, Any]) -> None:
        params = group["params"]
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(param).__name__}")
            if not (self.defaults.get("differentiable") or param.is_leaf or param.retains_grad):
                raise _errors.not_a_leaf(param)
        for name, default in self.defaults.items():
            if default is required and name not in group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            group.setdefault(name, default)
        if len(params) != len(set(params)):
            warn(_errors.duplicate_parameters_warning())
        self._check_against_others(group)

    def _check_against_others(self, group: dict[str, Any]) -> None:
        if self.param_groups:
            named = "param_names" in group
            if named != ("param_names" in self.param_groups[0]):
                raise _errors.names_in_some_groups("with" if named else "without")
        others = {param for other in self.param_groups for param in other["params"]}
        if not others.isdisjoint(group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")

    def _followed(self) -> list:
        """Return the tensors and hooks that a captured call reaches through this optimizer.

        Scalars of a step, such as the learning rate, are not included. They are inputs of the program and are computed
        again at each call.
        """
        kept = vars(self).get("_state") or self.__dict__.get("state", {})  # reading `state` has a side effect
        params = [param for group in self.param_groups for param in group["params"]]
        hooks = [getattr(self, name) for name in _HOOKS] + [_every_step_pre, _every_step_post]
        return [tuple(params), *[x for state in kept.values() for x in state.values() if isinstance(x, Tensor)], *hooks]

    def _check_scheduled(self) -> None:
        """Raise an error if a scheduler cannot change the learning rate."""

    # --- the step -----------------------------------------------------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once.

        Args:
          closure: a function that recomputes the loss, with gradients, and returns it.

        Returns:
          The result of the closure, or None.
        """
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to zeros if `set_to_none` is false.

        Args:
          set_to_none: whether the gradients become None.
        """
        self._hold_groups()
        for group in self.param_groups:
            for param in group["params"]:
                clear_gradient(param, set_to_none)

    def _hold_groups(self) -> None:
        """Add a guard to the current capture, if any: the groups must have the same parameters at replay."""
        capture = current().capture
        if capture is None or any(isinstance(hold, _Groups) and hold.optimizer is self for hold in capture.guards):
            return
        capture.guards.append(_Groups(self))

    # --- hooks --------------------------------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step. It may return new `(args, kwargs)`.

        Args:
          hook: the function.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        return _keep(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step.

        Args:
          hook: the function.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        return _keep(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` before `state_dict` creates the dictionary.

        Args:
          hook: the function.
          prepend: run it before the hooks that are registered already.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        return _keep(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` after `state_dict` has created it. It may return another dictionary.

        Args:
          hook: the function.
          prepend: run it before the hooks that are registered already.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        return _keep(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before a state dictionary is loaded. It may return another dictionary.

        Args:
          hook: the function.
          prepend: run it before the hooks that are registered already.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        return _keep(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` after a state dictionary is loaded.

        Args:
          hook: the function.
          prepend: run it before the hooks that are registered already.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        return _keep(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # --- dictionaries -------------------------------------------------------------------------------------------------

    def state_dict(self) -> StateDict:
        """Return the state and options as a dictionary in PyTorch's format. Parameters are numbered in group order.

        The dictionary contains the optimizer's tensors without copying them, as in PyTorch.
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        number: dict[Tensor, int] = {}
        groups, start = [], 0
        for group in self.param_groups:
            number.update((param, i) for i, param in enumerate(group["params"], start))  # the last of duplicates counts
            start += len(group["params"])
            packed = {key: value for key, value in group.items() if key != "params"}
            groups.append({**packed, "params": [number[param] for param in group["params"]]})
        missing = [key for key in self.state if isinstance(key, Tensor) and key not in number]
        if missing:
            raise KeyError(id(missing[0]))  # PyTorch looks parameters up by their identity
        state = {number[key] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        made: StateDict = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            replaced = hook(self, made)
            made = made if replaced is None else replaced
        return made

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Load state and options that `state_dict` returned. State is cast to the parameter's dtype and device.

        Args:
          state_dict: the dictionary. It is not changed.

        Raises:
          ValueError: the number of groups, or of parameters in a group, differs.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            replaced = hook(self, state_dict)
            state_dict = state_dict if replaced is None else replaced
        saved_groups = deepcopy(state_dict["param_groups"])
        params = _matched(self.param_groups, saved_groups)
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            state[params.get(key, key)] = self._loaded(params[key], value) if key in params else value
        groups = [_with_params(new, old) for old, new in zip(self.param_groups, saved_groups)]
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def _loaded(self, param: Tensor, value: Any) -> Any:
        """Return a loaded entry of the state, cast to the parameter's dtype and device."""
        return _cast(param, value)


def _split_names(group: dict[str, Any]) -> None:
    """Split `(name, tensor)` pairs of a group into `params` and `param_names`."""
    named = [isinstance(item, tuple) for item in group["params"]]
    if not any(named):
        return
    if not all(named):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    group["param_names"] = [item[0] for item in group["params"]]
    group["params"] = [item[1] for item in group["params"]]


def _matched(groups: list[dict], saved: list[dict]) -> dict[Hashable, Tensor]:
    """Return the parameter for each number in a saved dictionary."""
    if len(groups) != len(saved):
        raise ValueError("loaded state dict has a different number of parameter groups")
    if any(len(old["params"]) != len(new["params"]) for old, new in zip(groups, saved)):
        raise ValueError(
            "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
        )
    numbers = chain.from_iterable(group["params"] for group in saved)
    return dict(zip(numbers, chain.from_iterable(group["params"] for group in groups)))


def _with_params(new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    if "param_names" in old:
        new.setdefault("param_names", old["param_names"])
    new["params"] = old["params"]
    return new


def _cast(param: Tensor, value: Any, key: Hashable = None) -> Any:
    """Move the tensors in `value` to the device of the parameter, and to its dtype if that is floating-point.

    Entries named `step` are returned unchanged.
    """
    if isinstance(value, Tensor):
        if key == "step":
            return value
        return value.to(dtype=param.dtype, device=param.device) if param.is_floating_point() else value.to(param.device)
    if isinstance(value, dict):
        return {k: _cast(param, v, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        kind: Any = type(value)
        return kind(_cast(param, v) for v in value)
    return value


def scalar_dtype() -> torchlike.dtype:
    """Return the dtype of counters: float64 if that is the default dtype, and float32 otherwise."""
    return torchlike.float64 if torchlike.get_default_dtype() is torchlike.float64 else torchlike.float32


def scalar_tensor(value: float, dtype: torchlike.dtype | None = None) -> Tensor:
    """Return a counter in PyTorch's form: a 0-d tensor on the CPU."""
    return torchlike.tensor(value, dtype=dtype or scalar_dtype(), device="cpu")
