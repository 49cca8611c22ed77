"""The restricted pickle virtual machine of `load(weights_only=True)`.

The machine supports few opcodes, checks every operand and limits every cost. It never looks up an attribute by a name
from the file, and it never calls an object that the file created. A `Calls` object resolves global names and performs
the calls.
"""

from __future__ import annotations

import collections
import struct
from collections.abc import Callable
from typing import IO, Any, Protocol

from torchlike._errors.warned import warn
from torchlike.serialization import _errors as errors
from torchlike.serialization._budget import Budget

_LONGEST_LINE = 1_000
_BATCH = 256  # the number of opcodes between two updates of the budget
_CALL = 4  # a call, a set or a storage counts as this many objects
_STORAGE = ("storage", b"storage")
_MAPPINGS = (dict, collections.OrderedDict, collections.Counter)


class Calls(Protocol):
    """The interface that resolves names and implements REDUCE, NEWOBJ, BUILD and persistent ids."""

    def find(self, module: str, name: str) -> Any:
        """Return the object with a global name."""
        ...

    def call(self, function: Any, args: Any, budget: Budget) -> Any:
        """Return `function(*args)`."""
        ...

    def new(self, cls: Any, args: Any) -> Any:
        """Return `cls.__new__(cls, *args)`."""
        ...

    def build(self, made: Any, state: Any, budget: Budget) -> None:
        """Set the state of `made`."""
        ...

    def persistent(self, saved: Any) -> Any:
        """Return the storage for a persistent id."""
        ...

    def finish(self, made: Any, budget: Budget) -> None:
        """Check the final object of the pickle."""
        ...


class Machine:
    """An interpreter of one pickle in a stream.

    Args:
        file: the stream. The machine reads no further than the end of the pickle.
        calls: the object that resolves names and performs calls.
        encoding: the encoding of Python 2 strings.
    """

    def __init__(self, file: IO[bytes], calls: Calls, encoding: str = "utf-8") -> None:
        self._file, self._calls, self._encoding = file, calls, encoding
        self._stack: list = []
        self._marks: list[list] = []
        self._memo: dict[int, Any] = {}
        self._budget = Budget()
        self._made = 0  # the number of objects created since the last update of the budget

    def load(self) -> Any:
        """Run the pickle and return its object."""
        read, find = self._file.read, self._handlers().get
        while True:
            for steps in range(_BATCH):
                code = read(1)
                handler = find(code)
                if handler is None:
                    return self._stop(code, steps + 1)
                handler(self)
            self._pay(_BATCH)

    def _handlers(self) -> dict[bytes, Callable[[Any], None]]:
        """Return the opcodes that the machine supports."""
        return _HANDLERS

    def _stop(self, code: bytes, steps: int) -> Any:
        if not code:
            raise errors.truncated_pickle()
        if code != b".":
            raise errors.opcode(code[0])
        self._pay(steps)
        made = self._pop()
        self._calls.finish(made, self._budget)
        return made

    def _pay(self, steps: int) -> None:
        """Add the opcodes, and the objects that they created, to the budget."""
        self._budget.opcodes(steps)
        self._budget.objects(self._made)
        self._made = 0

    # operands

    def _read(self, count: int) -> bytes:
        found = self._file.read(count)
        if len(found) != count:
            raise errors.truncated_pickle()
        return found

    def _data(self, count: int) -> bytes:
        """Read an operand whose length the pickle specifies."""
        self._budget.bytes(count)
        return self._read(count)

    def _byte(self) -> int:
        found = self._file.read(1)
        if not found:
            raise errors.truncated_pickle()
        return found[0]

    def _number(self, form: struct.Struct) -> Any:
        return form.unpack(self._read(form.size))[0]

    def _line(self) -> str:
        line = self._file.readline(_LONGEST_LINE)
        if not line.endswith(b"\n"):
            raise errors.truncated_pickle() if len(line) < _LONGEST_LINE else errors.broken_pickle("a name is too long")
        return _text(line[:-1], "utf-8")

    # the stack

    def _push(self, made: Any) -> None:
        self._stack.append(made)

    def _make(self, made: Any) -> None:
        self._made += 1
        self._stack.append(made)

    def _pop(self) -> Any:
        if not self._stack:
            raise errors.broken_pickle("an operand is missing")
        return self._stack.pop()

    def _top(self) -> Any:
        if not self._stack:
            raise errors.broken_pickle("an operand is missing")
        return self._stack[-1]

    def _mark(self) -> None:
        self._made += 1
        self._marks.append(self._stack)
        self._stack = []

    def _since_mark(self) -> list:
        if not self._marks:
            raise errors.broken_pickle("a mark is missing")
        found, self._stack = self._stack, self._marks.pop()
        return found

    def _tuple(self, count: int) -> None:
        if len(self._stack) < count:
            raise errors.broken_pickle("an operand is missing")
        made = tuple(self._stack[-count:])
        del self._stack[-count:]
        self._make(made)

    # opcodes

    def _proto(self) -> None:
        protocol = self._byte()
        if protocol != 2:
            warn(errors.protocol_warning(protocol))

    def _global(self) -> None:
        self._push(self._calls.find(self._line(), self._line()))

    def _persistent(self) -> None:
        saved = self._pop()
        if type(saved) not in (tuple, int):
            raise errors.persistent_kind(type(saved))
        if type(saved) is tuple and saved and not (type(saved[0]) in (str, bytes) and saved[0] in _STORAGE):
            raise errors.persistent_not_storage(type(saved[0]))
        self._made += _CALL
        self._push(self._calls.persistent(saved))

    def _reduce(self) -> None:
        args = self._pop()
        self._made += _CALL
        self._push(self._calls.call(self._pop(), args, self._budget))

    def _new(self) -> None:
        args = self._pop()
        self._made += _CALL
        self._push(self._calls.new(self._pop(), args))

    def _build(self) -> None:
        state = self._pop()
        self._calls.build(self._top(), state, self._budget)

    def _append(self) -> None:
        item = self._pop()
        self._extend("append to", [item])

    def _appends(self) -> None:
        self._extend("extend", self._since_mark())

    def _extend(self, verb: str, items: list) -> None:
        if type(self._top()) is not list:
            raise errors.forbidden_append(verb, type(self._top()))
        self._top().extend(items)

    def _set_item(self) -> None:
        value = self._pop()
        self._update("SETITEM", [self._pop(), value])

    def _set_items(self) -> None:
        self._update("SETITEMS", self._since_mark())

    def _update(self, code: str, items: list) -> None:
        target = self._top()
        if type(target) not in _MAPPINGS:
            raise errors.forbidden_setitem(code, type(target))
        if len(items) % 2:
            raise errors.broken_pickle("a value is missing")
        for key, value in zip(items[::2], items[1::2]):
            self._budget.key(key, target)
            target[key] = value

    def _get(self, index: int) -> None:
        if index not in self._memo:
            raise errors.broken_pickle("it refers to an object that does not exist")
        self._stack.append(self._memo[index])

    def _put(self, index: int) -> None:
        self._memo[index] = self._top()

    def _text(self) -> None:
        self._make(_text(self._data(self._number(_WORD)), "utf-8", "surrogatepass"))

    def _bytes(self) -> None:
        data = self._data(self._byte())
        self._make(data if self._encoding == "bytes" else _text(data, self._encoding))

    def _long(self) -> None:
        self._make(int.from_bytes(self._data(self._byte()), "little", signed=True))

    def _set(self) -> None:
        self._made += _CALL
        self._push(set())


