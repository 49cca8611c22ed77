"""JAX's coordination service as a process of its own: `python coordinator.py PROCESSES HEARTBEAT`.

Rank 0 starts it. A service inside of rank 0 would end with rank 0, and the runtime of the other ranks would then abort
them before they could report which rank was lost.

The process prints two ports. The first is the port of the service. The second accepts one connection from each rank,
which the rank keeps open while it is a member. A rank first sends its number. When its connection closes, its number is
sent to all other ranks, so that they need not wait for a heartbeat. The process ends after the last rank.

This file imports only `jaxlib`, which takes a fraction of the time of `import jax`.
"""

import contextlib
import select
import socket
import sys
from collections.abc import Iterable

from jaxlib import _jax  # pyright: ignore[reportAttributeAccessIssue]

NUMBER = 4  # bytes of a rank's number


def main(size: int, heartbeat: int) -> None:
    """Serve until no rank is connected."""
    with socket.create_server(("", 0), backlog=size) as listener:
        with socket.socket() as free:
            free.bind(("", 0))
            port = free.getsockname()[1]
        service = _jax.get_distributed_runtime_service(
            f"[::]:{port}", size, heartbeat_timeout=heartbeat, shutdown_timeout=1, recoverable=True
        )
        print(port, listener.getsockname()[1], flush=True)
        _wait(listener)
        service.shutdown()


def _wait(listener: socket.socket) -> None:
    """Wait until the standard input and all connections are closed. The end of rank 0 closes the standard input."""
    ranks: dict[socket.socket, bytes] = {}
    opened: list = [listener, sys.stdin]
    while opened != [listener]:
        for source in select.select(opened, [], [])[0]:
            if source is listener:
                connection = listener.accept()[0]
                ranks[connection] = connection.recv(NUMBER, socket.MSG_WAITALL)
                opened.append(connection)
            elif source is sys.stdin or not _is_open(source):
                opened.remove(source)
                _report_end(ranks.keys(), ranks.pop(source, b""))


def _is_open(connection: socket.socket) -> bool:
    try:
        return bool(connection.recv(1))
    except OSError:
        return False


def _report_end(connections: Iterable[socket.socket], rank: bytes) -> None:
    """Send the number of a rank that has ended to the other ranks."""
    for connection in connections:
        with contextlib.suppress(OSError):
            connection.sendall(rank)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
