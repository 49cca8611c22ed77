"""Where processes leave short texts for each other: within one process, in a file, or with a server."""

from __future__ import annotations

import contextlib
import json
import socket
import socketserver
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from torchlike._internal import unsupported
from torchlike.distributed import _errors as errors

Contents = dict[str, str]  # bytes are kept as the text that has these code points, which JSON can hold
_WORKERS = "init/"  # counts those that have come; PyTorch counts it among the keys and does not list it


def _set(d: Contents, key: str, value: str) -> None:
    d[key] = value


def _add(d: Contents, key: str, amount: int) -> int:
    d[key] = str(int(d.get(key, "0")) + amount)
    return int(d[key])


def _append(d: Contents, key: str, value: str) -> None:
    d[key] = d.get(key, "") + value


def _compare_set(d: Contents, key: str, expected: str, value: str) -> str:
    if key not in d and expected:
        return expected
    if d.get(key, "") == expected:
        d[key] = value
    return d[key]


def _delete(d: Contents, key: str) -> bool:
    return d.pop(key, None) is not None


def _look(d: Contents, keys: list[str]) -> list[str] | None:
    """What stands under the keys; None where one is missing."""
    return [d[key] for key in keys] if all(key in d for key in keys) else None


def _keys(d: Contents) -> list[str]:
    return list(d)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "set": _set,
    "add": _add,
    "append": _append,
    "compare_set": _compare_set,
    "delete": _delete,
    "look": _look,
    "keys": _keys,
}


class Store:
    """Keys with bytes, which several processes (or threads) see. A key that is asked for is waited for."""

    _address = "127.0.0.1"  # where others reach this process

    def __init__(self) -> None:
        self._timeout = timedelta(seconds=300)

    def _do(self, operation: str, *arguments: Any) -> Any:
        """Run one of the operations, as one act."""
        raise NotImplementedError

    def _awaited(self, keys: list[str], seconds: float) -> list[str] | None:
        """What stands under the keys, once they are set; None if they are not in time."""
        end = time.monotonic() + seconds
        while (found := self._do("look", keys)) is None and time.monotonic() < end:
            time.sleep(0.005)
        return found

    def _late(self, keys: list[str], seconds: float) -> Exception:
        return errors.not_set_in_time()

    def set(self, key: str, value: str | bytes) -> None:
        """Put a text or bytes under a key."""
        self._do("set", key, _text(value))

    def get(self, key: str) -> bytes:
        """The bytes under a key, waited for. Raises DistStoreError if they do not come in time."""
        return self.multi_get([key])[0]

    def multi_get(self, keys: list[str]) -> list[bytes]:
        """The bytes under several keys."""
        return [_bytes(found) for found in self._wait(list(keys), self._timeout)]

    def multi_set(self, keys: list[str], values: list[str] | list[bytes]) -> None:
        """Put something under several keys."""
        for key, value in zip(keys, values):
            self.set(key, value)

    def add(self, key: str, amount: int) -> int:
        """Add to the number under a key, 0 before the first time, and give the sum."""
        return self._do("add", key, int(amount))

    def append(self, key: str, value: str | bytes) -> None:
        """Put something behind what stands under a key."""
        self._do("append", key, _text(value))

    def compare_set(self, key: str, expected: str, desired: str) -> bytes:
        """Put `desired` where `expected` stands (or, if that is empty, nothing); what stands there then."""
        return _bytes(self._do("compare_set", key, _text(expected), _text(desired)))

    def wait(self, keys: list[str], timeout: timedelta | None = None) -> None:
        """Wait for keys to be set. Raises DistStoreError if they are not in time."""
        self._wait(list(keys), timeout or self._timeout)

    def _wait(self, keys: list[str], timeout: timedelta) -> list[str]:
        found = self._awaited(keys, timeout.total_seconds())
        if found is None:
            raise self._late(keys, timeout.total_seconds())
        return found

    def check(self, keys: list[str]) -> bool:
        """Whether all keys are set now."""
        return self._do("look", list(keys)) is not None

    def delete_key(self, key: str) -> bool:
        """Remove a key; whether it was there."""
        return self._do("delete", key)

    def num_keys(self) -> int:
        """How many keys there are, with those that the store keeps for itself."""
        return len(self._do("keys"))

    def list_keys(self) -> list[str]:
        """The keys that were set."""
        return [key for key in self._do("keys") if key != _WORKERS]

    def has_extended_api(self) -> bool:
        """Whether several keys can be set and read at once: yes."""
        return True

    @property
    def timeout(self) -> timedelta:
        """How long keys are waited for."""
        return self._timeout

    def set_timeout(self, timeout: timedelta) -> None:
        """Say how long keys are waited for."""
        self._timeout = timeout


def _text(value: Any) -> str:
    if not isinstance(value, str | bytes):
        raise TypeError(
            f"set(): incompatible function arguments: a key and a text or bytes, got {type(value).__name__}"
        )
    return (value.encode() if isinstance(value, str) else value).decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


class HashStore(Store):
    """A store within one process."""

    def __init__(self) -> None:
        super().__init__()
        self._contents: Contents = {}
        self._changed = threading.Condition()

    def _do(self, operation: str, *arguments: Any) -> Any:
        with self._changed:
            found = OPERATIONS[operation](self._contents, *arguments)
            self._changed.notify_all()
            return found

    def _awaited(self, keys: list[str], seconds: float) -> list[str] | None:
        with self._changed:
            self._changed.wait_for(lambda: _look(self._contents, keys) is not None, seconds)
            return _look(self._contents, keys)


