"""Parametrizations: tensors of a module that are computed from other tensors whenever they are read."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, cast

import torchlike
from torchlike import Tensor
from torchlike._internal import current
from torchlike.nn.modules.container import ModuleDict, ModuleList
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter
from torchlike.nn.utils import _errors

_cached_blocks = 0
_cache: dict[tuple[int, str], Any] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Cache parametrized tensors: inside the block each tensor is computed only once.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> with torch.nn.utils.parametrize.cached():
    ...     layer.weight is layer.weight
    True
    """
    global _cached_blocks
    _cached_blocks += 1
    try:
        yield
    finally:
        _cached_blocks -= 1
        if not _cached_blocks:
            _cache.clear()


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, with the original tensor or tensors from which it is computed.

    `original` is the original tensor. If the first `right_inverse` returns several tensors, they are `original0`,
    `original1` and so on. `register_parametrization` makes this list.

    Args:
      modules: the parametrizations, in order.
      original: the tensor to parametrize.
      unsafe: do not check that the parametrizations keep the shape and dtype.

    Raises:
      ValueError: the parametrizations change the shape or dtype, or do not return a tensor.

    >>> import torchlike as torch
    >>> listed = torch.nn.utils.parametrize.ParametrizationList([torch.nn.ReLU()], torch.tensor([-1.0, 2.0]))
    >>> listed(), listed.original
    (tensor([0., 2.]), tensor([-1.,  2.]))
    """

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        underneath = self._inverted(original)
        _check_inverted(underneath)
        self.is_tensor = isinstance(underneath, Tensor)
        self.ntensors = 1 if self.is_tensor else len(underneath)
        for name, tensor in zip(self._names(), [underneath] if self.is_tensor else underneath):
            kept = original if self.is_tensor and isinstance(original, Parameter) else tensor
            if kept is not tensor:
                kept.data = tensor.detach()
            self._keep(name, kept, original)
        if not unsafe:
            _check_unchanged(original, self(), first=True)

    def _names(self) -> list[str]:
        return ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]

    def _keep(self, name: str, tensor: Tensor, original: Tensor) -> None:
        if isinstance(original, Parameter):
            kept = cast(Parameter, tensor) if self.is_tensor else Parameter(tensor, original.requires_grad)
            self.register_parameter(name, kept)
        else:
            self.register_buffer(name, tensor)

    def _inverted(self, value: Tensor) -> Any:
        with torchlike.no_grad():
            inner: Any = value
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):  # does not support assignment
                        inner = module.right_inverse(inner)
            return inner

    def right_inverse(self, value: Tensor) -> None:
        """Set the original tensors such that the parametrized tensor becomes `value`.

        Args:
          value: the new value of the parametrized tensor.

        Raises:
          RuntimeError: a parametrization does not define `right_inverse`.
        """
        with torchlike.no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            for name, tensor in zip(self._names(), [value] if self.is_tensor else value):
                getattr(self, name).data = tensor.detach()

    def forward(self) -> Tensor:
        first, *others = self
        value = first(*[getattr(self, name) for name in self._names()])
        for module in others:
            value = module(value)
        return value


def _check_inverted(underneath: Any) -> None:
    """Check that `right_inverse` has returned a tensor or a sequence of tensors."""
    if isinstance(underneath, Tensor):
        return
    wanted = "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...)."
    if not isinstance(underneath, Sequence):
        raise ValueError(f"{wanted} Got {type(underneath).__name__}")
    for i, each in enumerate(underneath):
        if not isinstance(each, Tensor):
            raise ValueError(f"{wanted} Got element {i} of the sequence with type {type(each).__name__}.")


def _check_unchanged(before: Tensor, after: Any, first: bool) -> None:
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        old, new = getattr(before, what), getattr(after, what)
        if old != new:
            raise _errors.parametrization_changes(what, old, new, first)


def _parametrized_class(module: Module) -> type:
    """Return a new subclass of the module's class. The parametrized tensors become properties of the subclass."""
    base = type(module)

    def no_pickle(self: Any) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    def deepcopy(self: Any, memo: dict) -> Any:
        copied = object.__new__(type(self))
        memo[id(self)] = copied
        copied.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return copied

    members = {"__getstate__": no_pickle, "__deepcopy__": deepcopy, "__module__": ParametrizationList.__module__}
    return type(f"Parametrized{base.__name__}", (base,), members)


