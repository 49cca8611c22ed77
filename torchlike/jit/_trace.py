"""The example calls of `torch.jit.trace`, their check, and the calls that repeat them."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import torchlike
from torchlike import Tensor, _errors
from torchlike._errors.warned import warn
from torchlike._transforms.answers import Answers, answering, current
from torchlike._transforms.marks import Length, TracerWarning, marked, unmarked
from torchlike.jit._frozen import FrozenModule, frozen
from torchlike.jit._script import TopLevelTracedModule as TopLevelTracedModule  # its module in PyTorch
from torchlike.testing._close import TOLERANCES
from torchlike.utils import _pytree as pytree


class TracingCheckError(Exception):
    """Raised by `torch.jit.trace` if another call with the check's inputs gives another trace.

    Args:
      graph_diff_error, tensor_compare_error: what differs.
      extra_msg: a sentence before it.
    """

    def __init__(
        self, graph_diff_error: str | None, tensor_compare_error: str | None, extra_msg: str | None = None
    ) -> None:
        self.message = "Tracing failed sanity checks!\n" + ("" if extra_msg is None else extra_msg + "\n")
        if graph_diff_error is not None:
            self.message += "ERROR: Graphs differed across invocations!\n" + _indented(graph_diff_error)
        if tensor_compare_error is not None:
            self.message += "ERROR: Tensor-valued Constant nodes differed in value across invocations. "
            self.message += "This often indicates that the tracer has encountered untraceable code.\n"
            self.message += _indented(tensor_compare_error)
        super().__init__(self.message)


def _indented(text: str) -> str:
    return "".join(f"\t{line}\n" for line in text.splitlines())


def deprecated(name: str, instead: str = "switch to `torch.compile` or `torch.export`") -> None:
    """Warn that a function of TorchScript is deprecated. As in PyTorch, the place of the warning is the library."""
    warnings.warn(_errors.compiling.old_torchscript(name, instead), DeprecationWarning)  # noqa: B028


class Trace:
    """A function or module with the values that the trace froze: conversions, Python state, Python's random numbers.

    Attributes:
      answers: the conversions to Python values. If there are none, calls are ordinary calls of the Python code.
      python_random: the state of Python's generator before the trace, or None if the trace did not use it.
      marks: whether calls need to know which tensors and sizes belong to the trace.
    """

    def __init__(self, source: Any, strict: bool) -> None:
        self.source, self.strict, self.frozen = source, strict, frozen(source)
        self.answers: list[tuple[str, Any]] = []
        self.python_random: Any = None
        self.marks = False

    def _lent(self, is_example: bool) -> Any:
        if not isinstance(self.frozen, FrozenModule):
            return nullcontext(self.frozen)
        return self.frozen.example() if is_example else self.frozen.call()

    def example(self, args: Any, kwargs: dict) -> Any:
        """Call the function with the example inputs. Record its conversions, and return its results."""
        answers, before = Answers(), random.getstate()
        with self._lent(True) as function, answering(answers):
            made = function(*marked(args), **marked(kwargs))
            results = _outputs(made, self.strict)
        self.answers = answers.found
        self.marks = bool(answers.found) or _has_size(made)
        self.python_random = before if random.getstate() != before else None
        return results

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function as in the trace. Another trace that is running does not see its conversions."""
        if current() is None:
            return self._with_python_random(args, kwargs)
        return marked(self._with_python_random(unmarked(args), unmarked(kwargs)))

    def _with_python_random(self, args: tuple, kwargs: dict) -> Any:
        if self.python_random is None:
            return self._replayed(args, kwargs)
        now = random.getstate()
        random.setstate(self.python_random)
        try:
            return self._replayed(args, kwargs)
        finally:
            random.setstate(now)

    def _replayed(self, args: tuple, kwargs: dict) -> Any:
        if self.marks:
            args, kwargs = marked(args), marked(kwargs)
        with self._lent(False) as function, answering(Answers(self.answers)):
            return _outputs(function(*args, **kwargs), False)


