"""The linear layer with an int8 weight whose input is quantized at run time, by its own range."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike.ao.nn import intrinsic as nni
from torchlike.ao.nn import quantized as nnq
from torchlike.ao.nn.quantized.modules.utils import _quantize_weight
from torchlike.nn.modules.linear import NonDynamicallyQuantizableLinear


class Linear(nnq.Linear):
    """A linear layer with an int8 weight. Its input and its result are float tensors.

    Args:
      in_features: the size of an input.
      out_features: the size of an output.
      bias_: add a bias, which stays in floating point.
      dtype: `torch.qint8`.

    >>> import torchlike as torch
    >>> torch.ao.nn.quantized.dynamic.Linear(3, 2)(torch.ones(1, 3)).shape
    torch.Size([1, 2])
    """

    _version = 4

    def __init__(self, in_features: int, out_features: int, bias_: bool = True, dtype: Any = torch.qint8) -> None:
        super().__init__(in_features, out_features, bias_, dtype=dtype)
        self.version: int | None = 4

    def forward(self, x: Any) -> Any:
        """Return the product. The activations use 7 bits, except in layers from files of old versions."""
        is_reduced = self.version is not None and self.version >= 4
        made = torch.ops.quantized.linear_dynamic(x, self._packed_params._packed_params, reduce_range=is_reduced)
        return made.to(x.dtype)

    def _get_name(self) -> str:
        return "DynamicQuantizedLinear"

    def extra_repr(self) -> str:
        """Return the sizes and the dtype of the weight."""
        shown = f"in_features={self.in_features}, out_features={self.out_features}, dtype={self._packed_params.dtype}"
        return f"{shown}, qscheme={self.weight().qscheme()}"

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
        self.version = local_metadata.get("version")  # older layers use all 8 bits of activations
        rest = missing_keys, unexpected_keys, error_msgs
        super()._load_from_state_dict(state_dict, prefix, local_metadata, False, *rest)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the quantized layer of a float layer.

        Args:
          mod: the float layer, with a configuration.
          use_precomputed_fake_quant: not used.

        Raises:
          AssertionError: `mod` is of another class, or has no configuration, or the weight's dtype is not supported.
          NotImplementedError: the weight's dtype is `torch.float16`.
        """
        permitted = [nn.Linear, NonDynamicallyQuantizableLinear, nni.LinearReLU]
        if type(mod) not in permitted:
            names = str([kind.__name__ for kind in permitted])
            raise AssertionError(
                f"nn.quantized.dynamic.Linear.from_float only works for one of{names}, got {type(mod)}"
            )
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        layer = mod[0] if type(mod) is nni.LinearReLU else mod
        watcher = weight_observer(layer)
        if watcher.dtype not in (torch.qint8, torch.float16):
            raise AssertionError(
                f"The only supported dtypes for dynamic quantized linear are qint8 and float16, got: {watcher.dtype}"
            )
        made = cls(layer.in_features, layer.out_features, dtype=watcher.dtype)
        watcher(layer.weight)
        made.set_weight_bias(_quantize_weight(layer.weight.float(), watcher), layer.bias)
        return made


def weight_observer(mod: Any) -> Any:
    """Return a new observer for a weight, by the configuration of its module."""
    if mod.qconfig is not None and mod.qconfig.weight is not None:
        return mod.qconfig.weight()
    from torchlike.ao.quantization.qconfig import default_dynamic_qconfig

    return default_dynamic_qconfig.weight()
