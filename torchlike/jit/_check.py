"""The checks of `torch.jit.script`: types of statements, and signatures of functions.

A type that is not known never leads to a refusal.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable
from typing import Any

from torchlike._errors.callers import is_ours
from torchlike.jit import frontend
from torchlike.jit._check_calls import Calls
from torchlike.jit._environment import Names, Poison
from torchlike.jit._kinds import (
    INFERRED,
    NONE,
    UNKNOWN,
    BareTypeError,
    Kind,
    accepts,
    converts,
    fits,
    of_annotation,
    of_value,
    unified,
)
from torchlike.jit._signature import Signature
from torchlike.jit.frontend import Source
from torchlike.nn import Module

_MUTABLE = (
    "Mutable default parameters are not supported because Python binds them to the function and they persist across "
    "function calls.\n As a workaround, make the default None and instantiate the default parameter within the body of "
    "the function. Found {} on parameter {}."
)


overloaded: set[tuple[str, str]] = set()  # the modules and names of functions with declared overloads


class Checks:
    """The checked functions of one call of `script`. Each function is checked once.

    Attributes:
      decisions: for conditions that the compiler decides, by their place, whether they are true.
    """

    def __init__(self) -> None:
        self._done: dict[Any, Signature] = {}
        self.decisions: dict[tuple, bool | None] = {}

    def decide(self, source: Source, node: ast.AST, known: bool | None) -> None:
        """Note the branch of a statement or expression that is compiled. It is None if calls differ."""
        key = place_of(source, node)
        self.decisions[key] = known if self.decisions.get(key, known) is known else None

    def signature(self, function: types.FunctionType, owner: Kind | None = None) -> Signature | None:
        """Return the types of a function, or None if they are not known. Refuse what TorchScript refuses.

        Args:
          function: a Python function.
          owner: the module, for a method.
        """
        key = (function, id(owner.value) if owner is not None else 0)
        if key in self._done:
            return self._done[key]
        if is_ours(function.__code__.co_filename):
            return None
        source = Source(function)
        made = self._done[key] = declared(source, owner)
        if getattr(function, "_torchscript_modifier", "") in ("ignore", "unused"):
            return made
        frontend.check(source)
        made.result = Statements(self, source, made, owner).run()
        return made


def place_of(source: Source, node: Any) -> tuple:
    """Return the key of a node in `Checks.decisions`."""
    return source.function.__code__, node.lineno, node.col_offset


def checked_function(function: types.FunctionType, checks: Checks) -> Signature:
    """Check a function and return its signature."""
    found = checks.signature(function)
    return found if found is not None else Signature(function, [], UNKNOWN)


def checked_module(module: Module, checks: Checks) -> dict[str, Signature]:
    """Check forward and the exported methods of a module and of its parts. Return the signatures of its methods."""
    found = {}
    for part in module.modules():
        kind = type(part)
        names = ["forward"] if "forward" not in part.__dict__ else []
        names += [n for n in dir(kind) if getattr(getattr(kind, n, None), "_torchscript_modifier", "") == "export"]
        for name in names:
            function = getattr(kind, name)
            if isinstance(function, types.FunctionType) and not is_ours(function.__code__.co_filename):
                signature = checks.signature(function, of_value(part))
                if part is module and signature is not None:
                    found[name] = signature
    return found


def declared(source: Source, owner: Kind | None) -> Signature:
    """Return the signature that the annotations of a function declare. Unannotated arguments are tensors."""
    function = source.function
    parameters = [*inspect.signature(function).parameters.values()][1 if owner is not None else 0 :]
    by_comment = (function.__module__, function.__qualname__) in overloaded or any(
        "# type:" in line for line in source.lines
    )
    arguments = {node.arg: node for node in ast.walk(source.definition.args) if isinstance(node, ast.arg)}
    kinds: list[tuple[str, Kind]] = []
    for parameter in parameters:
        kind = UNKNOWN if by_comment else INFERRED
        if parameter.annotation in (None, type(None)) and isinstance(
            arguments[parameter.name].annotation, ast.Subscript
        ):
            kind = UNKNOWN  # BroadcastingList2[int], for example
        elif parameter.annotation is not inspect.Parameter.empty:
            kind = annotated(source, parameter.annotation, arguments[parameter.name].annotation)
        default = parameter.default
        if default is not inspect.Parameter.empty and default is not None and not accepts(kind, default):
            text = f'Expected a default value of type {kind} on parameter "{parameter.name}".'
            raise source.refused(source.definition, text)
        kinds.append((parameter.name, kind))
        if isinstance(parameter.default, list | dict | set):
            raise RuntimeError(_MUTABLE.format(type(parameter.default), parameter.name))
    result = None
    if source.definition.returns is not None:
        result = annotated(source, function.__annotations__.get("return"), source.definition.returns)
    return Signature(function, kinds, UNKNOWN, None if by_comment else result, owner is not None)


def annotated(source: Source, annotation: Any, node: ast.AST | None) -> Kind:
    """Return the type of an annotation, which can be a string."""
    if isinstance(annotation, str):
        space = dict(source.function.__globals__)
        code = source.function.__code__
        space.update({n: c.cell_contents for n, c in zip(code.co_freevars, source.function.__closure__ or ())})
        try:
            annotation = eval(annotation, space)
        except Exception:  # a name of `if TYPE_CHECKING:`, for example
            return UNKNOWN
    try:
        return of_annotation(annotation)
    except TypeError:  # an annotation that is not hashable
        return UNKNOWN
    except BareTypeError as error:
        raise RuntimeError(str(error)) from None
    except RuntimeError as error:
        raise source.refused(node if node is not None else source.definition, str(error)) from None


class Statements(Calls):
    """The checks of one function.

    Args:
      checks: the functions that were checked before.
      source: the source of the function.
      signature: its declared types.
      owner: the module, for a method.
    """

    def __init__(self, checks: Checks, source: Source, signature: Signature, owner: Kind | None) -> None:
        names = Names()
        arguments = source.definition.args.posonlyargs + source.definition.args.args
        if owner is not None and arguments:
            names.define(arguments[0].arg, owner)
        for name, kind in signature.arguments:
            names.define(name, kind)
        super().__init__(checks, source, names)
        self.signature = signature
        self.returned: Kind | None = None

    def run(self) -> Kind:
        """Check the body. Return the type of the result."""
        exits = self.block(self.source.definition.body)
        declared = self.signature.declared
        if not exits:
            if declared is not None and not fits(NONE, declared):
                text = "Function was not annotated as having type None, but does not return along all paths"
                raise self.refused(self.source.definition, text)
            self.returned = NONE if self.returned is None else unified(self.returned, NONE) or UNKNOWN
        return declared or self.returned or UNKNOWN

    def block(self, statements: list[ast.stmt]) -> bool:
        """Check statements. Return whether they always leave the block, by return, raise, break or continue."""
        for statement in statements:
            check: Callable = getattr(self, f"on_{type(statement).__name__}", self.on_other)
            if check(statement):
                return True
        return False

    def on_other(self, node: ast.stmt) -> bool:
        """Check the expressions of a statement without rules of its own."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.kind(child)
        return isinstance(node, ast.Break | ast.Continue)

    def on_Raise(self, node: ast.Raise) -> bool:
        return True

    def on_Expr(self, node: ast.Expr) -> bool:
        self.kind(node.value)
        return False

    def on_Assert(self, node: ast.Assert) -> bool:
        self.kind(node.test)
        self.names.refine(self.refinements(node.test, True))
        return self.static(node.test) is False

    def on_Return(self, node: ast.Return) -> bool:
        kind = NONE if node.value is None else self.kind(node.value)
        declared = self.signature.declared
        if declared is not None:
            if not converts(kind, declared) and not _is_empty(node.value):
                text = f"Return value was annotated as having type {declared} but is actually of type {kind}"
                raise self.refused(node, text)
            return True
        known = kind if self.returned is None else unified(self.returned, kind)
        if known is None:
            text = f"Previous return statement returned a value of type {self.returned}"
            raise self.refused(node, f"{text} but this return statement returns a value of type {kind}")
        self.returned = known
        return True

    # -- assignments ---------------------------------------------------------------------------------------------------

    def on_Assign(self, node: ast.Assign) -> bool:
        kind = self.kind(node.value)
        for target in node.targets:
            self.assign(target, kind, node.value)
        return False

    def on_AnnAssign(self, node: ast.AnnAssign) -> bool:
        self.hinted = True
        kind = UNKNOWN if node.value is None else self.kind(node.value)
        self.hinted = False
        if isinstance(node.target, ast.Name):
            wanted = annotated(self.source, ast.unparse(node.annotation), node.annotation)
            if not fits(kind, wanted) and not _is_empty(node.value):
                name = node.target.id
                text = (
                    f"Variable '{name}' is annotated with type {wanted} but is being assigned to a value of type {kind}"
                )
                raise self.refused(node.target, text)
            self.names.define(node.target.id, wanted, wanted)
        return False

    def on_AugAssign(self, node: ast.AugAssign) -> bool:
        target: Any = node.target
        loaded = ast.copy_location(type(target)(**{**vars(target), "ctx": ast.Load()}), target)
        made = ast.copy_location(ast.BinOp(loaded, node.op, node.value), node)
        kind = self.kind(made)
        if isinstance(target, ast.Name):
            self.assign(target, kind, node.value)
        return False

    def assign(self, target: ast.expr, kind: Kind, value: ast.expr) -> None:
        """Check an assignment of a value of this type."""
        if isinstance(target, ast.Name):
            before = self.names.outer(target.id)
            if before is not None and not converts(kind, before):
                text = f"Variable '{target.id}' previously had type {before}"
                raise self.refused(value, f"{text} but is now being assigned to a value of type {kind}\n")
            self.names.define(target.id, kind if before is None or fits(kind, before) else before, before)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, kind, value)
        elif isinstance(target, ast.Attribute):
            self._set_attribute(target, kind)
        elif isinstance(target, ast.Subscript):
            self._set_item(target, kind)

    def _unpack(self, target: Any, kind: Kind, value: ast.expr) -> None:
        starred = any(isinstance(each, ast.Starred) for each in target.elts)
        kinds = [UNKNOWN] * len(target.elts)
        if kind.name == "Tuple" and kind.args and not starred:
            if len(kind.args) != len(target.elts):
                few = f"need {len(target.elts)} values to unpack but found only {len(kind.args)}"
                many = f"too many values to unpack: need {len(target.elts)} but found {len(kind.args)}"
                raise self.refused(target, few if len(kind.args) < len(target.elts) else many)
            kinds = list(kind.args)
        elif kind.name in ("int", "float", "bool", "NoneType"):
            raise self.refused(value, f"{kind} cannot be used as a tuple")
        for each, inner in zip(target.elts, kinds):
            self.assign(each.value if isinstance(each, ast.Starred) else each, inner, value)

    def _set_attribute(self, target: ast.Attribute, kind: Kind) -> None:
        owner = self.kind(target.value)
        if owner.name == "Module":
            if not hasattr(owner.value, target.attr):
                text = (
                    f"Tried to set nonexistent attribute: {target.attr}. Did you forget to initialize it in __init__()?"
                )
                raise self.refused(target, text)
            wanted = self.attribute(owner, target)
            if not fits(kind, wanted):
                raise self.refused(target, f"Wrong type for attribute assignment. Expected {wanted} but got {kind}")
        elif owner.name in ("Tensor", "int", "float", "str", "List", "Dict"):
            raise self.refused(target, f"Tried to set an attribute: {target.attr} on a non-class: {owner}")

    def _set_item(self, target: ast.Subscript, kind: Kind) -> None:
        owner, key = self.kind(target.value), self.kind(target.slice)
        if owner.name == "Dict" and not (fits(key, owner.args[0]) and converts(kind, owner.args[1])):
            raise self.refused_call(target)
        if owner.name == "List" and key.name == "int" and not fits(kind, owner.args[0]):
            raise self.refused_call(target)
        if owner.name in ("int", "float", "bool", "str", "NoneType", "Tuple"):
            raise self.refused_call(target)

    def on_Delete(self, node: ast.Delete) -> bool:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.names.forget(target.id)
        return False

    # -- blocks --------------------------------------------------------------------------------------------------------

    def on_If(self, node: ast.If) -> bool:
        known = self.static(node.test)
        self.checks.decide(self.source, node, known)
        if known is not None:
            return self.block(node.body if known else node.orelse)
        self.condition(node.test)
        before, made = self.names, []
        for body, truth in ((node.body, True), (node.orelse, False)):
            self.names = before.nested()
            self.names.refine(self.refinements(node.test, truth))
            exits = self.block(body)
            made.append((self.names, exits))
        self.names = before
        (true, true_exits), (false, false_exits) = made
        if true_exits and false_exits:
            return True
        for name, kind in _merged(before, true, false, true_exits, false_exits).items():
            if isinstance(kind, Poison):
                kind = Poison(f"\n{kind.text}{self.source.shown(node)}")
            before.replace(name, kind)
        return False

    def on_While(self, node: ast.While) -> bool:
        if self.static(node.test) is False:
            return False
        self.condition(node.test)
        self._loop(lambda: self.names.refine(self.refinements(node.test, True)), node.body)
        # `while True` without break never ends the loop by its condition.
        endless = isinstance(node.test, ast.Constant) and node.test.value is True
        return endless and not any(isinstance(each, ast.Break) for each in ast.walk(node))

    def on_For(self, node: ast.For) -> bool:
        kind = self.kind(node.iter)
        element = self.element(kind, node)
        unrolled = kind.name not in ("List", "Tensor", "range", "str", "Dict")
        check = self._unrolled if unrolled else self._loop
        check(lambda: self.assign(node.target, element, node.iter), node.body)
        return False

    def _loop(self, start: Callable[[], None], body: list[ast.stmt]) -> None:
        before, self.names = self.names, self.names.nested()
        for name in _assigned(body):  # a type that was narrowed before is not that of later rounds
            known = before.declared(name)
            if known is not None:
                self.names.refine({name: known})
        start()
        self.block(body)
        made, self.names = self.names, before
        for name, kind in made.current().items():
            known = before.current().get(name)
            if known is not None and known != kind:
                before.replace(name, before.declared(name) or UNKNOWN)

    def _unrolled(self, start: Callable[[], None], body: list[ast.stmt]) -> None:
        """Check a loop over modules or a tuple, whose rounds are statements of the same block."""
        for name in _assigned(body):
            if name in self.names.current():
                self.names.define(name, UNKNOWN)
        start()
        self.block(body)
        for name in _assigned(body):
            self.names.define(name, UNKNOWN)

    def on_With(self, node: ast.With) -> bool:
        for item in node.items:
            self.kind(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, UNKNOWN, item.context_expr)
        return self.block(node.body)


