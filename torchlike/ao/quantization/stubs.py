"""The points at which a model quantizes its input and dequantizes its output."""

from __future__ import annotations

from typing import Any

from torchlike.nn import Module


class QuantStub(Module):
    """The point at which a model quantizes its input. Before `convert`, it is the identity.

    Args:
      qconfig: the configuration; by default that of the surrounding module.
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        """Return `x` unchanged."""
        return x


class DeQuantStub(Module):
    """The point at which a model dequantizes its output. Before `convert`, it is the identity.

    Args:
      qconfig: the configuration; by default that of the surrounding module.
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        """Return `x` unchanged."""
        return x


class QuantWrapper(Module):
    """A module between a `QuantStub` and a `DeQuantStub`.

    Args:
      module: the module.
    """

    def __init__(self, module: Any) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.add_module("quant", QuantStub(qconfig))
        self.add_module("dequant", DeQuantStub(qconfig))
        self.add_module("module", module)
        self.train(module.training)

    def forward(self, X: Any) -> Any:
        """Return the module's result for `X`, between the two stubs."""
        return self.dequant(self.module(self.quant(X)))
