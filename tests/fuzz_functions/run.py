"""Runs a program in both libraries and compares the results."""

from __future__ import annotations

import importlib
import re
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import torch

import torchlike
from tests.fuzz_functions.forms import pushed
from tests.fuzz_functions.program import Program, inputs, start
from tests.fuzz_functions.stacks import form_of, pushes

RTOL, ATOL = 1e-6, 1e-7  # float64; second derivatives lose digits
_SUBMODULES = ("fx.experimental.proxy_tensor", "utils.checkpoint", "autograd.forward_ad", "autograd.functional")


def call(program: Program, library: Any) -> Any:
    """Run a program. Return its result, with an array for each tensor, or the exception that it raised."""
    for name in _SUBMODULES:
        importlib.import_module(f"{library.__name__}.{name}")
    names = start(library)
    library.set_default_dtype(library.float64)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(program.text, "<program>", "exec"), names)
            return _seen(form_of(program.form)(library, names["f"], inputs(library), inputs(library, 1)))
    except Exception as error:
        return error.with_traceback(None)
    finally:
        library.set_default_dtype(library.float32)
        library.set_grad_enabled(True)


def _seen(out: Any) -> Any:
    if isinstance(out, tuple | list):
        return [_seen(each) for each in out]
    if isinstance(out, torch.Tensor | torchlike.Tensor):
        out = out.detach().resolve_conj().resolve_neg()
        return "meta" if out.device.type == "meta" else np.array(out.numpy())
    return str(out).replace("torchlike.", "torch.")


def difference(program: Program) -> str | None:
    """Run a program in both libraries and describe the difference, or return None.

    A program that PyTorch refuses has no difference: torchlike supports more combinations.
    """
    theirs = call(program, torch)
    if isinstance(theirs, Exception) or _is_undefined(program):
        return None
    with torchlike.set_executor(program.executor):
        ours = call(program, torchlike)
    if isinstance(ours, NotImplementedError) and "torchlike does not support" in str(ours):
        return None  # a refusal that docs/differences.md lists
    if isinstance(ours, Exception):
        return f"raised {type(ours).__name__}: {str(ours)[:300]}"
    found = _differs(ours, theirs)
    return None if found and pushes(program.form) and _forward_mode_is_wrong(program) else found


def _is_undefined(program: Program) -> bool:
    """Return whether no program relies on PyTorch's result.

    On meta, PyTorch accepts some CPU tensors. Under `checkpoint` and hooks on saved tensors, it does not notice writes
    to saved tensors, and its gradients may be wrong.
    """
    if program.form == "meta":
        return "torch." in program.text or "ids" in program.text
    unchecked = program.form in ("checkpoint", "saved_tensors")
    return unchecked and isinstance(call(replace(program, form="backward"), torch), Exception)


def _forward_mode_is_wrong(program: Program) -> bool:
    """Return whether PyTorch's forward-mode derivatives of the function differ from its slopes.

    PyTorch's forward mode is wrong after `a.mul_(a)`, and `linearize` after most in-place operations.
    """
    names = start(torch)
    torch.set_default_dtype(torch.float64)
    try:
        exec(compile(program.text, "<program>", "exec"), names)
        slopes, *others = pushed(torch, names["f"], inputs(torch))
    finally:
        torch.set_default_dtype(torch.float32)
    return any(not torch.allclose(a, b, 1e-4, 1e-5) for each in others for a, b in zip(each, slopes))


def _differs(ours: Any, theirs: Any, where: str = "result") -> str | None:
    if isinstance(theirs, list):
        if not isinstance(ours, list) or len(ours) != len(theirs):
            return f"{where} has another structure"
        each = (_differs(a, b, f"{where}[{i}]") for i, (a, b) in enumerate(zip(ours, theirs)))
        return next((found for found in each if found is not None), None)
    if not isinstance(theirs, np.ndarray):
        return None if type(ours) is type(theirs) and ours == theirs else f"{where} is {ours}, not {theirs}"
    if not isinstance(ours, np.ndarray) or (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
        return f"{where} is {_kind(ours)}, not {_kind(theirs)}"
    if not np.allclose(ours, theirs, RTOL, ATOL, equal_nan=True):
        return f"{where} is\n{ours}\nnot\n{theirs}"
    return None


def _kind(x: Any) -> str:
    return f"{x.dtype}{list(x.shape)}" if isinstance(x, np.ndarray) else str(x)


def smallest(program: Program, kind: str) -> Program:
    """Return the program without the statements that are not needed to reproduce the kind of difference."""
    changed = True
    while changed:
        changed = False
        for i in reversed(range(len(program.statements))):
            fewer = replace(program, statements=program.statements[:i] + program.statements[i + 1 :])
            for result in (program.result, *_names(fewer)):
                shorter = replace(fewer, result=result)
                if kind_of(shorter.form, difference(shorter) or "") == kind:
                    program, changed = shorter, True
                    break
            if changed:
                break
    return program


def _names(program: Program) -> list[str]:
    return re.findall(r"^([a-h]) =", "\n".join(program.statements), re.MULTILINE)[::-1]


def kind_of(form: str, found: str) -> str:
    """Return the kind of a difference: its form and text, without names and numbers."""
    return f"{form}: {re.sub(r'[0-9.e,() +-]+', ' ', found)[:100]}"


def script(program: Program) -> str:
    """Format a program as a script."""
    head = ["from tests.fuzz_functions.program import *", "import torchlike", "from tests.fuzz_functions.run import *"]
    made = f"program = Program({program.statements!r}, {program.result!r}, {program.form!r}, {program.executor!r})"
    return "\n".join([*head, made, "print(difference(program))", "", program.text])
