"""Tensors whose shape is not known yet: what lazy modules hold until their first call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import torchlike
from torchlike import Tensor
from torchlike._internal import _disabled_torch_function_impl, adopt
from torchlike.nn import _errors
from torchlike.nn.parameter import Parameter


class UninitializedTensorMixin(Tensor):
    """A tensor with a dtype and a device but no shape; reading it raises until `materialize` is called."""

    __torch_function__ = _disabled_torch_function_impl
    _becomes: type = Tensor

    @classmethod
    def _make(cls, requires_grad: bool, device: Any, dtype: Any) -> Any:
        made = adopt(cls, torchlike.empty(0, device=device, dtype=dtype))._require_grad(requires_grad)
        made._chain = ()  # not a plain tensor: whoever wants the value has to come through _read
        return made

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Get a shape, and memory of no particular values; it stays the same object but is an ordinary tensor then."""
        data = torchlike.empty(shape, device=device or self.device, dtype=dtype or self.dtype)
        self._become(data)
        self.__class__ = self._becomes

    def convert(self, fn: Callable[[Tensor], Tensor]) -> Self:
        """Take the dtype and device that `fn` gives to a tensor like this one."""
        self._become(fn(torchlike.empty(0, device=self.device, dtype=self.dtype)))
        self._chain = ()
        return self

    def _become(self, data: Tensor) -> None:
        shown: Any = Tensor.data
        shown.fset(self, data)

    def _read(self) -> Any:  # type: ignore[override]
        raise _errors.uninitialized_used()

    @property
    def shape(self) -> Any:
        """Not known yet."""
        raise _errors.uninitialized_shape()

    @property
    def dtype(self) -> Any:
        """The element type that it will have."""
        return self._storage.value.aval.dtype

    @property
    def device(self) -> Any:
        """Where it will live."""
        return self._storage.value.aval.device

    @property
    def requires_grad(self) -> bool:  # type: ignore[override]
        """Whether gradients will flow to it."""
        return self._edge is not None

    def detach(self) -> Self:
        """This tensor: there is nothing to detach."""
        return self

    def share_memory_(self) -> Any:
        """There is no memory to share yet."""
        raise _errors.uninitialized_shared()

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"<{type(self).__name__}>"

    def __deepcopy__(self, memo: dict) -> Any:
        if id(self) not in memo:
            memo[id(self)] = self._make(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild, (type(self), self.requires_grad, self.device, self.dtype)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose shape is not known yet."""

    _becomes = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return cls._make(requires_grad, device, dtype)


class UninitializedBuffer(UninitializedTensorMixin):
    """A buffer whose shape is not known yet."""

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        made = cls._make(requires_grad, device, dtype)
        made.persistent = persistent
        made._is_buffer = True
        return made


def _rebuild(kind: Any, requires_grad: bool, device: Any, dtype: Any) -> Any:
    return kind(requires_grad, device, dtype)


def is_lazy(value: Any) -> bool:
    """Return whether `value` is a parameter or buffer without a shape yet."""
    return isinstance(value, UninitializedTensorMixin)
