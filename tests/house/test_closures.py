"""Rule: a nested function does not refer to itself.

Such a function is in a reference cycle, which keeps all variables of its closure alive until the next garbage
collection. Once, each call of `load_state_dict` kept the whole state dict, and each call of `vmap` its arrays.
"""

import ast
import gc
import io
import weakref
from collections.abc import Iterator

import torchlike
from tests.house.source import Source, sources

# Functions that are made once, at import or for a class, and stay. The table may only shrink.
KEPT = {
    ("torchlike/_composite/math.py", "_spread.function"),
    ("torchlike/_composite/random/sampling.py", "by_elements.draw"),
    ("torchlike/_composite/views/copies.py", "_copying.copy"),
    ("torchlike/_tensor/dispatch.py", "_view_caller.call"),
    ("torchlike/optim/optimizer.py", "_hooked.hooked_step"),
    ("torchlike/overrides.py", "wrap_torch_function.wrapped"),
    ("torchlike/overrides.py", "decorate.wrapped"),
}


def used(node: ast.AST) -> set[str]:
    """Return the names that the body of a function uses, without its parameters."""
    parameters = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    body = node.body if isinstance(node.body, list) else [node.body]
    return {each.id for part in body for each in ast.walk(part) if isinstance(each, ast.Name)} - parameters


def nested(outer: ast.FunctionDef) -> dict[str, ast.AST]:
    """Return the named functions and lambdas that a function defines."""
    found = {}
    for node in ast.walk(outer):
        if isinstance(node, ast.FunctionDef) and node is not outer:
            found[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            found |= {target.id: node.value for target in node.targets if isinstance(target, ast.Name)}
    return found


def recursive(source: Source) -> Iterator[str]:
    """Yield the nested functions that refer to themselves, or to each other."""
    for outer in ast.walk(source.tree):
        if isinstance(outer, ast.FunctionDef):
            inner = nested(outer)
            uses = {name: used(node) & inner.keys() for name, node in inner.items()}
            for name in inner:
                if name in uses[name] or any(name in uses[other] for other in uses[name]):
                    yield f"{outer.name}.{name}"


def test_no_nested_function_refers_to_itself():
    found = {(str(source), name) for source in sources("torchlike") for name in recursive(source)}
    assert found == KEPT


def loaded() -> list:
    layer, file = torchlike.nn.Linear(3, 3), io.BytesIO()
    torchlike.save(layer.state_dict(), file)
    file.seek(0)
    state = torchlike.load(file)
    layer.load_state_dict(state)
    return [layer, *state.values()]


def mapped() -> list:
    x = torchlike.ones(5, 3)
    return [x, torchlike.func.vmap(lambda row: (row * row).sum())(x), x._storage.value]


def multiplied() -> list:
    matrices = [torchlike.ones(3, 3) for _ in range(4)]
    return [*matrices, torchlike.linalg.multi_dot(matrices)]


def test_objects_are_freed_without_a_collection():
    references = lambda program: [weakref.ref(x) for x in program()]
    gc.disable()
    try:
        for program in (loaded, mapped, multiplied):
            assert all(x() is None for x in references(program)), program.__name__
    finally:
        gc.enable()
