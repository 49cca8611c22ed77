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
        given = {name: getattr(self, name) for name in self.__constants__ if name != "inplace"}
        shown = [f"{name}={value!r}" if name == "approximate" else f"{name}={value}" for name, value in given.items()]
        return ", ".join(shown + (["inplace=True"] if getattr(self, "inplace", False) else []))


# --- thresholds and rectifiers ----------------------------------------------------------------------------------------


class Threshold(_Activation):
    """The threshold function: x where x > threshold, `value` elsewhere.

    Args:
      threshold: elements up to this number are replaced.
      value: the number that replaces them.
      inplace: overwrite the input of each call with the result.

    >>> import torchlike as torch
    >>> torch.nn.Threshold(1.0, 9.0)(torch.tensor([0.5, 2.0]))
    tensor([9., 2.])
    """

    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(threshold=threshold, value=value, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)


class ReLU(_Activation):
    """The rectified linear unit: max(x, 0).

    Args:
      inplace: overwrite the input of each call with the result.

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

    Args:
      lower, upper: the range of the slopes.
      inplace: overwrite the input of each call with the result.

    Raises:
      RuntimeError: `lower` is greater than `upper`. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.RReLU(0.25, 0.75).eval()(torch.tensor([-2.0, 2.0]))
    tensor([-1.,  2.])
    """

    __constants__ = ["lower", "upper", "inplace"]

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__(lower=lower, upper=upper, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Hardtanh(_Activation):
    """The hard tanh function: x clamped to [min_val, max_val].

    Args:
      min_val, max_val: the bounds.
      inplace: overwrite the input of each call with the result.
      min_value, max_value: deprecated names of `min_val` and `max_val`. They give a warning.

    Raises:
      AssertionError: `max_val` is not greater than `min_val`.

    >>> import torchlike as torch
    >>> torch.nn.Hardtanh()(torch.tensor([-3.0, 0.5, 3.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """

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
    """The rectified linear unit with an upper bound of 6: min(max(x, 0), 6).

    Args:
      inplace: overwrite the input of each call with the result.

    >>> import torchlike as torch
    >>> torch.nn.ReLU6()(torch.tensor([-1.0, 7.0]))
    tensor([0., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class LeakyReLU(_Activation):
    """The leaky rectified linear unit: x where x >= 0, negative_slope·x elsewhere.

    Args:
      negative_slope: the slope below 0.
      inplace: overwrite the input of each call with the result.

    >>> import torchlike as torch
    >>> torch.nn.LeakyReLU(0.5)(torch.tensor([-2.0, 2.0]))
    tensor([-1.,  2.])
    """

    __constants__ = ["negative_slope", "inplace"]

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__(negative_slope=negative_slope, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class PReLU(_Activation):
    """The parametric rectified linear unit: x where x >= 0, a·x elsewhere, with a learnt slope a.

    Args:
      num_parameters: 1, for one slope, or the size of dimension 1, for one slope for each channel.
      init: the initial value of the slopes, which are the parameter `weight` (num_parameters).
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      RuntimeError: the input has another number of channels. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.PReLU()(torch.tensor([-2.0, 2.0])).tolist()
    [-0.5, 2.0]
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
    """The exponential linear unit: x where x > 0, alpha·(exp(x) - 1) elsewhere.

    Args:
      alpha: the limit for x → -∞ is -alpha.
      inplace: overwrite the input of each call with the result.

    >>> import torchlike as torch
    >>> torch.nn.ELU()(torch.tensor([-torch.inf, 2.0]))
    tensor([-1.,  2.])
    """

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class CELU(_Activation):
    """The continuously differentiable exponential linear unit: max(x, 0) + min(0, alpha·(exp(x/alpha) - 1)).

    Args:
      alpha: the scale, not 0. The limit for x → -∞ is -alpha.
      inplace: overwrite the input of each call with the result.

    Raises:
      RuntimeError: `alpha` is 0. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.CELU(2.0)(torch.tensor([-torch.inf, 2.0]))
    tensor([-2.,  2.])
    """

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class SELU(_Activation):
    """The scaled exponential linear unit: scale·(max(x, 0) + min(0, alpha·(exp(x) - 1))).

    The constants are scale = 1.0507... and alpha = 1.6733..., those of self-normalizing neural networks (Klambauer et
    al., 2017).

    Args:
      inplace: overwrite the input of each call with the result.

    >>> import torchlike as torch
    >>> torch.nn.SELU()(torch.tensor([-1.0, 1.0]))
    tensor([-1.1113,  1.0507])
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class Softplus(_Activation):
    """The softplus function: log(1 + exp(beta·x)) / beta, or x where beta·x > threshold.

    Args:
      beta: the inverse scale.
      threshold: the value of beta·x above which the function is linear.

    >>> import torchlike as torch
    >>> torch.nn.Softplus()(torch.tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """

    __constants__ = ["beta", "threshold"]

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__(beta=beta, threshold=threshold)

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)


# --- sigmoids and gates -----------------------------------------------------------------------------------------------


class Sigmoid(Module):
    """The logistic sigmoid function: 1 / (1 + exp(-x)).

    >>> import torchlike as torch
    >>> torch.nn.Sigmoid()(torch.tensor(0.0))
    tensor(0.5000)
    """

    def forward(self, input: Tensor) -> Tensor:
        return torchlike.sigmoid(input)


class Hardsigmoid(Module):
    """The hard sigmoid function: clamp(x/6 + 1/2, 0, 1).

    Args:
      inplace: overwrite the input of each call with the result.

    >>> import torchlike as torch
    >>> torch.nn.Hardsigmoid()(torch.tensor([-4.0, 0.0, 4.0])).tolist()
    [0.0, 0.5, 1.0]
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)


class LogSigmoid(Module):
    """The logarithm of the sigmoid function: log(1 / (1 + exp(-x))).

    >>> import torchlike as torch
    >>> torch.nn.LogSigmoid()(torch.tensor(0.0))
    tensor(-0.6931)
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent: (exp(x) - exp(-x)) / (exp(x) + exp(-x)).

    >>> import torchlike as torch
    >>> torch.nn.Tanh()(torch.tensor(1.0))
    tensor(0.7616)
    """

    def forward(self, input: Tensor) -> Tensor:
        return torchlike.tanh(input)


class SiLU(_Activation):
    """The sigmoid linear unit, or swish: x · sigmoid(x).

    Args:
      inplace: overwrite the input of each call with the result.

    >>> import torchlike as torch
    >>> torch.nn.SiLU()(torch.tensor(1.0))
    tensor(0.7311)
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, inplace=self.inplace)


class Mish(_Activation):
    """The Mish function: x · tanh(softplus(x)).

    Args:
      inplace: overwrite the input of each call with the result.

    >>> import torchlike as torch
    >>> torch.nn.Mish()(torch.tensor(1.0))
    tensor(0.8651)
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, inplace=self.inplace)