def _text(data: bytes, encoding: str, strictness: str = "strict") -> str:
    try:
        return data.decode(encoding, strictness)
    except UnicodeDecodeError:
        raise errors.broken_pickle(f"a text in it is not {encoding}") from None


_SHORT, _INT, _WORD, _DOUBLE = map(struct.Struct, ("<H", "<i", "<I", ">d"))

_HANDLERS: dict[bytes, Callable[[Machine], None]] = {
    b"\x80": Machine._proto,
    b"c": Machine._global,
    b"Q": Machine._persistent,
    b"R": Machine._reduce,
    b"\x81": Machine._new,
    b"b": Machine._build,
    b"a": Machine._append,
    b"e": Machine._appends,
    b"s": Machine._set_item,
    b"u": Machine._set_items,
    b"(": Machine._mark,
    b"t": lambda m: m._make(tuple(m._since_mark())),
    b"\x85": lambda m: m._tuple(1),
    b"\x86": lambda m: m._tuple(2),
    b"\x87": lambda m: m._tuple(3),
    b"N": lambda m: m._push(None),
    b"\x88": lambda m: m._push(True),
    b"\x89": lambda m: m._push(False),
    b")": lambda m: m._push(()),
    b"]": lambda m: m._make([]),
    b"}": lambda m: m._make({}),
    b"\x8f": Machine._set,
    b"J": lambda m: m._make(m._number(_INT)),
    b"K": lambda m: m._stack.append(m._byte()),
    b"M": lambda m: m._make(m._number(_SHORT)),
    b"G": lambda m: m._make(m._number(_DOUBLE)),
    b"X": Machine._text,
    b"U": Machine._bytes,
    b"\x8a": Machine._long,
    b"h": lambda m: m._get(m._byte()),
    b"j": lambda m: m._get(m._number(_WORD)),
    b"q": lambda m: m._put(m._byte()),
    b"r": lambda m: m._put(m._number(_WORD)),
}
