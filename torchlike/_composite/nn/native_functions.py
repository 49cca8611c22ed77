"""ATen functions of layers that also return the values for backward, and some of their gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._composite.nn import functions, raw_functions
from torchlike._composite.views.copies import _slice
from torchlike._dtypes import modes
from torchlike._ops.schema.out_rules import Into
from torchlike._sparse import _rules as sparse_rules
from torchlike._tensor import factories, public_calls
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.out import accepting_out
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.backward import grad

Triple = tuple[Tensor, Tensor, Tensor]

# -- normalization -----------------------------------------------------------------------------------------------------


def native_layer_norm(
    input: Tensor, normalized_shape: tuple[int, ...], weight: Tensor | None, bias: Tensor | None, eps: float
) -> Triple:
    """Compute `layer_norm`. Return the result, the means and the reciprocal standard deviations.

    Args:
      normalized_shape: the sizes of the last dims.
      weight, bias: tensors of shape `normalized_shape`, or None.
      eps: the number added to the variance.
    """
    out = rows["_layer_norm"](input, tuple(normalized_shape), weight, bias, eps)
    dims = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    return out, *_statistics(_beside(input.detach(), weight), dims, eps, keepdim=True)


def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float
) -> Triple:
    """Compute `group_norm`. Return the result, and the means and reciprocal standard deviations of the groups.

    Unlike in `native_layer_norm`, these statistics are differentiable.

    Args:
      input: (N, C, ...).
      weight, bias: (C,), or None.
      N, C, HxW: the sizes of the dims; HxW is the product of the dims after C.
      group: the number of groups.
      eps: the number added to the variance.
    """
    for place, (name, given) in enumerate({"N": N, "C": C, "HxW": HxW, "group": group}.items(), 4):
        public_calls.whole("native_group_norm", name, place, given)
    _errors.normalization.check_native_groups(group, C)
    out = rows["_group_norm"](input, group, weight, bias, eps)
    return out, *_statistics(_beside(input, weight).reshape(N, group, C // group * HxW), (2,), eps)


def _beside(input: Tensor, parameter: Tensor | None) -> Tensor:
    """Return the input, cast to the dtype of `parameter` if that is given. The statistics have this dtype."""
    return input if parameter is None else input.to(parameter.dtype)


def _sparse_mm_reduce_impl(self: Any, other: Any, reduce: str) -> Any:
    """Raise an error: the operator is not implemented."""
    raise _errors.arguments.cannot("ops.aten._sparse_mm_reduce_impl", "use torch.sparse.mm, which reduces by sum")


def _sparse_addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Call `torch.sparse.addmm`."""
    return sparse_rules.addmm(input, mat1, mat2, beta=beta, alpha=alpha)


