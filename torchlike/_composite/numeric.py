"""Finite differences, renormalization, pairwise distances, histograms of several dims, and removed functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _dtypes, _errors, return_types
from torchlike._engine import to_numpy
from torchlike._ops.elementwise.spacing import spaced
from torchlike._ops.schema.autocast_policies import FULL_ELSEWHERE
from torchlike._ops.schema.binding import is_whole
from torchlike._ops.schema.declare import OMITTED
from torchlike._ops.schema.declare import Scalar as Number
from torchlike._ops.schema.out_rules import EXACT, Into
from torchlike._tensor import factories, overriding, public_calls
from torchlike._tensor.argument_forms import settled
from torchlike._tensor.autocast import casting
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.binding import in_place_of
from torchlike._tensor.out import accepting_out
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.underived import refused

# -- finite differences ------------------------------------------------------------------------------------------------


_STEPS = int | float | complex | np.generic | Tensor


def gradient(
    input: Tensor, *, spacing: Any = None, dim: tuple[int, ...] | int | None = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """Estimate the gradient along each dim by central differences, with one-sided differences at the ends.

    `spacing` is one distance between points for all dims, or for each dim a distance or the coordinates of the points.

    Args:
      spacing: the distance between points: one number, a sequence of numbers, or a sequence of coordinate vectors.
        Default: 1.
      dim: the dim or dims. Default: all dims.
      edge_order: the order of the one-sided differences, 1 or 2.

    >>> torchlike.gradient(torchlike.tensor([1.0, 4.0, 9.0]))
    (tensor([3., 4., 5.]),)
    """
    dim = settled(dim)
    if isinstance(dim, bool):
        raise _errors.arguments.invalid_combination("gradient", (input,), {"dim": dim})
    dims = [dim] if isinstance(dim, int) else list(range(input.ndim)) if dim is None else list(dim)
    if spacing is None or isinstance(spacing, int | float | complex) or not getattr(spacing, "ndim", 1):
        spacing = [1 if spacing is None else getattr(spacing, "item", lambda: spacing)()] * len(dims)
    if not isinstance(spacing, list | tuple) or not all(isinstance(step, _STEPS) for step in spacing):
        raise _errors.arguments.invalid_combination("gradient", (input,), {"spacing": spacing})
    _errors.arithmetic.check_gradient(input, list(spacing), dims, edge_order)
    dims = [input._nonnegative(d) for d in dims]
    return tuple([_slope(input, step, d, edge_order) for step, d in zip(spacing, dims)])


def _slope(x: Tensor, step: Any, dim: int, edge_order: int) -> Tensor:
    n = x.shape[dim]
    part = lambda start, end: rows["_slice"](x, dim, start, end - start, 1)
    a = b = step
    ends = [[step, step], [step, step]]
    if isinstance(step, Tensor):
        gaps = (step[1:] - step[:-1]).reshape([-1 if d == dim else 1 for d in range(x.ndim)])
        at = lambda start, end: rows["_slice"](gaps, dim, start, end - start, 1)
        a, b = at(0, n - 2), at(1, n - 1)
        ends = [[at(i, i + 1) for i in where] for where in ((0, min(1, n - 2)), (n - 2, max(n - 3, 0)))]
    inner = _inner(part(0, n - 2), part(1, n - 1), part(2, n), a, b)
    if edge_order == 2 and not isinstance(step, Tensor):  # PyTorch sums the terms in this order
        first = (-3 * part(0, 1) + 4 * part(1, 2) - part(2, 3)) / (2 * step)
        last = (part(n - 3, n - 2) - 4 * part(n - 2, n - 1) + 3 * part(n - 1, n)) / (2 * step)
        return rows["cat"]([first, inner, last], dim)
    first = _edge(part(0, 1), part(1, 2), part(2, 3) if n > 2 else None, ends[0], edge_order)
    last = -_edge(part(n - 1, n), part(n - 2, n - 1), part(n - 3, n - 2) if n > 2 else None, ends[1], edge_order)
    return rows["cat"]([first, inner, last], dim)


def _inner(before: Tensor, x: Tensor, after: Tensor, a: Any, b: Any) -> Tensor:
    """Return the slope at interior points whose neighbors are at the distances a before and b after."""
    if not isinstance(a, Tensor):
        return (after - before) / (2 * a)
    return (-b / (a * (a + b))) * before + ((b - a) / (a * b)) * x + (a / (b * (a + b))) * after


def _edge(x0: Tensor, x1: Tensor, x2: Any, gaps: list, edge_order: int) -> Tensor:
    """Return the slope at x0 from its neighbor, or from two points at the distances a and a + b."""
    a, b = gaps
    if edge_order == 1:
        return (x1 - x0) / a
    return (-(2 * a + b) / (a * (a + b))) * x0 + ((a + b) / (a * b)) * x1 + (-a / (b * (a + b))) * x2


# -- norms and distances -----------------------------------------------------------------------------------------------


@casting(FULL_ELSEWHERE)
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Scale each slice along `dim` whose p-norm exceeds `maxnorm` down to the norm `maxnorm`.

    Args:
      p: the order of the norm, above 0.
      maxnorm: the largest permitted norm.
    """
    _errors.arithmetic.check_renorm(input, p, maxnorm)
    at = input._nonnegative(dim)
    others = tuple(d for d in range(input.ndim) if d != at)
    half = input.dtype in (_dtypes.float16, _dtypes.bfloat16)
    norms = rows["vector_norm"](input.float() if half else input, p, others, True)
    factor = rows["where"](norms > maxnorm, maxnorm / (norms + 1e-7), 1.0)
    return input * factor.to(input.dtype)


