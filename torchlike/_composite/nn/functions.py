"""Activation, dropout and normalization functions of `torch` and `Tensor`."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors, _random
from torchlike._composite.nn.leaky import celu_form, refused_below_zero
from torchlike._composite.random import sampling
from torchlike._composite.random.samplers import Sampler
from torchlike._dtypes import dtype as Dtype
from torchlike._dtypes import modes
from torchlike._ops import REGISTRY
from torchlike._ops.schema.out_rules import EXACT
from torchlike._quantized import QuantizedTensor
from torchlike._random import Generator
from torchlike._tensor import binding, factories, public_calls
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.out import accepting_out
from torchlike._tensor.tensor import Tensor
from torchlike._tensor.tracebacks import shortened


def maybe_in_place(inplace: bool, function: Callable[..., Tensor], input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Call `function(input, ...)`. If the flag `inplace` is set, write the result to `input` and return `input`."""
    if not inplace:
        return function(input, *args, **kwargs)
    if isinstance(input, QuantizedTensor):
        return input.overwrite(function(input, *args, **kwargs))
    return _in_place_variant(function)(input, *args, **kwargs)


@functools.cache
def _in_place_variant(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the in-place variant of a function, which is called with `in_place=True` if it has this argument."""
    op = next((REGISTRY[name] for name, caller in rows.items() if caller is function), None)
    parameters = (inspect.signature(function) if op is None else op.signature).parameters
    called = functools.partial(function, in_place=True) if "in_place" in parameters else function
    return binding.in_place_of(function.__name__, called)


def check_flag(name: str, argument: str, position: int, given: Any) -> None:
    """Raise PyTorch's error unless an argument is a bool."""
    if not isinstance(given, bool | np.bool_):
        raise _errors.arguments.wrong_type(name, argument, position, "bool", given)


def _check_real(name: str, argument: str, position: int, given: Any) -> None:
    """Raise PyTorch's error unless an argument is a real number or a tensor of one element without dims."""
    if not isinstance(given, float | int | np.number | np.bool_) and getattr(given, "ndim", 1):
        raise _errors.arguments.wrong_type(name, argument, position, "float", given)


def _cast(name: str, input: Tensor, dim: int, dtype: Any) -> Tensor:
    if not public_calls.fits("Dtype", dtype):
        rows["_" + name](input, dim)  # errors about `dim` have precedence
        raise _errors.arguments.wrong_type(name, "dtype", None, "torch.dtype", dtype)
    return input.to(dtype)


# -- softmax -----------------------------------------------------------------------------------------------------------


def softmax(input: Tensor, dim: int, dtype: Dtype | None = None) -> Tensor:
    """Compute exp(x) divided by its sum over a dim. If `dtype` is given, `input` is cast to it first.

    Args:
      dtype: the dtype to which the elements are cast first, and of the result.

    >>> import torchlike as torch
    >>> torch.softmax(torch.zeros(2), 0).tolist()
    [0.5, 0.5]

    >>> torchlike.softmax(torchlike.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    try:
        return rows["_softmax"](input if dtype is None else _cast("softmax", input, dim, dtype), dim)
    except Exception as error:
        raise shortened(error)


def log_softmax(input: Tensor, dim: int, dtype: Dtype | None = None) -> Tensor:
    """Compute the logarithm of softmax over a dim. If `dtype` is given, `input` is cast to it first.

    Args:
      dtype: the dtype to which the elements are cast first, and of the result.

    >>> torchlike.log_softmax(torchlike.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931])
    """
    return rows["_log_softmax"](input if dtype is None else _cast("log_softmax", input, dim, dtype), dim)


# -- activations -------------------------------------------------------------------------------------------------------


def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Return x where x > 0, else alpha * (exp(x / alpha) - 1).

    Args:
      alpha: the scale of negative results, not 0.
    """
    return rows["_celu"](input, alpha)


def selu(input: Tensor) -> Tensor:
    """Compute the scaled exponential linear unit, which keeps activations normalized."""
    return rows["_selu"](input)


