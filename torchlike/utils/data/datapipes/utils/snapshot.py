"""Pipes that continue at the place of a snapshot."""

from __future__ import annotations

from typing import Any

from torchlike.utils.data.datapipes._hook_iterator import _SnapshotState
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.graph_settings import apply_random_seed


def _simple_graph_snapshot_restoration(datapipe: IterDataPipe, n_iterations: int, rng: Any = None) -> None:
    """Move a pipe forward: its next iterator begins after the first `n_iterations` elements.

    Args:
      datapipe: the last pipe of a graph.
      n_iterations: the number of elements. A pipe that was unpickled has it as `_number_of_samples_yielded`.
      rng: the generator of the seeds of shuffled pipes, in its first state.

    Raises:
      RuntimeError: The pipe was just moved, or has fewer elements.
    """
    if datapipe._snapshot_state == _SnapshotState.Restored:
        raise RuntimeError(
            "Snapshot restoration cannot be applied. You can only restore simple snapshot to the graph "
            "if your graph has not been restored."
        )
    datapipe.reset()
    apply_random_seed(datapipe, rng)
    iterator = iter(datapipe)
    for _ in range(n_iterations):
        try:
            next(iterator)
        except StopIteration as error:
            raise RuntimeError(
                f"Fast-forward {datapipe} by {n_iterations} iterations exceeds the number of samples available."
            ) from error
    datapipe._fast_forward_iterator = iterator
    datapipe._snapshot_state = _SnapshotState.Restored
