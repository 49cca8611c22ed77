"""The base classes of data pipes."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from torchlike._internal import cannot
from torchlike.utils.data.datapipes._hook_iterator import _SnapshotState
from torchlike.utils.data.datapipes._typing import _DataPipeMeta, _IterDataPipeMeta
from torchlike.utils.data.datapipes.utils.common import no_length
from torchlike.utils.data.dataset import Dataset, IterableDataset

__all__ = ["DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe"]

T_co = TypeVar("T_co", covariant=True)


class DataChunk(list):
    """A batch of elements, a list.

    Args:
      items: the elements.

    >>> DataChunk([1, 2]).as_str()
    '[1, 2]'
    """

    def __init__(self, items: Iterable) -> None:
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        """Return the elements as text.

        Args:
          indent: a text before the elements.
        """
        return f"{indent}[{', '.join(map(str, self))}]"

    def __iter__(self) -> Iterator:
        yield from super().__iter__()

    def raw_iterator(self) -> Iterator:
        """Iterate over the elements as they were given."""
        yield from self.items


class _Pipe:
    """What both kinds of pipes share: functional forms, hooks for pickling, and the text.

    `_kept` names the attributes that a pickled pipe contains, with the rest made by `_begin`. None means all.
    """

    functions: dict[str, Callable]
    reduce_ex_hook: Callable | None = None
    getstate_hook: Callable | None = None
    str_hook: Callable | None = None
    repr_hook: Callable | None = None
    _kept: tuple[str, ...] | None = None

    def __getattr__(self, attribute_name: str) -> Any:
        function = type(self).functions.get(attribute_name)
        if function is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attribute_name}")
        bound = functools.partial(function, self)
        return functools.update_wrapper(bound, function, assigned=("__doc__",))

    def _begin(self) -> None:
        """Set the attributes that are not pickled."""

    def __getstate__(self) -> Any:
        kept = self._kept
        state: Any = self.__dict__ if kept is None else tuple(getattr(self, name) for name in kept)
        hook = type(self).getstate_hook
        return state if hook is None else hook(state)

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state if self._kept is None else zip(self._kept, state))
        self._begin()

    def __reduce_ex__(self, *args: Any, **kwargs: Any) -> Any:
        hook = type(self).reduce_ex_hook
        if hook is not None:
            try:
                return hook(self)
            except NotImplementedError:
                pass
        return super().__reduce_ex__(*args, **kwargs)

    def __repr__(self) -> str:
        return type(self).__qualname__ if self.repr_hook is None else self.repr_hook(self)

    def __str__(self) -> str:
        return type(self).__qualname__ if self.str_hook is None else self.str_hook(self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.functions]


def _set_hook(cls: Any, name: str, hook: Callable | None) -> None:
    if getattr(cls, name) is not None and hook is not None:
        raise RuntimeError(f"Attempt to override existing {name}")
    setattr(cls, name, hook)


def _register(cls: Any, name: str, pipe: Any) -> None:
    """Register the constructor of a pipe as a method of all pipes of a kind."""
    if name in cls.functions:
        raise Exception(f"Unable to add DataPipe function name {name} as it is already taken")

    def make(source: Any, *args: Any, **kwargs: Any) -> Any:
        return pipe(source, *args, **kwargs)

    cls.functions[name] = functools.update_wrapper(make, pipe, assigned=("__doc__",), updated=())


class IterDataPipe(_Pipe, IterableDataset[T_co], metaclass=_IterDataPipeMeta):
    """The base class of pipes that iterate over samples. Subclasses implement `__iter__`.

    At any time one iterator over a pipe is valid: a new iterator makes the earlier ones invalid and calls `reset()`.
    Pipes are combined by constructors (`Mapper(pipe, function)`) or methods (`pipe.map(function)`).

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> pipe = IterableWrapper(range(5)).filter(lambda x: x % 2 == 0).batch(2)
    >>> list(pipe)
    [[0, 2], [4]]
    """

    functions: dict[str, Callable] = {}
    _valid_iterator_id: int | None = None
    _number_of_samples_yielded: int = 0
    _snapshot_state: _SnapshotState = _SnapshotState.NotStarted
    _fast_forward_iterator: Iterator | None = None

    def __iter__(self) -> Iterator[T_co]:
        return self  # type: ignore[return-value]

    def reset(self) -> None:
        """Bring the pipe to its initial state. A new iterator calls it. By default, it does nothing."""

    @classmethod
    def register_function(cls, function_name: str, function: Callable) -> None:
        """Make a function a method of all pipes.

        Args:
          function_name: the name of the method.
          function: a function whose first argument is the pipe.
        """
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: Any, enable_df_api_tracing: bool = False
    ) -> None:
        """Make the constructor of a pipe a method of all pipes.

        Args:
          function_name: the name of the method.
          cls_to_register: the class of the pipe. The first argument of its constructor is the pipe.
          enable_df_api_tracing: must be False. There are no data frames.

        Raises:
          Exception: There is a method of this name.
        """
        if enable_df_api_tracing:
            raise no_frames()
        _register(cls, function_name, cls_to_register)

    @classmethod
    def set_getstate_hook(cls, hook_fn: Callable | None) -> None:
        """Set the function that changes the state of all pipes that are pickled. None removes it.

        Args:
          hook_fn: a function of a state that returns a state.
        """
        _set_hook(IterDataPipe, "getstate_hook", hook_fn)

    @classmethod
    def set_reduce_ex_hook(cls, hook_fn: Callable | None) -> None:
        """Set the function that replaces `__reduce_ex__` of all pipes. None removes it.

        Args:
          hook_fn: a function of a pipe. If it raises NotImplementedError, the pipe is pickled as usual.
        """
        _set_hook(IterDataPipe, "reduce_ex_hook", hook_fn)


def no_frames() -> NotImplementedError:
    """Return the error of everything that uses data frames."""
    return cannot("utils.data.datapipes.dataframe", "use datapipes.iter with dicts or tuples as samples")


class DFIterDataPipe(IterDataPipe):
    """A pipe over data frames. Not supported: the constructor raises an error.

    Args:
      *args, **kwargs: have no effect: the constructor raises.

    Raises:
      NotImplementedError: always.

    >>> from torchlike.utils.data import DFIterDataPipe, IterDataPipe
    >>> issubclass(DFIterDataPipe, IterDataPipe)
    True
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise no_frames()


