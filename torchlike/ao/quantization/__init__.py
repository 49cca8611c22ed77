"""`torch.ao.quantization`: stubs in unquantized models. Quantization itself raises `NotImplementedError`."""

from __future__ import annotations

from typing import Any

from torchlike._errors import arguments
from torchlike._tensor.tensor import Tensor
from torchlike.nn import Module


class QuantStub(Module):
    """The point at which a quantized model would quantize its input. In a float model, it is the identity."""

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig is not None:
            raise arguments.unsupported("ao.quantization.QuantStub", "qconfig")

    def forward(self, x: Tensor) -> Tensor:
        """Return `x` unchanged."""
        return x


class DeQuantStub(QuantStub):
    """The point at which a quantized model would dequantize its input. In a float model, it is the identity."""


class ObserverBase(Module):
    """The base class of observers. Not supported: the constructor raises an error."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        name = f"torch.ao.quantization.{type(self).__name__}"
        raise arguments.kind_unsupported(name, "quantized tensors")


class FakeQuantizeBase(ObserverBase):
    """The base class of fake-quantization modules. Not supported: the constructor raises an error."""


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise arguments.kind_unsupported(f"torch.ao.quantization.{name}", "quantized tensors")
