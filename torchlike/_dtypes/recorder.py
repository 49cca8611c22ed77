"""The recorder of a thread. Each mode replaces it with another recorder while the mode is on.

Operators, new storages, gradient nodes and writes use the recorder of their thread, which `current()` returns.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from torchlike import _native


class Recorder:
    """The functions through which operators reach the engine. The modes of a thread determine them.

    Attributes:
      grad: whether gradient nodes are made.
      record: `record(plan, values, scalars) -> Values` records an operator and returns its results.
      record_one: `record_one(plan, values, scalars) -> Value`, the same for a plan with one result.
      append, append_one: the same without modes: they append to the thread's trace.
      node: `node(plan, values, edges, scalars) -> Node` makes a gradient node. It is called before `record`.
      watches: whether `node` observes the values that nodes save. If so, loops and decompositions have no residuals.
      packs: whether `node` calls saved-tensor hooks.
      moves: whether views and indexing of host arrays may run immediately. They may not if values carry tangents or
        batch dims, or are captured.
      made: `made(storage)` is called with each new storage of a tensor, or None.
      write: `write(storage, value) -> Value` replaces the value of a write, or None.
      capture: the capture or sub-recording in progress (`_engine/trace/capture.py`, `subtrace.py`), or None.
      modes: the modes that determine the recorder, the outermost first.
      alias: `alias(tensor)` returns a detached tensor with its own memory, or None to share memory. The attribute may
        be None.
      resizes: whether sizes stand for other sizes, as in a recording for export. An index that selects a whole dim is
        then recorded if it would not at another size.
    """

    __slots__ = (
        "alias",
        "append",
        "append_one",
        "capture",
        "grad",
        "made",
        "modes",
        "moves",
        "node",
        "packs",
        "record",
        "record_one",
        "resizes",
        "variant",
        "watches",
        "write",
    )

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
    resizes: bool | None

    def __init__(self, **functions: Any) -> None:
        for name in _FUNCTIONS:
            setattr(self, name, functions.get(name))
        self.variant: Recorder | None = None

    def but(self, **functions: Any) -> Recorder:
        """Return a copy of this recorder with these attributes replaced."""
        return Recorder(**{name: getattr(self, name) for name in _FUNCTIONS} | functions)

    def with_grad(self, grad: bool) -> Recorder:
        """Return the variant of this recorder with this grad mode."""
        if self.grad is grad:
            return self
        if self.variant is None:
            variant = self.but(grad=grad)
            variant.variant = self
            self.variant = variant
        return self.variant


_FUNCTIONS = tuple(name for name in Recorder.__slots__ if name != "variant")


class Mode:
    """A mode of a thread: inference, vmap, forward-mode AD, saved-tensor hooks, or a capture.

    Attributes:
      generalizes: whether the mode records a graph that is used with other inputs. Indices are then not read, so that
        the graph depends on them.
    """

    __slots__ = ()
    generalizes = False

    def over(self, below: Recorder) -> Recorder:
        """Return the recorder for this mode, derived from the recorder `below` of the surrounding modes."""
        raise NotImplementedError


def both(first: Callable[[Any], None] | None, then: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return a function that calls both functions in this order. The first may be None."""
    if first is None:
        return then

    def tell(what: Any) -> None:
        first(what)
        then(what)

    return tell


plain = Recorder(grad=True, moves=True, watches=False, packs=False, modes=())  # other modules set the functions


class _Thread(threading.local):
    recorder = plain


# PyTorch's modes are per thread, while a context variable is per task or callback. The functions in C are as fast as a
# context variable; reading an attribute of a `threading.local` takes 50 ns more.
_thread = _Thread()
current: Callable[[], Recorder] = functools.partial(getattr, _thread, "recorder")  # the recorder of this thread
use: Callable[[Recorder], None] = functools.partial(setattr, _thread, "recorder")  # set the recorder of this thread


class PlainSwitch:
    """A context manager for grad modes.

    Subclasses define `_recorders(now)`, which returns the recorders outside and inside of the block, and `_leave()`,
    which runs if the recorder was changed inside the block.
    """

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


Switch: Any = PlainSwitch  # the version in C is atomic: no interrupt handler runs within it
if _native.switch is not None:
    _native.switch.of(plain)
    current, use, Switch = _native.switch.current, _native.switch.use, _native.switch.Switch


def enter(mode: Mode) -> None:
    """Enter a mode in this thread."""
    _use_modes((*current().modes, mode))


def leave(mode: Mode) -> None:
    """Leave a mode, which need not be the innermost one."""
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
