"""Docstrings of the public functions and methods: the written text, and the arguments that it does not describe.

Many arguments mean the same in every function. `MEANINGS` describes each of them once. `complete` adds an entry for
each parameter that the docstring of a function does not describe, with its type and its default value. Written entries
always win, and a parameter that `MEANINGS` does not contain gets no entry.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from types import FunctionType
from typing import Any

from torchlike._ops.schema.declare import clean
from torchlike._tensor.factories import MISSING

MEANINGS = {
    "input": "the operand. For a method, it is the tensor on which the method is called.",
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
    "mf.memory_format": "memory_format",
}
_ENTRY = re.compile(r"^  ([*\w]+(?:, [*\w]+)*)(?: \([^)]*\))?:", re.M)
_SECTIONS = ("\n\nReturns:", "\n\nRaises:", "\n\nWarning:", "\n\n>>> ")  # they follow the section "Args:"


def complete(function: FunctionType) -> None:
    """Add to the docstring of a function an entry for each parameter that `MEANINGS` describes.

    A function that wraps another one, such as an in-place twin, has the entries of that function, unless it has others.
    """
    doc = function.__doc__
    if not doc:
        return
    inner, has_out = _declared(function)
    plain = inner.__doc__
    source = plain if plain and "Args:" not in doc else doc
    if (source, inner) not in _parts:  # a function, its method and its aliases have the same parts
        _parts[source, inner] = _parted(clean(source), inner)
    before, entries, after = _parts[source, inner]
    if source != doc:
        before, _, after = _around_entries(clean(doc))
    if has_out and _OUT not in entries:
        entries += _OUT
    if entries:
        function.__doc__ = f"{before}\n\nArgs:\n{entries}{after}"


def complete_all(found: Iterable[Any]) -> None:
    """Complete the docstrings of the functions in `found`. Other objects are left alone."""
    for each in found:
        if each.__class__ is FunctionType:
            complete(each)


def _around_entries(doc: str) -> tuple[str, str, str]:
    """Return the text before the section "Args:", its entries, and the text after it."""
    start = doc.find("\n\nArgs:\n")
    if start < 0:
        start = -1
        if "\n" in doc:
            start = min([at for section in _SECTIONS if (at := doc.find(section)) >= 0], default=-1)
        return (doc, "", "") if start < 0 else (doc[:start], "", doc[start + 1 :])
    end = doc.find("\n\n", start + 2)
    end = len(doc) if end < 0 else end
    return doc[:start], doc[start + 8 : end], doc[end + 1 :]


def _declared(function: Any) -> tuple[Any, bool]:
    """Return the function that declares the parameters, and whether a wrapper of it adds `out`."""
    has_out = False
    while "__wrapped__" in function.__dict__:
        if "__signature__" in function.__dict__:
            if "out" not in function.__signature__.parameters:
                break  # the wrapper declares its own parameters
            has_out = True
        function = function.__wrapped__
    return function, has_out


def _parameters(function: Any) -> tuple[tuple[str, ...], dict[str, Any], dict[str, Any]]:
    """Return the names of the parameters, the annotations and the defaults. It is faster than `inspect.signature`."""
    if "__signature__" in function.__dict__:
        found = function.__signature__.parameters
        kinds = {name: p.annotation for name, p in found.items() if p.annotation is not p.empty}
        return tuple(found), kinds, {name: p.default for name, p in found.items() if p.default is not p.empty}
    code, given = function.__code__, function.__defaults__
    plain, count = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:count]
    if code.co_flags & 4:  # `*args` precedes the keyword-only parameters
        names = (*names[:plain], code.co_varnames[count], *names[plain:])
    if code.co_flags & 8:
        names = (*names, code.co_varnames[len(names)])
    defaults = dict(zip(code.co_varnames[plain - len(given) : plain], given)) if given else {}
    if function.__kwdefaults__:
        defaults.update(function.__kwdefaults__)
    return names, function.__annotations__, defaults


def _parted(doc: str, function: Any) -> tuple[str, str, str]:
    """Return the text before the section "Args:", all entries, and the text after it."""
    before, section, after = _around_entries(doc)
    written = _written(section) if section else {}
    names, kinds, defaults = _parameters(function)
    meanings = _meanings(names, kinds)
    entries: list[str] = []
    for name in names:
        entry = written.get(name)
        if entry is None:
            if name in meanings:
                entries.append(_entry(name, kinds.get(name, ""), defaults.get(name, MISSING), meanings[name]))
        elif entry.startswith(f"  {name}: "):
            text = entry[len(name) + 4 : -1]
            entries.append(_entry(name, kinds.get(name, ""), defaults.get(name, MISSING), text))
        elif entry not in entries:  # several parameters may share an entry
            entries.append(entry)
    return before, "".join(entries), after


def _meanings(names: tuple[str, ...], kinds: dict[str, Any]) -> dict[str, str]:
    """Return the meanings of arguments in functions with these parameters."""
    if "keepdim" in names:
        dim = kinds.get("dim", "")
        return _REDUCTION["Sequence" in dim, "None" in dim]
    if "memory_format" in names and names[0] == "input":
        return _LIKE
    return _FACTORY if "requires_grad" in names else MEANINGS


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
    heads = list(_ENTRY.finditer(section))
    ends = [head.start() for head in heads[1:]] + [len(section)]
    texts = {head[1]: section[head.start() : end].rstrip() + "\n" for head, end in zip(heads, ends)}
    return {name.strip("*"): text for names, text in texts.items() for name in names.split(", ")}


@functools.cache
def _type(annotation: str) -> str:
    kinds = [_TYPES.get(kind, kind) for kind in annotation.split(" | ")]
    return "" if "" in kinds else " or ".join(kind for kind in kinds if kind != "None")


_made: dict[tuple, str] = {}


def _entry(name: str, annotation: Any, default: Any, meaning: str) -> str:
    """Return an entry with the type and the default value of a parameter."""
    key = (name, annotation, repr(default), meaning)
    if key not in _made:
        shown = _type(str(annotation)) or _USUAL.get(name, "")
        if default is None:
            shown = f"{shown}, optional" if shown else "optional"
        elif default is not MISSING:
            shown = f"{shown}, default {default!r}" if shown else f"default {default!r}"
        _made[key] = f"  {name} ({shown}): {meaning}\n" if shown else f"  {name}: {meaning}\n"
    return _made[key]


_OUT = _entry("out", "Tensor | None", None, MEANINGS["out"])
_parts: dict[tuple[str, Any], tuple[str, str, str]] = {}
