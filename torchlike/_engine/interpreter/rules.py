"""Rules that translate JAX's primitives to NumPy. A table maps the name of each primitive to its rule.

A rule takes one equation and returns a function of arrays. All decisions that depend only on parameters, shapes and
dtypes are made in the rule, once per equation. The function returns an array of the shape and dtype that the equation
declares, or a sequence of arrays if the primitive has several results. A zero-dim result may also be a NumPy scalar.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from torchlike._engine.interpreter import select
from torchlike._engine.interpreter.half import is_half, with_mantissa
from torchlike._engine.interpreter.sums import product, running, total

# Parameters that a rule may ignore, grouped by the reason.
UNIMPORTANT = frozenset(
    (
        # they change how or where XLA computes, but not the result
        *(
            "sharding",
            "out_sharding",
            "weak_type",
            "precision",
            "preferred_element_type",
            "unroll",
            "name",
            "mode",
            "indices_are_sorted",
            "unique_indices",
            "accuracy",
            "is_stable",
            "memory_space",
            "branches_platforms",
        ),
        # they repeat the shapes and dtypes of the results, or the primitive's name
        *(
            "shape",
            "new_dtype",
            "input_dtype",
            "dtype",
            "new_sizes",
            "dimensions",
            "full_matrices",
            "compute_uv",
            "update_jaxpr",
        ),
        # parameters of matrix decompositions; a rule reads them if they affect its result
        *("lower", "sort_eigenvalues", "left_side", "transpose_a", "unit_diagonal"),
    )
)


class Parameters(dict):
    """The parameters of an equation. The class records which parameters a rule reads.

    A new version of JAX may add a parameter to a primitive. If the rule does not read a parameter, the equation is
    interpreted only if that parameter is None, False or empty (see `check`).
    """

    def __init__(self, params: Mapping[str, Any]) -> None:
        super().__init__(params)
        self._read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self._read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a parameter, or `default` if it is missing."""
        self._read.add(name)
        return super().get(name, default)

    def flag(self, name: str) -> bool:
        """Return a parameter that must be a bool."""
        found = self[name]
        if not isinstance(found, bool):
            raise TypeError(f"{name} is {found!r}")
        return found

    def check(self, primitive: str) -> None:
        """Raise `Unsupported` if a parameter has a value other than None, False and (), and no rule has read it."""
        for name in self.keys() - self._read - UNIMPORTANT:
            value = super().__getitem__(name)
            if value is not None and value is not False and value != ():
                raise Unsupported(f"{primitive} with {name}")


class Equation(NamedTuple):
    """One equation: the primitive's name and parameters, and the avals (`shape` and `dtype`) of inputs and outputs."""

    name: str
    params: Parameters
    inputs: list[Any]
    outputs: list[Any]

    def refuse(self, why: str) -> Unsupported:
        """Return the error for an unsupported use of the primitive. `why` follows its name in the message."""
        return Unsupported(f"{self.name} {why}")


class Unsupported(Exception):
    """Raised if there is no rule for a primitive or for this use of it."""


