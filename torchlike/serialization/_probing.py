"""The cost of inserting keys with attacker-chosen hashes into a dictionary or set.

CPython's hash tables use open addressing. The hashes of ints, floats and tuples of them are not seeded, so a file can
choose keys that visit most of the table on every insertion, even if no two of them have the same hash. This module
replays the insertions on a table of flags and counts the visited slots, so that the caller can reject the file before
the insertions into the real table become slow.
"""

from __future__ import annotations

from collections.abc import Iterable

_LINEAR_PROBES = 9  # the number of adjacent slots that a set examines before it jumps
_WORD = (1 << 64) - 1


class Probes:
    """A replay of one hash table. The attribute `visits` is the number of visited slots.

    Args:
        is_set: True to replay a set, False to replay a dictionary.
        hashes: the hashes of the keys that are already in the table.
    """

    def __init__(self, is_set: bool, hashes: Iterable[int] = ()) -> None:
        self._is_set = is_set
        self._slots = bytearray(8)
        self._hashes: list[int] = []
        self.visits = 0
        for h in hashes:
            self.add(h)

    def __len__(self) -> int:
        return len(self._hashes)

    def add(self, key_hash: int) -> None:
        """Insert a key with the given hash."""
        if not self._is_set and len(self._hashes) >= len(self._slots) * 2 // 3:
            self._grow(len(self._hashes) * 3 - 1)
        self._hashes.append(key_hash)
        self._place(key_hash)
        used = len(self._hashes)
        if self._is_set and used * 5 >= (len(self._slots) - 1) * 3:
            self._grow(used * 2 if used > 50_000 else used * 4)

    def _grow(self, more_than: int) -> None:
        self._slots = bytearray(1 << max(more_than.bit_length(), 3))
        for h in self._hashes:
            self._place(h)

    def _place(self, key_hash: int) -> None:
        slots, mask, perturb = self._slots, len(self._slots) - 1, key_hash & _WORD
        i = key_hash & mask
        while True:
            last = i + _LINEAR_PROBES if self._is_set and i + _LINEAR_PROBES <= mask else i
            free = slots.find(0, i, last + 1)
            if free >= 0:
                slots[free] = 1
                self.visits += free - i + 1
                return
            self.visits += last - i + 1
            if self.visits > 100 * len(self._hashes) + 100_000:
                return  # the count exceeds every limit, so the caller rejects the key
            perturb >>= 5
            i = (i * 5 + perturb + 1) & mask
