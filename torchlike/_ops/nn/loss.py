"""Losses that compare two tensors element by element."""

from __future__ import annotations

import math

import jax
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._ops.elementwise.activation import floating, log1p_exp, magnitude
from torchlike._ops.elementwise.partial_derivatives import absolute, times_logarithm
from torchlike._ops.schema.autocast_policies import FULL, Casts, banned, full
from torchlike._ops.schema.checks import in_order, only
from torchlike._ops.schema.declare import Array, Kept, Real, constant, namespace, operator
from torchlike._ops.schema.namespace import choose, fractional, mean_of, sum_of
from torchlike._ops.schema.node_names import Nodes
from torchlike._ops.schema.rounding import stepwise, unchanged
from torchlike._ops.schema.typing_rules import Call, broadcast, result_type, through_integers, to_float

PLACES = ("nn.functional",)


def reduced(loss, reduction: str):
    """Reduce a loss per element by `reduction`: "none", "mean" or "sum"."""
    if reduction == "none":
        return loss
    xp = namespace(loss)
    if loss.dtype.kind in "iu":  # PyTorch has no mean of integers
        return xp.sum(loss, dtype="int64")
    return mean_of(loss, keepdims=False) if reduction == "mean" else sum_of(loss)


def _shape(call: Call) -> list:
    shape = broadcast([a.shape for a in call.arrays])
    whole = call.reduction == "sum" and all(a.dtype.category < _dtypes.FLOATING for a in call.promoted)
    if whole and call.op.name in ("l1_loss", "hinge_embedding_loss"):
        return [((), _dtypes.int64)]
    return [shape if call.reduction == "none" else ()]


def _of_dtype(name: str):
    """Return a shape rule for a loss that PyTorch writes in place: its dtype is that of one argument."""
    return lambda call: [(*_shape(call), call.arguments[name].dtype)]


def clamp_below(x):
    """Return max(x, 0) with PyTorch's gradient of `clamp_min`, which is 1 at the bound and 0 at NaN."""
    xp = namespace(x)
    zero = x.dtype.type(0)
    return choose(x < 0, zero, x) if xp is np else xp.where(x >= 0, x, xp.where(x < 0, zero, constant(x)))


def composed(last):
    """Return a function from a call to the name of the gradient node of a loss that PyTorch composes.

    The name is that of the reduction's node or, without a reduction, `last`, or `last(call)` if `last` is callable.
    """

    names = {"mean": "MeanBackward0", "sum": "SumBackward0"}

    def node(call):
        unreduced = last(call) if callable(last) else last
        name = names.get(call.reduction)
        if name is not None and isinstance(unreduced, Nodes):
            return Nodes(name, unreduced, passes=True)
        return name or unreduced

    return node


_TARGET = slice(1, 2)  # the format of a result is that of the second array


def _loss(check=None, **options):
    options.setdefault("autocast", FULL)
    options.setdefault("shape", _shape)
    return operator(where=PLACES, out=False, check=check, **options)


@_loss(only("mse_cpu", _dtypes.FLOATING), formats=1, loop="mse_cpu")
def mse_loss(input: Array, target: Array, reduction: str = "mean"):
    """Compute the squared error (input - target)**2, and reduce it by `reduction`.

    Args:
      input: any shape.
      target: a shape that broadcasts with that of `input`.
      reduction: "none", "mean" or "sum".
    """
    d = input - target
    return reduced(d * d, reduction)


def _check_mean(call: Call) -> None:
    bools = [x.dtype is _dtypes.bool_ for x in call.arrays if x in call.promoted]
    if any(bools):
        raise _errors.arithmetic.bool_minus_bool() if all(bools) else _errors.arithmetic.bool_minus()
    common = result_type(call.promoted, call.numbers)
    if call.reduction == "mean" and common.category < _dtypes.FLOATING:
        raise _errors.arithmetic.mean_of_integers(common)


@_loss(
    _check_mean,
    remembers=(),
    promote=lambda dtype: (dtype, dtype.to_real()),
    node=composed(Nodes("AbsBackward0", Nodes("SubBackward0", "input", "target"))),
    loop="add_stub",
    formats=1,
)
def l1_loss(input: Array, target: Array, reduction: str = "mean"):
    """Compute the absolute error |input - target|, and reduce it by `reduction`.

    Args:
      input: any shape.
      target: a shape that broadcasts with that of `input`.
      reduction: "none", "mean" or "sum".
    """
    return reduced(absolute(input - target), reduction)


