"""The types of TorchScript, as far as the checks of `torch.jit.script` know them."""

from __future__ import annotations

import ast
import types
import typing
from dataclasses import dataclass, field
from typing import Any

import torchlike
from torchlike.nn import Module


@dataclass(frozen=True)
class Kind:
    """A type.

    Attributes:
      name: "Tensor", "int", "List", "Optional", ..., "Module" for a module, or "?" for a type that is not known.
      args: the types inside, for containers.
      inferred: whether it is the type of an argument without annotation.
      value: the module or the class of named tuples.
    """

    name: str
    args: tuple[Kind, ...] = ()
    inferred: bool = field(default=False, compare=False)
    value: Any = field(default=None, compare=False)

    def __str__(self) -> str:
        if self.inferred:
            return f"{self.name} (inferred)"
        return f"{self.name}[{', '.join(map(str, self.args))}]" if self.args else self.name

    @property
    def is_known(self) -> bool:
        """Whether the type and the types inside are known."""
        return self.name != "?" and all(each.is_known for each in self.args)


UNKNOWN, TENSOR, NONE, ANY = Kind("?"), Kind("Tensor"), Kind("NoneType"), Kind("Any")
INT, FLOAT, BOOL, STR, COMPLEX = Kind("int"), Kind("float"), Kind("bool"), Kind("str"), Kind("complex")
INFERRED = Kind("Tensor", inferred=True)
NUMBERS = (INT, FLOAT, BOOL)
_SIMPLE: dict[Any, Kind] = {
    int: INT,
    float: FLOAT,
    bool: BOOL,
    str: STR,
    complex: COMPLEX,
    type(None): NONE,
    None: NONE,
}
_TEXTS = ("Tensor", "int", "float", "bool", "str", "complex", "NoneType", "Any")
_NAMES = {list: "List", dict: "Dict", tuple: "Tuple"}


def list_of(kind: Kind) -> Kind:
    """Return the type of lists with these elements."""
    return Kind("List", (kind,))


def optional(kind: Kind) -> Kind:
    """Return the type that also has None."""
    return kind if kind.name in ("Optional", "NoneType", "?", "Any") else Kind("Optional", (kind,))


class BareTypeError(RuntimeError):
    """Raised for a container without the types inside. Its text names no line."""


def of_annotation(annotation: Any) -> Kind:
    """Return the type that an annotation means.

    Raises:
      RuntimeError: TorchScript does not have the type, such as `set` or a list without a contained type.
    """
    if annotation is Any:
        return ANY
    if isinstance(annotation, type) and issubclass(annotation, torchlike.Tensor):
        return TENSOR
    if annotation is None or annotation in _SIMPLE:
        return _SIMPLE[annotation]
    if annotation in (set, frozenset, bytes, object, dict):
        raise RuntimeError(f"Unknown type name '{annotation.__name__}'")
    if typing.get_origin(annotation) in _NAMES and not typing.get_args(annotation):  # List, Dict or Tuple of typing
        raise BareTypeError(_bare(str(annotation).removeprefix("typing.")))
    if isinstance(annotation, type) and hasattr(annotation, "_fields"):
        return Kind(annotation.__name__, value=annotation)
    return _parameterized(annotation)


def _bare(name: str) -> str:
    return f"Attempted to use {name} without a contained type. Please add a contained type, e.g. {name}[int]"


def _parameterized(annotation: Any) -> Kind:
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in _NAMES and args and Ellipsis not in args:
        return Kind(_NAMES[origin], tuple(of_annotation(each) for each in args))
    if origin in (typing.Union, types.UnionType):
        inner = [of_annotation(each) for each in args if each is not type(None)]
        return optional(inner[0]) if len(inner) == 1 and len(args) == 2 else UNKNOWN
    if origin is typing.Final and args:
        return of_annotation(args[0])
    return UNKNOWN


def of_text(text: str) -> Kind:
    """Return the type that `str` of a type shows. Other classes than TorchScript's are not known."""
    if text.endswith(" (inferred)"):
        return INFERRED
    if "?" in text:
        return UNKNOWN
    return _of_node(ast.parse(text, mode="eval").body)


