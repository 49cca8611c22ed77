"""The functions of neural networks in `torch`, which are lower-level than those of `torch.nn.functional`.

Reductions and modes are numbers, each argument has one type, and intermediate results are returned too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._composite import math
from torchlike._composite.linalg import linalg
from torchlike._dtypes import modes
from torchlike._ops import REGISTRY
from torchlike._ops.schema.binding import is_whole
from torchlike._ops.schema.declare import OMITTED
from torchlike._ops.schema.out_rules import CASTABLE
from torchlike._tensor import factories, public_calls
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor

# -- losses ------------------------------------------------------------------------------------------------------------

# Any other number means "none". The default is 0 for every loss, although PyTorch's signatures show other defaults.
_REDUCTIONS = {1: "mean", 2: "sum"}
_OF_ROWS = {"Array": "Tensor", "Array | None": "Tensor | None", "Scalar": "float", "Real": "float"}
# The operators whose functions take the reduction as a number, and their keyword-only arguments; `...` means that all
# arguments are required.
_LOSSES: dict[str, Any] = {
    "binary_cross_entropy_with_logits": (),
    "cosine_embedding_loss": (),
    "hinge_embedding_loss": (),
    "kl_div": ("log_target",),
    "margin_ranking_loss": (),
    "poisson_nll_loss": ...,
    "triplet_margin_loss": (),
}


_OF_REDUCTION = "reduction: 0 for none, 1 for the mean, 2 for the sum."


def _loss(name: str, named: Any) -> Callable:
    row = REGISTRY[name]

    def call(*args: Any, **kwargs: Any) -> Tensor:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        given.arguments["reduction"] = _REDUCTIONS.get(given.arguments["reduction"], "none")
        return rows[name](**given.arguments)

    found = [_of_row(p, named) for p in row.signature.parameters.values()]
    signature = row.signature.replace(parameters=sorted(found, key=lambda p: p.kind), return_annotation="Tensor")
    call.__name__ = call.__qualname__ = name
    call.__doc__ = row.doc.replace('reduction: "none", "mean" or "sum".', _OF_REDUCTION)
    call.__signature__ = signature
    return call


def _of_row(p: inspect.Parameter, named: Any) -> inspect.Parameter:
    if p.name == "reduction":
        p = p.replace(annotation="int", default=0)
    p = p.replace(annotation=_OF_ROWS.get(p.annotation, p.annotation))
    if named is ...:
        return p.replace(default=p.empty)
    return p.replace(kind=p.KEYWORD_ONLY) if p.name in named else p


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Tensor:
    """Compute `torch.nn.functional.ctc_loss`; reduction: 0 for none, 1 for the mean, 2 for the sum.

    Args:
      log_probs: logarithms of probabilities, (T, N, C) or (T, C).
      targets: class numbers, (N, S), or those of all samples in one vector.
      input_lengths, target_lengths: the lengths of the samples, tensors or sequences of ints.
      blank: the number of the blank class.
      reduction: 0 for none, 1 for the mean, 2 for the sum.
      zero_infinity: replace infinite losses and their gradients by zero.
    """
    from torchlike._composite.functional.ctc import ctc_loss as loss

    return loss(
        log_probs, targets, input_lengths, target_lengths, blank, _REDUCTIONS.get(reduction, "none"), zero_infinity
    )


# -- pooling -----------------------------------------------------------------------------------------------------------


def _max_pool(dims: int, indices: bool = False) -> Callable:
    row = rows[f"_max_pool_at{dims}d" if indices else f"_max_pool{dims}d"]

    def pool(
        input: Tensor,
        kernel_size: tuple[int, ...] | int,
        stride: tuple[int, ...] | int | None = None,
        padding: tuple[int, ...] | int = 0,
        dilation: tuple[int, ...] | int = 1,
        ceil_mode: bool = False,
    ) -> Any:
        stride = kernel_size if stride is None or (not is_whole(stride) and not len(stride)) else stride
        return row(input, *map(_hashable, (kernel_size, stride, padding, dilation)), ceil_mode)

    pool.__name__ = pool.__qualname__ = f"max_pool{dims}d" + "_with_indices" * indices
    pool.__doc__ = f"""Return the largest element{" and its index" * indices} of each window of the last {dims} dims.

    Args:
      input: (N, C, ...) or (C, ...).
      kernel_size: the size of a window, one number or one per dim.
      stride: the distance between windows. Default: `kernel_size`.
      padding: the number of elements -inf added at both ends.
      dilation: the distance between the elements of a window.
      ceil_mode: keep a last window that is cut off by the end.
    """
    return pool


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def avg_pool1d(
    input: Tensor,
    kernel_size: tuple[int, ...] | int,
    stride: tuple[int, ...] | int | None = None,
    padding: tuple[int, ...] | int = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of each window of (N, C, L) or (C, L). By default, padding counts as zeros.

    Args:
      kernel_size: the size of a window.
      stride: the distance between windows. Default: `kernel_size`.
      padding: the number of zeros added at both ends.
      ceil_mode: keep a last window that is cut off by the end.
      count_include_pad: count zeros of the padding in the mean.
    """
    stride = None if stride is None or (not is_whole(stride) and not len(stride)) else stride
    return rows["_avg_pool1d"](input, *map(_hashable, (kernel_size, stride, padding)), ceil_mode, count_include_pad)


