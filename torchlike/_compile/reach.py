"""What a function can reach: the Python values its code names, and what hangs on them.

Walked are arguments, defaults, cells, the globals that code names, attributes whose names occur in code, containers,
modules and optimizers. What is found to matter is noted as *places*: a live iterable (a dictionary's values, a list) or
a few names of a dictionary, each with what it held when it was looked at.
"""

from __future__ import annotations

import builtins
import enum
import functools
import random
import sys
import types
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any

import numpy as np

from torchlike import _dtypes
from torchlike._compile.trusted import is_trusted
from torchlike._device import device as Device
from torchlike._random import Generator
from torchlike._sparse import members
from torchlike._tensor import TENSOR_TYPES, Tensor

CONSTANTS = (int, float, bool, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range, slice,
             _dtypes.dtype, Device, enum.Enum, np.generic, np.dtype, types.BuiltinFunctionType, Generator,
             types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType,
             types.MemberDescriptorType, types.GenericAlias)  # fmt: skip
_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial, staticmethod, classmethod, property)
# Methods that the library calls of the user's classes.
_CALLED = ("forward", "backward", "setup_context", "vjp", "jvp", "step", "get_lr", "sample", "rsample", "log_prob")
MOST = 200_000  # elements of one container


class Place:
    """Where Python values are kept that the call may depend on, and what was there."""

    __slots__ = ("container", "is_keys", "is_live", "look", "path", "seen")

    def __init__(self, look: Callable[[], Iterable], path: str, is_live: bool = False, is_keys: bool = False,
                 container: Any = None) -> None:  # fmt: skip
        self.look, self.path = look, path
        self.container = container  # the dictionary or plain list whose keys, values or elements these are
        self.is_live = is_live  # whether what `look` gives is the container itself, that shows every change
        self.is_keys = is_keys  # whether it is the keys of a dictionary, all of them strings
        self.seen = list(look())


class Unfollowed(Exception):
    """Something whose state cannot be followed."""


