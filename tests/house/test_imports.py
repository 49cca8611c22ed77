"""Rules for imports: the layers of the package, lowest first, and the third-party libraries that each may use."""

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.house.layers import (
    EXCEPTIONS,
    FACES,
    LAYERS,
    MOST_EXCEPTIONS,
    MOST_FILES_OF_A_FOLDER,
    MOST_PRIVATE_MODULES_OF_THE_ROOT,
    PYTORCHS_OWN,
    WRITTEN_AGAINST_THE_API,
)
from tests.house.source import ROOT, Source, all_imports, imports, runtime_imports, sources

# Packages that do not import JAX.
JAX_FREE = ("nn", "utils", "optim", "distributions", "serialization", "__main__")
JAX_FREE_MODULES = ("torchlike._tensor.printing", "torchlike._api.import_hook")
USES_OPTAX = ("optim", "jax")
COMPUTES = ("jax", "jaxlib")


def folder(module: str) -> str:
    """Return the package's folder that contains a module, or the name of a module in the root ("" for the root)."""
    return module.split(".")[1] if "." in module else ""


def arrows(package: list[Source]) -> list[tuple[Source, int, str]]:
    """Return the imports between folders, including those inside functions, as (file, line, module)."""
    known = {source.module for source in package}
    found = []
    for source in package:
        for line, name in runtime_imports(source):
            target = name if name in known else name.rpartition(".")[0]
            if target.split(".")[0] == "torchlike" and folder(target) != folder(source.module):
                found.append((source, line, target))
    return found


def is_permitted(source: Source, target: str) -> bool:
    return (source.module, folder(target)) in EXCEPTIONS


def is_upward(source: Source, target: str) -> bool:
    """Return whether an import goes against the layers.

    Public packages may import the root, which is the public API. The layers below it may not.
    """
    mine, other = folder(source.module), folder(target)
    if mine not in LAYERS:
        return False
    return other not in LAYERS or LAYERS.index(other) > LAYERS.index(mine)


def test_a_module_imports_only_what_lies_below_it():
    found = [
        f"{source}:{line} imports {target}"
        for source, line, target in arrows(sources("torchlike"))
        if is_upward(source, target) and not is_permitted(source, target)
    ]
    assert found == []


def test_public_packages_use_the_public_api():
    """Check that public packages import only the public API, their own private modules and `_internal`.

    The exception is `nn.functional`, which re-exports functions of `_composite`.
    """
    found = [
        f"{source}:{line} imports {target}"
        for source, line, target in arrows(sources("torchlike"))
        if folder(source.module) in WRITTEN_AGAINST_THE_API
        and folder(target).startswith("_")
        and folder(target) != "_internal"
        and (source.module, target.rpartition(".")[0]) not in FACES
    ]
    assert found == []


def test_the_exceptions_are_few_and_needed():
    used = {(source.module, folder(target)) for source, _, target in arrows(sources("torchlike"))}
    assert EXCEPTIONS <= used
    assert len(EXCEPTIONS) <= MOST_EXCEPTIONS


def test_folders_form_no_cycle():
    graph: dict[str, set[str]] = defaultdict(set)
    for source, _, target in arrows(sources("torchlike")):
        if folder(target) and not is_permitted(source, target):  # the root is the public API
            graph[folder(source.module)].add(folder(target))
    assert _cycle({name: graph.get(name, set()) for name in {*graph, *set().union(*graph.values())}}) is None


def test_a_module_uses_only_its_libraries():
    assert [line for source in sources("torchlike") for line in _other_libraries(source)] == []


def _other_libraries(source):
    found = []
    for line, name in all_imports(source):
        top = name.split(".")[0]
        is_free = folder(source.module) in JAX_FREE or source.module in JAX_FREE_MODULES
        if top == "torch":
            found.append(f"{source}:{line} imports PyTorch itself")
        if top in COMPUTES and is_free:
            found.append(f"{source}:{line} imports {name}, but it is written against the public API")
        if top == "optax" and folder(source.module) not in USES_OPTAX:
            found.append(f"{source}:{line} imports optax, which only optim and jax use")
    return found


def test_kernels_see_arrays_never_tensors():
    above = LAYERS[LAYERS.index("_ops") + 1 :]
    found = [
        f"{source}:{line} imports {name}"
        for source in sources("torchlike")
        if source.module.startswith("torchlike._ops")
        for line, name in all_imports(source)
        if name.split(".")[0] == "torchlike" and folder(name) in above
    ]
    assert found == []


def test_folders_are_small():
    files: dict[str, int] = defaultdict(int)
    for source in sources("torchlike"):
        files[source.path.parent.as_posix()] += 1
    large = {name for name, count in files.items() if count > MOST_FILES_OF_A_FOLDER}
    assert large <= PYTORCHS_OWN | {"torchlike"}  # the root contains PyTorch's public modules


