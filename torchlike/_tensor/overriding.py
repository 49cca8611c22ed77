"""Subclasses of Tensor, and classes that only look like it, whose `__torch_function__` is called in place of the
functions they are given to.

Ordinary tensors pay nothing for them: such a class is none of TENSOR_TYPES, so that the dispatcher meets its tensors
only where its quick ways end, and its methods are found in a base of its own, `Overridden`, before those of Tensor.
Functions are looked at from the first such tensor on. To run a function as it is, its tensors are plain meanwhile.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any

from torchlike._engine import Size
from torchlike._ops import Op
from torchlike._ops.schema.declare import ARRAYS
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor, turn_into

_STEMS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift")
# Those with the tensor on the right are Tensor's own: Python would ask them before the left one's.
_NUMERIC = [f"__{side}{stem}__" for side in ("", "i") for stem in _STEMS]
_OPERATORS = (
    *_NUMERIC,
    *(
        f"__{stem}__"
        for stem in (
            "eq",
            "ne",
            "lt",
            "le",
            "gt",
            "ge",
            "neg",
            "abs",
            "invert",
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
# PyTorch's own name for what an operator calls.
_CALLED = ("add", "sub", "mul", "pow", "matmul", "lt", "le", "gt", "ge", "ne", "neg", "abs")
_NAMES = {
    **{f"__{stem}__": stem for stem in _CALLED},
    "__truediv__": "div",
    "__itruediv__": "div_",
    **{f"__i{stem}__": f"{stem}_" for stem in ("add", "sub", "mul", "pow")},
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
    """The public modules, which the layers above make: `module("nn.functional")` returns one, `names()` the names of
    the root that are functions or constants. `_api/names.py` sets both."""

    module: Callable[[str], Any]
    names: Callable[[], dict[str, Any]]


above = _Above()


def public(name: str) -> Any:
    """Return a public module; "" is the root."""
    return above.module(name)


_made: list = []  # whether there are such classes


class _Local(threading.local):
    disabled = False


_local = _Local()


class DisableTorchFunctionSubclass:
    """Within it functions run as they are, whatever they are given."""

    def __enter__(self) -> None:
        self._before, _local.disabled = _local.disabled, True

    def __exit__(self, *_: object) -> None:
        _local.disabled = self._before


def of(given: Any) -> Iterator[Any]:
    """What is among arguments whose class asks to be called."""
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


def call(func: Callable, args: tuple, kwargs: dict, asked: Callable | None = None) -> Any:
    """A function's result where some of its arguments ask to be called: theirs, or its own in a disabled block.

    `asked` is the function as users know it, where that is not `func` itself.
    """
    found = list(of((*args, *kwargs.values())))
    if not found:
        return func(*args, **kwargs)
    if _local.disabled:
        return _plainly(func, args, kwargs, found)
    return public("overrides").handle_torch_function(asked or func, found, *args, **kwargs)


def instead(func: Callable, *args: Any) -> Any:
    """What a function gives that came upon a tensor of none of TENSOR_TYPES; the error again, where none asks."""
    if next(of(args), None) is None:
        raise
    return call(func, args, {})


def call_operator(op: Op, args: tuple, kwargs: dict) -> Any:
    """`call` of an operator, as the function of its name."""
    from torchlike._tensor.binding import CALLERS

    name = op.name.strip("_")
    asked = getattr(public(""), name, None) or getattr(public("nn.functional"), name, None)
    if op.kinds[-1] == ARRAYS and asked is not None and _is_variadic(asked):  # users give them one by one
        return call(asked, (*args[:-1], *args[-1]), kwargs)
    return call(CALLERS[op.name], args, kwargs, asked)


def _is_variadic(function: Callable) -> bool:
    return any(p.kind is p.VAR_POSITIONAL for p in inspect.signature(function).parameters.values())


def _plainly(func: Callable, args: tuple, kwargs: dict, found: list) -> Any:
    """Run a function while these tensors are of the plain class."""
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
    """The `__torch_function__` that classes inherit: the function's own result, as tensors of the class."""
    kwargs = kwargs or {}
    if not all(issubclass(cls, each) for each in types):
        return NotImplemented
    given = (*args, *kwargs.values())
    with DisableTorchFunctionSubclass():
        result = _plainly(func, args, kwargs, list(of(given)))
    return _converted(result, cls, given)


def _converted(result: Any, cls: type, given: tuple) -> Any:
    if isinstance(result, Tensor):
        if isinstance(result, cls):
            return result
        if type(result) is not Tensor or result._edge is not None or any(result is each for each in given):
            return result.as_subclass(cls)
        return turn_into(cls, result)  # nobody else has it yet
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
            return NotImplemented  # which Python says in its own words

    return operator if name in _NUMERIC else method


def _property(found: Any) -> property:
    def read(self: Any) -> Any:
        return call(found.fget, (self,), {}, found.__get__)

    return property(read, found.fset, found.fdel, found.__doc__)


@functools.cache
def base() -> type:
    """The class between Tensor and those that ask to be called: its methods ask them."""
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
    """Let a new subclass of Tensor be asked, unless it wants that as little as its bases."""
    hook = getattr(cls, "__torch_function__", None)
    if getattr(hook, "__name__", "").startswith("_disabled_torch_"):
        TENSOR_TYPES.add(cls)
    elif not issubclass(cls, base()):
        cls.__bases__ = tuple(base() if each is Tensor else each for each in cls.__bases__)


class Function:
    """A function of a namespace from the first tensor that asks to be called: it looks whether it is given one."""

    def __init__(self, function: Callable) -> None:
        self.__wrapped__ = function
        functools.update_wrapper(self, function)
        self._inside = () if _is_variadic(function) else (list, tuple)  # what it looks into

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for each in (*args, *kwargs.values()):
            cls = each.__class__
            if cls not in TENSOR_TYPES and (cls in self._inside or hasattr(cls, "__torch_function__")):
                return call(self.__wrapped__, args, kwargs, self)
        return self.__wrapped__(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return other is self or other is self.__wrapped__

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else MethodType(self, owner)


@functools.cache
def look_at_functions() -> None:
    """Put every function that may be given a tensor in such a place."""
    spaces = [*map(public, ("nn.functional", "linalg", "fft", "special"))]
    named = [(space, name, found) for space in spaces for name, found in vars(space).items()]
    for space, name, found in [*named, *((public(""), name, found) for name, found in above.names().items())]:
        asks = isinstance(found, FunctionType) and not name.startswith("_") and name not in _NEVER_ASK
        if asks and vars(space).get(name) is found:
            setattr(space, name, Function(found))


@staticmethod  # as an attribute of a class it stays a function
def _disabled_torch_function_impl(func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
    """The `__torch_function__` of what wants none: the function is called as it is."""
    return func(*args, **(kwargs or {}))