class Reach:
    """A walk from some roots. `codes` limits it to code objects that ran; None takes all that is found."""

    def __init__(self, codes: set[types.CodeType] | None = None) -> None:
        self.codes = codes
        self.places: dict[Any, Place] = {}
        self.tensors: dict[int, Tensor] = {}
        self.grads: dict[int, Tensor] = {}  # of those tensors
        self.sources: dict[int, tuple[Any, str]] = {}  # sources of random numbers, with their states
        self.found_codes: set[types.CodeType] = set()
        self.names: set[str] = set(_CALLED)
        self.all_names = False
        self._seen: dict[int, Any] = {}
        self._objects: list[tuple[Any, str]] = []  # whose attributes are looked at by name
        self._unnamed: set[int] = set()  # dictionaries whose order tells as much as their keys
        self._bare: set[int] = set()  # dictionaries of which nobody asks for an attribute: those of a module's hooks
        self._stepping: list[tuple[Any, str]] = []  # optimizers and schedulers, whose own state steps are repeated
        self._todo: deque[tuple[Any, str]] = deque()

    def held(self) -> Iterable:
        """Everything that was visited."""
        return self._seen.values()

    def walk(self, *roots: tuple[Any, str]) -> Reach:
        """Walk from the roots until nothing new is found."""
        self._visit(random._inst, "random")  # type: ignore[attr-defined]
        self._visit(np.random.mtrand._rand, "numpy.random")  # type: ignore[attr-defined]
        self._todo.extend(roots)
        while True:
            while self._todo:
                self._visit(*self._todo.popleft())
            before = len(self._seen), len(self.names), self.all_names
            for x, path in list(self._objects):
                self._attributes(x, path)
            for x, path in self._stepping:
                asked = self.all_names or self.names.intersection(_asked_of(type(x)))
                if asked and ("values", id(x.__dict__)) not in self.places:
                    self._dictionary(x.__dict__, path)
            if not self._todo and before == (len(self._seen), len(self.names), self.all_names):
                return self

    def _visit(self, x: Any, path: str) -> None:
        cls = x.__class__
        if id(x) in self._seen or isinstance(x, CONSTANTS):
            return
        self._seen[id(x)] = x  # held, so that its id stays its own
        if cls in TENSOR_TYPES:
            self._tensor(x, path)
        elif isinstance(x, _FUNCTIONS):
            self._function(x, path)
        elif isinstance(x, type):
            self._class(x, path)
        elif isinstance(x, types.ModuleType):
            self._objects.append((x, path))
        elif isinstance(x, tuple | frozenset):
            self._todo.extend([(y, f"{path}[{i}]") for i, y in enumerate(x)])
        elif isinstance(x, dict):
            self._dictionary(x, path)
            if id(x) not in self._bare:
                self._instance(x, path)
        elif isinstance(x, list | set | deque):
            self._sequence(x, path)
            self._instance(x, path)
        elif isinstance(x, random.Random | np.random.RandomState | np.random.Generator):
            self.sources[id(x)] = repr(_random_state(x)), path
        elif isinstance(x, np.ndarray):
            self.places["array", id(x)] = Place(lambda: (x.tobytes(),), path)
        elif isinstance(x, types.MappingProxyType):
            self._dictionary(x, path)
        else:
            self._instance(x, path)

    def _tensor(self, x: Tensor, path: str) -> None:
        self.tensors[id(x)] = x
        if x._grad is not None:
            self.grads |= {id(member): member for member in members(x._grad)}
        self._dictionary(x.__dict__, path)
        extra = None if x._edge is None else x._edge[0].extra
        if extra is not None:
            for hooks in (extra.pre, extra.post, *extra.tensor.values()):
                self._dictionary(hooks, f"hooks of {path}")

    # -- containers ----------------------------------------------------------------------------------------------------

    def _sequence(self, x: Any, path: str) -> None:
        if len(x) > MOST:
            raise Unfollowed(f"{path} is a container of {len(x):,} elements")
        self.places["items", id(x)] = Place(lambda: x, path, is_live=True, container=x if type(x) is list else None)
        self._todo.extend([(y, f"{path}[{i}]") for i, y in enumerate(x)])

    def _dictionary(self, x: Mapping, path: str) -> None:
        if len(x) > MOST:
            raise Unfollowed(f"{path} is a dictionary of {len(x):,} entries")
        values = x.values()
        if x and id(x) not in self._unnamed:
            self._keys(x, path)
        self.places["values", id(x)] = Place(lambda: values, path, is_live=True, container=_dict(x))
        self._todo.extend([(y, f"{path}[{key!r}]") for key, y in x.items()])

    def _keys(self, x: Mapping, path: str) -> None:
        keys, named = x.keys(), all([key.__class__ is str for key in x])
        self.places["keys", id(x)] = Place(lambda: keys, path, is_live=True, is_keys=named, container=_dict(x))

    # -- code ----------------------------------------------------------------------------------------------------------

    def _function(self, x: Any, path: str) -> None:
        if isinstance(x, types.MethodType):
            self._todo += [(x.__func__, path), (x.__self__, f"{path}.__self__")]
        elif isinstance(x, functools.partial):
            self._todo += [(x.func, path), (x.args, path), (x.keywords, path)]
        elif isinstance(x, staticmethod | classmethod):
            self._todo.append((x.__func__, path))
        elif isinstance(x, property):
            self._todo += [(x.fget, path), (x.fset, path)]
        else:
            self._plain_function(x, path)

    def _plain_function(self, f: types.FunctionType, path: str) -> None:
        self._todo.append((f.__dict__.get("__wrapped__"), path))
        cells = list(zip(f.__closure__ or (), f.__code__.co_freevars))
        if is_trusted(f.__module__):  # what a library keeps is its own affair; a function that it wraps is the user's
            cells = [(cell, name) for cell, name in cells if isinstance(_content(cell), _FUNCTIONS)]
        for cell, name in cells:
            self._cell(cell, name)
        if is_trusted(f.__module__):
            return
        self._todo.append((f.__defaults__, path))
        if f.__kwdefaults__:
            self._dictionary(f.__kwdefaults__, path)
        self.places["function", id(f)] = Place(lambda: (f.__code__, f.__defaults__, f.__kwdefaults__), path)
        self._code(f.__code__, f.__globals__)

    def _cell(self, cell: Any, name: str) -> None:
        def look() -> tuple:
            try:
                return (cell.cell_contents,)
            except ValueError:  # not filled yet
                return ()

        place = self.places["cell", id(cell)] = Place(look, name)
        self._todo.extend([(y, name) for y in place.seen])

    def _code(self, code: types.CodeType, names: dict) -> None:
        self.found_codes.add(code)
        if self.codes is None or code in self.codes:
            wanted = tuple(sorted(n for n in code.co_names if n in names))
            if wanted:
                self.places["names", id(names), wanted] = Place(_looker(names, wanted), "global " + ", ".join(wanted))
                self._todo.extend([(names[n], n) for n in wanted])
            hidden = tuple(sorted(n for n in code.co_names if n not in names and hasattr(builtins, n)))
            if hidden:  # a global may come to stand before a builtin
                look = functools.partial(_items, names, hidden)
                self.places["names", id(names), hidden] = Place(look, "global " + ", ".join(hidden))
            self.names.update(code.co_names, [c for c in code.co_consts if isinstance(c, str) and c.isidentifier()])
            self.all_names |= bool({"getattr", "vars", "__dict__", "attrgetter"}.intersection(code.co_names))
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._code(constant, names)

    # -- objects -------------------------------------------------------------------------------------------------------

    def _class(self, cls: type, path: str) -> None:
        for base in cls.__mro__:
            if not is_trusted(base.__module__) and (base is cls or id(base) not in self._seen):
                self._seen[id(base)] = base
                self._objects.append((base, path))

    def _instance(self, x: Any, path: str) -> None:
        cls = type(x)
        self._todo.append((cls, path))
        if hasattr(cls, "_followed") and is_trusted(cls.__module__):
            self._todo.extend([(y, path) for y in x._followed()])
            if hasattr(cls, "step"):
                self._stepping.append((x, path))
        elif _is_module(cls):
            for held in (x._parameters, x._buffers, x._modules):
                self._unnamed.add(id(held))
            self._bare.update([id(v) for name, v in x.__dict__.items() if "_hooks" in name])
            self._dictionary(x.__dict__, path)
        elif hasattr(x, "__next__"):
            raise Unfollowed(f"{path} is an iterator made outside")
        elif hasattr(x, "__dict__") or getattr(cls, "__slots__", None):
            if is_trusted(cls.__module__) and hasattr(x, "__dict__"):
                self._dictionary(x.__dict__, path)
            else:
                self._objects.append((x, path))

    def _attributes(self, x: Any, path: str) -> None:
        held = getattr(x, "__dict__", {})
        if not isinstance(x, types.ModuleType) and hasattr(x, "__dict__") and ("keys", id(x)) not in self.places:
            keys = held.keys()  # an attribute of the object may come to stand before one of its class
            self.places["keys", id(x)] = Place(lambda: keys, path, is_live=True, is_keys=True)
        wanted = tuple(sorted(n for n in held if self._matters(x, n)))
        if wanted and ("names", id(x), wanted) not in self.places:
            self.places["names", id(x), wanted] = Place(_looker(held, wanted), f"{path}.{', '.join(wanted)}")
            self._todo.extend([(held[n], f"{path}.{n}") for n in wanted])
        slots = [n for c in type(x).__mro__ for n in _slots(c)] if not isinstance(x, type | types.ModuleType) else []
        if slots and ("slots", id(x)) not in self.places:
            place = self.places["slots", id(x)] = Place(functools.partial(_slot_items, x, tuple(slots)), path)
            self._todo.extend([(y, f"{path}.{n}") for n, y in zip(slots, place.seen)])

    def _matters(self, x: Any, name: str) -> bool:
        if isinstance(x, type):
            return name in self.names or (name.startswith("__") and callable(x.__dict__[name])) or (
                self.all_names and not name.startswith("__"))  # fmt: skip
        return name in self.names or self.all_names


