"""Failing statements, followed by unrelated statements, which must have PyTorch's results.

A failing statement raises the same error as in PyTorch, either at once or when a dependent value is read. It never
raises when an unrelated value is read.
"""

from __future__ import annotations

import contextlib
import importlib
import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.robust.outcome import Difference, Outcome
from tests.robust.statements import STATEMENTS

# The pending work when the statement fails: values, a view, a gradient graph, a model in training, random numbers.
BEFORE = """
t.manual_seed(7)
a = t.arange(12.0).reshape(3, 4) / 7
b = a * 2 + 1
v = b[1]
i = t.arange(6)
w = (t.arange(4.0) / 4 - 0.5).requires_grad_()
h = (w * 3).tanh()
model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2))
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
model(a).square().sum().backward()
optimizer.step()
loss = model(b * 1).square().sum()
drawn = t.rand(3)
"""

# Expressions with a result. The first ones depend on pending values, the others only on new values.
AFTER = (
    "b.sum()",
    "v.add_(1); it = b",
    "t.autograd.grad(h.sum(), w)[0]",
    "optimizer.zero_grad(); loss.backward(); optimizer.step(); it = model[0].weight",
    "drawn + t.rand(3)",
    "b[0].mul_(2); it = v * b",
    "t.cat([a, b[:, :2]], dim=1) @ t.ones(6, 2)",
    "i.flip(0).cumsum(0)",
    "x = t.ones(3, requires_grad=True); (x * t.arange(3)).exp().sum().backward(); it = x.grad",
    "t.tensor([float(t.is_grad_enabled()), float(t.is_inference_mode_enabled()), float(t.is_anomaly_enabled())])",
)


def _fail(error: type[BaseException]) -> Callable:
    def raising(*_: Any) -> Any:
        raise error("on purpose")

    return raising


