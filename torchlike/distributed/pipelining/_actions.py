"""The actions of a schedule: what a rank does with a stage and a microbatch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from itertools import zip_longest
from typing import NamedTuple


class _ComputationType(str, Enum):  # noqa: UP042 - formatted as PyTorch formats it
    """The kinds of actions. The values are their short names in texts."""

    FORWARD = "F"
    BACKWARD_INPUT = "I"
    BACKWARD_WEIGHT = "W"
    UNSHARD = "UNSHARD"
    RESHARD = "RESHARD"
    SEND_F = "SEND_F"
    RECV_F = "RECV_F"
    SEND_B = "SEND_B"
    RECV_B = "RECV_B"
    FULL_BACKWARD = "B"
    OVERLAP_F_B = "OVERLAP_F_B"
    REDUCE_GRAD = "REDUCE_GRAD"

    @staticmethod
    def from_str(action: str) -> _ComputationType:
        """Return the kind of this short name, or raise RuntimeError."""
        try:
            return _ComputationType(action)
        except ValueError as error:
            raise RuntimeError(f"Invalid computation type {action}") from error


_Kind = _ComputationType
COMPUTING = (_Kind.FORWARD, _Kind.FULL_BACKWARD, _Kind.BACKWARD_INPUT, _Kind.BACKWARD_WEIGHT, _Kind.OVERLAP_F_B)
_WORD = re.compile(r"(\d+)(F|I|B|W|UNSHARD|RESHARD|REDUCE_GRAD|SEND_F|RECV_F|SEND_B|RECV_B)(\d*)")


class _Action(NamedTuple):
    """What a rank does in one step: a kind of computation, on a stage and a microbatch, or several of these."""

    stage_index: int
    computation_type: _ComputationType
    microbatch_index: int | None = None
    sub_actions: tuple[_Action, ...] | None = None

    def __str__(self) -> str:
        return self.__repr__()

    def __repr__(self) -> str:
        if self.sub_actions is not None:
            return f"({';'.join(map(repr, self.sub_actions))}){self.computation_type.value}"
        microbatch = "" if self.microbatch_index is None else self.microbatch_index
        return f"{self.stage_index}{self.computation_type.value}{microbatch}"

    @property
    def is_compute_op(self) -> bool:
        """Whether the action computes, instead of sending or receiving."""
        return self.computation_type in COMPUTING

    @staticmethod
    def from_str(action_string: str) -> _Action | None:
        """Return the action of this text, None for an empty text, or raise RuntimeError."""
        text = action_string.strip()
        if not text:
            return None
        if text.startswith("(") and ")" in text:
            inner, _, kind = text[1:].partition(")")
            parts = tuple(part for word in inner.split(";") if (part := _Action.from_str(word)) is not None)
            return _Action(-1, _Kind.from_str(kind), None, parts or None)
        found = _WORD.match(text)
        if found is None:
            raise RuntimeError(
                f"Invalid action string: {text}, should be formatted as [stage][action type][(microbatch)] e.g. 2F0"
            )
        stage, kind, microbatch = found.groups()
        return _Action(int(stage), _Kind.from_str(kind), int(microbatch) if microbatch else None)

    def parts(self) -> tuple[_Action, ...]:
        """Return the parts of this action, or the action itself if it has none."""
        return (self,) if self.sub_actions is None else self.sub_actions


Order = list[_Action | None]  # what a rank does in each step; None is a step in which it waits


def with_reductions(order: Order, n_microbatches: int) -> Order:
    """Return the actions without pauses, with a reduction after the last backward of each stage."""
    return [*_with_reductions(order, n_microbatches)]


def _with_reductions(order: Order, n_microbatches: int) -> Iterator[_Action]:
    counts: dict[int, int] = {}
    for action in filter(None, order):
        yield action
        for part in action.parts():
            if part.computation_type in (_Kind.FULL_BACKWARD, _Kind.BACKWARD_WEIGHT):
                stage = part.stage_index
                counts[stage] = counts.get(stage, 0) + 1
                if counts[stage] == n_microbatches:
                    yield _Action(stage, _Kind.REDUCE_GRAD)


def format_pipeline_order(pipeline_order: dict[int, Order], error_step_number: int | None = None) -> str:
    """Return a table of actions with a row for each step and a column for each rank."""
    ranks = sorted(pipeline_order)
    steps = max(len(actions) for actions in pipeline_order.values())
    labels = ["Step " + str(i).zfill(len(str(steps - 1))) for i in range(steps)]
    rows = [
        *zip_longest(*(["" if x is None else str(x) for x in pipeline_order[rank]] for rank in ranks), fillvalue="")
    ]
    widths = [max(map(len, column)) for column in zip(labels, *rows)]
    lines = [" " * (len(labels[0]) + 2) + " ".join(f"{f'Rank {i}':<{widths[i]}}" for i in range(len(ranks)))]
    for step, (label, row) in enumerate(zip(labels, rows)):
        mark = " <-- ERROR HERE" if step == error_step_number else ""
        lines.append(f"{label}: " + " ".join(f"{x:<{widths[i]}}" for i, x in enumerate(row)) + mark)
    return "\n".join(lines) + "\n"
