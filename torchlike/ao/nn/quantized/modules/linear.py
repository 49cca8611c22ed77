"""The quantized linear layer."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike._errors import arguments
from torchlike._quantized import _empty_affine_quantized
from torchlike.ao.nn import intrinsic as nni
from torchlike.ao.nn.intrinsic import qat as nniqat
from torchlike.ao.nn.quantized.modules.utils import (
    WeightedQuantizedModule,
    _hide_packed_params_repr,
    _quantize_weight,
    check_float_module,
    output_parameters,
)
from torchlike.nn.modules.linear import NonDynamicallyQuantizableLinear
from torchlike.nn.utils import fuse_linear_bn_weights
from torchlike.nn.utils.parametrize import type_before_parametrizations


class LinearPackedParams(nn.Module):
    """The packed weight and bias of a linear layer.

    Args:
      dtype: `torch.qint8`.

    Raises:
      NotImplementedError: the dtype is `torch.float16`.
    """

    _version = 3

    def __init__(self, dtype: Any = torch.qint8) -> None:
        super().__init__()
        self.dtype = dtype
        _check_dtype(dtype)
        self.set_weight_bias(_empty_affine_quantized([1, 1], scale=1.0, zero_point=0, dtype=torch.qint8), None)

    def set_weight_bias(self, weight: Any, bias: Any) -> None:
        """Replace the weight and the bias.

        Args:
          weight: a qint8 tensor (out, in).
          bias: (out,), float32, or None.
        """
        self._packed_params = torch.ops.quantized.linear_prepack(weight, bias)

    def _weight_bias(self) -> Any:
        return torch.ops.quantized.linear_unpack(self._packed_params)

    def forward(self, x: Any) -> Any:
        """Return `x`."""
        return x

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "dtype"] = self.dtype
        destination[prefix + "_packed_params"] = self._weight_bias()

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
        is_old = version is None or version < 2
        self.dtype = torch.qint8 if is_old else state_dict.pop(prefix + "dtype")
        _check_dtype(self.dtype)
        if version is None or version < 3:
            self.set_weight_bias(state_dict.pop(prefix + "weight"), state_dict.pop(prefix + "bias"))
        if version == 3:
            self.set_weight_bias(*state_dict.pop(prefix + "_packed_params"))
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def __repr__(self) -> str:
        return repr(self._weight_bias())


def _check_dtype(dtype: Any) -> None:
    if dtype is torch.float16:
        raise arguments.kind_unsupported("torch.ao.nn.quantized.Linear", "weights of dtype float16")
    if dtype is not torch.qint8:
        raise RuntimeError("Unsupported dtype specified for quantized Linear!")


class Linear(WeightedQuantizedModule):
    """A linear layer with an int8 weight. Its input and its result are quantized.

    Args:
      in_features: the size of an input.
      out_features: the size of an output.
      bias_: add a bias, which stays in floating point.
      dtype: `torch.qint8`.

    >>> import torchlike as torch
    >>> torch.ao.nn.quantized.Linear(3, 2)
    QuantizedLinear(in_features=3, out_features=2, scale=1.0, zero_point=0, qscheme=torch.per_tensor_affine)
    """

    _version = 3
    _FLOAT_MODULE: Any = (nn.Linear, NonDynamicallyQuantizableLinear)

    def __init__(self, in_features: int, out_features: int, bias_: bool = True, dtype: Any = torch.qint8) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self._packed_params = LinearPackedParams(dtype)
        weight = _empty_affine_quantized([out_features, in_features], scale=1, zero_point=0, dtype=torch.qint8)
        self.set_weight_bias(weight, torch.zeros(out_features, dtype=torch.float) if bias_ else None)
        self.scale = 1.0
        self.zero_point = 0

    def _get_name(self) -> str:
        return "QuantizedLinear"

    def extra_repr(self) -> str:
        """Return the sizes and the parameters of the result."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, scale={self.scale}, "
            f"zero_point={self.zero_point}, qscheme={self.weight().qscheme()}"
        )

    def __repr__(self) -> str:
        return _hide_packed_params_repr(self, LinearPackedParams)

    def forward(self, x: Any) -> Any:
        """Return the quantized product."""
        return torch.ops.quantized.linear(x, self._packed_params._packed_params, self.scale, self.zero_point)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "scale"] = torch.tensor(self.scale)
        destination[prefix + "zero_point"] = torch.tensor(self.zero_point)

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
        self.scale = float(state_dict.pop(prefix + "scale"))
        self.zero_point = int(state_dict.pop(prefix + "zero_point"))
        if local_metadata.get("version") in (None, 1):
            for name in ("weight", "bias"):
                state_dict[f"{prefix}_packed_params.{name}"] = state_dict.pop(prefix + name)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def _weight_bias(self) -> Any:
        return self._packed_params._weight_bias()

    def weight(self) -> Any:
        """Return the quantized weight."""
        return self._weight_bias()[0]

    def bias(self) -> Any:
        """Return the float bias, or None."""
        return self._weight_bias()[1]

    def set_weight_bias(self, w: Any, b: Any) -> None:
        """Replace the weight and the bias.

        Args:
          w: a qint8 tensor (out, in).
          b: (out,), float32, or None.
        """
        self._packed_params.set_weight_bias(w, b)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the quantized layer of a layer with observers, or of quantization-aware training.

        Args:
          mod: the float layer.
          use_precomputed_fake_quant: use the weight's scale as it is, and do not observe the weight again.

        Raises:
          AssertionError: `mod` is of another class, has no configuration, or its weight has another dtype than qint8.
        """
        layer, watcher = cls._layer_and_observer(mod)
        if not use_precomputed_fake_quant:
            watcher(layer.weight)
        if watcher.dtype is not torch.qint8:
            raise AssertionError(f"Weight observer must have dtype torch.qint8, got {watcher.dtype}")
        weight = _quantize_weight(layer.weight.float(), watcher)
        made = cls(layer.in_features, layer.out_features, dtype=watcher.dtype)
        made.set_weight_bias(weight, layer.bias)
        made.scale, made.zero_point = output_parameters(mod)
        return made

    @classmethod
    def _layer_and_observer(cls, mod: Any) -> tuple[Any, Any]:
        kind = type_before_parametrizations(mod)
        if hasattr(mod, "weight_fake_quant"):
            if kind is nniqat.LinearBn1d:
                norm = mod.bn
                statistics = norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias
                mod.weight, mod.bias = fuse_linear_bn_weights(mod.weight, mod.bias, *statistics)
            return mod, mod.weight_fake_quant
        permitted = cls._FLOAT_MODULE if isinstance(cls._FLOAT_MODULE, tuple) else (cls._FLOAT_MODULE,)
        check_float_module(cls, mod, permitted, kind)
        layer = mod[0] if kind is nni.LinearReLU else mod
        return layer, layer.qconfig.weight()
