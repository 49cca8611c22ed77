"""Fake quantization: modules that round to the levels of a quantized tensor, in floating point, during training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torchlike as torch
from torchlike.ao.quantization import utils
from torchlike.ao.quantization.observer import (
    _EPS,
    FixedQParamsObserver,
    HistogramObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    _with_args,
    default_fixed_qparams_range_0to1_observer,
    default_fixed_qparams_range_neg1to1_observer,
)
from torchlike.nn import Module


class FakeQuantizeBase(ABC, Module):
    """The base class of fake-quantization modules. Two buffers switch the observer and the rounding."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("fake_quant_enabled", torch.tensor([1], dtype=torch.uint8))
        self.register_buffer("observer_enabled", torch.tensor([1], dtype=torch.uint8))

    @abstractmethod
    def forward(self, x: Any, /) -> Any:
        """Return `x`, rounded."""

    @abstractmethod
    def calculate_qparams(self, **kwargs: Any) -> Any:
        """Return the scale and the zero point."""

    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Switch the rounding on or off.

        Args:
          enabled: whether it is on.
        """
        self.fake_quant_enabled[0] = 1 if enabled else 0

    def disable_fake_quant(self) -> None:
        """Switch the rounding off."""
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        """Switch the observer on or off.

        Args:
          enabled: whether it is on.
        """
        self.observer_enabled[0] = 1 if enabled else 0

    def disable_observer(self) -> None:
        """Switch the observer off."""
        self.enable_observer(False)

    @classmethod
    def with_args(cls, **kwargs: Any) -> Any:
        """Return a constructor with preset arguments."""
        made = _with_args(cls, **kwargs)
        made.__module__ = "torch.ao.quantization.fake_quantize"
        return made


class FakeQuantize(FakeQuantizeBase):
    """Observe the input, and round it to the levels that the observer chooses. The gradient passes straight through.

    Args:
      observer: the constructor of the observer.
      quant_min: the lowest level.
      quant_max: the highest level.
      is_dynamic: whether the values are quantized by their own range at run time.
      observer_kwargs: arguments of the observer.

    Raises:
      AssertionError: the range or the scheme is invalid.

    >>> import torchlike as torch
    >>> torch.ao.quantization.FakeQuantize()(torch.tensor([0.0, 0.1, 1.0]))
    tensor([0.0000, 0.0980, 1.0000])
    """

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int | None = None,
        quant_max: int | None = None,
        is_dynamic: bool = False,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__()
        if quant_min is not None and quant_max is not None:
            _check_range(observer, quant_min, quant_max, observer_kwargs)
            observer_kwargs.update({"quant_min": quant_min, "quant_max": quant_max})
        observer_kwargs["is_dynamic"] = is_dynamic
        self.activation_post_process = observer(**observer_kwargs)
        watched = self.activation_post_process
        self.quant_min = watched.quant_min
        self.quant_max = watched.quant_max
        self.is_dynamic = watched.is_dynamic
        is_float = watched.qscheme is torch.per_channel_affine_float_qparams
        self.register_buffer("scale", torch.tensor([1.0], dtype=torch.float))
        self.register_buffer("zero_point", torch.tensor([0], dtype=torch.float if is_float else torch.int))
        self.dtype = watched.dtype
        self.qscheme = watched.qscheme
        self.ch_axis = getattr(watched, "ch_axis", -1)
        if not (utils.is_per_channel(self.qscheme) or utils.is_per_tensor(self.qscheme)):
            raise AssertionError(
                "Only per channel and per tensor quantization are supported in fake quantize got qscheme: "
                + str(self.qscheme)
            )
        self.is_per_channel = utils.is_per_channel(self.qscheme)

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """Return the scale and the zero point of the observer."""
        return self.activation_post_process.calculate_qparams()

    def forward(self, X: Any) -> Any:
        """Return `X`, rounded."""
        if self.observer_enabled.item():
            self.activation_post_process(X.detach())
            scale, zero_point = self.calculate_qparams()
            if self.scale.shape != scale.shape:
                self.scale.resize_(scale.shape)
                self.zero_point.resize_(zero_point.shape)
            self.scale.copy_(scale.to(self.scale.device))
            self.zero_point.copy_(zero_point.to(self.zero_point.device))
        if not self.fake_quant_enabled.item():
            return X
        low, high = self.activation_post_process.quant_min, self.activation_post_process.quant_max
        if self.is_per_channel:
            return torch.fake_quantize_per_channel_affine(X, self.scale, self.zero_point, self.ch_axis, low, high)
        return torch.fake_quantize_per_tensor_affine(X, self.scale, self.zero_point, low, high)

    def extra_repr(self) -> str:
        """Return the switches and the parameters."""
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, "
            f"quant_min={self.activation_post_process.quant_min}, quant_max={self.activation_post_process.quant_max}, "
            f"dtype={self.dtype}, qscheme={self.qscheme}, ch_axis={self.ch_axis}, "
            f"scale={self.scale}, zero_point={self.zero_point}"
        )

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "scale"] = self.scale
        destination[prefix + "zero_point"] = self.zero_point

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
        for name in ("scale", "zero_point"):
            key = prefix + name
            if key in state_dict:
                getattr(self, name).resize_(state_dict[key].shape)
            elif strict:
                missing_keys.append(key)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


def _check_range(observer: Any, low: int, high: int, given: dict[str, Any]) -> None:
    if low > high:
        raise AssertionError("quant_min must be less than or equal to quant_max")
    dtype = given.get("dtype", torch.quint8)
    if hasattr(observer, "p"):
        dtype = getattr(observer.p, "keywords", {}).get("dtype", dtype)
    limits = torch.iinfo(dtype)
    if limits.min > low:
        raise AssertionError("quant_min out of bound")
    if high > limits.max:
        raise AssertionError("quant_max out of bound")


class FixedQParamsFakeQuantize(FakeQuantize):
    """Round to the levels of fixed parameters.

    Args:
      observer: the constructor of a `FixedQParamsObserver`.

    Raises:
      AssertionError: the observer is another one.
    """

    def __init__(self, observer: Any) -> None:
        super().__init__(observer=observer)
        if type(self.activation_post_process) is not FixedQParamsObserver:
            raise AssertionError(f"{type(self).__name__}'s observer must be a FixedQParamsObserver")
        self._observer_ctr = observer
        self.scale = self.activation_post_process.scale
        self.zero_point = self.activation_post_process.zero_point

    def calculate_qparams(self) -> Any:
        """Return the fixed scale and zero point."""
        return self.scale, self.zero_point

    def extra_repr(self) -> str:
        """Return the switches and the parameters."""
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, "
            f"scale={self.scale}, zero_point={self.zero_point}, dtype={self.dtype}, "
            f"quant_min={self.activation_post_process.quant_min}, quant_max={self.activation_post_process.quant_max}, "
            f"qscheme={self.qscheme}"
        )


class FusedMovingAvgObsFakeQuantize(FakeQuantize):
    """Do the same as `FakeQuantize` with a moving average, in one operator.

    Args:
      observer: the constructor of an observer with moving averages.
      quant_min: the lowest level.
      quant_max: the highest level.
      observer_kwargs: arguments of the observer.

    Raises:
      AssertionError: the observer has no moving averages.
    """

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int = 0,
        quant_max: int = 255,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__(observer, quant_min, quant_max, **observer_kwargs)
        kinds = MovingAverageMinMaxObserver | MovingAveragePerChannelMinMaxObserver
        if not isinstance(self.activation_post_process, kinds):
            raise AssertionError("Fused observer+fake_quant module only works with MovingAverageMinMaxObserver")
        self.register_buffer("fake_quant_enabled", torch.tensor([1], dtype=torch.long))
        self.register_buffer("observer_enabled", torch.tensor([1], dtype=torch.long))
        self.is_symmetric_quant = utils.is_symmetric(self.activation_post_process.qscheme)

    def forward(self, X: Any) -> Any:
        """Return `X`, rounded."""
        watched = self.activation_post_process
        return torch.fused_moving_avg_obs_fake_quant(
            X,
            self.observer_enabled,
            self.fake_quant_enabled,
            watched.min_val,
            watched.max_val,
            self.scale,
            self.zero_point,
            watched.averaging_constant,
            watched.quant_min,
            watched.quant_max,
            self.ch_axis,
            self.is_per_channel,
            self.is_symmetric_quant,
        )

    def extra_repr(self) -> str:
        """Return the switches and the parameters."""
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, "
            f"scale={self.scale}, zero_point={self.zero_point}, dtype={self.dtype}, "
            f"quant_min={self.activation_post_process.quant_min}, quant_max={self.activation_post_process.quant_max}, "
            f"qscheme={self.qscheme}, reduce_range={self.activation_post_process.reduce_range}"
        )


_BYTES = {"quant_min": 0, "quant_max": 255, "dtype": torch.quint8}
_SIGNED = {"quant_min": -128, "quant_max": 127, "dtype": torch.qint8}
_NARROW = {"quant_min": -127, "quant_max": 127, "dtype": torch.qint8}
_ONE, _EACH = MovingAverageMinMaxObserver, MovingAveragePerChannelMinMaxObserver

default_fake_quant = FakeQuantize.with_args(observer=_ONE, **_BYTES, qscheme=torch.per_tensor_affine, reduce_range=True)
default_weight_fake_quant = FakeQuantize.with_args(
    observer=_ONE, **_SIGNED, qscheme=torch.per_tensor_symmetric, reduce_range=False
)
default_dynamic_fake_quant = FakeQuantize.with_args(
    observer=_ONE, quant_min=0, quant_max=255, is_dynamic=True, dtype=torch.quint8, averaging_constant=1
)
default_fixed_qparams_range_neg1to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_neg1to1_observer
)
default_fixed_qparams_range_0to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_0to1_observer
)
default_symmetric_fixed_qparams_fake_quant = default_fixed_qparams_range_neg1to1_fake_quant
default_affine_fixed_qparams_fake_quant = default_fixed_qparams_range_0to1_fake_quant
default_per_channel_weight_fake_quant = FakeQuantize.with_args(
    observer=_EACH, **_SIGNED, qscheme=torch.per_channel_symmetric, reduce_range=False, ch_axis=0
)
default_embedding_fake_quant = FakeQuantize.with_args(
    observer=_EACH,
    qscheme=torch.per_channel_affine_float_qparams,
    dtype=torch.quint8,
    quant_min=0,
    quant_max=255,
    ch_axis=0,
    averaging_constant=1,
)
default_embedding_fake_quant_4bit = FakeQuantize.with_args(
    observer=_EACH,
    qscheme=torch.per_channel_affine_float_qparams,
    ch_axis=0,
    dtype=torch.quint4x2,
    averaging_constant=1,
)
default_histogram_fake_quant = FakeQuantize.with_args(
    observer=HistogramObserver, **_BYTES, qscheme=torch.per_tensor_affine, reduce_range=True
)
default_fused_act_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(observer=_ONE, **_BYTES)
default_fused_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=_ONE, **_SIGNED, qscheme=torch.per_tensor_symmetric
)
default_fused_per_channel_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=_EACH, **_SIGNED, qscheme=torch.per_channel_symmetric
)
fused_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    observer=_ONE, **_NARROW, qscheme=torch.per_tensor_symmetric, eps=_EPS
)
fused_per_channel_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    observer=_EACH, **_NARROW, qscheme=torch.per_channel_symmetric, eps=_EPS
)


def disable_fake_quant(mod: Any) -> None:
    """Switch the rounding of a fake-quantization module off. Other modules are ignored: use it with `Module.apply`.

    Args:
      mod: a module.
    """
    if isinstance(mod, FakeQuantizeBase):
        mod.disable_fake_quant()


def enable_fake_quant(mod: Any) -> None:
    """Switch the rounding of a fake-quantization module on. Other modules are ignored: use it with `Module.apply`.

    Args:
      mod: a module.
    """
    if isinstance(mod, FakeQuantizeBase):
        mod.enable_fake_quant()


def disable_observer(mod: Any) -> None:
    """Switch the observer of a fake-quantization module off. Other modules are ignored: use it with `Module.apply`.

    Args:
      mod: a module.
    """
    if isinstance(mod, FakeQuantizeBase):
        mod.disable_observer()


def enable_observer(mod: Any) -> None:
    """Switch the observer of a fake-quantization module on. Other modules are ignored: use it with `Module.apply`.

    Args:
      mod: a module.
    """
    if isinstance(mod, FakeQuantizeBase):
        mod.enable_observer()