class FileStore(Store):
    """A store in a file that all processes see. `world_size` is how many there are, if that is known."""

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        super().__init__()
        self.path, self._size = file_name, world_size
        self._do("add", _WORKERS, 1)

    def _do(self, operation: str, *arguments: Any) -> Any:
        with self._locked() as file:
            contents = json.loads(file.read() or "{}")
            found = OPERATIONS[operation](contents, *arguments)
            if operation not in ("look", "keys"):
                file.seek(0)
                file.truncate()
                file.write(json.dumps(contents))
            return found

    @contextlib.contextmanager
    def _locked(self) -> Iterator[Any]:
        import fcntl  # not on every system

        with open(self.path, "a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            yield file
            file.flush()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads, allow_reuse_address = True, True

    def __init__(self, port: int) -> None:
        super().__init__(("", port), _Handler)
        self.store = HashStore()
        threading.Thread(target=self.serve_forever, args=(0.02,), name="TCPStore", daemon=True).start()

    def end(self) -> None:
        """Serve no more."""
        self.shutdown()
        self.server_close()


class _Connection:
    """A client's connection, closed with it."""

    def __init__(self, made: socket.socket) -> None:
        made.settimeout(None)
        self._socket, self._file = made, made.makefile("rb")
        self.address = made.getsockname()[0]
        weakref.finalize(self, _close, self._file, made)

    def ask(self, *request: Any) -> bytes:
        """The answer as JSON; nothing where the server is gone."""
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        return self._file.readline()


def _close(*files: Any) -> None:
    for file in files:
        file.close()


class _Handler(socketserver.StreamRequestHandler):
    server: Any

    def handle(self) -> None:
        store: Any = self.server.store
        with contextlib.suppress(ConnectionError):
            for line in self.rfile:
                operation, *arguments = json.loads(line)
                answer = store._awaited(*arguments) if operation == "await" else store._do(operation, *arguments)
                self.wfile.write(json.dumps(answer).encode() + b"\n")


class TCPStore(Store):
    """A store that one process, the master, keeps for all.

    Args:
      host_name, port: where the master is; port 0 lets it choose one.
      world_size: how many processes there are; the master waits for them all (`wait_for_workers`).
      is_master: whether this process is the master.
      timeout: how long to wait for the master, and for keys.
    """

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta = timedelta(seconds=300),
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: int | None = None,
        use_libuv: bool = True,
    ) -> None:
        super().__init__()
        self.host, self._timeout, self._connections = host_name, timeout, threading.local()
        if master_listen_fd is not None:
            raise unsupported("TCPStore", "master_listen_fd")
        self._server = self._started(port, multi_tenant) if is_master else None
        if self._server:
            weakref.finalize(self, self._server.end)
        self.port = self._server.server_address[1] if self._server else port
        self._address = self._connected().address
        came = self.add(_WORKERS, 1)
        if is_master and wait_for_workers and world_size:
            end = time.monotonic() + timeout.total_seconds()
            while came < world_size and time.monotonic() < end:
                time.sleep(0.005)
                came = self.add(_WORKERS, 0)

    def _started(self, port: int, shared: bool) -> _Server | None:
        try:
            return _Server(port)
        except OSError as error:
            if shared:  # another store of this process serves there already
                return None
            raise errors.no_port(port, error) from error

    def _connected(self) -> _Connection:
        """This thread's connection: another thread may be waiting on its own."""
        made = getattr(self._connections, "made", None)
        if made is None:
            made = self._connections.made = self._dialled()
        return made

    def _dialled(self) -> _Connection:
        seconds = self._timeout.total_seconds()
        end = time.monotonic() + seconds
        while True:
            try:
                left = max(0.1, end - time.monotonic())
                return _Connection(socket.create_connection((self.host, self.port), timeout=left))
            except OSError as error:
                if time.monotonic() >= end:
                    raise errors.no_server(int(seconds * 1e3), self.host, self.port) from error
                time.sleep(0.02)

    def _do(self, operation: str, *arguments: Any) -> Any:
        try:
            answer = self._connected().ask(operation, *arguments)
        except ConnectionError:
            answer = b""
        if not answer:
            raise errors.server_gone(self.host, self.port)
        return json.loads(answer)

    def _awaited(self, keys: list[str], seconds: float) -> list[str] | None:
        return self._do("await", keys, seconds)

    def _late(self, keys: list[str], seconds: float) -> Exception:
        return errors.not_set_within(int(seconds * 1e3), keys)


class PrefixStore(Store):
    """Another store, with something before every key."""

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__()
        self._prefix, self._store, self._timeout = prefix, store, store.timeout
        self._address = store._address

    @property
    def underlying_store(self) -> Store:
        """The other store."""
        return self._store

    def _do(self, operation: str, *arguments: Any) -> Any:
        if operation == "keys":
            begin = self._prefix + "/"
            return [key.removeprefix(begin) for key in self._store._do("keys") if key.startswith(begin)]
        if operation == "look":
            return self._store._do(operation, self._full(arguments[0]))
        return self._store._do(operation, f"{self._prefix}/{arguments[0]}", *arguments[1:])

    def _full(self, keys: list[str]) -> list[str]:
        return [f"{self._prefix}/{key}" for key in keys]

    def _awaited(self, keys: list[str], seconds: float) -> list[str] | None:
        return self._store._awaited(self._full(keys), seconds)

    def _late(self, keys: list[str], seconds: float) -> Exception:
        return self._store._late(self._full(keys), seconds)