def _fails(t: Any) -> Callable:
    """Return a factory of `Function` classes whose forward or backward raises or returns an invalid result."""

    def make(where: str, error: type[BaseException] | None) -> Any:
        class Failing(t.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                if where == "forward":
                    raise error("on purpose")  # pyright: ignore[reportOptionalCall]
                return x * 2

            @staticmethod
            def backward(ctx: Any, grad: Any) -> Any:
                if where == "backward":
                    raise error("on purpose")  # pyright: ignore[reportOptionalCall]
                return {"shape": t.ones(7), "count": (grad, grad), "type": "no tensor"}[where]

        return Failing

    return make


class _Broken:
    """A dataset whose second sample raises an error."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        if index == 1:
            raise KeyError("on purpose")
        return index


class OnPurpose(Exception):
    """The error that a kernel raises when it is compiled or run."""


def _late(when: str) -> Callable:
    """Return a JAX function wrapped as an operator, which fails after its shapes were inferred."""
    import jax

    import torchlike

    traced = [0]

    def raising(*_: Any) -> Any:
        raise OnPurpose("on purpose")

    def kernel(x: Any) -> Any:
        traced[0] += 1
        if when == "compiling" and traced[0] > 1:
            raising()
        if when == "running":
            x = x + jax.pure_callback(
                raising, jax.ShapeDtypeStruct(x.shape, x.dtype), jax.lax.stop_gradient(x), vmap_method="sequential"
            )
        return x * 2

    return torchlike.jax.wrap(kernel)


def _names(t: Any) -> dict[str, Any]:
    """Return the names that the statements use, for one library."""
    of = lambda module: importlib.import_module(f"{t.__name__}.{module}")

    def nan_gradient() -> Any:
        p = t.ones(2, requires_grad=True)
        p.grad = t.tensor([1.0, float("nan")])
        return p

    names = {
        "t": t,
        "nn": t.nn,
        "F": of("nn.functional"),
        "optim": t.optim,
        "fail": _fail,
        "Fails": _fails(t),
        "hooks": t.autograd.graph.saved_tensors_hooks,
        "checkpoint": of("utils.checkpoint").checkpoint,
        "DataLoader": of("utils.data").DataLoader,
        "Broken": _Broken,
        "nan_gradient": nan_gradient,
    }
    if t.__name__ == "torch":  # plain calls, which need no compiler and do not check the functions
        return {
            **names,
            "compiled": lambda f: f,
            "cond": lambda p, yes, no, given: (yes if p else no)(*given),
            "scan": lambda f, c, xs: f(c, xs[0]),
            "late": lambda when: _fail(OnPurpose),
        }
    higher = of("_higher_order_ops")
    return {**names, "compiled": t.compile, "cond": higher.cond, "scan": higher.scan, "late": _late}


@dataclass
class Session:
    """A program that runs under one library, one statement at a time."""

    names: dict[str, Any]
    error: BaseException | None = None
    results: list = field(default_factory=list)

    def begin(self) -> None:
        exec(BEFORE, self.names)

    def run(self, statement: str) -> None:
        """Run the failing statement, and store its error."""
        try:
            exec(statement, self.names)
        except (Exception, KeyboardInterrupt) as error:
            self.error = error

    def go_on(self) -> None:
        """Run the other statements, and store their results."""
        for line in AFTER:
            self.results.append(self._result(line))

    def _result(self, line: str) -> Any:
        try:
            if "it = " in line:
                exec(line, self.names)
                return np.array(self.names["it"].detach().numpy())
            return np.array(eval(line, self.names).detach().numpy())
        except Exception as error:
            return error

    def read(self) -> None:
        """Read a value that depends on the failing statement's result, if it returned one."""
        if self.error is None and "r" in self.names:
            try:
                result = self.names["r"]
                (result.detach() * 1).cpu().tolist()
            except Exception as error:
                self.error = error


def trial(statement: str, executor: str, reads_first: bool = False) -> bool:
    """Run a statement and then `AFTER` under both libraries, and raise a `Difference` if the results differ.

    Return whether the statement raised only when its result was read. With `reads_first`, the result is read before
    `AFTER` runs.
    """
    import torch

    import torchlike

    theirs, ours = Session(_names(torch)), Session(_names(torchlike))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _whole(theirs, statement)
        if theirs.error is None:
            raise Difference("PyTorch runs it", statement)
        with torchlike.set_executor(executor), _as_found():
            ours.begin()
            ours.run(statement)
            at_once = ours.error is not None
            if reads_first:
                ours.read()
            ours.go_on()
            ours.read()
            _compare_error(ours.error, theirs.error)
            _compare(ours.results, theirs.results)
            ours.results = [ours._result("t.ones(3) * 2 + i[:3]")]
            _compare(ours.results, [np.array([2.0, 3.0, 4.0])])
    return not at_once


def _whole(session: Session, statement: str) -> None:
    with _as_found():
        session.begin()
        session.run(statement)
        session.go_on()


@contextlib.contextmanager
def _as_found() -> Any:
    """Restore the modes, so that a trial that leaves one behind does not affect the next trial.

    A mode that is left behind is detected by the last expression of `AFTER`.
    """
    import torch

    import torchlike

    try:
        yield
    finally:
        for library in (torch, torchlike):
            library.set_grad_enabled(True)
            library.autograd.set_detect_anomaly(False)


def _compare_error(ours: BaseException | None, theirs: BaseException) -> None:
    if isinstance(theirs, OnPurpose) and isinstance(ours, Exception) and "on purpose" in str(ours):
        return  # JAX wraps errors of callbacks
    if type(ours).__name__ != type(theirs).__name__:
        raise Difference(f"{type(ours).__name__} for {type(theirs).__name__}", f"{ours!r}, not {theirs!r}"[:400])


def _compare(ours: list, theirs: list) -> None:
    for line, a, b in zip(AFTER, ours, theirs):
        if isinstance(a, Exception):
            raise Difference("an unrelated statement raises", f"{line}: {type(a).__name__}: {a}"[:400])
        if a.shape != b.shape or not np.allclose(a, b, rtol=1e-5, atol=1e-6):
            raise Difference("an unrelated statement has another result", f"{line}: {a}, not {b}"[:400])


EXECUTORS = ("auto", "xla", "numpy")


def run(executor: str, chosen: list[str] | None = None, seed: int = 0) -> Outcome:
    """Run the chosen statements (all by default) in an order that depends on the seed.

    The order matters because a statement may affect the next one.
    """
    outcome = Outcome(f"failing statements, {executor}")
    names = sorted(STATEMENTS if chosen is None else chosen)
    random.Random(seed).shuffle(names)
    for name in names:
        outcome.trials += 1
        try:
            outcome.heard += not trial(STATEMENTS[name], executor)
            if name.startswith("late"):
                trial(STATEMENTS[name], executor, reads_first=True)
        except Exception as error:
            outcome.add(f"{name}: {STATEMENTS[name]}", error)
    return outcome
