"""The types of expressions in scripted functions."""

from __future__ import annotations

import ast
import builtins
import enum
import inspect
import types
from typing import TYPE_CHECKING, Any

import torchlike
from torchlike.jit import _tables
from torchlike.jit._environment import Names, Poison
from torchlike.jit._kinds import (
    BOOL,
    INT,
    NONE,
    NUMBERS,
    STR,
    TENSOR,
    UNKNOWN,
    Kind,
    converts,
    fits,
    list_of,
    of_annotation,
    of_value,
    unified,
)
from torchlike.jit.frontend import Source
from torchlike.nn import Module

if TYPE_CHECKING:
    from torchlike.jit._check import Checks

NOT_STATIC: Any = object()  # the mark of an expression that is not a global object
_VALUES = (bool, int, float, str, list, dict, tuple, torchlike.Tensor)
_CLOSED = (
    "python value of type '{}' cannot be used as a value. Perhaps it is a closed over global variable? If so, please "
    "consider passing it in as an argument or use a local variable instead."
)
_LITERAL_INDEX = (
    "Expected integer literal for index but got a variable or non-integer. ModuleList/Sequential indexing is only "
    "supported with integer literals. For example, 'i = 4; self.layers[i](x)' will fail because i is not a literal. "
    "Enumeration is supported, e.g. 'for index, v in enumerate(self): out = v(inp)'"
)


