"""Functions and modules made from the data of `_collected`.

The sources in a file are a part of Python without imports, private names and unlisted functions. Every tree is checked
before it is compiled.
"""

from __future__ import annotations

import ast
import collections
import enum
import itertools
import linecache
import string
from collections.abc import Callable
from typing import Any

import torchlike
from torchlike._transforms.marks import traced_range
from torchlike.jit import _allowed
from torchlike.jit._guarded import Guard, guarded
from torchlike.jit._kinds import of_text
from torchlike.jit._scripting import forbidden
from torchlike.jit._signature import Signature
from torchlike.jit.frontend import _EXPRESSIONS, _STATEMENTS
from torchlike.nn import Module

_BY_NAME = ("getattr", "hasattr")  # functions that are called with constant names only
_COUNT = itertools.count()
_PARTS: tuple[type, ...] = (
    *(ast.arguments, ast.arg, ast.keyword, ast.comprehension, ast.expr_context, ast.operator, ast.unaryop, ast.boolop),
    *(ast.cmpop, ast.withitem),
)
_OPERATORS = frozenset(
    f"__{name}__"
    for name in [
        "init",
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "radd",
        "rsub",
        "rmul",
        "neg",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "len",
        "contains",
        "getitem",
        "setitem",
        "str",
        "bool",
        "int",
        "float",
        "and",
        "or",
        "xor",
        "call",
        "enter",
        "exit",
    ]
)


