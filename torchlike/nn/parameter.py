"""Tensors that modules register by themselves when they are assigned as attributes."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import _disabled_torch_function_impl, adopt
from torchlike.nn import _errors


class Parameter(Tensor):
    """A tensor to be learnt: assigned to a module's attribute it appears in `parameters()`.

    It shares memory with `data` and requires grad unless told otherwise.

    >>> import torchlike as torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    __torch_function__ = _disabled_torch_function_impl
    _is_parameter = True

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Any:
        source = torchlike.empty(0) if data is None else data.detach()
        if requires_grad and not (source.is_floating_point() or source.is_complex()):
            raise _errors.parameter_dtype()
        return adopt(cls, source)._require_grad(requires_grad)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return "Parameter containing:\n" + super().__repr__(tensor_contents=tensor_contents)

    def __deepcopy__(self, memo: dict) -> Any:
        if id(self) not in memo:  # neither the gradient nor attributes are copied
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]


class _BufferMeta(type):
    """A buffer is a plain tensor with a mark: it stays one when modules convert it."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that is a module's state without being learnt: assigned to an attribute it appears in `buffers()`.

    It is saved in `state_dict()` unless `persistent` is false. Shares memory with `data`.
    """

    __torch_function__ = _disabled_torch_function_impl
    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        source: Tensor = torchlike.empty(0) if data is None else data
        buffer: Any = source.detach()._require_grad(source.requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer


def is_lazy(param: Any) -> bool:
    """Whether this is a parameter or buffer whose shape the first input will decide."""
    from torchlike.nn._uninitialized import UninitializedTensorMixin

    return isinstance(param, UninitializedTensorMixin)


def __getattr__(name: str) -> Any:
    # Defined in a module of their own, which needs this one.
    if name in ("UninitializedParameter", "UninitializedBuffer", "UninitializedTensorMixin"):
        from torchlike.nn import _uninitialized

        return getattr(_uninitialized, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
