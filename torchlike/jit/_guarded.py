"""Reads and writes of attributes in restored scripts.

The source of a file can name any attribute of its own objects. Each read and write therefore looks at the type of the
object first, so that no script reaches the internals of Python: frames, functions, classes or modules of code.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable
from typing import Any

import torchlike
from torchlike.jit import _allowed
from torchlike.nn import Module

_READ, _HAS, _OWNER = "__read__", "__has__", "__owner__"  # the checks before they are compiled refuse such names
_OF_MODULES = frozenset(
    [
        "buffers",
        "children",
        "eval",
        "forward",
        "modules",
        "named_buffers",
        "named_children",
        "named_modules",
        "named_parameters",
        "parameters",
        "train",
    ]
)
_LAYERS = "torchlike.nn.modules.", "torch.nn.modules."  # the second one after torchlike.install()
_MISSING = object()


class Guard:
    """The attributes that the functions of one file may read and write.

    Attributes:
      classes: the classes and enumerations of the file.
      private: the names of the file's own attributes that begin with an underscore.
    """

    def __init__(self, private: frozenset[str]) -> None:
        self.classes: set[type] = set()
        self.private = private

    def names(self) -> dict[str, Callable]:
        """Return the functions that guarded code calls."""
        return {_READ: self.read, _HAS: self.has, _OWNER: self.owner}

    def read(self, value: Any, name: str, default: Any = _MISSING) -> Any:
        """Return an attribute.

        Raises:
          RuntimeError: a script may not read it.
        """
        if self._is_readable(value, name):
            return getattr(value, name)
        if default is not _MISSING and not hasattr(value, name):
            return default
        if isinstance(value, torchlike.Tensor | Module) and not hasattr(value, name):
            return getattr(value, name)  # raises the error of the object
        raise RuntimeError(f"a loaded script cannot read the attribute {name} of {type(value).__name__}")

    def has(self, value: Any, name: str) -> bool:
        """Return whether an attribute exists that a script may read."""
        return self._is_readable(value, name) and hasattr(value, name)

    def owner(self, value: Any) -> Any:
        """Return an object whose attribute is written to.

        Raises:
          RuntimeError: a script may not write to it.
        """
        if isinstance(value, torchlike.Tensor | Module) or type(value) in self.classes:
            return value
        raise RuntimeError(f"a loaded script cannot write to an attribute of {type(value).__name__}")

    def _is_readable(self, value: Any, name: str) -> bool:
        kind = type(value)
        if name.startswith("__"):
            return False
        if isinstance(value, torchlike.Tensor):
            return name in _allowed.OF_TENSORS
        if kind in _allowed.OF_VALUES:
            return name in _allowed.OF_VALUES[kind]
        if isinstance(value, Module):
            return self._is_of_module(value, name)
        if isinstance(value, tuple):
            return name in getattr(kind, "_fields", ()) or name in _allowed.OF_VALUES[tuple]
        if isinstance(value, enum.Enum):
            return name in ("name", "value")
        if isinstance(value, type) and value in self.classes:
            return name in vars(value) or name in getattr(value, "__members__", ())
        return kind in self.classes and (name in vars(value) or name in vars(kind))

    def _is_of_module(self, module: Module, name: str) -> bool:
        if any(name in table for table in (module._parameters, module._buffers, module._modules)):
            return True
        if name in vars(module):
            return not name.startswith("_") or name in self.private
        owner = next((each for each in type(module).__mro__ if name in vars(each)), None)
        is_layer = owner is not None and owner is not Module and owner.__module__.startswith(_LAYERS)
        return owner in self.classes or is_layer or name in _OF_MODULES


def guarded(tree: ast.Module) -> ast.Module:
    """Return the tree of a function that reads and writes attributes through a `Guard`."""
    return ast.fix_missing_locations(_Guarded().visit(tree))


class _Guarded(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            node.value = _call(node, _OWNER, node.value)
            return node
        return _call(node, _READ, node.value, ast.Constant(node.attr))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name in ("getattr", "hasattr"):
            return _call(node, _READ if name == "getattr" else _HAS, *node.args)
        return node


def _call(place: ast.expr, name: str, *arguments: ast.expr) -> ast.Call:
    made = ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
    return ast.copy_location(made, place)
