"""Changes of unstable JAX APIs.

A missing name is reported by name. A program with unknown primitives is compiled by XLA, with the same results.
"""

import ast
import importlib.util
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest
from jax import lax

import torchlike
from tests.engine.test_jaxpr_numpy import TRICKY
from tests.oracle import both
from torchlike._engine import boundary, stats
from torchlike._engine.interpreter import jaxpr as jaxpr_numpy
from torchlike._engine.interpreter.jaxpr import Unsupported, flatten
from torchlike._engine.interpreter.rules import RULES
from torchlike._engine.report.program_statistics import ledger
from torchlike._engine.xla import jax_private
from torchlike._ops.schema import interpreted

# -- names -------------------------------------------------------------------------------------------------------------


def test_every_name_is_there():
    assert jax_private.missing() == []


def test_the_table_tells_every_name_that_is_imported():
    tree = ast.parse(inspect.getsource(jax_private))
    imported = {
        (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jax.")
        for alias in node.names
    }
    assert imported == set(jax_private.USES)
    assert {name for _, name in jax_private.USES} < set(jax_private.__all__)


def test_an_import_names_what_is_gone(monkeypatch):
    for module, name in (("jax.extend.core", "Literal"), ("jax.interpreters.ad", "Zero")):
        there = sys.modules[module]
        changed = types.ModuleType(module)
        changed.__dict__.update({key: value for key, value in vars(there).items() if key != name})
        monkeypatch.setitem(sys.modules, module, changed)
    said = [
        f"JAX {jax.__version__} has no jax.extend.core.Literal, which torchlike uses for the constants of a jaxpr.",
        f"JAX {jax.__version__} has no jax.interpreters.ad.Zero, which torchlike uses for symbolic zero gradients.",
    ]
    assert jax_private.missing() == said
    spec: Any = importlib.util.spec_from_file_location("imported_again", jax_private.__file__)
    with pytest.raises(ImportError) as caught:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert str(caught.value) == " ".join([*said, "Install another version of JAX, or a newer torchlike."])


def test_the_store_of_compiled_programs_is_there():
    assert jax_private.file_store() is not None


def test_a_changed_store_is_not_touched(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax._src.compilation_cache", types.ModuleType("changed"))
    assert jax_private.file_store() is None
    monkeypatch.setitem(sys.modules, "jax._src.compilation_cache", None)
    assert jax_private.file_store() is None


def test_symbolic_dims():
    n, m = jax.export.symbolic_shape("n, m")
    assert jax_private.is_symbolic(n + 1) and not jax_private.is_symbolic(3)
    assert jax_private.number_of(2 * n + m, {"n": 3, "m": 4}) == 10
    assert jax_private.scope_of(n) is jax_private.scope_of(m + 1)
    assert jax_private.scope_of(3) is None


# -- changed equations -------------------------------------------------------------------------------------------------

Change = Callable[[Any, str], Any]


def _renamed_primitive(eqn: Any, name: str) -> Any:
    return eqn.replace(primitive=jax.extend.core.Primitive(f"new_{eqn.primitive.name}"))


def _new_parameter(eqn: Any, name: str) -> Any:
    return eqn.replace(params={**eqn.params, "new": 3})


def _other_layout(eqn: Any, name: str) -> Any:
    return eqn.replace(params={"all_of_them": tuple(eqn.params.items())}) if eqn.params else eqn


def _without(eqn: Any, name: str) -> Any:
    return eqn.replace(params={key: value for key, value in eqn.params.items() if key != name})


def _renamed(eqn: Any, name: str) -> Any:
    return eqn.replace(params={f"new_{name}" if key == name else key: value for key, value in eqn.params.items()})


def _other_object(eqn: Any, name: str) -> Any:
    return eqn.replace(params=eqn.params | {name: object()}) if name in eqn.params else eqn


def _text(eqn: Any, name: str) -> Any:
    return eqn.replace(params=eqn.params | {name: str(eqn.params[name])}) if name in eqn.params else eqn


OF_EQUATIONS: dict[str, Change] = {
    "an unknown primitive": _renamed_primitive,
    "an unknown parameter": _new_parameter,
    "another layout of parameters": _other_layout,
}
OF_PARAMETERS: dict[str, Change] = {
    "without a parameter": _without,
    "a renamed parameter": _renamed,
    "another object": _other_object,
    "a text": _text,
}


def changed(monkeypatch, change: Change, name: str = "") -> None:
    """Pass each equation through `change` first, as if another version of JAX had written it."""
    plain = jaxpr_numpy._function
    monkeypatch.setattr(jaxpr_numpy, "_function", lambda eqn, sizes: plain(change(eqn, name), sizes))


def _parameters(jaxpr: Any) -> set[str]:
    inner = [x for eqn in jaxpr.eqns for x in jax.tree.leaves([*eqn.params.values()]) if hasattr(x, "eqns")]
    return {name for eqn in jaxpr.eqns for name in eqn.params}.union(*map(_parameters, inner))


def _outcome(traced: Any, given: list[np.ndarray]) -> list[np.ndarray] | None:
    """Return the program's results, or None if the interpreter does not support it."""
    try:
        with np.errstate(all="ignore"):
            return flatten(traced)(*given)
    except Unsupported:
        return None


@pytest.mark.parametrize("what", TRICKY)
def test_a_changed_equation_is_refused_or_means_the_same(what, monkeypatch):
    function, *given = TRICKY[what]
    given = [np.asarray(x) for x in given]
    traced = jax.make_jaxpr(function)(*given)
    due = _outcome(traced, given)
    assert due is not None
    for kind, change, name in [
        *[(kind, change, "") for kind, change in OF_EQUATIONS.items()],
        *[(kind, change, name) for kind, change in OF_PARAMETERS.items() for name in sorted(_parameters(traced.jaxpr))],
    ]:
        with monkeypatch.context() as patch:
            changed(patch, change, name)
            found = _outcome(traced, given)
        for a, b in zip(found or [], due if found else [], strict=True):
            np.testing.assert_array_equal(a, b, err_msg=f"{kind} {name}")


# -- whole programs ----------------------------------------------------------------------------------------------------


def trains(n: int) -> Callable[[Any], Any]:
    """Return a training step with sums, products, indices, a loop and a decomposition.

    No other test uses these sizes.
    """

    def program(torch: Any) -> Any:
        x = torch.linspace(-1, 1, 13 * n).reshape(13, n).requires_grad_()
        w = torch.linspace(0, 1, n * 5).reshape(n, 5).requires_grad_()
        scores = torch.tanh(x @ w).cumsum(0)
        loss = torch.nn.functional.cross_entropy(scores, torch.arange(13) % 5)
        loss = loss + scores.flip(0)[1::2].amax(1).sum() + torch.linalg.cholesky(w.mT @ w + 9 * torch.eye(5)).sum()
        loss.backward()
        return loss, x.grad, w.grad

    return program


@pytest.fixture
def fresh_programs(monkeypatch):
    """Prevent a test from reusing the programs of other tests."""
    monkeypatch.setattr(interpreted, "_families", {})
    ledger.lines.clear()  # a line with three programs would not be compiled any more


@pytest.mark.usefixtures("fresh_programs")
@pytest.mark.parametrize("executor", ["auto", "numpy"])
@pytest.mark.parametrize("kind", OF_EQUATIONS)
def test_a_step_is_compiled_with_the_same_numbers(kind, executor, monkeypatch):
    changed(monkeypatch, OF_EQUATIONS[kind])
    n = 17 + 2 * [*OF_EQUATIONS].index(kind) + (executor == "numpy")
    with torchlike.set_executor(executor):
        compiles = stats.compiles
        both(trains(n))
        boundary()
    assert executor == "numpy" or stats.compiles > compiles


def _fails(e: Any) -> Callable:
    def fail(*arrays: Any) -> Any:
        return arrays[0].no_such_attribute

    return fail


def _has_another_shape(e: Any) -> Callable:
    return lambda *arrays: np.zeros((2, 3, 4), np.float32)


@pytest.mark.usefixtures("fresh_programs")
@pytest.mark.parametrize("rule", [_fails, _has_another_shape], ids=["fails", "has another shape"])
def test_a_rule_that_goes_wrong_in_a_run_is_compiled_instead(rule, monkeypatch):
    ran = []

    def watched(e: Any) -> Callable:
        function = rule(e)
        return lambda *arrays: ran.append(e.name) or function(*arrays)

    for name in ("neg", "mul", "sub"):
        monkeypatch.setitem(RULES, name, watched)
    n = 31 if rule is _fails else 37
    with torchlike.set_executor("numpy"):
        both(lambda torch: _sines(torch, n))
        assert ran


def _sines(torch: Any, n: int) -> Any:
    x = torch.linspace(-1, 1, n).requires_grad_()
    (torch.sin(x) * torch.cos(x)).sum().backward()
    mapped = torch.func.vmap(lambda y: y * 2 - y.sum())(x.detach().reshape(n, 1))
    return x.grad, mapped


def test_a_jaxpr_of_another_form_is_refused():
    traced = jax.make_jaxpr(lambda x: lax.sin(x))(1.0)
    for form in (object(), types.SimpleNamespace(jaxpr=types.SimpleNamespace(invars=[], eqns=None)), None):
        with pytest.raises(Unsupported, match="unknown form"):
            flatten(form)
    assert flatten(traced) is not None
