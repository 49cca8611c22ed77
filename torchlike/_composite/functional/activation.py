"""Activation functions with PyTorch's signatures."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from torchlike import _dtypes
from torchlike._composite.nn import functions
from torchlike._composite.nn.functions import maybe_in_place
from torchlike._composite.nn.leaky import celu_form, elu_form, leaky_relu_form
from torchlike._composite.random import sampling
from torchlike._composite.random.samplers import Sampler
from torchlike._errors.warned import warn
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(x, 0), element by element; the gradient at 0 is 0.

    Args:
      input: any shape.
      inplace: overwrite the input with the result.

    >>> import torchlike as torch
    >>> torch.nn.functional.relu(torch.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return maybe_in_place(inplace, rows["relu"], input)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return x where x > threshold, and `value` elsewhere.

    Args:
      input: any shape.
      threshold: elements up to this number are replaced.
      value: the number that replaces them.
      inplace: overwrite the input with the result.

    >>> import torchlike as torch
    >>> torch.nn.functional.threshold(torch.tensor([0.5, 2.0]), 1.0, 9.0).tolist()
    [9.0, 2.0]
    """
    return maybe_in_place(inplace, rows["_threshold"], input, threshold, value)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """Return x where x > 0, and a * x elsewhere.

    In training, a is sampled for each element from the uniform distribution over [lower, upper). Otherwise it is the
    mean of `lower` and `upper`.

    Args:
      input: any shape.
      lower, upper: the range of the slope a.
      training: sample the slopes.
      inplace: overwrite the input with the result.

    Raises:
      RuntimeError: `lower` is greater than `upper`.

    >>> import torchlike as torch
    >>> torch.nn.functional.rrelu(torch.tensor([-2.0, 2.0]), 0.25, 0.75).tolist()
    [-1.0, 2.0]
    """
    return maybe_in_place(inplace, functions.rrelu_form, input, lower, upper, training)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x clamped to [min_val, max_val].

    Args:
      input: any shape.
      min_val, max_val: the bounds.
      inplace: overwrite the input with the result.

    Raises:
      ValueError: `min_val` is greater than `max_val`.

    >>> import torchlike as torch
    >>> torch.nn.functional.hardtanh(torch.tensor([-3.0, 0.5, 3.0])).tolist()
    [-1.0, 0.5, 1.0]
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return maybe_in_place(inplace, rows["_hardtanh"], input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x clamped to [0, 6].

    Args:
      input: any shape.
      inplace: overwrite the input with the result.

    >>> import torchlike as torch
    >>> torch.nn.functional.relu6(torch.tensor([-1.0, 7.0])).tolist()
    [0.0, 6.0]
    """
    return maybe_in_place(inplace, rows["_hardtanh"], input, 0, 6)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x where x > 0, and alpha * (exp(x) - 1) elsewhere.

    Args:
      input: any shape.
      alpha: the limit for x -> -inf is -alpha.
      inplace: overwrite the input with the result.

    >>> import torchlike as torch
    >>> torch.nn.functional.elu(torch.tensor([-torch.inf, 2.0])).tolist()
    [-1.0, 2.0]
    """
    return maybe_in_place(inplace, elu_form, input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return the scaled exponential linear unit, which keeps activations normalized.

    The result is scale * x where x > 0, and scale * alpha * (exp(x) - 1) elsewhere, with scale = 1.0507... and
    alpha = 1.6733...

    Args:
      input: any shape.
      inplace: overwrite the input with the result.

    >>> import torchlike as torch
    >>> torch.nn.functional.selu(torch.tensor([-1.0, 1.0]))
    tensor([-1.1113,  1.0507])
    """
    return maybe_in_place(inplace, rows["_selu"], input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x where x > 0, and alpha * (exp(x / alpha) - 1) elsewhere.

    Args:
      input: any shape.
      alpha: the scale, not 0. The limit for x -> -inf is -alpha.
      inplace: overwrite the input with the result.

    Raises:
      RuntimeError: `alpha` is 0.

    >>> import torchlike as torch
    >>> torch.nn.functional.celu(torch.tensor([-torch.inf, 2.0]), alpha=0.5).tolist()
    [-0.5, 2.0]
    """
    return maybe_in_place(inplace, celu_form, input, alpha)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return x where x > 0, and negative_slope * x elsewhere.

    Args:
      input: any shape.
      negative_slope: the slope below 0.
      inplace: overwrite the input with the result.

    >>> import torchlike as torch
    >>> torch.nn.functional.leaky_relu(torch.tensor([-2.0, 2.0]), 0.5).tolist()
    [-1.0, 2.0]
    """
    return maybe_in_place(inplace, leaky_relu_form, input, negative_slope)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x * sigmoid(x), element by element. This is also called swish.

    Args:
      input: any shape.
      inplace: overwrite the input with the result.

    >>> import torchlike as torch
    >>> torch.nn.functional.silu(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7311])
    """
    return maybe_in_place(inplace, rows["silu"], input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x * tanh(softplus(x)), element by element.

    Args:
      input: any shape.
      inplace: overwrite the input with the result.

    >>> import torchlike as torch
    >>> torch.nn.functional.mish(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8651])
    """
    return maybe_in_place(inplace, rows["mish"], input)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return min(max(x + 3, 0), 6) / 6, a piecewise linear approximation of the sigmoid.

    Args:
      input: any shape.
      inplace: overwrite the input with the result.

    >>> import torchlike as torch
    >>> torch.nn.functional.hardsigmoid(torch.tensor([-4.0, 0.0, 4.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return maybe_in_place(inplace, rows["_hardsigmoid"], input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x * min(max(x + 3, 0), 6) / 6, an approximation of `silu`.

    Args:
      input: any shape.
      inplace: overwrite the input with the result.

    >>> import torchlike as torch
    >>> torch.nn.functional.hardswish(torch.tensor([-4.0, 0.0, 4.0])).tolist()
    [-0.0, 0.0, 4.0]
    """
    return maybe_in_place(inplace, rows["_hardswish"], input)


def sigmoid(input: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-x)), element by element.

    Args:
      input: any shape.

    >>> import torchlike as torch
    >>> torch.nn.functional.sigmoid(torch.tensor(0.0)).item()
    0.5
    """
    return rows["sigmoid"](input)


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent, element by element.

    Args:
      input: any shape.

    >>> import torchlike as torch
    >>> torch.nn.functional.tanh(torch.tensor(1.0))
    tensor(0.7616)
    """
    return rows["tanh"](input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Split a dim into halves, and return the first half times the sigmoid of the second.

    Args:
      input: any shape.
      dim: the dim to split. Its size is even.

    Returns:
      The shape of `input`, with half the size in `dim`.

    Raises:
      RuntimeError: the size of `dim` is odd, or `input` has no dim.

    >>> import torchlike as torch
    >>> torch.nn.functional.glu(torch.tensor([2.0, 4.0, 0.0, 0.0])).tolist()
    [1.0, 2.0]
    """
    return rows["glu"](input, dim)


# -- softmax -----------------------------------------------------------------------------------------------------------


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Return exp(x) divided by its sum over a dim.

    Args:
      input: any shape.
      dim: the dim of the sum. The default is 0 for an input of 0, 1 or 3 dims, else 1, with a deprecation warning.
      _stacklevel: has no effect. The warning always reports the caller's line.
      dtype: the dtype of the result; `input` is cast to it first. The default is that of `input`.

    >>> import torchlike as torch
    >>> torch.nn.functional.softmax(torch.zeros(2), dim=0).tolist()
    [0.5, 0.5]
    """
    dim = _get_softmax_dim("softmax", input.ndim) if dim is None else dim
    return functions.softmax(input, dim, dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Return softmax(-x) over a dim.

    Args:
      input: any shape.
      dim: the dim of the sum. The default is 0 for an input of 0, 1 or 3 dims, else 1, with a deprecation warning.
      _stacklevel: has no effect. The warning always reports the caller's line.
      dtype: the dtype of the result; `input` is cast to it first. The default is that of `input`.

    >>> import torchlike as torch
    >>> torch.nn.functional.softmin(torch.tensor([0.0, torch.inf]), dim=0).tolist()
    [1.0, 0.0]
    """
    dim = _get_softmax_dim("softmin", input.ndim) if dim is None else dim
    return functions.softmax(-input, dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Return the logarithm of the softmax over a dim: x - log(sum(exp(x))).

    Args:
      input: any shape.
      dim: the dim of the sum. The default is 0 for an input of 0, 1 or 3 dims, else 1, with a deprecation warning.
      _stacklevel: has no effect. The warning always reports the caller's line.
      dtype: the dtype of the result; `input` is cast to it first. The default is that of `input`.

    >>> import torchlike as torch
    >>> torch.nn.functional.log_softmax(torch.zeros(2), dim=0)
    tensor([-0.6931, -0.6931])
    """
    dim = _get_softmax_dim("log_softmax", input.ndim) if dim is None else dim
    return functions.log_softmax(input, dim, dtype)


def _get_softmax_dim(name: str, ndim: int, stacklevel: int = 3) -> int:
    """Return the default dim of a softmax, with a warning at the caller's line. `stacklevel` has no effect."""
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.")
    return 0 if ndim in (0, 1, 3) else 1


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Return softmax((logits + Gumbel noise) / tau) over a dim.

    Args:
      logits: unnormalized log-probabilities.
      tau: the temperature.
      hard: if True, return one-hot vectors whose gradient is that of the softmax.
      eps: deprecated, without effect.
      dim: the dim of the softmax.

    >>> import torchlike as torch
    >>> torch.nn.functional.gumbel_softmax(torch.zeros(2, 3), hard=True).sum(-1).tolist()
    [1.0, 1.0]
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


def _in_place_variant(function: Any, options: str = "") -> Any:
    """Return the in-place variant of an activation. `options` are the arguments of its example after the input."""

    def in_place(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return function(input, *args, inplace=True, **kwargs)

    made: Any = in_place
    made.__name__ = made.__qualname__ = function.__name__ + "_"
    made.__doc__ = _in_place_doc(function, options)
    made.__wrapped__ = function
    made.__signature__ = _without_inplace(function)
    return made


def _without_inplace(function: Any) -> inspect.Signature:
    signature = inspect.signature(function)
    return signature.replace(parameters=[p for p in signature.parameters.values() if p.name != "inplace"])


def _in_place_doc(function: Any, options: str) -> str:
    """Return the docstring of an in-place variant: its own first sentence and example, and the function's arguments."""
    first, *others = (inspect.getdoc(function) or "").partition("\n\n>>>")[0].split("\n\n")
    arguments = "\n\n".join(others).replace("\n  inplace: overwrite the input with the result.", "")
    example = f">>> x = torch.tensor([-1.0, 2.0])\n>>> torch.nn.functional.{function.__name__}_(x{options}) is x\nTrue"
    text = f"{first.removesuffix('.')}, in place.\n\n{arguments}"
    return f"{text}\n\n>>> import torchlike as torch\n{example}\n"


relu_, threshold_, hardtanh_, elu_ = (
    _in_place_variant(relu),
    _in_place_variant(threshold, ", 0.0, 0.0"),
    _in_place_variant(hardtanh),
    _in_place_variant(elu),
)
selu_, celu_, leaky_relu_, rrelu_ = (
    _in_place_variant(selu),
    _in_place_variant(celu),
    _in_place_variant(leaky_relu),
    _in_place_variant(rrelu),
)
