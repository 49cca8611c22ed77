"""Convolution and transposed convolution layers in one, two and three dimensions."""

from __future__ import annotations

import math
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import own_methods
from torchlike.nn import _errors_layers as _errors
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn.modules._tuples import _ntuple, each_side_reversed
from torchlike.nn.modules._tuples import _pair as _pair
from torchlike.nn.modules._tuples import _reverse_repeat_tuple as _reverse_repeat_tuple
from torchlike.nn.modules._tuples import _single as _single
from torchlike.nn.modules._tuples import _triple as _triple
from torchlike.nn.modules.lazy import LazyModuleMixin
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter, UninitializedParameter

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """The base class of all convolutions: checks, parameters and the printed form."""

    __constants__ = [
        "stride",
        "padding",
        "dilation",
        "groups",
        "padding_mode",
        "output_padding",
        "in_channels",
        "out_channels",
        "kernel_size",
    ]
    _spatial: int

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._check()
        self._reversed_padding_repeated_twice = self._padding_for_pad()
        self.weight = Parameter(torchlike.empty(self._weight_shape(), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torchlike.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _weight_shape(self) -> tuple[int, ...]:
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        return (first, second // self.groups, *self.kernel_size)

    def _check(self) -> None:
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name in ("in_channels", "out_channels"):
            if getattr(self, name) % self.groups != 0:
                raise ValueError(f"{name} must be divisible by groups")
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {self.padding!r}, should be one of {{'same', 'valid'}}")
            if self.padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in _PADDING_MODES:
            raise _errors.conv_padding_mode(self.padding_mode)

    def _padding_for_pad(self) -> tuple[int, ...] | list[int]:
        """Return the padding in the order of `F.pad`, which is used for padding modes other than 'zeros'."""
        if not isinstance(self.padding, str):
            return each_side_reversed(self.padding)
        if self.padding == "valid":
            return [0] * (2 * len(self.kernel_size))
        amounts: list[int] = []
        for step, size in zip(reversed(self.dilation), reversed(self.kernel_size)):
            total = step * (size - 1)
            amounts += [total // 2, total - total // 2]
        return amounts

    def reset_parameters(self) -> None:
        """Re-initialize the parameters from U(-b, b) with b = 1/sqrt(fan_in)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        shown = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        if self.padding != (0,) * len(self.padding):
            shown.append(f"padding={self.padding}")
        if self.dilation != (1,) * len(self.dilation):
            shown.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * len(self.output_padding):
            shown.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            shown.append(f"groups={self.groups}")
        if self.bias is None:
            shown.append("bias=False")
        if self.padding_mode != "zeros":
            shown.append(f"padding_mode={self.padding_mode}")
        return ", ".join(shown)


class _Conv(_ConvNd):
    """The base class of `Conv1d`, `Conv2d` and `Conv3d`. They define the number of spatial dimensions."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: str | int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        each = _ntuple(self._spatial)
        padding = padding if isinstance(padding, str) else each(padding)
        places = each(kernel_size), each(stride), padding, each(dilation), False, each(0)
        super().__init__(in_channels, out_channels, *places, groups, bias, padding_mode, device, dtype)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        raise NotImplementedError

    def _padded(self, input: Tensor) -> tuple[Tensor, Any]:
        """Return the input, padded unless the mode is 'zeros', and the padding that the convolution must still add."""
        if self.padding_mode == "zeros":
            return input, self.padding
        return F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode), 0

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


@own_methods("__init__", "forward")
class Conv1d(_Conv):
    """A 1-dimensional convolution (cross-correlation) layer: (N, C_in, L) -> (N, C_out, L_out).

    L_out = floor((L + 2·padding - dilation·(kernel_size - 1) - 1) / stride + 1). `weight` has shape
    (C_out, C_in / groups, kernel_size), `bias` has shape (C_out). Both are initialized from U(-k, k) with
    k = 1/sqrt(C_in / groups · kernel_size). An input of shape (C_in, L) is a single sample.

    Args:
      in_channels, out_channels: C_in and C_out.
      kernel_size: the size of the kernel, one number or one number per dimension.
      stride: the distance of the kernel's positions.
      padding: the number of elements added on each side, or 'same' (stride 1 only), or 'valid' for none.
      dilation: the distance of the kernel's elements.
      groups: the number of groups of channels that are convolved separately. It divides both numbers of channels.
      bias: add a learnt bias.
      padding_mode: the values of the padding: 'zeros', 'reflect', 'replicate' or 'circular'.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      ValueError: `groups` does not divide the numbers of channels, or an option is unknown.
      RuntimeError: the input has another number of channels or is smaller than the kernel. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.Conv1d(3, 8, 5, stride=2)(torch.ones(2, 3, 11)).shape
    torch.Size([2, 8, 4])
    """

    _spatial = 1

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        input, padding = self._padded(input)
        return F.conv1d(input, weight, bias, self.stride, padding, self.dilation, self.groups)


@own_methods("__init__", "forward")
class Conv2d(_Conv):
    """A 2-dimensional convolution layer: (N, C_in, H, W) -> (N, C_out, H_out, W_out).

    `Conv1d` gives the formula of the output size, which applies to each spatial dimension.

    Args:
      in_channels, out_channels: C_in and C_out.
      kernel_size: the size of the kernel, one number or one number per dimension.
      stride: the distance of the kernel's positions.
      padding: the number of elements added on each side, or 'same' (stride 1 only), or 'valid' for none.
      dilation: the distance of the kernel's elements.
      groups: the number of groups of channels that are convolved separately. It divides both numbers of channels.
      bias: add a learnt bias.
      padding_mode: the values of the padding: 'zeros', 'reflect', 'replicate' or 'circular'.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      ValueError: `groups` does not divide the numbers of channels, or an option is unknown.
      RuntimeError: the input has another number of channels or is smaller than the kernel. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.Conv2d(3, 8, 3, padding=1)(torch.ones(2, 3, 5, 5)).shape
    torch.Size([2, 8, 5, 5])
    """

    _spatial = 2

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        input, padding = self._padded(input)
        return F.conv2d(input, weight, bias, self.stride, padding, self.dilation, self.groups)


@own_methods("__init__", "forward")
class Conv3d(_Conv):
    """A 3-dimensional convolution layer over (N, C_in, D, H, W). `Conv1d` gives the formula of the output size.

    Args:
      in_channels, out_channels: C_in and C_out.
      kernel_size: the size of the kernel, one number or one number per dimension.
      stride: the distance of the kernel's positions.
      padding: the number of elements added on each side, or 'same' (stride 1 only), or 'valid' for none.
      dilation: the distance of the kernel's elements.
      groups: the number of groups of channels that are convolved separately. It divides both numbers of channels.
      bias: add a learnt bias.
      padding_mode: the values of the padding: 'zeros', 'reflect', 'replicate' or 'circular'.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      ValueError: `groups` does not divide the numbers of channels, or an option is unknown.
      RuntimeError: the input has another number of channels or is smaller than the kernel. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.Conv3d(1, 2, 3)(torch.ones(1, 1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    _spatial = 3

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        input, padding = self._padded(input)
        return F.conv3d(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class _ConvTransposeNd(_ConvNd):
    """The base class of transposed convolutions.

    A transposed convolution computes the gradient of a convolution with respect to its input.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        places = kernel_size, stride, padding, dilation, transposed, output_padding
        super().__init__(in_channels, out_channels, *places, groups, bias, padding_mode, device, dtype)

    def _arguments(self, input: Tensor, output_size: Any) -> tuple:
        padding = self.output_padding if output_size is None else self._output_padding(input, list(output_size))
        return self.weight, self.bias, self.stride, self.padding, padding, self.groups, self.dilation

    def _output_padding(self, input: Tensor, output_size: list[int]) -> list[int]:
        """Return the output padding for an output of size `output_size`."""
        spatial = len(self.kernel_size)
        leading = input.dim() - spatial
        if len(output_size) == input.dim():
            output_size = output_size[leading:]
        if len(output_size) != spatial:
            raise _errors.conv_transpose_output_size_length(spatial, input.dim(), leading, len(output_size))
        smallest = [
            (input.size(d + leading) - 1) * self.stride[d]
            - 2 * self.padding[d]
            + self.dilation[d] * (self.kernel_size[d] - 1)
            + 1
            for d in range(spatial)
        ]
        largest = [low + step - 1 for low, step in zip(smallest, self.stride)]
        if any(not low <= size <= high for low, size, high in zip(smallest, output_size, largest)):
            raise _errors.conv_transpose_output_size(output_size, smallest, largest, input.shape[2:])
        return [size - low for size, low in zip(output_size, smallest)]


class _ConvTransposeMixin(_ConvTransposeNd):
    """An empty subclass of `_ConvTransposeNd`, for libraries that look up this old name."""


class _ConvTranspose(_ConvTransposeNd):
    """The base class of `ConvTranspose1d`, `ConvTranspose2d` and `ConvTranspose3d`.

    They define the number of spatial dimensions.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | tuple[int, ...] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        each = _ntuple(self._spatial)
        places = each(kernel_size), each(stride), each(padding), each(dilation), True, each(output_padding)
        super().__init__(in_channels, out_channels, *places, groups, bias, padding_mode, device, dtype)


@own_methods("__init__")
class ConvTranspose1d(_ConvTranspose):
    """A 1-dimensional transposed convolution layer: (N, C_in, L) -> (N, C_out, L_out).

    L_out = (L - 1)·stride - 2·padding + dilation·(kernel_size - 1) + output_padding + 1. `weight` has shape
    (C_in, C_out / groups, kernel_size). If the call receives
    `output_size`, it computes `output_padding` from that size.

    Args:
      in_channels, out_channels: C_in and C_out.
      kernel_size: the size of the kernel, one number or one number per dimension.
      stride: the distance of the places of adjacent input elements in the output.
      padding: the number of elements cut off on each side of the output.
      output_padding: the number of additional elements at one side, less than `stride` or `dilation`.
      groups: the number of groups of channels that are convolved separately. It divides both numbers of channels.
      bias: add a learnt bias.
      dilation: the distance of the kernel's elements.
      padding_mode: must be 'zeros'.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      ValueError: `groups` does not divide the numbers of channels, `padding_mode` is not 'zeros', or a call asks for an
        `output_size` that is not possible.
      RuntimeError: the input has another number of channels. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.ConvTranspose1d(3, 8, 4, stride=2, padding=1)(torch.ones(2, 3, 5)).shape
    torch.Size([2, 8, 10])
    """

    _spatial = 1

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        return F.conv_transpose1d(input, *self._arguments(input, output_size))


@own_methods("__init__")
class ConvTranspose2d(_ConvTranspose):
    """A 2-dimensional transposed convolution layer: (N, C_in, H, W) -> (N, C_out, H_out, W_out).

    `ConvTranspose1d` gives the formula of the output size, which applies to each spatial dimension.

    Args:
      in_channels, out_channels: C_in and C_out.
      kernel_size: the size of the kernel, one number or one number per dimension.
      stride: the distance of the places of adjacent input elements in the output.
      padding: the number of elements cut off on each side of the output.
      output_padding: the number of additional elements at one side, less than `stride` or `dilation`.
      groups: the number of groups of channels that are convolved separately. It divides both numbers of channels.
      bias: add a learnt bias.
      dilation: the distance of the kernel's elements.
      padding_mode: must be 'zeros'.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      ValueError: `groups` does not divide the numbers of channels, `padding_mode` is not 'zeros', or a call asks for an
        `output_size` that is not possible.
      RuntimeError: the input has another number of channels. The call raises this.

    >>> import torchlike as torch
    >>> layer = torch.nn.ConvTranspose2d(3, 8, 3, stride=2)
    >>> layer(torch.ones(2, 3, 4, 4), output_size=(10, 10)).shape
    torch.Size([2, 8, 10, 10])
    """

    _spatial = 2

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        return F.conv_transpose2d(input, *self._arguments(input, output_size))


@own_methods("__init__")
class ConvTranspose3d(_ConvTranspose):
    """A 3-dimensional transposed convolution layer over (N, C_in, D, H, W).

    `ConvTranspose1d` gives the formula of the output size, which applies to each spatial dimension.

    Args:
      in_channels, out_channels: C_in and C_out.
      kernel_size: the size of the kernel, one number or one number per dimension.
      stride: the distance of the places of adjacent input elements in the output.
      padding: the number of elements cut off on each side of the output.
      output_padding: the number of additional elements at one side, less than `stride` or `dilation`.
      groups: the number of groups of channels that are convolved separately. It divides both numbers of channels.
      bias: add a learnt bias.
      dilation: the distance of the kernel's elements.
      padding_mode: must be 'zeros'.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      ValueError: `groups` does not divide the numbers of channels, `padding_mode` is not 'zeros', or a call asks for an
        `output_size` that is not possible.
      RuntimeError: the input has another number of channels. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.ConvTranspose3d(1, 2, 2)(torch.ones(1, 1, 2, 2, 2)).shape
    torch.Size([1, 2, 3, 3, 3])
    """

    _spatial = 3

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        return F.conv_transpose3d(input, *self._arguments(input, output_size))


# -- lazy layers -------------------------------------------------------------------------------------------------------


class _LazyConvXdMixin(LazyModuleMixin):
    """The base class of the lazy convolutions."""

    def __init__(self, *args: Any, bias: bool, device: Any, dtype: Any, out_channels: int, **kwargs: Any) -> None:
        super().__init__(0, 0, *args, bias=False, **kwargs)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def _has_size(self) -> bool:
        return self.in_channels != 0

    def initialize_parameters(self, input: Tensor, *_: Any, **__: Any) -> None:
        """Set `in_channels` to the number of channels of the input and materialize the parameters.

        Args:
          input: the first input of the layer.
          *_, **__: ignored.
        """
        spatial = self._spatial
        if input.dim() not in (spatial + 1, spatial + 2):
            raise _errors.lazy_conv_dimensions(spatial, type(self).__name__, input.shape)
        if self.has_uninitialized_params():
            self.in_channels = input.shape[-spatial - 1]
            self._check()
            self.weight.materialize(self._weight_shape())
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            self.reset_parameters()
        elif self.in_channels == 0:
            self.in_channels = input.shape[-spatial - 1]


class _LazyPlainConv(_LazyConvXdMixin):
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: str | int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        shape = (kernel_size, stride, padding, dilation, groups)
        late = {"bias": bias, "device": device, "dtype": dtype, "out_channels": out_channels}
        super().__init__(*shape, padding_mode=padding_mode, **late)


class _LazyConvTranspose(_LazyConvXdMixin):
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | tuple[int, ...] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        shape = (kernel_size, stride, padding, output_padding, groups)
        late = {"bias": bias, "device": device, "dtype": dtype, "out_channels": out_channels}
        super().__init__(*shape, dilation=dilation, padding_mode=padding_mode, **late)


@own_methods("__init__")
class LazyConv1d(_LazyPlainConv, Conv1d):
    """A `Conv1d` layer that infers `in_channels` from its first input.

    Args:
      out_channels: the number of channels of the output.
      kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype: as for `Conv1d`.

    >>> import torchlike as torch
    >>> torch.nn.LazyConv1d(8, 3)(torch.ones(2, 3, 5)).shape
    torch.Size([2, 8, 3])
    """

    cls_to_become = Conv1d


@own_methods("__init__")
class LazyConv2d(_LazyPlainConv, Conv2d):
    """A `Conv2d` layer that infers `in_channels` from its first input.

    Args:
      out_channels: the number of channels of the output.
      kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype: as for `Conv2d`.

    >>> import torchlike as torch
    >>> layer = torch.nn.LazyConv2d(8, 3)
    >>> layer(torch.ones(2, 3, 5, 5)).shape, layer.in_channels
    (torch.Size([2, 8, 3, 3]), 3)
    """

    cls_to_become = Conv2d


@own_methods("__init__")
class LazyConv3d(_LazyPlainConv, Conv3d):
    """A `Conv3d` layer that infers `in_channels` from its first input.

    Args:
      out_channels: the number of channels of the output.
      kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype: as for `Conv3d`.

    >>> import torchlike as torch
    >>> torch.nn.LazyConv3d(2, 3)(torch.ones(1, 1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    cls_to_become = Conv3d


@own_methods("__init__")
class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """A `ConvTranspose1d` layer that infers `in_channels` from its first input.

    Args:
      out_channels: the number of channels of the output.
      kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode: as for `ConvTranspose1d`.
      device, dtype: as for `ConvTranspose1d`.

    >>> import torchlike as torch
    >>> torch.nn.LazyConvTranspose1d(8, 3)(torch.ones(2, 3, 5)).shape
    torch.Size([2, 8, 7])
    """

    cls_to_become = ConvTranspose1d


@own_methods("__init__")
class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """A `ConvTranspose2d` layer that infers `in_channels` from its first input.

    Args:
      out_channels: the number of channels of the output.
      kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode: as for `ConvTranspose2d`.
      device, dtype: as for `ConvTranspose2d`.

    >>> import torchlike as torch
    >>> torch.nn.LazyConvTranspose2d(8, 3)(torch.ones(2, 3, 5, 5)).shape
    torch.Size([2, 8, 7, 7])
    """

    cls_to_become = ConvTranspose2d


@own_methods("__init__")
class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """A `ConvTranspose3d` layer that infers `in_channels` from its first input.

    Args:
      out_channels: the number of channels of the output.
      kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode: as for `ConvTranspose3d`.
      device, dtype: as for `ConvTranspose3d`.

    >>> import torchlike as torch
    >>> torch.nn.LazyConvTranspose3d(2, 2)(torch.ones(1, 1, 2, 2, 2)).shape
    torch.Size([1, 2, 3, 3, 3])
    """

    cls_to_become = ConvTranspose3d
