"""The names in a code object: globals, imports, attributes."""

from __future__ import annotations

import dis
import functools
import re
import types
from collections.abc import Iterator
from typing import NamedTuple

_LOAD_GLOBAL = dis.opmap["LOAD_GLOBAL"]
_IMPORT, _EXTENDED = dis.opmap["IMPORT_NAME"], dis.opmap["EXTENDED_ARG"]
_CONST, _SMALL_INT = dis.opmap["LOAD_CONST"], dis.opmap.get("LOAD_SMALL_INT", -1)
_NAMED = frozenset([dis.opmap[name] for name in ("LOAD_NAME", "STORE_GLOBAL", "STORE_NAME", "DELETE_GLOBAL")])
_ASKED = _NAMED | {_LOAD_GLOBAL, _IMPORT, _CONST, _SMALL_INT}
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
# Names of functions that read all attributes of their argument (`object_kinds.LOOKING_AT_ALL`).
COPYING = frozenset(("copy", "deepcopy", "asdict", "astuple", "replace", "fields", "getmembers", "getattr_static"))
_WORDS = re.compile(r"[^\W\d]\w*")


class Uses(NamedTuple):
    """The names that a code object uses.

    Attributes:
      globals: names of globals and builtins.
      passed: the globals that the code loads without calling them, for example to pass them to a function.
      imports: a (relative level, module name) pair for each import.
      names: names that may be attributes.
      all_names: whether the code may access attributes whose names are computed at run time.
      looks: whether the code may access such attributes, or call a function that reads all attributes.
    """

    globals: frozenset[str]
    passed: frozenset[str]
    imports: tuple[tuple[int, str], ...]
    names: frozenset[str]
    all_names: bool
    looks: bool


@functools.lru_cache(maxsize=100_000)  # more than the functions of the largest libraries
def uses(code: types.CodeType) -> Uses:
    """Return the names that a code object uses, without the names in its nested functions."""
    found: set[str] = set()
    passed: set[str] = set()
    imports: list[tuple[int, str]] = []
    constants: list = []
    for op, arg in _steps(code) if code.co_names else ():
        if op == _LOAD_GLOBAL:
            name = code.co_names[arg >> 1]
            found.add(name)
            if not arg & 1:  # no call follows
                passed.add(name)
        elif op in _NAMED:
            found.add(code.co_names[arg])
        elif op == _IMPORT:
            imports.append((constants[-2], code.co_names[arg]))
        else:
            constants.append(code.co_consts[arg] if op == _CONST else arg)
    names = frozenset([*code.co_names, *strings(code.co_consts)])
    all_names = not names.isdisjoint(LOOKING)
    looks = all_names or not names.isdisjoint(COPYING)
    return Uses(frozenset(found), frozenset(passed), tuple(imports), names, all_names, looks)


def _steps(code: types.CodeType) -> Iterator[tuple[int, int]]:
    """Iterate over the instructions that use names or constants. `dis` takes ten times as long."""
    extended, data = 0, code.co_code
    for op, arg in zip(data[::2], data[1::2]):
        if op in _ASKED:
            yield op, arg | extended
        extended = (arg | extended) << 8 if op == _EXTENDED else 0


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
