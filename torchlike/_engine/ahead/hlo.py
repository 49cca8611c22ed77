"""Figures read from the text of an optimized HLO module."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

COLLECTIVES = (
    "all-gather",
    "all-reduce",
    "all-to-all",
    "collective-broadcast",
    "collective-permute",
    "ragged-all-to-all",
    "reduce-scatter",
)
_INSTRUCTION = re.compile(r"^\s*(?:ROOT )?%?[\w.\-]+ = (.*)$")
_OPCODE = re.compile(r"(?<=\s)([a-z][a-z0-9\-]*)\(")
_HOST_MEMORY = "S(5)"  # XLA's memory space of the host in a layout


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Yield the opcode of each instruction with the rest of its line."""
    for line in text.splitlines():
        found = _INSTRUCTION.match(line)
        opcode = found and _OPCODE.search(" " + found[1])
        if found and opcode:
            yield opcode[1], found[1]


def collectives(text: str) -> dict[str, int]:
    """Return the number of collectives by kind. The two halves of an asynchronous one count once."""
    found = Counter(opcode.removesuffix("-start") for opcode, _ in instructions(text))
    return {kind: found[kind] for kind in COLLECTIVES if found[kind]}


def host_transfers(text: str) -> dict[str, int]:
    """Return the number of instructions that move data between the chip and the host, by kind.

    The arguments and results of the program are not counted.
    """
    found: Counter[str] = Counter()
    for opcode, rest in instructions(text):
        kind = _host_transfer(opcode, rest)
        if kind:
            found[kind] += 1
    return dict(found)


def _host_transfer(opcode: str, rest: str) -> str:
    if opcode in ("infeed", "outfeed"):
        return opcode
    if opcode in ("send", "recv") and "is_host_transfer=true" in rest:
        return opcode
    if opcode == "custom-call" and re.search(r'custom_call_target="[^"]*callback', rest):
        return "callback"
    return "copy" if opcode in ("copy", "copy-start") and _HOST_MEMORY in rest else ""
