"""Scripted functions and modules as data: sources, constants and tensors, which `_restored` makes callable again."""

from __future__ import annotations

import ast
import builtins
import enum
import inspect
import math
import types
import typing
from collections.abc import Mapping
from typing import Any

import torchlike
from torchlike import _errors
from torchlike._errors.callers import is_ours
from torchlike.jit import _allowed
from torchlike.jit._check import Checks, declared, place_of
from torchlike.jit._kinds import Kind
from torchlike.jit.frontend import Source
from torchlike.nn import Module
from torchlike.overrides import resolve_name

_OWN = frozenset(vars(Module()))  # the attributes that every module has


class Collected:
    """The parts of a scripted object: its functions, classes and tensors.

    Attributes:
      functions, classes, tuples, modules: descriptions of JSON types, which refer to each other by number.
      tensors: the parameters, buffers and other tensors.
      decisions: the conditions that the compiler decides (see `Checks`).
    """

    def __init__(self, decisions: Mapping[tuple, Any] | None = None) -> None:
        self.decisions = decisions or {}
        self.functions: list[dict] = []
        self.classes: list[dict] = []
        self.tuples: list[dict] = []
        self.modules: list[dict] = []
        self.tensors: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []  # the objects whose identity is a key
        self._python_classes: list[type] = []
        self._attributes: set[str] = set()

    def document(self, root: Any) -> dict:
        """Return the description of a function or module, with everything that it uses."""
        found = self.value(root)
        while self._missing_methods():
            pass
        kinds = ("functions", "classes", "tuples", "modules")
        return {"root": found, **{kind: getattr(self, kind) for kind in kinds}}

    def _numbered(self, value: Any, table: list, description: Any) -> int:
        self._kept.append(value)
        self._numbers[id(value)] = len(table)
        table.append(description)
        return len(table) - 1

    def value(self, value: Any) -> dict:
        """Return the reference to a value that a script uses.

        Raises:
          NotImplementedError: the value cannot be saved.
        """
        if isinstance(value, float) and not math.isfinite(value):
            return {"float": repr(value)}
        if isinstance(value, enum.Enum):
            return self._named(value)
        if value is None or type(value) in (bool, int, float, str):
            return {"literal": value}
        if isinstance(value, list | tuple) and type(value) in (list, tuple, torchlike.Size):
            return {"tuple" if type(value) is tuple else "list": [self.value(each) for each in value]}
        if isinstance(value, dict) and type(value) is dict:
            return {"dict": [[self.value(k), self.value(v)] for k, v in value.items()]}
        for kind, number in ((torchlike.Tensor, self._tensor), (Module, self._module)):
            if isinstance(value, kind):
                return {"tensor" if kind is torchlike.Tensor else "module": number(value)}
        return self._named(value)

    def _named(self, value: Any) -> dict:
        if isinstance(value, torchlike.dtype):
            return {"library": str(value)}
        if isinstance(value, torchlike.device):
            return {"device": str(value)}
        if _allowed.BUILTINS.get(getattr(value, "__name__", "")) is value:
            return {"builtin": value.__name__}
        for name in _allowed.TYPING:
            if value is getattr(typing, name):
                return {"typing": name}
        path = _library_path(value)
        if path is not None:
            return {"library": path}
        value = getattr(value, "function", value) if isinstance(value, torchlike.jit.ScriptFunction) else value
        if isinstance(value, types.FunctionType) and not is_ours(value.__code__.co_filename):
            modifier = getattr(value, "_torchscript_modifier", "")
            if modifier == "unused":
                return {"unused": value.__name__}
            if modifier == "ignore":
                raise _errors.compiling.ignored_not_saved("a function", value.__name__)
            return {"function": self._function(value)}
        if isinstance(value, enum.Enum):
            return {"member": [self.value(type(value)), value.name]}
        if isinstance(value, type) and issubclass(value, enum.Enum):
            return {"enum": [value.__name__, [[each.name, self.value(each.value)] for each in value]]}
        if isinstance(value, type):
            return {"named": self._tuple(value)} if hasattr(value, "_fields") else {"class": self._class(value)}
        raise _errors.compiling.not_saved(value)

    def _tensor(self, tensor: Any) -> int:
        if id(tensor) not in self._numbers:
            return self._numbered(tensor, self.tensors, tensor)
        return self._numbers[id(tensor)]

    def _tuple(self, kind: Any) -> int:
        if id(kind) not in self._numbers:
            defaults = {name: self.value(value) for name, value in kind._field_defaults.items()}
            description = {"name": kind.__name__, "fields": list(kind._fields), "defaults": defaults}
            return self._numbered(kind, self.tuples, description)
        return self._numbers[id(kind)]

    # -- functions -----------------------------------------------------------------------------------------------------

    def _function(self, function: types.FunctionType) -> int:
        if id(function) in self._numbers:
            return self._numbers[id(function)]
        description: dict[str, Any] = {}
        number = self._numbered(function, self.functions, description)
        source = Source(function, True)
        cleaned = _Cleaned(source, self)
        tree = cleaned.definition()
        self._attributes |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        description.update(name=tree.name, source=ast.unparse(tree), names=cleaned.names)
        description["kinds"] = kinds_of(source, function)
        description["defaults"] = [self.value(each) for each in function.__defaults__ or ()]
        return number

    # -- classes and modules -------------------------------------------------------------------------------------------

    def _class(self, kind: type) -> int:
        if id(kind) in self._numbers:
            return self._numbers[id(kind)]
        if is_library(kind):
            raise _errors.compiling.not_saved(kind)
        bases = [each for each in kind.__mro__ if issubclass(each, Module) and is_library(each)]
        base = self.value(bases[0]) if bases and bases[0] not in (Module, torchlike.jit.ScriptModule) else None
        description: dict[str, Any] = {"name": kind.__name__, "module": issubclass(kind, Module), "members": {}}
        description["base"] = base
        number = self._numbered(kind, self.classes, description)
        self._python_classes.append(kind)
        exported = [n for n in dir(kind) if getattr(getattr(kind, n, None), "_torchscript_modifier", "") == "export"]
        for name in exported + (["forward"] if issubclass(kind, Module) else ["__init__"]):
            self._member(kind, description, name)
        return number

    def _member(self, kind: type, description: dict, name: str) -> None:
        found = inspect.getattr_static(kind, name, None)
        forms = {staticmethod: ("static", "__func__"), property: ("property", "fget")}
        form, inner = forms.get(type(found), ("method", ""))
        function = getattr(found, inner) if inner else found
        if not isinstance(function, types.FunctionType) or is_ours(function.__code__.co_filename):
            return
        modifier = getattr(function, "_torchscript_modifier", "")
        if modifier == "unused":
            description["members"][name] = ["unused", 0]
        elif modifier == "ignore":
            raise _errors.compiling.ignored_not_saved(kind.__name__, name)
        else:
            description["members"][name] = [form, self._function(function)]

    def _missing_methods(self) -> bool:
        """Collect the methods that collected code names. Return whether there were any."""
        before = len(self.functions)
        for kind in [*self._python_classes]:
            description = self.classes[self._numbers[id(kind)]]
            operators = {n for n in vars(kind) if n.startswith("__") and not issubclass(kind, Module)}
            for name in sorted((self._attributes | operators) - set(description["members"])):
                if name not in ("__init_subclass__", "__class_getitem__", "__new__"):
                    self._member(kind, description, name)
        return len(self.functions) > before

    def _module(self, module: Any) -> int:
        if id(module) in self._numbers:
            return self._numbers[id(module)]
        if getattr(module, "_is_program", False):
            raise _errors.compiling.not_saved(module)
        hooks = (module._forward_hooks, module._forward_pre_hooks)
        if any(hooks):
            raise NotImplementedError(f"torchlike cannot save the hooks of {type(module).__name__} in a script")
        description: dict[str, Any] = {}
        number = self._numbered(module, self.modules, description)
        kind, own = type(module), module.__dict__
        description["class"] = self.value(kind)
        description["name"] = own.get("original_name", kind.__name__)
        description["training"] = module.training
        for table in ("_parameters", "_buffers"):
            description[table] = {n: None if t is None else self._tensor(t) for n, t in own[table].items()}
        description["temporary"] = sorted(module._non_persistent_buffers_set)
        description["modules"] = {n: None if m is None else self._module(m) for n, m in own["_modules"].items()}
        description["attributes"] = {}
        for name, value in own.items():
            if name not in _OWN and not isinstance(value, types.MethodType):
                self._attribute(description["attributes"], name, value)
        return number

    def _attribute(self, table: dict, name: str, value: Any) -> None:
        try:
            table[name] = self.value(value)
        except (NotImplementedError, OSError, RuntimeError):  # it is missed only if a method uses it
            table[name] = {"missing": type(value).__name__}


