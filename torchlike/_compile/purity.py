"""Purity checks for hooks and custom backward functions, and the exception that ends a capture.

Only pure functions can be recorded.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Callable, Iterator
from typing import Any

from torchlike._autograd.nodes import Node
from torchlike._compile.object_kinds import cell_contents
from torchlike._compile.places import is_constant
from torchlike._compile.trusted import is_trusted
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.context import FunctionNode

_STORES = frozenset(("STORE_GLOBAL", "STORE_DEREF", "DELETE_GLOBAL", "DELETE_DEREF"))


class Refusal(Exception):
    """Raised if a call depends on, does or returns something that a replay cannot repeat. The message is the reason."""


def computes_only(node: Node, is_outside: Callable[[Any], bool]) -> bool:
    """Return whether a node's hooks and custom `backward` are pure.

    A pure function writes no global or closure variables, and references no tensor, container or other object with
    state. `is_outside` returns whether an object existed before the call.
    """
    called: list = []
    if isinstance(node, FunctionNode):
        called += [node.ctx._forward_cls.backward, node.ctx._forward_cls.vjp]
        kept = [x for x in vars(node.ctx).values() if not isinstance(x, Tensor)]
        called += [x for x in kept if _is_called(x) or is_outside(x)]
    extra = node.extra
    if extra is not None:
        called += [*extra.pre.values(), *extra.post.values()]
        called += [hook for hooks in extra.tensor.values() for hook in hooks.values()]
    return not (extra is not None and extra.retained) and all(map(_is_pure, called))


def _is_pure(function: Any) -> bool:
    todo, seen = [function], set()
    while todo:
        x = todo.pop()
        if id(x) in seen or is_constant(x):
            continue
        seen.add(id(x))
        if isinstance(x, types.FunctionType):
            if not is_trusted(x.__module__) and any(_stores(code) for code in _codes(x.__code__)):
                return False
            todo += _reached(x)
        elif not (isinstance(x, type) or (isinstance(x, types.ModuleType) and is_trusted(x.__name__))):
            return False
    return True


def _reached(function: types.FunctionType) -> list:
    """Return the objects that a function references. For library functions, return only the functions they wrap."""
    found = [x for cell in function.__closure__ or () for x in cell_contents(cell)]
    if is_trusted(function.__module__):
        return [x for x in found if _is_called(x)]
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    held = [function.__globals__[name] for name in names if name in function.__globals__]
    return [*found, *held, *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]


def _is_called(x: Any) -> bool:
    return callable(x) and not isinstance(x, type)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _stores(code: types.CodeType) -> bool:
    return any(instruction.opname in _STORES for instruction in dis.get_instructions(code))
