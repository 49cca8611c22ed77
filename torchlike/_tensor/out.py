"""Calls with `out=`: the checks of the `out=` tensors, and the writes of the results to them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from torchlike import _dtypes, _errors, return_types
from torchlike._dtypes import modes
from torchlike._errors.warned import warn
from torchlike._ops import Op
from torchlike._ops.schema.out_rules import CASTABLE, EXACT, ROWS_UNLESS_EMPTY, STRIDED, Into
from torchlike._tensor import storage
from torchlike._tensor.tensor import Tensor
from torchlike._tensor.tracebacks import shortened


def asked_of(op: Op, args: tuple) -> Into:
    """Return the rule of an operator for its `out=` tensors, given its arguments."""
    found = op.public.out(*args) if callable(op.public.out) else op.public.out
    return found if isinstance(found, Into) else CASTABLE


def row_into(op: Op, call: Callable, args: tuple, kwargs: dict, out: Any) -> Any:
    """Call an operator with `out=`, according to the operator's rule for `out=` tensors."""
    asked = asked_of(op, (*args, *kwargs.values()))
    called = asked.called if asked.called != "" else op.called if op.gradient.differentiable else "aten::"
    return into(op.called, call, args, kwargs, out, asked._replace(called=called), op.public.overloads)


def into(name: str, call: Callable, args: tuple, kwargs: dict, out: Any, asked: Into, overloads: Any = False) -> Any:
    """Call a function and write its results to `out`. `name` is the name of the function in error messages."""
    operands = (*args, *kwargs.values())
    called = name if asked.called == "" else asked.called
    misfit = functools.partial(_no_tensor, name, args, kwargs, out, asked, overloads)
    _check_tensors(out, misfit, asked.computes or asked.first is not None)
    if not asked.late:
        check_history(called, out, operands)
    if asked.first is not None and (refused := asked.first(out.dtype)) is not None:
        raise refused
    if kwargs.get("dtype") is not None and asked.misfit is None:
        asked = asked._replace(misfit=EXACT.misfit)
    elif asked.computes:
        kwargs = {**kwargs, "dtype": out.dtype}
    result = call(*args, **kwargs)
    _check_count(result, out, misfit)
    check_apart(out, operands)
    check_dtypes(asked, result, out)
    if asked.late:
        check_history(called, out, operands)
    if asked.apart is not None:
        check_alone(out)
        fit_out(asked, result, out)  # resizing may extend `out` over more of the memory
        check_apart(out, operands[asked.apart :], wholly=True)
    if called is None or (called.startswith("aten::") and called != "aten::"):
        return write_out(asked, result, out)
    with modes.no_grad():
        return write_out(asked, result, out)


def _no_tensor(
    name: str, args: tuple, kwargs: dict, out: Any, asked: Into, overloads: Any, each: Any, wanted: str = "Tensor"
) -> TypeError:
    if overloads if asked.overloads is None else asked.overloads:
        return _errors.arguments.invalid_combination(name, args, {"out": out, **kwargs})
    return _errors.arguments.out_is_no_tensor(name, each, wanted)


def accepting_out(asked: Into = CASTABLE, name: str = "") -> Callable[[Callable], Callable]:
    """Return a decorator that adds `out=` to a function that is not a registered operator."""

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def public(*args: Any, out: Any = None, **kwargs: Any) -> Any:
            try:
                if out is None:
                    return function(*args, **kwargs)
                return into(name or function.__name__, function, args, kwargs, out, asked)
            except Exception as error:
                raise shortened(error)

        made: Any = public
        made.__signature__ = with_out(inspect.signature(function))
        return made

    return decorate


def with_out(signature: inspect.Signature) -> inspect.Signature:
    """Return the signature with an additional `out=` parameter."""
    given = signature.parameters.values()
    last = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Any")
    rest = [p for p in given if p.kind is p.VAR_KEYWORD]
    return signature.replace(parameters=[*[p for p in given if p not in rest], last, *rest])