def _property(name: str) -> property:
    def get_parametrized(self: Any) -> Any:
        capture = current().capture
        if capture is not None:
            if _cached_blocks:
                capture.stop("a parametrized tensor is read from the cache")
            capture.guards.append(lambda: not _cached_blocks)
        if not _cached_blocks:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in _cache:
            _cache[key] = self.parametrizations[name]()
        return _cache[key]

    def set_original(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(get_parametrized, set_original)


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Parametrize the attribute `tensor_name` by `parametrization`, and return the module.

    Several parametrizations of an attribute are applied in the order of registration. The `right_inverse` of the first
    parametrization, if it exists, computes the original tensor from the current one. Assignment to the attribute needs
    the `right_inverse` of all its parametrizations.

    Args:
      module: the module, whose class changes.
      tensor_name: the name of a parameter or buffer.
      parametrization: a module that computes the attribute from the original tensor.
      unsafe: do not check that the shape and dtype stay the same.

    Raises:
      ValueError: there is no such tensor, or the parametrization changes the shape or dtype.

    >>> import torchlike as torch
    >>> layer = torch.nn.Linear(3, 2)
    >>> layer = torch.nn.utils.parametrize.register_parametrization(layer, "weight", torch.nn.ReLU())
    >>> bool((layer.weight >= 0).all())
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        _add(module.parametrizations[tensor_name], parametrization, getattr(module, tensor_name), unsafe)
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise _errors.nothing_to_parametrize(module, tensor_name)
    original = getattr(module, tensor_name)
    listed = ParametrizationList([parametrization], original, unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        module.__class__ = _parametrized_class(module)
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _property(tensor_name))
    module.parametrizations[tensor_name] = listed
    return module


def _add(listed: ParametrizationList, parametrization: Module, value: Tensor, unsafe: bool) -> None:
    if not unsafe:
        _check_unchanged(value, parametrization(value), first=False)
    listed.append(parametrization)
    listed.unsafe |= unsafe


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Return whether the attribute `tensor_name` is parametrized, or any attribute if `tensor_name` is None.

    Args:
      module: the module.
      tensor_name: the name of the attribute.

    >>> import torchlike as torch
    >>> torch.nn.utils.parametrize.is_parametrized(torch.nn.Linear(3, 2))
    False
    """
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return tensor_name in parametrizations if tensor_name is not None else len(parametrizations) > 0


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make the attribute `tensor_name` a plain tensor again, and return the module.

    Args:
      module: the module.
      tensor_name: the name of the attribute.
      leave_parametrized: the attribute keeps its current value. Otherwise it becomes the original tensor.

    Raises:
      ValueError: the attribute is not parametrized, or there are several original tensors and `leave_parametrized` is
        False.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> torch.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    Linear(in_features=3, out_features=2, bias=True)
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    listed = module.parametrizations[tensor_name]
    if not leave_parametrized and not listed.is_tensor:
        raise _errors.several_originals_left()
    if listed.is_tensor:
        kept = listed.original
        if leave_parametrized:
            with torchlike.no_grad():
                kept.data = getattr(module, tensor_name).detach()
    else:
        value = getattr(module, tensor_name)
        kept = Parameter(value.detach()) if value.requires_grad else value.detach()
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if isinstance(kept, Parameter):
        module.register_parameter(tensor_name, kept)
    else:
        module.register_buffer(tensor_name, kept)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give `to_module` the parametrizations of `from_module` and its original tensors, and return `to_module`.

    Both modules share them afterwards. A missing attribute of `to_module` is created.

    Args:
      from_module: the module with parametrizations.
      to_module: the module that receives them.
      tensor_name: the name of the only attribute. By default, all parametrized attributes.

    Raises:
      KeyError: the attribute is not parametrized.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> other = torch.nn.Linear(3, 2)
    >>> other = torch.nn.utils.parametrize.transfer_parametrizations_and_params(layer, other)
    >>> bool((other.weight == layer.weight).all())
    True
    """
    if not is_parametrized(from_module):
        return to_module
    listed: Any = from_module.parametrizations
    for name in [*listed] if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        source = listed[name]
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        target: Any = to_module.parametrizations[name]
        for original in [*source._parameters, *source._buffers]:
            setattr(target, original, getattr(source, original))
    return to_module


def type_before_parametrizations(module: Module) -> type:
    """Return the class that the module had before its first parametrization.

    Args:
      module: the module.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> torch.nn.utils.parametrize.type_before_parametrizations(layer).__name__
    'Linear'
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)
