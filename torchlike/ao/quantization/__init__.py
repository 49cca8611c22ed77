"""What a float model has where it could be quantized; quantized tensors themselves are refused by name."""

from __future__ import annotations

from typing import Any

from torchlike._errors import arguments
from torchlike._tensor.tensor import Tensor
from torchlike.nn import Module


class QuantStub(Module):
    """Where a quantized model would quantize: in a float model, its input as it is."""

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig is not None:
            raise arguments.unsupported("ao.quantization.QuantStub", "qconfig")

    def forward(self, x: Tensor) -> Tensor:
        """`x` itself."""
        return x


class DeQuantStub(QuantStub):
    """Where a quantized model would go back to floats: in a float model, its input as it is."""


class ObserverBase(Module):
    """What watches a model that is to be quantized; refused."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        name = f"torch.ao.quantization.{type(self).__name__}"
        raise arguments.kind_unsupported(name, "quantized tensors")


class FakeQuantizeBase(ObserverBase):
    """What rounds as a quantized model would; refused."""


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise arguments.kind_unsupported(f"torch.ao.quantization.{name}", "quantized tensors")