def _check_tensors(out: Any, misfit: Callable[[Any], TypeError], one: bool) -> None:
    if one and isinstance(out, tuple | list):
        raise misfit(out)
    for each in out if isinstance(out, tuple | list) else (out,):
        if not isinstance(each, Tensor):
            raise misfit(each)


def _check_count(result: Any, out: Any, misfit: Callable[..., TypeError]) -> None:
    """Raise if the number of `out=` tensors differs from the number of results."""
    several, given = isinstance(result, tuple | list), isinstance(out, tuple | list)
    if several is not given:
        raise misfit(out, "tuple of Tensors" if several else "Tensor")
    if several and len(result) != len(out):
        raise TypeError(f"expected tuple of {len(result)} elements but got {len(out)}")


def check_history(called: str | None, out: Any, operands: tuple) -> None:
    """Raise PyTorch's errors for tensors that require grad. `called` is `Into.called`."""
    if called is None or called == "aten::" or not modes.local.grad:
        return
    outs = out if isinstance(out, tuple | list) else (out,)
    tracked = outs if called.startswith("aten::") else (*outs, *_flat(operands))
    if any(isinstance(x, Tensor) and x.requires_grad for x in tracked):
        raise _errors.autograd.out_with_grad(called)


def _flat(operands: tuple) -> list:
    return [x for each in operands for x in (each if isinstance(each, tuple | list) else (each,))]


def check_apart(out: Any, operands: tuple, wholly: bool = False) -> None:
    """Raise if `out=` overlaps an operand partially or, if `wholly`, in any way."""
    for target in out if isinstance(out, tuple | list) else (out,):
        for each in _flat(operands):
            shares = isinstance(each, Tensor) and each._storage is target._storage
            if shares and not storage.are_apart(target, each, wholly):
                raise _errors.memory.overlapping_operands()


def check_alone(out: Any) -> None:
    """Raise if several elements of an `out=` tensor share one memory location."""
    for target in out if isinstance(out, tuple | list) else (out,):
        if storage.overlaps(target._chain or (), target.shape, target._strides):
            raise _errors.memory.overlapping_write()


def write_out(asked: Into, result: Any, out: Any) -> Any:
    """Write a result into the tensor (or tuple of tensors) given as `out=`, and return it.

    If the results have names, return a named tuple.
    """
    fit_out(asked, result, out)
    if not isinstance(result, tuple | list):
        return out.copy_(result)
    for r, o in zip(result, out):
        o.copy_(r)
    return out if type(result) in (tuple, list) else return_types.of_out(type(result))(tuple(out))


def fit_out(asked: Into, result: Any, out: Any) -> None:
    """Raise if the result cannot be cast to the dtype of `out=`, and resize `out=` to the shape of the result."""
    check_dtypes(asked, result, out)
    for r, o in zip(result, out) if isinstance(result, tuple | list) else ((result, out),):
        _fit_shape(asked, r, o)


def check_dtypes(asked: Into, result: Any, out: Any) -> None:
    """Raise if the result cannot be cast to the dtype of `out=`."""
    if not isinstance(result, tuple | list):
        _check_dtype(asked.misfit, asked.cast, result.dtype, out.dtype)
        return
    of_each = lambda rule: rule if isinstance(rule, tuple) else (rule,) * len(result)
    for r, o, misfit, cast in zip(result, out, of_each(asked.misfit), of_each(asked.cast)):
        _check_dtype(misfit, cast, r.dtype, o.dtype)


def _check_dtype(misfit: Any, cast: Any, result: Any, out: Any) -> None:
    if result is out:
        return
    error = misfit(result, out) if misfit is not None else None
    if error is None and not _dtypes.can_cast(result, out):
        error = cast(result, out)
    if error is not None:
        raise error


def _fit_shape(asked: Into, result: Tensor, out: Tensor) -> None:
    if out.shape == result.shape:
        return
    held = out.numel() > 0
    if held and not asked.quiet:
        warn(_errors.shapes.out_resized(out.shape, result.shape))
    out.resize_(result.shape)
    follows = asked.order == STRIDED or (asked.order == ROWS_UNLESS_EMPTY and not held)
    if follows and result._strides is not None and result.numel():
        out.as_strided_(result.shape, result.stride())