def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """Return x where x > threshold, else `value`.

    Args:
      threshold: the bound.
      value: the number that replaces smaller elements.
    """
    return rows["_threshold"](input, threshold, value)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """Return x where x > 0, else a * x; a is random in [lower, upper) in training and their mean otherwise.

    In training on the CPU, only the elements that are not positive consume a random number, so the call flushes the
    pending trace.

    Args:
      lower, upper: the bounds of the random slope.
      training: use random slopes.
    """
    return rrelu_form(input, lower, upper, training, generator)


def rrelu_form(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    generator: Generator | None = None,
    in_place: bool = False,
) -> Tensor:
    """Return the result of `rrelu`. `in_place`: the caller writes it to `input`."""
    check_flag("rrelu", "training", 4, training)
    for place, (name, bound) in enumerate((("lower", lower), ("upper", upper)), 2):
        if not hasattr(bound, "__float__"):
            raise _errors.arguments.wrong_type("rrelu", name, place, "Number", bound)
        if training and not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if not training:
        slope = (lower + upper) / 2
        return refused_below_zero(rows["_rrelu_with_mean"](input, slope, in_place), in_place, slope, "leakyReLu")
    if input.dtype not in (_dtypes.float32, _dtypes.float64, _dtypes.bfloat16):
        raise _errors.dtypes.not_implemented("rrelu_with_noise_out_cpu", input.dtype)
    return rows["_rrelu_with_noise"](input, _slopes(input, lower, upper, generator), in_place)


@sampling.by_elements
def _slopes(input: Tensor, lower: float, upper: float, generator: Any) -> Tensor:
    if not sampling.is_on_host(input):
        slopes = sampling.like(input, Sampler("uniform", generator, input.dtype.numpy, (float(lower), float(upper))))
        return rows["where"](input <= 0, slopes, 1.0)
    host = sampling.elements(input)
    below = host <= 0
    slopes = np.ones(host.shape, input.dtype.numpy)
    bound = np.float64 if slopes.dtype == np.float64 else np.float32
    low, high = float(bound(lower)), float(bound(upper))
    # Scale here: `uniform` with bounds would use a fused multiply-add, which rounds differently.
    slopes[below] = _random.uniform(generator, (int(below.sum()),), np.dtype(np.float64)) * (high - low) + low
    return factories.of_array(slopes, input.device)


# -- dropout -----------------------------------------------------------------------------------------------------------


def check_dropout(p: float, kind: type[Exception] = ValueError) -> None:
    """Raise PyTorch's error if `p` is not a probability. Its type in `torch.nn.functional` is ValueError."""
    if not 0 <= p <= 1:
        raise _errors.activations.dropout_probability(p, kind)


def _noise(input: Tensor, p: float, features: bool, scaled: bool) -> Tensor:
    """Return zeros with probability p, else ones (or 1 / (1 - p) if `scaled`), as random noise for dropout.

    There is one number for each element, or with `features` one for each index of dims 0 and 1.
    """
    dtype = np.dtype(input.dtype.numpy)
    draw = Sampler("dropout_noise", None, dtype, (p,)) if scaled else Sampler("bernoulli", None, dtype, (1 - p,))
    if features and input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    if features:
        shape = tuple(input.shape[:2]) + (1,) * (input.ndim - 2)
        return sampling.of_shape(draw, shape, input.device)
    return sampling.like(input, draw)


def _times(input: Tensor, factor: Tensor, in_place: bool) -> Tensor:
    return input.mul_(factor) if in_place else rows["mul"](input, factor)


def _zero_of(input: Tensor) -> Tensor:
    return factories.of_array(np.zeros((), input.dtype.numpy), input.device)


def _dropout(input: Tensor, p: float, train: bool, features: bool, in_place: bool = False) -> Tensor:
    check_dropout(p, RuntimeError)
    if p == 0 or not train or not input.numel():
        return input
    if p == 1:
        return _times(input, _zero_of(input), in_place)
    if input.dtype.category < _dtypes.FLOATING:
        raise binding._errors.dtypes.cannot_cast(modes.default_dtype, input.dtype)
    # PyTorch's CUDA kernel of `dropout` does not generate the numbers in the order of `bernoulli_`.
    if features or in_place or sampling.is_on_host(input) or sampling.is_batched():
        return _times(input, _noise(input, p, features, scaled=True), in_place)
    return sampling.dropped(input, p)


