"""Policies that choose the submodules that `FullyShardedDataParallel` wraps, and `wrap`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torchlike.nn import Module, ModuleDict, ModuleList, MultiheadAttention, Parameter

__all__ = [
    "CustomPolicy",
    "ModuleWrapPolicy",
    "always_wrap_policy",
    "enable_wrap",
    "lambda_auto_wrap_policy",
    "size_based_auto_wrap_policy",
    "transformer_auto_wrap_policy",
    "wrap",
]

Chosen = dict[Module, dict[str, Any]]  # the modules to wrap, with the arguments of the wrapper


def always_wrap_policy(*args: Any, **kwargs: Any) -> bool:
    """Wrap every module."""
    return True


class _Policy(ABC):
    """The base class of policies that choose modules at once."""

    @abstractmethod
    def _run_policy(self, root_module: Module, ignored_modules: set[Module], root_kwargs: dict[str, Any]) -> Chosen:
        """Return the modules to wrap, with the arguments of the wrapper."""


class ModuleWrapPolicy(_Policy):
    """Wrap the instances of the given classes."""

    def __init__(self, module_classes: Iterable[type[Module]]) -> None:
        self._module_classes = set(module_classes)
        self._module_classes_str = str(self._module_classes)

    def _run_policy(self, root_module: Module, ignored_modules: set[Module], root_kwargs: dict[str, Any]) -> Chosen:
        classes = tuple(self._module_classes)
        modules = (m for m in root_module.modules() if m not in ignored_modules and isinstance(m, classes))
        return {module: dict(root_kwargs) for module in modules}

    def __call__(self, module: Module, recurse: bool, *args: Any, **kwargs: Any) -> bool:
        return _module_wrap_policy(module, recurse, nonwrapped_numel=-1, module_classes=self._module_classes)

    def __repr__(self) -> str:
        return f"{super().__repr__()}({self._module_classes_str})"


class CustomPolicy(_Policy):
    """Wrap the modules for which a function returns True, or a dict with arguments of the wrapper."""

    def __init__(self, lambda_fn: Callable[[Module], bool | dict[str, Any]]) -> None:
        self._lambda_fn = lambda_fn

    def _run_policy(self, root_module: Module, ignored_modules: set[Module], root_kwargs: dict[str, Any]) -> Chosen:
        chosen: Chosen = {}
        for module in root_module.modules():
            if module in ignored_modules:
                continue
            answer = self._lambda_fn(module)
            if not isinstance(answer, dict | bool):
                raise ValueError(
                    "The lambda_fn passed to CustomPolicy should return False/True or a kwarg dict, "
                    f"but it returned {answer}"
                )
            if answer is not False:
                chosen[module] = {**root_kwargs, **(answer if isinstance(answer, dict) else {})}
        return chosen


def lambda_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable[[Module], bool]
) -> bool:
    """Wrap the modules for which `lambda_fn` returns True."""
    return True if recurse else lambda_fn(module)


def _module_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, module_classes: set[type[Module]]
) -> bool:
    """Wrap the instances of the given classes."""
    return True if recurse else isinstance(module, tuple(module_classes))


def transformer_auto_wrap_policy(
    module: Module, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: set[type[Module]]
) -> bool:
    """Wrap the instances of the classes of a transformer's layers."""
    return _module_wrap_policy(module, recurse, nonwrapped_numel, transformer_layer_cls)


def _or_policy(module: Module, recurse: bool, nonwrapped_numel: int, policies: Sequence[Callable[..., bool]]) -> bool:
    """Wrap the modules that one of several policies wraps."""
    return any(policy(module=module, recurse=recurse, nonwrapped_numel=nonwrapped_numel) for policy in policies)


def size_based_auto_wrap_policy(
    module: Module,
    recurse: bool,
    nonwrapped_numel: int,
    min_num_params: int = int(1e8),
    force_leaf_modules: set[type[Module]] | None = None,
    exclude_wrap_modules: set[type[Module]] | None = None,
) -> bool:
    """Wrap modules whose parameters, without those of wrapped submodules, have at least `min_num_params` elements.

    Args:
      module: the module.
      recurse: True asks whether to visit the submodules, and False whether to wrap the module.
      nonwrapped_numel: the number of elements of parameters that are not wrapped yet.
      min_num_params: the smallest number of elements.
      force_leaf_modules: classes whose submodules are not wrapped. The default is `MultiheadAttention`.
      exclude_wrap_modules: classes that are not wrapped. The default is `ModuleList` and `ModuleDict`.
    """
    leaves = _LEAVES if force_leaf_modules is None else force_leaf_modules
    excluded = _EXCLUDED if exclude_wrap_modules is None else exclude_wrap_modules
    return nonwrapped_numel >= min_num_params and not isinstance(module, tuple(leaves if recurse else excluded))


