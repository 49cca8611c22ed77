"""The orders of actions of the schedules whose stages go to the last rank and back."""

from __future__ import annotations

from collections import Counter, deque

from ._actions import Order, _Action, _ComputationType

F, B = _ComputationType.FORWARD, _ComputationType.FULL_BACKWARD
I, W = _ComputationType.BACKWARD_INPUT, _ComputationType.BACKWARD_WEIGHT


class _Writer:
    """Appends actions, and numbers the microbatches of each stage and kind.

    Args:
      first (int): the earlier stage of the rank.
      second (int): the later stage of the rank.
    """

    def __init__(self, first: int, second: int) -> None:
        self.stages = (first, second)
        self.order: Order = []
        self.done: Counter[tuple[int, _ComputationType]] = Counter()
        self.weights: deque[int] = deque()  # the local stages whose gradients of parameters are delayed

    def take(self, stage: int, kind: _ComputationType) -> _Action:
        """Return the next action of a kind on a local stage, 0 or 1. A full backward counts as both halves."""
        microbatch = self.done[stage, I if kind == B else kind]
        for counted in (I, W) if kind == B else (kind,):
            self.done[stage, counted] += 1
        return _Action(self.stages[stage], kind, microbatch)

    def add(self, *words: tuple[int, _ComputationType]) -> None:
        """Append actions on local stages."""
        for stage, kind in words:
            self.order.append(self.take(stage, kind))
            if kind == I:
                self.weights.append(stage)

    def add_overlapped(self, forward: int, backward: int) -> None:
        """Append a forward of one local stage together with a backward of the other."""
        parts = (self.take(forward, F), self.take(backward, B))
        self.order.append(_Action(-1, _ComputationType.OVERLAP_F_B, None, parts))

    def add_weight(self) -> None:
        """Append the oldest delayed computation of gradients of parameters, if there is one."""
        if self.weights:
            self.add((self.weights.popleft(), W))


def zbv(rank: int, ranks: int, num_stages: int, count: int) -> Order:
    """Return the order of the zero-bubble schedule in V form."""
    enough = max(2 * ranks - 1, count)  # more microbatches than there are leave pauses
    out = _Writer(rank, num_stages - 1 - rank)
    done = out.done
    out.add(*[(0, F)] * (2 * (ranks - rank) - 1))
    out.add(*[(1, F), (0, F)] * rank)
    out.add(*[(1, F), (1, I), (1, W)] * (ranks - rank))
    while done[1, F] < done[0, F] or done[0, F] < enough:
        if done[0, F] < enough:
            out.add((0, F))
        out.add((0, I), (0, W), (1, F), (1, I), (1, W))
    out.add(*[(0, I), (1, I)] * rank)
    out.add(*[(0, I), (0, W)] * (ranks - rank))
    out.add(*[(1, W)] * (done[1, I] - done[1, W]))
    out.add(*[(0, W)] * (done[0, I] - done[0, W]))
    kept = [x if x is not None and x.microbatch_index in range(count) else None for x in out.order]
    return [*[None] * rank, *kept]


def dual_pipe_v(rank: int, ranks: int, count: int) -> Order:
    """Return the order of DualPipeV."""
    out = _Writer(rank, 2 * ranks - 1 - rank)
    after = ranks - rank - 1
    out.add(*[(0, F)] * (2 * after))
    out.add(*[(0, F), (1, F)] * (rank + 1))
    for _ in range(after):
        out.add((1, I))
        out.add_weight()
        out.add((1, F))
    for i in range(count - 2 * ranks + rank + 1):
        if i == 0 and after == 0:
            out.add((0, F), (1, B))
        else:
            out.add_overlapped(0, 1)
        out.add_overlapped(1, 0)
    for _ in range(after):
        out.add((1, B))
        out.add_overlapped(1, 0)
    _end(out, rank, after)
    return out.order


def _end(out: _Writer, rank: int, after: int) -> None:
    """Append the last backwards of DualPipeV. The second half of them delays the gradients of parameters."""
    half, kind = (rank + 1) // 2, B
    for i in range(rank + 1):
        if i == half and rank % 2 == 1:
            kind = I
        out.add((1, kind))
        if i == half and rank % 2 == 0:
            kind = I
        out.add((0, kind))
    for _ in range(after):
        out.add_weight()
        out.add((0, kind))
    for _ in range(rank + 1):
        out.add_weight()
