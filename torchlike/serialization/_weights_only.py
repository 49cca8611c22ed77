"""The restricted unpickler of `load(weights_only=True)`."""

from __future__ import annotations

import _codecs
import collections
import io
import pickletools
from collections.abc import Callable
from typing import IO, Any

import torchlike
from torchlike.serialization import _errors as errors
from torchlike.serialization import _safe_globals, _tensors
from torchlike.serialization._budget import Budget
from torchlike.serialization._classes import states, wrappers
from torchlike.serialization._machine import Machine
from torchlike.serialization._names import python3_name, readable_names
from torchlike.serialization._permitted import is_described, is_state, perform
from torchlike.serialization._rebuild import UNSUPPORTED, rebuild_from_type_v2

_BLOCKED = ("sys", "os", "posix", "nt")  # blocked even if the user marks their globals as safe
_PLAIN = {
    "collections.OrderedDict": collections.OrderedDict,
    "collections.Counter": collections.Counter,
    "builtins.set": set,
    "builtins.bytearray": bytearray,
    "builtins.complex": complex,
    "_codecs.encode": _codecs.encode,
}


def _allowed() -> dict[str, Any]:
    return {**_safe_globals.by_name(), **readable_names(), **_PLAIN}


class WeightsOnly:
    """The implementation of the machine's `Calls` for `weights_only=True`.

    It permits the calls that `_permitted` describes and calls of the user's safe globals.
    """

    def __init__(self, persistent: Callable[[Any], Any]) -> None:
        self._allowed = _allowed()
        self._of_user = [*_safe_globals.by_name().values()]
        self._persistent = persistent
        self._states = states.States()

    def persistent(self, saved: Any) -> Any:
        """Return the storage of a persistent id."""
        return self._persistent(saved)

    def finish(self, made: Any, budget: Budget) -> None:
        """Raise if an object has no state, or if the nesting of the object exceeds the limit."""
        self._states.finish()
        budget.nested(made)

    def find(self, module: str, name: str) -> Any:
        """Return the object of an allowed name."""
        module, name = python3_name(module, name)
        path = f"{module}.{name}"
        if module in _BLOCKED:
            raise errors.blocked_global(path, module)
        if path in states.NAMES:
            return self._states.find(path)
        if path in self._allowed:
            return self._allowed[path]
        if path in UNSUPPORTED:
            raise errors.unsupported_name(path)
        raise errors.forbidden_global(path)

    def _is_of_user(self, found: Any) -> bool:
        return any(found is marked for marked in self._of_user)

    def call(self, function: Any, args: Any, budget: Budget) -> Any:
        """Perform a call that `_permitted` describes, or call a function that the user marked as safe."""
        if is_described(function):
            if function is rebuild_from_type_v2:
                self._check_class(args)
            return perform(function, args, budget)
        if not self._is_of_user(function):
            raise errors.forbidden_call(function)
        if type(args) is not tuple:
            raise errors.bad_arguments(function)
        return function(*args)

    def _check_class(self, args: Any) -> None:
        if type(args) is not tuple or len(args) != 4:
            raise errors.bad_arguments(rebuild_from_type_v2)
        cls, state = args[1], args[3]
        plain = cls is torchlike.Tensor or cls is torchlike.nn.Parameter
        if not plain and not self._states.has(cls) and not self._is_of_user(cls):
            raise errors.forbidden_new(cls)
        if wrappers.is_wrapper(cls):
            if args[0] is not wrappers.rebuild_wrapper_subclass or type(args[2]) is not tuple or args[2][:1] != (cls,):
                raise errors.bad_arguments(rebuild_from_type_v2)
            return  # the class checks the state
        if state is not None and is_state(state) and not _tensors.sets_state(cls):
            _tensors.check_state(cls, state)

    def new(self, cls: Any, args: Any) -> Any:
        """Return an uninitialized object of a permitted class, or of a class that the user marked as safe."""
        if cls is collections.OrderedDict and type(args) is tuple and not args:
            return collections.OrderedDict()
        if self._states.has(cls):
            return self._states.new(cls, args)
        if not isinstance(cls, type) or not self._is_of_user(cls) or type(args) is not tuple:
            raise errors.forbidden_new(cls)
        return cls.__new__(cls, *args)

    def build(self, made: Any, state: Any, budget: Budget) -> None:
        """Set the attributes of an ordered dictionary, or restore the state of an object of a permitted class."""
        kind = type(made)
        if self._states.has(kind):
            self._states.build(made, state, budget)
            return
        if self._is_of_user(kind):
            _build_users(made, state)
            return
        if kind is not collections.OrderedDict:
            raise errors.forbidden_build(kind)
        if type(state) not in (dict, collections.OrderedDict) or not all(type(name) is str for name in state):
            raise errors.bad_state(kind)
        for name in state:
            if hasattr(kind, name) or name.startswith("__"):
                raise errors.forbidden_attribute(kind, name)
        made.__dict__.update(state)


