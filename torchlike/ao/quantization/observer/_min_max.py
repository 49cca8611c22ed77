"""Observers of one range: its extremes, or their moving average."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike.ao.quantization import utils
from torchlike.ao.quantization.observer._base import _EPS, UniformQuantizationObserverBase


class MinMaxObserver(UniformQuantizationObserverBase):
    """Record the smallest and the largest element of all inputs.

    Args:
      dtype: the dtype of the quantized values.
      qscheme: `torch.per_tensor_affine` or `torch.per_tensor_symmetric`.
      reduce_range: use half of the range of the dtype.
      quant_min: the lowest level; by default that of the dtype.
      quant_max: the highest level; by default that of the dtype.
      factory_kwargs: `device` and `dtype` of the buffers.
      eps: the smallest scale.
      is_dynamic: whether the values are quantized by their own range at run time.
      kwargs: arguments of `UniformQuantizationObserverBase`.

    Raises:
      NotImplementedError: the scheme has several scales.

    >>> import torchlike as torch
    >>> observer = torch.ao.quantization.MinMaxObserver()
    >>> observer(torch.tensor([-1.0, 4.1])) is None
    False
    >>> observer.calculate_qparams()
    (tensor([0.0200]), tensor([50], dtype=torch.int32))
    """

    def __init__(
        self,
        dtype: Any = torch.quint8,
        qscheme: Any = torch.per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: Any = None,
        eps: float = _EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if not utils.is_per_tensor(qscheme):
            raise NotImplementedError(
                "MinMaxObserver's qscheme only support torch.per_tensor_symmetric \
                    and torch.per_tensor_affine."
            )
        super().__init__(dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, is_dynamic, **kwargs)
        factory_kwargs = utils.factory_kwargs(factory_kwargs)
        self.register_buffer("min_val", torch.tensor(float("inf"), **factory_kwargs))
        self.register_buffer("max_val", torch.tensor(float("-inf"), **factory_kwargs))
        _check_reduction(self)

    def forward(self, x_orig: Any) -> Any:
        """Record the extremes of `x_orig` and return it."""
        if x_orig.numel() == 0:
            return x_orig
        least, most = torch.aminmax(x_orig.detach().to(self.min_val.dtype))
        self.min_val.copy_(torch.min(least, self.min_val))
        self.max_val.copy_(torch.max(most, self.max_val))
        return x_orig

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """Return the scale and the zero point, each as a tensor with one element."""
        return self._calculate_qparams(self.min_val, self.max_val)

    def extra_repr(self) -> str:
        """Return the recorded range."""
        return f"min_val={self.min_val}, max_val={self.max_val}"

    def reset_min_max_vals(self) -> None:
        """Forget the recorded range."""
        self.min_val.copy_(torch.tensor(float("inf")))
        self.max_val.copy_(torch.tensor(float("-inf")))


class MovingAverageMinMaxObserver(MinMaxObserver):
    """Record moving averages of the smallest and the largest element of each input.

    Args:
      averaging_constant: the weight of the newest input.
      dtype: the dtype of the quantized values.
      qscheme: `torch.per_tensor_affine` or `torch.per_tensor_symmetric`.
      reduce_range: use half of the range of the dtype.
      quant_min: the lowest level; by default that of the dtype.
      quant_max: the highest level; by default that of the dtype.
      eps: the smallest scale.
      is_dynamic: whether the values are quantized by their own range at run time.
      kwargs: arguments of `MinMaxObserver`.

    Raises:
      NotImplementedError: the scheme has several scales, or the observer is dynamic and `averaging_constant` is not 1.
    """

    def __init__(
        self,
        averaging_constant: float = 0.01,
        dtype: Any = torch.quint8,
        qscheme: Any = torch.per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        eps: float = _EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if not utils.is_per_tensor(qscheme):
            raise NotImplementedError(
                f"MovingAverageMinMaxObserver's qscheme only support \
                torch.per_tensor_symmetric and torch.per_tensor_affine. \
                but got: {qscheme}"
            )
        self.averaging_constant = averaging_constant
        if is_dynamic and averaging_constant != 1:
            raise NotImplementedError(
                "MovingAverageMinMaxObserver doesn't support dynamic quantization for "
                f"averaging constant of {averaging_constant}"
            )
        super().__init__(dtype, qscheme, reduce_range, quant_min, quant_max, eps=eps, is_dynamic=is_dynamic, **kwargs)

    def forward(self, x_orig: Any) -> Any:
        """Move the averages towards the extremes of `x_orig`, and return it."""
        if x_orig.numel() == 0:
            return x_orig
        least, most = torch.aminmax(x_orig.detach().to(self.min_val.dtype))
        _average(self, least, most, (self.min_val == float("inf")) & (self.max_val == float("-inf")))
        return x_orig


def _average(observer: Any, least: Any, most: Any, is_first: Any) -> None:
    """Move the averages. At first, they are the extremes themselves."""
    for old, new in ((observer.min_val, least), (observer.max_val, most)):
        old.copy_(torch.where(is_first, new, old + observer.averaging_constant * (new - old)))


def _check_reduction(observer: Any) -> None:
    """Raise if an unsigned symmetric range shall be reduced."""
    if utils.is_symmetric(observer.qscheme) and observer.reduce_range and observer.dtype is torch.quint8:
        raise NotImplementedError(
            "Cannot reduce range for symmetric \
                                       quantization for quint8"
        )