class Hardswish(Module):
    """The hard swish function: x · clamp(x/6 + 1/2, 0, 1).

    Args:
      inplace: overwrite the input of each call with the result.

    >>> import torchlike as torch
    >>> torch.nn.Hardswish()(torch.tensor([-4.0, 0.0, 4.0])).tolist()
    [-0.0, 0.0, 4.0]
    """

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)


class GELU(_Activation):
    """The Gaussian error linear unit: x · Φ(x), where Φ is the standard normal distribution function.

    Args:
      approximate: 'none', or 'tanh' for x/2 · (1 + tanh(sqrt(2/π) · (x + 0.044715·x³))).

    Raises:
      RuntimeError: `approximate` has another value. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.GELU()(torch.tensor(1.0))
    tensor(0.8413)
    """

    __constants__ = ["approximate"]

    def __init__(self, approximate: str = "none") -> None:
        super().__init__(approximate=approximate)

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)


class GLU(_Activation):
    """The gated linear unit: a · sigmoid(b), where a and b are the halves of x along `dim`.

    Args:
      dim: the dimension to split. Its size is even, and half as large in the result.

    Raises:
      RuntimeError: the size of `dim` is odd. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.GLU()(torch.tensor([2.0, 4.0, 0.0, 0.0]))
    tensor([1., 2.])
    """

    __constants__ = ["dim"]

    def __init__(self, dim: int = -1) -> None:
        super().__init__(dim=dim)

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)


# --- shrinking --------------------------------------------------------------------------------------------------------


class Hardshrink(Module):
    """The hard shrinkage function: x where |x| > lambd, 0 elsewhere.

    Args:
      lambd: the threshold.

    >>> import torchlike as torch
    >>> torch.nn.Hardshrink()(torch.tensor([-2.0, 0.25])).tolist()
    [-2.0, 0.0]
    """

    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class Softshrink(Module):
    """The soft shrinkage function: x - sign(x)·lambd where |x| > lambd, 0 elsewhere.

    Args:
      lambd: the threshold, at least 0.

    Raises:
      RuntimeError: `lambd` is negative. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.Softshrink()(torch.tensor([-2.0, 0.25])).tolist()
    [-1.5, 0.0]
    """

    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Tanhshrink(Module):
    """The tanh shrinkage function: x - tanh(x).

    >>> import torchlike as torch
    >>> torch.nn.Tanhshrink()(torch.tensor(1.0))
    tensor(0.2384)
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class Softsign(Module):
    """The softsign function: x / (1 + |x|).

    >>> import torchlike as torch
    >>> torch.nn.Softsign()(torch.tensor([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


# --- over a dimension -------------------------------------------------------------------------------------------------


class Softmax(_Activation):
    """The softmax function: exp(x) / sum(exp(x)) along `dim`.

    Args:
      dim: the dimension of the sum. The default is 0 for an input of 0, 1 or 3 dimensions, else 1, with a deprecation
        warning.

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
    """The softmin function: exp(-x) / sum(exp(-x)) along `dim`.

    Args:
      dim: the dimension of the sum. The default is 0 for an input of 0, 1 or 3 dimensions, else 1, with a deprecation
        warning.

    >>> import torchlike as torch
    >>> torch.nn.Softmin(dim=0)(torch.tensor([0.0, torch.inf]))
    tensor([1., 0.])
    """

    __constants__ = ["dim"]

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim=dim)

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim)


class LogSoftmax(_Activation):
    """The logarithm of softmax: x - log(sum(exp(x))) along `dim`.

    Args:
      dim: the dimension of the sum. The default is 0 for an input of 0, 1 or 3 dimensions, else 1, with a deprecation
        warning.

    >>> import torchlike as torch
    >>> torch.nn.LogSoftmax(dim=0)(torch.zeros(2))
    tensor([-0.6931, -0.6931])
    """

    __constants__ = ["dim"]

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim=dim)

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim)


class Softmax2d(Module):
    """Softmax over the channels of (C, H, W) or (N, C, H, W).

    Raises:
      ValueError: the input has not three or four dimensions. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.Softmax2d()(torch.zeros(2, 1, 1)).flatten()
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise _errors.layer_dimensions("Softmax2d", "input", "3D or 4D", input.dim())
        return F.softmax(input, -3)
