"""Functions of several overloads: extremes over everything, over a dim or of two tensors; spreads, norms; named results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _bind, return_types
from torchlike._bind import CALLERS as rows
from torchlike._core import concrete
from torchlike._ops import REGISTRY
from torchlike._tensor import Tensor


def _written(name: str, result: Any, out: Any) -> Any:
    if out is None:
        return result
    made = _bind.write_out(REGISTRY[name], result, out)
    return type(result)(made) if isinstance(result, tuple) else made


# -- values with their indices -----------------------------------------------------------------------------------------


def _with_names(name: str) -> Callable:
    kind, call = getattr(return_types, name), rows[name]

    def function(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        return _written(name, kind(call(*args, **kwargs)), out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = REGISTRY[name].doc
    function.__signature__ = REGISTRY[name].signature  # type: ignore[attr-defined]
    return function


sort, topk, kthvalue, mode = (_with_names(name) for name in ("sort", "topk", "kthvalue", "mode"))
cummax, cummin, aminmax = (_with_names(name) for name in ("cummax", "cummin", "aminmax"))


def _extreme(name: str, of_two: str) -> Callable:
    of_all, along = rows[f"_{name}_of_all"], _with_names(name)

    def function(input: Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        if not args and not kwargs:
            return _written(f"_{name}_of_all", of_all(input), out)
        other = args[0] if args else kwargs.get("other")
        if isinstance(other, Tensor):
            return _written(of_two, rows[of_two](input, other), out)
        return along(input, *args, out=out, **kwargs)

    function.__name__ = function.__qualname__ = name
    extreme = "largest" if name == "max" else "smallest"
    function.__doc__ = (
        f"The {extreme} element; with `dim` the {extreme} along it and its index (the first of equal ones); with a "
        f"second tensor the `{of_two}` of each pair.\n\nOver everything, equal elements share the gradient evenly; along "
        "a dim only the one at the index returned has it."
    )
    return function


max, min = _extreme("max", "maximum"), _extreme("min", "minimum")


def _median(name: str) -> Callable:
    of_all, along = rows[f"_{name}_of_all"], _with_names(name)

    def function(input: Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        return along(input, *args, out=out, **kwargs) if args or kwargs else of_all(input)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = REGISTRY[name].doc + " Without `dim` the median of all elements."
    return function


median, nanmedian = _median("median"), _median("nanmedian")


# -- spread ------------------------------------------------------------------------------------------------------------


def _spread(name: str) -> Callable:
    call = rows[name]

    def function(input: Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        dim, correction, keepdim = _spread_arguments(name, args, kwargs)
        return _written(name, call(input, dim, correction, keepdim), out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{REGISTRY[name].doc}\n\nCalled as `{name}(input, dim, correction=1, keepdim=False)` or, with a bool for the "
        f"correction, `{name}(input, unbiased)` and `{name}(input, dim, unbiased, keepdim)`."
    )
    return function


def _spread_arguments(name: str, args: tuple, kwargs: dict) -> tuple[Any, Any, bool]:
    given = dict(kwargs)
    for old, new in (("axis", "dim"), ("keepdims", "keepdim")):
        if old in given:
            given[new] = given.pop(old)
    names = ("unbiased",) if args and isinstance(args[0], bool) else ("dim", "unbiased", "keepdim")
    if len(args) > len(names):
        raise TypeError(f"{name}() takes at most {len(names) + 1} positional arguments but {len(args) + 1} were given")
    given |= zip(names, args)
    unknown = given.keys() - {"dim", "unbiased", "keepdim", "correction"}
    if unknown:
        raise TypeError(f"{name}() got an unexpected keyword argument '{unknown.pop()}'")
    correction = given.get("correction")
    if correction is None:
        correction = 1 if given.get("unbiased", True) else 0
    return given.get("dim"), correction, given.get("keepdim", False)


std, var, std_mean, var_mean = (_spread(name) for name in ("std", "var", "std_mean", "var_mean"))


# -- norms -------------------------------------------------------------------------------------------------------------


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None,
         dtype: Any = None) -> Tensor:  # fmt: skip
    """The vector norm (sum of |x|**p)**(1/p) over `dim` (every dim by default); "fro" is p = 2.

    The gradient at 0 is 0.
    """
    if p == "nuc":
        from torchlike import linalg

        return _written("vector_norm", linalg.matrix_norm(input, "nuc", dim or (-2, -1), keepdim, dtype=dtype), out)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    order = 2 if p is None or p == "fro" else p
    return _written("vector_norm", rows["vector_norm"](input, order, dim, keepdim, dtype=dtype), out)


# -- questions with one answer -----------------------------------------------------------------------------------------


def _host(t: Tensor) -> np.ndarray:
    return np.asarray(concrete(t._value))


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements (an observation: pending work runs)."""
    if input.shape != other.shape:
        return False
    return bool(np.array_equal(_host(input), _host(other)))


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether every element `isclose` (an observation: pending work runs)."""
    return bool(rows["all"](rows["isclose"](input, other, rtol, atol, equal_nan)).item())


def polygamma(self: Tensor, n: int) -> Tensor:
    """The n-th derivative of digamma."""
    return rows["polygamma"](n, self)


def polygamma_(self: Tensor, n: int) -> Tensor:
    """The n-th derivative of digamma, in place."""
    return _bind.assign(self, rows["polygamma"](n, self))


FUNCTIONS = {f.__name__: f for f in (sort, topk, kthvalue, mode, cummax, cummin, aminmax, max, min, median, nanmedian,
                                     std, var, std_mean, var_mean, norm, equal, allclose)}  # fmt: skip
METHODS = {name: f for name, f in FUNCTIONS.items() if name not in ("std_mean", "var_mean")}
METHODS |= {"polygamma": polygamma, "polygamma_": polygamma_}
