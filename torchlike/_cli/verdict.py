"""The verdict about one PyTorch name: supported, differing, refused or missing."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import inspect
import warnings
from types import ModuleType
from typing import Any, NamedTuple

import torchlike
from torchlike._api.names import MODULES
from torchlike._cli import differences
from torchlike._cli.refusals import refused_arguments, refuses
from torchlike._cli.resolve import Use

SUPPORTED, DIFFERING, REFUSED, MISSING = STATUSES = ("supported", "differing", "refused", "missing")
OPERATORS = "torch.ops."
PLUGINS = ("npu", "hpu", "mlu", "musa", "sdaa", "supa", "neuron", "tpu")  # devices that other packages add to PyTorch
THEIR_OPERATORS = (
    "aten",
    "prims",
    "prim",
    "quantized",
    "c10d",
    "_c10d_functional",
    "higher_order",
    "mkldnn",
    "inductor",
)
CHECKED_KEYWORDS = ("torch.nn.", "torch.optim.", "torch.utils.data.")  # their signatures are written out


class Verdict(NamedTuple):
    """A status, a note, and the name without the attributes of values that it reads."""

    status: str
    note: str
    name: str


class Found(NamedTuple):
    """The object to which a name refers. `name` ends at the first value that is neither a module nor a class.

    `error` is the text of the error that access raises. `is_refused` tells whether that error is a refusal.
    """

    name: str
    value: Any
    error: str = ""
    is_refused: bool = False


def exists(name: str) -> bool:
    """Return whether torchlike has a name."""
    return not find(name).error


def is_custom(name: str) -> bool:
    """Return whether a name is an operator of another library, such as `torch.ops.torchvision.nms`."""
    return name.startswith(OPERATORS) and name.split(".")[2] not in (*THEIR_OPERATORS, "load_library")


@functools.cache
def find(name: str) -> Found:
    """Follow a name through torchlike's modules and classes, and import submodules where it is needed."""
    words = name.split(".")
    at, found = "torch", torchlike
    for word in words[1:]:
        if not _is_followed(found):
            break
        at += "." + word
        try:
            found = _attribute(found, at, word)
        except NotImplementedError as error:
            return Found(at, None, str(error), True)
        except Exception as error:
            return Found(at, None, str(error) or type(error).__name__)
    return Found(at, found)


def _is_followed(found: Any) -> bool:
    """Return whether attributes of an object are names: those of modules, classes and torchlike's own values."""
    is_ours = type(found).__module__.partition(".")[0] == "torchlike"
    return isinstance(found, ModuleType | type) or (is_ours and not callable(found))


def _attribute(owner: Any, at: str, word: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return getattr(owner, word)
        except AttributeError as error:
            path = "torchlike" + at.removeprefix("torch")
            if isinstance(error, NotImplementedError) or not isinstance(owner, ModuleType):
                raise
            if not hasattr(owner, "__path__") or importlib.util.find_spec(path) is None:
                raise
            return importlib.import_module(path)


def judge(use: Use) -> Verdict:
    """Return the verdict about one use of a name."""
    found = find(use.name)
    if found.error:
        return _absent(use, found)
    name = found.name
    if _is_internal(found.value):
        return Verdict(DIFFERING, "a module of torchlike's own has this name; its contents differ from PyTorch's", name)
    if _refuses(name):
        return _refused(use, found)
    if use.read.call is not None and name == use.name and (verdict := _judge_arguments(use, found)):
        return verdict
    entry = differences.entry(name)
    return Verdict(DIFFERING, entry, name) if entry else Verdict(SUPPORTED, "", name)


def _absent(use: Use, found: Found) -> Verdict:
    if found.is_refused:
        return Verdict(REFUSED, found.error, use.name)
    notes = [note for note, applies in _circumstances(use) if applies]
    if found.name != use.name:
        notes.insert(0, f"{found.name} does not exist")
    return Verdict(MISSING, "; ".join(notes), use.name)


def _circumstances(use: Use) -> list[tuple[str, bool]]:
    return [
        ("another package adds this device to PyTorch", use.name.split(".")[1] in PLUGINS),
        ("the program handles the error", use.read.is_optional),
        ("the program tests whether it exists", use.is_probed),
        ("for type checkers only", use.read.is_for_types),
        ("an assignment", use.read.is_stored),
    ]


def _is_internal(value: Any) -> bool:
    """Return whether a name leads to a private package of torchlike that PyTorch does not have."""
    if not isinstance(value, ModuleType):
        return False
    words = value.__name__.split(".")
    return words[0] == "torchlike" and len(words) > 1 and words[1].startswith("_") and words[1] not in MODULES


@functools.cache
def _refuses(name: str) -> bool:
    value = find(name).value
    if isinstance(value, ModuleType):
        public = [each for word, each in vars(value).items() if not word.startswith("_")]
        return bool(public) and all(isinstance(each, type) and refuses(each) for each in public)
    return refuses(value)


def _refused(use: Use, found: Found) -> Verdict:
    """Return the verdict about a name that raises when it is used. Reading a class or a dtype does not raise.

    A placeholder of a function, whose name is in lower case, is a class too; it counts as a function.
    """
    if isinstance(found.value, ModuleType):
        return Verdict(REFUSED, "every name of this module raises an error when it is called", found.name)
    if isinstance(found.value, type) and found.name.rpartition(".")[2].lstrip("_")[:1].isupper():
        is_used = use.read.call is not None
    else:
        is_used = callable(found.value) or use.read.is_argument
    if is_used:
        return Verdict(REFUSED, "raises an error when it is used", found.name)
    return Verdict(DIFFERING, "only the name exists; using it raises an error", found.name)


def _judge_arguments(use: Use, found: Found) -> Verdict | None:
    """Return a verdict about the keyword arguments of a call, if one of them is refused or unknown."""
    given = {keyword.arg: keyword.value for keyword in use.read.call.keywords if keyword.arg}  # type: ignore[union-attr]
    refused = {**differences.refused_arguments(found.name), **refused_arguments(found.value)} if given else {}
    for argument, is_refused in refused.items():
        if argument not in given:
            continue
        value = given[argument]
        if not isinstance(value, ast.Constant):
            note = f"the argument '{argument}' is refused unless it has its default"
            return Verdict(DIFFERING, note, f"{found.name}({argument}=)")
        if is_refused(value.value):
            return Verdict(REFUSED, f"the argument '{argument}' is refused", f"{found.name}({argument}=)")
    unknown = next((argument for argument in given if argument not in _keywords(found, given)), None)
    return Verdict(MISSING, "there is no such argument", f"{found.name}({unknown}=)") if unknown else None


def _keywords(found: Found, given: dict[str, Any]) -> Any:
    """Return the keywords that a class takes, or the given ones if its signature is not known."""
    if not isinstance(found.value, type) or not found.name.startswith(CHECKED_KEYWORDS):
        return given
    if not inspect.isfunction(found.value.__init__) or found.value.__new__ is not object.__new__:
        return given
    parameters = inspect.signature(found.value.__init__).parameters.values()
    return given if any(p.kind is p.VAR_KEYWORD for p in parameters) else {p.name for p in parameters}
