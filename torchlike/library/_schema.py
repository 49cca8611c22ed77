"""Schemas of operators: their text, such as "scale(Tensor x, float factor=2.0) -> Tensor", and its parts."""

from __future__ import annotations

import ast
import re
from typing import Any, NamedTuple

from torchlike import _errors

_BASES = {
    "Tensor": "Tensor",
    "int": "int",
    "SymInt": "int",
    "float": "float",
    "SymFloat": "float",
    "bool": "bool",
    "SymBool": "bool",
    "str": "str",
    "Scalar": "number",
    "complex": "complex",
    "ScalarType": "int",
    "Layout": "int",
    "MemoryFormat": "int",
    "Device": "Device",
    "Generator": "Generator",
    "Any": "Any",
}
_TYPE = re.compile(r"(\w+)(\(\w+!?\))?((?:\?|\[\d*\])*)$")
_ABSENT = object()


class Argument(NamedTuple):
    """An argument or a result of an operator.

    `kind` is the base type, `suffix` the list and optional markers after it, and `alias` the alias set, such as "a!".
    """

    name: str
    kind: str
    suffix: str = ""
    alias: str = ""
    default_value: Any = _ABSENT
    kwarg_only: bool = False

    @property
    def is_write(self) -> bool:
        """Whether the operator writes to the argument."""
        return self.alias.endswith("!")

    def has_default_value(self) -> bool:
        """Return whether the argument may be left out."""
        return self.default_value is not _ABSENT

    @property
    def type_name(self) -> str:
        """The type in the words of error messages, such as `List[Optional[Tensor]]`."""
        name = _BASES[self.kind]
        for mark in re.findall(r"\?|\[\d*\]", self.suffix):
            name = f"Optional[{name}]" if mark == "?" else f"List[{name}]"
        return name

    def __str__(self) -> str:
        alias = f"({self.alias})" if self.alias else ""
        head = f"{self.kind}{alias}{self.suffix}{' ' if self.name else ''}{self.name}"
        if not self.has_default_value():
            return head
        value = self.default_value
        if isinstance(value, list) and "[]" not in self.suffix and len(set(value)) == 1:  # a sized list
            value = value[0]
        return f"{head}={_default_text(value)}"


class FunctionSchema(NamedTuple):
    """The schema of an operator: its name, arguments and results."""

    name: str
    overload_name: str
    arguments: list[Argument]
    returns: list[Argument]

    @property
    def is_mutable(self) -> bool:
        """Whether the operator writes to an argument."""
        return any(each.is_write for each in self.arguments)

    @property
    def has_aliases(self) -> bool:
        """Whether a result is an argument or a view of one."""
        return any(each.alias for each in self.returns)

    @property
    def positional(self) -> list[Argument]:
        """The arguments that may be given by position."""
        return [each for each in self.arguments if not each.kwarg_only]

    @property
    def keyword_only(self) -> list[Argument]:
        """The arguments that must be given by name."""
        return [each for each in self.arguments if each.kwarg_only]

    def __str__(self) -> str:
        parts = [str(each) for each in self.positional]
        if self.keyword_only:
            parts += ["*", *map(str, self.keyword_only)]
        results = ", ".join(map(str, self.returns))
        name = f"{self.name}.{self.overload_name}" if self.overload_name else self.name
        return f"{name}({', '.join(parts)}) -> {results if len(self.returns) == 1 else f'({results})'}"


def parse_schema(text: str) -> FunctionSchema:
    """Return the schema that a text describes.

    Args:
      text (str): "namespace::name.overload(arguments) -> results". The overload name is optional.

    Raises:
      RuntimeError: the text has another form.

    >>> str(parse_schema("docs::scale(Tensor x, float factor=2.0) -> Tensor"))
    'docs::scale(Tensor x, float factor=2.) -> Tensor'
    """
    found = re.fullmatch(r"\s*([\w:]+)(?:\.(\w+))?\s*\((.*)\)\s*->\s*(\S.*?)\s*", text, re.DOTALL)
    if found is None:
        raise _errors.operators.bad_schema(text)
    name, overload, inside, results = found.groups()
    arguments: list[Argument] = []
    kwarg_only = False
    for part in _split(inside):
        if part == "*":
            kwarg_only = True
        else:
            arguments.append(_argument(part, kwarg_only, text))
    if results.startswith("(") and results.endswith(")"):
        results = results[1:-1]
    return FunctionSchema(name, overload or "", arguments, [_argument(each, False, text) for each in _split(results)])


def _split(text: str) -> list[str]:
    """Split a text at the commas outside of brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for place, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [each.strip() for each in (*parts, text[start:]) if each.strip()]


def _argument(text: str, kwarg_only: bool, schema: str) -> Argument:
    head, equals, default = text.partition("=")
    kind, _, name = head.strip().partition(" ")
    found = _TYPE.match(kind)
    if found is None or found[1] not in _BASES:
        raise _errors.operators.unknown_schema_type(found[1] if found else kind, schema)
    alias = (found[2] or "").strip("()")
    made = Argument(name.strip(), found[1], found[3], alias, kwarg_only=kwarg_only)
    if not equals:
        return made
    return made._replace(default_value=_default(made, default.strip()))


def _default(argument: Argument, text: str) -> Any:
    """Return the default value that a text describes."""
    if argument.kind in ("ScalarType", "Layout", "MemoryFormat") and text != "None":
        import torchlike

        return getattr(torchlike, text)
    value = ast.literal_eval(text)
    if "[" in argument.suffix and isinstance(value, int | float):
        return [value] * int(re.findall(r"\[(\d*)\]", argument.suffix)[0] or 1)
    if argument.kind == "Device" and isinstance(value, str):
        from torchlike._dtypes.devices import device

        return device(value)
    return float(value) if argument.kind == "float" and isinstance(value, int) else value


def _default_text(value: Any) -> str:
    if isinstance(value, float):
        text = f"{value:.17g}"
        return f"{text}." if text.lstrip("-").isdigit() else text
    if isinstance(value, str):
        return f'"{value}"'
    return str(value).removeprefix("torchlike.").removeprefix("torch.")


__all__ = ["Argument", "FunctionSchema", "parse_schema"]
