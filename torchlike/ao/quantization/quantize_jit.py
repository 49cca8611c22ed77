"""Quantization of TorchScript modules. Its functions can be imported, and raise an error."""

from __future__ import annotations

from typing import Any, NoReturn

from torchlike._errors import arguments

__all__ = [
    "convert_dynamic_jit",
    "convert_jit",
    "fuse_conv_bn_jit",
    "prepare_dynamic_jit",
    "prepare_jit",
    "quantize_dynamic_jit",
    "quantize_jit",
    "script_qconfig",
    "script_qconfig_dict",
]


def _refuse(name: str) -> NoReturn:
    instead = "torch.ao.quantization.prepare and convert, or quantize_dynamic, quantize a model in eager mode"
    raise arguments.cannot(f"ao.quantization.{name}", instead)


def convert_dynamic_jit(*args: Any, **kwargs: Any) -> Any:
    """Raise: the quantization of TorchScript modules is not supported.

    Args:
      *args, **kwargs: not used.

    Raises:
      NotImplementedError: always.
    """
    _refuse("convert_dynamic_jit")


def convert_jit(*args: Any, **kwargs: Any) -> Any:
    """Raise: the quantization of TorchScript modules is not supported.

    Args:
      *args, **kwargs: not used.

    Raises:
      NotImplementedError: always.
    """
    _refuse("convert_jit")


def fuse_conv_bn_jit(*args: Any, **kwargs: Any) -> Any:
    """Raise: the quantization of TorchScript modules is not supported.

    Args:
      *args, **kwargs: not used.

    Raises:
      NotImplementedError: always.
    """
    _refuse("fuse_conv_bn_jit")


def prepare_dynamic_jit(*args: Any, **kwargs: Any) -> Any:
    """Raise: the quantization of TorchScript modules is not supported.

    Args:
      *args, **kwargs: not used.

    Raises:
      NotImplementedError: always.
    """
    _refuse("prepare_dynamic_jit")


def prepare_jit(*args: Any, **kwargs: Any) -> Any:
    """Raise: the quantization of TorchScript modules is not supported.

    Args:
      *args, **kwargs: not used.

    Raises:
      NotImplementedError: always.
    """
    _refuse("prepare_jit")


def quantize_dynamic_jit(*args: Any, **kwargs: Any) -> Any:
    """Raise: the quantization of TorchScript modules is not supported.

    Args:
      *args, **kwargs: not used.

    Raises:
      NotImplementedError: always.
    """
    _refuse("quantize_dynamic_jit")


def quantize_jit(*args: Any, **kwargs: Any) -> Any:
    """Raise: the quantization of TorchScript modules is not supported.

    Args:
      *args, **kwargs: not used.

    Raises:
      NotImplementedError: always.
    """
    _refuse("quantize_jit")


def script_qconfig(*args: Any, **kwargs: Any) -> Any:
    """Raise: the quantization of TorchScript modules is not supported.

    Args:
      *args, **kwargs: not used.

    Raises:
      NotImplementedError: always.
    """
    _refuse("script_qconfig")


def script_qconfig_dict(*args: Any, **kwargs: Any) -> Any:
    """Raise: the quantization of TorchScript modules is not supported.

    Args:
      *args, **kwargs: not used.

    Raises:
      NotImplementedError: always.
    """
    _refuse("script_qconfig_dict")