def _alpha_dropout(input: Tensor, p: float, train: bool, features: bool, in_place: bool = False) -> Tensor:
    check_dropout(p, RuntimeError)
    if p == 0 or not train or not input.numel():
        return input
    if p == 1:
        return _times(input, _zero_of(input), in_place)
    if input.dtype.category < _dtypes.FLOATING:  # PyTorch scales noise of the input's dtype in place
        raise _errors.dtypes.cannot_cast(_dtypes.float32, input.dtype)
    alpha = 1.7580993408473766  # the negated limit of selu at minus infinity; dropped elements get the limit
    noise = _noise(input, p, features, scaled=False)
    a = 1 / math.sqrt((alpha * alpha * p + 1) * (1 - p))
    shift = rows["add"](rows["mul"](rows["add"](noise, -1), alpha * a), alpha * a * p)
    scaled = _times(input, rows["mul"](noise, a), in_place)
    return scaled.add_(shift) if in_place else rows["add"](scaled, shift)


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Zero each element with probability p and scale the others by 1 / (1 - p), if `train` is True.

    Args:
      p: the probability of a zero.
      train: apply dropout, else return `input`.

    >>> torchlike.dropout(torchlike.ones(3), p=0.5, train=False)
    tensor([1., 1., 1.])
    """
    check_flag("dropout", "train", 3, train)
    return _dropout(input, p, train, False)


def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Zero each channel (index of the first two dims) with probability p, if `train` is True.

    The other channels are scaled by 1 / (1 - p).

    Args:
      p: the probability of zeroing a channel.
      train: apply dropout, else return `input`.
    """
    check_flag("feature_dropout", "train", 3, train)
    return _dropout(input, p, train, True)


def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Apply dropout that keeps the mean and variance of the outputs of `selu`.

    Args:
      p: the probability of dropping an element.
      train: apply dropout, else return `input`.
    """
    check_flag("alpha_dropout", "train", 3, train)
    return _alpha_dropout(input, p, train, False)


def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Apply `alpha_dropout` to whole channels.

    Args:
      p: the probability of dropping a channel.
      train: apply dropout, else return `input`.
    """
    check_flag("feature_alpha_dropout", "train", 3, train)
    return _alpha_dropout(input, p, train, True)


def _named_in_place(function: Callable[..., Tensor], in_place: Any) -> Callable[..., Tensor]:
    """Give `in_place` the name and the signature of the in-place variant of `function`."""
    in_place.__name__ = in_place.__qualname__ = function.__name__ + "_"
    in_place.__doc__ = f"Apply `{function.__name__}` in place."
    in_place.__wrapped__ = function
    return in_place


def _dropout_in_place(function: Callable[..., Tensor], drop: Callable[..., Tensor], features: bool) -> Any:
    """Return the in-place variant of a dropout function, which multiplies its input in place."""

    def in_place(input: Tensor, p: float, train: bool) -> Tensor:
        check_flag(function.__name__, "train", 3, train)
        return drop(input, p, train, features, in_place=True)

    return _named_in_place(function, in_place)


dropout_ = _dropout_in_place(dropout, _dropout, False)
feature_dropout_ = _dropout_in_place(feature_dropout, _dropout, True)
alpha_dropout_ = _dropout_in_place(alpha_dropout, _alpha_dropout, False)
feature_alpha_dropout_ = _dropout_in_place(feature_alpha_dropout, _alpha_dropout, True)


def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """Apply dropout. Return the result and the bool mask of the elements that were kept.

    Args:
      p: the probability of a zero.
      train: apply dropout. None means True.
    """
    if train is False or not input.numel():
        return input, factories.of_array(np.ones(tuple(input.shape), bool), input.device)
    kept = _noise(input, p, False, scaled=False)
    scaled = rows["mul"](rows["mul"](input, kept), 0.0 if p == 1 else 1 / (1 - p))
    return scaled, kept.to(_dtypes.bool_)