def _dict(x: Mapping) -> dict | None:
    return x if isinstance(x, dict) else None


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _random_state(x: Any) -> Any:
    if isinstance(x, random.Random):
        return x.getstate()
    return x.bit_generator.state if isinstance(x, np.random.Generator) else x.get_state()[1:]


def _looker(names: Any, wanted: tuple[str, ...]) -> Callable[[], Iterable]:
    """Looks up some names of a dictionary."""
    get = itemgetter(*wanted, wanted[0])  # one more, so that it is a tuple in any case

    def look() -> Iterable:
        try:
            return get(names)
        except KeyError:
            return _items(names, wanted)

    return look


def _items(names: Any, wanted: tuple[str, ...]) -> list:
    return [names.get(n, _MISSING) for n in wanted]


def _slot_items(x: Any, slots: tuple[str, ...]) -> list:
    return [getattr(x, n, _MISSING) for n in slots]


def _slots(cls: type) -> list[str]:
    slots = cls.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else slots
    return [n for n in names if n not in ("__dict__", "__weakref__")]


@functools.cache
def _asked_of(cls: type) -> frozenset[str]:
    """The names by which a program asks about the state of an optimizer or a scheduler."""
    names = [n for n in (*dir(cls), "param_groups", "defaults", "state", "last_epoch", "base_lrs", "optimizer")]
    return frozenset(n for n in names if not n.startswith("_")) - {"step", "zero_grad"}


def _is_module(cls: type) -> bool:
    module = sys.modules["torchlike.nn.modules.module"]
    return issubclass(cls, module.Module)


_MISSING = object()
