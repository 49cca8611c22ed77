"""Linear, bilinear and identity layers."""

from __future__ import annotations

import math
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn.modules.lazy import LazyModuleMixin
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter, UninitializedParameter

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """A layer that returns its input. It can replace any layer.

    Args:
      *args, **kwargs: ignored.

    >>> import torchlike as torch
    >>> torch.nn.Identity(54, unused=0)(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """A linear layer, x Wᵀ + b over the last dimension: (*, in_features) -> (*, out_features).

    `weight` (out_features, in_features) and `bias` (out_features) are initialized from U(-k, k) with
    k = 1/sqrt(in_features).

    Args:
      in_features, out_features: the sizes of the last dimension of the input and of the output.
      bias: add a bias.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      RuntimeError: the last dimension of the input has another size. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.Linear(20, 30)(torch.ones(128, 20)).shape
    torch.Size([128, 30])
    """

    __constants__ = ["in_features", "out_features"]

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(torchlike.empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torchlike.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Re-initialize the parameters."""
        # With this slope the Kaiming bound is 1/sqrt(in_features).
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """The output projection of attention. As in PyTorch it has its own type, so that code can distinguish it."""


class Bilinear(Module):
    """A bilinear layer, x₁ᵀ A x₂ + b: (*, in1_features), (*, in2_features) -> (*, out_features).

    `weight` (out, in1, in2) and `bias` (out) are initialized from U(-k, k) with k = 1/sqrt(in1_features).

    Args:
      in1_features, in2_features, out_features: the sizes of the last dimensions of the inputs and of the output.
      bias: add a bias.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      ValueError: `in1_features` is not positive.

    >>> import torchlike as torch
    >>> torch.nn.Bilinear(2, 3, 4)(torch.ones(5, 2), torch.ones(5, 3)).shape
    torch.Size([5, 4])
    """

    __constants__ = ["in1_features", "in2_features", "out_features"]

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        shape = (out_features, in1_features, in2_features)
        self.weight = Parameter(torchlike.empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torchlike.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Re-initialize the parameters."""
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


# -- lazy layers -------------------------------------------------------------------------------------------------------


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` layer that infers `in_features` from its first input, and becomes a `Linear` layer then.

    Args:
      out_features: the size of the last dimension of the output.
      bias: add a bias.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    >>> import torchlike as torch
    >>> layer = torch.nn.LazyLinear(30)
    >>> layer(torch.ones(128, 20)).shape
    torch.Size([128, 30])
    >>> layer
    Linear(in_features=20, out_features=30, bias=True)
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def _has_size(self) -> bool:
        return self.in_features != 0

    def initialize_parameters(self, input: Tensor) -> None:
        """Set `in_features` to the size of the input's last dimension and materialize the parameters.

        Args:
          input: the first input of the layer.
        """
        if self.has_uninitialized_params():
            self.in_features = input.shape[-1]
            self.weight.materialize((self.out_features, self.in_features))
            if self.bias is not None:
                self.bias.materialize((self.out_features,))
            self.reset_parameters()
        self.in_features = self.weight.shape[-1]
