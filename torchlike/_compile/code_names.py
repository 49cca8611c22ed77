"""The names in a code object: globals, imports, attributes."""

from __future__ import annotations

import dis
import functools
import re
import types
from typing import NamedTuple

_GLOBAL = frozenset(("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "STORE_NAME", "DELETE_GLOBAL"))
# Names that give access to attributes by computed names.
LOOKING = frozenset(
    (
        "getattr",
        "setattr",
        "delattr",
        "hasattr",
        "vars",
        "dir",
        "__dict__",
        "attrgetter",
        "methodcaller",
        "__getattribute__",
        "__getattr__",
        "__setattr__",
        "__delattr__",
        "__reduce__",
        "__reduce_ex__",
        "__getstate__",
        "__setstate__",
    )
)
_WORDS = re.compile(r"[^\W\d]\w*")


class Uses(NamedTuple):
    """The names that a code object uses.

    Attributes:
      globals: names of globals and builtins.
      passed: the globals that the code uses without calling them.
      imports: the levels and names of imports.
      names: names that may be attributes.
      all_names: whether the code may access attributes by computed names.
    """

    globals: frozenset[str]
    passed: frozenset[str]
    imports: tuple[tuple[int, str], ...]
    names: frozenset[str]
    all_names: bool


@functools.lru_cache(maxsize=10_000)
def uses(code: types.CodeType) -> Uses:
    """Return the names in a code object. Those in nested functions are not included."""
    found: set[str] = set()
    passed: set[str] = set()
    imports: list[tuple[int, str]] = []
    constants: list = []
    for step in dis.get_instructions(code) if code.co_names else ():
        if step.opname in _GLOBAL:
            found.add(step.argval)
            if step.opname == "LOAD_GLOBAL" and not (step.arg or 0) & 1:  # no call follows
                passed.add(step.argval)
        elif step.opname == "IMPORT_NAME":
            imports.append((constants[-2], step.argval))
        elif "CONST" in step.opname or "SMALL_INT" in step.opname:
            constants.append(step.argval)
    names = frozenset([*code.co_names, *strings(code.co_consts)])
    return Uses(frozenset(found), frozenset(passed), tuple(imports), names, not names.isdisjoint(LOOKING))


def strings(constants: tuple | frozenset) -> list[str]:
    """Return the constants that may be names, for `getattr`, `str.format` or patterns of `match`."""
    found = []
    for constant in constants:
        if isinstance(constant, str):
            if constant.isidentifier():
                found.append(constant)
            elif "{" in constant and "." in constant:  # `"{0.name}".format(x)` reads attributes
                found += _WORDS.findall(constant)
        elif isinstance(constant, tuple | frozenset):
            found += strings(constant)
    return found
