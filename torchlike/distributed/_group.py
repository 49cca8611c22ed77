"""Groups of processes, and work between them that may not have ended yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

from torchlike.distributed._mail import Mail
from torchlike.distributed._stores import Store
from torchlike.futures import Future

Received = dict[int, bytearray]  # by the sender's rank in the group


class Work:
    """An exchange under way. What it writes is there once it was waited for."""

    def __init__(
        self, finish: Callable[[float | None], Any], is_there: Callable[[], bool] = lambda: True, source: int = -1
    ) -> None:
        self._finish, self._is_there, self._source = finish, is_there, source
        self._is_done, self._result, self._error = False, None, None

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Wait for the exchange, and write its results. Raises DistBackendError where another process has ended."""
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
        """The same."""
        self.wait()

    def is_completed(self) -> bool:
        """Whether waiting would end at once."""
        return self._is_done or self._is_there()

    def is_success(self) -> bool:
        """Whether it has ended well."""
        return self._is_done and self._error is None

    def exception(self) -> Exception | None:
        """What went wrong."""
        return self._error

    def result(self) -> Any:
        """The tensors that were written."""
        return self._result

    def source_rank(self) -> int:
        """Whose message was received."""
        return self._source

    def get_future(self) -> Future:
        """A future that holds the result. It is waited for here and now."""
        future: Future = Future()
        self.wait()
        future.set_result(self._result)
        return future


class ProcessGroup:
    """Processes of the world that exchange messages under a name of their own.

    Groups are made by `init_process_group` and `new_group`. All members must make the same calls in the same order.
    """

    def __init__(
        self,
        mail: Mail,
        ranks: Iterable[int],
        name: str,
        backend: str,
        seconds: float,
        store: Store,
        description: str = "",
        bound_device_id: Any = None,
    ) -> None:
        self._mail, self._ranks, self._seconds, self._store = mail, list(ranks), seconds, store
        self._backend, self.group_name, self.group_desc = backend, name, description or "undefined"
        self.bound_device_id = bound_device_id
        self._rank = self._ranks.index(mail.rank)
        self._count = 0

    def rank(self) -> int:
        """This process's rank in the group."""
        return self._rank

    def size(self) -> int:
        """How many members there are."""
        return len(self._ranks)

    def name(self) -> str:
        """The name of the backend."""
        return self._backend

    def get_group_store(self) -> Store:
        """The store that the members share."""
        return self._store

    def post(self, outgoing: Mapping[int, Any], sources: Iterable[int], finish: Callable[[Received], Any]) -> Work:
        """Send messages to members, by their ranks in the group, and expect one of each of `sources`; once they are
        there, `finish` says what becomes of them."""
        self._count += 1
        tag, sources = f"{self.group_name}#{self._count}", list(sources)
        for to, message in outgoing.items():
            self._mail.send(self._ranks[to], tag, message)

        def receive(seconds: float | None) -> Any:
            allowed = seconds or self._seconds
            return finish({r: self._mail.receive([self._ranks[r]], tag, allowed)[1] for r in sources})

        return Work(receive, lambda: all(self._mail.is_there(self._ranks[r], tag) for r in sources))

    def swap(self, outgoing: Mapping[int, Any], sources: Iterable[int], seconds: float | None = None) -> Received:
        """Send messages, and wait for one of each of `sources`."""
        work = self.post(outgoing, sources, dict)
        work.wait(timedelta(seconds=seconds) if seconds else None)
        return work.result()

    def share(self, message: Any) -> Received:
        """Send a message to all members, and wait for theirs."""
        return self.swap(dict.fromkeys(range(self.size()), message), range(self.size()))

    def send(self, to: int, tag: int, message: Any) -> None:
        """Send a message to one member, for its `receive`."""
        self._mail.send(self._ranks[to], f"{self.group_name}>{tag}", message)

    def receive(self, source: int | None, tag: int, seconds: float | None = None) -> tuple[int, bytearray]:
        """A message of one member (None: of any other) under this tag, and its rank in the group."""
        own = self._ranks[self._rank]
        among = [rank for rank in self._ranks if rank != own] if source is None else [self._ranks[source]]
        rank, message = self._mail.receive(among, f"{self.group_name}>{tag}", seconds or self._seconds)
        return self._ranks.index(rank), message

    def has_mail(self, source: int, tag: int) -> bool:
        """Whether a message waits."""
        return self._mail.is_there(self._ranks[source], f"{self.group_name}>{tag}")
