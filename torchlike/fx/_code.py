"""Generation of Python code from a graph."""

from __future__ import annotations

import builtins
import operator
import re
from typing import Any

import torchlike

from ._style import Style
from .graph import Graph, PythonCode
from .node import Node, map_arg, qualified_name, type_text

_BINARY = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
    operator.matmul: "@",
    operator.and_: "&",
    operator.or_: "|",
    operator.xor: "^",
    operator.lshift: "<<",
    operator.rshift: ">>",
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.gt: ">",
    operator.le: "<=",
    operator.ge: ">=",
}
_UNARY = {operator.neg: "-", operator.pos: "+", operator.invert: "~"}


class _Writer:
    """A generator of lines of code. `globals` collects the objects to which the code refers."""

    def __init__(self, root: str, style: Style) -> None:
        self.root, self.style = root, style
        self.globals: dict[str, Any] = {
            "torch": torchlike,
            "device": torchlike.device,
            "inf": float("inf"),
            "nan": float("nan"),
            "NoneType": type(None),
        }

    def name_of(self, name: str, found: Any) -> str:
        """Return the name of an object in the code: its qualified name in `torch`, or a name added to the globals."""
        if name.startswith("torch.") or "." not in name:
            return name if name.startswith("torch.") else self._global_name(name, found)
        return self._global_name(name.replace("operator.", "_operator."), found)

    def _global_name(self, name: str, found: Any) -> str:
        name = re.sub(r"\W+", "_", name)
        if getattr(builtins, name, self) is found:
            return name
        while self.globals.setdefault(name, found) is not found:
            name += "_"
        return name

    def text(self, arg: Any) -> str:
        """Return the code of an argument."""
        if isinstance(arg, Node):
            return arg.name
        if isinstance(arg, tuple):
            inside = ", ".join(map(self.text, arg)) + ("," if len(arg) == 1 else "")
            return f"{self._global_name(type(arg).__name__, type(arg)) if hasattr(arg, '_fields') else ''}({inside})"
        if isinstance(arg, list):
            return "[" + ", ".join(map(self.text, arg)) + "]"
        if isinstance(arg, dict):
            text = "{" + ", ".join(f"{key!r}: {self._plain(each)}" for key, each in arg.items()) + "}"
            return self.style.paint(text, "blue")
        if isinstance(arg, slice):
            return f"slice({self.text(arg.start)}, {self.text(arg.stop)}, {self.text(arg.step)})"
        if isinstance(arg, torchlike.Tensor | type) or callable(arg):
            return self._global_name(getattr(arg, "__name__", "_constant"), arg)
        if isinstance(arg, int | float | complex | str | bytes | None | type(...) | torchlike.dtype | torchlike.device):
            return self.style.paint(repr(arg), "blue")
        return self._global_name(f"_{type(arg).__name__}", arg)

    def _plain(self, arg: Any) -> str:
        """Return the code of an argument without colors."""
        style, self.style = self.style, self.style._replace(colored=False)
        try:
            return self.text(arg)
        finally:
            self.style = style

    def annotation(self, node: Node) -> str:
        """Return the annotation of a node's variable: its known dtype and shape, its type, or nothing."""
        tensor = self.style.tensor(node)
        if tensor is not None:
            return f": {tensor}"
        return "" if node.type is None else f" : {self.type_code(node.type)}"

    def type_code(self, kind: Any) -> str:
        """Return the code of an annotation.

        Built-in types and classes of `torch` are referred to by their names. Other annotations are added to the
        globals.
        """
        if not isinstance(kind, type) or kind.__module__ == "builtins":
            return self.text(kind) if kind is None or isinstance(kind, type) else self._global_name("_type", kind)
        return self.name_of(type_text(kind), kind)

    def call(self, args: tuple, kwargs: dict) -> str:
        return ", ".join([*map(self.text, args), *(f"{key} = {self.text(each)}" for key, each in kwargs.items())])

    def line(self, node: Node) -> str:
        """Return the statement that computes a node and assigns the result to the node's name."""
        return f"{node.name}{self.annotation(node)} = {self._expression(node)}"

    def _expression(self, node: Node) -> str:
        target: Any = node.target
        if node.op == "get_attr":
            return _path(self.root, target)
        if node.op == "call_module":
            return f"{_path(self.root, target)}({self.call(node.args, node.kwargs)})"
        if node.op == "call_method":
            first = self.text(node.args[0])
            first = first if isinstance(node.args[0], Node) else f"({first})"
            return f"{first}.{target}({self.call(node.args[1:], node.kwargs)})"
        if not node.kwargs and target in _BINARY and len(node.args) == 2:
            return f"{self.text(node.args[0])} {_BINARY[target]} {self.text(node.args[1])}"
        if not node.kwargs and target in _UNARY and len(node.args) == 1:
            return f"{_UNARY[target]}{self.text(node.args[0])}"
        if target is operator.getitem and isinstance(node.args[0], Node):
            return f"{node.args[0].name}[{self.text(node.args[1])}]"
        plain = target is getattr and len(node.args) == 2 and isinstance(node.args[0], Node)
        if plain and isinstance(node.args[1], str) and node.args[1].isidentifier():
            return f"{node.args[0].name}.{node.args[1]}"
        return f"{self.name_of(qualified_name(target), target)}({self.call(node.args, node.kwargs)})"


def _path(root: str, target: str) -> str:
    """Return the code that reads an attribute with a dotted name.

    Parts of the name that are not identifiers are read with `getattr`.
    """
    found = root
    for part in target.split("."):
        found = f"{found}.{part}" if part.isidentifier() else f'getattr({found}, "{part}")'
    return found


def generate(graph: Graph, root: str, style: Style) -> PythonCode:
    """Return the code of a `forward` method that computes a graph. Variables are set to None after their last use."""
    writer = _Writer(root, style)
    arguments, body, returned, comment = [root], [], "", None
    last_user: dict[Node, Node] = {}
    for node in reversed(graph.nodes):
        map_arg((node.args, node.kwargs), lambda each, user=node: last_user.setdefault(each, user))
    for node in graph.nodes:
        if node.op == "placeholder":
            arguments.append(_argument(writer, node))
            plain = str(node.target).lstrip("*")
            if plain != node.name:
                body.append(f"{node.name} = {plain}")
        elif node.op == "output":
            returned = "" if node.type is None else f" -> {writer.type_code(node.type)}"
            body.append(f"return {writer.text(node.args[0])}")
        else:
            if style.verbose and comment != (comment := style.comment(node)):
                body += [""] * bool(body) + [style.paint(comment, "dim")]
            dead = [n.name for n, user in last_user.items() if user is node]
            unused = [node.name] if not node.users else []
            freed = "".join(f"{name} = " for name in (*dead, *unused))
            body.append(writer.line(node) + (f";  {style.paint(f'{freed}None', 'dim')}" if freed else ""))
    lines = "".join(f"\n    {line}" for line in body or ["pass"])
    return PythonCode(f"\n\n\n{style.signature(arguments, returned)}{lines}\n    ", writer.globals)


def _argument(writer: _Writer, node: Node) -> str:
    return f"{node.target}{writer.annotation(node)}" + (f" = {writer.text(node.args[0])}" if node.args else "")
