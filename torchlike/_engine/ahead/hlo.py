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
_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) \(.*\{$", re.MULTILINE)
_FUSED = re.compile(r"\sfusion\(.*calls=%?([\w.\-]+)")
_CHANNEL = re.compile(r"channel_id=(\d+)")
_HOST_MEMORY = "S(5)"  # XLA's memory space of the host in a layout


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Yield the opcode of each instruction with the rest of its line."""
    for line in text.splitlines():
        found = _INSTRUCTION.match(line)
        opcode = found and _OPCODE.search(" " + found[1])
        if found and opcode:
            yield opcode[1], found[1]


def collectives(text: str) -> dict[str, int]:
    """Return the number of collectives by kind. The parts of an asynchronous one count once."""
    found = Counter(kind for kind, _ in collective_instructions(text))
    return {kind: found[kind] for kind in COLLECTIVES if found[kind]}


def collective_instructions(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind of each collective with the rest of its line: the first part of an asynchronous one."""
    fused = set(_FUSED.findall(text))
    seen: set[tuple[str, str]] = set()
    for name, body in _computations(text):
        for opcode, rest in instructions(body):
            kind = opcode.removesuffix("-start")
            if kind not in COLLECTIVES:
                continue
            if kind == "all-reduce" and name.startswith("all-reduce-scatter"):
                kind = "reduce-scatter"  # the form of a TPU
            if name in fused:  # a TPU divides a collective between the fusions that it overlaps with
                channel = _CHANNEL.search(rest)
                part = kind, channel[1] if channel else name
                if part in seen:
                    continue
                seen.add(part)
            yield kind, rest


def _computations(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each computation."""
    begins = [*_COMPUTATION.finditer(text)]
    ends = [*[begin.start() for begin in begins[1:]], len(text)]
    if not begins:
        yield "", text
    for begin, end in zip(begins, ends):
        yield begin[1], text[begin.end() : end]


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
