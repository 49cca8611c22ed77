"""Activation functions with PyTorch's signatures."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _dtypes
from torchlike._composite.nn import functions
from torchlike._composite.nn.functions import finish
from torchlike._composite.random import sampling
from torchlike._composite.random.samplers import Sampler
from torchlike._errors.warned import warn
from torchlike._tensor import binding
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(x, 0), element by element; the gradient at 0 is 0.

    >>> import torchlike as torch
    >>> torch.nn.functional.relu(torch.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return finish(input, rows["relu"](input), inplace)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return x where x > threshold, and `value` elsewhere."""
    return finish(input, rows["_threshold"](input, threshold, value), inplace)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """Return x where x > 0, and a * x elsewhere.

    In training, a is sampled for each element from the uniform distribution over [lower, upper). Otherwise it is the
    mean of `lower` and `upper`.
    """
    return finish(input, functions.rrelu(input, lower, upper, training), inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x clamped to [min_val, max_val]."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return finish(input, rows["_hardtanh"](input, min_val, max_val), inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x clamped to [0, 6]."""
    return finish(input, rows["_hardtanh"](input, 0, 6), inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x where x > 0, and alpha * (exp(x) - 1) elsewhere."""
    return finish(input, rows["_elu"](input, alpha), inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return the scaled exponential linear unit, which keeps activations normalized."""
    return finish(input, rows["_selu"](input), inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x where x > 0, and alpha * (exp(x / alpha) - 1) elsewhere."""
    return finish(input, rows["_celu"](input, alpha), inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return x where x > 0, and negative_slope * x elsewhere."""
    return finish(input, rows["_leaky_relu"](input, negative_slope), inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x * sigmoid(x), element by element."""
    return finish(input, rows["silu"](input), inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x * tanh(softplus(x)), element by element."""
    return finish(input, rows["mish"](input), inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return min(max(x + 3, 0), 6) / 6, a piecewise linear approximation of the sigmoid."""
    return finish(input, rows["_hardsigmoid"](input), inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x * min(max(x + 3, 0), 6) / 6, an approximation of `silu`."""
    return finish(input, rows["_hardswish"](input), inplace)


def sigmoid(input: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-x)), element by element."""
    return rows["sigmoid"](input)


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent, element by element."""
    return rows["tanh"](input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Split a dim into halves, and return the first half times the sigmoid of the second."""
    return rows["glu"](input, dim)


# -- softmax -----------------------------------------------------------------------------------------------------------


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Return exp(x) divided by its sum over a dim.

    Without `dim`, the dim is 0 for an input of 0, 1 or 3 dims, else 1, and a deprecation warning is issued. The warning
    always reports the caller's line: `_stacklevel` has no effect.
    """
    dim = _implicit_dim("softmax", input) if dim is None else dim
    return functions.softmax(input, dim, dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Return softmax(-x) over a dim.

    Without `dim`, the dim is 0 for an input of 0, 1 or 3 dims, else 1, and a deprecation warning is issued. The warning
    always reports the caller's line: `_stacklevel` has no effect.
    """
    dim = _implicit_dim("softmin", input) if dim is None else dim
    return functions.softmax(-input, dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Return the logarithm of the softmax over a dim.

    Without `dim`, the dim is 0 for an input of 0, 1 or 3 dims, else 1, and a deprecation warning is issued. The warning
    always reports the caller's line: `_stacklevel` has no effect.
    """
    dim = _implicit_dim("log_softmax", input) if dim is None else dim
    return functions.log_softmax(input, dim, dtype)


def _implicit_dim(name: str, input: Tensor) -> int:
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.")
    return 0 if input.ndim in (0, 1, 3) else 1


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Return softmax((logits + Gumbel noise) / tau) over a dim.

    Args:
      logits: unnormalized log-probabilities.
      tau: the temperature.
      hard: if True, return one-hot vectors whose gradient is that of the softmax.
      eps: deprecated, without effect.
      dim: the dim of the softmax.
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    dtype = np.dtype(logits.dtype.numpy)
    gumbels = -sampling.like(logits, Sampler("exponential", None, dtype, (1.0,))).log()
    soft = functions.softmax((logits + gumbels) / tau, dim)
    if not hard:
        return soft
    classes = soft.shape[dim]
    best = rows["_one_hot"](soft.detach().argmax(dim), classes).to(_dtypes.promote_types(soft.dtype, soft.dtype))
    return best.movedim(-1, dim) - soft.detach() + soft


def _twin(function: Any) -> Any:
    def in_place(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return binding.assign(input, function(input, *args, **kwargs))

    made: Any = in_place
    made.__name__ = made.__qualname__ = function.__name__ + "_"
    made.__doc__ = f"Apply `{function.__name__}` in place."
    made.__wrapped__ = function
    return made


relu_, threshold_, hardtanh_, elu_ = _twin(relu), _twin(threshold), _twin(hardtanh), _twin(elu)
selu_, celu_, leaky_relu_, rrelu_ = _twin(selu), _twin(celu), _twin(leaky_relu), _twin(rrelu)
