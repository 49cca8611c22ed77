"""`Parameter` and `Buffer`, which modules register automatically when assigned as attributes."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import _disabled_torch_function_impl, adopt


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
    """The metaclass of `Buffer`: an instance is any tensor with the flag `_is_buffer`.

    A buffer is a plain tensor that carries this flag.
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


def is_lazy(param: Any) -> bool:
    """Return whether `param` is an uninitialized parameter or buffer, whose shape is not known yet."""
    from torchlike.nn._uninitialized import UninitializedTensorMixin

    return isinstance(param, UninitializedTensorMixin)


def __getattr__(name: str) -> Any:
    # Imported lazily, because `_uninitialized` imports this module.
    if name in ("UninitializedParameter", "UninitializedBuffer", "UninitializedTensorMixin"):
        from torchlike.nn import _uninitialized

        return getattr(_uninitialized, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
