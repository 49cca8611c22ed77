"""The names that guards find in bytecode are those that `dis` finds."""

import dis
import inspect
import types

import pytest

from tests.compile import footguns_python_values
from torchlike._compile.code_names import uses
from torchlike.optim import optimizer

GLOBAL = frozenset(("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "STORE_NAME", "DELETE_GLOBAL"))


def codes_of(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_of(constant)


def by_dis(code):
    found, passed, imports, constants = set(), set(), [], []
    for step in dis.get_instructions(code):
        if step.opname in GLOBAL:
            found.add(step.argval)
            if step.opname == "LOAD_GLOBAL" and not (step.arg or 0) & 1:
                passed.add(step.argval)
        elif step.opname == "IMPORT_NAME":
            imports.append((constants[-2], step.argval))
        elif "CONST" in step.opname or "SMALL_INT" in step.opname:
            constants.append(step.argval)
    return found, passed, tuple(imports)


def check(text):
    seen = list(codes_of(compile(text, "checked", "exec")))
    for code in seen:
        used = uses(code)
        assert (used.globals, used.passed, used.imports) == by_dis(code), code
    return len(seen)


@pytest.mark.parametrize("module", [inspect, dis, optimizer, footguns_python_values], ids=lambda m: m.__name__)
def test_of_a_module(module):
    assert check(inspect.getsource(module)) > 10


def test_more_names_than_a_byte_holds():
    names = [f"name_{i}" for i in range(700)]
    check(
        f"def f():\n    import first.second\n    from .near import x\n    global {names[-1]}\n"
        f"    {names[-1]} = [{', '.join(names)}]\n    return {names[600]}(map({names[650]}, ()))"
    )