def adaptive_avg_pool1d(input: Tensor, output_size: tuple[int, ...] | int) -> Tensor:
    """Return the means of `output_size` windows of (N, C, L).

    Args:
      input: (N, C, L) or (C, L).
      output_size: the number of windows.
    """
    return rows["_adaptive_avg_pool1d"](input, (output_size,) if is_whole(output_size) else tuple(output_size))


def adaptive_max_pool1d(input: Tensor, output_size: tuple[int, ...] | int) -> tuple[Tensor, Tensor]:
    """Return the largest elements of `output_size` windows of (N, C, L), and their indices.

    Args:
      input: (N, C, L) or (C, L).
      output_size: the number of windows.
    """
    return rows["_adaptive_max_pool1d"](input, (output_size,) if is_whole(output_size) else tuple(output_size))


# -- embeddings --------------------------------------------------------------------------------------------------------

_MODES = ("sum", "mean", "max")


def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """Return weight[indices]. Row `padding_idx` gets no gradient. See `torch.nn.functional.embedding`.

    Args:
      weight: the table, (number of rows, size of a row).
      indices: int32 or int64 tensor of any shape. The result has one more dim.
      padding_idx: the row without gradient. -1 means none.
      scale_grad_by_freq: divide the gradient of a row by the number of its occurrences.
      sparse: return the gradient of `weight` as a sparse tensor.
    """
    from torchlike._composite.functional.embedding import rows_of

    return rows_of(weight, indices, padding_idx, scale_grad_by_freq, sparse)


def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Compute `torch.nn.functional.embedding_bag` of concatenated bags, and the values that PyTorch saves for backward.

    Args:
      mode: 0 for the sum, 1 for the mean, 2 for the maximum.
      weight: the table, (number of rows, size of a row).
      indices: the row numbers of all bags, a vector.
      offsets: the position of the first index of each bag.
      scale_grad_by_freq: divide the gradient of a row by the number of its occurrences.
      mode: 0 for the sum of a bag, 1 for the mean, 2 for the maximum.
      sparse: return the gradient of `weight` as a sparse tensor.
      per_sample_weights: a factor for each row. It requires mode 0.
      include_last_offset: `offsets` also has the end of the last bag.
      padding_idx: the row that does not count.

    Returns:
      The bags (B, D).
      The bag of each index (N,); empty for sums that do not need it.
      The number of indices in each bag (B,); zeros for sums.
      For the maximum, the embedding row that each element comes from (B, D); otherwise a copy of the previous result.
    """
    from torchlike._composite.functional.bags import embedding_bag as bags_of

    if padding_idx is not None and not -weight.shape[0] <= padding_idx < weight.shape[0]:
        raise _errors.embedding.bag_padding(weight.shape[0], padding_idx)
    if indices.dtype not in (_dtypes.int32, _dtypes.int64):
        raise _errors.embedding.not_of_types("embedding_bag", 1, "indices", "Long, Int", indices.dtype)
    if weight.dtype.category < _dtypes.FLOATING:
        kinds = "Half, BFloat16, Float, Double"
        raise _errors.embedding.not_of_types("embedding_bag", 1, "weight", kinds, weight.dtype)
    if mode not in (0, 1, 2):
        raise RuntimeError("`mode` must be sum, mean, or max.")
    if per_sample_weights is not None and mode:
        raise RuntimeError("embedding_bag: per_sample_weights only supported with mode='sum'")
    out = bags_of(
        indices,
        weight,
        offsets,
        None,
        2.0,
        scale_grad_by_freq,
        _MODES[mode],
        sparse,
        per_sample_weights,
        include_last_offset,
        padding_idx,
    )
    with modes.no_grad():
        padding = -1 if padding_idx is None else padding_idx % weight.shape[0]
        return out, *_beside_bags(weight.detach(), indices, offsets, out.detach(), mode, padding)


def _beside_bags(weight: Tensor, indices: Tensor, offsets: Tensor, out: Tensor, mode: int, padding: int) -> Any:
    n, place = indices.shape[0], {"dtype": indices.dtype, "device": indices.device}
    whole = np.arange(n)
    bag = rows["searchsorted"](offsets, factories.tensor(whole, **place), True, False).to(indices.dtype) - 1
    if not mode:
        none = factories.zeros(tuple(offsets.shape), **place)
        at_once = padding < 0 and weight.stride(1) == 1 and weight.dtype is not _dtypes.float64
        return bag[:0] if at_once else bag, none, none.clone()
    bag = bag.clamp(max=out.shape[0] - 1)
    counted = indices != padding
    sizes = factories.zeros(out.shape[0], **place).index_add(0, bag, counted.to(indices.dtype))
    if mode == 1:
        return bag, sizes, sizes.clone()
    # The position of the first index that attains the maximum; n if the bag is empty.
    holds = counted[:, None] & (weight[indices] == out[bag])
    order = factories.tensor(whole, dtype=_dtypes.int64, device=indices.device)[:, None]
    first = factories.full(tuple(out.shape), n, dtype=_dtypes.int64, device=indices.device).scatter_reduce(
        0, bag.long()[:, None].expand(n, out.shape[1]), rows["where"](holds, order, n), "amin"
    )
    return bag, sizes, rows["cat"]([indices, indices.new_zeros(1)])[first]


def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Scale the rows at `indices` whose norm exceeds `max_norm` down to the norm `max_norm`, in place.

    Args:
      input: the table, (number of rows, size of a row).
      indices: the row numbers.
      max_norm: the largest permitted norm.
      norm_type: the order of the norm.
    """
    if input.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {input.ndim}-dimensional tensor for argument #1 'self' "
            "(while checking arguments for embedding_renorm_)"
        )
    if indices.dtype not in (_dtypes.int32, _dtypes.int64):
        raise _errors.embedding.not_of_types("embedding_renorm_", 2, "indices", "Long, Int", indices.dtype)
    from torchlike._composite.functional.embedding import check_rows, renorm

    check_rows(indices, input)
    renorm(input, indices, max_norm, norm_type)
    return input


