"""Free ports, and the store that a launcher runs."""

from __future__ import annotations

import os
import socket
from contextlib import closing
from datetime import timedelta

from torchlike.distributed import TCPStore

from .logging import get_logger
from .store import barrier

logger = get_logger(__name__)


def create_c10d_store(
    is_server: bool,
    server_addr: str,
    server_port: int = -1,
    world_size: int = 1,
    timeout: float = 600,
    wait_for_workers: bool = True,
    retries: int = 3,
    use_libuv: bool | None = None,
) -> TCPStore:
    """Return a store that processes share.

    Args:
      is_server: whether this process runs the store.
      server_addr (str): the host of the store.
      server_port (int): its port. Default: a free port.
      world_size (int): the number of processes.
      timeout (float): the time to wait in seconds.
      wait_for_workers: wait for all processes.
      retries (int): how often another free port is tried.
      use_libuv: has no effect, except for a warning in the log.

    Raises:
      ValueError: there are several processes, and no port is given.
      RuntimeError: the port is in use.
    """
    if use_libuv is not None:
        logger.warning(
            "argument use_libuv is deprecated and ignored. Set USE_LIBUV environment "
            'variable to "0" to disable libuv, or "1" to enable it. If the env var '
            "is not set, libuv will be used by default."
        )
    if server_port == -1 and world_size > 1:
        raise ValueError(
            f"server_port must be specified when world_size > 1, got server_port={server_port}, world_size={world_size}"
        )
    for attempt in range(1 if server_port != -1 else max(retries, 1)):
        port = get_free_port() if server_port == -1 else server_port
        try:
            store = TCPStore(
                server_addr,
                port,
                world_size,
                is_server,
                timedelta(seconds=timeout),
                wait_for_workers=wait_for_workers,
                use_libuv=os.environ.get("USE_LIBUV", "1") == "1",
            )
        except RuntimeError as error:
            if "in use" not in str(error):
                raise
            if server_port != -1 or attempt == max(retries, 1) - 1:
                raise RuntimeError(f"on {server_addr}, port: {port} already in use") from error
            continue
        if wait_for_workers:
            barrier(store, world_size, key_prefix="_tcp_store/num_members", barrier_timeout=timeout)
        return store
    raise AssertionError("unreachable: the last attempt returns or raises")


def get_free_port() -> int:
    """Return a port of this machine that is free. Another process may take it."""
    with closing(get_socket_with_port()) as found:
        return found.getsockname()[1]


def get_socket_with_port() -> socket.socket:
    """Return a socket that is bound to a free port of this machine.

    Raises:
      RuntimeError: no socket could be bound.
    """
    for family, kind, protocol, _, _ in socket.getaddrinfo("localhost", None, 0, socket.SOCK_STREAM):
        made = socket.socket(family, kind, protocol)
        try:
            made.bind(("localhost", 0))
            made.listen(0)
        except OSError as error:
            made.close()
            logger.warning("Socket creation attempt failed.", exc_info=error)
        else:
            return made
    raise RuntimeError("Failed to create a socket")
