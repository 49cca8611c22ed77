"""Profiler events, their totals by name, and a table of the totals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class FunctionEvent(NamedTuple):
    """A timed program or region. Times are in seconds of the same clock.

    `place` is the user's source line for a program, and empty for a region.
    """

    name: str
    started: float
    ended: float
    thread: int
    kind: str  # "program" or "region"
    shapes: tuple
    place: str
    device: str

    @property
    def microseconds(self) -> float:
        """The duration in microseconds."""
        return (self.ended - self.started) * 1e6


@dataclass
class Average:
    """The totals of the events with one name, in microseconds. Device time is the time of programs on accelerators."""

    key: str
    count: int = 0
    cpu_time_total: float = 0.0
    self_cpu_time_total: float = 0.0
    device_time_total: float = 0.0
    self_device_time_total: float = 0.0
    input_shapes: list = field(default_factory=list)
    stack: list[str] = field(default_factory=list)
    is_user_annotation: bool = False

    @property
    def cpu_time(self) -> float:
        """The average CPU time of an event."""
        return self.cpu_time_total / self.count

    @property
    def device_time(self) -> float:
        """The average device time of an event."""
        return self.device_time_total / self.count


_SORTS = {
    "cuda_time": "device_time",
    "cuda_time_total": "device_time_total",
    "self_cuda_time_total": "self_device_time_total",
}


class EventList(list):
    """A list of totals by name."""

    @property
    def self_cpu_time_total(self) -> float:
        """The total CPU time, without double counting of nested events."""
        return sum(each.self_cpu_time_total for each in self)

    def total_average(self) -> Average:
        """Return the totals of all events."""
        made = Average("Total")
        for each in self:
            made.count += each.count
            made.self_cpu_time_total += each.self_cpu_time_total
            made.self_device_time_total += each.self_device_time_total
        made.cpu_time_total, made.device_time_total = made.self_cpu_time_total, made.self_device_time_total
        return made

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_name_column_width: int = 55,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """Return a table of the totals, with a line for each name."""
        if top_level_events_only:
            raise NotImplementedError(
                "EventList.table: the argument 'top_level_events_only' is not supported by torchlike"
            )
        rows = self if sort_by is None else sorted(self, key=lambda e: -getattr(e, _SORTS.get(sort_by, sort_by)))
        device = any(each.device_time_total for each in self)
        names = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
        names += ["Self device", "device total", "device time avg"] if device else []
        total = self.self_cpu_time_total
        lines = [[*names, "# of Calls"], *[_line(each, total, device) for each in rows[:row_limit]]]
        width = min(max_name_column_width, max(len(line[0]) for line in lines))
        text = ["  ".join([line[0][:width].rjust(width), *[cell.rjust(15) for cell in line[1:]]]) for line in lines]
        rule = "  ".join(["-" * width, *["-" * 15 for _ in lines[0][1:]]])
        above = [] if header is None else ["=" * len(rule), header]
        return "\n".join([*above, rule, text[0], rule, *text[1:], rule, f"Self CPU time total: {duration(total)}", ""])


def _line(each: Average, total: float, device: bool) -> list[str]:
    share = lambda part: f"{100 * part / total if total else 0:.2f}%"
    cells = [
        each.key,
        share(each.self_cpu_time_total),
        duration(each.self_cpu_time_total),
        share(each.cpu_time_total),
        duration(each.cpu_time_total),
        duration(each.cpu_time),
    ]
    if device:
        cells += [duration(t) for t in (each.self_device_time_total, each.device_time_total, each.device_time)]
    return [*cells, str(each.count)]


def duration(microseconds: float) -> str:
    """Format a time in a suitable unit."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3f}{unit}"
    return f"{microseconds:.3f}us"


def averages(events: Iterable[FunctionEvent], by_shape: bool = False, shapes: bool = False) -> EventList:
    """Return the totals of the events by name (and by shapes, if `by_shape`)."""
    found: dict[tuple, Average] = {}
    inside = _inside(events)
    for event in events:
        key = (event.name, event.shapes if by_shape else ())
        one = found.setdefault(key, Average(event.name, is_user_annotation=event.kind == "region"))
        one.count += 1
        own = event.microseconds - inside.get(id(event), 0.0)
        if event.device == "cpu":
            one.cpu_time_total += event.microseconds
            one.self_cpu_time_total += own
        else:
            one.device_time_total += event.microseconds
            one.self_device_time_total += own
        if event.place and not one.stack:
            one.stack = [event.place]
        if shapes and event.kind == "program" and not one.input_shapes:
            one.input_shapes = [list(shape) for shape in event.shapes]
    return EventList(found.values())


def _inside(events: Iterable[FunctionEvent]) -> dict[int, float]:
    """Return, for each event, the total time of the events directly nested in it."""
    found: dict[int, float] = {}
    open_: dict[int, list[FunctionEvent]] = {}
    for event in sorted(events, key=lambda e: (e.started, -e.ended)):
        around = open_.setdefault(event.thread, [])
        while around and around[-1].ended <= event.started:
            around.pop()
        if around:
            found[id(around[-1])] = found.get(id(around[-1]), 0.0) + event.microseconds
        around.append(event)
    return found