# -- images ------------------------------------------------------------------------------------------------------------

_SAMPLED = ("bilinear", "nearest", "bicubic")
_OUTSIDE = ("zeros", "border", "reflection")


def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """Compute `torch.nn.functional.grid_sample`, with numbers for the modes.

    Args:
      interpolation_mode: 0 for bilinear, 1 for nearest, 2 for bicubic.
      padding_mode: 0 for zeros, 1 for the border, 2 for reflection.
      grid: coordinates between -1 and 1: (N, H, W, 2), or (N, D, H, W, 3) for volumes.
      interpolation_mode: 0 for bilinear, 1 for nearest, 2 for bicubic.
      padding_mode: 0 for zeros, 1 for border, 2 for reflection.
      align_corners: -1 and 1 are the centers of the corner pixels, else the outer edges.

    Raises:
      ValueError: a mode is any other number, for which PyTorch returns uninitialized memory.
    """
    from torchlike._composite.functional.resize import grid_sample

    for argument, number in (("interpolation_mode", interpolation_mode), ("padding_mode", padding_mode)):
        if number not in (0, 1, 2):
            raise _errors.images.unknown_number("grid_sampler", argument, number)
    return grid_sample(input, grid, _SAMPLED[interpolation_mode], _OUTSIDE[padding_mode], align_corners)


def affine_grid_generator(theta: Tensor, size: tuple[int, ...], align_corners: bool) -> Tensor:
    """Return the grid with which `grid_sampler` applies an affine map.

    `theta` is (N, 2, 3) or (N, 3, 4), and `size` is the 4-D or 5-D shape of the output.

    Args:
      theta: affine maps, (N, 2, 3) or (N, 3, 4).
      size: the shape of the output, (N, C, H, W) or (N, C, D, H, W).
      align_corners: -1 and 1 are the centers of the corner pixels, else the outer edges.
    """
    if theta.ndim < 3:
        raise _errors.shapes.dim_out_of_range(2, theta.ndim)
    if len(size) not in (4, 5):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    return rows["_affine_grid"](theta, tuple(size), align_corners)


# -- convolutions ------------------------------------------------------------------------------------------------------


