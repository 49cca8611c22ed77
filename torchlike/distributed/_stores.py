"""Key-value stores for short strings that processes share: in memory, in a file, or on a TCP server."""

from __future__ import annotations

import contextlib
import json
import socket
import socketserver
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Any

from torchlike._internal import Connected, unsupported
from torchlike.distributed import _errors as errors

Contents = dict[str, str]  # bytes are decoded as Latin-1, which JSON can represent
_WORKERS = "init/"  # the key of the number of connected workers, which `num_keys` counts and `list_keys` omits


def _set(d: Contents, key: str, value: str) -> None:
    d[key] = value


def _add(d: Contents, key: str, amount: int) -> int:
    try:
        d[key] = str(int(d.get(key, "0")) + amount)
    except ValueError:
        raise errors.not_a_number(key) from None
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
    """Return the values of the keys, or None if a key is missing."""
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


class Store(Connected):
    """A key-value store that several processes (or threads) share. Reading a key waits until it is set."""

    _address = "127.0.0.1"  # the address under which other processes reach this one

    def __init__(self) -> None:
        self._timeout = timedelta(seconds=300)

    def _do(self, operation: str, *arguments: Any) -> Any:
        """Run one of the `OPERATIONS` atomically."""
        raise NotImplementedError

    def _awaited(self, keys: list[str], seconds: float) -> list[str] | None:
        """Return the values of the keys once all are set, or None after the timeout."""
        end = time.monotonic() + seconds
        while (found := self._do("look", keys)) is None and time.monotonic() < end:
            time.sleep(0.005)
        return found

    def _late(self, keys: list[str], seconds: float) -> Exception:
        return errors.not_set_in_time()

    def set(self, key: str, value: str | bytes) -> None:
        """Set the value of a key.

        Args:
          key (str): the key.
          value (str or bytes): the value.

        Raises:
          TypeError: the value has another type.
        """
        self._do("set", _key("set", key), _text("set", value))

    def get(self, key: str) -> bytes:
        """Wait until a key is set, and return its value as bytes.

        Args:
          key (str): the key.

        Raises:
          DistStoreError: the key is not set in time.
        """
        return self.multi_get([_key("get", key)])[0]

    def multi_get(self, keys: list[str]) -> list[bytes]:
        """Wait until several keys are set, and return their values as bytes.

        Args:
          keys (list of str): the keys.

        Raises:
          DistStoreError: the keys are not set in time.
        """
        return [_bytes(found) for found in self._wait(_keys_of("multi_get", keys), self.timeout)]

    def multi_set(self, keys: list[str], values: list[str] | list[bytes]) -> None:
        """Set the values of several keys, one after the other.

        Args:
          keys (list of str): the keys.
          values (list of str or bytes): the value of each key.
        """
        for key, value in zip(keys, values):
            self.set(key, value)

    def add(self, key: str, amount: int) -> int:
        """Add a number to the number stored under a key, initially 0, and return the sum.

        Args:
          key (str): the key.
          amount (int): the number.

        >>> import torchlike as torch
        >>> store = torch.distributed.HashStore()
        >>> store.add("count", 2), store.add("count", 3)
        (2, 5)
        """
        return self._do("add", _key("add", key), int(amount))

    def append(self, key: str, value: str | bytes) -> None:
        """Append a string or bytes to the value of a key, which is initially empty.

        Args:
          key (str): the key.
          value (str or bytes): the text.
        """
        self._do("append", _key("append", key), _text("append", value))

    def compare_set(self, key: str, expected: str, desired: str) -> bytes:
        """Set a key to `desired` if its value is `expected`, or if it is not set and `expected` is empty.

        Args:
          key (str): the key.
          expected (str): the value that is replaced.
          desired (str): the new value.

        Returns:
          The value of the key after the operation, or `expected` if the key is still not set.
        """
        values = [_text("compare_set", value) for value in (expected, desired)]
        return _bytes(self._do("compare_set", _key("compare_set", key), *values))

    def wait(self, keys: list[str], timeout: timedelta | None = None) -> None:
        """Wait until the keys are set.

        Args:
          keys (list of str): the keys.
          timeout (timedelta, optional): the time to wait. Default: `timeout` of the store.

        Raises:
          DistStoreError: the keys are not set in time.
        """
        self._wait(_keys_of("wait", keys), timeout or self.timeout)

    def _wait(self, keys: list[str], timeout: timedelta) -> list[str]:
        found = self._awaited(keys, timeout.total_seconds())
        if found is None:
            raise self._late(keys, timeout.total_seconds())
        return found

    def check(self, keys: list[str]) -> bool:
        """Return whether all keys are set.

        Args:
          keys (list of str): the keys.
        """
        return self._do("look", _keys_of("check", keys)) is not None

    def delete_key(self, key: str) -> bool:
        """Delete a key, and return whether it existed.

        Args:
          key (str): the key.
        """
        return self._do("delete", _key("delete_key", key))

    def num_keys(self) -> int:
        """Return the number of keys, including the store's internal keys."""
        return len(self._do("keys"))

    def list_keys(self) -> list[str]:
        """Return the keys that were set, without the store's internal keys."""
        return [key for key in self._do("keys") if key != _WORKERS]

    def has_extended_api(self) -> bool:
        """Return True: several keys can be set and read in one call."""
        return True

    @property
    def timeout(self) -> timedelta:
        """The maximum time to wait for keys."""
        return self._timeout

    def set_timeout(self, timeout: timedelta) -> None:
        """Set the maximum time to wait for keys.

        Args:
          timeout (timedelta): the time.
        """
        self._timeout = timeout