def _assigned(body: list[ast.stmt]) -> set[str]:
    """Return the names that statements assign."""
    nodes = (node for statement in body for node in ast.walk(statement))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _is_empty(node: ast.expr | None) -> bool:
    """Return whether an expression is an empty container, which has the type that is needed, or contains one."""
    return node is not None and any(
        (isinstance(each, ast.List) and not each.elts) or (isinstance(each, ast.Dict) and not each.keys)
        for each in ast.walk(node)
    )


def _merged(before: Names, true: Names, false: Names, true_exits: bool, false_exits: bool) -> dict[str, Any]:
    """Return the types of names after two branches. A name that cannot be used afterwards has a `Poison`."""
    if true_exits or false_exits:
        return (false if true_exits else true).current()
    a, b, found = true.current(), false.current(), {}
    for name in {**a, **b}:
        if name not in a or name not in b:
            found[name] = Poison(f"{name} is not defined in the {'false' if name in a else 'true'} branch")
            continue
        x, y = a[name], b[name]
        if isinstance(x, Poison) or isinstance(y, Poison):
            found[name] = x if isinstance(x, Poison) else y
            continue
        declared = before.declared(name) if x != y else None
        kind = unified(x, y) or declared
        text = f"Type mismatch: {name} is set to type {x} in the true branch and type {y} in the false branch"
        found[name] = Poison(text) if kind is None else kind
    return found