# -- normalization -----------------------------------------------------------------------------------------------------


def layer_norm(
    input: Tensor,
    normalized_shape: tuple[int, ...],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """Compute (x - mean) / sqrt(var + eps) over the last dims, times weight, plus bias.

    `normalized_shape` contains the sizes of these dims.

    Args:
      normalized_shape: the sizes of the last dims.
      weight, bias: tensors of shape `normalized_shape`.
      eps: the number added to the variance.
      cudnn_enable: has no effect.

    >>> torchlike.layer_norm(torchlike.tensor([1.0, 3.0]), (2,))
    tensor([-1.0000,  1.0000])
    """
    return rows["_layer_norm"](input, tuple(normalized_shape), weight, bias, eps)


def rms_norm(
    input: Tensor, normalized_shape: tuple[int, ...], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Compute x / sqrt(mean(x**2) + eps) over the last dims, times weight. By default eps is the dtype's epsilon.

    Args:
      normalized_shape: the sizes of the last dims.
      weight: a tensor of shape `normalized_shape`.
      eps: the number added to the mean square.
    """
    if input.dtype.category < _dtypes.FLOATING:
        raise _errors.dtypes.not_implemented("rms_norm", input.dtype)
    if eps is None:
        eps = float(np.finfo(_dtypes.opmath(input.dtype).to_real().numpy).eps)
    return rows["_rms_norm"](input, tuple(normalized_shape), weight, eps)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """Compute (x - mean) / sqrt(var + eps) over each group of channels of each sample, times weight, plus bias.

    Args:
      input: (N, C, ...).
      num_groups: the number of groups. It divides C.
      weight, bias: (C,).
      eps: the number added to the variance.
      cudnn_enabled: has no effect.
    """
    return rows["_group_norm"](input, num_groups, weight, bias, eps)


def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = True,
) -> Tensor:
    """Compute (x - mean) / sqrt(var + eps) for each channel (dim 1), times weight, plus bias.

    In training, the statistics are those of the batch, and the running statistics move toward them by `momentum`, in
    place.

    Args:
      input: (N, C, ...).
      weight, bias: (C,), or None.
      running_mean, running_var: (C,), or None.
      training: use the statistics of the batch, else the running ones.
      momentum: the weight of the batch in the new running statistics.
      eps: the number added to the variance.
      cudnn_enabled: has no effect.
    """
    check_flag("batch_norm", "training", 6, training)
    if momentum.__class__ is not float:
        _check_real("batch_norm", "momentum", 7, momentum)
    if not input.ndim:
        raise _errors.shapes.dim_of_scalar(1)
    if not input.numel():
        return _normalized_nothing(input, weight, bias)
    if not training:
        for name, given in (("running_mean", running_mean), ("running_var", running_var)):
            if given is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        return rows["_batch_norm_of_running"](input, running_mean, running_var, weight, bias, eps)
    channels = input.shape[1] if input.ndim > 1 else 0
    for name, given in (("running_mean", running_mean), ("running_var", running_var)):
        if given is not None:
            _check_running(name, given, channels)
    if (running_mean is None) is not (running_var is None):
        raise _errors.normalization.one_statistic()
    if input.ndim < 2:
        raise _errors.shapes.dim_out_of_range(1, input.ndim)
    _errors.normalization.check_parameter_dtypes(input, (weight, bias, running_mean, running_var))
    out, mean, var = rows["_batch_norm_of_batch"](input, weight, bias, eps)
    _move_running(running_mean, mean, momentum)
    _move_running(running_var, var, momentum)
    return out


def _check_running(name: str, given: Tensor, channels: int) -> None:
    if given.numel() != channels:
        raise _errors.normalization.channel_vector(name, channels, given.numel())
    if given.ndim != 1:
        raise _errors.normalization.statistics_dims(given.ndim)


def _normalized_nothing(input: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """Return a copy of an input without elements, with the history that PyTorch gives it."""
    out = input.clone()
    out = out if weight is None else out * weight.select(0, 0)
    return out if bias is None else out + bias.select(0, 0)


def _move_running(running: Tensor | None, new: Tensor, momentum: float) -> None:
    if running is not None:
        # A `with` statement on the mode itself is safe against interrupts; a wrapper around the mode is not.
        with modes.no_grad() if running.requires_grad else nullcontext():
            moved = rows["_moving_average"](running, new.detach(), momentum)
            binding.assign(running, moved)


def _move_repeated(running: Tensor | None, new: Tensor, momentum: float) -> None:
    """Move statistics of samples, which PyTorch computes in the input's dtype."""
    if running is None or running.dtype is new.dtype or new.dtype.itemsize == 2:
        _move_running(running, new, momentum)
    else:
        with modes.no_grad():
            narrow = running.to(new.dtype)
            _move_running(narrow, new, momentum)
            running.copy_(narrow)


def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = True,
) -> Tensor:
    """Compute (x - mean) / sqrt(var + eps) for each channel of each sample, times weight, plus bias.

    Args:
      input: (N, C, ...).
      weight, bias: (C,), or None.
      running_mean, running_var: (C,), or None.
      use_input_stats: use the statistics of the sample, else the running ones.
      momentum: the weight of the samples in the new running statistics.
      eps: the number added to the variance.
      cudnn_enabled: has no effect.
    """
    check_flag("instance_norm", "use_input_stats", 6, use_input_stats)
    if momentum.__class__ is not float:
        _check_real("instance_norm", "momentum", 7, momentum)
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    n, c = input.shape[:2]
    if not use_input_stats:
        mean, var = (None if t is None else t.to(input.dtype) for t in (running_mean, running_var))
        return batch_norm(input, weight, bias, mean, var, False, momentum, eps)
    if not input.numel():
        for given in (running_mean, running_var):
            if given is not None:
                given.copy_(given.repeat(n).reshape(n, c).mean(0))
        return _normalized_nothing(input, *[None if t is None else t.repeat(n) for t in (weight, bias)])
    for name, given in (("running_mean", running_mean), ("running_var", running_var)):
        if given is not None:
            _errors.normalization.check_repeated(name, given, n, n * c)
    if (running_mean is None) is not (running_var is None):
        raise _errors.normalization.one_statistic()
    shape = (1, n * c, *input.shape[2:])
    per_sample = [None if t is None else t.repeat(n) for t in (weight, bias)]
    out, mean, var = rows["_batch_norm_of_batch"](input.reshape(shape), *per_sample, eps)
    if running_mean is not None:
        _move_repeated(running_mean, mean.reshape(n, c).mean(0), momentum)
    if running_var is not None:
        _move_repeated(running_var, var.reshape(n, c).mean(0), momentum)
    return out.reshape(tuple(input.shape))


_into = lambda f: accepting_out(EXACT._replace(called=f"aten::{f.__name__}"))
FUNCTIONS = {f.__name__: _into(f)(public_calls.worded(f)) for f in (softmax, log_softmax)}
FUNCTIONS |= public_calls.functions(
    *(
        celu,
        selu,
        threshold,
        rrelu,
        dropout,
        dropout_,
        feature_dropout,
        feature_dropout_,
        alpha_dropout,
        alpha_dropout_,
        feature_alpha_dropout,
        feature_alpha_dropout_,
        native_dropout,
        layer_norm,
        rms_norm,
        group_norm,
        batch_norm,
        instance_norm,
    )
)
METHODS = {f.__name__: public_calls.worded(f, 1) for f in (softmax, log_softmax)}


def _public_variant(function: Callable[..., Tensor], form: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the in-place variant of a public function. `form` computes the result."""

    def in_place(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return maybe_in_place(True, form, input, *args, **kwargs)

    return _named_in_place(function, in_place)


FUNCTIONS |= public_calls.functions(
    _public_variant(celu, celu_form),
    _public_variant(selu, rows["_selu"]),
    _public_variant(threshold, rows["_threshold"]),
    _public_variant(rrelu, rrelu_form),
)
