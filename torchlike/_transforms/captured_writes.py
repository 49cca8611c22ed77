"""The check that a differentiated function writes in place only to its arguments and to tensors that it made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

from torchlike import _errors
from torchlike._dtypes.recorder import Mode, Recorder, both, enter, leave
from torchlike._engine import Value
from torchlike._errors.callers import calls_of_ours
from torchlike._tensor.storage import Storage
from torchlike._tensor.tensor import Tensor


class _Inside(Mode):
    """The inside of a differentiated function: the storages of its arguments, and those created since."""

    __slots__ = ("own",)

    def __init__(self, arguments: Iterable[Tensor]) -> None:
        self.own: WeakSet[Storage] = WeakSet([t._storage for t in arguments])

    def over(self, below: Recorder) -> Recorder:
        """Return a recorder that checks in-place writes."""
        write = below.write

        def checked(storage: Any, value: Value) -> Value:
            if storage not in self.own:
                _errors.func.check_captured_write(calls_of_ours())
            return value if write is None else write(storage, value)

        return below.but(made=both(below.made, self.own.add), write=checked)


@contextmanager
def refusing_captured_writes(arguments: Iterable[Tensor]) -> Iterator[None]:
    """Refuse in-place operators on tensors that the `with` block did not create. `arguments` may be written to."""
    mode = _Inside(arguments)
    enter(mode)
    try:
        yield
    finally:
        leave(mode)
