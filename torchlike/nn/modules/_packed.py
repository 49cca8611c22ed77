"""Recurrent layers over packed sequences.

The sequences are sorted by decreasing length, so the batch size changes only where sequences end. Consecutive steps
with the same batch size form a block. The layer runs over each block as over a batch of sequences of equal length. In
the forward direction the batch shrinks from block to block. In the reverse direction it grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.nn import functional as F

States = tuple[Tensor, ...]  # (h,), or (h, c) of an LSTM; each (1, N, size) for one layer and direction
Step = Callable[[Tensor, States, list], tuple[Tensor, States]]  # a block (L, N, *), states, weights -> output, states


def run_packed(
    step: Step, data: Tensor, sizes: list[int], states: States, weights: list[list], dropout: float, directions: int
) -> tuple[Tensor, States]:
    """Run all layers and return the output and the final states.

    `weights` has one entry for each layer and direction. Dimension 0 of each state has the same size and order.
    """
    finals: list[States] = []
    for first in range(0, len(weights), directions):
        outputs = []
        for place in range(first, first + directions):
            start = tuple(state[place : place + 1] for state in states)
            run = _backward if place > first else _forward
            output, final = run(step, data, sizes, start, weights[place])
            outputs.append(output)
            finals.append(final)
        data = outputs[0] if directions == 1 else torchlike.cat(outputs, -1)
        if dropout > 0 and first + directions < len(weights):
            data = F.dropout(data, dropout)
    return data, tuple(torchlike.cat(parts) for parts in zip(*finals))


def _blocks(data: Tensor, sizes: list[int]) -> Iterator[Tensor]:
    """Yield the blocks of steps with the same batch size, each of shape (steps, N, *)."""
    start = 0
    for batch, group in groupby(sizes):
        steps = len(list(group))
        yield data[start : start + steps * batch].view(steps, batch, -1)
        start += steps * batch


def _forward(step: Step, data: Tensor, sizes: list[int], states: States, weights: list) -> tuple[Tensor, States]:
    outputs, ended = [], []
    for block in _blocks(data, sizes):
        batch = block.size(1)
        if batch < states[0].size(1):
            ended.append(tuple(state[:, batch:] for state in states))
            states = tuple(state[:, :batch] for state in states)
        output, states = step(block, states, weights)
        outputs.append(output.flatten(0, 1))
    finals = [states, *reversed(ended)]
    return torchlike.cat(outputs), tuple(torchlike.cat(parts, 1) for parts in zip(*finals))


def _backward(step: Step, data: Tensor, sizes: list[int], starts: States, weights: list) -> tuple[Tensor, States]:
    outputs: list[Any] = []
    states = tuple(start[:, :0] for start in starts)
    for block in reversed(list(_blocks(data, sizes))):
        rows, batch = states[0].size(1), block.size(1)
        states = tuple(torchlike.cat([s, start[:, rows:batch]], 1) for s, start in zip(states, starts))
        output, states = step(block.flip(0), states, weights)
        outputs.append(output.flip(0).flatten(0, 1))
    return torchlike.cat(outputs[::-1]), states
