"""Activation layers. Each layer stores the options of an activation function and calls it."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import warn
from torchlike.nn import _errors_layers as _errors
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn.modules.attention import MultiheadAttention as MultiheadAttention
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter

__all__ = [
    "Threshold",
    "ReLU",
    "RReLU",
    "Hardtanh",
    "ReLU6",
    "Sigmoid",
    "Hardsigmoid",
    "Tanh",
    "SiLU",
    "Mish",
    "Hardswish",
    "ELU",
    "CELU",
    "SELU",
    "GLU",
    "GELU",
    "Hardshrink",
    "LeakyReLU",
    "LogSigmoid",
    "Softplus",
    "Softshrink",
    "MultiheadAttention",
    "PReLU",
    "Softsign",
    "Tanhshrink",
    "Softmin",
    "Softmax",
    "Softmax2d",
    "LogSoftmax",
]


class _Activation(Module):
    """The base class of activation layers: stores the options as attributes and prints them."""

    __constants__: list[str] = []

    def __init__(self, **options: Any) -> None:
        super().__init__()
        for name, value in options.items():
            setattr(self, name, value)

    def extra_repr(self) -> str:
        shown = [f"{name}={getattr(self, name)!r}" for name in self.__constants__ if name != "inplace"]
        return ", ".join(shown + (["inplace=True"] if getattr(self, "inplace", False) else []))


# --- thresholds and rectifiers ----------------------------------------------------------------------------------------


class Threshold(_Activation):
    """The threshold function: x where x > threshold, `value` elsewhere."""

    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(threshold=threshold, value=value, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)


class ReLU(_Activation):
    """The rectified linear unit: max(x, 0).

    >>> import torchlike as torch
    >>> torch.nn.ReLU()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, inplace=self.inplace)


class RReLU(_Activation):
    """The randomized leaky rectified linear unit: x where x >= 0, a·x elsewhere.

    In training mode the slope a is sampled from U(lower, upper) for each element. In evaluation mode it is the mean of
    `lower` and `upper`.
    """

    __constants__ = ["lower", "upper", "inplace"]

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__(lower=lower, upper=upper, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Hardtanh(_Activation):
    """The hard tanh function: x clamped to [min_val, max_val]."""

    __constants__ = ["min_val", "max_val", "inplace"]

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        if min_value is not None:
            warn(_errors.argument_renamed("min_value", "min_val"), FutureWarning)
            min_val = min_value
        if max_value is not None:
            warn(_errors.argument_renamed("max_value", "max_val"), FutureWarning)
            max_val = max_value
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")
        super().__init__(min_val=min_val, max_val=max_val, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Hardtanh):
    """The rectified linear unit with an upper bound of 6: min(max(x, 0), 6)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class LeakyReLU(_Activation):
    """The leaky rectified linear unit: x where x >= 0, negative_slope·x elsewhere."""

    __constants__ = ["negative_slope", "inplace"]

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__(negative_slope=negative_slope, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class PReLU(_Activation):
    """The parametric rectified linear unit: x where x >= 0, a·x elsewhere, with a learnt slope a.

    There is one slope for all channels (`num_parameters=1`), or one for each channel. Dimension 1 holds the channels.
    """

    __constants__ = ["num_parameters"]

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__(num_parameters=num_parameters)
        self.init = init
        self.weight = Parameter(torchlike.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set every slope to its initial value."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)


# --- exponentials -----------------------------------------------------------------------------------------------------


class ELU(_Activation):
    """The exponential linear unit: x where x > 0, alpha·(exp(x) - 1) elsewhere."""

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class CELU(_Activation):
    """The continuously differentiable exponential linear unit: max(x, 0) + min(0, alpha·(exp(x/alpha) - 1))."""

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class SELU(_Activation):
    """The scaled exponential linear unit: scale·(max(x, 0) + min(0, alpha·(exp(x) - 1))).

    The constants are those of self-normalizing neural networks (Klambauer et al., 2017).
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class Softplus(_Activation):
    """The softplus function: log(1 + exp(beta·x)) / beta, or x where beta·x > threshold."""

    __constants__ = ["beta", "threshold"]

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__(beta=beta, threshold=threshold)

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)


# --- sigmoids and gates -----------------------------------------------------------------------------------------------


class Sigmoid(Module):
    """The logistic sigmoid function: 1 / (1 + exp(-x))."""

    def forward(self, input: Tensor) -> Tensor:
        return torchlike.sigmoid(input)


class Hardsigmoid(Module):
    """The hard sigmoid function: clamp(x/6 + 1/2, 0, 1)."""

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)


class LogSigmoid(Module):
    """The logarithm of the sigmoid function: log(1 / (1 + exp(-x)))."""

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent: (exp(x) - exp(-x)) / (exp(x) + exp(-x))."""

    def forward(self, input: Tensor) -> Tensor:
        return torchlike.tanh(input)


class SiLU(_Activation):
    """The sigmoid linear unit, or swish: x · sigmoid(x)."""

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, inplace=self.inplace)


class Mish(_Activation):
    """The Mish function: x · tanh(softplus(x))."""

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, inplace=self.inplace)


class Hardswish(Module):
    """The hard swish function: x · clamp(x/6 + 1/2, 0, 1)."""

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)


class GELU(_Activation):
    """The Gaussian error linear unit: x · Φ(x), where Φ is the standard normal distribution function.

    `approximate='tanh'` selects the tanh approximation.
    """

    __constants__ = ["approximate"]

    def __init__(self, approximate: str = "none") -> None:
        super().__init__(approximate=approximate)

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)


class GLU(_Activation):
    """The gated linear unit: a · sigmoid(b), where a and b are the halves of x along `dim`."""

    __constants__ = ["dim"]

    def __init__(self, dim: int = -1) -> None:
        super().__init__(dim=dim)

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)


# --- shrinking --------------------------------------------------------------------------------------------------------


class Hardshrink(Module):
    """The hard shrinkage function: x where |x| > lambd, 0 elsewhere."""

    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Module):
    """The soft shrinkage function: x - sign(x)·lambd where |x| > lambd, 0 elsewhere."""

    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Tanhshrink(Module):
    """The tanh shrinkage function: x - tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class Softsign(Module):
    """The softsign function: x / (1 + |x|)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


# --- over a dimension -------------------------------------------------------------------------------------------------


class Softmax(_Activation):
    """The softmax function: exp(x) / sum(exp(x)) along `dim`.

    >>> import torchlike as torch
    >>> torch.nn.Softmax(dim=0)(torch.zeros(4))
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    __constants__ = ["dim"]

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim=dim)

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim)


class Softmin(_Activation):
    """The softmin function: exp(-x) / sum(exp(-x)) along `dim`."""

    __constants__ = ["dim"]

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim=dim)

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim)


class LogSoftmax(_Activation):
    """The logarithm of softmax: x - log(sum(exp(x))) along `dim`."""

    __constants__ = ["dim"]

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim=dim)

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim)


class Softmax2d(Module):
    """Softmax over the channels of (C, H, W) or (N, C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise _errors.layer_dimensions("Softmax2d", "input", "3D or 4D", input.dim())
        return F.softmax(input, -3)
