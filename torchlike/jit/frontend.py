"""The sources of scripted functions, and the check for statements and expressions that TorchScript does not support."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any


class FrontendError(Exception):
    """Raised for Python code that TorchScript does not support. The message shows the lines of the code.

    Args:
      source_range: the text that shows the code and its position.
      msg: the reason.
    """

    def __init__(self, source_range: Any, msg: str) -> None:
        super().__init__(source_range, msg)
        self.source_range, self.msg = source_range, msg

    def __str__(self) -> str:
        return f"{self.msg}{self.source_range}"


class NotSupportedError(FrontendError):
    """Raised for a form of a statement or expression that TorchScript does not support."""


class UnsupportedNodeError(NotSupportedError):
    """Raised for a kind of statement or expression that TorchScript does not support."""


class Source:
    """The source of a function.

    Attributes:
      function: the Python function.
      definition: its syntax tree. Line 1 of the tree is the first of `lines`.
      lines: its dedented lines.
      file, first: its file, and the number of the first line in the file.

    Args:
      function: the function.
      is_traced: whether the function is traced. Only a traced function can be a lambda expression.

    Raises:
      OSError: the source is not available.
    """

    def __init__(self, function: types.FunctionType, is_traced: bool = False) -> None:
        try:
            lines, self.first = inspect.getsourcelines(function)
        except OSError as error:
            raise OSError(
                f"Can't get source for {function}. TorchScript requires source access in order to carry out "
                "compilation, make sure original .py files are available."
            ) from error
        self.function, self.file = function, inspect.getsourcefile(function) or "<string>"
        text = textwrap.dedent("".join(lines))
        self.lines = text.splitlines()
        self._indent = " " * (len(lines[0]) - len(lines[0].lstrip()))
        try:
            body = ast.parse(text).body
        except SyntaxError:  # a lambda in the middle of an expression
            body = []
        if function.__name__ == "<lambda>" and is_traced:
            body = _lambdas(body, function)
        if len(body) != 1 or not isinstance(body[0], ast.FunctionDef):
            raise RuntimeError(f"Expected a single top-level function: {self.file}:{self.first}")
        self.definition: ast.FunctionDef = body[0]

    def shown(self, node: ast.AST, width: int | None = None) -> str:
        """Return the lines around a node, with a mark below it, as TorchScript shows them."""
        begin, end = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
        from_column, to_column = node.col_offset, node.end_col_offset  # type: ignore[attr-defined]
        if width is not None:
            end, to_column = begin, from_column + width
        shown = []
        for number in range(max(begin - 2, 1), min(end + 3, len(self.lines)) + 1):
            line = self.lines[number - 1]
            shown.append(self._indent + line if line else "")
            if begin <= number <= end:
                left = from_column if number == begin else len(line) - len(line.lstrip())
                right = to_column if number == end else len(line)
                mark = self._indent + " " * left + "~" * max(right - left, 1)
                shown.append(mark + (" <--- HERE" if number == end else ""))
        text = "\n".join(shown)
        return f':\n  File "{self.file}", line {self.first + begin - 1}\n{text}\n'

    def refused(self, node: ast.AST, text: str) -> RuntimeError:
        """Return the error that TorchScript's compiler raises for a node."""
        return RuntimeError(f"\n{text}{self.shown(node)}")


def _lambdas(body: list[ast.stmt], function: types.FunctionType) -> list[ast.stmt]:
    """Return the lambda expressions in `body` that have the arguments of `function`, as function definitions."""
    names, found = list(function.__code__.co_varnames[: function.__code__.co_argcount]), []
    for node in (each for statement in body for each in ast.walk(statement)):
        if isinstance(node, ast.Lambda) and [argument.arg for argument in node.args.args] == names:
            made = ast.FunctionDef("forward", node.args, [ast.copy_location(ast.Return(node.body), node)], [])
            found.append(ast.fix_missing_locations(ast.copy_location(made, node)))
    return found


