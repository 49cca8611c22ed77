"""The base classes of observers, and constructors with preset arguments."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections import OrderedDict
from typing import Any

import torchlike as torch
from torchlike._errors.warned import warn
from torchlike.ao.quantization import utils
from torchlike.nn import Module

_EPS = torch.finfo(torch.float32).eps
_DTYPES = (
    torch.qint8,
    torch.quint8,
    torch.quint4x2,
    torch.qint32,
    torch.int8,
    torch.uint8,
    torch.int16,
    torch.int32,
    torch.float8_e5m2,
    torch.float8_e4m3fn,
    torch.uint16,
)


class _PartialWrapper:
    """A constructor with preset arguments. Some may be functions that return the argument.

    `with_args` and `with_callable_args` of observers and fake-quantization modules make it. `default_observer` and
    similar names are of this class. A call returns a new module.

    Args:
      p: the constructor, usually a `functools.partial`.
      *args, **keywords: of a call: the arguments of the constructor. They replace preset arguments of the same name.

    >>> import torchlike as torch
    >>> torch.ao.quantization.MinMaxObserver.with_args(quant_max=127, quant_min=0)(quant_max=100).quant_max
    100
    """

    def __init__(self, p: Any) -> None:
        self.p = p
        self.callable_args: dict[str, Any] = {}

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        late = {name: make() for name, make in self.callable_args.items() if name not in keywords}
        return self.p(*args, **keywords, **late)

    def __repr__(self) -> str:
        return repr(self.p) + repr(self.callable_args)

    def with_args(self, **kwargs: Any) -> _PartialWrapper:
        """Return a constructor with more preset arguments."""
        return _with_args(self, **kwargs)

    def with_callable_args(self, **kwargs: Any) -> _PartialWrapper:
        """Return a constructor with more preset arguments, each a function that returns the argument."""
        made = _PartialWrapper(self.p)
        made.callable_args = {**self.callable_args, **kwargs}
        return made


def _with_args(cls_or_self: Any, **kwargs: Any) -> _PartialWrapper:
    """Return a constructor with preset arguments."""
    return _PartialWrapper(functools.partial(cls_or_self, **kwargs))


def _with_callable_args(cls_or_self: Any, **kwargs: Any) -> _PartialWrapper:
    """Return a constructor with preset arguments, each a function that returns the argument."""
    return _PartialWrapper(functools.partial(cls_or_self)).with_callable_args(**kwargs)


class ObserverBase(ABC, Module):
    """The base class of observers.

    Args:
      dtype: the dtype of the quantized values.
      is_dynamic: whether the values are quantized by their own range at run time.
    """

    def __init__(self, dtype: Any, is_dynamic: bool = False) -> None:
        super().__init__()
        self.dtype = dtype
        self.is_dynamic = is_dynamic

    @abstractmethod
    def forward(self, x: Any, /) -> Any:
        """Watch `x` and return it."""

    @abstractmethod
    def calculate_qparams(self, **kwargs: Any) -> Any:
        """Return the scale and the zero point."""

    with_args = classmethod(_with_args)
    with_callable_args = classmethod(_with_callable_args)


class UniformQuantizationObserverBase(ObserverBase):
    """The base class of observers that choose equally spaced levels.

    Args:
      dtype: the dtype of the quantized values.
      qscheme: the quantization scheme.
      reduce_range: use half of the range of the dtype.
      quant_min: the lowest level; by default that of the dtype.
      quant_max: the highest level; by default that of the dtype.
      factory_kwargs: `device` and `dtype` of the buffers.
      eps: the smallest scale.
      is_dynamic: whether the values are quantized by their own range at run time.
      **kwargs: must be empty.

    Raises:
      AssertionError: the scheme or the dtype is not supported, or the range is invalid.
    """

    _version = 3

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
        factory_kwargs = utils.factory_kwargs(factory_kwargs)
        super().__init__(dtype=dtype, is_dynamic=is_dynamic, **kwargs)
        self.qscheme = qscheme
        if reduce_range:
            warn(
                "Please use quant_min and quant_max to specify the range for observers. \
                    reduce_range will be deprecated in a future release of PyTorch."
            )
        self.reduce_range = reduce_range
        self.register_buffer("eps", torch.tensor([eps], **factory_kwargs))
        if not utils.is_per_tensor(qscheme) and not utils.is_per_channel(qscheme):
            raise AssertionError(
                "Default Observer only works for per_tensor_affine, per_tensor_symmetric, "
                "per_channel_affine, per_channel_symmetric and per_channel_float_qparams quantization scheme"
            )
        if dtype not in _DTYPES:
            raise AssertionError(f"Default Observer only works for {_DTYPES} data type")
        self.has_customized_qrange = quant_min is not None and quant_max is not None
        if quant_min is not None and quant_max is not None:
            utils.validate_qmin_qmax(quant_min, quant_max)
        self.quant_min, self.quant_max = utils.calculate_qmin_qmax(
            quant_min, quant_max, self.has_customized_qrange, dtype, reduce_range
        )

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
        if local_metadata.get("version") in (None, 1):
            state_dict[prefix + "eps"] = torch.tensor([_EPS])
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def _calculate_qparams(self, min_val: Any, max_val: Any) -> tuple[Any, Any]:
        """Return the scales and the zero points for the given ranges, as one-dim tensors."""
        device = min_val.device
        if not utils.check_min_max_valid(min_val, max_val):
            return torch.tensor([1.0], device=device.type), torch.tensor([0], device=device.type)
        scale, zero_point = self._chosen(min_val, max_val)
        return torch.atleast_1d(scale), torch.atleast_1d(zero_point)

    def _chosen(self, min_val: Any, max_val: Any) -> tuple[Any, Any]:
        low, high = self.quant_min, self.quant_max
        least = torch.min(min_val, torch.zeros_like(min_val))
        most = torch.max(max_val, torch.zeros_like(max_val))
        if utils.is_symmetric(self.qscheme):
            scale = torch.max(_quotient(torch.max(-least, most), float(high - low) / 2), self.eps)
            return scale, torch.full(least.shape, self._middle(), dtype=torch.int64, device=least.device)
        if self.qscheme is torch.per_channel_affine_float_qparams:
            scale = _quotient(max_val - min_val, float(high - low))
            scale = torch.where(scale > self.eps, scale, torch.ones_like(scale))
            return scale, -1 * min_val / scale
        scale = torch.max(_quotient(most - least, float(high - low)), self.eps)
        zero_point = low - torch.round(least / scale).to(torch.int)
        return scale, torch.clamp(zero_point, low, high)

    def _middle(self) -> int:
        """Return the zero point of symmetric schemes."""
        if self.dtype in (torch.quint8, torch.uint8):
            return (self.quant_min + self.quant_max) // 2 if self.has_customized_qrange else 128
        return 2**15 if self.dtype is torch.uint16 else 0

    def reset_min_max_vals(self) -> None:
        """Forget the watched range. This class has none.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError("Cannot reset min/max values in the given observer.")


