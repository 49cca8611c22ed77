"""Functions with several overloads: extremes, order statistics, variances, norms, products and comparisons."""

from __future__ import annotations

import builtins
import functools
import string
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors, return_types
from torchlike._composite.linalg.linalg import matrix_norm
from torchlike._composite.views import conversions
from torchlike._dtypes import bool_
from torchlike._engine import to_numpy
from torchlike._errors.warned import warn
from torchlike._ops import REGISTRY
from torchlike._ops.schema.binding import ASKED
from torchlike._ops.schema.out_rules import CASTABLE, EXACT, Into
from torchlike._tensor import binding, public_calls
from torchlike._tensor.argument_forms import renamed, settled
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.out import into, row_into
from torchlike._tensor.overriding import public
from torchlike._tensor.tensor import Tensor

# -- values with their indices -----------------------------------------------------------------------------------------


def _with_names(name: str) -> Callable:
    kind, call = getattr(return_types, name), rows[name]

    def function(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is None:
            return kind(call(*args, **kwargs))
        return return_types.of_out(kind)(row_into(REGISTRY[name], call, args, kwargs, out))

    made: Any = function
    made.__name__ = made.__qualname__ = name
    made.__doc__ = REGISTRY[name].doc
    made.__wrapped__ = REGISTRY[name].shown
    return made


sort, topk, kthvalue, mode = (_with_names(name) for name in ("sort", "topk", "kthvalue", "mode"))
cummax, cummin, aminmax = (_with_names(name) for name in ("cummax", "cummin", "aminmax"))


def _extreme(name: str, of_two: str) -> Callable:
    of_all, along = rows[f"_{name}_of_all"], _with_names(name)
    asked = Into(cast=_errors.outs.extreme)

    def function(input: Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        if not isinstance(input, Tensor):
            raise _errors.arguments.invalid_combination(name, (input, *args), kwargs)
        if not args and not kwargs:
            return of_all(input) if out is None else into(name, of_all, (input,), {}, out, asked, True)
        other = args[0] if args else kwargs.get("other")
        if isinstance(other, Tensor) and len(args) + len(kwargs) == 1:
            if out is None:
                return rows[of_two](input, other)
            return into(name, rows[of_two], (input, other), {}, out, CASTABLE._replace(called=of_two), True)
        return along(input, *args, out=out, **kwargs)

    function.__name__ = function.__qualname__ = name
    extreme = "largest" if name == "max" else "smallest"
    function.__doc__ = (
        f"Return the {extreme} element.\n\nWith `dim`, return the {extreme} element along this dim and its index; "
        f"among equal elements, the first. With a second tensor, return the `{of_two}` of each pair of elements.\n\n"
        "The gradient of the reduction over all dims is shared evenly among equal elements. Along one dim, only the "
        "element at the returned index has a gradient.\n\nArgs:\n"
        "  args, kwargs: nothing, `dim` (int) and `keepdim` (bool, default False), or `other` (Tensor).\n"
        "  out: the tensor that receives the result; with `dim`, a tuple of two tensors.\n\n"
        f">>> torchlike.{name}(torchlike.tensor([[1, 5], [4, 2]]), dim=1).values\n"
        f"tensor([{'5, 4' if name == 'max' else '1, 2'}])"
    )
    return public_calls.overloaded(function)


max, min = _extreme("max", "maximum"), _extreme("min", "minimum")


def _median(name: str) -> Callable:
    of_all, along = rows[f"_{name}_of_all"], _with_names(name)

    def function(input: Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        return along(input, *args, out=out, **kwargs) if args or kwargs else of_all(input)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{REGISTRY[name].doc} Without `dim`, return the median of all elements.\n\nArgs:\n"
        "  args, kwargs: nothing, or `dim` (int) and `keepdim` (bool, default False).\n"
        "  out: a tuple of two tensors that receive the results. It requires `dim`.\n\n"
        f">>> torchlike.{name}(torchlike.tensor([3, 1, 2]))\ntensor(2)"
    )
    return function


median, nanmedian = _median("median"), _median("nanmedian")


# -- variance ----------------------------------------------------------------------------------------------------------


_SPREAD_EXAMPLES = {
    "std": ">>> torchlike.std(torchlike.tensor([1.0, 2.0, 3.0]))\ntensor(1.)",
    "var": ">>> torchlike.var(torchlike.tensor([1.0, 2.0, 3.0]))\ntensor(1.)",
    "std_mean": ">>> torchlike.std_mean(torchlike.tensor([1.0, 2.0, 3.0]))\n(tensor(1.), tensor(2.))",
    "var_mean": ">>> torchlike.var_mean(torchlike.tensor([1.0, 2.0, 3.0]))\n(tensor(1.), tensor(2.))",
}


def _spread(name: str) -> Callable:
    call = rows[name]

    def function(input: Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is not None:
            along = _spread_arguments(name, args, kwargs)[0] is not None
            first = _errors.outs.no_complex_loop("std_cpu") if along and not input.is_complex() else None
            return into(name, function, (input, *args), kwargs, out, Into(first=first), True)
        dim, correction, keepdim = _spread_arguments(name, args, kwargs)
        _warn_of_freedom(name, input, dim, correction)
        return call(input, dim, correction, keepdim)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{REGISTRY[name].doc}\n\nThe signatures are `{name}(input, dim, correction=1, keepdim=False)` and, with a "
        f"bool in place of the correction, `{name}(input, unbiased)` and `{name}(input, dim, unbiased, keepdim)`.\n\n"
        "Args:\n"
        "  args, kwargs: `dim` (int or sequence of ints, default all dims), `correction` (number, default 1: the "
        "divisor\n    is the count minus it), `unbiased` (bool: False is a correction of 0) and `keepdim` (bool, "
        "default False).\n\n" + _SPREAD_EXAMPLES[name]
    )
    return function


def _warn_of_freedom(name: str, input: Tensor, dim: Any, correction: float) -> None:
    if input.is_meta or (correction <= 0 and input.numel()):
        return
    shape = tuple(input.shape) or (1,)
    dims = range(len(shape)) if dim is None or dim == () else (dim,) if isinstance(dim, int) else dim
    count = 1
    for d in dims:
        if not isinstance(d, int) or not -len(shape) <= d < len(shape):
            return
        count *= shape[d]
    if count <= correction or not input.numel():
        warn(_errors.arithmetic.no_freedom(name))


# The overloads of `std`, `var`, `std_mean` and `var_mean`: positional parameters, all parameters, the required one.
_OVERLOADS = (
    (("unbiased",), {"unbiased"}, "unbiased"),
    (("dim", "unbiased", "keepdim"), {"dim", "unbiased", "keepdim"}, "dim"),
    (("dim",), {"dim", "correction", "keepdim"}, None),
)
_SPREAD_KINDS: dict[str, Callable[[Any], bool]] = {
    "dim": lambda given: given is None or ASKED["Dims"](given),
    "unbiased": ASKED["bool"],
    "keepdim": ASKED["bool"],
    "correction": lambda given: given is None or ASKED["Scalar"](given),
}
# The types of arguments that need no conversion -> the positional parameters of the overload that takes them.
_matched: dict[tuple, tuple[str, ...]] = {}
_SETTLED = frozenset((int, bool, float, tuple, type(None)))


def _spread_arguments(name: str, args: tuple, kwargs: dict) -> tuple[Any, Any, bool]:
    types = (*map(type, args), *kwargs, *map(type, kwargs.values()))
    names = _matched.get(types)
    if names is None:
        args, given = tuple(map(settled, args)), {key: settled(a) for key, a in kwargs.items()}
        given = renamed(given, _SPREAD_KINDS)
        names = _overload(name, args, given)
        if given.keys() == kwargs.keys() and _SETTLED.issuperset(types[: len(args)] + types[len(args) + len(kwargs) :]):
            _matched[types] = names
        kwargs = given
    given = dict(zip(names, args), **kwargs)
    correction = given.get("correction")
    if correction is None:
        correction = 1 if given.get("unbiased", True) else 0
    return given.get("dim"), correction, given.get("keepdim", False)


def _overload(name: str, args: tuple, kwargs: dict) -> tuple[str, ...]:
    """Return the positional parameters of the overload that takes the arguments."""
    for names, taken, required in _OVERLOADS:
        given = {**dict(zip(names, args)), **kwargs}
        fits = len(args) <= len(names) and len(given) == len(args) + len(kwargs) and given.keys() <= taken
        if fits and (required is None or required in given) and all(_SPREAD_KINDS[n](a) for n, a in given.items()):
            return names
    unknown = kwargs.keys() - _SPREAD_KINDS.keys()
    if unknown:
        raise TypeError(f"{name}() got an unexpected keyword argument '{unknown.pop()}'")
    raise _errors.arguments.invalid_combination(name, args, kwargs)


std, var, std_mean, var_mean = (_spread(name) for name in ("std", "var", "std_mean", "var_mean"))


# -- norms -------------------------------------------------------------------------------------------------------------


def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None
) -> Tensor:
    """Return the vector norm (sum of |x|**p)**(1/p) over `dim` (every dim by default); "fro" means p = 2.

    "nuc" means the nuclear norm of matrices in the last two dims or `dim`. The gradient at 0 is 0.

    Args:
      p: the order of the norm: a number, `inf`, `-inf`, "fro" or "nuc".
      dim: the dim or dims to reduce. By default, all dims are reduced.

    >>> torchlike.norm(torchlike.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if out is not None:
        asked = Into(_errors.outs.norm("matrix_norm"), called=None, overloads=True) if p == "nuc" else EXACT
        called = f"linalg_{'matrix' if p == 'nuc' else 'vector'}_norm"
        return into(called, norm, (input, p, dim, keepdim), {"dtype": dtype}, out, asked)
    if p == "nuc":
        return matrix_norm(input, "nuc", dim or (-2, -1), keepdim, dtype=dtype)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    order = 2 if p is None or p == "fro" else p
    return rows["vector_norm"](input, order, dim, keepdim, dtype=dtype)


# -- products ----------------------------------------------------------------------------------------------------------


def einsum(*args: Any) -> Tensor:
    """Return the sum of products that an equation describes: `einsum("ij,jk->ik", a, b)`.

    Letters name the dims, and `...` stands for all others. Without `->`, the dims of the result are the letters that
    occur once, in alphabetical order. Another form is `einsum(a, [0, 1], b, [1, 2], [0, 2])`.

    Args:
      args: the equation (str) and the operands, or operands alternating with lists of dims. The operands may also be
        one list.

    >>> torchlike.einsum("ij,j->i", torchlike.tensor([[1, 2], [3, 4]]), torchlike.tensor([1, 10]))
    tensor([21, 43])
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if not isinstance(args[0], str | Tensor):
        raise _errors.arguments.wrong_type("einsum", "equation", 1, "str", args[0])
    if not isinstance(args[0], str):
        return einsum(*_as_letters(args))
    equation, *operands = args
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        return public("").einsum(equation, *operands[0])
    for place, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            raise _errors.lists.element(place, 1, operand)
    viewed = _permuted(equation, operands[0]) if len(operands) == 1 else None
    return rows["einsum"](equation, tuple(operands)) if viewed is None else viewed


def _permuted(equation: str, operand: Tensor) -> Tensor | None:
    """Return the view that an equation of one operand describes, or None if it sums over a dim or is not valid."""
    term, arrow, output = equation.replace(" ", "").partition("->")
    if not arrow and "..." not in term:
        output = "".join(sorted(term))
    if "..." in term:
        free = [c for c in string.ascii_letters if c not in term][: builtins.max(operand.ndim - len(term) + 3, 0)]
        output = output if arrow else "..." + "".join(sorted(term.replace("...", "")))
        term, output = (each.replace("...", "".join(free)) for each in (term, output))
    dims = list(term)
    if not term.isalpha() or len(dims) != operand.ndim or sorted(output) != sorted(set(dims)):
        return None
    for letter in output:
        while dims.count(letter) > 1:  # the diagonal becomes the last dim
            first = dims.index(letter)
            second = dims.index(letter, first + 1)
            if operand.shape[first] != operand.shape[second]:
                return None
            operand = operand.diagonal(0, first, second)
            dims = [d for i, d in enumerate(dims) if i not in (first, second)] + [letter]
    return operand.permute([dims.index(letter) for letter in output])


def _as_letters(args: tuple) -> tuple:
    """Convert operands with lists of dim numbers to an equation."""

    def term(dims: Any) -> str:
        return "".join("..." if d is Ellipsis else chr(ord("A") + d if d < 26 else ord("a") + d - 26) for d in dims)

    pairs = len(args) // 2
    equation = ",".join(term(args[2 * i + 1]) for i in range(pairs))
    if len(args) % 2:
        equation += "->" + term(args[-1])
    return equation, *args[: 2 * pairs : 2]


def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Any = None) -> Tensor:
    """Contract the last `dims` dims of `a` with the first `dims` dims of `b`.

    `dims` may also be two lists: the dims of `a` and the dims of `b` to contract.

    Args:
      a, b: the tensors to contract.
      dims: the number of dims to contract, or two lists of dims of equal length.

    >>> torchlike.tensordot(torchlike.ones(2, 3, 4), torchlike.ones(3, 4, 5)).shape
    torch.Size([2, 5])
    """
    if out is not None:
        return into("tensordot", tensordot, (a, b, dims), {}, out, Into(_errors.outs.contracted, called=None))
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > builtins.min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        dims = (range(-dims, 0), range(dims))
    for i, j in zip(*dims):  # a dim of size one is broadcast against the other
        if i < a.ndim and j < b.ndim and a.shape[i] != b.shape[j]:
            a = rows["sum"](a, i, True) if b.shape[j] == 1 else a
            b = rows["sum"](b, j, True) if a.shape[i] == 1 else b
    return rows["tensordot"](a, b, tuple(tuple(d) for d in dims))


