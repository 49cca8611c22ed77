"""`torch.backends.quantized`: the kernels of quantized layers. They are always those of XLA.

XLA's results follow the formulas of the engines `x86`, `fbgemm` and `onednn`, so each of these may be chosen, with the
same effect. `qnnpack` rounds in another way, and raises an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torchlike.backends import _settings

if TYPE_CHECKING:
    engine: str
    supported_engines: list[str]

_SUPPORTED = ["onednn", "x86", "fbgemm"]
_KNOWN = ("none", "", None, "qnnpack", *_SUPPORTED)
_chosen = ["x86"]


def _read(module: Any) -> str:
    return _chosen[0]


def _choose(module: Any, name: Any) -> None:
    if name not in _KNOWN:
        raise RuntimeError(f"{name} is not a valid value for quantized engine")
    if name not in _SUPPORTED:
        raise RuntimeError(f"quantized engine {str(name or 'none').upper()} is not supported")
    _chosen[0] = name


def _listed(module: Any) -> list[str]:
    return list(_SUPPORTED)


def _refuse(module: Any, value: Any) -> None:
    raise RuntimeError("Assignment not supported")


_settings.attach(__name__, engine=property(_read, _choose), supported_engines=property(_listed, _refuse))
