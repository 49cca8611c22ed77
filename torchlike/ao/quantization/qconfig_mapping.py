"""Configurations by names and classes of modules, for graph mode quantization."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike.ao.quantization import fake_quantize as fq
from torchlike.ao.quantization import observer as ob
from torchlike.ao.quantization import qconfig as configs
from torchlike.nn import functional as F

__all__ = ["get_default_qconfig_mapping", "get_default_qat_qconfig_mapping", "QConfigMapping"]

_PARTS = ("object_type", "module_name_regex", "module_name", "module_name_object_type_order")


class QConfigMapping:
    """Configurations for a whole model, for classes and functions, and for names of modules.

    >>> import torchlike as torch
    >>> mapping = torch.ao.quantization.QConfigMapping().set_global(torch.ao.quantization.default_qconfig)
    >>> mapping = mapping.set_module_name("head", None)
    >>> mapping.to_dict()["module_name"]
    [('head', None)]
    """

    def __init__(self) -> None:
        self.global_qconfig: Any = None
        self.object_type_qconfigs: OrderedDict[Any, Any] = OrderedDict()
        self.module_name_regex_qconfigs: OrderedDict[str, Any] = OrderedDict()
        self.module_name_qconfigs: OrderedDict[str, Any] = OrderedDict()
        self.module_name_object_type_order_qconfigs: OrderedDict[tuple[str, Callable, int], Any] = OrderedDict()

    def set_global(self, global_qconfig: Any) -> QConfigMapping:
        """Set the configuration of everything that has no other one.

        Args:
          global_qconfig: the configuration, or None.
        """
        self.global_qconfig = global_qconfig
        return self

    def set_object_type(self, object_type: Callable | str, qconfig: Any) -> QConfigMapping:
        """Set the configuration of a class, a function, or a method.

        Args:
          object_type: the class or function, or the name of the method.
          qconfig: the configuration, or None.
        """
        self.object_type_qconfigs[object_type] = qconfig
        return self

    def set_module_name_regex(self, module_name_regex: str, qconfig: Any) -> QConfigMapping:
        """Set the configuration of modules by a pattern of their names.

        Args:
          module_name_regex: the regular expression.
          qconfig: the configuration, or None.
        """
        self.module_name_regex_qconfigs[module_name_regex] = qconfig
        return self

    def set_module_name(self, module_name: str, qconfig: Any) -> QConfigMapping:
        """Set the configuration of a module.

        Args:
          module_name: the name of the module.
          qconfig: the configuration, or None.
        """
        self.module_name_qconfigs[module_name] = qconfig
        return self

    def set_module_name_object_type_order(
        self, module_name: str, object_type: Callable, index: int, qconfig: Any
    ) -> QConfigMapping:
        """Set the configuration of one of the calls in a module.

        Args:
          module_name: the name of the module.
          object_type: the class or function that is called.
          index: the place among its calls.
          qconfig: the configuration, or None.
        """
        self.module_name_object_type_order_qconfigs[(module_name, object_type, index)] = qconfig
        return self

    def __repr__(self) -> str:
        lines = ["QConfigMapping (", " global_qconfig", f"  {self.global_qconfig}"]
        for part in _PARTS:
            found = getattr(self, f"{part}_qconfigs")
            lines.append(f" {part}_qconfigs")
            lines += [f"  {key}: {config}" for key, config in found.items()] or ["  OrderedDict()"]
        return "\n".join([*lines, ")"])

    def to_dict(self) -> dict[str, Any]:
        """Return the configurations as a dictionary."""
        made: dict[str, Any] = {"": self.global_qconfig}
        for part in _PARTS:
            found = getattr(self, f"{part}_qconfigs").items()
            made[part] = [(*key, config) if isinstance(key, tuple) else (key, config) for key, config in found]
        return made

    @classmethod
    def from_dict(cls, qconfig_dict: dict[str, Any]) -> QConfigMapping:
        """Return the mapping of a dictionary.

        Args:
          qconfig_dict: the result of `to_dict`.
        """
        made = cls()
        made.set_global(qconfig_dict.get(""))
        for part in _PARTS:
            for each in qconfig_dict.get(part, []):
                getattr(made, f"set_{part}")(*each)
        return made


def get_default_qconfig_mapping(backend: str = "x86", version: int = 0) -> QConfigMapping:
    """Return the configurations of quantization after training.

    Args:
      backend: `"x86"`, `"fbgemm"`, `"qnnpack"` or `"onednn"`.
      version: must be 0.

    >>> import torchlike as torch
    >>> mapping = torch.ao.quantization.get_default_qconfig_mapping()
    >>> "reshape" in mapping.object_type_qconfigs
    True
    """
    weight = ob.default_weight_observer
    fixed = ob.default_fixed_qparams_range_0to1_observer, ob.default_fixed_qparams_range_neg1to1_observer
    return _default(configs.get_default_qconfig(backend, version), weight, fixed, backend)


def get_default_qat_qconfig_mapping(backend: str = "x86", version: int = 1) -> QConfigMapping:
    """Return the configurations of quantization-aware training.

    Args:
      backend: `"x86"`, `"fbgemm"`, `"qnnpack"` or `"onednn"`.
      version: 1 for modules that observe and round in one operator, 0 for separate ones.

    >>> import torchlike as torch
    >>> mapping = torch.ao.quantization.get_default_qat_qconfig_mapping()
    >>> torch.nn.Sigmoid in mapping.object_type_qconfigs
    True
    """
    weight = fq.default_weight_fake_quant
    fixed = fq.default_fixed_qparams_range_0to1_fake_quant, fq.default_fixed_qparams_range_neg1to1_fake_quant
    return _default(configs.get_default_qat_qconfig(backend, version), weight, fixed, backend)


def _default(config: Any, weight: Any, fixed: tuple[Any, Any], backend: str) -> QConfigMapping:
    made = QConfigMapping().set_global(config).set_object_type("reshape", configs.default_reuse_input_qconfig)
    one_scale = configs.QConfig(config.activation, weight) if backend in ("x86", "fbgemm") else config
    for kind in (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d):
        made.set_object_type(kind, one_scale)
    for function in (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d):
        made.set_object_type(function, one_scale)
    placeholder = configs.QConfig(config.activation, ob.default_placeholder_observer)
    made.set_object_type(F.layer_norm, placeholder).set_object_type(nn.LayerNorm, placeholder)
    made.set_object_type(nn.PReLU, configs.default_quint8_weight_qconfig)
    from_zero, from_minus_one = (configs.QConfig(each, weight) for each in fixed)
    for kind in (nn.Hardsigmoid, F.hardsigmoid, "hardsigmoid", "hardsigmoid_", nn.Sigmoid, torch.sigmoid, "sigmoid"):
        made.set_object_type(kind, from_zero)
    made.set_object_type("sigmoid_", from_zero).set_object_type(nn.Softmax, from_zero)
    for kind in (nn.Tanh, torch.tanh, "tanh", "tanh_"):
        made.set_object_type(kind, from_minus_one)
    return made
