"""`Parameter` and `Buffer`, which modules register when they are assigned as attributes, and their lazy forms.

The shape of an uninitialized parameter or buffer is unknown until the first call of its module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import torchlike
from torchlike import Tensor
from torchlike._internal import _disabled_torch_function_impl, adopt
from torchlike.nn import _errors

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


class _ParameterMeta(type):
    """The metaclass of `Parameter`: a tensor of another class is an instance if it has the flag `_is_param`."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A trainable tensor. A module registers it on attribute assignment and yields it from `parameters()`.

    Args:
      data: the tensor whose memory the parameter shares. The default is an empty tensor.
      requires_grad: whether autograd computes a gradient.

    Raises:
      RuntimeError: `data` holds integers or bools, and `requires_grad` is True.

    >>> import torchlike as torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    __torch_function__ = _disabled_torch_function_impl
    _is_param = True

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Any:
        source = torchlike.empty(0) if data is None else data.detach()
        if requires_grad and not (source.is_floating_point() or source.is_complex()):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        if type(source) is type(data) and type(source) not in (Tensor, Parameter):  # keeps its class, as in PyTorch
            source.__dict__["_is_param"] = True
            return source._require_grad(requires_grad)
        return adopt(cls, source)._require_grad(requires_grad)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return "Parameter containing:\n" + super().__repr__(tensor_contents=tensor_contents)

    def __deepcopy__(self, memo: dict) -> Any:
        if id(self) not in memo:  # copies neither the gradient nor Python attributes
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]


class _BufferMeta(type):
    """The metaclass of `Buffer`: every tensor with the flag `_is_buffer` is an instance.

    A buffer is a plain tensor with this flag.
    """

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A non-trainable tensor of a module's state. A module registers it on attribute assignment.

    The module yields it from `buffers()`.

    Args:
      data: the tensor whose memory the buffer shares. The default is an empty tensor.
      persistent: whether `state_dict()` saves the buffer.

    >>> import torchlike as torch
    >>> module = torch.nn.Module()
    >>> module.mean = torch.nn.Buffer(torch.zeros(2))
    >>> [name for name, _ in module.named_buffers()]
    ['mean']
    """

    __torch_function__ = _disabled_torch_function_impl
    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        source: Tensor = torchlike.empty(0) if data is None else data
        buffer: Any = source.detach()._require_grad(source.requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer


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
        descriptor: Any = Tensor.data
        descriptor.fset(self, data)

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
