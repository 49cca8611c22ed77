"""The `__torch_function__` protocol for subclasses of Tensor and for duck-typed tensor classes.

Ordinary tensors have no overhead. A class with `__torch_function__` is not in TENSOR_TYPES, so the dispatcher handles
its tensors only on the slow path. The methods of such a class are found in an intermediate base class, `Overridden`,
before those of Tensor. Public functions are wrapped when the first such tensor appears. While a function runs without
overrides, its tensors temporarily have the class Tensor.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import zip_longest
from types import FunctionType, MethodType
from typing import Any

from torchlike._engine import Size
from torchlike._ops import Op
from torchlike._ops.schema.declare import ARRAYS
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor, turn_into
from torchlike._tensor.tracebacks import shortened

_STEMS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift")
# Reflected operators are not overridden: Python would call those of a subclass before the operator of the left operand.
_NUMERIC = [f"__{side}{stem}__" for side in ("", "i") for stem in _STEMS]
_COMPARISONS = [f"__{stem}__" for stem in ("eq", "ne", "lt", "le", "gt", "ge")]
_OPERATORS = (
    *_NUMERIC,
    *_COMPARISONS,
    *(
        f"__{stem}__"
        for stem in (
            "neg",
            "pos",
            "abs",
            "invert",
            "index",
            "reversed",
            "getitem",
            "setitem",
            "bool",
            "float",
            "int",
            "complex",
            "len",
            "contains",
        )
    ),
)
# PyTorch's names of the functions that implement Python's operators.
_CALLED = ("add", "sub", "mul", "pow", "matmul", "lt", "le", "gt", "ge", "ne", "neg", "abs")
_NAMES = {
    **{f"__{stem}__": stem for stem in _CALLED},
    **{"__truediv__": "div", "__mod__": "remainder", "__pos__": "positive"},
    **{"__itruediv__": "div_", "__ifloordiv__": "floor_divide_", "__imod__": "remainder_", "__imatmul__": "matmul"},
    **{f"__i{stem}__": f"{stem}_" for stem in ("add", "sub", "mul", "pow")},
    **{"__radd__": "add", "__rmul__": "mul", "__rtruediv__": "__rdiv__"},
    **{f"__r{stem}__": f"bitwise_{stem}" for stem in ("and", "or", "xor")},
}
_PROPERTIES = ("T", "mT", "H", "mH", "real", "imag", "data")
_AS_THEY_ARE = ("as_subclass", "register_hook", "register_post_accumulate_grad_hook")
_NEVER_ASK = (
    "as_tensor",
    "asarray",
    "tensor",
    "from_numpy",
    "frombuffer",
    "from_file",
    "from_dlpack",
    "scalar_tensor",
    "is_tensor",
    "typename",
    "get_device",
    "is_grad_enabled",
    "to_dlpack",
)


class _Above:
    """Access to the public modules, which are imported by higher layers.

    `module("nn.functional")` returns a module. `names()` returns the functions and constants of the root module.
    `_api/names.py` sets both.
    """

    module: Callable[[str], Any]
    names: Callable[[], dict[str, Any]]


above = _Above()


def public(name: str) -> Any:
    """Return a public module. The name "" is the root module."""
    return above.module(name)


_wrappers: dict[Callable, Function] = {}  # the wrappers of public functions
_callers: dict[tuple, Callable] = {}  # the public callers of inner functions
_made: list = []  # not empty once a subclass of `Overridden` exists


class _Local(threading.local):
    disabled = False


_local = _Local()


class DisableTorchFunctionSubclass:
    """A context manager in which functions ignore `__torch_function__`."""

    def __enter__(self) -> None:
        self._before, _local.disabled = _local.disabled, True

    def __exit__(self, *_: object) -> None:
        _local.disabled = self._before


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """A context manager in which functions ignore `__torch_function__`. There are no modes that it could disable."""


def of(given: Any) -> Iterator[Any]:
    """Iterate over the arguments whose class has `__torch_function__`."""
    for each in given:
        cls = each.__class__
        if cls in TENSOR_TYPES:
            continue
        if isinstance(each, list | tuple):
            yield from of(each)
        elif _made and isinstance(each, base()):
            yield each
        elif hasattr(cls, "__torch_function__") and not isinstance(each, Tensor | type):
            look_at_functions()
            yield each


def asks(*given: Any) -> bool:
    """Return whether a call handles an argument by its `__torch_function__`. In a disabled block only tensors count."""
    return any(not _local.disabled or isinstance(each, Tensor) for each in of(given))


def call(func: Callable, args: tuple, kwargs: dict, asked: Callable | None = None) -> Any:
    """Call a function through the `__torch_function__` of its arguments. In a disabled block, call the function itself.

    `asked` is the public function, if it is not `func` itself.
    """
    found = list(of((*args, *kwargs.values())))
    if not found:
        return func(*args, **kwargs)
    if _local.disabled:
        return plainly(func, args, kwargs, found)
    return public("overrides").call_overridden(asked or func, found, args, kwargs)


def has_own(each: Any) -> bool:
    """Return whether an object is a tensor of a subclass whose `__torch_function__` is called."""
    return bool(_made) and isinstance(each, base())


def operator(name: str) -> Callable[[Any, Any], Any]:
    """Return a function that calls a Python operator through `__torch_function__`.

    It returns NotImplemented if no operand has `__torch_function__`, and after a TypeError, so that Python tries the
    other operand or raises its own error. `name` is the name of the operator's method.
    """

    def ask(self: Any, other: Any) -> Any:
        found = list(of((self, other)))
        if not found:
            return NotImplemented
        if _local.disabled:
            tensors = all(isinstance(each, Tensor) for each in found)
            return plainly(getattr(Tensor, name), (self, other), {}, found) if tensors else NotImplemented
        asked = getattr(Tensor, "eq" if name == "__eq__" else _NAMES.get(name, name))
        try:
            return public("overrides").call_overridden(asked, found, (self, other), {})
        except TypeError:
            return NotImplemented

    return ask


def instead(func: Callable, *args: Any) -> Any:
    """Call a function that raised for a tensor outside TENSOR_TYPES through `__torch_function__`.

    Re-raise the current error if no argument has `__torch_function__`.
    """
    if not asks(*args):
        raise
    return call(func, args, {})


def would_ask(*given: Any) -> bool:
    """Return whether a failed call with these arguments is handled by the `__torch_function__` of one of them."""
    return not _local.disabled and next(of(given), None) is not None


def known(key: tuple, caller: Callable) -> Callable:
    """Return the public caller of an inner function after storing it for `ask`. It must not refer to itself."""
    _callers[key] = caller
    return caller


def ask(func: Any, args: tuple, kwargs: dict) -> Any:
    """Call a public function or method, or the one stored under a key, through `__torch_function__`.

    The function need not be wrapped yet.
    """
    found, func = list(of((*args, *kwargs.values()))), _callers.get(func, func)
    return public("overrides").call_overridden(_wrappers.get(func, func), found, args, kwargs)


def call_operator(op: Op, args: tuple, kwargs: dict) -> Any:
    """Call an operator through `__torch_function__`, as the public function of its name.

    Arguments after the first parameter that the two name differently are given by name. If the public function lacks
    such a name, it is another function, and the operator's own caller stands for it.
    """
    from torchlike._tensor.binding import CALLERS

    name = op.name.strip("_")
    found = [getattr(public(space), name, None) for space in ("", "nn.functional")]
    asked = next((each for each in found if callable(each) and not _is_lower(each, op)), None)
    # The public function may take the tensors of the last argument as separate arguments.
    if asked is not None and _is_variadic(asked):
        return call(asked, (*args[:-1], *args[-1]) if op.kinds[-1] == ARRAYS else args, kwargs)
    alike = _count_alike(op, asked) if asked is not None else 0
    named = {**dict(zip(op.names[alike:], args[alike:])), **kwargs}
    if asked is not None and _accepts(asked, named):
        return call(CALLERS[op.name], args[:alike], named, asked)
    return call(CALLERS[op.name], args, kwargs)


def _is_variadic(function: Callable) -> bool:
    return any(p.kind is p.VAR_POSITIONAL for p in _parameters(function).values())


@functools.cache
def _parameters(function: Callable) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


def _is_lower(function: Callable, op: Op) -> bool:
    """Return whether a function takes a number for a word of the operator, such as `torch.kl_div` for `reduction`."""
    found = _parameters(function)
    words = [name for name, p in op.signature.parameters.items() if isinstance(p.default, str) and name in found]
    return any(not isinstance(found[name].default, str | None) for name in words)


def _count_alike(op: Op, function: Callable) -> int:
    """Return the number of first parameters that an operator and a public function have in common."""
    pairs = enumerate(zip_longest(op.names, _parameters(function)))
    return next((i for i, (own, other) in pairs if own != other), len(op.names))


def _accepts(function: Callable, named: Iterable[str]) -> bool:
    """Return whether a function has parameters of these names, or takes any."""
    found = _parameters(function)
    return any(p.kind is p.VAR_KEYWORD for p in found.values()) or set(named) <= {*found}


def plainly(func: Callable, args: tuple, kwargs: dict, found: list) -> Any:
    """Call a function while the given tensors temporarily have the class Tensor."""
    found = [each for each in found if isinstance(each, Tensor)]
    kinds = [each.__class__ for each in found]
    for each in found:
        each.__class__ = Tensor
    try:
        return func(*args, **kwargs)
    finally:
        for each, kind in zip(found, kinds):
            each.__class__ = kind


def default(cls: type, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
    """Call a function without overrides, and convert its result to `cls`.

    This is the `__torch_function__` that subclasses inherit.
    """
    kwargs = kwargs or {}
    if not all(issubclass(cls, each) for each in types):
        return NotImplemented
    given = (*args, *kwargs.values())
    with DisableTorchFunctionSubclass():
        result = plainly(func, args, kwargs, list(of(given)))
    return _converted(result, cls, given)


def _converted(result: Any, cls: type, given: tuple) -> Any:
    if isinstance(result, Tensor):
        if isinstance(result, cls):
            return result
        if type(result) is not Tensor or result._edge is not None or any(result is each for each in given):
            return result.as_subclass(cls)
        return turn_into(cls, result)  # there are no other references to it yet
    if isinstance(result, list | tuple) and not isinstance(result, Size):
        make = getattr(type(result), "_make", type(result))
        return make([_converted(each, cls, given) for each in result])
    return result


def _method(name: str, function: Callable) -> Callable:
    asked = getattr(Tensor, _NAMES.get(name, name), function)

    @functools.wraps(function)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return call(function, (self, *args), kwargs, asked)

    @functools.wraps(function)
    def operator(self: Any, *args: Any) -> Any:
        try:
            return method(self, *args)
        except TypeError:
            return NotImplemented  # Python then raises its own TypeError

    return operator if name in _NUMERIC + _COMPARISONS else method


def _property(found: Any) -> property:
    def read(self: Any) -> Any:
        return call(found.fget, (self,), {}, found.__get__)

    return property(read, found.fset, found.fdel, found.__doc__)


@functools.cache
def base() -> type:
    """Return the base class between Tensor and its overriding subclasses. Its methods call `__torch_function__`."""
    members: dict[str, Any] = {"__slots__": (), "__torch_function__": classmethod(default)}
    for name in dir(Tensor):
        found: Any = getattr(Tensor, name, None)
        if name in _OPERATORS or (callable(found) and not name.startswith("_") and name not in _AS_THEY_ARE):
            members[name] = _method(name, found)
        elif name in _PROPERTIES:
            members[name] = _property(found)
    members["__hash__"] = Tensor.__hash__
    _made.append(True)
    return type("Overridden", (Tensor,), members, overridden=True)


def take_in(cls: type) -> None:
    """Insert the overriding base class into a new subclass of Tensor, unless `__torch_function__` is disabled in it."""
    hook = getattr(cls, "__torch_function__", None)
    if getattr(hook, "__name__", "").startswith("_disabled_torch_"):
        TENSOR_TYPES.add(cls)
    elif not issubclass(cls, base()):
        cls.__bases__ = tuple(base() if each is Tensor else each for each in cls.__bases__)


class Function:
    """A wrapper of a public function that checks its arguments for `__torch_function__`.

    `isinstance(wrapper, types.FunctionType)` is true, and the attributes of the function can be read on the wrapper.
    """

    __class__ = property(lambda self: FunctionType)  # type: ignore[assignment]

    def __init__(self, function: Callable, space: str, name: str) -> None:
        self.__wrapped__, self._space, self._name = function, space, name
        functools.update_wrapper(self, function)
        # The container types whose items are checked. `einsum` calls itself with the items of a list.
        self._inside = () if name == "einsum" else (list, tuple)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            for each in (*args, *kwargs.values()):
                cls = each.__class__
                if cls not in TENSOR_TYPES and (cls in self._inside or hasattr(cls, "__torch_function__")):
                    return call(self.__wrapped__, args, kwargs, self)
            return self.__wrapped__(*args, **kwargs)
        except Exception as error:
            raise shortened(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __reduce__(self) -> tuple:
        return _named, (self._space, self._name)  # pickled by its name, and copied as itself, like a function

    def __eq__(self, other: object) -> bool:
        return (other.__wrapped__ if type(other) is Function else other) is self.__wrapped__

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else MethodType(self, owner)


@functools.cache
def look_at_functions() -> None:
    """Wrap the public functions that may take a tensor with `__torch_function__`."""
    spaces, again = [*map(public, ("nn.functional", "linalg", "fft", "special"))], public("functional")
    named = [(space, name, found) for space in spaces for name, found in vars(space).items()]
    for space, name, found in [*named, *((public(""), name, found) for name, found in above.names().items())]:
        asks = isinstance(found, FunctionType) and not name.startswith("_") and name not in _NEVER_ASK
        if asks and vars(space).get(name) is found:
            made = _wrappers[found] = Function(found, space.__name__, name)
            for each in (space, again) if vars(again).get(name) is found else (space,):
                setattr(each, name, made)


def _named(space: str, name: str) -> Any:
    return getattr(importlib.import_module(space), name)


@staticmethod  # stays a plain function as a class attribute
def _disabled_torch_function_impl(func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
    """Call the function without overrides. This is the `__torch_function__` of classes that disable it."""
    return func(*args, **(kwargs or {}))
