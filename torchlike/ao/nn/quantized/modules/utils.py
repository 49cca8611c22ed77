"""What quantized layers share: the quantization of a weight, and the conversion of a layer."""

from __future__ import annotations

import abc
from typing import Any

import torchlike as torch
from torchlike import _quantized
from torchlike.nn.modules.module import _addindent


class WeightedQuantizedModule(torch.nn.Module, metaclass=abc.ABCMeta):
    """The base class of quantized layers with a weight."""

    @classmethod
    def from_reference(cls, ref_module: Any, output_scale: Any, output_zero_point: Any) -> Any:
        """Raise: reference modules belong to graph mode quantization.

        Args:
          ref_module: the reference module.
          output_scale: the scale of the result.
          output_zero_point: the zero point of the result.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError(
            f"{cls.__name__}.from_reference: reference modules are not supported by torchlike yet"
        )


def _quantize_weight(float_wt: Any, observer: Any) -> Any:
    """Return a weight quantized with the parameters of an observer.

    Raises:
      ValueError: the scheme of the observer is unknown.
    """
    scale, zero_point = observer.calculate_qparams()
    if observer.qscheme in (torch.per_tensor_symmetric, torch.per_tensor_affine):
        made = torch.quantize_per_tensor(float_wt, float(scale), int(zero_point), torch.qint8)
    elif observer.qscheme in (torch.per_channel_symmetric, torch.per_channel_affine):
        numbers = scale.to(torch.double), zero_point.to(torch.int64)
        made = torch.quantize_per_channel(float_wt, *numbers, observer.ch_axis, torch.qint8)
    elif observer.qscheme is torch.per_channel_affine_float_qparams:
        numbers = scale.to(torch.float), zero_point.to(torch.float)
        made = torch.quantize_per_channel(float_wt, *numbers, observer.ch_axis, observer.dtype)
    else:
        raise ValueError(f"Unexpected qscheme {observer.qscheme}")
    return _clamp_weights(made, observer, scale, zero_point)


def _clamp_weights(qweight: Any, observer: Any, scale: Any, zp: Any) -> Any:
    """Return a quantized weight clamped to the levels of an observer, if these are fewer than those of the dtype."""
    watched = getattr(observer, "activation_post_process", observer)
    limits = torch.iinfo(qweight.dtype)
    if watched.quant_min <= limits.min and watched.quant_max >= limits.max:
        return qweight
    ints = qweight.int_repr().clamp(watched.quant_min, watched.quant_max)
    if qweight.qscheme() is torch.per_tensor_affine:
        return _quantized._make_per_tensor_quantized_tensor(ints, scale.item(), zp.item())
    return _quantized._make_per_channel_quantized_tensor(ints, scale, zp, axis=watched.ch_axis)


def _hide_packed_params_repr(self: Any, params: Any) -> str:
    """Return the `repr` of a module without its submodules of the class `params`."""
    extra = self.extra_repr()
    lines = extra.split("\n") if extra else []
    children = [
        f"({name}): {_addindent(repr(module), 2)}"
        for name, module in self._modules.items()
        if not isinstance(module, params)
    ]
    if len(lines) == 1 and not children:
        return f"{self._get_name()}({lines[0]})"
    body = "\n  " + "\n  ".join(lines + children) + "\n" if lines or children else ""
    return f"{self._get_name()}({body})"


def output_parameters(mod: Any) -> tuple[float, int]:
    """Return the scale and the zero point of the observer of a module's results."""
    scale, zero_point = mod.activation_post_process.calculate_qparams()
    return float(scale), int(zero_point)


def check_float_module(cls: Any, mod: Any, permitted: tuple[type, ...], found: type) -> None:
    """Raise if a float module is of another class than the permitted ones, or has no configuration."""
    if found not in permitted:
        names = ", ".join(kind.__name__ for kind in permitted)
        raise AssertionError(f"nnq.{cls.__name__}.from_float only works for {names}, but got: {type(mod)}")
    if not hasattr(mod, "qconfig"):
        raise AssertionError("Input float module must have qconfig defined")
