"""Pooling layers."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import own_methods
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

    Args:
      kernel_size: the size of the windows.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of -∞ around each side, at most half of `kernel_size`.
      dilation: the distance of the elements of a window.
      return_indices: also return the index of each maximum.
      ceil_mode: round the number of windows up instead of down.

    Raises:
      RuntimeError: the padding is too large, or a window larger than the padded input. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.MaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 5.0]]))
    tensor([[3., 5.]])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool1d(input, **self._options())


class MaxPool2d(_MaxPoolNd):
    """The maximum of each window of (N, C, H, W) or (C, H, W). `MaxPool1d` gives the formula of the output size.

    Args:
      kernel_size: the size of the windows, one number or one number per dimension.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of -∞ around each side, at most half of `kernel_size`.
      dilation: the distance of the elements of a window.
      return_indices: also return the index of each maximum in the flattened image.
      ceil_mode: round the number of windows up instead of down.

    Raises:
      RuntimeError: the padding is too large, or a window larger than the padded input. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.MaxPool2d(2)(torch.ones(1, 3, 6, 7)).shape
    torch.Size([1, 3, 3, 3])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool2d(input, **self._options())


class MaxPool3d(_MaxPoolNd):
    """The maximum of each window of (N, C, D, H, W) or (C, D, H, W).

    `MaxPool1d` gives the formula of the output size.

    Args:
      kernel_size: the size of the windows, one number or one number per dimension.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of -∞ around each side, at most half of `kernel_size`.
      dilation: the distance of the elements of a window.
      return_indices: also return the index of each maximum in the flattened volume.
      ceil_mode: round the number of windows up instead of down.

    Raises:
      RuntimeError: the padding is too large, or a window larger than the padded input. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.MaxPool3d(2)(torch.ones(1, 4, 6, 7)).shape
    torch.Size([1, 2, 3, 3])
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


@own_methods("__init__")
class MaxUnpool1d(_MaxUnpoolNd):
    """The partial inverse of `MaxPool1d`: puts the values back at their indices, and zeros elsewhere.

    A call receives the values, their indices and optionally the output size.

    Args:
      kernel_size, stride, padding: as given to `MaxPool1d`. The default of `stride` is `kernel_size`.

    >>> import torchlike as torch
    >>> values, indices = torch.nn.MaxPool1d(2, return_indices=True)(torch.tensor([[1.0, 3.0, 2.0, 5.0]]))
    >>> torch.nn.MaxUnpool1d(2)(values, indices)
    tensor([[0., 3., 0., 5.]])
    """

    _spatial = 1

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


@own_methods("__init__")
class MaxUnpool2d(_MaxUnpoolNd):
    """The partial inverse of `MaxPool2d`: puts the values back at their indices, and zeros elsewhere.

    A call receives the values, their indices and optionally the output size.

    Args:
      kernel_size, stride, padding: as given to `MaxPool2d`. The default of `stride` is `kernel_size`.

    >>> import torchlike as torch
    >>> values, indices = torch.nn.MaxPool2d(2, return_indices=True)(torch.ones(1, 4, 4))
    >>> torch.nn.MaxUnpool2d(2)(values, indices).shape
    torch.Size([1, 4, 4])
    """

    _spatial = 2

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


@own_methods("__init__")
class MaxUnpool3d(_MaxUnpoolNd):
    """The partial inverse of `MaxPool3d`: puts the values back at their indices, and zeros elsewhere.

    A call receives the values, their indices and optionally the output size.

    Args:
      kernel_size, stride, padding: as given to `MaxPool3d`. The default of `stride` is `kernel_size`.

    >>> import torchlike as torch
    >>> values, indices = torch.nn.MaxPool3d(2, return_indices=True)(torch.ones(1, 4, 4, 4))
    >>> torch.nn.MaxUnpool3d(2)(values, indices).shape
    torch.Size([1, 4, 4, 4])
    """

    _spatial = 3

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


# --- average ----------------------------------------------------------------------------------------------------------


class _AvgPoolNd(_Pool):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]
    _shown = 3


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of (N, C, L) or (C, L).

    Args:
      kernel_size: the size of the windows.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of zeros around each side, at most half of `kernel_size`.
      ceil_mode: round the number of windows up instead of down.
      count_include_pad: whether the padding counts as elements of the mean.

    Raises:
      RuntimeError: the padding is too large, or a window larger than the padded input. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.AvgPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 6.0]]))
    tensor([[2., 4.]])
    """

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


@own_methods("__init__")
class AvgPool2d(_AvgPool2dOr3d):
    """The mean of each window of (N, C, H, W) or (C, H, W).

    Args:
      kernel_size: the size of the windows, one number or one number per dimension.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of zeros around each side, at most half of `kernel_size`.
      ceil_mode: round the number of windows up instead of down.
      count_include_pad: whether the padding counts as elements of the mean.
      divisor_override: replaces the number of elements as divisor; not 0.

    Raises:
      RuntimeError: the padding is too large, or a window larger than the padded input. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.AvgPool2d(2)(torch.arange(4.0).reshape(1, 2, 2))
    tensor([[[1.5000]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(input, *self._options())


@own_methods("__init__")
class AvgPool3d(_AvgPool2dOr3d):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
      kernel_size: the size of the windows, one number or one number per dimension.
      stride: the distance of the windows, `kernel_size` by default.
      padding: the number of zeros around each side, at most half of `kernel_size`.
      ceil_mode: round the number of windows up instead of down.
      count_include_pad: whether the padding counts as elements of the mean.
      divisor_override: replaces the number of elements as divisor; not 0.

    Raises:
      RuntimeError: the padding is too large, or a window larger than the padded input. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.AvgPool3d(2)(torch.ones(1, 4, 6, 7)).shape
    torch.Size([1, 2, 3, 3])
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

    The result is (sum of xᵖ over each window) ** (1/p).

    Args:
      norm_type: p.
      kernel_size: the size of the windows, one number or one number per dimension.
      stride: the distance of the windows, `kernel_size` by default.
      ceil_mode: round the number of windows up instead of down.

    >>> import torchlike as torch
    >>> torch.nn.LPPool1d(2, 2)(torch.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool1d(input, *self._options())


class LPPool2d(_LPPoolNd):
    """Power-average pooling of (N, C, H, W) or (C, H, W).

    The result is (sum of xᵖ over each window) ** (1/p).

    Args:
      norm_type: p.
      kernel_size: the size of the windows, one number or one number per dimension.
      stride: the distance of the windows, `kernel_size` by default.
      ceil_mode: round the number of windows up instead of down.

    >>> import torchlike as torch
    >>> torch.nn.LPPool2d(2, 2)(torch.ones(1, 4, 6)).shape
    torch.Size([1, 2, 3])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(input, *self._options())


