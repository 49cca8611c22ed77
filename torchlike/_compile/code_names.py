"""The names in a code object: globals, imports, attributes."""

from __future__ import annotations

import dis
import functools
import re
import types
from typing import NamedTuple

_GLOBAL = frozenset(("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "STORE_NAME", "DELETE_GLOBAL"))
# Functions and special attributes through which code can access attributes whose names are computed at run time.
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
      passed: the globals that the code loads without calling them, for example to pass them to a function.
      imports: a (relative level, module name) pair for each import.
      names: names that may be attributes.
      all_names: whether the code may access attributes whose names are computed at run time.
    """

    globals: frozenset[str]
    passed: frozenset[str]
    imports: tuple[tuple[int, str], ...]
    names: frozenset[str]
    all_names: bool


@functools.lru_cache(maxsize=10_000)
def uses(code: types.CodeType) -> Uses:
    """Return the names that a code object uses, without the names in its nested functions."""
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
    """Return the strings in `constants` that may be names of attributes.

    Such strings are identifiers, which `getattr` and `match` patterns use, and the words of format strings.
    """
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