def _statistics(input: Tensor, dims: tuple, eps: float, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    wide = input.to(_dtypes.opmath(input.dtype))
    variance, mean = wide.var(dims, correction=0, keepdim=keepdim), wide.mean(dims, keepdim)
    return mean.to(input.dtype), (variance + eps).rsqrt().to(input.dtype)


@accepting_out(Into(_errors.outs.scalar_type))
def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Triple:
    """Compute `batch_norm`. Return the result, and the means and reciprocal standard deviations of the batch.

    The statistics are empty tensors if `training` is false.

    Args:
      input: (N, C, ...).
      weight, bias: (C,), or None.
      running_mean, running_var: (C,), or None. In training, they are updated in place.
      training: use the statistics of the batch, else the running ones.
      momentum: the weight of the batch in the new running statistics.
      eps: the number added to the variance.
    """
    out = functions.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
    if not training:
        none = factories.of_array(np.zeros(0, input.dtype.numpy), input.device)
        return out, none, none
    return out, *_statistics_of_batch(_beside(input.detach(), running_mean if weight is None else weight), eps)


def _statistics_of_batch(input: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Return the mean and the reciprocal standard deviation of each channel.

    As in PyTorch, the means and the sums of squares, from which the variances follow, are rounded to the input's dtype.
    """
    dims, wide = tuple(d for d in range(input.ndim) if d != 1), input.to(_dtypes.opmath(input.dtype))
    mean = wide.mean(dims, True)
    squares = (wide - mean).square().sum(dims).to(input.dtype)
    count = max(input.numel() // max(input.shape[1], 1), 1)
    return mean.reshape(-1).to(input.dtype), ((squares / count).to(wide.dtype) + eps).rsqrt().to(input.dtype)


@accepting_out(Into(_errors.outs.scalar_type))
def _native_batch_norm_legit(input: Tensor, weight: Tensor | None, bias: Tensor | None, *rest: Any) -> Triple:
    """Compute `native_batch_norm`. The running statistics are optional."""
    running = (None, None) if len(rest) == 3 else ()
    return native_batch_norm(input, weight, bias, *running, *rest)


@accepting_out()
def _batch_norm_with_update(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Compute `native_batch_norm` in training. The fourth result, which other backends save for backward, is empty."""
    found = native_batch_norm(input, weight, bias, running_mean, running_var, True, momentum, eps)
    return *found, factories.of_array(np.zeros(0, np.uint8), input.device)


# -- softmax and dropout -----------------------------------------------------------------------------------------------


def _safe_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Compute softmax, with zeros where every element along `dim` is -inf."""
    dead = (input == -math.inf).all(dim, True)
    return functions.softmax(input.masked_fill(dead, 0), dim, dtype).masked_fill(dead, 0)


def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    """Return the gradient of softmax: y * (g - sum(g * y))."""
    _errors.activations.check_softmax_backward(grad_output, output, dim)
    kind = _dtypes.opmath(output.dtype)
    grad, y = grad_output.to(kind), output.to(kind)
    return (y * (grad - (grad * y).sum(dim, True))).to(input_dtype)


def native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: float) -> Tensor:
    """Return the gradient of dropout: the incoming gradient under the mask, scaled."""
    if not hasattr(scale, "__float__"):
        raise _errors.arguments.wrong_type("native_dropout_backward", "scale", 3, "float", scale)
    kind = grad_output.dtype if grad_output.dtype.category >= _dtypes.FLOATING else modes.default_dtype
    return grad_output * (mask.to(kind) * scale)


def convolution_backward(
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor,
    bias_sizes: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    output_mask: Any,
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """Return the gradients of a convolution with respect to input, weight and bias.

    A gradient is None if its entry in `output_mask` is false.
    """
    with modes.enable_grad():
        given = [x.detach()._require_grad() for x in (input, weight)]
        rest = (None, stride, padding, dilation, transposed, output_padding, groups)
        out = raw_functions.convolution(given[0], given[1], *rest)
    chosen = [x for x, wanted in zip(given, output_mask) if wanted]
    found = iter(grad(out, chosen, grad_output) if chosen else ())
    by_bias = grad_output.sum([0, *range(2, grad_output.ndim)]) if output_mask[2] else None
    return next(found) if output_mask[0] else None, next(found) if output_mask[1] else None, by_bias


# -- images ------------------------------------------------------------------------------------------------------------


def _upsample_bilinear2d_aa(
    input: Tensor,
    output_size: Any,
    align_corners: bool,
    scales_h: Any = None,
    scales_w: float | None = None,
    *,
    scale_factors: Any = None,
) -> Tensor:
    """Resize bilinearly with an antialiasing kernel, which widens for downsampling.

    The scale factors are one sequence or two numbers.
    """
    _errors.images.check_antialiased(input, output_size, align_corners, scale_factors)
    factors = scale_factors if scales_h is None else scales_h
    scales = (factors, scales_w) if factors is None or isinstance(factors, int | float) else tuple(factors)
    if output_size is None:
        output_size = [int(n * s) for n, s in zip(input.shape[2:], scales)]
    return rows["_resize"](input, tuple(output_size), "bilinear", scales, align_corners, True)


def max_pool2d_with_indices_backward(
    grad_output: Tensor,
    input: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    indices: Tensor,
) -> Tensor:
    """Return the gradient of max pooling: each gradient element is added at the index of its maximum."""
    shape = tuple(input.shape)
    zeros = np.zeros((*shape[:-2], shape[-2] * shape[-1]), grad_output.dtype.numpy)
    flat = factories.of_array(zeros, input.device)
    return flat.scatter_add(-1, indices.flatten(-2), grad_output.flatten(-2)).reshape(shape)


def _to_copy(
    self: Tensor,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: Any = None,
    non_blocking: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return a copy with another dtype or on another device."""
    for argument, given in (("layout", layout), ("pin_memory", pin_memory)):
        if given:
            raise _errors.arguments.unsupported("_to_copy", argument)
    return self.to(device=device, dtype=dtype, copy=True, memory_format=memory_format)


FUNCTIONS = public_calls.functions(
    native_layer_norm, native_group_norm, native_batch_norm, _native_batch_norm_legit, _softmax_backward_data
)
OPS = (
    FUNCTIONS
    | {
        f.__name__: f
        for f in (
            _batch_norm_with_update,
            _safe_softmax,
            _sparse_addmm,
            _sparse_mm_reduce_impl,
            native_dropout_backward,
            convolution_backward,
            _upsample_bilinear2d_aa,
            max_pool2d_with_indices_backward,
        )
    }
    | {
        "slice": _slice,
        "_pin_memory": lambda input: input.pin_memory(),
        "_local_scalar_dense": lambda input: input.item(),
        "index": lambda input, indices: input[tuple(slice(None) if i is None else i for i in indices)],
        "alias": rows["view_as_self"],
        "_to_copy": _to_copy,
    }
)