def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Any = None) -> Tensor:
    """Return the cross product of vectors of three elements along `dim` (by default the first dim of size three).

    Args:
      dim: the dim of size 3. Default: the first such dim.

    >>> torchlike.cross(torchlike.tensor([1, 0, 0]), torchlike.tensor([0, 1, 0]), dim=0)
    tensor([0, 0, 1])
    """
    if dim is None:
        _errors.deprecated.say("cross")
        sizes = [n for n, m in zip(input.shape, other.shape) if n == m]
        if input.ndim == other.ndim and 3 not in sizes:
            raise RuntimeError("no dimension of size 3 in input")
        dim = list(input.shape).index(3) if input.ndim == other.ndim else -1
    if out is None:
        return rows["cross"](input, other, dim=dim)
    asked = Into(_errors.dtypes.exact_out, apart=0, called="linalg_cross")
    return into("cross", rows["cross"], (input, other), {"dim": dim}, out, asked)


def chain_matmul(*matrices: Tensor) -> Tensor:
    """Return the product of several matrices.

    Args:
      matrices: two-dimensional tensors with matching sizes.
    """
    _errors.deprecated.say("chain_matmul")
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for matrix in matrices:
        if matrix.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {matrix.ndim}, expected 2 instead.")
    if len(matrices) > 1:
        _errors.linalg.check_multi_dot(matrices)
    return functools.reduce(rows["mm"], matrices)