def _of_node(node: ast.expr) -> Kind:
    if isinstance(node, ast.Name):
        return Kind(node.id) if node.id in _TEXTS else UNKNOWN
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return UNKNOWN
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return Kind(node.value.id, tuple(map(_of_node, inner)))


def of_value(value: Any) -> Kind:
    """Return the type of a Python value, such as an attribute of a module."""
    if isinstance(value, torchlike.Tensor):
        return TENSOR
    if isinstance(value, Module):
        return Kind("Module", value=value)
    if type(value) in _SIMPLE:
        return _SIMPLE[type(value)]
    if type(value) is tuple and value:
        return Kind("Tuple", tuple(map(of_value, value)))
    if type(value) is list and value:
        inner = {of_value(each) for each in value}
        return list_of(inner.pop()) if len(inner) == 1 else UNKNOWN
    if type(value) is dict and value:
        keys, values = set(map(of_value, value)), set(map(of_value, value.values()))
        return Kind("Dict", (keys.pop(), values.pop())) if len(keys) == len(values) == 1 else UNKNOWN
    return UNKNOWN


def fits(kind: Kind, wanted: Kind) -> bool:
    """Return whether a value of one type can be used as the other. An unknown type always fits."""
    if "?" in (kind.name, wanted.name) or wanted.name in ("Any", "Union") or kind.name in ("Any", "Union"):
        return True
    if wanted.name == "Optional":
        inner = wanted.args[0]
        return kind == NONE or fits(kind.args[0] if kind.name == "Optional" else kind, inner)
    if wanted.name == "List" and kind.name == "Tuple":  # a tuple is passed as a list
        return all(converts(each, wanted.args[0]) for each in kind.args)
    if kind.name != wanted.name:
        return False
    if len(kind.args) != len(wanted.args):
        return kind.name != "Tuple"
    return all(map(fits, kind.args, wanted.args))


def converts(kind: Kind, wanted: Kind) -> bool:
    """Return whether TorchScript passes a value of one type for the other: tensors are converted to numbers."""
    if wanted.name == "Optional" and kind.name not in ("Optional", "NoneType"):
        return converts(kind, wanted.args[0])
    return fits(kind, wanted) or (kind.name == "Tensor" and wanted in (INT, FLOAT, Kind("number")))


def unified(a: Kind, b: Kind) -> Kind | None:
    """Return a type that has the values of both, or None if TorchScript has none."""
    if "?" in (a.name, b.name):
        return UNKNOWN
    if a == b:
        return a if not a.inferred else b
    if NONE in (a, b):
        return optional(b if a == NONE else a)
    if a.name == b.name == "Tuple" and len(a.args) == len(b.args):
        inner = [unified(x, y) for x, y in zip(a.args, b.args)]
        return None if None in inner else Kind("Tuple", tuple(each for each in inner if each is not None))
    if fits(a, b):
        return b
    return a if fits(b, a) else None


def accepts(kind: Kind, value: Any) -> bool:
    """Return whether a Python value can be an argument of the type."""
    if not kind.is_known or kind.name in ("Any", "Module") or kind.value is not None:
        return True
    if kind.name == "Optional":
        return value is None or accepts(kind.args[0], value)
    is_tensor = isinstance(value, torchlike.Tensor)
    if kind.name in ("List", "Dict", "Tuple"):
        return _accepts_items(kind, value)
    simple: dict[str, Any] = {
        "Tensor": is_tensor,
        "int": isinstance(value, int) or is_tensor,
        "float": isinstance(value, int | float) or is_tensor,
        "complex": isinstance(value, int | float | complex) or is_tensor,
        "bool": not isinstance(value, str),
        "str": isinstance(value, str),
        "NoneType": value is None,
    }
    return simple.get(kind.name, True)


def _accepts_items(kind: Kind, value: Any) -> bool:
    if kind.name == "Dict":
        given = value.items() if isinstance(value, dict) else None
        return given is not None and all(accepts(kind.args[0], k) and accepts(kind.args[1], v) for k, v in given)
    if not isinstance(value, list | tuple):
        return False
    if kind.name == "Tuple":
        return len(value) == len(kind.args) and all(map(accepts, kind.args, value))
    return all(accepts(kind.args[0], each) for each in value)
