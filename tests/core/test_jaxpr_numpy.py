"""Gradients interpreted by NumPy: every operator over its samples, and primitives where the two libraries differ.

XLA is the judge here, of the very same jaxpr; PyTorch is that of the gradients themselves (tests/ops).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax

import torchlike
from tests.ops.row import JUDGED, SAMPLES, function
from tests.ops.sample import Fails, arguments, cotangent
from torchlike import _dtypes
from torchlike._core import jaxpr_numpy, to_numpy
from torchlike._core.jaxpr_numpy import Unsupported, flatten
from torchlike._ops._plan import OpPlan, gradient

pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.usefixtures("each_step_watched")]


@pytest.fixture
def each_step_watched(monkeypatch):
    """Every function of a program returns the shape and dtype that its equation declares."""
    plain = jaxpr_numpy._function

    def watched(eqn: Any, *rest: Any) -> Any:
        function, due = plain(eqn, *rest), [(v.aval.shape, v.aval.dtype) for v in eqn.outvars]

        def run(*arrays: Any) -> Any:
            found = function(*arrays)
            each = found if len(due) > 1 else [found]
            assert all(isinstance(x, np.ndarray) for x in (*arrays, *each)), eqn
            assert [(x.shape, x.dtype) for x in each] == due, eqn
            return found

        return run

    monkeypatch.setattr(jaxpr_numpy, "_function", watched)


def interpreted(function: Any, *given: Any) -> list[np.ndarray]:
    """A function's results on arrays, from its flattened jaxpr."""
    given = tuple(map(np.asarray, given))
    program = flatten(jax.make_jaxpr(function)(*given))
    before = [x.copy() for x in given]
    with np.errstate(all="ignore"):
        found = program(*given)
    for x, y in zip(given, before):
        np.testing.assert_array_equal(x, y, "an input was written")
    return found


def assert_close(found: Any, due: Any, at: str = "") -> None:
    """Equal to the dtype's rounding as PyTorch has it."""
    found, due = np.asarray(found), np.asarray(due)
    assert (found.shape, found.dtype) == (due.shape, due.dtype), at
    half = due.dtype.kind == "V"
    a, b = (torch.from_numpy(np.array(x, np.float32 if half else None)) for x in (found, due))
    if half:
        a, b = a.bfloat16(), b.bfloat16()
    torch.testing.assert_close(a, b, equal_nan=True, msg=lambda text: f"{at}: {text}")


# -- every operator ----------------------------------------------------------------------------------------------------


def gradients_of(key: str) -> Iterator[tuple[str, OpPlan, list[np.ndarray]]]:
    """The gradient's plan of each operator that the samples of a name record, with inputs for it."""
    seen = set()
    for sample in SAMPLES[key]:
        if isinstance(sample, Fails) or not sample.gradient:
            continue
        for node in _nodes(_recorded(key, sample)):
            plan = node.plan
            if node.plan in seen or not isinstance(plan, OpPlan) or not any(plan.differentiable):
                continue
            seen.add(plan)
            wanted = tuple(i for i, a in enumerate(plan.inputs) if a.dtype.category >= _dtypes.FLOATING)
            given = tuple(i for i, floating in enumerate(plan.differentiable) if floating)
            cotangents = [cotangent(plan.outputs[i].shape, plan.outputs[i].dtype.numpy, i) for i in given]
            numbers = [np.asarray(x) for x in node.scalars] if plan.scalars else []
            yield f"{sample}: {plan}", gradient(plan, wanted, given), [*map(to_numpy, node.saved), *cotangents, *numbers]


def _recorded(key: str, sample: Any) -> Any:
    leaf = lambda t: t.detach().requires_grad_() if t.is_floating_point() or t.is_complex() else t
    args, kwargs = arguments(torchlike, sample, leaf)
    return function(torchlike, key)(*args, **kwargs)


def _nodes(result: Any) -> Iterator[Any]:
    tensors = result if isinstance(result, tuple | list) else [result]
    left = [t.grad_fn for t in tensors if isinstance(t, torchlike.Tensor)]
    while left:
        node = left.pop()
        if node is not None and node.plan is not None:
            yield node
            left += [edge[0] for edge in node.edges if edge is not None]


@pytest.mark.parametrize("key", JUDGED)
def test_gradients_of_operators(key):
    functions, inputs, found, names = [], [], [], []
    for name, plan, given in gradients_of(key):
        try:
            found.append(interpreted(plan.function, *given))
        except Unsupported as error:
            assert str(error) in UNSUPPORTED.get(plan.op.name, ()), name
            continue
        functions.append(plan.function)
        inputs.append(given)
        names.append(name)
    due = jax.jit(lambda inputs: [f(*given) for f, given in zip(functions, inputs)])(inputs)
    for name, mine, theirs in zip(names, found, due):
        for a, b in zip(mine, theirs):
            assert_close(a, b, name)


# Operators whose gradients, or some of them, NumPy does not run, each with the primitives that it lacks.
UNSUPPORTED: dict[str, tuple[str, ...]] = {}
