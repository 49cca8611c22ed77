"""Runs the programs of this folder in PyTorch and in torchlike, traced or scripted, saved and loaded again."""

import io
import math
import re
import warnings
from types import ModuleType

import torch

import torchlike
from tests.jit import (
    programs_control,
    programs_last,
    programs_modules,
    programs_more,
    programs_refused,
    programs_values,
    traced,
    traced_more,
)

_DEFAULTS = "a loaded function keeps the defaults of its arguments, which PyTorch drops"
# The programs that differ, with the reason.
DIFFERENT = {
    "control.optional_argument": _DEFAULTS,
    "control.optional_tensor_with_default": _DEFAULTS,
    "values.mode_by_string": _DEFAULTS,
    "last.string_building": "`2.0` is `2.` in the text of PyTorch",
    "last.tensor_for_a_number": "PyTorch converts a scalar tensor to the number that the name had before",
    "more.beam_search": "PyTorch fails with an internal assertion of its interpreter",
    "more.refused_while_else": "PyTorch's refusal raises another error while it is made",
}
SCRIPTED = (programs_control, programs_values, programs_modules, programs_more, programs_last, programs_refused)


def programs(module: ModuleType) -> dict:
    """Return the programs of a file by name."""
    own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
    return {n: v for n, v in own.items() if callable(v) and not isinstance(v, type) and not n.startswith("_")}


def shown(value):
    """Return a result as plain values that can be compared."""
    if isinstance(value, list):
        return [shown(each) for each in value]
    if isinstance(value, tuple):
        return tuple(map(shown, value))
    if isinstance(value, dict):
        return {key: shown(each) for key, each in value.items()}
    if hasattr(value, "detach"):
        return str(value.dtype), tuple(value.shape), [_rounded(each) for each in value.detach().flatten().tolist()]
    return _rounded(value)


def _rounded(value):
    return Close(value) if isinstance(value, float) else value


class Close(float):
    """A number that equals numbers nearby."""

    def __eq__(self, other):
        return math.isclose(self, other, rel_tol=1e-4, abs_tol=1e-6)

    def __ne__(self, other):
        return not self == other

    __hash__ = None


def refusal(error: Exception) -> tuple[str, str]:
    """Return the class and the first line of an error."""
    lines = str(error).strip().splitlines()
    # The first argument of a method has the name of a class, which PyTorch numbers.
    return type(error).__name__, re.sub(r"__torch__\S+ self,? ?", "", lines[0].strip()) if lines else ""


def calls(function, inputs) -> list:
    """Return the results or errors of calls."""
    found = []
    for args in inputs:
        try:
            found.append(shown(function(*args)))
        except Exception as error:
            found.append(refusal(error))
    return found


def reloaded(library, made):
    """Save an object and load it."""
    file = io.BytesIO()
    library.jit.save(made, file)
    file.seek(0)
    return library.jit.load(file)


def scripted(library, program) -> list:
    """Return what a scripted program does: its results before and after saving, or its refusal."""
    source, inputs = program(library)
    try:
        made = library.jit.script(source)
    except Exception as error:
        return [refusal(error)]
    saved = reloaded(library, made)  # before the calls change attributes
    return [calls(made, inputs), calls(saved, inputs)]


def traced_once(library, program) -> list:
    """Return what a traced program does, for the example and for other inputs, before and after saving."""
    source = program(library)
    x = library.arange(6.0).reshape(2, 3) / 3
    inputs = [(x,), (-x,), (library.arange(12.0).reshape(4, 3) - 3,)]
    try:
        made = library.jit.trace(source, x)
    except Exception as error:
        return [refusal(error)]
    if hasattr(source, "flag"):
        source.flag = False
    found = calls(made, inputs)
    return [found, calls(reloaded(library, made), inputs)]


def compared(run, program) -> tuple[list, list]:
    """Return what a program does in PyTorch and in torchlike."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run(torch, program), run(torchlike, program)


def all_programs() -> list[tuple]:
    """Return the name, the way to run and the program of each."""
    found = [(f"traced.{name}", traced_once, program) for name, program in programs(traced).items()]
    found += [(f"traced_more.{name}", traced_once, program) for name, program in programs(traced_more).items()]
    for module in SCRIPTED:
        kind = module.__name__.rpartition("_")[2]
        found += [(f"{kind}.{name}", scripted, program) for name, program in programs(module).items()]
    return found