def _unwrapped(value: Any) -> Any:
    """Return a public function without the wrapper that it gets when a program subclasses Tensor."""
    return getattr(value, "__wrapped__", value)


def is_library(kind: type) -> bool:
    """Return whether a class is one of torchlike's own."""
    return kind.__module__.partition(".")[0] in ("torch", "torchlike")  # some classes have PyTorch's module


def kinds_of(source: Source, function: types.FunctionType) -> dict[str, str]:
    """Return the types of the arguments of a function as text. A first argument `self` has none."""
    kinds = getattr(function, "_script_kinds", None)
    if kinds is not None:  # a loaded function has no annotations
        return kinds
    if function.__name__ == "<lambda>":
        return {}
    own = Kind("Module") if [*inspect.signature(function).parameters][:1] == ["self"] else None
    try:
        found = Checks().signature(function) if own is None else None
    except RuntimeError:  # it is called with arguments that it does not declare, which decide its branches
        found = None
    texts = {name: str(kind) for name, kind in declared(source, own).arguments}
    return {**texts, "return": str(found.declared or found.result)} if found is not None else texts


def _library_path(value: Any) -> str | None:
    """Return the dotted path of a function or class of the library or of `math`."""
    module, name = getattr(value, "__module__", None), getattr(value, "__name__", "")
    paths = [resolve_name(value)] if callable(value) and not isinstance(value, type) else []
    if isinstance(value, type) and issubclass(value, Module):
        paths.append("torch" + value.__module__.removeprefix("torchlike").removeprefix("torch") + f".{name}")
    paths += [f"{space}.{name}" for space in ("torch", "torch.nn", "torch.jit", "math") if module is not None]
    for path in paths:
        try:
            if path and _unwrapped(_allowed.library(path)) is _unwrapped(value):
                return path
        except ValueError:
            continue
    return None


