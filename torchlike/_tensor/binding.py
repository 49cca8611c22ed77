"""Binding of the registered operators to their public namespaces: torchlike.*, Tensor, nn.functional, linalg, ..."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._autograd import engine
from torchlike._autograd.nodes import sequence
from torchlike._dtypes import modes
from torchlike._ops import REGISTRY, Op
from torchlike._ops.schema import declare as d
from torchlike._ops.schema.plan import check_fits, check_operator
from torchlike._tensor import dispatch, overriding, storage, views
from torchlike._tensor.out import row_into
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor, wrap
from torchlike._tensor.tracebacks import shortened

CALLERS: dict[str, Callable] = {name: dispatch.caller(op) for name, op in REGISTRY.items() if name == op.name}


def function(name: str) -> Callable:
    """Return the public function of an operator."""
    return PUBLIC[REGISTRY[name].name]


def _named(made: Any, op: Op, name: str) -> Callable:
    made.__name__ = made.__qualname__ = name
    made.__doc__ = op.doc
    made.__wrapped__ = op.shown
    return made


def _function(op: Op, name: str) -> Callable:
    """Return the public function of an operator. Its signature has `out` if the function has."""
    made: Any = _named(_with_out(op, CALLERS[name]), op, name)
    if made is not CALLERS[name]:
        made.__signature__ = op.signature_with_out
    return made


def _twin(op: Op, name: str) -> Callable:
    made: Any = _in_place(op, CALLERS[op.name])
    made.__code__, doc = _code(made, name), made.__doc__
    _named(made, op, name).__doc__ = doc
    return made


def _with_out(op: Op, call: Callable) -> Callable:
    """Return the public function of an operator. It handles calls with `out=` and passes all other calls to `call`."""
    if not op.public.out or op.family == "view":
        return call

    def public(*args: Any, **kwargs: Any) -> Any:
        try:
            if not kwargs or "out" not in kwargs:
                return call(*args, **kwargs)
            out = kwargs.pop("out")
            if out is None:
                return call(*args, **kwargs)
            return row_into(op, op.public.uncast or call, args, kwargs, out)
        except Exception as error:
            raise shortened(error)

    return public


def _in_place(op: Op, call: Callable) -> Callable:
    return in_place_of(op.name, op.public.uncast or call, op=op)


def check_history(self: Tensor, operands: tuple = ()) -> None:
    """Raise PyTorch's errors for an in-place write that autograd does not allow.

    If autograd records the write, also prepare the gradient history of `self` for it (see `views.widen`).
    """
    if modes.local.grad and (self._edge is not None or self._origin is not None):
        views.check_unseen(self)
        if self.requires_grad or any(isinstance(x, Tensor) and x.requires_grad for x in operands):
            views.check_write(self)
            views.widen(self)


def before_write(
    self: Tensor,
    operands: tuple,
    apart: bool = False,
    op: Op | None = None,
    named: dict | None = None,
    copies: bool = False,
) -> bool:
    """Raise PyTorch's errors that precede the shape and dtype checks of an in-place write.

    Return whether an operand shares memory with `self`. `apart`: operands must not share memory with `self` at all.
    `copies`: the operator is `copy_`. The operand checks of the operator `op` come before the overlap errors.
    """
    check_history(self, operands)
    if self._strides is not None and storage.overlaps(self._chain or (), self.shape, self._strides):
        _check_first(op, (self, *operands), named)
        raise _errors.memory.overlapping_write()
    shares = False
    for place, other in enumerate((*operands, *named.values()) if named else operands, 1):
        if other.__class__ in TENSOR_TYPES and other._storage is self._storage:
            if op is not None and place <= len(operands) and op.kinds[place : place + 1] == (d.SCALAR,):
                continue  # it stands for a number
            shares = True
            if (op is None or not op.public.overlaps) and not storage.are_apart(self, other, apart, copies):
                _check_first(op, (self, *operands), named)
                raise _errors.memory.overlapping_operands()
        elif hasattr(other.__class__, "__torch_function__") and not isinstance(other, Tensor):
            raise _errors.arguments.wrong_type("write", "other", place, "Tensor", other)  # the caller asks `other`
    return shares


def _check_first(op: Op | None, operands: tuple, named: dict | None) -> None:
    """Run the checks that precede the overlap check: unusable views, and the operand checks of the operator.

    A missing kernel for the dtype is reported later.
    """
    for x in operands:
        if x.__class__ in TENSOR_TYPES and x._chain is not None:
            x._read()
    try:
        if op is not None:
            (check_operator if op.fits is None else check_fits)(op, operands, named or {}, dispatch.describe)
    except NotImplementedError as error:
        if not str(error).startswith('"'):
            raise


def _check_arguments(function: Callable, self: Tensor, args: tuple, kwargs: dict, kind: type[Exception]) -> None:
    """Run a function on a copy and raise its error if it is of a kind that precedes errors about memory."""
    with modes.no_grad():
        try:
            function(self.detach().clone(), *args, **kwargs)
        except kind:
            raise
        except Exception:
            return


def in_place_of(name: str, function: Callable, apart: bool = False, op: Op | None = None) -> Callable:
    """Return the in-place variant of a tensor function, or of the operator `op`."""

    def twin(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        try:
            try:
                shares = before_write(self, args, apart, op, kwargs)
            except RuntimeError as error:
                is_overlap = op is None and isinstance(error, _errors.memory.Overlap)
                _check_arguments(function, self, args, kwargs, Exception if is_overlap else TypeError)
                raise
            if (shares or (self._storage.inference and op is not None)) and modes.local.grad:
                return _onto_itself(self, function, args, kwargs)
            since = next(sequence)
            try:
                return assign(self, function(self, *args, **kwargs), since)
            except RuntimeError:
                if op is not None and op.fits is not None:
                    check_fits(op, (self, *args), kwargs, dispatch.describe)
                raise
        except Exception as error:
            if not overriding.would_ask(self, *args, *kwargs.values()):
                raise shortened(error)
        return overriding.ask(made, (self, *args), kwargs)

    made: Any = twin
    made.__name__ = made.__qualname__ = name + "_"
    made.__code__ = _code(made, name + "_")
    made.__doc__ = f"Apply `{name}` in place, and return this tensor."
    made.__wrapped__ = function
    return made


def _onto_itself(self: Tensor, function: Callable, args: tuple, kwargs: dict) -> Tensor:
    """Run an in-place operator whose target shares memory with another operand or is an inference tensor.

    The operator gets a copy of the target, so the tensor saved for the target stays valid, as in PyTorch. The tensor
    saved for the other operand counts as overwritten.
    """
    value, edge = self._pair()
    copy = wrap(engine.apply_op("clone", (value, None))[0], edge)
    return assign(self, function(copy, *args, **kwargs), next(sequence))


def assign(target: Tensor, result: Tensor, since: int | None = None) -> Tensor:
    """Finish an in-place operator: check the shape and dtype, cast, and write."""
    if result.shape != target.shape:
        raise _errors.shapes.in_place_shape(target.shape, result.shape)
    if not result.ndim and result.device is not target.device:  # the operator moved a number to another device
        raise _errors.making.different_devices(target.device, result.device)
    if result.dtype is not target.dtype:
        if not _dtypes.can_cast(result.dtype, target.dtype):
            raise _errors.dtypes.cannot_cast(result.dtype, target.dtype)
        made = None if result.is_leaf else result._edge[0]
        result = CALLERS["_to"](result, target.dtype)
        # Users see a single operator, so the node of the cast gets the name of the operator's node.
        if made is not None and result._edge is not None:
            result._edge = views.named(result._edge, made.name())
    value, edge = result._pair()
    target._write(value, edge, since)
    return target


PUBLIC: dict[str, Callable] = {name: _function(REGISTRY[name], name) for name in CALLERS}


def bind_methods() -> None:
    """Bind operators to Tensor: the method, and the in-place variant if the operator has one."""
    for name, op in REGISTRY.items():
        call = CALLERS[op.name]
        if "Tensor" in op.public.where and not hasattr(Tensor, name):
            setattr(Tensor, name, _named(_method(call, name), op, name))
        if op.public.inplace and not hasattr(Tensor, name + "_"):
            setattr(Tensor, name + "_", _twin(op, name + "_"))


def _method(call: Callable, name: str) -> Callable:
    # Create a new function object, because renaming a method must not rename the function that shares its code.
    return _with_code(call, _code(call, name))


def _with_code(call: Any, code: types.CodeType) -> Any:
    return types.FunctionType(code, call.__globals__, call.__name__, call.__defaults__, call.__closure__)


def _code(call: Callable, name: str, owner: str = "Tensor") -> types.CodeType:
    """Return the code of a method or an alias. Its name tells `shortened` the name that errors show."""
    return call.__code__.replace(co_name=name, co_qualname=f"{owner}.{name}")


def names_in(place: str) -> dict[str, Callable]:
    """Return the public functions of one namespace, such as `torch` or `nn.functional`."""
    return {name: alias(op, place, name) for name, op in REGISTRY.items() if place in op.public.where}


def alias(op: Op, place: str, name: str) -> Callable:
    """Return the public function of an operator under another name, which its errors show."""
    made, called = PUBLIC[op.name], f"{place}_{name}" if place in ("linalg", "special", "fft") else name
    if called == op.called or place == "nn.functional":
        return made
    copied: Any = _named(_with_code(made, _code(made, called, "torch")), op, name)
    if hasattr(made, "__signature__"):
        copied.__signature__ = op.signature_with_out
    return copied
