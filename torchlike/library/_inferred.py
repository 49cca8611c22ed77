"""`infer_schema`: the schema of a Python function by its annotations."""

from __future__ import annotations

import collections.abc
import inspect
import typing
from collections.abc import Callable, Iterable
from types import GenericAlias
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._dtypes.devices import device
from torchlike._tensor.tensor import Tensor

_Number = int | float | bool
# For each type: its name in schemas, and whether there are lists of it, lists of optional ones, and optional lists.
_ROWS = (
    (Tensor, "Tensor", True, True, False),
    (int, "SymInt", True, False, True),
    (float, "float", True, False, True),
    (bool, "bool", True, False, True),
    (str, "str", False, False, False),
    (_Number, "Scalar", True, False, False),
    (_dtypes.dtype, "ScalarType", False, False, False),
    (device, "Device", False, False, False),
)
_RESULTS: dict[Any, str] = {
    Tensor: "Tensor",
    typing.List[Tensor]: "Tensor[]",  # noqa: UP006
    list[Tensor]: "Tensor[]",
    int: "SymInt",
    float: "float",
    bool: "bool",
    _Number: "Scalar",
}


def _lists_of(kind: Any) -> tuple:
    return (
        typing.Sequence[kind],
        typing.List[kind],  # noqa: UP006
        GenericAlias(collections.abc.Sequence, (kind,)),
        GenericAlias(list, (kind,)),
    )


def _parameter_types() -> dict[Any, str]:
    found: dict[Any, str] = {}
    for kind, name, lists, lists_of_optional, optional_lists in _ROWS:
        maybe = typing.Optional[kind]  # noqa: UP045
        found |= {kind: name, maybe: f"{name}?"}
        found |= {each: f"{name}[]" for each in _lists_of(kind)} if lists else {}
        found |= {each: f"{name}?[]" for each in _lists_of(maybe)} if lists_of_optional else {}
        if optional_lists:
            found |= {typing.Optional[each]: f"{name}[]?" for each in _lists_of(kind)}  # noqa: UP045
    return found


_PARAMETERS = _parameter_types()


def infer_schema(
    prototype_function: Callable,
    /,
    *,
    mutates_args: str | Iterable[str],
    op_name: str | None = None,
    tags: Any = (),
) -> str:
    """Return the schema of a function by the annotations of its parameters and of its result.

    Args:
      prototype_function (callable): the function.
      mutates_args (str or iterable of str): the arguments that the function writes to, or "unknown" for all tensors.
      op_name (str, optional): the name in the schema. Default: none.
      tags: must be empty.

    Raises:
      ValueError: a parameter or the result has no annotation, or one that operators do not support.
      NotImplementedError: `tags` is given.

    >>> import torchlike as torch
    >>> def scale(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    ...     return x * factor
    >>> torch.library.infer_schema(scale, op_name="scale", mutates_args=())
    'scale(Tensor x, float factor=2.0) -> Tensor'
    """
    if tags:
        raise _errors.arguments.unsupported("library.infer_schema", "tags")
    names = mutates_args if isinstance(mutates_args, str) else tuple(mutates_args)
    signature = inspect.signature(prototype_function)
    read = _Reader(prototype_function.__globals__, signature)
    parts: list[str] = []
    for place, parameter in enumerate(signature.parameters.values()):
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        parts.append(read.parameter(place, parameter, names))
    unseen = set() if isinstance(names, str) else set(names) - set(signature.parameters)
    if unseen:
        raise read.error(
            f"{unseen} in mutates_args were not found in the custom op's signature. mutates_args should contain the "
            "names of all args that the custom op mutates, or just the string 'unknown' if you don't know."
        )
    return f"{op_name or ''}({', '.join(parts)}) -> {read.result()}"


