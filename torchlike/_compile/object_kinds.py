"""Rules for each kind of object that guards traverse: which state can change, and how to read it."""

from __future__ import annotations

import abc
import array
import collections
import copy
import ctypes
import dataclasses
import datetime
import decimal
import functools
import gc
import inspect
import io
import operator
import os
import random
import re
import sys
import threading
import types
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from torchlike._compile.code_names import uses
from torchlike._compile.places import MISSING
from torchlike._compile.trusted import is_library, is_trusted
from torchlike._composite.random import random as _functions_random
from torchlike._engine import determinism
from torchlike._errors import warned
from torchlike.backends import mha

_LOCKS = (type(threading.Lock()), type(threading.RLock()))
WEAK = (weakref.ref, *weakref.ProxyTypes)
CACHED = type(functools.cache(len))
VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
RANDOM = (random.Random, np.random.RandomState, np.random.Generator)
COMPARED = (
    np.ndarray,
    array.array,
    bytearray,
    memoryview,
    BaseException,
    threading.local,
    slice,
    types.CellType,
    decimal.Context,
    *_LOCKS,
)
LINKS = (operator.itemgetter, operator.attrgetter, operator.methodcaller, super, types.MethodWrapperType)
FILES = io.IOBase.__mro__[1]  # `_io._IOBase`, the base of all files
# Objects implemented in C whose state cannot be guarded. The first is `_ctypes._CData`, the base of all ctypes objects.
OPAQUE = (ctypes.c_int.__mro__[-2], np.flatiter, np.nditer, np.random.BitGenerator, np.random.SeedSequence)
_Pair: Any = collections.namedtuple("_Pair", "x")
_LINK = next(x for x in gc.get_referents(functools.lru_cache(len)) if isinstance(x, type) and x is not CACHED)
# Types whose instances are immutable and whose methods depend on no other state.
STATELESS = (
    datetime.date,
    datetime.time,
    datetime.timedelta,
    datetime.tzinfo,
    decimal.Decimal,
    re.Pattern,
    re.Match,
    types.CodeType,
    type(_Pair.x),
    property,
    types.ClassMethodDescriptorType,
    type(abc.ABC._abc_impl),  # type: ignore[attr-defined]
    _LINK,
)
# This function takes entropy from the operating system when it is called without a seed.
default_rng = np.random.default_rng
_SEEDED = (np.random.RandomState, np.random.SeedSequence, np.random.BitGenerator, random.Random, random.SystemRandom)
_PYTHON, _FROZEN = 1 << 9, 1 << 8  # type flags: a heap type, an immutable type
# Functions that read all attributes of their argument.
LOOKING_AT_ALL = frozenset(
    (
        copy.copy,
        copy.deepcopy,
        dataclasses.asdict,
        dataclasses.astuple,
        dataclasses.replace,
        dataclasses.fields,
        inspect.getmembers,
        inspect.getattr_static,
    )
)


# Functions of the library that return a process-wide setting.
ASKED = frozenset(
    (
        determinism.are_deterministic_algorithms_enabled,
        determinism.is_deterministic_algorithms_warn_only_enabled,
        determinism.get_deterministic_debug_mode,
        _functions_random.initial_seed,
        warned.is_warn_always_enabled,
        mha.get_fastpath_enabled,
    )
)


def is_of_python(cls: type) -> bool:
    """Return whether a class was defined in Python, so that `__class__` of its instances can be assigned."""
    return cls.__flags__ & (_PYTHON | _FROZEN) == _PYTHON


# -- contents of objects -----------------------------------------------------------------------------------------------


def contents(x: Any) -> tuple[Callable[[], Iterable], Iterable]:
    """Return a function that reads the contents of an object, and the parts to traverse."""
    if isinstance(x, np.ndarray):
        parts = x.ravel().tolist() if x.dtype.hasobject else ()
        return lambda: (x.shape, x.strides, x.dtype, np.ndarray.tobytes(x)), parts
    if isinstance(x, array.array):
        return lambda: (x.tobytes(),), ()
    if isinstance(x, bytearray):
        return lambda: (bytes(x),), ()
    if isinstance(x, memoryview):
        return functools.partial(_memory, x), ()
    if isinstance(x, BaseException):
        look = lambda: (x.args, x.__cause__, x.__context__)
    elif isinstance(x, threading.local):
        look = lambda: [y for pair in vars(x).items() for y in pair]
    elif isinstance(x, slice):
        look = lambda: (x.start, x.stop, x.step)
    elif isinstance(x, (decimal.Context, *_LOCKS)):
        return lambda: (repr(x),), ()
    else:
        look = functools.partial(cell_contents, x)
    return look, look()


def _memory(x: memoryview) -> tuple:
    try:
        return x.shape, x.format, x.tobytes()
    except ValueError:  # released
        return ()


def cell_contents(cell: types.CellType) -> tuple:
    """Return the contents of a closure cell as a tuple, which is empty if the cell is empty."""
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def refers(x: Any) -> bool:
    """Return whether the target of a weak reference is alive."""
    if isinstance(x, weakref.ref):
        return x() is not None
    try:
        return bool(x.__class__)
    except ReferenceError:
        return False


def is_read(x: Any) -> bool:
    """Return whether a file is open for reading and is not a standard stream."""
    return not x.closed and x.readable() and x not in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)