_NAMES: dict[type, tuple[str, int]] = {
    ast.FunctionDef: ("function definitions", 3),
    ast.ClassDef: ("class definitions", 5),
    ast.Import: ("import statements", 6),
    ast.ImportFrom: ("import statements", 4),
    ast.Global: ("global variables", 6),
    ast.AsyncFunctionDef: ("async function definitions", 9),
    ast.AsyncFor: ("async for loops", 9),
    ast.AsyncWith: ("async with statements", 10),
    ast.Try: ("try blocks", 3),
    ast.Nonlocal: ("nonlocal variables", 8),
}
_STATEMENTS: tuple[type, ...] = (
    *(ast.Expr, ast.Assign, ast.AnnAssign, ast.Delete, ast.Return, ast.Raise, ast.Assert, ast.AugAssign, ast.While),
    *(ast.For, ast.If, ast.Pass, ast.Break, ast.Continue, ast.With),
)
_EXPRESSIONS: tuple[type, ...] = (
    *(ast.Attribute, ast.Call, ast.Name, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.IfExp, ast.Compare, ast.Subscript),
    *(ast.List, ast.Tuple, ast.Dict, ast.Constant, ast.JoinedStr, ast.ListComp, ast.GeneratorExp, ast.DictComp),
    *(ast.Starred, ast.Slice, ast.FormattedValue),
)
_AUGMENTED = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod, ast.BitOr, ast.BitAnd, ast.BitXor, ast.LShift, ast.RShift)


def _comprehension(node: Any) -> str | None:
    if len(node.generators) != 1:
        return "Only a single generator is currently supported"
    return "Comprehension ifs are not supported yet" if node.generators[0].ifs else None


def _joined(node: Any) -> str | None:
    parts = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    if any(part.conversion != -1 for part in parts):
        return "Don't support conversion in JoinedStr"
    return "Don't support formatting in JoinedStr" if any(part.format_spec for part in parts) else None


def _augmented(node: Any) -> str | None:
    if isinstance(node.op, (*_AUGMENTED, ast.Pow)):
        return None
    return "unsupported kind of augmented assignment: " + type(node.op).__name__


# For each kind of node, the reason why some of its forms are not supported, or None.
_FORMS: dict[type, Callable[[Any], str | None]] = {
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.JoinedStr: _joined,
    ast.AugAssign: _augmented,
    ast.For: lambda n: "else branches of for loops aren't supported" if n.orelse else None,
    ast.While: lambda n: "else branches of while loops aren't supported" if n.orelse else None,
    ast.UnaryOp: lambda n: "unsupported unary operator: UAdd" if isinstance(n.op, ast.UAdd) else None,
    ast.Dict: lambda n: "Dict expansion (e.g. `{**dict}`) is not supported" if n.keys and not n.keys[0] else None,
    ast.Call: lambda n: "keyword-arg expansion is not supported" if any(not k.arg for k in n.keywords) else None,
    ast.Name: lambda n: (
        "names of variables used in JIT-ed functions can't start with __jit" if n.id.startswith("__jit") else None
    ),
}
_VARARGS = "Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults"


def check(source: Source) -> None:
    """Check that a function has only statements and expressions that TorchScript supports.

    Raises:
      NotSupportedError: the function has another one.
    """
    arguments = source.definition.args
    for node in (arguments.vararg, arguments.kwarg):
        if node is not None:
            raise NotSupportedError(source.shown(node), _VARARGS)
    for node, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if default is not None:
            raise NotSupportedError(source.shown(node), _VARARGS)
    for statement in source.definition.body:
        _check_node(source, statement)


def _check_node(source: Source, node: ast.AST) -> None:
    is_statement, is_expression = isinstance(node, ast.stmt), isinstance(node, ast.expr)
    if (is_statement and not isinstance(node, _STATEMENTS)) or (is_expression and not isinstance(node, _EXPRESSIONS)):
        name, width = _NAMES.get(type(node), (type(node).__name__, 1))
        raise UnsupportedNodeError(source.shown(node, width), f"{name} aren't supported")
    if isinstance(node, ast.AnnAssign) and node.value is None:
        raise UnsupportedNodeError(
            source.shown(node, 1), "annotated assignments without assigned value aren't supported"
        )
    reason = _FORMS.get(type(node), lambda _: None)(node)
    if reason is not None:
        raise NotSupportedError(source.shown(node), reason)
    if isinstance(node, ast.AnnAssign):  # Python evaluates the annotation, so it may have any form
        children: list[ast.AST] = [node.target, *([node.value] if node.value else [])]
    else:
        children = [*ast.iter_child_nodes(node)]
    for child in children:
        _check_node(source, child)
