"""`PassManager`, which runs passes in an order that satisfies constraints."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from torchlike.nn import Module

from .pass_base import PassResult

Pass = Callable[..., Any]
Constraint = Callable[[Pass, Pass], bool]


def pass_result_wrapper(fn: Callable | None) -> Any:
    """Return a pass made of a function that returns nothing or a module, instead of a `PassResult`.

    The result is a `PassResult` with the returned module, or the given one, and `modified` is True.

    Args:
      fn (function): changes a module.
    """
    if fn is None:
        return None

    @functools.wraps(fn)
    def wrapped(gm: Module) -> PassResult:
        result = fn(gm)
        return result if isinstance(result, PassResult) else PassResult(gm if result is None else result, True)

    if not inspect.isfunction(fn):
        wrapped.__name__ = type(fn).__name__
    return wrapped


def this_before_that_pass_constraint(this: Pass, that: Pass) -> Constraint:
    """Return the constraint that one pass runs before another.

    Args:
      this: the earlier pass.
      that: the later pass.
    """
    return lambda a, b: not (a == that and b == this)


class PassManager:
    """A callable object that runs passes one after another on a module.

    Args:
      passes (list, optional): the passes, which return a `PassResult`.
      constraints (list, optional): functions of two passes, which return whether the first may run before the second.
      steps (int, optional): how often the passes run at most. They stop when nothing is modified. Default: 1.
      run_checks_after_each_pass: run the checks after each pass too, not only at the beginning.
      suppress_check_failures: has no effect, as in PyTorch: a check that fails raises.

    >>> import torchlike as torch
    >>> from torchlike.fx.passes.infra.pass_manager import PassManager, pass_result_wrapper
    >>> clean = pass_result_wrapper(lambda module: module.graph.eliminate_dead_code() and None)
    >>> module = torch.fx.symbolic_trace(lambda x: (torch.relu(x), x)[1])
    >>> PassManager([clean])(module).graph_module.graph.nodes
    [x, output]
    """

    def __init__(
        self,
        passes: list[Pass] | None = None,
        constraints: list[Constraint] | None = None,
        steps: int | None = None,
        run_checks_after_each_pass: bool = False,
        suppress_check_failures: bool = False,
    ) -> None:
        self.passes, self.constraints = passes or [], constraints or []
        self.checks: list[Callable[[Module], Any]] = []
        self.steps = steps or 1
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
        self._validated = False

    def add_pass(self, _pass: Pass) -> None:
        """Add a pass.

        Args:
          _pass: the pass.
        """
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Constraint) -> None:
        """Add a constraint.

        Args:
          constraint (function): returns whether its first argument may run before the second.
        """
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self) -> None:
        """Check the order of the passes. Raises RuntimeError if a constraint is violated."""
        if self._validated:
            return
        for i, this in enumerate(self.passes):
            for j, that in enumerate(self.passes[i + 1 :]):
                if not all(allowed(this, that) for allowed in self.constraints):
                    raise RuntimeError(
                        f"pass schedule constraint violated. Expected {this} before {that} but found {this} at index "
                        f"{i} and {that} at index {j} in pass list."
                    )
        self._validated = True

    def solve_constraints(self) -> None:
        """Sort the passes so that they satisfy the constraints. Raises RuntimeError if there is no such order."""
        passes = self.passes
        before = {
            a: [b for b in passes if b is not a and not all(allowed(a, b) for allowed in self.constraints)]
            for a in passes
        }
        ordered: list[Pass] = []
        while len(ordered) < len(passes):
            ready = [p for p in passes if p not in ordered and all(b in ordered for b in before[p])]
            if not ready:
                cycle = [p for p in passes if p not in ordered]
                raise RuntimeError(f"Circular dependency detected within the following passes: {cycle}")
            ordered += ready
        self.passes, self._validated = ordered, True

    def add_checks(self, check: Callable[[Module], Any]) -> None:
        """Add a check, which raises an error if a module is wrong.

        Args:
          check (function): takes one argument, the module.

        Raises:
          TypeError: the function takes another number of arguments.
        """
        if len(inspect.signature(check).parameters) != 1:
            raise TypeError("PassManager check function should only take in one variable, a module")
        self.checks.append(check)

    def check(self, module: Module) -> None:
        """Run the checks.

        Args:
          module (Module): the module.
        """
        for each in self.checks:
            each(module)

    def __call__(self, module: Module) -> PassResult:
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        modified = False
        for _ in range(self.steps):
            module, changed = self._round(module)
            modified = modified or changed
            if not changed:
                break
        return PassResult(module, modified)

    def _round(self, module: Module) -> tuple[Module, bool]:
        """Run every pass once. Return the module and whether it was modified."""
        modified, done = False, []
        for each in self.passes:
            name = each.__name__ if inspect.isfunction(each) else type(each).__name__
            try:
                result = each(module)
                if not isinstance(result, PassResult):
                    raise TypeError(
                        f"The result of the pass {name} should be type PassResult."
                        "Please wrap it with pass_result_wrapper()"
                    )
                module, modified = result.graph_module, modified or result.modified
                if self.run_checks_after_each_pass:
                    self.check(module)
            except Exception as e:
                raise Exception(
                    f"An error occurred when running the '{name}' pass after the following passes: {done}"
                ) from e
            done.append(name)
        return module, modified


__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]
