"""Pooling layers."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules._tuples import _ntuple
from torchlike.nn.modules._tuples import _pair as _pair
from torchlike.nn.modules._tuples import _single as _single
from torchlike.nn.modules._tuples import _triple as _triple
from torchlike.nn.modules.module import Module

__all__ = [
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
]


class _Pool(Module):
    """The base class of pooling layers. `repr` prints the first `_shown` options of `__constants__`."""

    _shown: int

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.__constants__[: self._shown])


# --- maximum ----------------------------------------------------------------------------------------------------------


class _MaxPoolNd(_Pool):
    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__constants__}

    def extra_repr(self) -> str:
        names = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class MaxPool1d(_MaxPoolNd):
    """The maximum of each window of (N, C, L) or (C, L).

    L_out = floor((L + 2·padding - dilation·(kernel_size - 1) - 1) / stride + 1), or its ceiling with `ceil_mode`.
    `return_indices` also returns the index of each maximum.
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool1d(input, **self._options())


class MaxPool2d(_MaxPoolNd):
    """The maximum of each window of (N, C, H, W) or (C, H, W). `MaxPool1d` gives the formula of the output size.

    >>> import torchlike as torch
    >>> torch.nn.MaxPool2d(2)(torch.ones(1, 3, 6, 7)).shape
    torch.Size([1, 3, 3, 3])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool2d(input, **self._options())


class MaxPool3d(_MaxPoolNd):
    """The maximum of each window of (N, C, D, H, W) or (C, D, H, W).

    `MaxPool1d` gives the formula of the output size.
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool3d(input, **self._options())


class _MaxUnpoolNd(_Pool):
    _spatial: int

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
    ) -> None:
        super().__init__()
        each = _ntuple(self._spatial)
        self.kernel_size = each(kernel_size)
        self.stride = each(stride if stride is not None else kernel_size)
        self.padding = each(padding)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """The partial inverse of `MaxPool1d`: puts the values back at their indices, and zeros elsewhere."""

    _spatial = 1

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpoolNd):
    """The partial inverse of `MaxPool2d`: puts the values back at their indices, and zeros elsewhere."""

    _spatial = 2

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpoolNd):
    """The partial inverse of `MaxPool3d`: puts the values back at their indices, and zeros elsewhere."""

    _spatial = 3

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


# --- average ----------------------------------------------------------------------------------------------------------


class _AvgPoolNd(_Pool):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]
    _shown = 3


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of (N, C, L) or (C, L). It includes the zeros of the padding if `count_include_pad`."""

    def __init__(
        self,
        kernel_size: int | tuple[int],
        stride: int | tuple[int] | None = None,
        padding: int | tuple[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        single = _ntuple(1)
        self.kernel_size = single(kernel_size)
        self.stride = single(stride if stride is not None else kernel_size)
        self.padding = single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        options = (self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)
        return F.avg_pool1d(input, *options)


class _AvgPool2dOr3d(_AvgPoolNd):
    __constants__ = [*_AvgPoolNd.__constants__, "divisor_override"]

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def _options(self) -> tuple:
        return tuple(getattr(self, name) for name in self.__constants__)


class AvgPool2d(_AvgPool2dOr3d):
    """The mean of each window of (N, C, H, W) or (C, H, W). `divisor_override` replaces the window size as divisor."""

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(input, *self._options())


class AvgPool3d(_AvgPool2dOr3d):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W).

    `divisor_override` replaces the window size as divisor.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool3d(input, *self._options())


# --- power average ----------------------------------------------------------------------------------------------------


class _LPPoolNd(_Pool):
    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]
    _shown = 4

    def __init__(
        self,
        norm_type: float,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def _options(self) -> tuple:
        return float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode


class LPPool1d(_LPPoolNd):
    """Power-average pooling of (N, C, L) or (C, L).

    The result is (sum of xᵖ over each window) ** (1/p), where p is `norm_type`.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool1d(input, *self._options())


class LPPool2d(_LPPoolNd):
    """Power-average pooling of (N, C, H, W) or (C, H, W).

    The result is (sum of xᵖ over each window) ** (1/p), where p is `norm_type`.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(input, *self._options())


class LPPool3d(_LPPoolNd):
    """Power-average pooling of (N, C, D, H, W) or (C, D, H, W).

    The result is (sum of xᵖ over each window) ** (1/p), where p is `norm_type`.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool3d(input, *self._options())


# --- random windows ---------------------------------------------------------------------------------------------------


class _FractionalMaxPoolNd(Module):
    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    _spatial: int

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        output_size: int | tuple[int, ...] | None = None,
        output_ratio: float | tuple[float, ...] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        name, each = type(self).__name__, _ntuple(self._spatial)
        self.kernel_size = each(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = each(output_size) if output_size is not None else None
        self.output_ratio = each(output_ratio) if output_ratio is not None else None
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def _options(self) -> tuple:
        return self.kernel_size, self.output_size, self.output_ratio, self.return_indices


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Fractional max pooling: the maximum of windows at random positions (Graham, 2014).

    The number of windows is given by `output_size`, or by `output_ratio` times the input size.
    """

    _spatial = 2

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool2d(input, *self._options(), _random_samples=self._random_samples)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """Fractional max pooling: the maximum of windows at random positions (Graham, 2014).

    The number of windows is given by `output_size`, or by `output_ratio` times the input size.
    """

    _spatial = 3

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool3d(input, *self._options(), _random_samples=self._random_samples)


# --- to a given size --------------------------------------------------------------------------------------------------


class _AdaptivePool(_Pool):
    __constants__ = ["output_size"]
    _shown = 1


class _AdaptiveAvgPoolNd(_AdaptivePool):
    def __init__(self, output_size: int | tuple[int | None, ...] | None) -> None:
        super().__init__()
        self.output_size = output_size


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The means of `output_size` windows that cover (N, C, L) or (C, L)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The means of `output_size` windows that cover (N, C, H, W) or (C, H, W). None keeps the size of a dimension."""

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The means of `output_size` windows that cover (N, C, D, H, W) or (C, D, H, W).

    None keeps the size of a dimension.
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMaxPoolNd(_AdaptivePool):
    __constants__ = ["output_size", "return_indices"]

    def __init__(self, output_size: int | tuple[int | None, ...] | None, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The maxima of `output_size` windows that cover (N, C, L) or (C, L)."""

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The maxima of `output_size` windows that cover (N, C, H, W) or (C, H, W). None keeps the size of a dimension."""

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The maxima of `output_size` windows that cover (N, C, D, H, W) or (C, D, H, W).

    None keeps the size of a dimension.
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)
