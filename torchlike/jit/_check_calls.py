"""The types of calls in scripted functions."""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from typing import Any

import torchlike
from torchlike.jit import _tables
from torchlike.jit._check_expressions import NOT_STATIC, Expressions
from torchlike.jit._kinds import FLOAT, INT, STR, TENSOR, UNKNOWN, Kind, converts, list_of


class Calls(Expressions):
    """The types of expressions with calls."""

    def of_Call(self, node: ast.Call) -> Kind:
        function = self.object(node.func)
        args = [self.kind(each) for each in node.args if not isinstance(each, ast.Starred)]
        keywords = {each.arg: self.kind(each.value) for each in node.keywords}
        plain = len(args) == len(node.args)
        for each in node.args:
            inner = self.kind(each.value) if isinstance(each, ast.Starred) else UNKNOWN
            if inner.is_known and inner.name not in ("Tuple", "Module", "Any") and inner.value is None:
                raise self.refused(each, f"{inner} cannot be used as a tuple")
        if function is not NOT_STATIC:
            return self._call_object(function, node, args, keywords, plain)
        if isinstance(node.func, ast.Attribute):
            return self._call_method(node, node.func, args, keywords, plain)
        kind = self.kind(node.func)
        if kind.is_known and kind.name not in ("Module", "Any"):
            raise self.refused(node.func, f"cannot call a value of type '{kind}'")
        return self._call_module(kind, node, args, keywords, plain)

    def _call_object(self, function: Any, node: ast.Call, args: list, keywords: dict, plain: bool) -> Kind:
        if builtins.isinstance(function, torchlike.jit.ScriptFunction):
            function = getattr(function, "function", function)
        if getattr(builtins, getattr(function, "__name__", ""), None) is function:
            return self._call_builtin(function, node, args)
        if function is torchlike.jit.annotate and len(node.args) == 2:
            return self._annotation_of(node.args[0])
        if builtins.isinstance(function, types.FunctionType):
            signature = self.checks.signature(function)
            if signature is not None:
                if plain:
                    self._check_arguments(signature, node, args, keywords)
                return signature.result
        name = getattr(function, "__name__", "")
        if builtins.isinstance(function, type):
            return Kind(name, value=function) if hasattr(function, "_fields") else UNKNOWN
        is_public = (
            getattr(torchlike, name, None) is function or getattr(torchlike.nn.functional, name, None) is function
        )
        if is_public and name in _tables.TENSOR_RESULTS:
            strings = args[: 2 if name in _tables.BINARY else 1]
            if plain and STR in strings and name != "einsum":
                raise self.refused_call(node.func)
            if plain and args and args[0].name in ("List", "Dict") and name in _tables.UNARY:
                raise self.refused_call(node.func)
            inner = args[0].args if args and name in ("cat", "stack") else args[:1]
            if plain and any(each.name == "Optional" and each.is_known for each in inner):
                raise self.refused_call(node.func)
            self._check_binding(function, node, args, keywords, plain)
            return TENSOR
        return UNKNOWN

    def _check_binding(self, function: Any, node: ast.Call, args: list, keywords: dict, plain: bool) -> None:
        """Refuse too many, too few or unknown arguments of a function of the library."""
        try:
            signature = inspect.signature(function)
        except ValueError:
            return
        if not plain or any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()):
            return
        try:
            signature.bind(*args, **keywords)
        except TypeError:
            raise self.refused_call(node.func) from None

    def _annotation_of(self, node: ast.expr) -> Kind:
        from torchlike.jit._check import annotated

        return annotated(self.source, ast.unparse(node), node)

    def _call_builtin(self, function: Any, node: ast.Call, args: list[Kind]) -> Kind:
        if function in _tables.UNSUPPORTED_BUILTINS:
            raise self.refused(node.func, f"Python builtin {function!r} is currently not supported in Torchscript")
        name = function.__name__
        if name == "getattr":
            return self._getattr(node, args)
        if name == "range":
            return Kind("range")
        if function in _tables.PYTHON_BUILTINS:
            for place, kind in enumerate(args):
                if kind.is_known and kind.name != "Tensor":
                    declared = ", ".join(f"Tensor {i}" for i in range(len(args)))
                    text = (
                        f"Expected a value of type 'Tensor' for argument '{place}' but instead found type '{kind}'.\n"
                    )
                    raise self.refused(node.func, f"{name}({declared}) -> Tensor 0:\n{text}")
        if name == "tuple" and args and args[0].name == "List":
            raise self.refused(node, "cannot statically infer the expected size of a list in this context")
        if name == "super":
            raise self.refused(node, "'Tensor' object has no attribute or method 'forward'.")
        if name in ("abs", "round") and args and args[0] in (INT, FLOAT):
            return args[0] if name == "abs" else UNKNOWN
        return _tables.BUILTIN_RESULTS.get(name, UNKNOWN)

    def _getattr(self, node: ast.Call, args: list[Kind]) -> Kind:
        if len(args) < 2 or not isinstance(node.args[1], ast.Constant):
            return UNKNOWN
        made = ast.copy_location(ast.Attribute(node.args[0], str(node.args[1].value), ast.Load()), node)
        if args[0].name == "Module" and len(args) == 3 and not hasattr(args[0].value, made.attr):
            return args[2]
        return self.attribute(args[0], made)

    def _call_method(self, node: ast.Call, func: ast.Attribute, args: list, keywords: dict, plain: bool) -> Kind:
        owner_object = self.object(func.value)
        if owner_object is not NOT_STATIC:
            self._check_object(func, owner_object)
            return UNKNOWN
        owner, name = self.kind(func.value), func.attr
        if owner.name == "Module":
            return self._call_of_module(owner, node, func, args, keywords, plain)
        self.attribute(owner, func)
        if owner.name == "Tensor":
            if name == "tolist" and not self.hinted:
                raise self.refused(node, "Expected type hint for result of tolist()")
            if name == "size":
                return INT if args else list_of(INT)
            if name in _tables.TENSOR_RESULTS:
                self._check_keywords(node, name, keywords)
                return TENSOR
            return _tables.TENSOR_METHODS.get(name, UNKNOWN)
        if owner == STR:
            return _tables.STRING_RESULTS.get(name, UNKNOWN)
        if owner.name == "List" and name in ("append", "insert") and args and not converts(args[-1], owner.args[0]):
            element = owner.args[0]
            text = f"aten::{name}.t(t[](a!) self, t(c -> *) el) -> t[](a!):\nCould not match type {args[-1]} to t in "
            text += f"argument 'el': Type variable 't' previously matched to type {element} "
            text += f"is matched to type {args[-1]}.\n"
            raise self.refused(node, text)
        if owner.name == "List" and name == "pop":
            return owner.args[0]
        return owner if name == "copy" else UNKNOWN

    def _check_keywords(self, node: ast.Call, name: str, keywords: dict) -> None:
        try:
            parameters = inspect.signature(getattr(torchlike.Tensor, name)).parameters
        except (ValueError, AttributeError):
            return
        if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            return
        function = getattr(torchlike, name, None)
        public = inspect.signature(function).parameters if inspect.isroutine(function) else {}
        if any(each not in parameters and each not in public for each in keywords):
            raise self.refused_call(node)

    def _call_of_module(
        self, owner: Kind, node: ast.Call, func: ast.Attribute, args: list, keywords: dict, plain: bool
    ) -> Kind:
        kind = self._of_module(owner, func)
        if kind.name == "Module":
            return self._call_module(kind, node, args, keywords, plain)
        if kind.is_known and kind.name != "Any":
            raise self.refused(func, f"cannot call a value of type '{kind}'")
        static = inspect.getattr_static(type(owner.value), func.attr, None)
        is_static = builtins.isinstance(static, staticmethod)
        function = static.__func__ if is_static else static
        if not builtins.isinstance(function, types.FunctionType):
            return UNKNOWN
        return self._checked(function, None if is_static else owner, node, args, keywords, plain)

    def _call_module(self, kind: Kind, node: ast.Call, args: list, keywords: dict, plain: bool) -> Kind:
        if kind.name != "Module" or "forward" in kind.value.__dict__:
            return UNKNOWN
        forward = type(kind.value).forward
        if not builtins.isinstance(forward, types.FunctionType) or builtins.isinstance(
            kind.value, torchlike.jit.ScriptModule
        ):
            return UNKNOWN
        return self._checked(forward, kind, node, args, keywords, plain)

    def _checked(
        self, function: Any, owner: Kind | None, node: ast.Call, args: list, keywords: dict, plain: bool
    ) -> Kind:
        signature = self.checks.signature(function, owner)
        if signature is None:
            return UNKNOWN
        if plain:
            self._check_arguments(signature, node, args, keywords)
        return signature.result

    def _check_arguments(self, signature: Any, node: ast.Call, args: list[Kind], keywords: dict) -> None:
        """Refuse a call of a scripted function with other arguments than it declares."""
        most, names = len(signature.arguments), [name for name, _ in signature.arguments]
        if len(args) > most:
            text = f"Expected at most {most} arguments but found {len(args)} positional arguments.\n"
            raise self.refused(node.func, f"{signature}:\n{text}")
        twice = [name for name in names[: len(args)] if name in keywords]
        if twice:
            raise self.refused(node.func, f"{signature}:\nArgument {twice[0]} specified twice.\n")
        given = {**dict(zip(names, args)), **keywords}
        for name, kind in signature.arguments:
            if name not in given:
                if signature.parameters.parameters[name].default is inspect.Parameter.empty:
                    raise self.refused(node.func, f"{signature}:\nArgument {name} not provided.\n")
            elif not converts(given[name], kind):
                text = (
                    f"Expected a value of type '{kind}' for argument '{name}' but instead found type '{given[name]}'.\n"
                )
                raise self.refused(node.func, f"{signature}:\n{text}")
        unknown = [each for each in keywords if each not in names]
        if unknown:
            raise self.refused(node.func, f"{signature}:\nUnknown keyword argument '{unknown[0]}'.\n")
