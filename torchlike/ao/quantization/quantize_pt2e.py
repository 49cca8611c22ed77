"""Quantization of exported programs. Its functions can be imported, and raise an error."""

from __future__ import annotations

from typing import Any, NoReturn

from torchlike._errors import arguments

_INSTEAD = "torch.ao.quantization.prepare, prepare_qat and convert quantize a model in eager mode"


def _refuse(name: str) -> NoReturn:
    raise arguments.cannot(f"ao.quantization.quantize_pt2e.{name}", _INSTEAD)


def prepare_pt2e(*args: Any, **kwargs: Any) -> Any:
    """Raise: quantization of exported programs is not supported.

    Raises:
      NotImplementedError: always.
    """
    _refuse("prepare_pt2e")


def prepare_qat_pt2e(*args: Any, **kwargs: Any) -> Any:
    """Raise: quantization of exported programs is not supported.

    Raises:
      NotImplementedError: always.
    """
    _refuse("prepare_qat_pt2e")


def convert_pt2e(*args: Any, **kwargs: Any) -> Any:
    """Raise: quantization of exported programs is not supported.

    Raises:
      NotImplementedError: always.
    """
    _refuse("convert_pt2e")