def _quotient(x: Any, number: float) -> Any:
    """Return `x / number`, correctly rounded. XLA multiplies by the inverse, which is exact enough in float64 only.

    The largest element of a tensor lies on a tie of its own scale, so that an error in the last bit would move it.
    """
    return (x.double() / number).to(x.dtype)


def _is_activation_post_process(module: Any) -> bool:
    """Return whether a module is an observer or a fake-quantization module.

    Args:
      module (Module): the module.

    >>> import torchlike as torch
    >>> torch.ao.quantization.is_activation_post_process(torch.ao.quantization.MinMaxObserver())
    True
    """
    from torchlike.ao.quantization.fake_quantize import FakeQuantizeBase

    return isinstance(module, ObserverBase | FakeQuantizeBase)


def get_observer_state_dict(mod: Any) -> OrderedDict:
    """Return the entries of the state dict that belong to observers.

    Args:
      mod: a prepared model.
    """
    whole = mod.state_dict()
    found = OrderedDict((key, value) for key, value in whole.items() if "activation_post_process" in key)
    found._metadata = whole._metadata  # type: ignore[attr-defined]
    return found


def load_observer_state_dict(mod: Any, obs_dict: Any) -> None:
    """Load the state of the observers of a prepared model.

    Args:
      mod: a prepared model.
      obs_dict: the result of `get_observer_state_dict`.

    Raises:
      Exception: a key is missing or unexpected.
    """
    missing: list[str] = []
    unexpected: list[str] = []
    for name, module in mod.named_modules():
        if _is_activation_post_process(module):
            module._load_from_state_dict(obs_dict, name + ".", {}, False, missing, unexpected, [])
    for kind, keys in (("Missing keys", missing), ("Unexpected keys", unexpected)):
        for key in keys:
            if "observer" in key or "activation_post_process" in key:
                raise Exception(f"{kind} for observer {key} in state_dict")