def test_the_root_holds_public_modules():
    private = [
        source.path.stem
        for source in sources("torchlike")
        if source.path.parent.as_posix() == "torchlike"
        and source.path.stem.startswith("_")
        and not source.path.stem.endswith("__")
    ]
    assert len(private) <= MOST_PRIVATE_MODULES_OF_THE_ROOT, private


def test_no_cycles_at_import():
    graph = {source.module: set() for source in sources("torchlike")}
    for source in sources("torchlike"):
        for _, name in imports(source):
            target = name if name in graph else name.rpartition(".")[0]
            # Importing a submodule imports its package's `__init__`. That is not counted as a cycle.
            if target in graph and target != source.module and not source.module.startswith(target + "."):
                graph[source.module].add(target)
    assert _cycle(graph) is None


def _cycle(graph: dict[str, set[str]]) -> list[str] | None:
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str] | None:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return None
        found = next((cycle for to in sorted(graph[name]) if (cycle := visit(to, [*path, name]))), None)
        done.add(name)
        return found

    return next((cycle for name in sorted(graph) if (cycle := visit(name, []))), None)


def test_no_star_imports():
    found = [
        f"{source}:{line}"
        for top in ("torchlike", "tests")
        for source in sources(top)
        for line, name in all_imports(source)
        if name.endswith(".*")
    ]
    assert found == []


ALONE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        assert name.partition(".")[0] not in {"torch", "sklearn", "tqdm", "pytest"}, name

sys.meta_path.insert(0, Refuse())
import torchlike

layer = torchlike.nn.Linear(2, 1)
optimizer = torchlike.optim.SGD(layer.parameters(), lr=0.1)
layer(torchlike.ones(3, 2)).sum().backward()
optimizer.step()
print(layer.weight.grad.tolist())
"""


def test_a_step_runs_where_pytorch_is_not_installed():
    done = subprocess.run([sys.executable, "-W", "error", "-c", ALONE], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[[3.0, 3.0]]\n", "")


# -- unstable JAX APIs -------------------------------------------------------------------------------------------------

JAX_PRIVATE = Path("torchlike/_engine/xla/jax_private.py")
# Programs of their own, which import only `jaxlib`.
COORDINATOR = JAX_PRIVATE.parents[1] / "ranks" / "coordinator.py"
PARSER = Path("torchlike/export/_parsing.py")
UNSTABLE = ("jax.core", "jax.extend", "jax.interpreters", "jaxlib")


def unstable_names(source: Source) -> list[str]:
    """Return the names of unstable JAX APIs in a file, as they are written there."""
    bound = _bound(source.tree)
    found = [name for _, name in all_imports(source) if name.partition(".")[0] in COMPUTES]
    found += [name for node in ast.walk(source.tree) if (name := _dotted(node, bound))]
    found += [x.value for x in ast.walk(source.tree) if isinstance(x, ast.Constant) and _is_jax_path(x.value)]
    return sorted({name for name in found if name.startswith(UNSTABLE) or "._" in name.replace("__", "")})


def _bound(tree: ast.Module) -> dict[str, str]:
    """Return the local names of JAX's modules and objects, mapped to their full names."""
    bound = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                bound[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and not node.level:
            bound.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return {name: full for name, full in bound.items() if full.partition(".")[0] in COMPUTES}


def _dotted(node: ast.AST, bound: dict[str, str]) -> str:
    """Return the full name of a JAX attribute, or an empty string for any other node."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not parts or not isinstance(node, ast.Name) or node.id not in bound:
        return ""
    return ".".join([bound[node.id], *parts[::-1]])


def _is_jax_path(text: object) -> bool:
    """Return whether a string is the dotted path of a private JAX module."""
    return isinstance(text, str) and text.startswith("jax._") and " " not in text


def test_one_module_uses_what_jax_may_change():
    others = [s for s in sources("torchlike") if s.path not in (JAX_PRIVATE, COORDINATOR, PARSER)]
    found = {str(s): names for s in others if (names := unstable_names(s))}
    assert found == {}
    (private,) = [s for s in sources("torchlike") if s.path == JAX_PRIVATE]
    assert "jax._src.compilation_cache" in unstable_names(private)


@pytest.mark.parametrize(
    "line",
    [
        "import jax._src.core",
        "from jax.extend import core",
        "from jax import core",
        "import jax\njax.interpreters.ad.Zero",
        "import jax as j\nj.core.Tracer",
        "from jax import lax\nlax._dot_general",
        "import jax.numpy as jnp\ndef f(x): return jnp._private(x)",
        "from importlib import import_module\nimport_module('jax._src.core')",
        "import jaxlib.xla_extension",
    ],
)
def test_unstable_names_are_found(line):
    assert unstable_names(Source(Path("torchlike/nn.py"), "torchlike.nn", False, ast.parse(line)))


def test_public_names_are_let_be():
    line = (
        "import jax\nfrom jax import lax\nfrom torchlike import _core\njax.lax.add, lax.add, jax.__version__, _core._x"
    )
    assert unstable_names(Source(Path("torchlike/a.py"), "torchlike.a", False, ast.parse(line))) == []