Rule = Callable[[Equation], Callable]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register the decorated function as the rule of these primitives."""

    def declare(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return declare


def always(function: Callable) -> Rule:
    """Return a rule that ignores its equation and always returns `function`."""
    return lambda e: function


# -- elementwise -------------------------------------------------------------------------------------------------------

SAME_DTYPE: dict[str, Callable] = {
    "abs": np.absolute,
    "add": np.add,
    "add_any": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "neg": np.negative,
    "max": np.maximum,
    "min": np.minimum,
    "sign": np.sign,
    "square": np.square,
    "nextafter": np.nextafter,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "cbrt": np.cbrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "floor": np.floor,
    "ceil": np.ceil,
    "is_finite": np.isfinite,
    "log2": np.log2,
    "one_minus_square": lambda x: (1 + x) * (1 - x),
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not": np.invert,
    "shift_left": np.left_shift,
    "shift_right_arithmetic": np.right_shift,
    "real": np.real,
    "imag": np.imag,
    "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
}
RULES.update({name: always(function) for name, function in SAME_DTYPE.items()})


@rule("lt_to")
def _less_in_total_order(e: Equation) -> Callable:
    """Compare floats in the total order of IEEE 754, which also orders signed zeros and NaNs.

    The bits of a float, read as an integer, have this order if the lower bits of negative floats are inverted.
    """
    dtype = e.inputs[0].dtype
    if dtype.kind in "biu":
        return np.less
    if dtype.kind != "f":
        raise e.refuse(f"of {dtype}")
    bits = np.dtype(f"i{dtype.itemsize}")

    def sort_key(x: np.ndarray) -> Any:
        whole = np.asarray(x).view(bits)
        return whole ^ ((whole >> (8 * bits.itemsize - 1)) & np.iinfo(bits).max)

    return lambda x, y: sort_key(x) < sort_key(y)


# Primitives computed by SciPy. It is imported at the first use. Several functions support float64 only.
FROM_SCIPY = {
    "lgamma": "gammaln",
    "digamma": "psi",
    "erfc": "erfc",
    "erf_inv": "erfinv",
    "bessel_i0e": "i0e",
    "bessel_i1e": "i1e",
    "igamma": "gammainc",
    "igammac": "gammaincc",
    "zeta": "zeta",
    "polygamma": "polygamma",
    "regularized_incomplete_beta": "betainc",
}


@rule(*FROM_SCIPY)
def _special(e: Equation) -> Callable:
    from scipy import special

    function, dtype = getattr(special, FROM_SCIPY[e.name]), e.outputs[0].dtype
    wide = np.float32 if is_half(dtype) else dtype
    return lambda *xs: np.asarray(function(*[x.astype(wide) for x in xs])).astype(dtype)


@rule("div")
def _div(e: Equation) -> Callable:
    dtype = e.outputs[0].dtype
    return _integer_quotient if dtype.kind in "iu" else np.divide


def _integer_quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the quotient rounded toward zero. Division by zero gives -1 (all bits set), as in XLA."""
    down, zero = np.floor_divide(a, b), b == 0
    inexact = (down < 0) & (down * b != a)
    return np.where(zero, np.asarray(-1).astype(a.dtype), down + inexact.astype(a.dtype))


@rule("rem")
def _rem(e: Equation) -> Callable:
    if e.outputs[0].dtype.kind in "iu":
        return lambda a, b: np.where(b == 0, a, np.fmod(a, b))
    return np.fmod


@rule("pow")
def _pow(e: Equation) -> Callable:
    dtype = e.outputs[0].dtype
    return lambda a, b: np.power(a, b.astype(dtype, copy=False))


@rule("polynomial")
def _polynomial(e: Equation) -> Callable:
    shape = e.outputs[0].shape

    def horner(x: np.ndarray, *coefficients: np.ndarray) -> Any:
        found = np.broadcast_to(coefficients[-1], shape)
        for c in coefficients[-2::-1]:
            found = found * x + c
        return found

    return horner


@rule("tile")
def _tile(e: Equation) -> Callable:
    reps = e.params["reps"]
    return lambda x: np.tile(x, reps)


@rule("integer_pow")
def _integer_pow(e: Equation) -> Callable:
    y, one = e.params["y"], np.ones((), e.outputs[0].dtype)
    if y < 0:
        return lambda x: np.divide(one, _product_of(x, -y))
    return np.square if y == 2 else lambda x: _product_of(x, y)


def _product_of(x: np.ndarray, y: int) -> Any:
    """Return x to an integer power by repeated squaring. If the result is representable, it is exact."""
    found = None
    while y:
        if y & 1:
            found = x if found is None else found * x
        y >>= 1
        x = x * x if y else x
    return np.ones_like(x) if found is None else found


@rule("rsqrt")
def _rsqrt(e: Equation) -> Callable:
    one = np.ones((), e.outputs[0].dtype)
    return lambda x: np.divide(one, np.sqrt(x))


@rule("logistic")
def _logistic(e: Equation) -> Callable:
    one = np.ones((), e.outputs[0].dtype)

    def logistic(x: np.ndarray) -> Any:
        return np.divide(one, np.add(one, np.exp(np.negative(x))))

    return logistic