def _key(function: str, key: Any) -> str:
    if not isinstance(key, str):
        raise errors.store_arguments(function, "the key must be a text", key)
    return key


def _keys_of(function: str, keys: Any) -> list[str]:
    """Return the keys as a list. A text is not a list of keys."""
    if isinstance(keys, str | bytes) or not isinstance(keys, Iterable):
        raise errors.store_arguments(function, "the keys must be a list of texts", keys)
    return [_key(function, key) for key in keys]


def _text(function: str, value: Any) -> str:
    if not isinstance(value, str | bytes):
        raise errors.store_arguments(function, "the value must be a text or bytes", value)
    return (value.encode() if isinstance(value, str) else value).decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


class HashStore(Store):
    """A store in the memory of one process, which its threads share."""

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
    """A store in a file that all processes can access.

    Args:
      file_name (str): the path. The file is created if it does not exist, and is not deleted.
      world_size (int): has no effect: processes are not counted.
    """

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
        import fcntl  # not available on every system

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
        """Stop the server."""
        self.shutdown()
        self.server_close()


class _Connection:
    """A client's connection, which is closed when this object is garbage-collected."""

    def __init__(self, made: socket.socket) -> None:
        made.settimeout(None)
        self._socket, self._file = made, made.makefile("rb")
        self.address = made.getsockname()[0]
        weakref.finalize(self, _close, self._file, made)

    def ask(self, *request: Any) -> bytes:
        """Send a request and return the response as JSON, or empty bytes if the server has closed the connection."""
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
                try:
                    answer = store._awaited(*arguments) if operation == "await" else store._do(operation, *arguments)
                except ValueError as error:
                    answer = {"error": str(error)}
                self.wfile.write(json.dumps(answer).encode() + b"\n")


class TCPStore(Store):
    """A store on a TCP server, which one process (the master) runs.

    Args:
      host_name, port: the address of the master. With port 0, the master uses a free port.
      world_size: the number of processes. If `wait_for_workers` is True, the master waits until all have connected.
      is_master: whether this process is the master.
      timeout: the maximum time to wait for the master, for the workers and for keys.
      wait_for_workers: let the constructor of the master wait for the other processes.
      multi_tenant: let the master use the server that already listens on the port, if there is one.
      master_listen_fd: must be None. A socket that is already open is not supported.
      use_libuv: has no effect, because the server is written in Python.

    Raises:
      DistNetworkError: the master cannot listen on the port, or cannot be reached in time.

    >>> import torchlike as torch
    >>> store = torch.distributed.TCPStore("127.0.0.1", 0, world_size=1, is_master=True)
    >>> store.set("key", "value")
    >>> store.get("key")
    b'value'
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
            if shared:  # another store of this process already runs the server
                return None
            raise errors.no_port(port, error) from error

    def _connected(self) -> _Connection:
        """Return the connection of this thread. Each thread has its own, because a request may block."""
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
        found = json.loads(answer)
        if isinstance(found, dict):
            raise ValueError(found["error"])
        return found

    def _awaited(self, keys: list[str], seconds: float) -> list[str] | None:
        return self._do("await", keys, seconds)

    def _late(self, keys: list[str], seconds: float) -> Exception:
        return errors.not_set_within(int(seconds * 1e3), keys)


class PrefixStore(Store):
    """A view of another store that adds a prefix to every key.

    Args:
      prefix (str): the prefix. The key `k` is stored as `prefix/k`.
      store (Store): the store. Its timeout is that of the view.

    >>> import torchlike as torch
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.PrefixStore("run", store).set("key", "value")
    >>> store.get("run/key")
    b'value'
    """

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__()
        self._prefix, self._store = prefix, store
        self._address = store._address

    @property
    def underlying_store(self) -> Store:
        """The store that contains the keys with their prefix."""
        return self._store

    @property
    def timeout(self) -> timedelta:
        """The maximum time to wait for keys, which is that of the underlying store."""
        return self._store.timeout

    def set_timeout(self, timeout: timedelta) -> None:
        """Set the maximum time to wait for keys, in the underlying store.

        Args:
          timeout (timedelta): the time.
        """
        self._store.set_timeout(timeout)

    def num_keys(self) -> int:
        """Return the number of keys of the underlying store."""
        return self._store.num_keys()

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