class _Cleaned(ast.NodeTransformer):
    """A function's tree without annotations and decorators, whose names of other modules are plain names.

    Attributes:
      names: the reference of each name that is not local.
    """

    def __init__(self, source: Source, collected: Collected) -> None:
        self.source, self.collected, self.names = source, collected, {}
        code = source.function.__code__
        cells = zip(code.co_freevars, source.function.__closure__ or ())
        self.outer = {name: cell.cell_contents for name, cell in cells}
        stored = (n for n in ast.walk(source.definition) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
        self.local = {node.id for node in stored} | {
            node.arg for node in ast.walk(source.definition.args) if isinstance(node, ast.arg)
        }

    def definition(self) -> ast.FunctionDef:
        made = self.source.definition
        for argument in (*made.args.posonlyargs, *made.args.args, *made.args.kwonlyargs):
            argument.annotation = None
        defaults = made.args.defaults
        made.args.defaults = [ast.Constant(None) for _ in defaults]  # the values are saved apart
        made.decorator_list, made.returns = [], None
        made.body = self.block(made.body)
        return ast.fix_missing_locations(made)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        return ast.copy_location(ast.Assign([self.visit(node.target)], self.visit(node.value)), node)  # type: ignore[arg-type]

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Return statements without those that are never reached."""
        found: list[ast.stmt] = []
        for statement in statements:
            made = self.visit(statement)
            found += made if isinstance(made, list) else [made]
            if found and isinstance(found[-1], ast.Return | ast.Raise | ast.Break | ast.Continue):
                break
        return found

    def visit_If(self, node: ast.If) -> Any:
        known = self.collected.decisions.get(place_of(self.source, node))
        if known is None:
            node.test, node.body, node.orelse = self.visit(node.test), self.block(node.body), self.block(node.orelse)
            return node
        return self.block(node.body if known else node.orelse) or ast.copy_location(ast.Pass(), node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        known = self.collected.decisions.get(place_of(self.source, node))
        return self.generic_visit(node) if known is None else self.visit(node.body if known else node.orelse)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        made = ast.copy_location(ast.ListComp(node.elt, node.generators), node)  # as TorchScript compiles it
        return self.generic_visit(made)

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id in self.local or node.id in self.names:
            return node
        return self._reference(node, self._resolved(node.id, node), node.id)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        path: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            path.insert(0, inner.attr)
            inner = inner.value
        if not isinstance(inner, ast.Name) or inner.id in self.local:
            return self.generic_visit(node)
        found = self._resolved(inner.id, inner)
        if not isinstance(found, types.ModuleType):
            return self.generic_visit(node)
        while path and isinstance(found, types.ModuleType):
            found = getattr(found, path.pop(0))
        made: Any = self._reference(node, found, f"_{len(self.names)}_{node.attr}")
        for attribute in path:
            made = ast.Attribute(made, attribute, ast.Load())
        return made

    def _reference(self, node: Any, value: Any, name: str) -> ast.Name:
        try:
            self.names[name] = self.collected.value(value)
        except NotImplementedError as error:
            raise NotImplementedError(f"{error}{self.source.shown(node)}") from None
        return ast.Name(name, ast.Load())

    def _resolved(self, name: str, node: ast.AST) -> Any:
        for space in (self.outer, self.source.function.__globals__, vars(builtins)):
            if name in space:
                return space[name]
        raise self.source.refused(node, f"undefined value {name}")