class _Reader:
    """The annotations of a function, in the words of schemas."""

    def __init__(self, names: dict[str, Any], signature: inspect.Signature) -> None:
        self._names, self._signature = names, signature

    def error(self, what: str) -> ValueError:
        return _errors.operators.unsupported_annotation(what, self._signature)

    def parameter(self, place: int, parameter: inspect.Parameter, mutated: Any) -> str:
        """Return the text of a parameter."""
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise self.error("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.annotation is parameter.empty:
            raise self.error(f"Parameter {parameter.name} must have a type annotation.")
        kind = self._kind(parameter)
        if isinstance(mutated, str) and mutated != "unknown":
            raise ValueError(
                "mutates_args must either be a sequence of the names of the arguments that are mutated or the string "
                "'unknown'. "
            )
        is_tensor = kind.startswith("Tensor")
        if is_tensor if mutated == "unknown" else parameter.name in mutated:
            if not is_tensor:
                raise self.error(
                    f"Parameter {parameter.name} is in mutable_args but only Tensors or collections of Tensors can be "
                    "mutated"
                )
            kind = f"Tensor(a{place}!){kind.removeprefix('Tensor')}"
        if parameter.default is parameter.empty:
            return f"{kind} {parameter.name}"
        return f"{kind} {parameter.name}={self._default(parameter)}"

    def _kind(self, parameter: inspect.Parameter) -> str:
        found = self._evaluated(parameter.annotation)
        try:
            return _PARAMETERS[found]
        except (KeyError, TypeError):
            pass
        shown = str(parameter.annotation).replace("torchlike.", "torch.")
        what = f"Parameter {parameter.name} has unsupported type {shown}. "
        if typing.get_origin(found) is tuple:
            what += "We do not support Tuple inputs in schema. As a workaround, please try to use List instead. "
            kinds = set(typing.get_args(found)) - {...}
            listed = list[kinds.pop()] if len(kinds) == 1 else None
            what += f"For example, {listed}.\n\n" if listed in _PARAMETERS else "\n\n"
        valid = str(_PARAMETERS.keys()).replace("torchlike.", "torch.")
        raise self.error(f"{what}The valid types are: {valid}.")

    def _default(self, parameter: inspect.Parameter) -> str:
        value = parameter.default
        if value is None or isinstance(value, int | float | bool):
            return str(value)
        if isinstance(value, str | device):
            return f'"{value}"'
        if isinstance(value, _dtypes.dtype):
            return str(value).rpartition(".")[2]
        shown = str(type(value)).replace("torchlike.", "torch.")
        raise self.error(
            f"Parameter {parameter.name} has an unsupported default value type {shown}. "
            "Please file an issue on GitHub so we can prioritize this."
        )

    def result(self) -> str:
        """Return the text of the results."""
        found = self._evaluated(self._signature.return_annotation)
        if found is None:
            return "()"
        if found is inspect.Parameter.empty:
            raise self.error("No return type annotation was provided. Please add one.")
        several = typing.get_origin(found) is tuple
        kinds = typing.get_args(found) if several else (found,)
        try:
            names = [_RESULTS[each] for each in kinds]
        except (KeyError, TypeError):
            texts = [str(each).replace("torchlike.", "torch.") for each in (found, _RESULTS)]
            raise self.error(f"Return has unsupported type {texts[0]}. The valid types are: {texts[1]}.") from None
        text = ", ".join(names)
        if not several:
            return text
        return f"(({text}))" if len(names) == 1 else f"({text})"

    def _evaluated(self, annotation: Any) -> Any:
        """Return an annotation, with the strings in it evaluated."""
        if isinstance(annotation, str):
            try:
                return eval(annotation, self._names)
            except NameError as e:
                raise self.error(
                    f"Unsupported type annotation {annotation}. It is not a type. ({e}). If you are using 'from "
                    "__future__ import annotations', note that annotations are evaluated lazily as strings; make sure "
                    "all types referenced in annotations are importable at module scope, not only inside a local "
                    "function."
                ) from None
            except Exception as e:
                raise self.error(
                    f"Unsupported type annotation {annotation}. It is not a type. ({type(e).__name__}: {e})"
                ) from None
        origin, args = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is None or not any(isinstance(each, str) for each in args):
            return annotation
        return GenericAlias(origin, tuple(self._evaluated(each) for each in args))


__all__ = ["infer_schema"]
