"""Dense programs: each statement is run in both libraries, and everything that it shows is compared.

A text file of this folder holds programs. A line `#### name` begins a program. The value of a statement that is an
expression is observed, and so are printed text, warnings and errors. The program continues after an error.
`E(function, *args)` returns the text of the error of a call, or its result. In PyTorch, `torch.compile` returns the
function itself, so that compiled calls are compared with plain ones.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import gc
import io
import math
import pickle
import random
import re
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from tests.oracle import is_no_gpu

TOPICS = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.txt"))}
# Markers where PyTorch's message continues with details of its own build.
_ENDS = (" but expected one of:", "\nException raised from ", "\n\nTip: To see", " (Triggered internally at ")
_NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.\d*(?:e[-+]?\d+)?|\d+(?:e[-+]?\d+)|inf|nan|\d+)")


def programs(topic: str) -> dict[str, str]:
    """Return the programs of a topic by name."""
    parts = re.split(r"(?m)^#### ", TOPICS[topic].read_text(encoding="utf-8"))[1:]
    return {name: body for name, _, body in (part.partition("\n") for part in parts)}


def observe(source: str, library: Any) -> list[list[str]]:
    """Run a program with `torch` as the library. Return what each statement shows, after the statement itself."""
    space = _space(library)
    shown: list[list[str]] = []
    always = library.is_warn_always_enabled()
    library.set_warn_always(True)  # other tests may have caused a warning that comes once per process
    try:
        _run_all(source, library, space, shown)
    finally:
        library.set_warn_always(always)
    return shown


def _run_all(source: str, library: Any, space: dict[str, Any], shown: list[list[str]]) -> None:
    for node in ast.parse(source).body:
        seen, printed = [ast.get_source_segment(source, node) or ""], io.StringIO()
        space["say"] = lambda *values, seen=seen: seen.append(" ".join(_text(v, library) for v in values))
        with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
            warnings.simplefilter("always")
            try:
                value = _run(node, space)
                if value is not None:
                    seen.append(_text(value, library))
            except Exception as error:
                seen.append(_error(error))
        seen += [printed.getvalue()] * bool(printed.getvalue())
        seen += [f"{w.category.__name__}: {_upto(str(w.message))}" for w in caught if _counts(w)]
        shown.append([_comparable(line) for line in seen])


def _space(library: Any) -> dict[str, Any]:
    """Reset the random numbers, and return the names that a program may use."""
    library.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
    space = types.ModuleType("program").__dict__
    space |= {"torch": library, "nn": library.nn, "F": library.nn.functional, "np": np, "E": _attempt}
    return space | {m.__name__: m for m in (copy, gc, io, math, pickle, random, warnings)}


def _run(node: ast.stmt, space: dict[str, Any]) -> Any:
    if isinstance(node, ast.Expr):
        return eval(compile(ast.Expression(node.value), "<program>", "eval", dont_inherit=True), space)
    return exec(compile(ast.Module([node], []), "<program>", "exec", dont_inherit=True), space)


def _attempt(function: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return _error(error)


def _error(error: Exception) -> str:
    return f"{type(error).__name__}: {_upto(str(error))}"


def _upto(text: str) -> str:
    for end in _ENDS:
        text = text.partition(end)[0]
    return text


def _counts(warning: warnings.WarningMessage) -> bool:
    return not issubclass(warning.category, ResourceWarning | DeprecationWarning)


def _comparable(line: str) -> str:
    return re.sub(r"0x[0-9a-f]{6,}", "0x", line).replace("torchlike.", "torch.")


def _text(value: Any, library: Any) -> str:
    """Describe a value, tensors by all that users see of them."""
    if isinstance(value, library.Tensor):
        return _tensor(value, library)
    if isinstance(value, list | tuple) and not isinstance(value, library.Size):
        return f"{type(value).__name__}({', '.join(_text(v, library) for v in value)})"
    if isinstance(value, dict):
        items = ", ".join(f"{key!r}: {_text(v, library)}" for key, v in value.items())
        return f"{type(value).__name__}{{{items}}}"
    return value if isinstance(value, str) else repr(value)


def _tensor(t: Any, library: Any) -> str:
    kind = f"{type(t).__name__}{tuple(t.shape)} {t.dtype} {t.device.type} rg={t.requires_grad} leaf={t.is_leaf}"
    if t.layout is not library.strided:
        return f"{kind} {t.layout} {t.detach().to_dense().tolist()}"
    place = f"{tuple(t.stride())} {t.storage_offset()}"
    return f"{kind} {place}" if t.is_meta else f"{kind} {place} {t.detach().tolist()}"


def is_same(ours: str, theirs: str) -> bool:
    """Return whether two texts are equal, up to the rounding of the floating-point numbers in them."""
    if is_no_gpu(ours, theirs):
        return True
    if _NUMBER.split(ours) != _NUMBER.split(theirs):
        return False
    pairs = zip(_NUMBER.findall(ours), _NUMBER.findall(theirs))
    return all(
        a == b or ("." in a + b and math.isclose(float(a), float(b), rel_tol=3e-5, abs_tol=3e-6)) for a, b in pairs
    )
