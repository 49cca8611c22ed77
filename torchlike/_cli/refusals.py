"""Functions and classes that exist by name and raise an error of torchlike when they are called.

They are recognized from their source: a function refuses if it always ends by raising an error whose text names
torchlike, and a class refuses if its constructor does.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, TypeGuard

DEPTH = 3  # functions that make an error call each other at most this often
CONSTRUCTORS = ("__init__", "__new__", "__post_init__", "__enter__")


def refuses(found: Any) -> bool:
    """Return whether calling an object, or using a dtype, always raises an error that says so."""
    if isinstance(found, type):
        own = [getattr(found, name, None) for name in CONSTRUCTORS]
        call = type(found).__dict__.get("__call__")
        return any(_is_function(each) and _always_raises(each) for each in (call, *own))
    if type(found).__name__ == "dtype_without_tensors":
        return True
    return _is_function(found) and _always_raises(found)


def refused_arguments(found: Any) -> dict[str, Callable[[Any], bool]]:
    """Return the parameters that a function or constructor refuses, each with a function that tells which values.

    Only refusals that depend on the value alone are found: `if name:` or `if name is not None:`, and then the error.
    """
    function = getattr(found, "__init__", None) if isinstance(found, type) else found
    tree = source(function) if _is_function(function) else None
    if tree is None:
        return {}
    guards = [(_refused_argument(node), node.test) for node in tree.body if isinstance(node, ast.If)]
    return {name: test for name, guard in guards if name and (test := _test(guard, name)) is not None}


def _refused_argument(guard: ast.If) -> str:
    """Return the argument that the error of an `if` statement names as not supported."""
    error = guard.body[0].exc if isinstance(guard.body[0], ast.Raise) else None
    if not isinstance(error, ast.Call) or ast.unparse(error.func).rpartition(".")[2] != "unsupported":
        return ""
    argument = error.args[-1]
    return argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else ""


def _test(guard: ast.expr, name: str) -> Callable[[Any], bool] | None:
    match guard:
        case ast.Name(id=read) if read == name:
            return bool
        case ast.Compare(ast.Name(id=read), [ast.IsNot() | ast.NotEq()], [ast.Constant(value=accepted)]) if (
            read == name
        ):
            return lambda value: value != accepted
    return None


def source(function: Callable) -> ast.FunctionDef | None:
    """Return the syntax tree of a function written in Python, or None."""
    return _parsed(inspect.unwrap(getattr(function, "__func__", function)))


@functools.cache
def _parsed(function: Callable) -> ast.FunctionDef | None:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError, TypeError):
        return None
    found = tree.body[0] if tree.body else None
    return found if isinstance(found, ast.FunctionDef) else None


def _is_function(x: Any) -> TypeGuard[FunctionType]:
    return inspect.isfunction(x) or inspect.ismethod(x)


def _always_raises(function: Callable) -> bool:
    """Return whether a function has no `return` and ends by raising an error that names torchlike."""
    tree = source(function)
    if tree is None or any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) for node in _own(tree)):
        return False
    last = tree.body[-1]
    space = getattr(inspect.unwrap(getattr(function, "__func__", function)), "__globals__", {})
    if isinstance(last, ast.Raise):
        return last.exc is not None and _names_torchlike(last.exc, space, DEPTH)
    called = (
        _looked_up(last.value.func, space) if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else None
    )
    return _is_function(called) and called.__annotations__.get("return") == "NoReturn" and _always_raises(called)


def _own(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of functions inside it."""
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _own(child)


def _names_torchlike(error: ast.expr, space: dict[str, Any], depth: int) -> bool:
    """Return whether the text of an error, or that of the function that makes the error, names torchlike."""
    constants = [node.value for node in ast.walk(error) if isinstance(node, ast.Constant)]
    if any(isinstance(text, str) and "torchlike" in text for text in constants):
        return True
    made_by = _looked_up(error.func, space) if isinstance(error, ast.Call) else None
    if not depth or not _is_function(made_by):
        return False
    returned = [node.value for node in ast.walk(source(made_by) or ast.Module([], [])) if isinstance(node, ast.Return)]
    return any(value is not None and _names_torchlike(value, made_by.__globals__, depth - 1) for value in returned)


def _looked_up(node: ast.expr, space: dict[str, Any]) -> Any:
    """Return the object that a name with attributes has in a module, or None."""
    if isinstance(node, ast.Name):
        return space.get(node.id)
    return getattr(_looked_up(node.value, space), node.attr, None) if isinstance(node, ast.Attribute) else None
