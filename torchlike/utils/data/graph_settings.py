"""Settings of all pipes of a pipeline: shares, seeds, and shuffling."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from torchlike._internal import warn
from torchlike.utils.data.datapipes.iter.sharding import SHARDING_PRIORITIES, _ShardingIterDataPipe
from torchlike.utils.data.graph import DataPipeGraph, traverse_dps
from torchlike.utils.data.sampler import _draw_seed

__all__ = [
    "apply_random_seed",
    "apply_sharding",
    "apply_shuffle_seed",
    "apply_shuffle_settings",
    "get_all_graph_pipes",
]


def get_all_graph_pipes(graph: DataPipeGraph) -> list[Any]:
    """Return the pipes of a graph, each once, a pipe before those that it reads.

    Args:
      graph: the result of `traverse_dps`.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> get_all_graph_pipes(traverse_dps(IterableWrapper([1, 2]).batch(2)))
    [BatcherIterDataPipe, IterableWrapperIterDataPipe]
    """
    found: dict[int, Any] = {}
    _collect(graph, found)
    return list(found.values())


def _collect(graph: DataPipeGraph, found: dict[int, Any]) -> None:
    for number, (pipe, sources) in graph.items():
        if number not in found:
            found[number] = pipe
            _collect(sources, found)


def _has_methods(pipe: Any, *names: str) -> bool:
    return all(inspect.ismethod(getattr(pipe, name, None)) for name in names)


def apply_sharding(
    datapipe: Any, num_of_instances: int, instance_id: int, sharding_group: Any = SHARDING_PRIORITIES.DEFAULT
) -> Any:
    """Set the share of the elements of each pipe that has `apply_sharding`, and return the last pipe.

    Args:
      datapipe: the last pipe.
      num_of_instances: the number of shares.
      instance_id: the number of this share.
      sharding_group: the group of processes.

    Raises:
      RuntimeError: A pipe that divides elements reads another one.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> list(apply_sharding(IterableWrapper(range(5)).sharding_filter().batch(2), 2, 0))
    [[0, 2], [4]]
    """
    _shard(traverse_dps(datapipe), (num_of_instances, instance_id), sharding_group, None)
    return datapipe


def _shard(graph: DataPipeGraph, share: tuple[int, int], sharding_group: Any, applied: Any) -> None:
    """Set the shares of the pipes of a graph. `applied` is the pipe that reads the graph and divides its elements."""
    for pipe, sources in graph.values():
        below = applied
        if isinstance(pipe, _ShardingIterDataPipe) or _has_methods(pipe, "apply_sharding"):
            if applied is not None:
                raise RuntimeError(
                    "Sharding twice on a single pipeline is likely unintended and will cause data loss. "
                    f"Sharding already applied to {applied} while trying to apply to {pipe}"
                )
            takes_group = len(inspect.signature(pipe.apply_sharding).parameters) >= 3
            group = {"sharding_group": sharding_group} if takes_group else {}
            pipe.apply_sharding(*share, **group)
            below = pipe
        _shard(sources, share, sharding_group, below)


def apply_shuffle_settings(datapipe: Any, shuffle: bool | None = None) -> Any:
    """Set whether the pipes that can shuffle do so. Return the last pipe.

    If there are none and `shuffle` is True, a warning is given, and the result is a pipe that shuffles.

    Args:
      datapipe: the last pipe.
      shuffle: whether to shuffle. None changes nothing.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> list(apply_shuffle_settings(IterableWrapper(range(4)).shuffle(), False))
    [0, 1, 2, 3]
    """
    if shuffle is None:
        return datapipe
    pipes = get_all_graph_pipes(traverse_dps(datapipe))
    shufflers = [pipe for pipe in pipes if _has_methods(pipe, "set_shuffle", "set_seed")]
    if not shufflers and shuffle:
        warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. "
            "Be aware that the default buffer size might not be sufficient for your task."
        )
        datapipe = datapipe.shuffle()
        shufflers = [datapipe]
    for shuffler in shufflers:
        shuffler.set_shuffle(shuffle)
    return datapipe


def apply_shuffle_seed(datapipe: Any, rng: Any) -> Any:
    """Set seeds. Deprecated: use `apply_random_seed`.

    Args:
      datapipe: the last pipe.
      rng: the generator of the seeds.

    >>> import warnings
    >>> warnings.simplefilter("ignore")
    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> apply_shuffle_seed(IterableWrapper([1]), None)
    IterableWrapperIterDataPipe
    """
    warn(
        "`apply_shuffle_seed` is deprecated since 1.12 and will be removed in the future releases. "
        "Please use `apply_random_seed` instead.",
        FutureWarning,
    )
    return apply_random_seed(datapipe, rng)


def apply_random_seed(datapipe: Any, rng: Any) -> Any:
    """Set a random seed of each pipe that has `set_seed`, and return the last pipe.

    Args:
      datapipe: the last pipe.
      rng: the generator of the seeds. None means the global generator.

    >>> import torchlike as torch
    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> pipe = IterableWrapper(range(5)).shuffle()
    >>> first = list(apply_random_seed(pipe, torch.Generator().manual_seed(0)))
    >>> first == list(apply_random_seed(pipe, torch.Generator().manual_seed(0)))
    True
    """
    set_seed: list[Callable] = [
        pipe.set_seed for pipe in get_all_graph_pipes(traverse_dps(datapipe)) if _has_methods(pipe, "set_seed")
    ]
    for each in set_seed:
        each(_draw_seed(rng))
    return datapipe