IDLE = ("created", "closed")  # the states of a generator without a running or suspended frame


def progress(x: types.GeneratorType) -> str:
    """Return how far a generator is: one of `IDLE`, or the position in its code."""
    if x.gi_frame is None:
        return "closed"
    started = inspect.getgeneratorstate(x) != inspect.GEN_CREATED
    return f"at {x.gi_frame.f_lasti}" if started else "created"


def entries(cached: Any) -> dict | None:
    """Return the cache dictionary of a function with `functools.cache`, or None if it cannot be found."""
    found = [x for x in gc.get_referents(cached) if type(x) is dict and x is not vars(cached)]
    return found[0] if len(found) == 1 else None


def parts(x: Any) -> list:
    """Return the objects that an object implemented in C references, except its class."""
    return [y for y in gc.get_referents(x) if y is not type(x)]


def random_sources() -> list[tuple[Any, str]]:
    """Return the global random number generators of Python and NumPy."""
    return [(random._inst, "random"), (np.random.mtrand._rand, "numpy.random")]


def random_state(x: Any) -> Any:
    """Return the state of a random number generator, as a value that compares equal only to an equal state."""
    if isinstance(x, random.SystemRandom):  # it is stateless
        return None
    if isinstance(x, random.Random):
        return x.getstate()
    return _comparable(x.bit_generator.state if isinstance(x, np.random.Generator) else x.get_state(legacy=False))


def _comparable(state: Any) -> Any:
    """Return a nested dictionary with the bytes of its arrays in place of the arrays."""
    if isinstance(state, dict):
        return {key: _comparable(value) for key, value in state.items()}
    return state.tobytes() if isinstance(state, np.ndarray) else state


# -- attributes --------------------------------------------------------------------------------------------------------


def namespace(x: Any) -> Any:
    """Return the attribute dictionary of an object, or None if it has none. No code of its class is called."""
    try:
        found = (type if isinstance(x, type) else object).__getattribute__(x, "__dict__")
    except AttributeError:
        return None
    return found if isinstance(found, dict | types.MappingProxyType) else None


@functools.cache
def names_of_stepping(cls: type) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names by which a program reads the state of an optimizer or a scheduler.

    The first are those of attributes, the second those of methods and properties written in Python.
    """
    called = [n for n in dir(cls) if isinstance(getattr(cls, n), types.FunctionType | types.MethodType | property)]
    names = [*dir(cls), "param_groups", "defaults", "state", "last_epoch", "base_lrs"]
    public = frozenset(n for n in names if not n.startswith("_")) - {"step", "zero_grad"}
    return public.difference(called), public.intersection(called)


def answers_itself(cls: type) -> bool:
    """Return whether a class defines `__getattribute__` in Python."""
    return isinstance(getattr(cls, "__getattribute__", None), types.FunctionType)


@functools.lru_cache(maxsize=10_000)
def slots(cls: type) -> tuple[tuple[str, Any], ...]:
    """Return the names of a class's slots and the functions that read them."""
    found = [item for c in cls.__mro__ if is_of_python(c) for item in vars(c).items()]
    return tuple([(name, x.__get__) for name, x in found if isinstance(x, types.MemberDescriptorType)])


def slot_items(x: Any, slots: tuple[tuple[str, Any], ...]) -> list:
    """Return the contents of an object's slots."""
    found = []
    for _, read in slots:
        try:
            found.append(read(x))
        except AttributeError:
            found.append(MISSING)
    return found


@functools.cache
def names_of_bases(cls: type) -> tuple[frozenset[str], bool]:
    """Return the names in the methods of a class's bases in the standard library, and whether they compute names."""
    bases = [base for base in cls.__mro__ if is_trusted(base.__module__) and not is_library(base.__module__)]
    methods = [x for base in bases for x in vars(base).values()]
    methods = [x.fget if isinstance(x, property) else x for x in methods]
    used = [uses(x.__code__) for x in methods if isinstance(x, types.FunctionType)]
    return frozenset[str]().union(*[each.names for each in used]), any(each.all_names for each in used)


# -- functions and classes ---------------------------------------------------------------------------------------------


def behind(x: Any) -> list[tuple[Any, str]]:
    """Return the global state that a standard library function reads."""
    return [(os.environ, "os.environ")] if x is os.getenv else []


def settings(module: types.ModuleType) -> list[Callable[[], Any]]:
    """Return functions that read the settings of a library module, which are properties of the module's class."""
    found = [x.fget for x in vars(type(module)).values() if isinstance(x, property)]
    return [functools.partial(get, module) for get in found if get is not None]


def state_behind(cls: type) -> list[tuple[str, Callable[[], Iterable]]]:
    """Return the global state on which a class's methods depend, as pairs of a name and a function that reads it."""
    if isinstance(cls, abc.ABCMeta):
        return [("virtual subclasses of abstract classes", lambda: (abc.get_cache_token(),))]
    if cls is decimal.Decimal:
        return [("decimal.getcontext()", lambda: (repr(decimal.getcontext()),))]
    return []


def is_seeded_by_the_system(cls: type) -> bool:
    """Return whether creating an instance of a class without a seed takes entropy from the operating system."""
    return issubclass(cls, _SEEDED)
