"""The graph of a pipeline: which pipes each pipe reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchlike._internal import warn
from torchlike.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe, _Pipe

__all__ = ["traverse", "traverse_dps"]

DataPipe = IterDataPipe | MapDataPipe
DataPipeGraph = dict[int, tuple[Any, Any]]


def traverse_dps(datapipe: Any) -> DataPipeGraph:
    """Return the graph of a pipeline: for the id of each pipe, the pipe and the graph of the pipes that it reads.

    Attributes that are pipes, and those in lists, tuples, sets and dicts, count.

    Args:
      datapipe: the last pipe.

    Raises:
      RuntimeError: It is not a pipe.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> (pipe, sources), = traverse_dps(IterableWrapper([1, 2]).batch(2)).values()
    >>> pipe, [source for source, _ in sources.values()]
    (BatcherIterDataPipe, [IterableWrapperIterDataPipe])
    """
    return _graph(datapipe, True, frozenset())


def traverse(datapipe: Any, only_datapipe: bool | None = None) -> DataPipeGraph:
    """Return the graph of a pipeline. Deprecated: use `traverse_dps`.

    Args:
      datapipe: the last pipe.
      only_datapipe: if False (the default), the attributes of objects that are not pipes count too.

    >>> import warnings
    >>> warnings.simplefilter("ignore")
    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> len(traverse(IterableWrapper([1, 2])))
    1
    """
    text = "`traverse` function is deprecated and will be removed after 1.13. Please use `traverse_dps` instead."
    if not only_datapipe:
        text += " And, the behavior will be changed to the equivalent of `only_datapipe=True`."
    warn(text, FutureWarning)
    return _graph(datapipe, bool(only_datapipe), frozenset())


def _graph(datapipe: Any, only_pipes: bool, above: frozenset[int]) -> DataPipeGraph:
    """Return the graph of a pipe. `above` has the ids of the pipes that read it, which are not entered again."""
    if not isinstance(datapipe, _Pipe):
        raise RuntimeError(f"Expected `IterDataPipe` or `MapDataPipe`, but {type(datapipe)} is found")
    if id(datapipe) in above:
        return {}
    above = above | {id(datapipe)}
    sources: DataPipeGraph = {}
    for each in {id(found): found for found in _read_by(_state(datapipe), only_pipes, set())}.values():
        sources.update(_graph(each, only_pipes, above))
    return {id(datapipe): (datapipe, sources)}


def _state(datapipe: Any) -> Any:
    """Return the attributes of a pipe. A class that chooses what is pickled also chooses what is searched."""
    its_own = type(datapipe).__getstate__
    chosen = its_own is not _Pipe.__getstate__ and not its_own.__module__.startswith("torchlike.utils.data.")
    return datapipe.__getstate__() if chosen else vars(datapipe)


def _read_by(state: Any, only_pipes: bool, seen: set[int]) -> Iterator[Any]:
    """Iterate over the pipes in a structure."""
    if isinstance(state, _Pipe):
        yield state
        return
    if id(state) in seen:
        return
    seen.add(id(state))
    if isinstance(state, dict):
        parts: Any = state.values()
    elif isinstance(state, list | tuple | set | frozenset):
        parts = state
    else:
        parts = () if only_pipes else getattr(state, "__dict__", {}).values()
    for part in parts:
        yield from _read_by(part, only_pipes, seen)
