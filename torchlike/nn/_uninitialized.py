"""Parameters and buffers of lazy modules. Their shape is unknown until the first call of the module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import torchlike
from torchlike import Tensor
from torchlike._internal import _disabled_torch_function_impl, adopt
from torchlike.nn import _errors
from torchlike.nn.parameter import Parameter

_NEED_NO_SHAPE = frozenset(
    (
        "__get__",
        "__hash__",
        "__repr__",
        "size",
        "copy_",
        "is_complex",
        "is_floating_point",
        "get_device",
        "detach",
        "share_memory_",
    )
    + ("half", "float", "double", "bfloat16", "char", "short", "int", "long", "cuda", "cpu", "to")
)


class UninitializedTensorMixin(Tensor):
    """A tensor with a dtype and a device but no shape. Reading it raises an error until `materialize` is called."""

    _becomes: type = Tensor

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        """Call a function that needs no shape. Raise an error for all other functions.

        Args:
          func: the function.
          types: the classes of the tensors.
          args, kwargs: the arguments of the call.
        """
        if getattr(func, "__name__", "") in _NEED_NO_SHAPE:
            return _disabled_torch_function_impl(func, types, args, kwargs or {})
        raise _errors.uninitialized(func)

    @classmethod
    def _make(cls, requires_grad: bool, device: Any, dtype: Any) -> Any:
        made = adopt(cls, torchlike.empty(0, device=device, dtype=dtype))._require_grad(requires_grad)
        made._chain = ()  # if `_chain` is not None, every read calls `_read`
        return made

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Allocate uninitialized data of the given shape and turn this object into an ordinary tensor.

        Args:
          shape: the shape, a tuple of ints.
          device, dtype: of the data. The defaults are those of this tensor.
        """
        data = torchlike.empty(shape, device=self.device if device is None else device, dtype=dtype or self.dtype)
        self._become(data)
        self.__class__ = self._becomes

    def convert(self, fn: Callable[[Tensor], Tensor]) -> Self:
        """Convert this tensor to the dtype and device that `fn` returns for an empty tensor. Return this tensor.

        Args:
          fn: a function of a tensor.
        """
        self._become(fn(torchlike.empty(0, device=self.device, dtype=self.dtype)))
        self._chain = ()
        return self

    def _become(self, data: Tensor) -> None:
        shown: Any = Tensor.data
        shown.fset(self, data)

    def _read(self, strict: bool | None = None) -> Any:
        raise _errors.uninitialized()

    @property
    def shape(self) -> Any:
        """Raise RuntimeError, because the shape is not known yet."""
        raise _errors.uninitialized_shape()

    @property
    def dtype(self) -> Any:
        """The dtype of the future data."""
        return self._storage.value.aval.dtype

    @property
    def device(self) -> Any:
        """The device of the future data."""
        return self._storage.value.aval.device

    @property
    def requires_grad(self) -> bool:  # type: ignore[override]
        """Return whether the tensor requires grad. `materialize` does not change this."""
        return self._edge is not None

    def detach(self) -> Self:
        """Return this tensor itself, which has no data to detach."""
        return self

    def share_memory_(self) -> Any:
        """Raise RuntimeError, because there is no memory to share yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`."
        )

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"<{type(self).__name__}>"

    def __deepcopy__(self, memo: dict) -> Any:
        if id(self) not in memo:
            memo[id(self)] = self._make(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild, (type(self), self.requires_grad, self.device, self.dtype)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose shape is not known yet. Reading it raises an error until `materialize` is called.

    Args:
      requires_grad: whether autograd computes a gradient.
      device, dtype: of the future data. The defaults are the current default device and dtype.

    >>> import torchlike as torch
    >>> weight = torch.nn.UninitializedParameter()
    >>> weight.materialize((2, 3))
    >>> weight.shape
    torch.Size([2, 3])
    """

    _becomes = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return cls._make(requires_grad, device, dtype)


class UninitializedBuffer(UninitializedTensorMixin):
    """A buffer whose shape is not known yet. Reading it raises an error until `materialize` is called.

    Args:
      requires_grad: whether autograd computes a gradient.
      device, dtype: of the future data. The defaults are the current default device and dtype.
      persistent: whether `state_dict()` saves the buffer.

    >>> import torchlike as torch
    >>> mean = torch.nn.UninitializedBuffer()
    >>> mean.materialize((3,))
    >>> mean.shape
    torch.Size([3])
    """

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
