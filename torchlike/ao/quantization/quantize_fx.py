"""Graph mode quantization. Its functions can be imported, and raise an error."""

from __future__ import annotations

from typing import Any, NoReturn

from torchlike._errors import arguments

_INSTEAD = "torch.ao.quantization.prepare, prepare_qat and convert quantize a model in eager mode"


def _refuse(name: str) -> NoReturn:
    raise arguments.cannot(f"ao.quantization.quantize_fx.{name}", _INSTEAD)


def prepare_fx(*args: Any, **kwargs: Any) -> Any:
    """Raise: graph mode quantization is not supported.

    Raises:
      NotImplementedError: always.
    """
    _refuse("prepare_fx")


def prepare_qat_fx(*args: Any, **kwargs: Any) -> Any:
    """Raise: graph mode quantization is not supported.

    Raises:
      NotImplementedError: always.
    """
    _refuse("prepare_qat_fx")


def convert_fx(*args: Any, **kwargs: Any) -> Any:
    """Raise: graph mode quantization is not supported.

    Raises:
      NotImplementedError: always.
    """
    _refuse("convert_fx")


def convert_to_reference_fx(*args: Any, **kwargs: Any) -> Any:
    """Raise: graph mode quantization is not supported.

    Raises:
      NotImplementedError: always.
    """
    _refuse("convert_to_reference_fx")


def fuse_fx(*args: Any, **kwargs: Any) -> Any:
    """Raise: graph mode quantization is not supported.

    Raises:
      NotImplementedError: always.
    """
    _refuse("fuse_fx")
