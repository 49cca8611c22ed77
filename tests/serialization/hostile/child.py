"""Load files in forked processes with resource limits and an audit hook, and compare the results with the files."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import struct
import sys
import warnings
import zipfile
from typing import Any, NamedTuple

import numpy as np

MEMORY = 2 << 30  # bytes, in addition to the memory of the process
SECONDS = 10  # of CPU time
PATIENCE = 120  # of wall-clock time; generous, because other programs may use the processor

REFUSED, LOADED, CRASHED, OVER, EXECUTED, FOREIGN = (
    "refused",
    "loaded",
    "crashed",
    "over the limits",
    "executed something",
    "loaded other data",
)


class Outcome(NamedTuple):
    """The outcome of loading one file."""

    kind: str
    detail: str


_PYTORCHS = (  # the beginnings of PyTorch's messages, which need not be one sentence
    "Weights only load failed. In PyTorch 2.6",
    "Weights only load failed. This file can still be loaded",
    "Cannot use ``weights_only=True`` with TorchScript",
    "don't know how to restore data location of",
    "Attempting to deserialize object on",
    "saved_id must be a tuple",
    "Expected hasRecord(",
    "file in archive is not in a subdirectory",
    "Invalid magic number; corrupt file?",
    "Invalid protocol version",
    "this is not a file that torch.save wrote",
    "mmap cannot be used with a compressed checkpoint",
)
_ALIEN = re.compile(
    "index out of range|out of bounds|unpack requires|invalid literal|NoneType|has no attribute|subscriptable|"
    "unhashable type|[Nn]um[Pp]y|\\bjax|zipfile|struct|pickle data|codec can't|positional argument|keyword argument|"
    "reshape|broadcast|mmap length|BadZip|zlib|object is not|must be (str|int|real)|Traceback|negative dimensions"
)
_QUOTED = re.compile(r"GLOBAL \S+|safe_globals\(\[\S*\]\)|<class '[\w.]+'>|calls \w+ with|\[\S+\]|whose module \w+")
_WATCHED = ("exec", "compile", "import", "open", "marshal.loads", "code.__new__", "function.__new__", "sys.settrace")
_WATCHED_ROOMS = (
    "subprocess.",
    "socket.",
    "shutil.",
    "ctypes.",
    "urllib.",
    "pty.",
    "ftplib.",
    "webbrowser.",
    "tempfile.",
)
_OS = frozenset(
    {"system", "exec", "fork", "forkpty", "posix_spawn", "spawn", "kill", "putenv"}
    | {"remove", "rename", "mkdir", "rmdir", "chmod", "chown", "link", "symlink", "truncate", "unlink"}
)


class Watch:
    """An audit hook that records every event by which a file could do more than create data."""

    def __init__(self) -> None:
        self.on = False
        self.seen: list[str] = []
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple) -> None:
        if not self.on:
            return
        room, _, name = event.partition(".")
        if event == "open" and not _writes(args):
            return
        if event in _WATCHED or event.startswith(_WATCHED_ROOMS) or (room == "os" and name in _OS):
            self.seen.append(f"{event} {str(args[:1])[:100]}")


def _writes(args: tuple) -> bool:
    mode, flags = (*args[1:], None, None)[:2]
    wanted = os.O_WRONLY | os.O_RDWR | os.O_CREAT
    return any(c in str(mode or "") for c in "wax+") or bool(isinstance(flags, int) and flags & wanted)


def attempts(load: Any, files: list[tuple[str, dict]], canary: str) -> list[Outcome]:
    """Load files one after the other in forked processes, and return the outcome of each.

    Each file is a path and the options for `load`. If a process dies, this counts as the outcome of the file that it
    was loading. A new process continues with the next file.
    """
    found: list[Outcome] = []
    while len(found) < len(files):
        found += _in_one_process(load, files[len(found) :], canary)
    return found


def _in_one_process(load: Any, files: list[tuple[str, dict]], canary: str) -> list[Outcome]:
    source, sink = os.pipe()
    child = os.fork()
    if not child:
        os.close(source)
        _child(load, files, sink, canary)
    os.close(sink)
    with os.fdopen(source, "rb") as file:
        found = [Outcome(*json.loads(line)) for line in file]
    _, status = os.waitpid(child, 0)
    if status:
        found.append(_death(status))
    if os.path.exists(canary):
        os.unlink(canary)
        found[-1] = Outcome(EXECUTED, "the canary file was written")
    return found


def _death(status: int) -> Outcome:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        over = number in (signal.SIGPROF, signal.SIGALRM)
        return Outcome(OVER, "time") if over else Outcome(CRASHED, f"signal {number}")
    return Outcome(CRASHED, f"exit {status}")


def _child(load: Any, files: list[tuple[str, dict]], sink: int, canary: str) -> None:
    code = 1
    try:
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        watch = Watch()
        _limit_memory()
        for path, options in files:
            _limit_time()
            outcome = _guarded(load, path, options, watch)
            if os.path.exists(canary):
                outcome = Outcome(EXECUTED, "the canary file was written")
                os.unlink(canary)
            os.write(sink, json.dumps((outcome.kind, outcome.detail[:600])).encode() + b"\n")
            if outcome.kind not in (REFUSED, LOADED):
                break  # the next file gets a fresh process
        code = 0
    finally:
        os._exit(code)


def _guarded(load: Any, path: str, options: dict, watch: Watch) -> Outcome:
    try:
        return _outcome(load, path, options, watch)
    except MemoryError:
        return Outcome(OVER, "memory")
    except BaseException as e:
        return Outcome(CRASHED, f"{type(e).__name__}: {e}")
    finally:
        watch.on = False


def _limit_memory() -> None:
    with open("/proc/self/statm") as file:
        held = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, held + MEMORY))


def _limit_time() -> None:
    for number, timer, seconds in (
        (signal.SIGPROF, signal.ITIMER_PROF, SECONDS),
        (signal.SIGALRM, signal.ITIMER_REAL, PATIENCE),
    ):
        signal.signal(number, signal.SIG_DFL)
        signal.setitimer(timer, seconds)


def _outcome(load: Any, path: str, options: dict, watch: Watch) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        watch.seen.clear()
        watch.on = True
        try:
            made = load(path, **options)
        except MemoryError:
            raise
        except Exception as e:
            if "DefaultCPUAllocator: can't allocate memory" in str(e):
                raise MemoryError from None
            watch.on = False
            outcome = classify(e, path)
        else:
            watch.on = False
            wrong = foreign(made, path)
            outcome = Outcome(FOREIGN, wrong) if wrong else Outcome(LOADED, "")
    return Outcome(EXECUTED, "; ".join(watch.seen[:5])) if watch.seen else outcome


def classify(error: Exception, path: str) -> Outcome:
    """Classify an exception as an intended refusal or as a crash."""
    from pickle import UnpicklingError

    said = "\n".join([str(error), *getattr(error, "__notes__", ())])
    shown = f"{type(error).__name__}: {said}"[:600]
    kinds = (UnpicklingError, RuntimeError, ValueError, NotImplementedError, AssertionError)
    if type(error) not in kinds and not isinstance(error, UnpicklingError):
        return Outcome(CRASHED, shown)
    if _ALIEN.search(_QUOTED.sub("", said.replace(path, ""))) or len(said) > 3000:
        return Outcome(CRASHED, f"foreign text: {shown}")
    if path not in said:
        return Outcome(CRASHED, f"does not name the file: {shown}")
    if not str(error).startswith(_PYTORCHS) and ("\n" in str(error) or not str(error).endswith(".")):
        return Outcome(CRASHED, f"no sentence: {shown}")
    return Outcome(REFUSED, shown)


def foreign(made: Any, path: str) -> str:
    """Describe a part of the result that does not come from the file. Return "" if there is none."""
    payloads: set[bytes] | None = None
    with open(path, "rb") as file:
        content = file.read()
    for tensor in tensors(made):
        if tensor.device.type == "meta":
            continue
        flat = _storage(tensor)
        size, stride = tuple(tensor.shape), tuple(tensor.stride())
        end = tensor.storage_offset() + sum((n - 1) * s for n, s in zip(size, stride)) + 1
        if tensor.numel() and (end > flat.size or min((*stride, tensor.storage_offset(), 0)) < 0):
            return f"a tensor of size {size} and stride {stride} reaches beyond {flat.size} elements"
        if payloads is None:
            payloads = _payloads(path) if content[:4] == b"PK\3\4" else set()
        if not _is_of_file(flat, content, payloads) and not _is_conjugate(flat, payloads):
            return f"a storage of {flat.nbytes} bytes is no record of the file"
    return ""


def _storage(tensor: Any) -> np.ndarray:
    from torchlike._tensor.storage_io import storage_of

    return storage_of(tensor)[1]


def _payloads(path: str) -> set[bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            return {_payload(archive, info) for info in archive.infolist() if "/data/" in info.filename}
    except Exception:
        return set()


def _payload(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Read a record. The checksum of an uncompressed record is not verified, as with mmap."""
    if info.compress_type != zipfile.ZIP_STORED:
        try:
            return archive.read(info)
        except Exception:
            return b""
    file: Any = archive.fp
    file.seek(info.header_offset + 26)
    file.seek(sum(struct.unpack("<2H", file.read(4))), 1)
    return file.read(info.file_size)


