"""The agreement of the members of a group on their next program.

A program with collectives runs only if all members run the same program. Scripts do not guarantee this: one rank may
read a value earlier than the others, or have a smaller last batch. Before each such program, its members exchange a
digest of the program through the coordination service. If the digests are equal, each member runs the program.
Otherwise, each member runs its own operators one by one, and each collective as a program of its own, which depends
only on the kind, the shapes and the dtypes.

A meeting has the number of the next collective of the group. This number is the same for all members, because all
members of a group call the same collectives in the same order.
"""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from torchlike._engine.ranks.processes import Lost, processes
from torchlike._errors import ranks as errors

if TYPE_CHECKING:
    from torchlike._engine.ranks.grid import Grid

_COMPILES = "compiles"  # the key of a rank that compiles
MOST_SAID = 256  # keys of a process in the meetings of a grid; others wait for one of the latest of them
_SLICE = 0.5  # seconds of a wait that no signal handler interrupts


class DifferentProgram(Exception):
    """Raised before a program runs if the members of the group are about to run different programs."""


class Proposal(NamedTuple):
    """What a member is about to run.

    Attributes:
      digest: a digest of the program.
      collective: the first collective, with shapes and dtypes.
      place: a line of the script that called a collective of the program.
    """

    digest: str
    collective: str
    place: str


class Meetings:
    """The meetings of one group.

    Attributes:
      number: the number of the next collective.
      place: the line of the latest recorded collective.
      differed: whether the members disagreed at the next collective. It then runs as a program of its own.
      reports: how often the programs of the members differed, by line and rank, for `explain()`.
    """

    def __init__(
        self,
        name: str,
        ranks: tuple[int, ...],
        own: int,
        seconds: float,
        grids: Callable[[], list[Grid]] = lambda: [],
    ) -> None:
        self._name, self._ranks, self._own, self.seconds, self._grids = name, ranks, own, seconds, grids
        self._is_alone = len(ranks) == 1
        self.number = 0
        self._said: deque[int] = deque()  # the meetings with a key of this process
        self._told = ""  # the key of this process that says that it has compiled, or an empty string
        self.place = ""
        self.differed = False
        self.reports: Counter[str] = Counter()

    def agree(self, digest: str, collectives: list[str], place: str = "") -> bool:
        """Meet the other members before a program with these collectives. Return whether all run the same program.

        `place` is the line of a collective of the program. By default, it is that of the latest recorded one.

        Raises:
          DistBackendError: a member calls another collective, does not arrive in time, or has ended.
        """
        agreed = self.compare(digest, collectives, place)
        if agreed:
            self._passed(digest, len(collectives))
        return agreed

    def compare(self, digest: str, collectives: list[str], place: str = "") -> bool:
        """Do the same as `agree`, but do not count the collectives."""
        if self.differed:
            return False
        mine = Proposal(digest, collectives[0], place or self.place)
        theirs = self._exchange(mine)
        for rank, their in theirs.items():
            if their.collective != mine.collective:
                self._passed("", 1)  # every member sees that the calls differ
                raise errors.other_collective(self._own, mine, rank, their)
        different = [rank for rank, their in theirs.items() if their.digest != digest]
        if different:
            self.differed = True
            self.reports[f"{mine.place}: the program differs from that of rank {different[0]}"] += 1
            return False
        return True

    def compiled(self, compile: Callable[[], None]) -> None:
        """Compile an agreed program, and wait until all members have compiled it.

        A compile may take longer than the timeout of the group. The members therefore wait longer for a member that
        compiles, as long as its process is alive.
        """
        if self._is_alone or processes.client is None:
            return compile()
        mine = Proposal("", "the compile of a program", self.place)
        begin = f"compiled/{self._name}/{self.number}"
        self._told = f"{begin}/{self._own}"
        try:
            processes.put(f"{_COMPILES}/{self._own}", b"")
            try:
                compile()
            finally:
                processes.delete(f"{_COMPILES}/{self._own}")
            processes.put(self._told, b"")
            end = time.monotonic() + self.seconds
            for rank in self._ranks:
                if rank != self._own:
                    self._awaited(f"{begin}/{rank}", rank, mine, end)
        except Lost as error:
            raise errors.no_service(str(error), mine) from None

    def alone(self, collective: str) -> None:
        """Meet the other members before a collective that runs as a program of its own."""
        if not self.agree(f"one {collective}", [collective]):
            self._passed(f"one {collective}", 1)
            self.differed = False

    def _passed(self, digest: str, count: int) -> None:
        """Count collectives that run now, and tell the other processes of the grids about them."""
        self.number += count
        for grid in self._grids():
            grid.meetings.tell(Proposal(digest, "", self.place), count)

    def _exchange(self, mine: Proposal) -> dict[int, Proposal]:
        """Return the proposals of the other members."""
        theirs: dict[int, Proposal] = {}
        if self._is_alone:
            return theirs
        try:
            self._say(self.number, mine)
            end = time.monotonic() + self.seconds
            for rank in self._ranks:
                if rank != self._own:
                    theirs[rank] = Proposal(*json.loads(self._awaited(self._key(self.number, rank), rank, mine, end)))
            self._forget()
        except Lost as error:
            raise errors.no_service(str(error), mine) from None
        return theirs

    def _key(self, number: int, rank: int) -> str:
        return f"meet/{self._name}/{number}/{rank}"

    def _say(self, number: int, mine: Proposal) -> None:
        self._said.append(number)
        processes.put(self._key(number, self._own), json.dumps(mine).encode())

    def _forget(self) -> None:
        """Delete the keys of the meetings before. All members have read them, because they have set the next keys."""
        while len(self._said) > 1:
            processes.delete(self._key(self._said.popleft(), self._own))
        if self._told:
            processes.delete(self._told)
            self._told = ""

    def _awaited(self, key: str, rank: int, mine: Proposal, end: float) -> bytes:
        """Wait for a key that the process `rank` sets."""
        while True:
            found = processes.get(key, min(_SLICE, max(end - time.monotonic(), 0.001)))
            if found is not None:
                return found
            if rank in processes.ended():
                found = processes.try_get(key)  # it may have set the key before
                if found is not None:
                    return found
                raise errors.ended(rank, mine)
            if time.monotonic() >= end and not _compiles(rank):
                raise errors.missing(rank, self.seconds, mine)


