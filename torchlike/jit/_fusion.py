"""The settings of TorchScript's fusion of operators. They have no effect: XLA has rules of its own."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._errors.warned import warn
from torchlike.jit import _trace


class _Settings:
    def __init__(self) -> None:
        self.strategy = [("STATIC", 2), ("DYNAMIC", 10)]
        self.uses_onednn = False


_settings = _Settings()


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Set how often TorchScript specializes fused code to shapes, and return the previous setting.

    Results do not depend on it. XLA fuses the operators of compiled programs by its own rules.

    Args:
      strategy (list): pairs of "STATIC" or "DYNAMIC" and a number.

    Raises:
      ValueError: a name is another one.

    >>> import torchlike as torch
    >>> before = torch.jit.set_fusion_strategy([("DYNAMIC", 3)])
    >>> torch.jit.set_fusion_strategy(before)
    [('DYNAMIC', 3)]
    """
    _trace.deprecated("set_fusion_strategy", "use `torch.compile` instead")
    for name, _ in strategy:
        if name not in ("STATIC", "DYNAMIC"):
            raise ValueError(f"FusionBehavior only supported 'STATIC' or 'DYNAMIC', got: {name}")
    before, _settings.strategy = _settings.strategy, [(name, int(depth)) for name, depth in strategy]
    return before


def enable_onednn_fusion(enabled: bool) -> None:
    """Set the value of `onednn_fusion_enabled`. Results do not depend on it.

    Args:
      enabled (bool): the value.
    """
    _settings.uses_onednn = bool(enabled)


def onednn_fusion_enabled() -> bool:
    """Return the value that `enable_onednn_fusion` has set.

    >>> import torchlike as torch
    >>> torch.jit.onednn_fusion_enabled()
    False
    """
    return _settings.uses_onednn


class strict_fusion:
    """A context manager for scripted functions. Outside of them it has no effect except for a warning."""

    def __init__(self) -> None:
        from torchlike.jit import is_scripting

        if is_scripting():
            raise _errors.arguments.no_torchscript("strict_fusion")
        warn("Only works in script mode")

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


class CompilationUnit:
    """Functions of TorchScript from source text. Not supported: the constructor raises NotImplementedError.

    Args:
      lang, _frames_up: not used.
    """

    def __init__(self, lang: str | None = None, _frames_up: int = 0) -> None:
        raise _errors.arguments.no_torchscript("CompilationUnit")


def export_opnames(m: Any) -> list[str]:
    """Raise NotImplementedError. Scripted modules run as Python code and have no list of TorchScript's operators.

    Args:
      m: not used.
    """
    raise _errors.arguments.no_torchscript("export_opnames")