def _has_size(made: Any) -> bool:
    if isinstance(made, tuple | list):
        return any(map(_has_size, made))
    return any(map(_has_size, made.values())) if isinstance(made, dict) else isinstance(made, Length)


def _outputs(made: Any, strict: bool) -> Any:
    """Return the results of a traced function: plain tensors in tuples, lists and dicts.

    Raises:
      RuntimeError: a result is neither a tensor nor a container of tensors.
    """
    if made is None:
        raise RuntimeError(_errors.compiling.NO_TRACED_RESULT)
    if isinstance(made, dict) and strict:
        raise RuntimeError(_errors.compiling.TRACED_DICT)
    return _output(made)


def _output(made: Any) -> Any:
    if isinstance(made, Length):
        return torchlike.tensor(int.__int__(made))
    if isinstance(made, Tensor):
        return unmarked(made)
    if isinstance(made, tuple | list):
        return (list if isinstance(made, list) else tuple)(map(_output, made))
    if isinstance(made, dict):
        return {key: _output(value) for key, value in made.items()}
    raise RuntimeError(_errors.compiling.TRACED_RESULT)


class Check(NamedTuple):
    """The check of a trace.

    Attributes:
      wanted: whether the trace is checked.
      inputs: a list of arguments in place of the example inputs, or None.
      tolerance: the relative tolerance with which the results must be those of the function.
    """

    wanted: bool
    inputs: Any
    tolerance: float


def traced(func: Callable, args: Any, kwargs: dict, check: Check, strict: bool = True) -> Trace:
    """Call a function as often as `torch.jit.trace` does: once, and for each check twice without gradients."""
    is_module = isinstance(func, torchlike.nn.Module)
    if is_module:
        deprecated("trace_method")
    made = Trace(func, strict)
    results = made.example(args, kwargs)
    if not check.wanted:
        return made
    for given in check.inputs or [args]:
        given = given if isinstance(given, list | tuple) else (given,)
        with torchlike.no_grad(), torchlike.random.fork_rng():
            deprecated("trace_method" if is_module else "trace")  # PyTorch's check traces the function again
            again, before, versions = Trace(func, strict), torchlike.random.get_rng_state(), _versions(func)
            found = again.example(given, kwargs)
            draws = not torchlike.equal(before, torchlike.random.get_rng_state())
            writes = versions != _versions(func)
            if writes or (check.inputs and again.answers != made.answers):
                results = made(*given, **kwargs)
            elif check.inputs:
                results = found
            _compare_with_function(results, func(*given, **kwargs), check.tolerance, draws)
            if not (writes or draws):
                _compare(results, found)
    return made


def _versions(func: Any) -> list[int]:
    """Return how often each buffer of a module was written."""
    return [buffer._version for buffer in func.buffers()] if isinstance(func, torchlike.nn.Module) else []


def _compare_with_function(results: Any, due: Any, tolerance: float, draws: bool) -> None:
    """Warn if the results of the trace are not those of the function."""
    if draws:
        warn(_errors.compiling.NONDETERMINISTIC, TracerWarning)
    for place, (x, y) in enumerate(_pairs(results, due), 1):
        _, absolute = TOLERANCES.get(x.dtype, (0.0, 0.0))
        try:
            torchlike.testing.assert_close(x, y, rtol=tolerance, atol=absolute, equal_nan=True)
        except AssertionError as error:
            warn(_errors.compiling.differing_output(place, str(error)), TracerWarning)


def _compare(results: Any, found: Any) -> None:
    """Compare the results of the trace with those of the check's trace, which has the same constants if they agree."""
    for place, (x, y) in enumerate(_pairs(results, found), 1):
        try:
            torchlike.testing.assert_close(x, y, equal_nan=True)
        except AssertionError as error:
            raise TracingCheckError(_errors.compiling.graphs_differ(place, str(error)), None) from None


def _pairs(one: Any, other: Any) -> Iterator[tuple[Tensor, Tensor]]:
    for x, y in zip(pytree.tree_leaves(one), pytree.tree_leaves(other)):
        if isinstance(x, Tensor) and isinstance(y, Tensor):
            yield x.detach(), y.detach()