def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    transposed: bool,
    output_padding: tuple[int, ...],
    groups: int,
) -> Tensor:
    """Compute a convolution of (N, C, ...), or its transpose. A weight with n + 2 dims is convolved over n dims.

    Args:
      weight: (O, C / groups, ...), or (C, O / groups, ...) if `transposed`.
      bias: (O,).
      stride, padding, dilation: one number, or one per dim.
      transposed: compute the transpose.
      output_padding: the size added to one side of the output of a transpose.
      groups: the number of channel groups, which are convolved separately.
    """
    dims = weight.ndim - 2
    _errors.convolution.check_batched(input, weight, {"stride": stride, "padding": padding, "dilation": dilation})
    each = lambda given: tuple(given) if len(given) != 1 else tuple(given) * dims
    stride, padding, dilation, output_padding = map(each, (stride, padding, dilation, output_padding))
    if transposed:
        row = rows[f"conv_transpose{dims}d"]
        return row(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return rows[f"conv{dims}d"](input, weight, bias, stride, padding, dilation, groups)


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolve the first dim of (T, B, C) with a weight (K, C, O); the result is (T + 2 * pad - K + 1, B, O).

    Args:
      weight: (K, C, O).
      bias: (O,).
      pad: the number of zeros added at both ends.
    """
    _errors.convolution.check_tbc(input, weight, bias)
    made = rows["conv1d"](input.permute(1, 2, 0), weight.permute(2, 1, 0), bias.to(input.dtype), padding=pad)
    return made.permute(2, 0, 1).contiguous()


# -- norms -------------------------------------------------------------------------------------------------------------


def nuclear_norm(input: Tensor, dim: tuple[int, ...] | int | bool = OMITTED, keepdim: bool = False) -> Tensor:
    """Return the sum of the singular values of matrices, by default over the last two dims."""
    if isinstance(dim, bool):
        dim, keepdim = OMITTED, dim
    _errors.linalg.old_norm("nuclear_norm", "matrix_norm(A, 'nuc', dim, keepdim)")
    dims = (-2, -1) if dim is None else (dim, dim) if is_whole(dim) else tuple(dim)
    _errors.linalg.check_matrix_norm(input, dims)
    return linalg.matrix_norm(input, "nuc", dims, keepdim)


def frobenius_norm(input: Tensor, dim: tuple[int, ...] | int, keepdim: bool = False) -> Tensor:
    """Return the square root of the sum of squares over one or two dims. If `dim` is empty, sum over all dims."""
    dims = (dim,) if is_whole(dim) else tuple(dim)
    _errors.linalg.old_norm("frobenius_norm", "vector_norm(A, 2., dim, keepdim)")
    if len(dims) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(dims)} dimensions instead.")
    _errors.linalg.check_norm_dtype_of_input(input)
    return math.norm(input, 2, dims or None, keepdim)


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """Return the `pow`-norm over all dims except `dim`; for `dim` -1, over all dims.

    The reduced dims are kept with size 1, unless `dim` is -1.

    Args:
      v: a tensor.
      pow: the order of the norm.
      dim: the dim that is not reduced.
    """
    if dim not in (-1, 0, v.ndim - 1):
        return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
    _errors.linalg.check_norm_dtype_of_input(v)
    if dim == -1:
        return math.norm(v, pow)
    if dim == 0:
        count = v.size(0)
        return math.norm(v.reshape(count, -1), pow, 1).reshape(count, *[1] * (v.ndim - 1))
    count = v.size(dim)
    return math.norm(v.reshape(-1, count), pow, 0).reshape(*[1] * dim, count)


# -- build information -------------------------------------------------------------------------------------------------


def set_flush_denormal(mode: bool, /) -> bool:
    """Return whether the treatment of denormal numbers was changed: always False, since XLA determines it.

    Args:
      mode: has no effect.
    """
    if not isinstance(mode, bool):
        raise _errors.arguments.flush_denormal(mode)
    return False


def compiled_with_cxx11_abi() -> bool:
    """Return whether the library uses the C++11 ABI: always True, as in current PyTorch builds."""
    return True


_ALONE = (
    adaptive_avg_pool1d,
    adaptive_max_pool1d,
    affine_grid_generator,
    avg_pool1d,
    conv_tbc,
    convolution,
    embedding,
    embedding_bag,
    embedding_renorm_,
    grid_sampler,
    norm_except_dim,
    _max_pool(1),
    _max_pool(2),
    _max_pool(3),
    _max_pool(1, indices=True),
)
FUNCTIONS: dict[str, Any] = public_calls.functions(
    *_ALONE,
    *[_loss(name, named) for name, named in _LOSSES.items()],
    public_calls.overloaded(ctc_loss),
    out=dict.fromkeys((frobenius_norm, public_calls.overloaded(nuclear_norm)), CASTABLE),
) | {f.__name__: f for f in (set_flush_denormal, compiled_with_cxx11_abi)}
# LAPACK comes from SciPy and Fourier transforms from XLA. XLA's own threads and matrix products replace OpenMP and MKL.
FUNCTIONS |= {"has_lapack": True, "has_spectral": True, "has_mkl": False, "has_openmp": False}
