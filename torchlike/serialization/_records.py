"""Pickles of records: objects of declared classes, with plain values, tensor sizes and dtypes inside.

`torch.distributed.checkpoint` describes a checkpoint by such a pickle. PyTorch reads it with `pickle.load`, which can
execute code. This module reads it with the restricted machine of `load(weights_only=True)`, which also supports
the opcodes of pickle protocol 4 here.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, Any

from torchlike.serialization import _errors as errors
from torchlike.serialization._budget import Budget
from torchlike.serialization._machine import Machine
from torchlike.serialization._save import _pickle
from torchlike.serialization._weights_only import WeightsOnly

_PROTOCOLS = range(2, 6)
_LENGTH = struct.Struct("<Q")
_SCALARS = (str, int, float, bool, type(None))


@dataclass(frozen=True)
class Record:
    """A class whose objects a pickle may create.

    Attributes:
        cls: the class.
        make: a function that creates the object from the arguments in the pickle, or None if the pickle creates an
            empty object and sets its attributes.
        attributes: for each attribute, a function that returns whether its value is valid. An attribute that the
            pickle does not set must have a default value in the class.
        set_state: a function that sets the attributes from a state that is not a dictionary.
    """

    cls: type
    attributes: Mapping[str, Callable[[Any], bool]]
    make: Callable[..., Any] | None = None
    set_state: Callable[[Any, Any], None] | None = None


class Records(WeightsOnly):
    """The implementation of the machine's `Calls` for records: those of `load(weights_only=True)`, and the records.

    Args:
        records: the records by their full names in the pickle.
    """

    def __init__(self, records: Mapping[str, Record]) -> None:
        super().__init__(_no_storages)
        self._records = records
        self._by_class = {record.cls: record for record in records.values()}

    def find(self, module: str, name: str) -> Any:
        """Return the record or the object of an allowed name."""
        return self._records.get(f"{module}.{name}") or super().find(module, name)

    def call(self, function: Any, args: Any, budget: Budget) -> Any:
        """Create an object of a record from arguments, or perform a call of `load(weights_only=True)`."""
        if type(function) is not Record:
            return super().call(function, args, budget)
        if function.make is None or type(args) is not tuple or not all(type(x) in _SCALARS for x in args):
            raise errors.bad_arguments(function.cls)
        try:
            return function.make(*args)
        except (TypeError, ValueError):
            raise errors.bad_arguments(function.cls) from None

    def new(self, cls: Any, args: Any) -> Any:
        """Return an empty object of a record."""
        if type(cls) is not Record:
            return super().new(cls, args)
        if args != () or cls.make is not None:
            raise errors.bad_arguments(cls.cls)
        return object.__new__(cls.cls)

    def build(self, made: Any, state: Any, budget: Budget) -> None:
        """Set the attributes of an object of a record."""
        record = self._by_class.get(type(made))
        if record is None:
            super().build(made, state, budget)
        elif record.set_state is not None:
            record.set_state(made, state)
        else:
            _set_attributes(made, state, record)


def _set_attributes(made: Any, state: Any, record: Record) -> None:
    if type(state) is not dict or made.__dict__:
        raise errors.bad_state(record.cls)
    for name in state:
        if type(name) is not str or name not in record.attributes:
            raise errors.bad_record(record.cls, name)
    made.__dict__.update(state)
    check_attributes(made, record)


def check_attributes(made: Any, record: Record) -> None:
    """Raise UnpicklingError if an attribute is missing or has an invalid value."""
    for name, check in record.attributes.items():
        if not hasattr(made, name) or not check(getattr(made, name)):
            raise errors.bad_record(record.cls, name)


def _no_storages(saved: Any) -> Any:
    raise errors.broken_pickle("it refers to a storage")


class _RecordMachine(Machine):
    """A machine that also reads pickle protocols 3 to 5, which `pickle.dump` writes by default."""

    def _handlers(self) -> dict[bytes, Callable[[Any], None]]:
        return _HANDLERS

    def _proto(self) -> None:
        protocol = self._byte()
        if protocol not in _PROTOCOLS:
            raise errors.broken_pickle(f"its protocol is {protocol}")

    def _frame(self) -> None:
        self._read(_LENGTH.size)  # the machine does not need the length of the frame

    def _short_text(self) -> None:
        self._make(self._decoded(self._data(self._byte())))

    def _long_text(self) -> None:
        self._make(self._decoded(self._data(self._number(_LENGTH))))

    def _decoded(self, data: bytes) -> str:
        try:
            return data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise errors.broken_pickle("a text in it is not utf-8") from None

    def _named_global(self) -> None:
        name, module = self._pop(), self._pop()
        if type(name) is not str or type(module) is not str:
            raise errors.broken_pickle("a name is not a text")
        self._push(self._calls.find(module, name))

    def _memoize(self) -> None:
        self._put(len(self._memo))


_HANDLERS: dict[bytes, Callable[[Any], None]] = Machine._handlers(Machine.__new__(Machine)) | {
    b"\x80": _RecordMachine._proto,
    b"\x95": _RecordMachine._frame,
    b"\x8c": _RecordMachine._short_text,
    b"\x8d": _RecordMachine._long_text,
    b"\x93": _RecordMachine._named_global,
    b"\x94": _RecordMachine._memoize,
}


def load_records(file: IO[bytes], records: Mapping[str, Record]) -> Any:
    """Return the object of a pickle of records.

    Raises:
        UnpicklingError: The pickle is damaged, or needs a global that is neither a record nor allowed by
            `load(weights_only=True)`.
    """
    try:
        return _RecordMachine(file, Records(records)).load()
    except (AttributeError, TypeError, ValueError, RecursionError) as error:  # of incomplete records as keys
        raise errors.broken_pickle(f"its records are inconsistent ({type(error).__name__})") from None


def dump_records(found: object) -> bytes:
    """Return the pickle of an object, in which the classes have PyTorch's names."""
    pickled, storages = _pickle(found, 2, ())
    if storages:
        raise TypeError("the metadata of a checkpoint cannot contain tensors")
    return pickled
