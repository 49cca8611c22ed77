"""How processes meet: the store that they share, the rank of this process and the number of processes."""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from torchlike._internal import _errors
from torchlike.distributed import _errors as errors
from torchlike.distributed._stores import FileStore, Store, TCPStore
from torchlike.distributed.constants import default_pg_timeout

Met = Iterator[tuple[Store, int, int]]
_handlers: dict[str, Callable[..., Met]] = {}
_BUILT_IN = ("env", "tcp", "file")


def register_rendezvous_handler(scheme: str, handler: Callable[..., Met]) -> None:
    """Register a function that connects processes for URLs with a scheme.

    Args:
      scheme (str): the scheme, the part of the URL before "://".
      handler (function): receives the URL, and yields the store, the rank of this process and the number of processes.

    Raises:
      RuntimeError: the scheme has a function already.

    >>> from torchlike.distributed import HashStore
    >>> register_rendezvous_handler("alone", lambda url, **options: iter([(HashStore(), 0, 1)]))
    >>> next(rendezvous("alone://"))[1:]
    (0, 1)
    """
    if scheme in _handlers or scheme in _BUILT_IN:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _handlers[scheme] = handler


def rendezvous(
    url: str, rank: int = -1, world_size: int = -1, timeout: timedelta = default_pg_timeout, **options: Any
) -> Met:
    """Return an iterator of one tuple: the store, the rank of this process and the number of processes.

    Args:
      url (str): the place at which processes meet: "env://", "tcp://host:port" or "file:///path", or a URL with a
        scheme of `register_rendezvous_handler`. A query such as "?rank=0&world_size=2" may replace the arguments
        `rank` and `world_size`.
      rank (int): the rank of this process. With "env://", the default is the variable RANK.
      world_size (int): the number of processes. With "env://", the default is the variable WORLD_SIZE.
      timeout (timedelta): the time that a process waits for the others. It has no effect for files. Default: 30
        minutes.
      **options: arguments of a registered function. Must be empty otherwise.

    Raises:
      ValueError: the rank, the number of processes, the address or the port is missing.
      RuntimeError: the URL has another scheme, or an argument has a wrong type.
    """
    if not isinstance(url, str | bytes):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    for name, given in (("rank", rank), ("world_size", world_size)):
        if not isinstance(given, numbers.Integral):
            raise RuntimeError(f"`{name}` must be an integer. {given}")
    url = url if isinstance(url, str) else url.decode()
    scheme, query = urlsplit(url).scheme, urlsplit(url).query
    given = [f"{name}={x}" for name, x in (("rank", rank), ("world_size", world_size)) if x != -1]
    if given and any(name in parse_qs(query) for name in ("rank", "world_size")):
        raise AssertionError(f"The url: {url} has node-specific arguments(rank, world_size) already.")
    if scheme in _handlers:
        query = "&".join([*filter(None, [query]), *given])
        return _handlers[scheme](urlsplit(url)._replace(query=query).geturl(), timeout=timeout, **options)
    if scheme not in _BUILT_IN:
        raise RuntimeError(f"No rendezvous handler for {scheme}://")
    for option in options:
        raise _errors.arguments.unsupported("rendezvous", option)
    return _built_in(url, rank, world_size, timeout)


def _built_in(url: str, rank: int, world_size: int, timeout: timedelta) -> Met:
    parts = urlsplit(url)
    told = {name: int(values[0]) for name, values in parse_qs(parts.query).items() if name in ("rank", "world_size")}
    rank, world_size = told.get("rank", rank), told.get("world_size", world_size)
    if parts.scheme == "env":
        rank = rank if rank >= 0 else int(variable("RANK"))
        world_size = world_size if world_size >= 0 else int(variable("WORLD_SIZE"))
        host, port = variable("MASTER_ADDR"), int(variable("MASTER_PORT"))
    else:
        if parts.scheme == "tcp" and not parts.port:
            raise errors.missing("tcp", "port number")
        if parts.scheme == "file" and not parts.path:
            raise errors.missing("file", "path")
        if rank < 0:
            raise errors.no_parameter(parts.scheme, "rank")
        if world_size < 0:
            raise errors.no_parameter(parts.scheme, "world size")
        if parts.scheme == "file":
            yield FileStore(parts.path, world_size), rank, world_size
            return
        host, port = str(parts.hostname), int(parts.port or 0)
    yield TCPStore(host, port, world_size, rank == 0, timeout, multi_tenant=True), rank, world_size


def variable(name: str) -> str:
    """Return an environment variable that "env://" needs, or raise ValueError."""
    if name not in os.environ:
        raise ValueError(
            "Error initializing torch.distributed using env:// rendezvous: "
            f"environment variable {name} expected, but not set"
        )
    return os.environ[name]