class MapDataPipe(_Pipe, Dataset[T_co], metaclass=_DataPipeMeta):
    """The base class of pipes that return a sample for a key. Subclasses implement `__getitem__` and `__len__`.

    >>> from torchlike.utils.data.datapipes.map import SequenceWrapper
    >>> list(SequenceWrapper(range(4)).map(lambda x: x + 1).batch(2))
    [[1, 2], [3, 4]]
    """

    functions: dict[str, Callable] = {}

    @classmethod
    def register_function(cls, function_name: str, function: Callable) -> None:
        """Make a function a method of all pipes.

        Args:
          function_name: the name of the method.
          function: a function whose first argument is the pipe.
        """
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(cls, function_name: str, cls_to_register: Any) -> None:
        """Make the constructor of a pipe a method of all pipes.

        Args:
          function_name: the name of the method.
          cls_to_register: the class of the pipe. The first argument of its constructor is the pipe.

        Raises:
          Exception: There is a method of this name.
        """
        _register(cls, function_name, cls_to_register)

    @classmethod
    def set_getstate_hook(cls, hook_fn: Callable | None) -> None:
        """Set the function that changes the state of all pipes that are pickled. None removes it.

        Args:
          hook_fn: a function of a state that returns a state.
        """
        _set_hook(MapDataPipe, "getstate_hook", hook_fn)

    @classmethod
    def set_reduce_ex_hook(cls, hook_fn: Callable | None) -> None:
        """Set the function that replaces `__reduce_ex__` of all pipes. None removes it.

        Args:
          hook_fn: a function of a pipe. If it raises NotImplementedError, the pipe is pickled as usual.
        """
        _set_hook(MapDataPipe, "reduce_ex_hook", hook_fn)


class _DataPipeSerializationWrapper:
    """The dataset that a `DataLoader` makes of a pipe. A copy of it has a copy of the whole pipeline."""

    def __init__(self, datapipe: Any) -> None:
        self._datapipe = datapipe

    def __getstate__(self) -> bytes:
        return pickle.dumps(self._datapipe)

    def __setstate__(self, state: bytes) -> None:
        self._datapipe = pickle.loads(state)

    def __len__(self) -> int:
        try:
            return len(self._datapipe)
        except Exception as error:
            raise no_length(self) from error


class _IterDataPipeSerializationWrapper(_DataPipeSerializationWrapper, IterDataPipe):
    def __init__(self, datapipe: IterDataPipe) -> None:
        super().__init__(datapipe)
        self._datapipe_iter: Iterator | None = None

    def __iter__(self) -> Any:
        self._datapipe_iter = iter(self._datapipe)
        return self

    def __next__(self) -> Any:
        if self._datapipe_iter is None:
            raise AssertionError("Iterator has not been initialized; call __iter__() before __next__()")
        return next(self._datapipe_iter)


class _MapDataPipeSerializationWrapper(_DataPipeSerializationWrapper, MapDataPipe):
    def __getitem__(self, idx: Any) -> Any:
        return self._datapipe[idx]