@_loss(only("smooth_l1_cpu", _dtypes.FLOATING), formats=1)
def smooth_l1_loss(input: Array, target: Array, reduction: str = "mean", beta: Real = 1.0):
    """Compute the smooth L1 loss, which is quadratic for small errors and linear for large ones.

    With d = input - target, the loss is 0.5 d**2 / beta where |d| < beta, and |d| - 0.5 beta elsewhere.

    Args:
      input: any shape.
      target: a shape that broadcasts with that of `input`.
      reduction: "none", "mean" or "sum".
      beta: the bound between the two cases, greater than 0.
    """
    d, near = _apart(input, target, beta)
    return reduced(namespace(d).where(near == d, 0.5 * near * near / beta, magnitude(d) - 0.5 * beta), reduction)


def _apart(input, target, bound):
    """Return d = input - target, and d with 0 where |d| >= bound.

    The second result is squared. Large differences are replaced by 0, because the derivative of their squares may be
    infinite.
    """
    d = input - target
    return d, namespace(d).where(abs(d) < bound, d, namespace(d).zeros_like(d))


def _check_over_input(call: Call) -> None:
    """Raise PyTorch's dtype error for a result that does not fit over the input, as which PyTorch allocates it."""
    common = result_type(call.promoted, call.numbers)
    if call.input.dtype.category < common.category:
        raise _errors.dtypes.cannot_cast(common, call.input.dtype)


@_loss(
    in_order(_check_over_input, only("huber_cpu", _dtypes.FLOATING)),
    shape=_of_dtype("input"),
    formats=1,
    loop="huber_cpu",
)
def huber_loss(input: Array, target: Array, reduction: str = "mean", delta: Real = 1.0):
    """Compute the Huber loss, which is quadratic for small errors and linear for large ones.

    With d = input - target, the loss is 0.5 d**2 where |d| < delta, and delta (|d| - 0.5 delta) elsewhere.

    Args:
      input: any shape.
      target: a shape that broadcasts with that of `input`.
      reduction: "none", "mean" or "sum".
      delta: the bound between the two cases, greater than 0.
    """
    d, near = _apart(input, target, delta)
    return reduced(namespace(d).where(near == d, 0.5 * near * near, delta * (magnitude(d) - 0.5 * delta)), reduction)


# -- probabilities -----------------------------------------------------------------------------------------------------


@jax.custom_jvp
def _bernoulli_nll(p, target):
    """Return -(t log p + (1 - t) log(1 - p)), with each logarithm clamped to at least -100."""
    xp = namespace(p)
    return -(target * xp.maximum(xp.log(p), -100) + (1 - target) * xp.maximum(xp.log1p(-p), -100))


@_bernoulli_nll.defjvp
def _bernoulli_nll_jvp(primals, tangents):
    (p, target), (dp, dtarget) = primals, tangents
    xp = namespace(p)
    slope = (p - target) / xp.maximum((1 - p) * p, 1e-12)
    return _bernoulli_nll(p, target), slope * dp + (xp.log1p(-p) - xp.log(p)) * dtarget


def plain(function, array):
    """Return the undecorated function for a host array, or the function with its custom derivative for a traced one."""

    return function.fun if namespace(array) is np else function


def _check_bernoulli(call: Call) -> None:
    if call.target.dtype is not call.input.dtype:
        raise _errors.dtypes.unequal_target(call.target.dtype, call.input.dtype)
    floating("binary_cross_entropy")(call)
    _check_factor(call.weight, call.input)


def _check_factor(weight, loss) -> None:
    """Raise PyTorch's error if a weight cannot multiply the loss, of the shape and dtype of `loss`, in place."""
    if weight is None:
        return
    if weight.dtype.category > loss.dtype.category:
        raise _errors.dtypes.cannot_cast(result_type([weight, loss], []), loss.dtype)
    made = broadcast([loss.shape, weight.shape])
    if made != tuple(loss.shape):
        raise _errors.shapes.in_place_shape(loss.shape, made)


@_loss(
    _check_bernoulli,
    autocast=Casts(full, banned),
    loop="binary_cross_entropy",
    edges=("input", "target"),
    without_gradient={"weight": "binary_cross_entropy"},
    formats=1,
)
def binary_cross_entropy(input: Array, target: Array, weight: Array | None = None, reduction: str = "mean"):
    """Compute the binary cross entropy, -w (t log p + (1 - t) log(1 - p)), from probabilities p and targets t.

    Each logarithm is clamped to at least -100, so the loss is finite.

    Args:
      input: p, probabilities.
      target: t, from 0 to 1, with the dtype of `input`.
      weight: w, a factor of the loss of each element.
      reduction: "none", "mean" or "sum".
    """
    loss = plain(_bernoulli_nll, input)(input, target)
    return reduced(loss if weight is None else loss * weight, reduction)


