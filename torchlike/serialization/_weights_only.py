"""Reading a pickle that may hold data only: few opcodes, few names, few calls."""

from __future__ import annotations

import _codecs
import collections
import pickle
import pickletools
import warnings
from typing import IO, Any

import torchlike
from torchlike.serialization import _errors as errors
from torchlike.serialization import _safe_globals
from torchlike.serialization._names import modern, table

_BLOCKED = ("sys", "os", "posix", "nt")  # not even when the user calls them safe
_PLAIN = {
    "collections.OrderedDict": collections.OrderedDict,
    "collections.Counter": collections.Counter,
    "builtins.set": set,
    "builtins.bytearray": bytearray,
    "builtins.complex": complex,
    "_codecs.encode": _codecs.encode,
}
_OPCODES = (
    pickle.PROTO,
    pickle.STOP,
    pickle.GLOBAL,
    pickle.NEWOBJ,
    pickle.REDUCE,
    pickle.BUILD,
    pickle.APPEND,
    pickle.APPENDS,
    pickle.SETITEM,
    pickle.SETITEMS,
    pickle.MARK,
    pickle.TUPLE,
    pickle.TUPLE1,
    pickle.TUPLE2,
    pickle.TUPLE3,
    pickle.NONE,
    pickle.NEWFALSE,
    pickle.NEWTRUE,
    pickle.EMPTY_TUPLE,
    pickle.EMPTY_LIST,
    pickle.EMPTY_DICT,
    pickle.EMPTY_SET,
    pickle.BININT,
    pickle.BININT1,
    pickle.BININT2,
    pickle.BINFLOAT,
    pickle.BINUNICODE,
    pickle.SHORT_BINSTRING,
    pickle.LONG1,
    pickle.BINPERSID,
    pickle.BINGET,
    pickle.LONG_BINGET,
    pickle.BINPUT,
    pickle.LONG_BINPUT,
)
_MAPPINGS = (dict, collections.OrderedDict, collections.Counter)


class WeightsUnpickler(pickle._Unpickler):  # type: ignore[misc,name-defined]
    """Python's unpickler with every opcode that could reach foreign code removed or checked."""

    def __init__(self, file: IO[bytes], **options: Any) -> None:
        super().__init__(file, **options)
        self._allowed = {**_safe_globals.by_name(), **table(), **_PLAIN}

    def find_class(self, module: str, name: str) -> Any:
        module, name = modern(module, name)
        path = f"{module}.{name}"
        if module in _BLOCKED:
            raise errors.blocked_global(path, module)
        if path not in self._allowed:
            raise errors.forbidden_global(path)
        return self._allowed[path]

    def _is_allowed(self, found: Any) -> bool:
        return any(found is allowed for allowed in self._allowed.values())

    def load_proto(self) -> None:
        self.proto = self.read(1)[0]
        if self.proto != 2:
            warnings.warn(errors.protocol_warning(self.proto), stacklevel=2)

    def load_reduce(self) -> None:
        if not self._is_allowed(self.stack[-2]):
            raise errors.forbidden_call(self.stack[-2])
        super().load_reduce()

    def load_newobj(self) -> None:
        if not self._is_allowed(self.stack[-2]):
            raise errors.forbidden_new(self.stack[-2])
        super().load_newobj()

    def load_build(self) -> None:
        kind = type(self.stack[-2])
        if kind is not torchlike.nn.Parameter and not self._is_allowed(kind):
            raise errors.forbidden_build(kind)
        super().load_build()

    def load_append(self) -> None:
        if type(self.stack[-2]) is not list:
            raise errors.forbidden_append("append to", type(self.stack[-2]))
        super().load_append()

    def load_appends(self) -> None:
        if type(self.metastack[-1][-1]) is not list:
            raise errors.forbidden_append("extend", type(self.metastack[-1][-1]))
        super().load_appends()

    def load_setitem(self) -> None:
        if type(self.stack[-3]) not in _MAPPINGS:
            raise errors.forbidden_setitem("SETITEM", type(self.stack[-3]))
        super().load_setitem()

    def load_setitems(self) -> None:
        if type(self.metastack[-1][-1]) not in _MAPPINGS:
            raise errors.forbidden_setitem("SETITEMS", type(self.metastack[-1][-1]))
        super().load_setitems()

    def load_binpersid(self) -> None:
        saved = self.stack[-1]
        if type(saved) not in (tuple, int):
            raise errors.persistent_kind(type(saved))
        if type(saved) is tuple and saved and saved[0] not in ("storage", b"storage"):
            raise errors.persistent_not_storage(type(saved[0]))
        super().load_binpersid()


class _Opcodes(dict):
    """A dispatch table that refuses what it does not hold."""

    def __missing__(self, code: int) -> Any:
        raise errors.opcode(code)


def _restricted() -> _Opcodes:
    everything = pickle._Unpickler.dispatch  # type: ignore[attr-defined]
    return _Opcodes((op[0], getattr(WeightsUnpickler, everything[op[0]].__name__)) for op in _OPCODES)


WeightsUnpickler.dispatch = _restricted()


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The full names in a zip checkpoint that `load(f, weights_only=True)` would refuse."""
    from torchlike.serialization._load import open_archive

    with open_archive(f) as archive:
        if archive is None:
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        allowed = {**_safe_globals.by_name(), **table(), **_PLAIN}
        named = [arg for op, arg, _ in pickletools.genops(archive.read("data.pkl")) if op.name == "GLOBAL"]
    paths = [".".join(modern(*str(arg).split(" ", 1))) for arg in dict.fromkeys(named)]
    return [path for path in paths if path not in allowed]