def _build_users(made: Any, state: Any) -> None:
    restore = getattr(made, "__setstate__", None)
    if restore is not None:
        restore(state)
        return
    if not is_state(state):
        raise errors.bad_state(type(made))
    attributes, slots = state if type(state) is tuple else (state, None)
    if attributes:
        made.__dict__.update(attributes)
    for name, value in (slots or {}).items():
        setattr(made, name, value)


class Scan(WeightsOnly):
    """A dry run that collects the storages to which a pickle of the legacy format refers, without creating objects."""

    def __init__(self) -> None:
        super().__init__(self._note)
        self.found: list[tuple] = []

    def _note(self, saved: Any) -> Any:
        self.found.append(saved)
        return _Nothing()

    def call(self, function: Any, args: Any, budget: Budget) -> Any:
        """Return a placeholder, or an empty dictionary for mapping types, because the pickle inserts items into it."""
        is_mapping = function is collections.OrderedDict or function is collections.Counter
        return collections.OrderedDict() if is_mapping else _Nothing()

    def new(self, cls: Any, args: Any) -> Any:
        """Return a placeholder."""
        return _Nothing()

    def build(self, made: Any, state: Any, budget: Budget) -> None:
        """Do nothing."""

    def finish(self, made: Any, budget: Budget) -> None:
        """Do nothing, because the placeholders are discarded."""


class _Nothing:
    """A placeholder for an object during a scan."""


def unpickle(file: IO[bytes], persistent: Callable[[Any], Any], encoding: str) -> Any:
    """Return the object of a pickle. `persistent` maps each persistent id to a storage."""
    return Machine(file, WeightsOnly(persistent), encoding).load()


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """Return the full names of the globals in a zip checkpoint that `load(f, weights_only=True)` rejects as unsafe.

    PyTorch's names that torchlike does not support are not listed.

    Args:
        f: a path, or a seekable binary file.

    Raises:
        ValueError: `f` is a file of the legacy format.
        UnpicklingError: The pickle in the file is damaged.
    """
    from torchlike.serialization._load import naming, open_archive

    with naming(f, True), open_archive(f) as archive:
        if archive is None:
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        named = _globals(archive.read("data.pkl"))
    allowed = _allowed()
    found = dict.fromkeys(python3_name(module, name) for module, name in named)
    return [f"{module}.{name}" for module, name in found if _is_unsafe(module, f"{module}.{name}", allowed)]


def _is_unsafe(module: str, path: str, allowed: dict[str, Any]) -> bool:
    return module in _BLOCKED or not (path in allowed or path in states.NAMES or path in UNSUPPORTED)


def _globals(stream: bytes) -> list[tuple[str, str]]:
    """Return the (module, name) pairs of the globals in a pickle.

    Protocol 4 takes these names from the stack. A name that is not a string constant is returned as "?".
    """
    found: list[tuple[str, str]] = []
    pushed: list[str] = ["?", "?"]
    memo: dict[int, str] = {}
    try:
        for op, arg, place in pickletools.genops(io.BytesIO(stream)):
            if op.name in ("GLOBAL", "INST"):
                found.append(_lines(stream, (place or 0) + 1))
            elif op.name == "STACK_GLOBAL":
                found.append((pushed[-2], pushed[-1]))
            if op.name == "MEMOIZE":
                memo[len(memo)] = pushed[-1]
            elif op.name in ("BINPUT", "LONG_BINPUT", "PUT"):
                memo[_index(arg)] = pushed[-1]
            elif op.name in ("BINGET", "LONG_BINGET", "GET"):
                pushed.append(memo.get(_index(arg), "?"))
            elif op.name not in ("PROTO", "FRAME"):
                pushed.append(str(arg) if "UNICODE" in op.name or "STRING" in op.name else "?")
    except (ValueError, IndexError):
        raise errors.broken_pickle("its opcodes cannot be read") from None
    return found


def _lines(stream: bytes, start: int) -> tuple[str, str]:
    middle = stream.index(b"\n", start)
    return stream[start:middle].decode(), stream[middle + 1 : stream.index(b"\n", middle + 1)].decode()


def _index(arg: Any) -> int:
    return int(arg)
