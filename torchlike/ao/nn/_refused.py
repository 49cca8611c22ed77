"""Quantized layers that are not supported. They can be imported, and `convert` refuses to make them."""

from __future__ import annotations

from typing import Any

from torchlike import nn
from torchlike._errors import arguments


class _Refused(nn.Module):
    """The base class. The constructor and `from_float` raise an error with the name of the class."""

    _PLACE = "torch.ao.nn.quantized"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise self._error()

    @classmethod
    def _error(cls) -> NotImplementedError:
        return arguments.kind_unsupported(f"{cls._PLACE}.{cls.__name__}", "quantized layers of this kind")

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Raise: the layer is not supported.

        Args:
          mod: the float layer.
          use_precomputed_fake_quant: not used.

        Raises:
          NotImplementedError: always.
        """
        raise cls._error()

    from_observed = from_float


def refused(name: str, place: str = "torch.ao.nn.quantized") -> type[_Refused]:
    """Return a class that can be imported, but not used.

    Args:
      name: the name of the class.
      place: the module of PyTorch that has it.
    """
    doc = f"""`{place}.{name}` is not supported: the constructor and `from_float` raise `NotImplementedError`.

    Args:
      *args, **kwargs: have no effect: the constructor raises.

    Raises:
      NotImplementedError: always.
    """
    return type(
        name, (_Refused,), {"__doc__": doc, "_PLACE": place, "__module__": place.replace("torch", "torchlike", 1)}
    )
