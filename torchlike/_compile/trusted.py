"""Trusted code: the libraries that guards do not traverse, and their functions that do more than compute."""

from __future__ import annotations

import _thread
import contextvars
import importlib
import inspect
import os
import sys
import threading
import types
from typing import Any

import numpy as np

from torchlike._autograd import anomaly
from torchlike._composite import autocast
from torchlike._composite.random import random
from torchlike._engine import determinism
from torchlike._errors import warned
from torchlike._random import Generator
from torchlike._tensor.tensor import Tensor
from torchlike.backends import _settings

LIBRARIES = frozenset(("torchlike", "torch", "numpy", "jax", "jaxlib", "optax", "einops", "opt_einsum", "ml_dtypes"))
_NAMED_TUPLE = "namedtuple_"  # the beginning of the names of the modules of generated named tuples
# Modules of the standard library that only compute. The other modules access clocks, files, processes or other state.
PURE_MODULES = frozenset(
    (
        "_abc",
        "_bisect",
        "_collections",
        "_collections_abc",
        "_contextvars",
        "_functools",
        "_heapq",
        "_operator",
        "_thread",
        "_typing",
        "_weakref",
        "_weakrefset",
        "abc",
        "array",
        "ast",
        "bisect",
        "builtins",
        "cmath",
        "collections",
        "contextlib",
        "contextvars",
        "copy",
        "copyreg",
        "dataclasses",
        "decimal",
        "dis",
        "enum",
        "fractions",
        "functools",
        "graphlib",
        "heapq",
        "importlib",
        "inspect",
        "itertools",
        "keyword",
        "linecache",
        "math",
        "numbers",
        "opcode",
        "operator",
        "re",
        "reprlib",
        "sre_compile",
        "statistics",
        "string",
        "textwrap",
        "threading",
        "tokenize",
        "types",
        "typing",
        "typing_extensions",
        "weakref",
    )
)
# Builtins that have side effects, or whose result depends on more than their arguments.
_IMPURE_BUILTINS = frozenset(
    (
        print,
        input,
        open,
        id,
        exec,
        eval,
        compile,
        globals,
        locals,
        __import__,
        hash,
        breakpoint,
        _thread.get_ident,
        _thread.get_native_id,
        _thread.start_new_thread,
        contextvars.copy_context,
        np.fromfile,
    )
)
_IMPURE_FUNCTIONS: tuple[Any, ...] = (
    importlib.import_module,
    importlib.reload,
    inspect.currentframe,
    inspect.stack,
    threading.Thread.start,
    threading.Thread.join,
    threading.current_thread,
    threading.enumerate,
    threading.active_count,
    threading.settrace,
    threading.setprofile,
    Generator.initial_seed,
    random.seed,
    autocast.is_autocast_cache_enabled,
    Tensor._version.fget,
    Tensor._base.fget,
    anomaly.is_anomaly_enabled,
    anomaly.set_anomaly_enabled,
    determinism.use_deterministic_algorithms,
    determinism.set_deterministic_debug_mode,
    warned.set_warn_always,
    _settings.kept(None).fset,
    Tensor.storage_offset,
    Tensor.data_ptr,
    Tensor.untyped_storage,
    Tensor.storage,
    *[inspect.unwrap(f) for f in (np.save, np.savez, np.savez_compressed, np.savetxt, np.load, np.loadtxt)],
)
_METHODS = (types.MethodDescriptorType, types.ClassMethodDescriptorType, types.BuiltinFunctionType, staticmethod)
# Code of functions of trusted modules that have side effects or depend on more than their arguments.
IMPURE = frozenset([f.__code__ for f in _IMPURE_FUNCTIONS])
# Code of functions of other modules that read only guarded state.
READS_GUARDED_STATE = frozenset((os.getenv.__code__, os._Environ.__getitem__.__code__))


def root_of(module: str | None) -> str:
    """Return the top-level package of a module."""
    return module.partition(".")[0] if isinstance(module, str) else ""


def is_library(module: str | None) -> bool:
    """Return whether a module belongs to a numerical library."""
    return root_of(module) in LIBRARIES


def is_trusted(module: str | None) -> bool:
    """Return whether a module belongs to a numerical library or to the standard library.

    The modules of generated named tuples count too. Guards do not traverse the code of trusted modules.
    """
    root = root_of(module)
    return root in LIBRARIES or root in sys.stdlib_module_names or root.startswith(_NAMED_TUPLE)


def is_pure(module: str | None) -> bool:
    """Return whether the functions of a module have no side effects and depend only on their arguments."""
    root = root_of(module)
    return root in LIBRARIES or root in PURE_MODULES or root.startswith(_NAMED_TUPLE)


def is_pure_in_c(what: Any) -> bool:
    """Return whether a function implemented in C has no side effects and depends only on its arguments."""
    owner = getattr(what, "__self__", None)
    if isinstance(what, types.BuiltinFunctionType) and what in _IMPURE_BUILTINS:
        return False
    if owner is not None and not isinstance(owner, types.ModuleType):
        if isinstance(owner, sys.stdout.__class__):
            return False
        return all([is_pure(kind.__module__) for kind in _definers(what, owner)])
    return is_pure(getattr(what, "__module__", None) or getattr(getattr(what, "__objclass__", None), "__module__", ""))


def _definers(what: Any, owner: Any) -> list[type]:
    """Return the classes that may define the C method `what`, which is bound to `owner`.

    An instance of a Python class inherits such a method from a base implemented in C. An example is `dict.get`.
    """
    if isinstance(owner, type):
        return [owner]
    bases = [base for base in type(owner).__mro__ if isinstance(vars(base).get(what.__name__), _METHODS)]
    return bases or [type(owner)]


def is_pure_code(code: types.CodeType, module: str | None) -> bool:
    """Return whether code of a trusted module has no side effects and depends only on its arguments."""
    return code not in IMPURE and (is_pure(module) or code in READS_GUARDED_STATE)