@rule("round")
def _round(e: Equation) -> Callable:
    if int(e.params["rounding_method"]) == 1:
        return np.rint
    half = np.asarray(0.5, e.outputs[0].dtype)
    # Without the first case, the largest number below one half, plus one half, would round to one.
    return lambda x: np.where(np.absolute(x) < half, x * 0, np.copysign(np.floor(np.absolute(x) + half), x))


@rule("reduce_precision")
def _reduce_precision(e: Equation) -> Callable:
    dtype = e.outputs[0].dtype
    if dtype.kind != "f" or e.params["exponent_bits"] != np.finfo(dtype).nexp:
        raise e.refuse(f"of {dtype} with another exponent")
    return with_mantissa(dtype, e.params["mantissa_bits"])


@rule("shift_right_logical")
def _shift_right_logical(e: Equation) -> Callable:
    dtype = e.outputs[0].dtype
    unsigned = np.dtype(f"u{dtype.itemsize}")
    return lambda a, b: np.right_shift(a.view(unsigned), b.view(unsigned)).view(dtype)


@rule("conj")
def _conj(e: Equation) -> Callable:
    dtype = e.outputs[0].dtype
    return lambda x: np.conjugate(x).astype(dtype, copy=False)


@rule("complex")
def _complex(e: Equation) -> Callable:
    shape, dtype = e.outputs[0].shape, e.outputs[0].dtype

    def join(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
        found = np.empty(shape, dtype)
        found.real, found.imag = real, imag
        return found

    return join


@rule("select_n")
def _select_n(e: Equation) -> Callable:
    if len(e.inputs) == 2:
        return lambda which, case: case
    if e.inputs[0].dtype.kind == "b":
        return lambda which, no, yes: select.where(which, yes, no)
    return lambda which, *cases: np.choose(which, cases)


@rule("convert_element_type")
def _convert(e: Equation) -> Callable:
    source, to = e.inputs[0].dtype, e.outputs[0].dtype
    if source.kind == "c" and to.kind != "c":
        return lambda x: x.real.astype(to)
    if to.kind in "iu" and source.kind in "fV":
        return lambda x: _to_integer(x, to)
    return lambda x: x.astype(to)


def _to_integer(x: np.ndarray, to: np.dtype) -> np.ndarray:
    """Return floats rounded toward zero as integers. Values out of range saturate, and NaN becomes 0."""
    limits = np.iinfo(to)
    x = x.astype(np.float64, copy=False)
    low, high = x <= limits.min, x >= limits.max
    plain = np.where(low | high | (x != x), 0, x).astype(to)
    return np.where(low, to.type(limits.min), np.where(high, to.type(limits.max), plain))


@rule("bitcast_convert_type")
def _bitcast(e: Equation) -> Callable:
    if e.inputs[0].dtype.itemsize != e.outputs[0].dtype.itemsize:
        raise e.refuse("between dtypes of different sizes")
    dtype = e.outputs[0].dtype
    return lambda x: x.view(dtype)


# -- shapes ------------------------------------------------------------------------------------------------------------


@rule("broadcast_in_dim")
def _broadcast_in_dim(e: Equation) -> Callable:
    shape, given = tuple(e.outputs[0].shape), e.inputs[0].shape
    kept = [1] * len(shape)
    for n, dim in zip(given, e.params["broadcast_dimensions"]):
        kept[dim] = n
    if tuple(kept) == shape:
        return operator.methodcaller("reshape", shape)
    if tuple(kept[len(kept) - len(given) :]) == tuple(given):
        return lambda x: np.broadcast_to(x, shape)
    return lambda x: np.broadcast_to(x.reshape(kept), shape)


@rule("reshape", "squeeze", "expand_dims")
def _reshape(e: Equation) -> Callable:
    shape = tuple(e.outputs[0].shape)
    order = e.params["dimensions"] if e.name == "reshape" else None
    if order is not None:
        return lambda x: x.transpose(order).reshape(shape)
    return operator.methodcaller("reshape", shape)


@rule("transpose")
def _transpose(e: Equation) -> Callable:
    return operator.methodcaller("transpose", e.params["permutation"])


@rule("rev")
def _rev(e: Equation) -> Callable:
    reversed_dims = e.params["dimensions"]
    return operator.itemgetter(
        tuple(slice(None, None, -1 if i in reversed_dims else 1) for i in range(len(e.inputs[0].shape)))
    )


@rule("slice")
def _slice(e: Equation) -> Callable:
    p = e.params
    strides = p["strides"] or (1,) * len(p["start_indices"])
    return operator.itemgetter(tuple(map(slice, p["start_indices"], p["limit_indices"], strides)))


@rule("pad")
def _pad(e: Equation) -> Callable:
    shape, dtype = e.outputs[0].shape, e.outputs[0].dtype
    to, source = [], []
    for n, (low, high, inner) in zip(e.inputs[0].shape, e.params["padding_config"]):
        step = inner + 1
        first = -(low // step) if low < 0 else 0  # the first element that negative padding does not remove
        size = (n - 1) * step + 1 + low + high if n else low + high  # the size of the result
        last = min(n, (size - low - 1) // step + 1) if n else 0
        source.append(slice(first, max(first, last)))
        to.append(slice(low + first * step, max(low + (last - 1) * step + 1, low + first * step), step))
    place, piece = tuple(to), tuple(source)

    def pad(x: np.ndarray, value: np.ndarray) -> np.ndarray:
        found = np.full(shape, value, dtype)
        found[place] = x[piece]
        return found

    return pad


@rule("concatenate")
def _concatenate(e: Equation) -> Callable:
    dim = e.params["dimension"]
    return lambda *xs: np.concatenate(xs, axis=dim)


@rule("stack")
def _stack(e: Equation) -> Callable:
    axis = e.params["axis"]
    return lambda *xs: np.stack(xs, axis=axis)


@rule("unstack")
def _unstack(e: Equation) -> Callable:
    axis = e.params["axis"]
    if len(e.outputs) == 1:
        return lambda x: np.moveaxis(x, axis, 0)[0]
    return lambda x: [*map(np.asarray, np.moveaxis(x, axis, 0))]


@rule("empty2")
def _empty(e: Equation) -> Callable:
    """Return a function that returns a new array. Later equations overwrite its contents."""
    return lambda: np.zeros(e.outputs[0].shape, e.outputs[0].dtype)


@rule("split")
def _split(e: Equation) -> Callable:
    sizes, dim = e.params["sizes"], e.params["axis"]
    ends = np.cumsum(sizes).tolist()
    pieces = [(slice(None),) * dim + (slice(end - n, end),) for n, end in zip(sizes, ends)]
    return operator.itemgetter(*pieces)


@rule("iota")
def _iota(e: Equation) -> Callable:
    shape, dim = e.params["shape"], e.params["dimension"]
    found = np.arange(shape[dim]).astype(e.params["dtype"])
    found = np.broadcast_to(found.reshape([-1 if i == dim else 1 for i in range(len(shape))]), shape)
    return lambda: found


@rule("dim_as_value")
def _dim_as_value(e: Equation) -> Callable:
    found = np.asarray(e.params["dim"], e.outputs[0].dtype)
    return lambda: found


# -- reductions, scans, sorts and products -----------------------------------------------------------------------------

REDUCTIONS: dict[str, np.ufunc] = {
    "reduce_sum": np.add,
    "reduce_prod": np.multiply,
    "reduce_max": np.maximum,
    "reduce_min": np.minimum,
    "reduce_and": np.bitwise_and,
    "reduce_or": np.bitwise_or,
    "reduce_xor": np.bitwise_xor,
}


@rule(*REDUCTIONS)
def _reduction(e: Equation) -> Callable:
    shape, dtype, axes = e.inputs[0].shape, e.inputs[0].dtype, tuple(e.params["axes"])
    if all(shape[axis] == 1 for axis in axes):
        return operator.methodcaller("reshape", tuple(e.outputs[0].shape))
    reduce = REDUCTIONS[e.name].reduce
    if e.name == "reduce_sum" and dtype.kind in "fc" and not is_half(dtype):
        return lambda x: total(x, axes)
    if len(axes) == 1:
        axes = axes[0]
    if e.name in ("reduce_sum", "reduce_prod"):
        wide = np.dtype(np.float32) if is_half(dtype) else dtype
        if wide != dtype:
            return lambda x: np.asarray(reduce(x, axes, wide)).astype(dtype)
        return lambda x: reduce(x, axes, dtype)
    if e.name in ("reduce_max", "reduce_min") and 0 in shape:
        start = _lowest(dtype) if e.name == "reduce_max" else -_lowest(dtype)
        return lambda x: reduce(x, axes, initial=start)
    return lambda x: reduce(x, axes)


def _lowest(dtype: np.dtype) -> Any:
    if dtype.kind in "iub":
        raise Unsupported("reduce_max of an empty integer array")
    return dtype.type(-np.inf)


@rule("argmax", "argmin")
def _argmax(e: Equation) -> Callable:
    function, (axis,), dtype = getattr(np, e.name), e.params["axes"], e.params["index_dtype"]
    return lambda x: np.asarray(function(x, axis)).astype(dtype)


SCANS: dict[str, np.ufunc] = {
    "cumsum": np.add,
    "cumprod": np.multiply,
    "cummax": np.maximum,
    "cummin": np.minimum,
    "cumlogsumexp": np.logaddexp,
}


@rule(*SCANS)
def _scan(e: Equation) -> Callable:
    scan, axis, dtype = SCANS[e.name], e.params["axis"], e.outputs[0].dtype
    if not e.params.flag("reverse"):
        return lambda x: running(scan, x, axis, dtype)
    return lambda x: np.flip(running(scan, np.flip(x, axis), axis, dtype), axis)


@rule("sort")
def _sort(e: Equation) -> Callable:
    axis, keys = e.params["dimension"], e.params["num_keys"]
    if len(e.inputs) == 1:
        return lambda x: np.sort(x, axis, "stable")

    def sort(*xs: np.ndarray) -> list[np.ndarray]:
        order = np.argsort(xs[0], axis, "stable") if keys == 1 else np.lexsort(xs[keys - 1 :: -1], axis)
        return [np.take_along_axis(x, order, axis) for x in xs]

    return sort


@rule("top_k")
def _top_k(e: Equation) -> Callable:
    axis, k, dtype = e.params["axis"], e.params["k"], e.outputs[1].dtype
    whole = e.inputs[0].dtype.kind in "biu"

    def top_k(x: np.ndarray) -> tuple:
        flipped = np.flip(x, axis)
        is_positive = flipped >= 0 if whole else ~np.signbit(flipped)  # top_k orders 0 above -0; a sort does not
        rising = np.lexsort((is_positive, flipped), axis)
        order = np.flip(x.shape[axis] - 1 - rising, axis)
        order = order[(slice(None),) * (axis % x.ndim) + (slice(k),)]
        return np.take_along_axis(x, order, axis), order.astype(dtype)

    return top_k


@rule("dot_general")
def _dot_general(e: Equation) -> Callable:
    (of_a, of_b), (batch_a, batch_b) = e.params["dimension_numbers"]
    (a, b), out = e.inputs, e.outputs[0]
    free_a = [i for i in range(len(a.shape)) if i not in of_a and i not in batch_a]
    free_b = [i for i in range(len(b.shape)) if i not in of_b and i not in batch_b]
    size = lambda x, dims: int(np.prod([x.shape[i] for i in dims], dtype=np.int64))
    batch = [a.shape[i] for i in batch_a]
    turn_a, turn_b = (*batch_a, *free_a, *of_a), (*batch_b, *of_b, *free_b)
    as_a, as_b = (*batch, size(a, free_a), size(a, of_a)), (*batch, size(b, of_b), size(b, free_b))
    shape, dtype = tuple(out.shape), out.dtype
    wide = np.dtype(np.float32) if is_half(dtype) else dtype

    def dot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        x = x.astype(wide, copy=False).transpose(turn_a).reshape(as_a)
        y = y.astype(wide, copy=False).transpose(turn_b).reshape(as_b)
        return product(x, y).reshape(shape).astype(dtype, copy=False)

    return dot


FOURIER = ("fft", "ifft", "rfft", "irfft")


@rule("fft")
def _fft(e: Equation) -> Callable:
    function = getattr(np.fft, FOURIER[int(e.params["fft_type"])] + "n")
    lengths, dtype = e.params["fft_lengths"], e.outputs[0].dtype
    axes = tuple(range(-len(lengths), 0))
    return lambda x: function(x, lengths, axes).astype(dtype, copy=False)
