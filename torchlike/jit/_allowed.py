"""The names that saved scripts may use: functions of the library, of Python and of `math`, and attributes of values.

Nothing in these tables reads or writes files, runs code, or reaches Python's internals.
"""

from __future__ import annotations

import math
import sys
import typing
from collections.abc import Callable
from typing import Any

import torchlike

BUILTINS: dict[str, Any] = {
    each.__name__: each
    for each in (
        *(
            abs,
            all,
            any,
            bin,
            bool,
            chr,
            dict,
            divmod,
            enumerate,
            float,
            hex,
            int,
            isinstance,
            len,
            list,
            max,
            min,
            oct,
        ),
        *(getattr, hasattr, ord, pow, print, range, reversed, round, sorted, str, sum, tuple, zip, complex, type(None)),
        *(AssertionError, Exception, IndexError, KeyError, NotImplementedError, RuntimeError, TypeError, ValueError),
    )
}
TYPING = ("Any", "Dict", "Final", "List", "Optional", "Tuple", "Union")
_JIT = ("annotate", "isinstance", "is_scripting", "is_tracing", "fork", "wait", "_wait", "_fork", "Future")
_PRIVATE = ("torch._assert", "torch.jit._wait", "torch.jit._fork")
_TYPES = ("Tensor", "Size", "device", "Generator", "finfo", "iinfo", "memory_format", "no_grad", "enable_grad")
_HOMES = ("torchlike._ops.", "torchlike._composite.", "torchlike._tensor.factories", "torchlike._tensor.from_data")
_HIDDEN = ("set_", "from_file", "from_dlpack", "to_dlpack", "resize_as_sparse", "is_storage")
_IMPORTED = ("warn", "host_arrays", "of_array")  # functions of other modules that the spaces import
_SPACES = ("torch.nn.functional", "torch.linalg", "torch.fft", "torch.special", "torch.nn.init", "torch.nn.utils.rnn")
# Attributes that would reach files, memory, callbacks or Python's frames.
NOT_ATTRIBUTES = frozenset(
    [
        "apply_",
        "data_ptr",
        "dump",
        "dumps",
        "from_file",
        "map_",
        "map2_",
        "module_load",
        "numpy",
        "register_hook",
        "register_post_accumulate_grad_hook",
        "share_memory_",
        "storage",
        "storage_type",
        "tofile",
        "untyped_storage",
        "mro",
        "gi_frame",
        "gi_code",
        "gi_yieldfrom",
        "cr_frame",
        "cr_code",
        "cr_await",
        "cr_origin",
        "ag_frame",
        "ag_code",
        "ag_await",
        "f_back",
        "f_builtins",
        "f_code",
        "f_globals",
        "f_lasti",
        "f_lineno",
        "f_locals",
        "f_trace",
        "tb_frame",
        "tb_next",
        "tb_lasti",
        "tb_lineno",
        "func_globals",
        "func_code",
        "co_code",
        "co_consts",
    ]
)


def library(path: str) -> Any:
    """Return the function, type or constant of a dotted path such as "torch.nn.functional.relu".

    Raises:
      ValueError: saved scripts may not use it.
    """
    space, _, name = path.rpartition(".")
    found = _found(space, name)
    if (name.startswith("_") and path not in _PRIVATE) or found is None:
        raise ValueError(f"{path} cannot be used in saved scripts")
    return found


def _found(space: str, name: str) -> Any:
    if space == "math":
        return getattr(math, name, None)
    if space == "torch.jit":
        return getattr(torchlike.jit, name, None) if name in _JIT else None
    if space in _SPACES:
        return _function(_module(space), name)
    return _module_class(space, name) if space.startswith("torch.nn") else _of_torch(name) if space == "torch" else None


def _module_class(space: str, name: str) -> Any:
    """Return a class of modules that is defined in, or imported into, a module that is loaded already."""
    found = getattr(sys.modules.get("torchlike" + space.removeprefix("torch")), name, None)
    return found if isinstance(found, type) and issubclass(found, torchlike.nn.Module) else None


def _module(space: str) -> Any:
    found: Any = torchlike
    for part in space.split(".")[1:]:
        found = getattr(found, part)
    return found


def _of_torch(name: str) -> Any:
    found = getattr(torchlike, name, None)
    if (
        name == "_assert"
        or name in _TYPES
        or isinstance(found, torchlike.dtype | torchlike.layout | torchlike.memory_format | float)
    ):
        return found
    home = str(getattr(found, "__module__", ""))
    is_known = home == "torchlike" or home.startswith(_HOMES)
    return found if is_known and callable(found) and not isinstance(found, type) and not _is_hidden(name) else None


def _is_hidden(name: str) -> bool:
    return name.startswith(_HIDDEN) or "autocast" in name


def _function(module: Any, name: str) -> Callable | None:
    found = getattr(module, name, None)
    is_ours = str(getattr(found, "__module__", "")).partition(".")[0] in ("torchlike", "torch")
    return found if is_ours and callable(found) and not isinstance(found, type) and name not in _IMPORTED else None


def attributes() -> frozenset[str]:
    """Return the names of attributes and methods of tensors and Python values that saved scripts may use."""
    names = {"children", "named_children", "modules", "named_modules", "parameters", "named_parameters", "buffers"}
    names |= {"named_buffers", "forward", "generator"}
    return frozenset(names | {name for each in OF_VALUES.values() for name in each}) | OF_TENSORS


def _public(kind: type) -> frozenset[str]:
    return frozenset(name for name in dir(kind) if not name.startswith("_"))


OF_TENSORS = _public(torchlike.Tensor) - NOT_ATTRIBUTES
# The allowed attributes by exact type. Values of subclasses have none.
OF_VALUES: dict[type, frozenset[str]] = {
    kind: _public(kind) - NOT_ATTRIBUTES
    for kind in (
        *(str, bool, list, dict, int, float, complex, tuple, range, torchlike.Size, torchlike.device),
        *(torchlike.dtype, torchlike.finfo, torchlike.iinfo, torchlike.Generator, torchlike.jit.Future),
    )
}


def typing_name(name: str) -> Any:
    """Return a name of `typing`."""
    if name not in TYPING:
        raise ValueError(f"typing.{name} cannot be used in saved scripts")
    return getattr(typing, name)