def _check_logits(call: Call) -> None:
    floating("log_sigmoid_cpu")(call)
    made = broadcast([call.input.shape, call.target.shape])
    if made != tuple(call.target.shape):  # PyTorch writes the product in place over 1 - target
        raise _errors.shapes.in_place_shape(call.target.shape, made)
    if call.target.dtype.category < call.input.dtype.category:
        raise _errors.dtypes.cannot_cast(call.input.dtype, call.target.dtype)
    if call.pos_weight is not None:
        if call.pos_weight.dtype is _dtypes.bool_:
            raise _errors.arithmetic.bool_minus()
        _check_factor(call.pos_weight, call.input)
        _check_factor(call.target, call.input)
    _check_factor(call.weight, call.target)


@_loss(
    _check_logits,
    shape=_of_dtype("target"),
    node="BinaryCrossEntropyWithLogitsBackward0",
    edges=("input", "target"),
    opmath=False,
    loop="log_sigmoid_cpu",
    without_gradient=dict.fromkeys(("weight", "pos_weight"), "binary_cross_entropy_with_logits"),
    formats=_TARGET,
)
def binary_cross_entropy_with_logits(
    input: Array, target: Array, weight: Array | None = None, pos_weight: Array | None = None, reduction: str = "mean"
):
    """Compute the binary cross entropy of sigmoid(x) and targets t, from logits x.

    The loss is -w (pos_weight t log(sigmoid(x)) + (1 - t) log(1 - sigmoid(x))), computed without overflow.

    Args:
      input: x, logits.
      target: t, from 0 to 1.
      weight: w, a factor of the loss of each element.
      pos_weight: a factor of the first term.
      reduction: "none", "mean" or "sum".
    """
    step, x, target, weight, pos_weight = stepwise(input, target, weight, pos_weight)
    log_sigmoid = step(-log1p_exp(-x))
    if pos_weight is not None:
        log_sigmoid = step(log_sigmoid * step(step(step(pos_weight - 1) * target) + 1))
    loss = step(step(step(1 - target) * x) - log_sigmoid)
    return reduced(loss if weight is None else step(loss * weight), reduction)


def _check_divergence(call: Call) -> None:
    if call.input.dtype.is_complex or call.target.dtype.is_complex:
        raise RuntimeError("kl_div: Complex inputs not supported.")
    if any(a.dtype.category < _dtypes.FLOATING for a in (call.input, call.target)):
        raise RuntimeError("kl_div: Integral inputs not supported.")


@_loss(
    _check_divergence,
    node=composed(lambda call: "MulBackward0" if call.log_target else "SubBackward0"),
    loop="xlogy_cpu",
    formats=_TARGET,
)
def kl_div(input: Array, target: Array, reduction: str = "mean", log_target: bool = False):
    """Compute the Kullback-Leibler divergence, target (log target - input), where `input` holds log-probabilities.

    Args:
      input: log-probabilities.
      target: probabilities, or log-probabilities if `log_target` is True.
      reduction: "none", "mean" or "sum".
      log_target: whether `target` holds log-probabilities.
    """
    xp = namespace(input)
    if log_target:
        return reduced(xp.exp(target) * (target - input), reduction)
    return reduced(times_logarithm(target, target, unchanged) - target * input, reduction)


def _check_poisson(call: Call) -> None:
    if call.full and call.target.dtype is _dtypes.bool_:
        raise _errors.arithmetic.bool_minus()
    if call.full and call.target.dtype.is_complex:
        raise _errors.dtypes.not_implemented("le_cpu", call.target.dtype)
    broadcast([call.target.shape, call.input.shape] if call.log_input else [call.input.shape, call.target.shape])


def _kept_by_poisson(call: Call) -> tuple:
    target = Kept("target", only_for="" if call.full else "input")
    return (Kept("input", only_for="target"), target) if call.log_input else (target,)


@_loss(
    _check_poisson,
    promote=to_float,
    remembers=_kept_by_poisson,
    node=composed(lambda call: "AddBackward0" if call.full else "SubBackward0"),
    opmath=False,
    loop="exp_vml_cpu",
    formats=1,
)
def poisson_nll_loss(
    input: Array, target: Array, log_input: bool = True, full: bool = False, eps: Real = 1e-8, reduction: str = "mean"
):
    """Compute the negative log-likelihood of targets t under a Poisson distribution.

    The loss is exp(x) - t x or, if `log_input` is False, x - t log(x + eps).

    Args:
      input: x, the logarithm of the distribution's rate, or the rate itself if `log_input` is False.
      target: t, counts.
      log_input: whether `input` is the logarithm of the rate.
      full: whether to add Stirling's approximation of log t! where t > 1.
      eps: a small number that avoids log(0).
      reduction: "none", "mean" or "sum".
    """
    (step, x, target), xp = stepwise(input, target), namespace(input)
    if log_input:
        loss = step(xp.exp(x)) - step(target * x)
    else:
        loss = x - step(target * step(xp.log(step(x + eps))))
    if full:
        t = target
        stirling = step(step(t * step(xp.log(t))) - t) + step(0.5 * step(xp.log(step(2 * math.pi * t))))
        loss = step(loss) + xp.where(t <= 1, xp.zeros_like(stirling), step(stirling))
    return reduced(step(loss), reduction)