_LEAVES: set[type[Module]] = {MultiheadAttention}
_EXCLUDED: set[type[Module]] = {ModuleList, ModuleDict}
size_based_auto_wrap_policy.EXCLUDE_WRAP_MODULES = _EXCLUDED  # type: ignore[attr-defined]
size_based_auto_wrap_policy.FORCE_LEAF_MODULES = _LEAVES  # type: ignore[attr-defined]


# -- wrapping ----------------------------------------------------------------------------------------------------------


class _Enabled:
    """The wrapper of the enclosing `enable_wrap`, and its arguments."""

    wrapper: Callable[..., Module] | None = None
    kwargs: dict[str, Any] = {}


@contextmanager
def enable_wrap(*, wrapper_cls: Any, **wrapper_kwargs: Any) -> Iterator[None]:
    """Let `wrap` wrap modules inside of the block.

    Args:
      wrapper_cls: the class of the wrapper, such as `FullyShardedDataParallel`.
      wrapper_kwargs: arguments of the wrapper.
    """
    before = _Enabled.wrapper, _Enabled.kwargs
    _Enabled.wrapper, _Enabled.kwargs = wrapper_cls, wrapper_kwargs
    try:
        yield
    finally:
        _Enabled.wrapper, _Enabled.kwargs = before


def wrap(module: Module, **wrap_overrides: Any) -> Module:
    """Wrap a module inside of `enable_wrap`, and return it unchanged elsewhere.

    Args:
      module: the module.
      wrap_overrides: arguments of the wrapper that take precedence over those of `enable_wrap`.
    """
    if _Enabled.wrapper is None:
        return module
    return _wrap(module, _Enabled.wrapper, **{**_Enabled.kwargs, **wrap_overrides})


def _wrap(module: Module, wrapper_cls: Callable[..., Module], **kwargs: Any) -> Module:
    overrides = getattr(module, "_wrap_overrides", None)
    return wrapper_cls(module, **{**kwargs, **(overrides or {})})


def apply_policy(
    root: Module, policy: Any, wrapper: Callable[..., Module], kwargs: dict[str, Any], ignored: Any
) -> None:
    """Wrap the submodules of `root` that a policy chooses, children first. `root` itself is not wrapped."""
    modules, params = ignored
    if isinstance(policy, _Policy):
        wrap_chosen(root, policy._run_policy(root, modules, kwargs), wrapper)
    else:
        _recursive_wrap(root, policy, wrapper, modules, params, True, **kwargs)


def wrap_chosen(root: Module, chosen: Chosen, wrapper: Callable[..., Module]) -> None:
    """Wrap the chosen modules below `root`, children first."""
    _wrap_below(root, chosen, wrapper, {})


def _wrap_below(module: Module, chosen: Chosen, wrapper: Callable[..., Module], done: dict[Module, Module]) -> None:
    for child in list(module.children()):
        if child not in done:
            _wrap_below(child, chosen, wrapper, done)
            done[child] = wrapper(child, **chosen[child]) if child in chosen else child
    for name, child in list(module._modules.items()):
        if child is not None and done.get(child, child) is not child:
            setattr(module, name, done[child])


def _recursive_wrap(
    module: Module,
    auto_wrap_policy: Callable[..., bool],
    wrapper_cls: Callable[..., Module],
    ignored_modules: set[Module],
    ignored_params: set[Parameter],
    only_wrap_children: bool = False,
    **kwargs: Any,
) -> tuple[Module, int]:
    """Wrap the modules that a policy chooses. Return the module, and the number of elements that are wrapped."""
    total = sum(p.numel() for p in module.parameters() if not any(p is other for other in ignored_params))
    if not auto_wrap_policy(module=module, recurse=True, nonwrapped_numel=total):
        return module, 0
    wrapped = 0
    for name, child in list(module.named_children()):
        if child not in ignored_modules:
            made, count = _recursive_wrap(
                child, auto_wrap_policy, wrapper_cls, ignored_modules, ignored_params, **kwargs
            )
            setattr(module, name, made)
            wrapped += count
    rest = total - wrapped
    if only_wrap_children or not auto_wrap_policy(module=module, recurse=False, nonwrapped_numel=rest):
        return module, wrapped
    return _wrap(module, wrapper_cls, **kwargs), total
