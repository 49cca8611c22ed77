"""Rules: no code depends on interpreter frames, and no module or class is patched while a program runs."""

import ast
import functools
from pathlib import Path

import pytest

from tests.house.source import Source, all_imports, sources

CALLERS = "torchlike/_errors/callers.py"  # finds the user's line
WALKS = {"_getframe", "_current_frames", "currentframe", "walk_stack", "extract_stack", "format_stack", "f_back"}
# Files that may use some of these names. While a function is captured, the profiler passes the frames of calls to its
# hook.
GIVEN_FRAMES = {
    "torchlike/_compile/profiling_hook.py": {"f_back"},
    # in the list of functions that a compiled function must not call
    "torchlike/_compile/trusted.py": {"currentframe"},
}

# Files that change attributes of modules, with the reason. The table may only shrink.
CHANGED_MODULES = {
    "torchlike/_engine/determinism.py": "a setting of the process, kept in `_modes`",
    "torchlike/_api/import_hook.py": "`install` gives the root module PyTorch's name",
    "torchlike/_api/programs.py": "`python -m torchlike script.py` puts the script in the place of `__main__`",
    "torchlike/backends/_settings.py": "a class for modules whose attributes are settings",
    "torchlike/backends/cudnn.py": "attributes that are settings",
    "torchlike/utils/deterministic.py": "attributes that are settings",
    "torchlike/jit/_types.py": "classes made when they are first asked for",
    "torchlike/distributed/_absent.py": "names that are refused, at import",
}
BINDS_AT_IMPORT = {
    "torchlike/_tensor/python_operators.py": "`Tensor.__invert__` is bound with the other operators, at import"
}
ENGINE = (
    "torchlike._engine",
    "torchlike._autograd",
    "torchlike._tensor.storage",
    "torchlike._dtypes.recorder",
    "torchlike._tensor.tensor",
)


def walks(source: Source) -> set[str]:
    """Return the names through which a file accesses frames, and `stacklevel`, which counts frames."""
    nodes = list(ast.walk(source.tree))
    found = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    found |= {name.rpartition(".")[2] for _, name in all_imports(source)}
    found &= WALKS
    keywords = {node.arg for node in nodes if isinstance(node, ast.keyword)}
    return found | (keywords & {"stacklevel", "_stacklevel", "co_filename"})


def changes(source: Source) -> list[int]:
    """Return the lines that set attributes or the class of a module."""
    modules = _modules(source)
    return [node.lineno for node in ast.walk(source.tree) if _changes_a_module(node, modules)]


@functools.cache
def _ours() -> set[str]:
    return {each.module for each in sources("torchlike")}


def _modules(source: Source) -> set[str]:
    """Return the names that refer to modules in a file."""
    found = set()
    for node in ast.walk(source.tree):
        if (
            isinstance(node, ast.Assign | ast.AnnAssign)
            and node.value is not None
            and ast.unparse(node.value).startswith("sys.modules[")
        ):
            found |= {target.id for target in _targets(node) if isinstance(target, ast.Name)}
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            base = _absolute(node, source)
            found |= {alias.asname or alias.name for alias in node.names if f"{base}.{alias.name}" in _ours()}
    return found


def _absolute(node: ast.ImportFrom, source: Source) -> str:
    alone = ast.Module([node], [])
    (first, *_) = all_imports(Source(source.path, source.module, source.is_package, alone))
    return first[1].rpartition(".")[0]


def _changes_a_module(node: ast.AST, modules: set[str]) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr"):
        return _is_module(node.args[0], modules)
    for target in _targets(node):
        if isinstance(target, ast.Subscript) and _is_namespace(target.value, modules):
            return True
        if isinstance(target, ast.Attribute) and _is_module(target.value, modules):
            return True
    return False


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        flat = [each.elts if isinstance(each, ast.Tuple | ast.List) else [each] for each in node.targets]
        return [target for among in flat for target in among]
    return [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign) else []


