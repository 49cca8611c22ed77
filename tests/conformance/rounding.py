"""How far PyTorch's own results are uncertain because of rounding.

An element may differ by the error of PyTorch's own result, which the same call in the next wider dtype shows. It may
also differ by as much as PyTorch's result changes when the inputs change within the tolerance: two correct programs
that add in different orders differ by about this much, whatever the condition of the problem.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tests.conformance.call import Call, attempt
from tests.conformance.compare import difference, tensors

NUDGES = 8
TIMES = 11  # the tolerance of float32 is as many rounding steps
# The largest change that counts as rounding, relative to the largest number of the tensor. The results of
# discontinuous functions, such as a rank, change by more.
LARGEST, LARGEST_OF_BFLOAT16 = 1e-3, 0.1

Results = Callable[[Call], Any]  # PyTorch's results for a call


def is_rounding(call: Call, results: Results, mine: Any, due: Any) -> bool:
    """Return whether each element differs from PyTorch's by the tolerance or by what one rounding step can change."""
    ours, theirs = tensors(mine), tensors(due)
    if difference(mine, due, values=False) is not None or len(ours) != len(theirs):
        return False
    found = rooms(call, lambda nudged: tensors(results(nudged)), theirs)
    return all(difference(a, b, room=room) is None for a, b, room in zip(ours, theirs, found))


def rooms(call: Call, results: Results, due: list[Any]) -> list[Any]:
    """Return by how much each element may differ: a tensor for each due tensor, or None for one without rounding."""
    nudged = [_found(lambda: results(call.nudged(seed)), due) for seed in range(NUDGES)]  # noqa: B023
    wide = _found(lambda: results(call.widened()), due)
    return [_room(t, [other[i] for other in nudged], wide[i]) for i, t in enumerate(due)]


def _found(results: Callable[[], list[Any]], due: list[Any]) -> list[Any]:
    """Return results, or the due ones if PyTorch refuses the call or returns other shapes."""
    found = attempt(results)[0] or due
    shapes = lambda several: [None if t is None else t.shape for t in several]
    return found if shapes(found) == shapes(due) else due


def _room(due: torch.Tensor | None, nudged: list[Any], wide: torch.Tensor) -> torch.Tensor | None:
    if due is None or not due.numel() or not (due.is_floating_point() or due.is_complex()):
        return None
    far = torch.stack([_size(other - due) for other in nudged]).amax(0) * TIMES
    largest = _size(due).max() * (LARGEST_OF_BFLOAT16 if due.dtype == torch.bfloat16 else LARGEST)
    return torch.maximum(torch.where(far <= largest, far, 0), _size(wide - due) * 1.01).cpu()


def _size(t: torch.Tensor) -> torch.Tensor:
    return t.detach().abs().nan_to_num(0, 0, 0).double()
