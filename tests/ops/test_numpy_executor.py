"""Every sample gives PyTorch's result in the NumPy executor. Kernels declared to run on NumPy do not call JAX."""

from __future__ import annotations

from typing import Any

import jax.extend.core
import pytest

import torchlike
from tests.ops.row import JUDGED
from tests.ops.test_rows import compare_results
from torchlike._engine.interpreter import executor
from torchlike._engine.trace.plan import NUMPY

pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.usefixtures("jax_asleep")]


@pytest.fixture
def jax_asleep(monkeypatch):
    """Fail if a kernel that NumPy runs calls JAX.

    Such a kernel would still return the right result, because JAX would compile each operation. The wrong declaration
    of the operator would go unnoticed.
    """
    bind, run, asleep = jax.extend.core.Primitive.bind, executor._run, []

    def refuse(self: Any, *args: Any, **params: Any) -> Any:
        assert not asleep, f"the kernel of {asleep[0]} calls JAX's {self}"
        return bind(self, *args, **params)

    def watch(plan: Any, given: list) -> list:
        asleep[:] = [plan] if plan.executor == NUMPY else []
        try:
            return run(plan, given)
        finally:
            asleep.clear()

    def by_own(plan: Any, given: list) -> list:  # called if NumPy raises, for example for a singular matrix
        asleep.clear()
        return own(plan, given)

    own = executor._run_compiled
    monkeypatch.setattr(executor, "_run_compiled", by_own)
    monkeypatch.setattr(jax.extend.core.Primitive, "bind", refuse)
    monkeypatch.setattr(executor, "_run", watch)


@pytest.mark.parametrize("key", JUDGED)
def test_results(key):
    with torchlike.set_executor("numpy"):
        compare_results(key)