def _check_variance(call: Call) -> None:
    if call.var.dtype.is_complex:
        raise _errors.dtypes.not_implemented("lt_cpu", call.var.dtype)
    if call.var.dtype.category < _dtypes.FLOATING:
        raise _errors.dtypes.cannot_cast(_dtypes.float32, call.var.dtype)
    if _dtypes.bool_ in (call.input.dtype, call.target.dtype):
        raise _errors.arithmetic.bool_minus()


@_loss(
    _check_variance,
    node=composed(lambda call: "AddBackward0" if call.full else "MulBackward0"),
    remembers=(),
    autocast=None,
    loop="lt_cpu",
)
def gaussian_nll_loss(
    input: Array, target: Array, var: Array, full: bool = False, eps: Real = 1e-6, reduction: str = "mean"
):
    """Compute the negative log-likelihood of targets t under a normal distribution of mean x and variance v.

    The loss is 0.5 (log v + (x - t)**2 / v), where v = max(var, eps). The gradient with respect to `var` ignores the
    bound `eps`. With `full`, the constant 0.5 log(2 pi) is added.
    """
    xp = namespace(input)
    var = xp.where(var >= eps, var, eps + (var - constant(var)))
    loss = 0.5 * (xp.log(var) + (input - target) ** 2 / var)
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


# -- margins -----------------------------------------------------------------------------------------------------------


def _check_soft_margin(call: Call) -> None:
    if call.input.dtype is _dtypes.bool_:
        raise _errors.arithmetic.bool_negated()
    if result_type(call.promoted, call.numbers).category < _dtypes.FLOATING:
        raise _errors.dtypes.cannot_cast(_dtypes.float32, call.input.dtype)
    _check_over_input(call)


@_loss(
    _check_soft_margin,
    shape=_of_dtype("input"),
    formats=1,
    loop="neg_cpu",
    without_gradient={"target": "soft_margin_loss"},
)
def soft_margin_loss(input: Array, target: Array, reduction: str = "mean"):
    """Compute log(1 + exp(-t x)) for targets t of 1 or -1, and reduce it by `reduction`."""
    return reduced(log1p_exp(-target * input), reduction)


def _check_hinge(call: Call) -> None:
    if call.input.dtype.is_complex:
        raise _errors.arithmetic.clamped_complex()
    _check_mean(call)


@_loss(
    _check_hinge,
    formats=_TARGET,
    keeps=("target",),
    chooses=True,
    opmath=False,
    node=composed("AddBackward0"),
    loop="add_stub",
)
def hinge_embedding_loss(input: Array, target: Array, margin: Real = 1.0, reduction: str = "mean"):
    """Compute x where the target is 1, and max(0, margin - x) where it is -1, and reduce it by `reduction`.

    Args:
      input: x, any shape.
      target: a shape that broadcasts with that of `input`, 1 or -1.
      margin: the value of x above which a target of -1 has no loss.
      reduction: "none", "mean" or "sum".
    """
    (step, x, target), xp = stepwise(input, target), namespace(input)
    zero = xp.zeros_like(x)
    apart = xp.where(target != 1, clamp_below(step(step(xp.asarray(margin, x.dtype)) - x)), zero)
    return reduced(step(apart + xp.where(target != -1, x, zero)), reduction)


def _check_ranking(call: Call) -> None:
    if result_type(call.promoted, []).is_complex:
        raise _errors.arithmetic.clamped_complex()
    if call.target.dtype is _dtypes.bool_:
        raise _errors.arithmetic.bool_negated()
    bools = [x.dtype is _dtypes.bool_ for x in (call.input1, call.input2)]
    if any(bools):
        raise _errors.arithmetic.bool_minus_bool() if all(bools) else _errors.arithmetic.bool_minus()


@_loss(_check_ranking, chooses=True, promote=through_integers, node=composed("ClampMinBackward0"), loop="add_stub")
def margin_ranking_loss(input1: Array, input2: Array, target: Array, margin: Real = 0.0, reduction: str = "mean"):
    """Compute max(0, margin - t (x1 - x2)), where t = 1 ranks x1 above x2 and t = -1 ranks it below.

    Args:
      input1: x1, any shape.
      input2: x2, a shape that broadcasts with that of `input1`.
      target: t, 1 or -1.
      margin: the smallest difference without a loss.
      reduction: "none", "mean" or "sum".
    """
    return reduced(clamp_below(fractional(-target * (input1 - input2)) + margin), reduction)