class Restored:
    """The objects of a description.

    Args:
      document: the description.
      tensors: its tensors.

    Raises:
      ValueError: the description contains something that saved scripts may not use.
    """

    def __init__(self, document: dict, tensors: list[Any]) -> None:
        self.document, self.tensors = document, tensors
        self._made: dict[tuple[str, int], Any] = {}
        self._enums: dict[str, Any] = {}
        self._called: set[ast.expr] = set()
        own = {name for each in document["modules"] for name in (*each["attributes"], *each["modules"])}
        own |= {name for each in document["modules"] for name in (*each["_parameters"], *each["_buffers"])}
        own |= {name for each in document["classes"] for name in each["members"]}
        own |= {name for each in document["tuples"] for name in each["fields"]}
        nodes = (node for each in document["functions"] for node in ast.walk(ast.parse(each["source"])))
        named = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        own |= {_as_attribute(node).attr for node in named if node.func.id in _BY_NAME}  # type: ignore[attr-defined]
        stored = (ast.walk(ast.parse(each["source"])) for each in document["functions"])
        own |= {
            n.attr for tree in stored for n in tree if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
        }
        own |= {"name", "value", *_members(document)}
        # A private name of tensors would reach their memory, because any argument can be first.
        hidden = {name for name in own if name.startswith("_") and hasattr(torchlike.Tensor, name)}
        hidden |= {name for name in own if name.startswith("__") or name in _allowed.NOT_ATTRIBUTES}
        self.attributes = (_allowed.attributes() | {"training"} | own) - hidden
        self.guard = Guard(frozenset(name for name in own - hidden if name.startswith("_")))

    def value(self, reference: dict) -> Any:
        """Return the object of a reference."""
        ((kind, what),) = reference.items()
        simple: dict[str, Callable] = {
            "literal": lambda: what,
            "float": lambda: float(what),
            "list": lambda: [self.value(each) for each in what],
            "tuple": lambda: tuple(self.value(each) for each in what),
            "dict": lambda: {self.value(k): self.value(v) for k, v in what},
            "tensor": lambda: self.tensors[what],
            "device": lambda: torchlike.device(what),
            "library": lambda: _allowed.library(what),
            "builtin": lambda: traced_range if what == "range" else _allowed.BUILTINS[what],
            "unused": lambda: forbidden(_named(str(what))),
            "typing": lambda: _allowed.typing_name(what),
        }
        if kind in simple:
            return simple[kind]()
        if kind == "enum":
            return self._enum(*what)
        if kind == "member":
            return self.value(what[0])[what[1]]
        makers = {"function": self._function, "class": self._class, "named": self._tuple, "module": self._module}
        if (kind, what) not in self._made:
            makers[kind](what)
        return self._made[kind, what]

    def _enum(self, name: str, members: list) -> Any:
        if name not in self._enums:
            self._enums[name] = enum.Enum(name, [(each, self.value(value)) for each, value in members])
            self.guard.classes.add(self._enums[name])
        return self._enums[name]

    def _tuple(self, number: int) -> None:
        given = self.document["tuples"][number]
        defaults = [self.value(each) for each in given["defaults"].values()]
        self._made["named", number] = collections.namedtuple(given["name"], given["fields"], defaults=defaults)

    def _function(self, number: int) -> None:
        given = self.document["functions"][number]
        tree = ast.parse(given["source"])
        self._check(tree)
        space: dict[str, Any] = {"__builtins__": {}}
        file = f"<script {next(_COUNT)} {given['name']}>"
        lines = given["source"].splitlines(keepends=True)
        linecache.cache[file] = (len(given["source"]), None, lines, file)  # for the lines of errors, and to save again
        code = compile(guarded(tree), file, "exec", dont_inherit=True)
        exec(code, space)
        function = space[tree.body[0].name]
        self._made["function", number] = function
        for name, reference in given["names"].items():
            if name.startswith("__") or (reference.get("builtin") in _BY_NAME and reference["builtin"] != name):
                raise ValueError(f"the name {name}")
            space[name] = self.value(reference)
        space.update(self.guard.names())
        function._script_kinds = {str(name): str(kind) for name, kind in given["kinds"].items()}
        function.__defaults__ = tuple(self.value(each) for each in given["defaults"]) or None

    def signature(self, function: Any, is_method: bool) -> Signature:
        """Return the types of a restored function."""
        texts = dict(function._script_kinds)
        result = of_text(texts.pop("return", "?"))
        kinds = [(name, of_text(text)) for name, text in texts.items()]
        return Signature(function, kinds, result, None, is_method, "forward" if not is_method else None)

    def _check(self, tree: ast.Module) -> None:
        """Refuse everything except the statements and expressions of scripts.

        Raises:
          ValueError: the tree contains something else.
        """
        if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
            raise ValueError("a source that is not one function")
        definition = tree.body[0]
        arguments = definition.args.posonlyargs + definition.args.args
        own = arguments[0].arg if arguments else None
        if definition.decorator_list or definition.returns or any(a.annotation for a in arguments):
            raise ValueError("a decorator or annotation")
        if any(node.arg.startswith("__") for node in ast.walk(tree) if isinstance(node, ast.arg)):
            raise ValueError("an argument that begins with two underscores")
        calls = [node for node in ast.walk(definition) if isinstance(node, ast.Call)]
        self._called = {call.func for call in calls}
        for node in [definition.args, *definition.body]:
            for each in ast.walk(node):
                self._check_node(each, own)

    def _check_node(self, node: ast.AST, own: str | None) -> None:
        # A generator would lead to its frame.
        if not isinstance(node, (*_STATEMENTS, *_EXPRESSIONS, *_PARTS)) or isinstance(node, ast.GeneratorExp):
            raise ValueError(f"{type(node).__name__} in a script")
        if isinstance(node, ast.Name) and node.id.startswith("__"):
            raise ValueError(f"the name {node.id}")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _BY_NAME:
            node = _as_attribute(node)
        elif isinstance(node, ast.Name) and node.id in _BY_NAME and node not in self._called:
            raise ValueError(f"{node.id} that is not called")
        if not isinstance(node, ast.Attribute):
            return
        is_own = isinstance(node.value, ast.Name) and node.value.id == own
        private = node.attr.startswith("__") or (node.attr.startswith("_") and not is_own)
        if private or node.attr not in self.attributes:
            raise ValueError(f"the attribute {node.attr}")
        if node.attr in ("format", "format_map") and not _is_plain_format(node.value):
            raise ValueError("the attribute format")

    def _class(self, number: int) -> None:
        given = self.document["classes"][number]
        base: Any = Module if given["module"] else object
        if given["base"] is not None:
            base = self.value(given["base"])
            if not issubclass(base, Module):
                raise ValueError(f"the base {base}")
        made = self._made["class", number] = type(given["name"], (base,), {"__module__": "__torch__"})
        self.guard.classes.add(made)
        wraps: dict[str, Callable] = {"static": staticmethod, "property": property, "method": lambda f: f}
        for name, (form, function) in given["members"].items():
            if name.startswith("__") and name not in _OPERATORS:
                raise ValueError(f"the method {name}")
            if form == "unused":
                setattr(made, name, forbidden(_named(name)))
            else:
                setattr(made, name, wraps[form](self.value({"function": function})))

    def _module(self, number: int) -> None:
        given = self.document["modules"][number]
        kind = self.value(given["class"])
        if not (isinstance(kind, type) and issubclass(kind, Module)):
            raise ValueError(f"{kind} is no module")
        made = self._made["module", number] = object.__new__(kind)
        own = made.__dict__
        own.update(Module().__dict__)
        for name, reference in given["attributes"].items():
            if "missing" not in reference and name not in own:
                own[name] = self.value(reference)
        for table in ("_parameters", "_buffers"):
            own[table].update({n: None if i is None else self.tensors[i] for n, i in given[table].items()})
        own["_non_persistent_buffers_set"] = set(given["temporary"])
        for name, inner in given["modules"].items():
            own["_modules"][name] = None if inner is None else self.value({"module": inner})
        own["training"], own["original_name"] = bool(given["training"]), str(given["name"])


def _members(description: Any) -> set[str]:
    """Return the names of the members of all enumerations of a description."""
    if isinstance(description, list):
        return {name for each in description for name in _members(each)}
    if not isinstance(description, dict):
        return set()
    own = {str(name) for name, _ in description["enum"][1]} if "enum" in description else set()
    return own | {name for each in description.values() for name in _members(each)}


def _as_attribute(node: ast.Call) -> ast.Attribute:
    """Return `getattr(x, "name")` as `x.name`."""
    name = node.args[1] if len(node.args) > 1 else None
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str) or node.keywords:
        raise ValueError("getattr of a name that is not constant")
    return ast.Attribute(node.args[0], name.value, ast.Load())


def _is_plain_format(node: ast.expr) -> bool:
    """Return whether a node is a string whose fields read no attributes."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    fields = string.Formatter().parse(node.value)
    return not any({".", "["} & set(field or "") or "{" in (form or "") for _, field, form, _ in fields)


def _named(name: str) -> Callable:
    def method() -> None:
        raise NotImplementedError(name)

    method.__name__ = name
    return method
