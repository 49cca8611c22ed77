"""Process groups, and handles of asynchronous operations (`Work`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

from torchlike._internal import Connected, Layout, RankMesh
from torchlike.distributed._c10d._transport import Transport
from torchlike.distributed._stores import Store
from torchlike.futures import Future

Received = dict[int, bytearray]  # messages by the sender's rank in the group


class Work:
    """The handle of an asynchronous operation. Its results are written when `wait` is called.

    Collectives with `async_op=True`, `isend` and `irecv` make handles.

    Args:
      finish: the function that waits for the operation, writes its results and returns them. Its argument is the time
        to wait in seconds, or None.
      is_there: the function that returns whether `finish` would return without blocking.
      source (int, default -1): the global rank of the sender.
    """

    def __init__(
        self, finish: Callable[[float | None], Any], is_there: Callable[[], bool] = lambda: True, source: int = -1
    ) -> None:
        self._finish, self._is_there, self._source = finish, is_there, source
        self._is_done, self._result, self._error = False, None, None

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Wait for the operation and write its results.

        Args:
          timeout (timedelta, optional): the time to wait. Default: the timeout of the group.

        Returns:
          True.

        Raises:
          DistBackendError: the operation does not finish in time, or a process that must send a message has ended.
        """
        if not self._is_done:
            try:
                self._result = self._finish(timeout.total_seconds() if timeout else None)
            except Exception as error:
                self._error = error
                raise
            finally:
                self._is_done = True
        return True

    def synchronize(self) -> None:
        """Wait for the operation, as `wait` does."""
        self.wait()

    def is_completed(self) -> bool:
        """Return whether `wait` would return without blocking."""
        return self._is_done or self._is_there()

    def is_success(self) -> bool:
        """Return whether the operation finished without an error."""
        return self._is_done and self._error is None

    def exception(self) -> Exception | None:
        """Return the error of the operation, or None."""
        return self._error

    def result(self) -> Any:
        """Return the tensors that the operation wrote, or None before `wait`."""
        return self._result

    def source_rank(self) -> int:
        """Return the global rank of the sender of the received message, or -1 before `wait`."""
        return self._source

    def get_future(self) -> Future:
        """Return a future that contains the result. This call waits for the operation."""
        future: Future = Future()
        self.wait()
        future.set_result(self._result)
        return future


class ProcessGroup(Connected):
    """A group of processes that exchange messages. The tags of the messages contain the group's name.

    `init_process_group` and `new_group` create groups. All members must call the same operations in the same order.

    Args:
      transport: the messages of this process.
      ranks (iterable of ints): the global ranks of the members.
      name (str): the name of the group, which is the same in all members.
      backend (str): the name of the backend.
      seconds (float): the time that a member waits for the others, in seconds.
      store (Store): the store that the members share.
      description (str): the text in `group_desc`. Default: "undefined".
      bound_device_id: the device of this process. It does not affect the computation.
      identity (str): the name that distinguishes this group from earlier groups of the same name. Default: `name`.
    """

    def __init__(
        self,
        transport: Transport,
        ranks: Iterable[int],
        name: str,
        backend: str,
        seconds: float,
        store: Store,
        description: str = "",
        bound_device_id: Any = None,
        identity: str = "",
    ) -> None:
        self._transport, self._ranks, self._seconds, self._store = transport, list(ranks), seconds, store
        self._backend, self.group_name, self.group_desc = backend, name, description or "undefined"
        self.bound_device_id = bound_device_id
        self._rank = self._ranks.index(transport.rank)
        self._count = 0
        self._meshes: dict[Any, RankMesh] = {}
        self._layouts: list[Layout] = []  # the device meshes of several dims of which the group is a part
        self._identity = identity or name

    def mesh(self, device: Any) -> RankMesh:
        """Return the mesh of the group: this device of this process, and one device of each other member."""
        found = self._meshes.get(device)
        if found is None:
            grids = lambda device: [layout.grid(device) for layout in self._layouts]
            found = RankMesh(self._identity, self._ranks, self._ranks[self._rank], device, self._seconds, grids)
            self._meshes[device] = found
        return found

    def rank(self) -> int:
        """Return the rank of this process in the group."""
        return self._rank

    def size(self) -> int:
        """Return the number of members."""
        return len(self._ranks)

    def name(self) -> str:
        """Return the name of the backend."""
        return self._backend

    def get_group_store(self) -> Store:
        """Return the store that the members share."""
        return self._store

    def post(self, outgoing: Mapping[int, Any], sources: Iterable[int], finish: Callable[[Received], Any]) -> Work:
        """Send messages to members, and return a `Work` that waits for one message from each of `sources`.

        `outgoing` maps ranks in the group to messages. `finish` computes the result from the received messages.
        """
        self._count += 1
        tag, sources = f"{self.group_name}#{self._count}", list(sources)
        for to, message in outgoing.items():
            self._transport.send(self._ranks[to], tag, message)

        def receive(seconds: float | None) -> Any:
            allowed = seconds or self._seconds
            return finish({r: self._transport.receive([self._ranks[r]], tag, allowed)[1] for r in sources})

        return Work(receive, lambda: all(self._transport.has_message(self._ranks[r], tag) for r in sources))

    def swap(self, outgoing: Mapping[int, Any], sources: Iterable[int], seconds: float | None = None) -> Received:
        """Send messages, wait for one message from each of `sources`, and return the received messages."""
        work = self.post(outgoing, sources, dict)
        work.wait(timedelta(seconds=seconds) if seconds else None)
        return work.result()

    def share(self, message: Any) -> Received:
        """Send a message to all members, and return the messages of all members."""
        return self.swap(dict.fromkeys(range(self.size()), message), range(self.size()))

    def send(self, to: int, tag: int, message: Any) -> None:
        """Send a message to one member, which reads it with `receive`."""
        self._transport.send(self._ranks[to], f"{self.group_name}>{tag}", message)

    def receive(self, source: int | None, tag: int, seconds: float | None = None) -> tuple[int, bytearray]:
        """Wait for a message with this tag. Return the sender's rank in the group and the message.

        The message comes from `source`, or from any other member if `source` is None.
        """
        own = self._ranks[self._rank]
        senders = [rank for rank in self._ranks if rank != own] if source is None else [self._ranks[source]]
        rank, message = self._transport.receive(senders, f"{self.group_name}>{tag}", seconds or self._seconds)
        return self._ranks.index(rank), message

    def has_message(self, source: int, tag: int) -> bool:
        """Return whether a message with this tag has arrived from `source`."""
        return self._transport.has_message(self._ranks[source], f"{self.group_name}>{tag}")