def positive(input: Tensor) -> Tensor:
    """Return the tensor itself. Raise RuntimeError for a bool tensor."""
    if input.dtype is bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


# -- comparisons with one bool result ----------------------------------------------------------------------------------


def _host(t: Tensor) -> np.ndarray:
    return to_numpy(t._value)


def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same shape and elements. The call flushes the pending trace.

    Args:
      other: a tensor on the same device. It is not broadcast.

    >>> torchlike.equal(torchlike.tensor([1, 2]), torchlike.tensor([1, 2]))
    True
    """
    if input.shape != other.shape:
        return False
    if conversions.is_same(input, other):  # PyTorch only tests for NaN here
        _errors.dtypes.not_eight_bits("equal_notnan_cpu", input.dtype)
    return bool(np.array_equal(_host(input), _host(other)))


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Return whether all elements are close, as `isclose` defines it. The call flushes the pending trace.

    Args:
      rtol: the tolerance relative to `other`.
      atol: the absolute tolerance.
      equal_nan: count two NaNs as close.

    >>> torchlike.allclose(torchlike.tensor([1.0, 2.0]), torchlike.tensor([1.0, 2.000001]))
    True
    """
    return bool(rows["all"](rows["isclose"](input, other, rtol, atol, equal_nan)).item())


def polygamma(self: Tensor, n: int) -> Tensor:
    """Compute the n-th derivative of the digamma function of each element.

    Args:
      n: the order of the derivative, at least 0.
    """
    return rows["polygamma"](n, self)


