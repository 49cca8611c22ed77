"""Conversion of a module's tensors to another dtype, device or memory format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import torchlike
from torchlike import Tensor
from torchlike._internal import warn
from torchlike.nn import _errors
from torchlike.nn.parameter import Parameter, is_lazy


class Settings:
    """The setting of conversions, such as `Module.to`, that `torchlike.__future__` changes.

    Attributes:
      makes_parameters: whether a conversion makes new parameters.
    """

    makes_parameters = False


settings = Settings()


class Conversion:
    """The part of `Module` that converts its tensors.

    A converted parameter stays the same object, unless it moves from or to the meta device.
    """

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    children: Callable[[], Iterator[Any]]
    parameters: Callable[[], Iterator[Any]]
    buffers: Callable[[], Iterator[Any]]

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Apply `fn` to the data of every parameter and of its gradient, and to every buffer."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = _converted(parameter, fn)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = buffer.convert(fn) if is_lazy(buffer) else fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move and cast the module in place, and return it.

        The call forms are `to(device)`, `to(dtype)`, `to(device, dtype)` and `to(tensor)`. Only floating-point and
        complex tensors are cast; integer buffers keep their dtype. `memory_format` applies to tensors of 4 and 5
        dimensions.

        >>> import torchlike as torch
        >>> torch.nn.Linear(2, 3).to(torch.float64).weight.dtype
        torch.float64
        """
        device, dtype, non_blocking, memory_format = _parse_to(args, kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError(
                    f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
                )
            if dtype.is_complex:
                warn(_errors.complex_module())

        def convert(tensor: Any) -> Any:
            wanted = dtype if tensor.is_floating_point() or tensor.is_complex() else None
            layout = {"memory_format": memory_format} if memory_format is not None and tensor.dim() in (4, 5) else {}
            if tensor.device.type == "meta" and device is not None and torchlike.device(device).type != "meta":
                raise _errors.module_to_from_meta()
            return tensor.to(tensor.device if device is None else device, wanted, non_blocking, **layout)

        return self._apply(convert)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Move to `device` without copying the values. The new tensors are uninitialized.

        Args:
          device: the device.
          recurse: include submodules.
        """
        return self._apply(lambda t: torchlike.empty_like(t, device=device), recurse=recurse)

    def cpu(self) -> Self:
        """Move every parameter and buffer to the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Self:
        """Move every parameter and buffer to the GPU `device`, or if None to the current GPU.

        Args:
          device: the GPU, an index or a device.
        """
        return self._apply(lambda t: t.cuda(device))

    def xpu(self, device: Any = None) -> Self:
        """Raise PyTorch's error for the device type xpu, which JAX does not have, if there are parameters or buffers.

        Args:
          device: the index of the device, or a device.
        """
        return self._apply(lambda t: t.xpu(device))

    def ipu(self, device: Any = None) -> Self:
        """Raise PyTorch's error for the device type ipu, which JAX does not have, if there are parameters or buffers.

        Args:
          device: the index of the device, or a device.
        """
        return self._apply(lambda t: t.ipu(device))

    def mtia(self, device: Any = None) -> Self:
        """Raise PyTorch's error for the device type mtia, which JAX does not have, if there are parameters or buffers.

        Args:
          device: the index of the device, or a device.
        """
        return self._apply(lambda t: t.mtia(device))

    def type(self, dst_type: Any) -> Self:
        """Cast every parameter and buffer, including integer ones, to `dst_type`.

        Args:
          dst_type: a dtype, or its name.
        """
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Cast every floating-point parameter and buffer to float32."""
        return self._apply(_caster("float"))

    def double(self) -> Self:
        """Cast every floating-point parameter and buffer to float64."""
        return self._apply(_caster("double"))

    def half(self) -> Self:
        """Cast every floating-point parameter and buffer to float16."""
        return self._apply(_caster("half"))

    def bfloat16(self) -> Self:
        """Cast every floating-point parameter and buffer to bfloat16."""
        return self._apply(_caster("bfloat16"))

    def share_memory(self) -> Self:
        """Move every parameter and buffer to shared memory."""
        for tensor in (*self.parameters(), *self.buffers()):
            if is_lazy(tensor):
                tensor.share_memory_()  # raises: there is no memory to share yet
        return self._apply(lambda t: t.share_memory_())


def _caster(method: str) -> Callable[[Any], Any]:
    return lambda t: getattr(t, method)() if t.is_floating_point() else t


def _converted(parameter: Any, fn: Callable[[Any], Any]) -> Any:
    if is_lazy(parameter):
        return parameter.convert(fn)
    old_grad = parameter.grad
    with torchlike.no_grad():
        data = fn(parameter)
        grad = None if old_grad is None else fn(old_grad)
    # A conversion from or to the meta device creates a new parameter, as in PyTorch. Other conversions keep the object,
    # so that optimizers and modules that share the parameter still refer to it.
    is_moved = (data.device.type == "meta") != (parameter.device.type == "meta")
    if is_moved or settings.makes_parameters:
        parameter = Parameter(data, parameter.requires_grad)
        parameter.grad = None if grad is None else grad._require_grad(grad.requires_grad)
        return parameter
    if data is not parameter:
        parameter.data = data
    if old_grad is not None and grad is not old_grad:
        old_grad.data = grad
    return parameter


def _parse_to(args: tuple, kwargs: dict) -> tuple:
    """Parse the arguments of `to`, in any of its call forms.

    Returns the device, the dtype, `non_blocking` and the memory format.
    """
    kwargs = dict(kwargs)
    memory_format = kwargs.pop("memory_format", None)
    first = args[0] if args else None
    if isinstance(first, torchlike.dtype):
        names = ("dtype", "non_blocking")
    elif isinstance(first, Tensor):
        names = ("tensor", "non_blocking")
    else:
        names = ("device", "dtype", "non_blocking")
    given = dict(zip(names, args)) | kwargs
    if len(args) > len(names) or not _is_valid(given, args, kwargs, names):
        raise _errors.to_arguments(args, kwargs)
    tensor = given.get("tensor")
    if tensor is not None:
        return tensor.device, tensor.dtype, given.get("non_blocking", False), memory_format
    device = given.get("device")
    device = None if device is None else torchlike.device(device)
    return device, given.get("dtype"), given.get("non_blocking", False), memory_format


def _is_valid(given: dict, args: tuple, kwargs: dict, names: tuple[str, ...]) -> bool:
    kinds: dict[str, Any] = {
        "device": (str, int, torchlike.device, type(None)),
        "dtype": (torchlike.dtype, type(None)),
        "tensor": Tensor,
        "non_blocking": bool,
    }
    repeated = set(names[: len(args)]) & set(kwargs)
    return not repeated and all(name in kinds and isinstance(value, kinds[name]) for name, value in given.items())
