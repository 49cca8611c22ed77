"""What a code object names: globals, imports, attributes."""

from __future__ import annotations

import dis
import functools
import types
from typing import NamedTuple

_GLOBAL = frozenset(("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "STORE_NAME", "DELETE_GLOBAL"))
# Names by which a program reads or changes attributes that it does not name.
_ALL = frozenset(("getattr", "setattr", "delattr", "hasattr", "vars", "dir", "__dict__", "attrgetter", "methodcaller",
                  "__getattribute__", "__getattr__", "__setattr__", "__delattr__", "__reduce__", "__reduce_ex__",
                  "__getstate__", "__setstate__"))  # fmt: skip


class Uses(NamedTuple):
    """`globals` are names that are looked up in the module; `imports` are levels and names; `names` are all that may
    be attributes; `all_names` says whether attributes may be asked for by names that are computed."""

    globals: frozenset[str]
    imports: tuple[tuple[int, str], ...]
    names: frozenset[str]
    all_names: bool


@functools.lru_cache(maxsize=10_000)
def uses(code: types.CodeType) -> Uses:
    """What this code names, that of the functions within it left out."""
    found: set[str] = set()
    imports: list[tuple[int, str]] = []
    constants: list = []
    for step in dis.get_instructions(code) if code.co_names else ():
        if step.opname in _GLOBAL:
            found.add(step.argval)
        elif step.opname == "IMPORT_NAME":
            imports.append((constants[-2], step.argval))
        elif "CONST" in step.opname or "SMALL_INT" in step.opname:
            constants.append(step.argval)
    names = frozenset([*code.co_names, *_strings(code.co_consts)])
    return Uses(frozenset(found), tuple(imports), names, not names.isdisjoint(_ALL))


def _strings(constants: tuple | frozenset) -> list[str]:
    """Strings among constants that may be names: of `getattr`, of patterns of `match`."""
    found = []
    for constant in constants:
        if isinstance(constant, str):
            if constant.isidentifier():
                found.append(constant)
        elif isinstance(constant, tuple | frozenset):
            found += _strings(constant)
    return found
