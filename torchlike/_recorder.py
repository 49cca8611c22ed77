"""What a thread records with. A mode is an object that puts another recorder in its place while it is on.

Operators, new storages, gradient nodes and writes reach the recorder of their thread by one attribute read
(`current()`). No other thread sees it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from torchlike import _native


class Recorder:
    """The functions by which operators reach the engine, as the modes of a thread left them.

    Attributes:
      grad: whether gradient nodes are made.
      record: `record(plan, values, scalars) -> Values`, of an operator's results.
      record_one: the same of a plan with one result: `record_one(plan, values, scalars) -> Value`.
      append, append_one: the same, into the trace that the thread records into, whatever modes make of an operator.
      node: `node(plan, values, edges, scalars) -> Node`, of an operator that is about to be recorded.
      watches: whether `node` looks at what nodes save, so that a loop is one operator as all others.
      packs: whether `node` calls hooks with what nodes save.
      moves: whether what only moves data may be done at once where it lies on the host, since nothing is carried along
        with values and nothing recorded whole.
      made: `made(storage)` is called with each new storage of a tensor; None: nobody asks.
      write: `write(storage, value) -> Value`: what a storage gets in place of `value`; None: just that.
      capture: what is being recorded whole (see `_core/capture.py`, `_core/subtrace.py`), or None.
      modes: those that made it, the outermost first.
      alias: `alias(tensor)`: a detached tensor that does not share memory, or None; None: all share it.
    """

    __slots__ = ("alias", "append", "append_one", "capture", "grad", "made", "modes", "moves", "node",
                 "packs", "record", "record_one", "twin", "watches", "write")  # fmt: skip

    def __init__(self, **functions: Any) -> None:
        for name in _FUNCTIONS:
            setattr(self, name, functions.get(name))
        self.twin: Recorder | None = None

    record: Callable[..., tuple]
    record_one: Callable[..., Any]
    append: Callable[..., tuple]
    append_one: Callable[..., Any]
    node: Callable[..., Any]
    watches: bool
    packs: bool
    moves: bool
    grad: bool
    made: Callable[[Any], None] | None
    write: Callable[[Any, Any], Any] | None
    capture: Any
    modes: tuple[Mode, ...]
    alias: Callable[[Any], Any] | None

    def but(self, **functions: Any) -> Recorder:
        """A recorder that differs in these functions."""
        return Recorder(**{name: getattr(self, name) for name in _FUNCTIONS} | functions)

    def with_grad(self, grad: bool) -> Recorder:
        """The recorder that makes gradient nodes, or the one that makes none."""
        if self.grad is grad:
            return self
        if self.twin is None:
            twin = self.but(grad=grad)
            twin.twin = self
            self.twin = twin
        return self.twin


_FUNCTIONS = tuple(name for name in Recorder.__slots__ if name != "twin")


class Mode:
    """Something that a thread is in: inference, a mapped function, hooks on saved tensors, ..."""

    __slots__ = ()

    def over(self, below: Recorder) -> Recorder:
        """The recorder to use in place of that of the modes further out."""
        raise NotImplementedError


def both(first: Callable[[Any], None] | None, then: Callable[[Any], None]) -> Callable[[Any], None]:
    """Two functions that are told of one thing, as one."""
    if first is None:
        return then

    def tell(what: Any) -> None:
        first(what)
        then(what)

    return tell


plain = Recorder(grad=True, moves=True, watches=False, packs=False, modes=())  # functions come with the layers above
# A context variable is read in 3 ns, an attribute of a `threading.local` in 50. Each thread has a context of its own.
_variable: ContextVar[Recorder] = ContextVar("recorder", default=plain)
current = _variable.get  # the recorder of this thread


def use(recorder: Recorder) -> None:
    """Put another recorder in this thread's place."""
    _variable.set(recorder)


class PlainSwitch:
    """A grad mode. A subclass has `_recorders(current)`, the recorders outside and inside, and `_leave()`, which is
    called where the thread has another one at the end."""

    def __enter__(self) -> None:
        self._outside, self._inside = self._recorders(current())
        use(self._inside)

    def __exit__(self, *_: object) -> None:
        if current() is self._inside:
            use(self._outside)
        else:
            self._leave()

    def _recorders(self, now: Recorder) -> tuple[Recorder, Recorder]:
        raise NotImplementedError

    def _leave(self) -> None:
        raise NotImplementedError


Switch: Any = PlainSwitch  # or the same in C, which no interrupt splits
if _native.switch is not None:
    _native.switch.of(current, _variable.set)
    Switch = _native.switch.Switch


def enter(mode: Mode) -> None:
    """Put a mode inside of those that the thread is in."""
    _use_modes((*current().modes, mode))


def leave(mode: Mode) -> None:
    """Take out a mode, the innermost or another."""
    modes = [*current().modes]
    for i in range(len(modes) - 1, -1, -1):
        if modes[i] is mode:
            del modes[i]
            break
    _use_modes(tuple(modes))


def _use_modes(modes: tuple[Mode, ...]) -> None:
    recorder = plain
    for mode in modes:
        recorder = mode.over(recorder)
    if modes:
        recorder.modes = modes
    use(recorder.with_grad(current().grad))


__all__ = ["Mode", "Recorder", "Switch", "both", "current", "enter", "leave", "plain", "use"]