class LPPool3d(_LPPoolNd):
    """Power-average pooling of (N, C, D, H, W) or (C, D, H, W).

    The result is (sum of xᵖ over each window) ** (1/p).

    Args:
      norm_type: p.
      kernel_size: the size of the windows, one number or one number per dimension.
      stride: the distance of the windows, `kernel_size` by default.
      ceil_mode: round the number of windows up instead of down.

    >>> import torchlike as torch
    >>> torch.nn.LPPool3d(2, 2)(torch.ones(1, 4, 4, 6)).shape
    torch.Size([1, 2, 2, 3])
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


@own_methods("__init__")
class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Fractional max pooling of (N, C, H, W) or (C, H, W): maxima of windows at random positions (Graham, 2014).

    Args:
      kernel_size: the size of the windows.
      output_size: the number of windows along each dimension.
      output_ratio: the output size as a fraction of the input size, between 0 and 1. Give this or `output_size`.
      return_indices: also return the indices of the maxima.
      _random_samples: (N, C, 2), numbers in [0, 1) that determine the positions of the windows.

    Raises:
      ValueError: both or neither of `output_size` and `output_ratio` is given, or a ratio is not between 0 and 1.

    >>> import torchlike as torch
    >>> torch.nn.FractionalMaxPool2d(2, output_ratio=0.5)(torch.ones(1, 8, 6)).shape
    torch.Size([1, 4, 3])
    """

    _spatial = 2

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool2d(input, *self._options(), _random_samples=self._random_samples)


@own_methods("__init__")
class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """Fractional max pooling of (N, C, D, H, W) or (C, D, H, W): maxima of windows at random positions (Graham, 2014).

    Args:
      kernel_size: the size of the windows.
      output_size: the number of windows along each dimension.
      output_ratio: the output size as a fraction of the input size, between 0 and 1. Give this or `output_size`.
      return_indices: also return the indices of the maxima.
      _random_samples: (N, C, 3), numbers in [0, 1) that determine the positions of the windows.

    Raises:
      ValueError: both or neither of `output_size` and `output_ratio` is given, or a ratio is not between 0 and 1.

    >>> import torchlike as torch
    >>> torch.nn.FractionalMaxPool3d(2, output_size=3)(torch.ones(1, 8, 6, 6)).shape
    torch.Size([1, 3, 3, 3])
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
    """The means of `output_size` windows that cover (N, C, L) or (C, L).

    Args:
      output_size: the number of windows.

    >>> import torchlike as torch
    >>> torch.nn.AdaptiveAvgPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 6.0]]))
    tensor([[2., 4.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The means of `output_size` windows that cover (N, C, H, W) or (C, H, W).

    Args:
      output_size: the number of windows in each dimension, or one number for both. None keeps the size of a dimension.

    >>> import torchlike as torch
    >>> torch.nn.AdaptiveAvgPool2d((2, None))(torch.ones(1, 4, 6)).shape
    torch.Size([1, 2, 6])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The means of `output_size` windows that cover (N, C, D, H, W) or (C, D, H, W).

    Args:
      output_size: the number of windows in each dimension, or one number for all. None keeps the size of a dimension.

    >>> import torchlike as torch
    >>> torch.nn.AdaptiveAvgPool3d(1)(torch.ones(1, 4, 4, 6)).shape
    torch.Size([1, 1, 1, 1])
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
    """The maxima of `output_size` windows that cover (N, C, L) or (C, L).

    Args:
      output_size: the number of windows.
      return_indices: also return the index of each maximum.

    >>> import torchlike as torch
    >>> torch.nn.AdaptiveMaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 6.0]]))
    tensor([[3., 6.]])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The maxima of `output_size` windows that cover (N, C, H, W) or (C, H, W).

    Args:
      output_size: the number of windows in each dimension, or one number for both. None keeps the size of a dimension.
      return_indices: also return the index of each maximum in the flattened image.

    >>> import torchlike as torch
    >>> torch.nn.AdaptiveMaxPool2d((2, None))(torch.ones(1, 4, 6)).shape
    torch.Size([1, 2, 6])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The maxima of `output_size` windows that cover (N, C, D, H, W) or (C, D, H, W).

    Args:
      output_size: the number of windows in each dimension, or one number for all. None keeps the size of a dimension.
      return_indices: also return the index of each maximum in the flattened volume.

    >>> import torchlike as torch
    >>> torch.nn.AdaptiveMaxPool3d(1)(torch.ones(1, 4, 4, 6)).shape
    torch.Size([1, 1, 1, 1])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)