class GridMeetings(Meetings):
    """The meetings of the processes of a grid.

    A program with collectives along several dims of the grid runs only if all processes of the grid run it. A process
    that runs another program meets only the members of its group. It therefore tells the other processes the number of
    each of its collectives along any dim, so that they do not wait for it.
    """

    def tell(self, mine: Proposal, count: int) -> None:
        """Count collectives that run as a program of one group, and set the keys of their meetings."""
        if not self._is_alone:
            self._say_all(mine, range(self.number, self.number + count))
        self.number += count

    def _say_all(self, mine: Proposal, numbers: range) -> None:
        try:
            for number in numbers:
                if not self._said or self._said[-1] < number:  # else a meeting at this number did not agree
                    self._say(number, mine)
            while len(self._said) > MOST_SAID:
                processes.delete(self._key(self._said.popleft(), self._own))
        except Lost as error:
            raise errors.no_service(str(error), mine) from None

    def compare(self, digest: str, collectives: list[str], place: str = "") -> bool:
        """Return whether all processes of the grid are about to run the same program."""
        mine = Proposal(digest, collectives[0], place or self.place)
        different = [rank for rank, their in self._exchange(mine).items() if their.digest != digest]
        if different:
            self.reports[f"{mine.place}: the program differs from that of rank {different[0]}"] += 1
        return not different


def _compiles(rank: int) -> bool:
    """Return whether a rank compiles a program, and its process is alive."""
    return processes.try_get(f"{_COMPILES}/{rank}") is not None and rank in processes.alive()
