"""`torch.fx` by name: functions are marked for a tracer, as libraries do on import; there is no tracer.

A graph of Python calls is what `torchlike.compile` needs not have: it records what runs. Whoever asks for one is told.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike.nn import Module


def _refused(name: str) -> NotImplementedError:
    return _errors.arguments.cannot(f"fx.{name}", "call the module, or its parts, as it is written")


class _Untraced:
    """What only a tracer makes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _refused(type(self).__name__)


class Tracer(_Untraced):
    """What follows a function's calls; refused."""


class Proxy(_Untraced):
    """What stands for a value while a function is followed; refused."""


class Node(_Untraced):
    """One call of a graph; refused."""


class Graph(_Untraced):
    """A function as a list of calls; refused."""


class Interpreter(_Untraced):
    """What runs a graph call by call; refused."""


class Transformer(Interpreter):
    """What makes another graph of one; refused."""


class GraphModule(Module):
    """A module made of a graph; refused."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _refused("GraphModule")


def wrap(fn_or_name: str | Callable) -> str | Callable:
    """Mark a function of the caller's module as one that a tracer takes whole; as a decorator, or by name."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    if sys._getframe(1).f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    return fn_or_name


def symbolic_trace(root: Any, concrete_args: dict | None = None) -> GraphModule:
    """Refused: there is no tracer."""
    raise _refused("symbolic_trace")


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> Any:
    """Refused: there are no graphs."""
    raise _refused("replace_pattern")