class Expressions:
    """The types of expressions.

    Args:
      checks: the functions that were checked before.
      source: the source of the function.
      names: the names at its start.
    """

    def __init__(self, checks: Checks, source: Source, names: Names) -> None:
        self.checks, self.source, self.names = checks, source, names
        code = source.function.__code__
        cells = zip(code.co_freevars, source.function.__closure__ or ())
        self._closure = {name: cell.cell_contents for name, cell in cells if _is_full(cell)}
        stored = (n for n in ast.walk(source.definition) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        self.hinted = False  # whether the type of the expression is annotated
        self._stored = {node.id for node in stored}

    def refused(self, node: ast.AST, text: str) -> RuntimeError:
        """Return the error about a node."""
        return self.source.refused(node, text)

    def refused_call(self, node: ast.AST) -> RuntimeError:
        """Return the error about arguments that no form of an operator takes."""
        return self.refused(node, "Arguments for call are not valid.\nThe original call is")

    def kind(self, node: ast.expr) -> Kind:
        """Return the type of an expression."""
        found = getattr(self, f"of_{type(node).__name__}", None)
        return UNKNOWN if found is None else found(node)

    def condition(self, node: ast.expr) -> None:
        """Check the condition of `if` or `while`."""
        kind = self.kind(node)
        if kind.name in ("NoneType", "Optional") and kind.is_known:
            raise self.refused(node, f"Could not cast value of type {kind} to bool")

    # -- names ---------------------------------------------------------------------------------------------------------

    def static(self, node: ast.expr) -> bool | None:
        """Return the truth of a condition that TorchScript's compiler decides, or None."""
        if isinstance(node, ast.Constant) and node.value is False:
            return False
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.static(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.BoolOp):
            known = [self.static(each) for each in node.values]
            stops = isinstance(node.op, ast.Or)
            return stops if stops in known else (not stops if None not in known else None)
        if isinstance(node, ast.Call):
            return self._static_call(node)
        if isinstance(node, ast.Attribute):
            return self._constant(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Is | ast.IsNot):
            left, right = self.kind(node.left), self.kind(node.comparators[0])
            if right == NONE and left.is_known and left.name not in ("Optional", "Any", "Union", "number"):
                return (left == NONE) == isinstance(node.ops[0], ast.Is)
        return None

    def _static_call(self, node: ast.Call) -> bool | None:
        found = self.object(node.func)
        if found is torchlike.jit.is_scripting:
            return True
        if found in (builtins.isinstance, torchlike.jit.isinstance) and len(node.args) == 2:
            return self._static_isinstance(self.kind(node.args[0]), node.args[1])
        if found is builtins.hasattr and len(node.args) == 2 and isinstance(node.args[1], ast.Constant):
            owner = self.kind(node.args[0])
            return hasattr(owner.value, str(node.args[1].value)) if owner.name == "Module" else None
        return None

    def _static_isinstance(self, kind: Kind, target: ast.expr) -> bool | None:
        targets = [self.object(each) for each in (target.elts if isinstance(target, ast.Tuple) else [target])]
        types_of = {"Tensor": torchlike.Tensor, "int": int, "float": float, "bool": bool, "str": str}
        known = type(kind.value) if kind.name == "Module" else types_of.get(kind.name)
        if known is None or not all(builtins.isinstance(each, type) for each in targets):
            return None
        return any(known is each or (kind.name == "Module" and issubclass(known, each)) for each in targets)

    def _constant(self, node: ast.Attribute) -> bool | None:
        """Return the truth of an attribute that is a constant of its class, or None."""
        owner = self.kind(node.value) if isinstance(node.value, ast.Name) else UNKNOWN
        if owner.name != "Module" or not hasattr(owner.value, node.attr):
            return None
        kind, value = type(owner.value), getattr(owner.value, node.attr)
        is_final = any("Final" in str(inspect.get_annotations(each).get(node.attr)) for each in kind.__mro__)
        is_constant = is_final or node.attr in getattr(kind, "__constants__", ())
        return value if is_constant and type(value) is bool else None

    def refinements(self, node: ast.expr, truth: bool) -> dict[str, Kind]:
        """Return the narrower types of names where a condition has this truth."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.refinements(node.operand, not truth)
        if isinstance(node, ast.BoolOp):
            if isinstance(node.op, ast.And) == truth:
                return {name: kind for each in node.values for name, kind in self.refinements(each, truth).items()}
            return {}
        if isinstance(node, ast.Call) and self.object(node.func) in (builtins.isinstance, torchlike.jit.isinstance):
            return self._of_isinstance(node)
        if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.left, ast.Name):
            return {}
        name, kind = node.left.id, self.names.current().get(node.left.id)
        is_none = isinstance(node.comparators[0], ast.Constant) and node.comparators[0].value is None
        if not is_none or not isinstance(kind, Kind) or kind.name != "Optional":
            return {}
        if isinstance(node.ops[0], ast.Is | ast.IsNot):
            return {name: NONE if isinstance(node.ops[0], ast.Is) == truth else kind.args[0]}
        return {}

    def _of_isinstance(self, node: ast.Call) -> dict[str, Kind]:
        return {node.args[0].id: UNKNOWN} if node.args and isinstance(node.args[0], ast.Name) else {}

    def object(self, node: ast.expr) -> Any:
        """Return the global object that an expression means, or NOT_STATIC."""
        if isinstance(node, ast.Name):
            if node.id in self.names.current() or node.id in self._stored:
                return NOT_STATIC
            for space in (self._closure, self.source.function.__globals__, vars(builtins)):
                if node.id in space:
                    return space[node.id]
            return NOT_STATIC
        if isinstance(node, ast.Attribute):
            owner = self.object(node.value)
            if isinstance(owner, types.ModuleType):
                if not hasattr(owner, node.attr) and owner.__name__.startswith("torch"):
                    raise self.refused(node, f"object has no attribute {node.attr}")
                return getattr(owner, node.attr, NOT_STATIC)
            if isinstance(owner, type):
                return getattr(owner, node.attr, NOT_STATIC)
        return NOT_STATIC

    def of_Name(self, node: ast.Name) -> Kind:
        found = self.names.current().get(node.id)
        if isinstance(found, Poison):
            raise RuntimeError(f"\n{found.text}and was used here{self.source.shown(node)}")
        if found is not None:
            return found
        value = self.object(node)
        if value is NOT_STATIC:
            raise self.refused(node, f"undefined value {node.id}")
        is_value = builtins.isinstance(value, _VALUES) and not builtins.isinstance(value, torchlike.Size | enum.Enum)
        if is_value and not hasattr(value, "_fields"):
            raise self.refused(node, _CLOSED.format(type(value).__name__))
        return NONE if value is None else UNKNOWN

    def of_Constant(self, node: ast.Constant) -> Kind:
        return of_value(node.value)

    def of_JoinedStr(self, node: ast.JoinedStr) -> Kind:
        for each in ast.walk(node):
            if isinstance(each, ast.FormattedValue):
                self.kind(each.value)
        return STR

    # -- containers ----------------------------------------------------------------------------------------------------

    def of_Tuple(self, node: ast.Tuple) -> Kind:
        kinds = tuple(self.kind(each) for each in node.elts)
        return UNKNOWN if any(isinstance(each, ast.Starred) for each in node.elts) else Kind("Tuple", kinds)

    def of_List(self, node: ast.List) -> Kind:
        kinds = [self.kind(each) for each in node.elts]
        if not kinds:
            return list_of(TENSOR)
        known: Kind | None = kinds[0]
        for each in kinds[1:]:
            known = None if known is None else unified(known, each)
        return UNKNOWN if known is None else list_of(known)

    def of_Dict(self, node: ast.Dict) -> Kind:
        keys = [self.kind(each) for each in node.keys if each is not None]
        values = [self.kind(each) for each in node.values]
        if not keys:
            return Kind("Dict", (STR, TENSOR))
        for each, kind in zip(node.keys, keys):
            if unified(keys[0], kind) is None:
                text = f"Dict keys must contain only a single type. Expected: {keys[0]} but found {kind} instead"
                raise self.refused(each, text)  # type: ignore[arg-type]
        known: Kind | None = values[0]
        for each in values[1:]:
            known = None if known is None else unified(known, each)
        return UNKNOWN if known is None else Kind("Dict", (keys[0], known))

    def _comprehended(self, node: Any, results: list[ast.expr]) -> list[Kind]:
        before, self.names = self.names, self.names.nested()
        generator = node.generators[0]
        element = self.element(self.kind(generator.iter), generator.iter)
        for each in ast.walk(generator.target):
            if isinstance(each, ast.Name):
                self.names.define(each.id, element if each is generator.target else UNKNOWN)
        made = [self.kind(each) for each in results]
        self.names = before
        return made

    def of_ListComp(self, node: ast.ListComp) -> Kind:
        return list_of(self._comprehended(node, [node.elt])[0])

    def of_GeneratorExp(self, node: ast.GeneratorExp) -> Kind:
        return list_of(self._comprehended(node, [node.elt])[0])

    def of_DictComp(self, node: ast.DictComp) -> Kind:
        return Kind("Dict", tuple(self._comprehended(node, [node.key, node.value])))

    def element(self, kind: Kind, node: ast.AST) -> Kind:
        """Return the type of the elements of an iterable."""
        if kind.name in ("int", "float", "bool", "NoneType", "Optional"):
            raise self.refused(node, f"'{kind}' object is not iterable")
        simple = {"List": kind.args[:1], "Dict": kind.args[:1], "range": (INT,), "Tensor": (TENSOR,), "str": (STR,)}
        found = simple.get(kind.name, ())
        if kind.name == "Tuple" and kind.args and all(each == kind.args[0] for each in kind.args):
            return kind.args[0]
        return found[0] if found else UNKNOWN

    def of_Subscript(self, node: ast.Subscript) -> Kind:
        owner = self.kind(node.value)
        if isinstance(node.slice, ast.Slice):
            return owner if owner.name in ("List", "str", "Tensor") else UNKNOWN
        key = self.kind(node.slice)
        if owner.name in (*(each.name for each in NUMBERS), "Optional", "NoneType"):
            raise self.refused(node, f"'{owner}' object is not subscriptable")
        if owner.name == "Module" and isinstance(owner.value, torchlike.nn.ModuleList | torchlike.nn.Sequential):
            return self._module_item(owner.value, node)
        if owner.name == "Tuple" and owner.args and isinstance(node.slice, ast.Constant):
            place, count = node.slice.value, len(owner.args)
            if builtins.isinstance(place, int) and not -count <= place < count:
                text = f"Tuple index out of range. Tuple is length {count} and index is {place}"
                raise self.refused(node, text)
            return owner.args[place] if builtins.isinstance(place, int) else UNKNOWN
        if owner.name == "Dict" and not fits(key, owner.args[0]):
            raise self.refused_call(node)
        if owner.name == "List" and key.is_known and not converts(key, INT):
            raise self.refused_call(node)
        simple = {"Tensor": TENSOR, "str": STR}
        return owner.args[-1] if owner.name in ("List", "Dict") else simple.get(owner.name, UNKNOWN)

    def _module_item(self, module: Any, node: ast.Subscript) -> Kind:
        index = node.slice
        if (
            isinstance(index, ast.UnaryOp)
            and isinstance(index.op, ast.USub)
            and isinstance(index.operand, ast.Constant)
        ):
            index = index.operand
        if not isinstance(index, ast.Constant):
            raise self.refused(node, _LITERAL_INDEX)
        return UNKNOWN

    # -- operators -----------------------------------------------------------------------------------------------------

    def of_BinOp(self, node: ast.BinOp) -> Kind:
        a, b = self.kind(node.left), self.kind(node.right)
        found = _tables.arithmetic(type(node.op).__name__, a, b)
        if found is None:
            raise self.refused_call(node)
        return found

    def of_Compare(self, node: ast.Compare) -> Kind:
        kinds = [self.kind(each) for each in (node.left, *node.comparators)]
        found = BOOL
        for operator, a, b in zip(node.ops, kinds, kinds[1:]):
            known = _tables.compared(type(operator).__name__, a, b)
            if known is None:
                raise self.refused_call(node)
            found = known
        return found if len(node.ops) == 1 else BOOL

    def of_BoolOp(self, node: ast.BoolOp) -> Kind:
        before, self.names = self.names, self.names.nested()
        for each in node.values:
            self.kind(each)
            self.names.refine(self.refinements(each, isinstance(node.op, ast.And)))
        self.names = before
        return BOOL

    def of_UnaryOp(self, node: ast.UnaryOp) -> Kind:
        kind = self.kind(node.operand)
        if isinstance(node.op, ast.Not):
            return BOOL
        if kind.name in ("str", "List", "Dict", "NoneType", "Optional"):
            raise self.refused_call(node)
        return INT if kind == BOOL else kind

    def of_IfExp(self, node: ast.IfExp) -> Kind:
        known = self.static(node.test)
        self.checks.decide(self.source, node, known)
        if known is not None:
            return self.kind(node.body if known else node.orelse)
        self.condition(node.test)
        before, kinds = self.names, []
        for each, truth in ((node.body, True), (node.orelse, False)):
            self.names = before.nested()
            self.names.refine(self.refinements(node.test, truth))
            kinds.append(self.kind(each))
        self.names = before
        found = unified(*kinds)
        if found is None:
            text = f"if-expression's true branch has type {kinds[0]} but false branch has type {kinds[1]}"
            raise self.refused(node, text)
        return found

    # -- attributes ----------------------------------------------------------------------------------------------------

    def of_Attribute(self, node: ast.Attribute) -> Kind:
        value = self.object(node)
        if value is not NOT_STATIC:
            return UNKNOWN
        owner_object = self.object(node.value)
        if owner_object is not NOT_STATIC:
            self._check_object(node, owner_object)
            return UNKNOWN
        owner = self.kind(node.value)
        return self.attribute(owner, node)

    def _check_object(self, node: ast.Attribute, owner: Any) -> None:
        simple = builtins.isinstance(
            owner, Module | types.ModuleType | type | torchlike.dtype | torchlike.jit.ScriptFunction
        )
        if not simple and type(owner).__module__ not in ("builtins", "torchlike") and not callable(owner):
            kind = type(owner).__name__
            raise self.refused(node, f"attribute lookup is not defined on python value of type '{kind}'")

    def attribute(self, owner: Kind, node: ast.Attribute) -> Kind:
        """Return the type of an attribute of a value."""
        name = node.attr
        if owner.name == "Module":
            return self._of_module(owner, node)
        if owner.name == "Tensor":
            if name in _tables.NOT_TENSOR_ATTRIBUTES or not hasattr(torchlike.Tensor, name):
                raise self.missing(owner, node)
            return _tables.TENSOR_METHODS.get(name, TENSOR if name in _tables.TENSOR_RESULTS else UNKNOWN)
        methods = _tables.METHODS.get("Optional" if owner.name == "Optional" else owner.name)
        if owner.name == "Optional" or (methods is not None and name not in methods):
            raise self.missing(owner, node)
        return UNKNOWN

    def missing(self, owner: Kind, node: ast.Attribute) -> RuntimeError:
        """Return the error about an attribute that a type does not have."""
        return self.refused(node, f"'{owner}' object has no attribute or method '{node.attr}'.")

    def _of_module(self, owner: Kind, node: ast.Attribute) -> Kind:
        module, name = owner.value, node.attr
        if not hasattr(module, name):
            raise self.refused(node, f"Module '{type(module).__name__}' has no attribute '{name}' ")
        annotation = _annotation(type(module), name)
        if annotation is not None:
            return annotation
        value = inspect.getattr_static(type(module), name, None)
        if builtins.isinstance(value, property):
            return UNKNOWN
        value = getattr(module, name)
        if builtins.isinstance(value, list | dict) and not value:
            kind = type(value).__name__
            raise self.refused(
                node,
                f"Module '{type(module).__name__}' has no attribute '{name}' (This attribute exists on the Python "
                f"module, but we failed to convert Python type: '{kind}' to a TorchScript type. {kind.capitalize()} "
                "trace inputs must have elements. Its type was inferred; try adding a type annotation for the "
                "attribute.)",
            )
        return of_value(value)


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is cell.cell_contents
    except ValueError:  # the name is not assigned yet
        return False


def _annotation(kind: type, name: str) -> Kind | None:
    """Return the type that a class annotates for an attribute."""
    for each in kind.__mro__:
        if each is Module:
            return None
        annotation = inspect.get_annotations(each).get(name)
        if annotation is not None:
            is_text = builtins.isinstance(annotation, str)
            return UNKNOWN if is_text else None if annotation is torchlike.jit.Final else of_annotation(annotation)
    return None
