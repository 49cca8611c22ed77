"""The types of a scripted function, which its calls check."""

from __future__ import annotations

import inspect
from typing import Any

from torchlike.jit._kinds import FLOAT, Kind, accepts


class Signature:
    """The types of a function.

    Attributes:
      function: the Python function.
      arguments: the names and types of its arguments, without `self`.
      result: the type of the result.
      declared: the annotated type of the result, or None.

    Args:
      function, arguments, result, declared: the attributes.
      is_method: whether the first argument is a module.
      name: the name in messages; None for that of the function.
    """

    def __init__(
        self,
        function: Any,
        arguments: list[tuple[str, Kind]],
        result: Kind,
        declared: Kind | None = None,
        is_method: bool = False,
        name: str | None = None,
    ) -> None:
        self.function, self.arguments, self.result, self.declared = function, arguments, result, declared
        self.is_method, self.name = is_method, name or function.__name__
        parameters = [*inspect.signature(function).parameters.values()][1 if is_method else 0 :]
        self.parameters = inspect.Signature(parameters)

    def __str__(self) -> str:
        texts = [f"{kind.name if kind.inferred else kind} {name}" for name, kind in self.arguments]
        for i, parameter in enumerate(self.parameters.parameters.values()):
            if parameter.default is not inspect.Parameter.empty and i < len(texts):
                texts[i] += f"={parameter.default}"
        result = self.declared or self.result
        if self.is_method:
            kind = self.function.__qualname__.rpartition(".")[0].replace("<locals>.", "")
            texts.insert(0, f"__torch__.{kind} self")
        return f"{self.name}({', '.join(texts)}) -> {result.name if result.inferred else result}"

    __repr__ = __str__

    def checked(self, args: tuple, kwargs: dict) -> tuple:
        """Return the arguments of a call in order.

        Raises:
          RuntimeError: an argument is missing, unknown or of another type.
        """
        name = self.name
        try:
            bound = self.parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise RuntimeError(self._not_bound(args, kwargs, str(error))) from None
        bound.apply_defaults()
        kinds = dict(self.arguments)
        for place, (argument, value) in enumerate(bound.arguments.items()):
            kind = kinds[argument]
            if not accepts(kind, value):
                hint = f"Inferred '{argument}' to be of type 'Tensor' because it was not annotated with an explicit "
                hint += "type.\n"
                raise RuntimeError(
                    f"{name}() Expected a value of type '{kind}' for argument '{argument}' but instead found type "
                    f"'{type(value).__name__}'.\n{hint if kind.inferred else ''}Position: {place}\nValue: {value}\n"
                    f"Declaration: {self}"
                )
            if kind == FLOAT and isinstance(value, int):
                bound.arguments[argument] = float(value)
        return bound.args

    def _not_bound(self, args: tuple, kwargs: dict, text: str) -> str:
        name, parameters = self.name, self.parameters.parameters
        if len(args) > len(parameters):
            extra = 1 if self.is_method or self.name != self.function.__name__ else 0
            counts = (
                f"expected at most {len(parameters) + extra} argument(s) but received {len(args) + extra} argument(s)"
            )
            return f"{name}() {counts}. Declaration: {self}"
        unknown = [each for each in kwargs if each not in parameters]
        if unknown:
            return f"Unknown keyword argument '{unknown[0]}' for operator '{name}'. Schema: {self}"
        given = {*[*parameters][: len(args)], *kwargs}
        for each, parameter in parameters.items():
            if parameter.default is inspect.Parameter.empty and each not in given:
                return f"{name}() is missing value for argument '{each}'. Declaration: {self}"
        return text
