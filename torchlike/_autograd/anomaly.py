"""Anomaly detection: each node stores the stack trace of its forward call, and each gradient is checked for NaN.

The check for NaN runs each node immediately and reads its result, so a backward pass is slow. As in PyTorch, the mode
is process-wide.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torchlike import _errors
from torchlike._autograd import engine
from torchlike._autograd.engine import Grad, Walk
from torchlike._autograd.nodes import Node, hooks_of
from torchlike._autograd.sparse_value import SparseValue
from torchlike._engine import Value, to_numpy
from torchlike._engine.trace.batched_values import outermost
from torchlike._engine.trace.trace import latest
from torchlike._errors.callers import users_stack
from torchlike._errors.warned import warn

enabled = False
check_nan = True


def is_anomaly_enabled() -> bool:
    """Return whether anomaly detection is on."""
    return enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Return whether anomaly detection checks for NaN."""
    return check_nan


def set_anomaly_enabled(mode: bool, check_for_nan: bool = True) -> None:
    """Turn anomaly detection on or off, in all threads.

    Args:
      mode: turn it on.
      check_for_nan: raise an error if a backward pass gives a NaN.
    """
    global enabled, check_nan
    check_nan = bool(check_for_nan)
    if bool(mode) == enabled:
        return
    enabled = bool(mode)
    latest.made = _remember if enabled else None
    engine.passes.kind = AnomalyWalk if enabled else Walk


class set_detect_anomaly:
    """A switch that turns anomaly detection on or off at once; see `detect_anomaly`.

    As a context, it restores the previous setting at the end of the `with` block.

    Args:
      mode: turn anomaly detection on.
      check_nan: raise an error if a backward pass gives a NaN.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        if mode.__class__ is not bool:
            raise _errors.arguments.wrong_type("set_anomaly_enabled", "enabled", 1, "bool", mode)
        self.before = enabled, is_anomaly_check_nan_enabled()
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        set_anomaly_enabled(*self.before)


class detect_anomaly:
    """A context that explains errors of backward passes and turns NaN gradients into errors.

    Before an error in a backward pass, a warning shows the stack trace of the forward call that made the node.

    Args:
      check_nan: whether gradients are checked for NaN.

    Raises:
      RuntimeError: in `backward`, at the first node whose gradient has a NaN.

    >>> import torchlike as torch, warnings
    >>> x = torch.zeros(1, requires_grad=True)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     with torch.autograd.detect_anomaly():
    ...         (x.sqrt() * 0).sum().backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.before = enabled, is_anomaly_check_nan_enabled()
        self.check_nan = check_nan
        warn(_errors.autograd.ANOMALY_IS_ON)

    def __enter__(self) -> None:
        set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *_: object) -> None:
        set_anomaly_enabled(*self.before)


# -- implementation ----------------------------------------------------------------------------------------------------


def _remember(node: Node) -> None:
    metadata = hooks_of(node).metadata
    metadata["traceback_"] = users_stack()
    walk = engine.running.walk
    if isinstance(walk, AnomalyWalk) and walk.visiting is not None:
        metadata["parent_"] = walk.visiting


class AnomalyWalk(Walk):
    """A backward pass that checks each node's gradients for NaN and warns with the stack traces of a failing node."""

    visiting: Node | None = None

    def _gradients(self, node: Node, held: dict[int, Grad], wanted: tuple[int, ...]) -> Sequence[Grad | None]:
        outer, self.visiting, name = self.visiting, node, node.name()
        try:
            grads = super()._gradients(node, held, wanted)
            if check_nan:
                for i, grad in zip(wanted, grads):
                    if grad is not None and _has_nan(grad[0]):
                        name, number = node.to_blame(i)
                        raise _errors.autograd.nan_gradient(name, number)
        except Exception as error:
            _print_history(node, name)
            error.args = tuple(_errors.autograd.with_history(a) for a in error.args)
            raise
        finally:
            self.visiting = outer
        return grads


def _has_nan(value: Value | SparseValue) -> bool:
    value = value.values if isinstance(value, SparseValue) else value
    dtype = value.aval.dtype
    if dtype.category < 2 or value.aval.device.type == "meta":
        return False
    array = to_numpy(outermost(value))
    return bool(np.isnan(array if array.dtype.kind in "fc" else array.astype(np.float32)).any())


def _print_history(node: Node, name: str) -> None:
    metadata = hooks_of(node).metadata
    warn(_errors.autograd.anomaly_found(name, metadata.get("traceback_")))
    parent = metadata.get("parent_")
    while parent is not None:
        metadata = hooks_of(parent).metadata
        warn(_errors.autograd.anomaly_induced(parent.name(), metadata.get("traceback_")))
        parent = metadata.get("parent_")
