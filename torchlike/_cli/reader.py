"""The names that a Python program binds and reads, collected in one pass over its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, NamedTuple

from torchlike._cli.scopes import ROOTS, Binding, Scope, chain

FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
COMPREHENSION = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
HANDLED = {"ImportError", "ModuleNotFoundError", "AttributeError", "NotImplementedError", "Exception", "BaseException"}


class Read(NamedTuple):
    """A name with attributes (`nn.init.zeros_`) that a program reads or assigns, or a name that it imports."""

    node: ast.AST
    scope: Scope
    words: tuple[str, ...]
    path: str = ""  # of an import
    call: ast.Call | None = None  # the call of which this is the function
    is_argument: bool = False
    is_stored: bool = False
    is_optional: bool = False  # inside `try` with a handler for a missing name
    is_for_types: bool = False  # under `if TYPE_CHECKING`


class Program(ast.NodeVisitor):
    """A parsed program: its reads in order, the other packages that it imports, and the names that it tests for."""

    def __init__(self, tree: ast.Module) -> None:
        self.scope = Scope()
        self.reads: list[Read] = []
        self.packages: dict[str, ast.AST] = {}
        self.probes: list[tuple[Scope, ast.expr, str]] = []
        self._arms: tuple[tuple[int, str], ...] = ()
        self._optional = self._for_types = False
        self._declare(tree.body, self.scope)
        self._visit_all(tree.body)

    def _visit_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def _declare(self, body: Iterable[ast.AST], scope: Scope) -> None:
        """Note the `global` and `nonlocal` statements of a body, which apply to the whole scope."""
        for node in body:
            if isinstance(node, ast.Global | ast.Nonlocal):
                for name in node.names:
                    outer = scope.module() if isinstance(node, ast.Global) else scope.parent
                    scope.elsewhere[name] = (outer and outer.find(name)) or outer or scope
            elif not isinstance(node, FUNCTION | ast.ClassDef):
                self._declare(ast.iter_child_nodes(node), scope)

    def _bind(self, name: str, path: str = "", value: ast.expr | None = None) -> None:
        self.scope.bind(name, Binding(self._arms, path, value, self.scope))

    def _read(self, node: ast.AST, words: tuple[str, ...], **more: Any) -> None:
        self.reads.append(
            Read(node, self.scope, words, is_optional=self._optional, is_for_types=self._for_types, **more)
        )

    # -- imports -------------------------------------------------------------------------------------------------------

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            is_ours = top in ROOTS
            if is_ours:
                self._read(alias, (), path=_torch(alias.name))
            else:
                self.packages.setdefault(top, node)
            self._bind(alias.asname or top, _torch(alias.name if alias.asname else top) if is_ours else "")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        top = (node.module or "").partition(".")[0] if not node.level else ""
        is_ours = top in ROOTS
        if top and not is_ours:
            self.packages.setdefault(top, node)
        for alias in node.names:
            if alias.name == "*":
                self.scope.stars.append(_torch(node.module or "") if is_ours else None)
                continue
            path = _torch(f"{node.module}.{alias.name}") if is_ours else ""
            if is_ours:
                self._read(alias, (), path=path)
            self._bind(alias.asname or alias.name, path)

    # -- branches ------------------------------------------------------------------------------------------------------

    def _visit_arm(self, statement: ast.AST, arm: str, body: Iterable[ast.AST]) -> None:
        before = self._arms
        self._arms = (*before, (id(statement), arm))
        self._visit_all(body)
        self._arms = before

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        before = self._for_types
        self._for_types = before or _is_type_checking(node.test)
        self._visit_arm(node, "if", node.body)
        self._for_types = before
        self._visit_arm(node, "else", node.orelse)

    def visit_Try(self, node: ast.Try) -> None:
        self._visit_try(node)

    def _visit_try(self, node: ast.Try | ast.TryStar) -> None:
        before = self._optional
        self._optional = before or any(map(_handles_missing_names, node.handlers))
        self._visit_arm(node, "try", node.body)
        self._optional = before
        for handler in node.handlers:
            self._visit_arm(node, "except", [handler])
        self._visit_arm(node, "try", node.orelse)
        self._visit_all(node.finalbody)

    def visit_TryStar(self, node: ast.TryStar) -> None:
        self._visit_try(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name)
        self.generic_visit(node)

    # -- bindings ------------------------------------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._assign(target, node.value)
        self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign(node.target, node.value)
        elif not isinstance(node.target, ast.Name):
            self.visit(node.target)
        self._visit_all([node.annotation, node.value])

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._assign(node.target, node.value)
        self.visit(node.value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, value=value)
        elif (
            isinstance(target, ast.Tuple | ast.List)
            and isinstance(value, ast.Tuple | ast.List)
            and len(target.elts) == len(value.elts)
            and not any(isinstance(x, ast.Starred) for x in (*target.elts, *value.elts))
        ):
            for one, other in zip(target.elts, value.elts, strict=True):
                self._assign(one, other)
        else:
            self.visit(target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name):
            self.visit(node.target)
        self.visit(node.value)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self._bind(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._bind(node.rest)
        self.generic_visit(node)

    # -- scopes --------------------------------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for each in node.decorator_list:
            self._visit_called(each)
        self._bind(node.name)
        self._visit_function(node, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_function(node, [node.body])

    def _visit_function(self, node: FUNCTION, body: Iterable[ast.AST]) -> None:
        args = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        starred = [arg for arg in (args.vararg, args.kwarg) if arg is not None]
        self._visit_all([*args.defaults, *args.kw_defaults, *(arg.annotation for arg in (*every, *starred))])
        self._visit_all([getattr(node, "returns", None)])
        outer, arms = self._enter(Scope(self.scope))
        self._declare(body, self.scope)
        for arg in (*every, *starred):
            self._bind(arg.arg)
        self._visit_all(body)
        self.scope, self._arms = outer, arms

    def _enter(self, scope: Scope) -> tuple[Scope, tuple]:
        before = self.scope, self._arms
        self.scope, self._arms = scope, ()
        return before

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for each in node.decorator_list:
            self._visit_called(each)
        self._visit_all([*node.bases, *node.keywords])
        self._bind(node.name)
        outer, arms = self._enter(Scope(self.scope, is_class=True))
        self._declare(node.body, self.scope)
        self._visit_all(node.body)
        self.scope, self._arms = outer, arms

    def _visit_comprehension(self, node: COMPREHENSION) -> None:
        first, *others = node.generators
        self.visit(first.iter)
        outer, arms = self._enter(Scope(self.scope))
        for at, part in enumerate((first, *others)):
            self._visit_all([part.iter] if at else [])
            self._visit_all([part.target, *part.ifs])
        self._visit_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
        # An assignment expression binds its name in the function that contains the comprehension.
        for inner in (x.target.id for x in ast.walk(node) if isinstance(x, ast.NamedExpr)):
            outer.bind(inner, Binding(arms))
        self.scope, self._arms = outer, arms

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    # -- reads ---------------------------------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._read(node, (node.id,))
        elif isinstance(node.ctx, ast.Store):
            self._bind(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._visit_chain(node)

    def visit_Call(self, node: ast.Call) -> None:
        self._visit_called(node.func, node)
        self._note_probe(node)
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            if isinstance(argument, ast.Name | ast.Attribute):
                self._visit_chain(argument, is_argument=True)
            else:
                self.visit(argument)

    def _visit_called(self, node: ast.expr, call: ast.Call | None = None) -> None:
        if isinstance(node, ast.Name | ast.Attribute):
            self._visit_chain(node, call=call or ast.Call(node, [], []))
        else:
            self.visit(node)

    def _visit_chain(self, node: ast.Name | ast.Attribute, **more: Any) -> None:
        words = chain(node)
        if words and isinstance(node.ctx, ast.Load):
            self._read(node, words, **more)
        elif words and len(words) > 1:
            self._read(node, words, is_stored=True)
        elif isinstance(node, ast.Attribute):
            self.visit(node.value)
        else:
            self.visit(node)

    def _note_probe(self, node: ast.Call) -> None:
        """Note `hasattr(x, "name")` and `getattr(x, "name", default)`. Without a default, `getattr` reads the name."""
        if not isinstance(node.func, ast.Name) or node.func.id not in ("hasattr", "getattr") or len(node.args) < 2:
            return
        owner, name = node.args[:2]
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            return
        words = chain(owner)
        if node.func.id == "getattr" and len(node.args) == 2 and words:
            self._read(node, (*words, *name.value.split(".")))
        else:
            self.probes.append((self.scope, owner, name.value))


def _torch(path: str) -> str:
    """Return PyTorch's path of a module of either library."""
    return "torch" + path.removeprefix(path.partition(".")[0])


def _is_type_checking(test: ast.expr) -> bool:
    return chain(test)[-1:] == ("TYPE_CHECKING",)


def _handles_missing_names(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or HANDLED.intersection(chain(kind)[-1:]) for kind in kinds)
