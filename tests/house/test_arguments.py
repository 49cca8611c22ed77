"""Arguments of the distributed package are used, or their documentation says that they have no effect.

Methods that do nothing, return a constant or raise an error are interfaces, or refuse their call by name.
"""

import ast
import re
from collections.abc import Iterator

from tests.house.source import sources

FOLDERS = ("torchlike/distributed/", "torchlike/nn/parallel/")
NEAR = 200  # the most characters between the name of a parameter and the statement that it has no effect
# Parameters that a base class or a caller prescribes.
PRESCRIBED = {
    "EchoTransport.send": {"to"},
    "EchoTransport.receive": {"seconds"},
    "ways": {"count"},
    "FileSystemReader.read_metadata": {"args"},
    "FileSystemReader.set_up_storage_reader": {"is_coordinator", "args", "kwargs"},
    "FileSystemWriter.set_up_storage_writer": {"is_coordinator", "args"},
    "DefaultSavePlanner.set_up_planner": {"storage_meta"},
    "HuggingFaceStorageWriter.finish": {"metadata"},
    "HuggingFaceStorageReader.read_metadata": {"args", "kwargs"},
    "create_default_local_save_plan": {"is_coordinator"},
    "FSDPState.before_forward": {"module"},
    "FSDPState.after_forward": {"args"},
    "lambda_auto_wrap_policy": {"nonwrapped_numel"},
}


def functions(tree: ast.AST, within: str = "", said: str = "") -> Iterator[tuple[str, ast.FunctionDef, str]]:
    """Yield the public functions and methods, with the docstrings of their classes."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef) and (node.name == "__init__" or not node.name.startswith("_")):
            yield within + node.name, node, said
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from functions(node, f"{within}{node.name}.", ast.get_docstring(node) or "")


def is_trivial(function: ast.FunctionDef) -> bool:
    """Return whether a function does nothing, returns a constant or raises an error."""
    body = [node for node in function.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    constant = lambda node: isinstance(node, ast.Return) and isinstance(node.value, ast.Constant | None)
    return not body or (len(body) == 1 and (isinstance(body[0], ast.Raise | ast.Pass) or constant(body[0])))


def unused(function: ast.FunctionDef) -> list[str]:
    """Return the parameters that the body does not use."""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    used = {node.id for statement in function.body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    names = [x.arg for x in every if x is not None]
    return [x for x in names if x not in used and x not in ("self", "cls") and not x.startswith("_")]


def is_explained(name: str, text: str) -> bool:
    """Return whether a docstring names a parameter and then says that it has no effect, or is not supported."""
    return re.search(rf"\b{name}\b.{{0,{NEAR}}}?(no effect|not\s+supported)", text, re.DOTALL) is not None


def left_out(folders: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """Yield the parameters without use and explanation: the file, the function and the parameter."""
    for source in (s for folder in folders for s in sources("torchlike") if str(s).startswith(folder)):
        for name, function, said in functions(source.tree):
            text = f"{said}\n{ast.get_docstring(function) or ''}"
            for parameter in [] if is_trivial(function) else unused(function):
                if not is_explained(parameter, text):
                    yield str(source), name, parameter


def test_arguments_are_used_or_explained():
    found = list(left_out(FOLDERS))
    prescribed = {(name, parameter) for name, parameters in PRESCRIBED.items() for parameter in parameters}
    assert [each for each in found if each[1:] not in prescribed] == []
    assert prescribed == {each[1:] for each in found}


def test_an_argument_without_use_is_found():
    function = next(functions(ast.parse("def f(x, y):\n    'y has no effect'\n    return 3 + 4")))[1]
    assert unused(function) == ["x", "y"]
    assert not is_trivial(function)
    assert not is_explained("x", ast.get_docstring(function) or "")
    assert is_explained("y", ast.get_docstring(function) or "")