def _is_of_file(flat: np.ndarray, content: bytes, payloads: set[bytes]) -> bool:
    part = flat.itemsize // 2 if flat.dtype.kind == "c" else flat.itemsize
    data = np.ascontiguousarray(flat).reshape(-1).view(np.uint8)
    for seen in (data, data.reshape(-1, part)[:, ::-1].reshape(-1)):
        found = seen.tobytes()
        if not found or found in payloads:
            return True
        if not payloads and content[:4] != b"PK\3\4" and found in content:
            return True
        # An untyped record may contain bytes after the last element.
        if any(record.startswith(found) and len(record) - len(found) < flat.itemsize for record in payloads):
            return True
    return False


def _is_conjugate(flat: np.ndarray, payloads: set[bytes]) -> bool:
    """Return whether a small storage was computed on loading. PyTorch saves lazy conjugates and negatives as a flag."""
    if flat.dtype.kind not in "cf" or flat.size > 16:
        return False
    words = {record[i : i + flat.itemsize] for record in payloads for i in range(0, len(record), 4)}
    return all(any(x.tobytes() in words for x in (-one, one.conj(), -one.conj())) for one in flat)


def tensors(made: Any) -> list:
    """Return every strided tensor in a result."""
    import torchlike
    from torchlike.storage import TypedStorage

    found, todo, seen = [], [made], set()
    while todo:
        item = todo.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, TypedStorage):
            item = item._tensor
        if isinstance(item, torchlike.Tensor):
            todo.extend(item.__dict__.values())
            if hasattr(type(item), "_local_tensor"):  # a DTensor: its shape and strides are those of the global tensor
                todo.append(item._local_tensor)
                repr(item)  # raises if the parts do not agree
            elif item.layout is torchlike.strided:
                found.append(item)
            elif item.layout is torchlike.sparse_coo:
                todo += [item._indices(), item._values()]
            else:
                rows = item.layout is torchlike.sparse_csr
                todo += [item.crow_indices(), item.col_indices()] if rows else [item.ccol_indices(), item.row_indices()]
                todo.append(item.values())
        elif isinstance(item, dict):
            todo += [*item.keys(), *item.values(), *getattr(item, "__dict__", {}).values()]
        elif isinstance(item, list | tuple | set):
            todo += item
    return found
