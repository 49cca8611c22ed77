"""Checks of the order of the actions of all ranks."""

from __future__ import annotations

from ._actions import Order, _Action, _ComputationType, format_pipeline_order

_Kind = _ComputationType
_BEFORE = {_Kind.FULL_BACKWARD: _Kind.FORWARD, _Kind.BACKWARD_INPUT: _Kind.FORWARD}
_BEFORE[_Kind.BACKWARD_WEIGHT] = _Kind.BACKWARD_INPUT
_NAMES = {
    _Kind.FORWARD: "Forward",
    _Kind.FULL_BACKWARD: "Full Backward",
    _Kind.BACKWARD_INPUT: "Backward Input",
    _Kind.BACKWARD_WEIGHT: "Backward Weight",
}


def validated(actions: dict[int, Order], pp_group_size: int, num_stages: int, num_microbatches: int) -> dict[int, int]:
    """Return the rank of each stage, or raise AssertionError if the orders are not those of a schedule."""
    if len(actions) != pp_group_size:
        raise AssertionError(
            f"Schedule has incorrect number of ranks - expected {pp_group_size}, actual {len(actions)}"
        )
    for rank in range(pp_group_size):
        if rank not in actions:
            raise AssertionError(f"Schedule is missing actions for rank {rank}")
    done: dict[tuple[int, _ComputationType], set] = {(s, kind): set() for s in range(num_stages) for kind in _NAMES}
    ranks: dict[int, int] = {}
    for rank, order in actions.items():
        for step, action in enumerate(order):
            if action is None:
                continue
            if not isinstance(action, _Action):
                raise AssertionError(
                    f"Rank {rank}, step {step}: Got an invalid action: {action}, expected instance of _Action"
                )
            for part in action.parts():
                _check_part(part, rank, step, actions, done)
                if ranks.setdefault(part.stage_index, rank) != rank:
                    other = ranks[part.stage_index]
                    raise AssertionError(
                        f"Rank {rank}, step {step}: Stage {part.stage_index} is assigned to both rank {rank} and rank "
                        f"{other}"
                    )
    for stage in range(num_stages):
        _check_counts(stage, num_microbatches, *(len(done[stage, kind]) for kind in _NAMES))
    return ranks


def _check_part(part: _Action, rank: int, step: int, actions: dict[int, Order], done: dict) -> None:
    stage, kind, microbatch = part.stage_index, part.computation_type, part.microbatch_index
    if kind not in _NAMES:
        return
    before = _BEFORE.get(kind)
    if before is not None and microbatch not in done[stage, before]:
        table = format_pipeline_order(actions, error_step_number=step)
        raise AssertionError(
            f"Rank {rank}, step {step}: Running {_NAMES[kind]} for stage {stage}, microbatch {microbatch} without "
            f"first running {_NAMES[before]}\n\nFull pipeline schedule:\n{table}"
        )
    done[stage, kind].add(microbatch)


def _check_counts(stage: int, wanted: int, forwards: int, full: int, inputs: int, weights: int) -> None:
    if forwards != wanted:
        raise AssertionError(f"Got {forwards} {_Kind.FORWARD} microbatches for stage {stage}, expected {wanted}")
    if inputs != weights:
        raise AssertionError(
            f"Invalid backward microbatches for stage {stage}: I and W must have equal counts, "
            f"            but got I={inputs}, W={weights}"
        )
    if full + inputs != wanted:
        raise AssertionError(
            f"Invalid backward microbatches for stage {stage}: expected {wanted} total backwards, "
            f"            but got B={full}, I={inputs}, W={weights}"
        )
