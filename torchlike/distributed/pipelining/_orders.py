"""The orders of actions of the schedules with one stage per rank, and of those that loop over the ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from ._actions import Order, _Action, _ComputationType

F, B = _ComputationType.FORWARD, _ComputationType.FULL_BACKWARD
I, W = _ComputationType.BACKWARD_INPUT, _ComputationType.BACKWARD_WEIGHT


def gpipe(rank: int, count: int) -> Order:
    """Return all forwards, and then all backwards, of `count` microbatches."""
    return [_Action(rank, kind, i) for kind in (F, B) for i in range(count)]


def one_forward_one_backward(rank: int, ranks: int, count: int) -> Order:
    """Return some forwards, and then backwards and forwards in turn."""
    ahead = min(ranks - 1 - rank, count)
    order: Order = [_Action(rank, F, i) for i in range(ahead)]
    for i in range(count - ahead):
        order += [_Action(rank, F, ahead + i), _Action(rank, B, i)]
    return [*order, *(_Action(rank, B, i) for i in range(count - ahead, count))]


def looped_breadth_first(rank: int, ranks: int, local_stages: int, count: int) -> Order:
    """Return the forwards of all microbatches stage by stage, and then the backwards in the opposite order."""
    stages = range(rank, ranks * local_stages, ranks)
    forwards = [_Action(stage, F, i) for stage in stages for i in range(count)]
    backwards = [_Action(stage, B, i) for stage in reversed(stages) for i in reversed(range(count))]
    return [*_pauses(rank), *forwards, *_pauses(2 * (ranks - 1 - rank)), *backwards]


def interleaved(rank: int, ranks: int, local_stages: int, count: int, per_round: int, zero_bubble: bool) -> Order:
    """Return the order of interleaved 1F1B, or of its variant that delays the gradients of parameters.

    `per_round` microbatches pass through one stage before those of the next local stage.
    """
    total = local_stages * count
    hops = (1 if zero_bubble else 2) * (ranks - 1 - rank)
    warmup = min((local_stages - 1) * per_round + hops, total)
    forward = lambda step: (step // per_round) % local_stages * ranks + rank
    backward = lambda step: (local_stages - 1 - ((step - warmup) // per_round) % local_stages) * ranks + rank
    first = local_stages * ranks + 2 * (ranks - 1 - rank)  # the earliest step of a backward
    wait = ranks - rank - 1 if zero_bubble else first - (warmup + rank)
    return [*_interleaved(rank, total, warmup, wait, forward, backward, zero_bubble)]


def _interleaved(
    rank: int,
    total: int,
    warmup: int,
    wait: int,
    forward: Callable[[int], int],
    backward: Callable[[int], int],
    zero_bubble: bool,
) -> Iterator[_Action | None]:
    """Yield the actions of interleaved 1F1B, for functions that return the stage of a step."""
    done: Counter[tuple[int, _ComputationType]] = Counter()
    weights = 0

    def next_action(stage: int, kind: _ComputationType) -> _Action:
        done[stage, kind] += 1
        return _Action(stage, kind, done[stage, kind] - 1)

    yield from _pauses(rank)
    for step in range(warmup):
        yield next_action(forward(step), F)
    if warmup:
        yield from _pauses(wait)
    for step in range(warmup, warmup + total):
        if step < total:
            yield next_action(forward(step), F)
        elif not zero_bubble:
            yield None
        yield next_action(backward(step), I if zero_bubble else B)
        if zero_bubble and step - warmup >= rank:
            yield next_action(backward(warmup + weights), W)
            weights += 1
    for step in range(warmup + weights, warmup + total if zero_bubble else 0):
        yield next_action(backward(step), W)


def with_bubbles(orders: dict[int, Order], num_stages: int) -> dict[int, Order]:
    """Insert pauses where the result of an earlier stage is not there yet."""
    seen: set[tuple[int, _ComputationType, int | None]] = set()
    result: dict[int, Order] = {rank: [] for rank in orders}
    places = dict.fromkeys(orders, 0)
    while any(places[rank] < len(order) for rank, order in orders.items()):
        now = set()
        for rank, order in orders.items():
            if places[rank] == len(order):
                continue
            action = order[places[rank]]
            if action is not None and _waits(action, num_stages, seen):
                action = None
            else:
                places[rank] += 1
            if action is not None:
                now.add(action[:3])
            result[rank].append(action)
        seen |= now
    return result


def _waits(action: _Action, num_stages: int, seen: set) -> bool:
    stage, kind, microbatch = action[:3]
    if kind == F:
        return stage != 0 and (stage - 1, kind, microbatch) not in seen
    if kind == B:
        return ((stage, F) if stage == num_stages - 1 else (stage + 1, kind)) + (microbatch,) not in seen
    return False


def _pauses(count: int) -> Order:
    return [None] * count