def polygamma_(self: Tensor, n: int) -> Tensor:
    """Compute the n-th derivative of the digamma function of each element, in place.

    Args:
      n: the order of the derivative, at least 0.
    """
    return binding.assign(self, rows["polygamma"](n, self))


def abs_(self: Tensor) -> Tensor:
    """Compute the absolute value of each element, in place."""
    if self.dtype.is_complex:
        binding.check_history(self)
        raise _errors.dtypes.complex_in_place("abs")
    return _abs_in_place(self)


def float_power_(self: Tensor, exponent: Any) -> Tensor:
    """Raise each element to a power, in place.

    Args:
      exponent: a number or a tensor that is broadcast. The dtype of this tensor must be float64 or complex128.

    >>> torchlike.tensor([2.0], dtype=torchlike.float64).float_power_(3)
    tensor([8.], dtype=torch.float64)
    """
    if not isinstance(exponent, Tensor | int | float | complex):
        raise _errors.arguments.invalid_combination("float_power_", (exponent,), {})
    given = exponent.dtype.is_complex if isinstance(exponent, Tensor) else type(exponent) is complex
    is_complex = self.dtype.is_complex or given
    wanted = _dtypes.complex128 if is_complex else _dtypes.float64
    if self.dtype is not wanted:
        raise _errors.outs.float_power(wanted, self.dtype, "base given to float_power_")
    return _float_power_in_place(self, exponent)


_float_power_in_place = binding.in_place_of("float_power", rows["float_power"], op=REGISTRY["float_power"])
_abs_in_place = binding.in_place_of("abs", rows["abs"], op=REGISTRY["abs"])
_NOT_METHODS = ("std_mean", "var_mean", "einsum", "tensordot", "chain_matmul")
_ALL = (
    sort,
    topk,
    kthvalue,
    mode,
    cummax,
    cummin,
    aminmax,
    max,
    min,
    median,
    nanmedian,
    std,
    var,
    std_mean,
    var_mean,
    norm,
    equal,
    allclose,
    einsum,
    tensordot,
    cross,
    chain_matmul,
    positive,
)
FUNCTIONS = public_calls.functions(*_ALL)
METHODS = public_calls.methods(*[f for f in _ALL if f.__name__ not in _NOT_METHODS])
METHODS |= {"__pos__": positive}
METHODS |= {"abs_": abs_, "absolute_": abs_} | public_calls.methods(float_power_)
METHODS |= {"polygamma": polygamma, "polygamma_": polygamma_}