def _is_module(node: ast.expr, modules: set[str]) -> bool:
    return ast.unparse(node).startswith("sys.modules[") or (isinstance(node, ast.Name) and node.id in modules)


def _is_namespace(node: ast.expr, modules: set[str]) -> bool:
    """Return whether an expression is `vars(module)`, `globals()` or `module.__dict__`."""
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        return name == "globals" or (name == "vars" and bool(node.args) and _is_module(node.args[0], modules))
    return isinstance(node, ast.Attribute) and node.attr == "__dict__" and _is_module(node.value, modules)


def patches(source: Source) -> list[int]:
    """Return the lines inside functions that replace a method of an engine class."""
    classes = {name.rpartition(".")[2] for _, name in all_imports(source) if name.startswith(ENGINE)}
    if source.module.startswith(ENGINE):
        classes |= {node.name for node in source.tree.body if isinstance(node, ast.ClassDef)}
    classes = {name for name in classes if name.lstrip("_")[:1].isupper()}
    inside = [node for f in ast.walk(source.tree) if isinstance(f, ast.FunctionDef) for node in ast.walk(f)]
    attributes = [target for node in inside for target in _targets(node) if isinstance(target, ast.Attribute)]
    return sorted({each.lineno for each in attributes if _is_method(ast.unparse(each.value), each.attr, classes)})


def _is_method(name: str, attribute: str, classes: set[str]) -> bool:
    return name in classes and (attribute.startswith("__") or (name, attribute) in _methods())


@functools.cache
def _methods() -> set[tuple[str, str]]:
    classes = [
        cls
        for source in sources("torchlike")
        if source.module.startswith(ENGINE)
        for cls in ast.walk(source.tree)
        if isinstance(cls, ast.ClassDef)
    ]
    return {(cls.name, node.name) for cls in classes for node in cls.body if isinstance(node, ast.FunctionDef)}


def _allowed(source: Source) -> set[str]:
    return WALKS if str(source) == CALLERS else GIVEN_FRAMES.get(str(source), set())


def test_one_module_looks_at_frames():
    found = {str(source): names for source in sources("torchlike") if (names := walks(source) - _allowed(source))}
    assert found == {}


def test_no_module_is_patched():
    found = {str(source): lines for source in sources("torchlike") if (lines := changes(source))}
    assert {name: lines for name, lines in found.items() if name not in CHANGED_MODULES} == {}
    assert set(CHANGED_MODULES) - set(found) == set(), "a row that is not needed any more goes"


def test_no_class_of_the_engine_is_patched():
    found = {str(source): lines for source in sources("torchlike") if (lines := patches(source))}
    assert {name: lines for name, lines in found.items() if name not in BINDS_AT_IMPORT} == {}


def _source(text: str) -> Source:
    return Source(Path("torchlike/nn/a.py"), "torchlike.nn.a", False, ast.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nsys._getframe(1)",
        "from sys import _getframe",
        "import inspect as i\ni.currentframe()",
        "import traceback\ntraceback.walk_stack(None)",
        "import warnings\nwarnings.warn('', stacklevel=2)",
        "f.__code__ = f.__code__.replace(co_filename='')",
        "F.softmax(x, _stacklevel=3)",
    ],
)
def test_a_look_at_frames_is_found(text):
    assert walks(_source(text))


@pytest.mark.parametrize(
    "text",
    [
        "from torchlike import _random\nsetattr(_random, name, draw)",
        "from torchlike import _random\n_random.normal = draw",
        "from torchlike import _engine as c\nvars(c)['record'] = 1",
        "from torchlike._tensor import dispatch\na, dispatch.record = 1, 2",
        "import math\nmath.__dict__['sqrt'] = 1",
        "import sys\nsys.modules[__name__].__class__ = Kind",
        "globals()[name] = 1",
    ],
)
def test_a_patched_module_is_found(text):
    assert changes(_source(text))


def test_a_patched_class_is_found():
    text = "from torchlike._tensor.storage import Storage\ndef f():\n    Storage.__init__ = g"
    assert patches(_source(text)) == [3]
