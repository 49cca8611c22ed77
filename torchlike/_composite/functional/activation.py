"""Activations as functions: PyTorch's signatures over the operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _dtypes, _random
from torchlike._composite.nn import functions
from torchlike._composite.nn.functions import finish
from torchlike._composite.random import sampling
from torchlike._errors.warned import warn
from torchlike._tensor import binding
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0); the gradient at 0 is 0.

    >>> import torchlike as torch
    >>> torch.nn.functional.relu(torch.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return finish(input, rows["relu"](input), inplace)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where x > threshold, `value` elsewhere."""
    return finish(input, rows["_threshold"](input, threshold, value), inplace)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """x where x > 0, a x elsewhere: a is drawn from [lower, upper) in training, their mean otherwise."""
    return finish(input, functions.rrelu(input, lower, upper, training), inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """x held between min_val and max_val."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return finish(input, rows["_hardtanh"](input, min_val, max_val), inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """x held between 0 and 6."""
    return finish(input, rows["_hardtanh"](input, 0, 6), inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where x > 0, alpha (exp(x) - 1) elsewhere."""
    return finish(input, rows["_elu"](input, alpha), inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """The scaled exponential unit, which keeps activations normalised."""
    return finish(input, rows["_selu"](input), inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where x > 0, alpha (exp(x / alpha) - 1) elsewhere."""
    return finish(input, rows["_celu"](input, alpha), inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where x > 0, negative_slope x elsewhere."""
    return finish(input, rows["_leaky_relu"](input, negative_slope), inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x sigmoid(x)."""
    return finish(input, rows["silu"](input), inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x tanh(softplus(x))."""
    return finish(input, rows["mish"](input), inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x + 3, 0), 6) / 6."""
    return finish(input, rows["_hardsigmoid"](input), inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x min(max(x + 3, 0), 6) / 6."""
    return finish(input, rows["_hardswish"](input), inplace)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x))."""
    return rows["sigmoid"](input)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return rows["tanh"](input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of a dim times the sigmoid of the second."""
    return rows["glu"](input, dim)


# -- softmax -----------------------------------------------------------------------------------------------------------


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """exp(x) divided by its sum over a dim.

    `_stacklevel` changes nothing: the warning names the user's line by itself.
    """
    dim = _implicit_dim("softmax", input) if dim is None else dim
    return functions.softmax(input, dim, dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """softmax(-x).

    `_stacklevel` changes nothing: the warning names the user's line by itself.
    """
    dim = _implicit_dim("softmin", input) if dim is None else dim
    return functions.softmax(-input, dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of softmax over a dim.

    `_stacklevel` changes nothing: the warning names the user's line by itself.
    """
    dim = _implicit_dim("log_softmax", input) if dim is None else dim
    return functions.log_softmax(input, dim, dtype)


def _implicit_dim(name: str, input: Tensor) -> int:
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.")
    return 0 if input.ndim in (0, 1, 3) else 1


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Softmax of logits plus Gumbel noise, over tau; with `hard` a one-hot vector with the soft one's gradient."""
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    dtype = np.dtype(logits.dtype.numpy)
    draw = lambda shape: (-np.log(_random.exponential(None, shape, dtype, 1.0))).astype(dtype)
    gumbels = sampling.like(logits, draw)
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
    made.__doc__ = f"In place: {function.__doc__}"
    made.__wrapped__ = function
    return made


relu_, threshold_, hardtanh_, elu_ = _twin(relu), _twin(threshold), _twin(hardtanh), _twin(elu)
selu_, celu_, leaky_relu_, rrelu_ = _twin(selu), _twin(celu), _twin(leaky_relu), _twin(rrelu)
