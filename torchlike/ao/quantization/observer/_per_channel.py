"""Observers of one range for each channel."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike.ao.quantization import utils
from torchlike.ao.quantization.observer._base import _EPS, UniformQuantizationObserverBase
from torchlike.ao.quantization.observer._min_max import _check_reduction

_SCHEMES = "'s qscheme only support \
                    torch.per_channel_symmetric, torch.per_channel_affine and torch.per_channel_affine_float_qparams."


class PerChannelMinMaxObserver(UniformQuantizationObserverBase):
    """Record the smallest and the largest element of each channel.

    Args:
      ch_axis: the dim of the channels.
      dtype: the dtype of the quantized values.
      qscheme: a scheme with one scale for each channel.
      reduce_range: use half of the range of the dtype.
      quant_min: the lowest level; by default that of the dtype.
      quant_max: the highest level; by default that of the dtype.
      factory_kwargs: `device` and `dtype` of the buffers.
      eps: the smallest scale.
      is_dynamic: must be False.
      kwargs: arguments of `UniformQuantizationObserverBase`.

    Raises:
      NotImplementedError: the scheme has one scale, or the observer is dynamic.

    >>> import torchlike as torch
    >>> observer = torch.ao.quantization.PerChannelMinMaxObserver()
    >>> _ = observer(torch.tensor([[-1.0, 1.0], [0.0, 2.0]]))
    >>> observer.min_val, observer.max_val
    (tensor([-1.,  0.]), tensor([1., 2.]))
    """

    def __init__(
        self,
        ch_axis: int = 0,
        dtype: Any = torch.quint8,
        qscheme: Any = torch.per_channel_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: Any = None,
        eps: float = _EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if not utils.is_per_channel(qscheme):
            raise NotImplementedError(type(self).__name__ + _SCHEMES)
        if is_dynamic:
            raise NotImplementedError(f"{type(self).__name__} doesn't support dynamic quantization")
        super().__init__(dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, is_dynamic, **kwargs)
        factory_kwargs = utils.factory_kwargs(factory_kwargs)
        self.ch_axis = ch_axis
        self.register_buffer("min_val", torch.tensor([], **factory_kwargs))
        self.register_buffer("max_val", torch.tensor([], **factory_kwargs))
        if qscheme is torch.per_channel_symmetric:
            _check_reduction(self)

    def forward(self, x_orig: Any) -> Any:
        """Record the smallest and largest element of each channel of `x_orig`. Return `x_orig`."""
        if x_orig.numel() == 0:
            return x_orig
        least, most = self._extremes(x_orig)
        if self.min_val.numel() and self.max_val.numel():
            least, most = self._updated(least, most)
        self.min_val.resize_(least.shape)
        self.max_val.resize_(most.shape)
        self.min_val.copy_(least)
        self.max_val.copy_(most)
        return x_orig

    def _extremes(self, x: Any) -> Any:
        lines = x.detach().transpose(0, self.ch_axis).to(self.min_val.dtype)
        return torch.aminmax(torch.flatten(lines, start_dim=1), dim=1)

    def _updated(self, least: Any, most: Any) -> tuple[Any, Any]:
        return torch.min(least, self.min_val), torch.max(most, self.max_val)

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """Return the scales and the zero points, one for each channel."""
        return self._calculate_qparams(self.min_val, self.max_val)

    def extra_repr(self) -> str:
        """Return the recorded ranges."""
        return f"min_val={self.min_val}, max_val={self.max_val}"

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: Any,
        unexpected_keys: Any,
        error_msgs: Any,
    ) -> None:
        version = local_metadata.get("version")
        old = "s" if version is not None and version < 3 else ""  # the buffers were called `min_vals` and `max_vals`
        for name in ("min_val", "max_val"):
            key = prefix + name + old
            if key in state_dict:
                getattr(self, name).resize_(state_dict[key].shape)
            elif strict:
                missing_keys.append(key)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def reset_min_max_vals(self) -> None:
        """Forget the recorded ranges."""
        self.min_val = torch.rand(0)
        self.max_val = torch.rand(0)


class MovingAveragePerChannelMinMaxObserver(PerChannelMinMaxObserver):
    """Record moving averages of the smallest and the largest element of each channel.

    Args:
      averaging_constant: the weight of the newest input.
      ch_axis: the dim of the channels.
      dtype: the dtype of the quantized values.
      qscheme: a scheme with one scale for each channel.
      reduce_range: use half of the range of the dtype.
      quant_min: the lowest level; by default that of the dtype.
      quant_max: the highest level; by default that of the dtype.
      eps: the smallest scale.
      is_dynamic: must be False.
      kwargs: arguments of `PerChannelMinMaxObserver`.

    Raises:
      NotImplementedError: the scheme has one scale, or the observer is dynamic.
    """

    def __init__(
        self,
        averaging_constant: float = 0.01,
        ch_axis: int = 0,
        dtype: Any = torch.quint8,
        qscheme: Any = torch.per_channel_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        eps: float = _EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            ch_axis, dtype, qscheme, reduce_range, quant_min, quant_max, eps=eps, is_dynamic=is_dynamic, **kwargs
        )
        self.averaging_constant = averaging_constant

    def _updated(self, least: Any, most: Any) -> tuple[Any, Any]:
        rate, old_least, old_most = self.averaging_constant, self.min_val, self.max_val
        return old_least + rate * (least - old_least), old_most + rate * (most - old_most)