@casting(FULL_ELSEWHERE)
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Return the p-norm distances of all pairs of rows: (0, 1), (0, 2), ... (n - 2, n - 1).

    Args:
      input: (n, D).
      p: the exponent of the norm, at least 0.

    Returns:
      (n (n - 1) / 2,).

    Raises:
      RuntimeError: `input` has not two dims, or `p` is negative.

    >>> import torchlike as torch
    >>> torch.nn.functional.pdist(torch.tensor([[0.0], [1.0], [3.0]])).tolist()
    [1.0, 3.0, 2.0]
    """
    _errors.arithmetic.check_pdist(input, p)
    return rows["_pdist"](input, p)


# -- mantissas and exponents -------------------------------------------------------------------------------------------


@accepting_out(Into((_errors.outs.mantissa, _errors.outs.exponent)))
def frexp(input: Tensor) -> Any:
    """Return the mantissa, with a magnitude in [0.5, 1), and the binary exponent of each element."""
    if not input.dtype.is_floating_point:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return return_types.frexp(rows["_frexp"](input))


# -- histograms --------------------------------------------------------------------------------------------------------


def _host(t: Tensor) -> np.ndarray:
    return to_numpy(t._value)


def _edges(x: np.ndarray, bins: Any, low_high: Any, dim: int) -> np.ndarray:
    if isinstance(bins, Tensor):
        return _host(bins)
    low, high = low_high if low_high is not None else (x.min(), x.max()) if x.size else (0, 1)
    _errors.histograms.check_span(float(low), float(high), dim)
    if low == high:
        low, high = low - 0.5, high + 0.5
    kind = _dtypes.from_numpy(x.dtype)
    return spaced(float(low), float(high), bins + 1, kind).astype(x.dtype)


def _counts(points: np.ndarray, edges: list[np.ndarray], weights: np.ndarray | None, density: bool) -> np.ndarray:
    """Count the points, (n, D), in each cell. The last cell of each dim includes its upper edge."""
    inside = np.ones(len(points), bool)
    cells = []
    for x, edge in zip(points.T, edges):
        inside &= (x >= edge[0]) & (x <= edge[-1])
        cells.append(np.clip(np.searchsorted(edge, x, "right") - 1, 0, len(edge) - 2))
    counts = np.zeros([len(e) - 1 for e in edges], points.dtype)
    np.add.at(counts, tuple(c[inside] for c in cells), 1 if weights is None else weights[inside])
    if density:
        counts = counts / counts.sum()
        for i, edge in enumerate(edges):
            counts = counts / np.diff(edge).reshape([-1 if d == i else 1 for d in range(counts.ndim)])
    return counts


def histogramdd(
    input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """Count the points of (..., D) in each cell of a grid.

    Return the counts and the edges of the grid along each dim.

    Args:
      input: points in D dims.
      bins: the number of intervals along each dim (an int or a sequence), or a sequence of tensors with the edges.
      range: the lowest and the highest edge of each dim, 2 D numbers. Default: the least and the largest coordinates.
      weight: a weight for each point.
      density: divide the counts so that the integral over all cells is 1.
    """
    _errors.histograms.check_points(input, weight)
    size = input.shape[-1]
    points = _host(input).reshape(-1, size)
    each = [bins] * size if not isinstance(bins, Tensor) and is_whole(bins) else list(bins)
    for b in each:
        if not (is_whole(b) or isinstance(b, Tensor)):
            raise _errors.lists.element(each.index(b), 1, b)
    tensors = any(isinstance(b, Tensor) for b in each)
    if tensors and range is not None:
        raise _errors.arguments.invalid_combination("histogramdd", (input, bins), {"range": range})
    _errors.histograms.check_edges(input, each, tensors)
    if range is not None:
        _errors.histograms.check_range(range, size)
    spans = [None] * size if range is None else list(zip(range[::2], range[1::2]))
    edges = [_edges(points[:, i], b, span, i) for i, (b, span) in enumerate(zip(each, spans))]
    counts = _counts(points, edges, None if weight is None else _host(weight).reshape(-1), density)
    made = lambda a: factories.of_array(a, input.device)
    name = f"aten::_histogramdd_from_bin_{'tensors' if tensors else 'cts'}"
    found = refused(made(counts), input, weight, name=name)
    sources = () if tensors else (input, weight)
    return return_types.histogramdd(
        (found, tuple(refused(made(e), *sources, name="aten::_histogramdd_bin_edges") for e in edges))
    )


@accepting_out(Into((_errors.histograms.histogram_out, _errors.histograms.edges_out), called="aten::histogram"))
def histogram(
    input: Tensor, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """Count the elements in each interval. Return the counts and the edges of the intervals.

    Args:
      bins: the number of intervals, or a tensor with their edges in ascending order.
      range: the lowest and the highest edge. Default: the least and the largest element.
      weight: a weight for each element.
      density: divide the counts so that the integral over all intervals is 1.
    """
    if not isinstance(density, bool) or not (is_whole(bins) or isinstance(bins, Tensor)):
        raise _errors.arguments.invalid_combination("histogram", (input, bins), {"density": density})
    if isinstance(bins, Tensor) and range is not None:
        raise _errors.arguments.invalid_combination("histogram", (input, bins), {"range": range})
    flat = None if weight is None else weight.detach().reshape(-1)
    counts, edges = histogramdd(input.detach().reshape(-1, 1), [bins], range=range, weight=flat, density=density)
    found = [refused(made, input, bins, weight, name="aten::histogram") for made in (counts, edges[0])]
    return return_types.histogram(tuple(found))


def trapz(y: Tensor, x: Tensor = OMITTED, *, dx: float = OMITTED, dim: int = -1) -> Tensor:
    """Integrate `y` by the trapezoidal rule, as `trapezoid` does.

    Args:
      y: the values.
      x: the points at which they are given.
      dx: the distance between points, if `x` is not given. Default: 1.
    """
    given = {name: value for name, value in (("x", x), ("dx", dx)) if value is not OMITTED}
    return rows["trapezoid"](y, **given, dim=dim)


def constant_pad_nd(input: Tensor, pad: tuple[int, ...], value: Number = 0) -> Tensor:
    """Pad the last dims with `value`.

    `pad` contains the numbers of elements before and after each dim, beginning with the last dim.

    Args:
      pad: an even number of ints. A negative number removes elements.
      value: the number to pad with.
    """
    _dtypes.check_number(value, input.dtype)
    for place, n in enumerate(pad):
        if not hasattr(n, "__index__"):
            raise _errors.arguments.wrong_element("constant_pad_nd", "pad", 2, place, n)
    return rows["_constant_pad"](input, tuple(int(n) for n in pad), value)


_MODES, _PADDING = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")


def _sampler(name: str) -> Any:
    def sampler(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
        from torchlike._composite.functional.resize import grid_sample

        _errors.images.check_grid(input, grid, int(name[-2]))
        for argument, number in (("interpolation_mode", interpolation_mode), ("padding_mode", padding_mode)):
            if number not in (0, 1, 2):
                raise _errors.images.unknown_number(name, argument, number)
        return grid_sample(input, grid, _MODES[interpolation_mode], _PADDING[padding_mode], align_corners)

    sampler.__name__ = sampler.__qualname__ = name
    sampler.__doc__ = """Compute `grid_sample` with modes given as numbers.

    Args:
      grid: coordinates between -1 and 1: (N, H, W, 2), or (N, D, H, W, 3) for volumes.
      interpolation_mode: 0 for bilinear, 1 for nearest, 2 for bicubic.
      padding_mode: 0 for zeros, 1 for border, 2 for reflection.
      align_corners: -1 and 1 are the centers of the corner pixels, else the outer edges.
    """
    return sampler


grid_sampler_2d, grid_sampler_3d = _sampler("grid_sampler_2d"), _sampler("grid_sampler_3d")


def __rdiv__(self: Tensor, other: Any) -> Tensor:
    """Return other / self, computed as the reciprocal times `other`."""
    if not isinstance(other, Tensor | int | float | complex | np.generic):
        return NotImplemented
    return self.reciprocal() * other


def solve(input: Tensor, A: Tensor, *, out: Any = None) -> Tensor:
    """Raise RuntimeError: PyTorch removed this function in favor of `linalg.solve`.

    Args:
      A: has no effect.
    """
    raise _errors.linalg.removed("solve")


def symeig(input: Tensor, eigenvectors: bool = False, upper: bool = True, *, out: Any = None) -> Tensor:
    """Raise RuntimeError: PyTorch removed this function in favor of `linalg.eigh`.

    Args:
      eigenvectors, upper: have no effect.
    """
    raise _errors.linalg.removed("symeig")


def eig(self: Tensor, eigenvectors: bool = False, *, e: Any = None, v: Any = None) -> Tensor:
    """Raise RuntimeError: PyTorch removed this function in favor of `linalg.eig`.

    Args:
      eigenvectors, e, v: have no effect.
    """
    raise _errors.linalg.removed("eig")


def lstsq(input: Tensor, A: Tensor, *, out: Any = None) -> Tensor:
    """Raise RuntimeError: PyTorch removed this function in favor of `linalg.lstsq`.

    Args:
      A: has no effect.
    """
    raise _errors.linalg.removed("lstsq")


def matrix_rank(input: Tensor, tol: Any = None, symmetric: bool = False, *, out: Any = None) -> Tensor:
    """Raise RuntimeError: PyTorch removed this function in favor of `linalg.matrix_rank`.

    Args:
      tol, symmetric: have no effect.
    """
    raise _errors.linalg.removed("matrix_rank")


_REMOVED = {"solve": solve, "symeig": symeig, "eig": eig, "lstsq": lstsq}


def _assert(condition: Any, message: str) -> Any:
    """Assert a condition; Python's `assert` statement as a function."""
    if type(condition) is not bool and next(overriding.of((condition,)), None) is not None:
        return overriding.call(_assert, (condition, message), {})
    assert condition, message
    return None


def _tensor_hooks(self: Tensor) -> Any:
    edge = self._edge
    if edge is None:
        return getattr(self, "_ended", (None, None))[1]
    extra = edge[0].extra
    return None if extra is None else extra.tensor.get(edge[1])


FUNCTIONS = {
    **_REMOVED,
    "matrix_rank": matrix_rank,
    "_assert": _assert,
    **public_calls.functions(
        frexp,
        histogram,
        gradient,
        pdist,
        histogramdd,
        trapz,
        constant_pad_nd,
        grid_sampler_2d,
        grid_sampler_3d,
        out={renorm: EXACT},
    ),
}
METHODS = {
    "__rdiv__": __rdiv__,
    **_REMOVED,
    "_backward_hooks": property(_tensor_hooks, doc="The hooks on this tensor by id, or None if it has none."),
    "_cdata": property(lambda self: id(self), doc="An id that is unique among existing tensors."),
    **public_calls.methods(renorm),
    "frexp": frexp,
    "histogram": histogram,
    "renorm_": in_place_of("renorm", renorm),
}
