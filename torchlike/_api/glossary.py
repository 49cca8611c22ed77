"""Docstrings of the public functions and methods: the written text, and the arguments that it does not describe.

Many arguments mean the same in every function. `MEANINGS` describes each of them once. `complete` adds an entry for
each parameter that the docstring of a function does not describe, with its type and its default value. Written entries
always win, and a parameter that `MEANINGS` does not contain gets no entry.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Iterable
from types import FunctionType
from typing import Any

MEANINGS = {
    "input": "the operand. Of a method, it is the tensor on which the method is called.",
    "other": "the second operand. It is broadcast with the first.",
    "out": "the tensor (for several results, a tuple of tensors) that receives the result and is returned.",
    "dim": "the dim along which the operator works. A negative dim counts from the last.",
    "keepdim": "keep each reduced dim with size 1.",
    "dtype": "the dtype of the result.",
    "device": "the device of the result. Default: the default device.",
    "layout": "only `torch.strided` is supported. It is the default.",
    "requires_grad": "let autograd record operations on the result.",
    "pin_memory": "True raises an error: the memory of CPU tensors is not page-locked.",
    "memory_format": "the order of the dims in memory. Default: `torch.preserve_format`, the order of the operand.",
    "generator": "the source of random numbers. Default: the default generator of the device.",
    "size": "the shape of the result, as ints or as one sequence of ints.",
    "inplace": "overwrite `input` and return it.",
    "non_blocking": "has no effect on results. Transfers to a GPU are asynchronous in any case.",
}
# The meanings that differ in some kinds of functions (see `_meanings`).
OF_REDUCTIONS = {"dtype": "the dtype to which the elements are cast first, and of the result."}
DIMS = {"dim": "the dim or dims to reduce. Negative dims count from the last. By default, all dims are reduced."}
DIM = {"dim": "the dim to reduce. A negative dim counts from the last."}
DIM_OR_ALL = {"dim": "the dim to reduce. A negative dim counts from the last. By default, all elements are reduced."}
OF_FACTORIES = {"dtype": "the dtype of the result. Default: the default dtype."}
OF_LIKE = {
    "dtype": "the dtype of the result. Default: that of `input`.",
    "device": "the device of the result. Default: that of `input`.",
    "memory_format": "the order of the dims in memory. Default: `torch.preserve_format`, the order of `input`.",
}
# The types of arguments without annotations.
_USUAL = {"dtype": "dtype", "device": "device or str", "memory_format": "memory_format", "generator": "Generator"}
# How the annotations are shown to users. Annotations of other arguments are shown in a written entry or not at all.
_TYPES = {
    "Number": "number",
    "Dtype": "dtype",
    "Any": "",
    "Sequence[int]": "sequence of ints",
    "Sequence[Tensor]": "sequence of Tensors",
    "tuple[int, ...]": "tuple of ints",
}
_SECTION = re.compile(r"^Args:\n((?:(?:  .*)?\n?)*)", re.M)
_NEXT = re.compile(r"^(?:Returns:|Raises:|Yields:|Note:|>>> )", re.M)
_NAMED = re.compile(r"  ([*\w]+(?:, [*\w]+)*)(?: \([^)]*\))?:")


def complete(function: FunctionType) -> None:
    """Add to the docstring of a function an entry for each parameter that `MEANINGS` describes."""
    doc = function.__doc__
    if not doc:
        return
    if "__wrapped__" in function.__dict__ and "Args:" not in doc:
        doc = _borrowed(doc, function)
    inner, has_out = _declared(function)
    if (doc, inner) not in _parts:  # a function, its method and its aliases have the same parts
        _parts[doc, inner] = _parted(inspect.cleandoc(doc) if "\n" in doc else doc, _parameters(inner))
    before, entries, after = _parts[doc, inner]
    if has_out and _OUT not in entries:
        entries = f"{entries}{_OUT}"
    if entries:
        function.__doc__ = f"{before}Args:\n{entries}\n{after}" if after else f"{before}Args:\n{entries}"


def complete_all(found: Iterable[Any]) -> None:
    """Complete the docstrings of the functions in `found`. Other objects are left alone."""
    for each in found:
        if each.__class__ is FunctionType:
            complete(each)


def _borrowed(doc: str, function: Any) -> str:
    """Return a docstring with the entries of the function that `function` wraps, such as that of an in-place twin."""
    plain = function.__wrapped__.__doc__ or ""
    section = _SECTION.search(inspect.cleandoc(plain)) if "Args:" in plain else None
    return doc if section is None else f"{doc}\n\n{section[0].rstrip()}\n"


def _declared(function: Any) -> tuple[Any, bool]:
    """Return the function that declares the parameters, and whether a wrapper of it adds `out`."""
    has_out = False
    while "__wrapped__" in function.__dict__:
        if "__signature__" in function.__dict__:
            has_out = has_out or "out" in function.__signature__.parameters
        function = function.__wrapped__
    return function, has_out


def _parameters(function: Any) -> list[tuple[str, str, Any]]:
    """Return name, annotation and default of each parameter. This is faster than `inspect.signature`."""
    if "__signature__" in function.__dict__:
        return [(p.name, str(p.annotation), p.default) for p in function.__signature__.parameters.values()]
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames[: count + bool(code.co_flags & 8) + bool(code.co_flags & 4)])
    if code.co_flags & 4:  # `*args` precedes the keyword-only parameters
        names.insert(code.co_argcount, names.pop(count))
    kinds, empty = function.__annotations__, inspect.Parameter.empty
    defaults = dict(function.__kwdefaults__ or {})
    given = function.__defaults__ or ()
    defaults.update(zip(code.co_varnames[code.co_argcount - len(given) : code.co_argcount], given))
    return [(name, str(kinds.get(name, "Any")), defaults.get(name, empty)) for name in names]


def _parted(doc: str, named: list[tuple[str, str, Any]]) -> tuple[str, str, str]:
    """Return the text before the section "Args:", its entries, and the text after it."""
    section = _SECTION.search(doc) if "Args:" in doc else None
    written = {} if section is None else _written(section[1])
    meanings = _meanings(named)
    entries: dict[str, None] = {}  # in order, without duplicates
    for name, annotation, default in named:
        entry = written.pop(name, None)
        if entry is None or entry.startswith(f"  {name}: "):
            text = meanings.get(name) if entry is None else entry[len(name) + 4 : -1]
            entry = text and _entry(name, annotation, default, text)
        if entry is not None:
            entries[entry] = None
    start = section or _NEXT.search(doc)
    if start is None:
        return doc + "\n\n", "".join(entries), ""
    return doc[: start.start()], "".join(entries), doc[section.end() if section else start.start() :]


def _meanings(named: list[tuple[str, str, Any]]) -> dict[str, str]:
    """Return the meanings of arguments in functions with these parameters."""
    kinds = {name: kind for name, kind, _ in named}
    if "keepdim" in kinds:
        dim = kinds.get("dim", "")
        return _REDUCTION["Sequence" in dim, "None" in dim]
    if kinds.keys() >= {"input", "memory_format"}:
        return _LIKE
    return _FACTORY if "requires_grad" in kinds else MEANINGS


_REDUCTION = {
    (True, True): MEANINGS | OF_REDUCTIONS | DIMS,
    (True, False): MEANINGS | OF_REDUCTIONS | DIMS,
    (False, True): MEANINGS | OF_REDUCTIONS | DIM_OR_ALL,
    (False, False): MEANINGS | OF_REDUCTIONS | DIM,
}
_LIKE = MEANINGS | OF_LIKE
_FACTORY = MEANINGS | OF_FACTORIES


def _written(section: str) -> dict[str, str]:
    """Return the written entries by the names of the parameters. Parameters may share an entry."""
    found = {}
    for entry in re.split(r"^(?=  \S)", section, flags=re.M):
        if head := _NAMED.match(entry):
            text = entry.rstrip() + "\n"
            found.update((name.strip("*"), text) for name in head[1].split(", "))
    return found


@functools.cache
def _type(annotation: str) -> str:
    kinds = [_TYPES.get(kind, kind) for kind in annotation.split(" | ")]
    return "" if "" in kinds else " or ".join(kind for kind in kinds if kind != "None")


_made: dict[tuple, str] = {}


def _entry(name: str, annotation: str, default: Any, meaning: str) -> str:
    key = (name, annotation, default.__class__, repr(default), meaning)
    if key not in _made:
        known = annotation not in ("Any", "<class 'inspect._empty'>")
        shown = [_type(annotation) if known else _USUAL.get(name, "")]
        if default is None:
            shown.append("optional")
        elif default is not inspect.Parameter.empty:
            shown.append(f"default {default!r}")
        head = ", ".join(filter(None, shown))
        _made[key] = f"  {name} ({head}): {meaning}\n" if head else f"  {name}: {meaning}\n"
    return _made[key]


_OUT = _entry("out", "Tensor | None", None, MEANINGS["out"])
_parts: dict[tuple[str, Any], tuple[str, str, str]] = {}
