"""Initialization of network parameters.

Every function writes into its argument `tensor`, without recording gradients, and returns it. Random initializers
sample from `generator`, or from the default generator if it is None.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import warn
from torchlike.nn import _errors_layers as _errors

_GAINS = {
    "linear": 1,
    "conv1d": 1,
    "conv2d": 1,
    "conv3d": 1,
    "conv_transpose1d": 1,
    "conv_transpose2d": 1,
    "conv_transpose3d": 1,
    "sigmoid": 1,
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the recommended gain for `nonlinearity`.

    The gain is the factor that initializers apply to the standard deviation of a weight. It compensates for the
    change in variance caused by the nonlinearity.

    Args:
      nonlinearity: 'linear', 'conv1d' and other layers, 'sigmoid', 'tanh', 'relu', 'leaky_relu' or 'selu'.
      param: the negative slope of 'leaky_relu' (default 0.01), whose gain is sqrt(2 / (1 + slope²)).

    Raises:
      ValueError: the nonlinearity is unknown, or the slope is not a number.

    >>> import torchlike as torch
    >>> torch.nn.init.calculate_gain("leaky_relu", 1)
    1.0
    """
    if nonlinearity == "leaky_relu":
        if param is None:
            param = 0.01
        elif isinstance(param, bool) or not isinstance(param, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + param**2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS[nonlinearity]


# --- plain fills ------------------------------------------------------------------------------------------------------


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill `tensor` with samples from the uniform distribution over [a, b).

    Args:
      tensor: the tensor to fill, of any shape.
      a, b: the bounds.
      generator: the random generator, by default that of the device.

    Returns:
      `tensor`.

    >>> import torchlike as torch
    >>> torch.nn.init.uniform_(torch.empty(2, 3)).shape
    torch.Size([2, 3])
    """
    with torchlike.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill `tensor` with samples from the normal distribution N(mean, std²).

    Args:
      tensor: the tensor to fill, of any shape.
      mean, std: the mean and the standard deviation.
      generator: the random generator, by default that of the device.

    Returns:
      `tensor`.

    >>> import torchlike as torch
    >>> torch.nn.init.normal_(torch.empty(2, 3), std=0.02).shape
    torch.Size([2, 3])
    """
    with torchlike.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Fill `tensor` with samples from the normal distribution N(mean, std²) truncated to [a, b].

    Args:
      tensor: the tensor to fill, of any shape.
      mean, std: the mean and the standard deviation of the normal distribution.
      a, b: the bounds. They are values, not multiples of `std`.
      generator: the random generator, by default that of the device.

    Returns:
      `tensor`.

    >>> import torchlike as torch
    >>> torch.nn.init.trunc_normal_(torch.empty(8)).abs().le(2).all().item()
    True
    """
    if tensor.device.type == "meta":
        return tensor
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(_errors.trunc_normal_far_mean(), site="trunc_normal_")

    def cdf(x: float) -> float:
        return (1.0 + math.erf((x - mean) / std / math.sqrt(2.0))) / 2.0

    # Rejection sampling. The proposal is normal if more than 30% of the distribution lies within the bounds, and
    # uniform otherwise.
    sample = _truncated_by_normal if cdf(b) - cdf(a) > 0.3 else _truncated_by_uniform
    with torchlike.no_grad():
        return tensor.copy_(sample(tensor, mean, std, a, b, generator))


def _truncated_by_normal(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    low, high = (tensor.new_tensor(bound, device="cpu").item() for bound in (a, b))

    def draw() -> Tensor:
        return torchlike.empty_like(tensor).normal_(mean, std, generator=generator)

    result = draw()
    while (outside := (result < low) | (result > high)).any():
        result = torchlike.where(outside, draw(), result)
    return result


def _truncated_by_uniform(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    log_peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def draw() -> Tensor:
        return torchlike.empty_like(tensor).uniform_(a, b, generator=generator)

    def rejected(candidates: Tensor) -> Tensor:
        log_density = candidates.sub(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)
        return torchlike.empty_like(tensor).uniform_(generator=generator).log_() > log_density

    result = draw()
    pending = rejected(result)
    while pending.any():
        candidates = draw()
        result = torchlike.where(pending, candidates, result)
        pending = pending & rejected(candidates)
    return result


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill `tensor` with the value `val`.

    Args:
      tensor: the tensor to fill, of any shape.
      val: the value.

    Returns:
      `tensor`.

    >>> import torchlike as torch
    >>> torch.nn.init.constant_(torch.empty(2), 0.5).tolist()
    [0.5, 0.5]
    """
    with torchlike.no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill `tensor` with ones.

    Args:
      tensor: the tensor to fill, of any shape.

    Returns:
      `tensor`.

    >>> import torchlike as torch
    >>> torch.nn.init.ones_(torch.empty(2)).tolist()
    [1.0, 1.0]
    """
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill `tensor` with zeros.

    Args:
      tensor: the tensor to fill, of any shape.

    Returns:
      `tensor`.

    >>> import torchlike as torch
    >>> torch.nn.init.zeros_(torch.empty(2)).tolist()
    [0.0, 0.0]
    """
    with torchlike.no_grad():
        return tensor.zero_()


# --- identities -------------------------------------------------------------------------------------------------------


def eye_(tensor: Tensor) -> Tensor:
    """Fill a 2-dimensional tensor with ones on the main diagonal and zeros elsewhere.

    Args:
      tensor: a matrix.

    Returns:
      `tensor`.

    Raises:
      ValueError: `tensor` has not two dimensions.

    >>> import torchlike as torch
    >>> torch.nn.init.eye_(torch.empty(2, 3)).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    if tensor.ndimension() != 2:
        raise _errors.init_needs_two_dimensions()
    with torchlike.no_grad():
        torchlike.eye(*tensor.shape, out=tensor, requires_grad=tensor.requires_grad)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill a convolution weight of 3, 4 or 5 dimensions with the Dirac delta function.

    The convolution then copies as many input channels as possible to its output, in each group separately.

    Args:
      tensor: a weight (C_out, C_in / groups, *kernel).
      groups: the number of groups of the convolution, which divides C_out.

    Returns:
      `tensor`.

    Raises:
      ValueError: the number of dimensions does not fit, or C_out is not divisible by `groups`.

    >>> import torchlike as torch
    >>> torch.nn.init.dirac_(torch.empty(1, 1, 3)).tolist()
    [[[0.0, 1.0, 0.0]]]
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    out_channels = tensor.size(0)
    if out_channels % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = out_channels // groups
    centre = tuple(size // 2 for size in tensor.shape[2:])
    with torchlike.no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(per_group, tensor.size(1))):
                tensor[(group * per_group + channel, channel, *centre)] = 1
    return tensor


# --- fans -------------------------------------------------------------------------------------------------------------


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return (fan_in, fan_out) of a weight of shape (out, in, *kernel).

    `fan_in` is the number of inputs that contribute to one output. `fan_out` is the number of outputs to which one
    input contributes.
    """
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    receptive_field = math.prod(tensor.shape[2:])
    return tensor.size(1) * receptive_field, tensor.size(0) * receptive_field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill `tensor` with samples from U(-bound, bound) (Glorot and Bengio, 2010).

    The bound is gain·sqrt(6 / (fan_in + fan_out)).

    Args:
      tensor: a weight (out, in, *kernel).
      gain: the factor of the bound, see `calculate_gain`.
      generator: the random generator, by default that of the device.

    Returns:
      `tensor`.

    Raises:
      ValueError: `tensor` has fewer than two dimensions.

    >>> import torchlike as torch
    >>> torch.nn.init.xavier_uniform_(torch.empty(3, 5)).shape
    torch.Size([3, 5])
    """
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill `tensor` with samples from N(0, std²) (Glorot and Bengio, 2010).

    The standard deviation is gain·sqrt(2 / (fan_in + fan_out)).

    Args:
      tensor: a weight (out, in, *kernel).
      gain: the factor of the standard deviation, see `calculate_gain`.
      generator: the random generator, by default that of the device.

    Returns:
      `tensor`.

    Raises:
      ValueError: `tensor` has fewer than two dimensions.

    >>> import torchlike as torch
    >>> torch.nn.init.xavier_normal_(torch.empty(3, 5)).shape
    torch.Size([3, 5])
    """
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _xavier_std(tensor: Tensor, gain: float) -> float:
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return gain * math.sqrt(2.0 / float(fan_in + fan_out))


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Fill `tensor` with samples from U(-bound, bound) (He et al., 2015).

    The bound is gain·sqrt(3 / fan).

    Args:
      tensor: a weight (out, in, *kernel).
      a: the negative slope of 'leaky_relu'.
      mode: 'fan_in', the number of inputs of an output, or 'fan_out', the number of outputs of an input.
      nonlinearity: the function after the layer, which determines the gain, see `calculate_gain`.
      generator: the random generator, by default that of the device.

    Returns:
      `tensor`.

    Raises:
      ValueError: `tensor` has fewer than two dimensions, or an option is unknown.

    >>> import torchlike as torch
    >>> torch.nn.init.kaiming_uniform_(torch.empty(3, 5), nonlinearity="relu").shape
    torch.Size([3, 5])
    """
    if 0 in tensor.shape:
        warn(_errors.initialising_nothing())
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Fill `tensor` with samples from N(0, std²) (He et al., 2015).

    The standard deviation is gain / sqrt(fan).

    Args:
      tensor: a weight (out, in, *kernel).
      a: the negative slope of 'leaky_relu'.
      mode: 'fan_in', the number of inputs of an output, or 'fan_out', the number of outputs of an input.
      nonlinearity: the function after the layer, which determines the gain, see `calculate_gain`.
      generator: the random generator, by default that of the device.

    Returns:
      `tensor`.

    Raises:
      ValueError: `tensor` has fewer than two dimensions, or an option is unknown.

    >>> import torchlike as torch
    >>> torch.nn.init.kaiming_normal_(torch.empty(3, 5), mode="fan_out").shape
    torch.Size([3, 5])
    """
    if 0 in tensor.shape:
        warn(_errors.initialising_nothing())
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


# --- structured random fills ------------------------------------------------------------------------------------------


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Fill `tensor` with a random (semi-)orthogonal matrix multiplied by `gain`.

    Args:
      tensor: a matrix. A tensor of more than two dimensions is treated as a matrix: its dimensions after the first are
        flattened.
      gain: the factor.
      generator: the random generator, by default that of the device.

    Returns:
      `tensor`.

    Raises:
      ValueError: `tensor` has fewer than two dimensions.

    >>> import torchlike as torch
    >>> torch.nn.init.orthogonal_(torch.empty(3, 5)).shape
    torch.Size([3, 5])
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.size(0), tensor.numel() // tensor.size(0)
    drawn = tensor.new_empty(rows, columns).normal_(0, 1, generator=generator)
    q, r = torchlike.linalg.qr(drawn.t() if rows < columns else drawn)
    # Making the diagonal of R positive makes Q uniformly distributed over the orthogonal group.
    q = q * torchlike.diag(r, 0).sign()
    with torchlike.no_grad():
        tensor.copy_((q.t() if rows < columns else q).reshape(tensor.shape))
        tensor.mul_(gain)
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Fill a matrix with samples from N(0, std²), then zero a random fraction `sparsity` of each column.

    Args:
      tensor: a matrix.
      sparsity: the fraction of zeros in each column, rounded up to whole elements.
      std: the standard deviation.
      generator: the random generator. As in PyTorch, the rows of the zeros are sampled from the default generator.

    Returns:
      `tensor`.

    Raises:
      ValueError: `tensor` has not two dimensions.

    >>> import torchlike as torch
    >>> torch.nn.init.sparse_(torch.empty(4, 2), sparsity=0.5).shape
    torch.Size([4, 2])
    """
    if tensor.ndimension() != 2:
        raise _errors.init_needs_two_dimensions()
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with torchlike.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[torchlike.randperm(rows)[:zeros], column] = 0
    return tensor


# --- private names ----------------------------------------------------------------------------------------------------

# Projects that copied the initialization of vision transformers import these.
_no_grad_uniform_ = uniform_
_no_grad_normal_ = normal_
_no_grad_trunc_normal_ = trunc_normal_
_no_grad_fill_ = constant_
_no_grad_zero_ = zeros_


# --- old names --------------------------------------------------------------------------------------------------------


def _deprecated(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return a deprecated alias of `function`, which warns when it is called. Its name lacks the underscore."""
    new, old = function.__name__, function.__name__[:-1]

    @functools.wraps(function)
    def renamed(*args: Any, **kwargs: Any) -> Tensor:
        warn(_errors.init_renamed(old, new), FutureWarning)
        return function(*args, **kwargs)

    renamed.__name__ = renamed.__qualname__ = old
    renamed.__doc__ = _renamed_doc(function, old)
    return renamed


def _renamed_doc(function: Callable[..., Tensor], old: str) -> str:
    """Return the docstring of a deprecated alias: that of the function, with the old name in the example."""
    new = function.__name__
    first, _, others = (inspect.getdoc(function) or "").partition("\n\n")
    quietly = f'>>> with warnings.catch_warnings(action="ignore"):\n...     torch.nn.init.{old}('
    others = others.replace(f">>> torch.nn.init.{new}(", quietly).replace("as torch\n", "as torch, warnings\n")
    return f"{first}\n\nThis is the deprecated name of `{new}`. It gives a warning.\n\n{others}\n"


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)
