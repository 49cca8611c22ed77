"""The pipes that `fork` and `demux` return, and the containers that read the source for them."""

from __future__ import annotations

import copy as copying
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from torchlike._internal import warn
from torchlike.utils.data.datapipes._hook_iterator import _SnapshotState
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.datapipes.utils.common import StreamWrapper


class _ContainerTemplate(ABC):
    """What `_ChildDataPipe` calls of a container."""

    @abstractmethod
    def get_next_element_by_instance(self, instance_id: int) -> Iterator[Any]:
        """Iterate over the elements of a child."""

    @abstractmethod
    def is_every_instance_exhausted(self) -> bool:
        """Return whether all children have yielded all their elements."""

    @abstractmethod
    def reset(self) -> None:
        """Bring the container to its initial state."""

    @abstractmethod
    def get_length_by_instance(self, instance_id: int) -> int:
        """Return the number of elements of a child, or raise TypeError."""


class _ChildDataPipe(IterDataPipe):
    """One of the pipes that read the same source through a container.

    A new iterator over a child that already has a valid one makes those of all children invalid, and resets the
    container.
    """

    _is_child_datapipe: bool = True

    def __init__(self, main_datapipe: Any, instance_id: int) -> None:
        if not isinstance(main_datapipe, _ContainerTemplate):
            raise AssertionError("main_datapipe must implement _ContainerTemplate")
        self.main_datapipe: Any = main_datapipe
        self.instance_id = instance_id

    def __iter__(self) -> Iterator[Any]:
        return self.main_datapipe.get_next_element_by_instance(self.instance_id)

    def __len__(self) -> int:
        return self.main_datapipe.get_length_by_instance(self.instance_id)

    def _set_main_datapipe_valid_iterator_id(self) -> int | None:
        """Make a new iterator of this child valid. It belongs to the current generation if this has none of it."""
        main = self.main_datapipe
        if main._valid_iterator_id is None:
            main._valid_iterator_id = 0
        elif main._valid_iterator_id == self._valid_iterator_id:
            main._valid_iterator_id += 1
            if not main.is_every_instance_exhausted():
                warn(
                    "Some child DataPipes are not exhausted when __iter__ is called. We are resetting "
                    "the buffer and each child DataPipe will read from the start again."
                )
            main.reset()
        self._valid_iterator_id = main._valid_iterator_id
        return self._valid_iterator_id

    def _check_valid_iterator_id(self, iterator_id: int) -> bool:
        return iterator_id == self._valid_iterator_id == self.main_datapipe._valid_iterator_id


class _Container(IterDataPipe, _ContainerTemplate):
    """A container of children. `_child_stop` tells which children do not read."""

    _name = ""

    def __init__(self, datapipe: Any, num_instances: int, buffer_size: int) -> None:
        self.main_datapipe = datapipe
        self.num_instances = num_instances
        self.buffer_size = buffer_size
        if buffer_size < 0:
            warn(f"Unlimited buffer size is set for `{self._name}`, please be aware of OOM at random places")
        self._begin()

    def _begin(self) -> None:
        self._datapipe_iterator: Iterator | None = None
        self._child_stop = [True] * self.num_instances

    def reset(self) -> None:
        """Forget what was read."""
        self._begin()

    def _start(self, instance_id: int) -> bool:
        """Begin to read the source, if no child reads it. Return whether it began."""
        begins = self._datapipe_iterator is None and self._child_stop[instance_id]
        if begins:
            self._datapipe_iterator = iter(self.main_datapipe)
            self._snapshot_state = _SnapshotState.Iterating
            self._child_stop = [False] * self.num_instances
        return begins

    def _stop(self, instance_id: int) -> None:
        self._child_stop[instance_id] = True
        if all(self._child_stop):
            self._datapipe_iterator = None

    def __del__(self) -> None:
        self._cleanup()

    def _cleanup(self) -> None:
        """Close the streams among the elements that were not yielded."""
        raise NotImplementedError


def _no_op(x: Any) -> Any:
    return x


_COPIES: dict[str | None, Callable] = {None: _no_op, "shallow": copying.copy, "deep": copying.deepcopy}


class _ForkerIterDataPipe(_Container):
    """The container of `fork`. `buffer` has the elements that the slowest child has not read yet.

    `child_pointers` counts the elements that each child has read; `end_ptr` is one more than the number of all.
    """

    _name = "fork"
    _kept = (
        *("main_datapipe", "num_instances", "buffer_size", "copy_fn"),
        *("_valid_iterator_id", "_number_of_samples_yielded"),
    )

    def __init__(self, datapipe: Any, num_instances: int, buffer_size: int = 1000, copy: str | None = None) -> None:
        self.buffer: deque = deque()
        super().__init__(datapipe, num_instances, buffer_size)
        if copy not in _COPIES:
            raise ValueError(f"Unknown copy method `{copy}` requested, choose one of None, `shallow` or `deep`.")
        self.copy_fn = _COPIES[copy]

    def _begin(self) -> None:
        super()._begin()
        self.buffer = deque()
        self.child_pointers = [0] * self.num_instances
        self.slowest_ptr = 0
        self.leading_ptr = 0
        self.end_ptr: int | None = None

    def __len__(self) -> int:
        return len(self.main_datapipe)

    def get_length_by_instance(self, instance_id: int) -> int:
        """Return the length of the source."""
        return len(self.main_datapipe)

    def is_every_instance_exhausted(self) -> bool:
        """Return whether all children have yielded all elements."""
        return self.end_ptr is not None and all(self._child_stop)

    def get_next_element_by_instance(self, instance_id: int) -> Iterator[Any]:
        """Iterate over the elements of a child."""
        self._start(instance_id)
        try:
            while not self._child_stop[instance_id]:
                self.child_pointers[instance_id] += 1
                try:
                    element = self._element(instance_id)
                except StopIteration:
                    self._child_stop[instance_id] = True
                    break
                yield self.copy_fn(element)
        finally:
            self._stop(instance_id)
            if all(self._child_stop):
                self._cleanup()

    def _element(self, instance_id: int) -> Any:
        """Return the element at the pointer of a child, from the buffer or the source."""
        place = self.child_pointers[instance_id]
        if place == self.end_ptr:
            raise StopIteration
        if self.buffer and place <= self.leading_ptr:
            element = self.buffer[place - self.slowest_ptr - 1]
        else:
            element = self._read(place)
        if place == self.slowest_ptr + 1 and self.slowest_ptr < min(self.child_pointers):
            self.slowest_ptr = min(self.child_pointers)
            self.buffer.popleft()
        if self.buffer_size >= 0 and self.leading_ptr > self.buffer_size + self.slowest_ptr:
            raise BufferError(f"ForkerIterDataPipe buffer overflow,buffer size {self.buffer_size} is insufficient.")
        return element

    def _read(self, place: int) -> Any:
        self.leading_ptr = place
        try:
            element = next(self._datapipe_iterator)  # type: ignore[arg-type]
        except StopIteration:
            self._datapipe_iterator = None
            self.end_ptr = place
            raise
        self.buffer.append(element)
        return element

    def _cleanup(self) -> None:
        while self.buffer:
            StreamWrapper.close_streams(self.buffer.popleft())


class _DemultiplexerIterDataPipe(_Container):
    """The container of `demux`. `child_buffers` has the elements that each child has not read yet."""

    _name = "demux"
    _kept = (
        *("main_datapipe", "num_instances", "buffer_size", "classifier_fn", "drop_none"),
        *("_valid_iterator_id", "_number_of_samples_yielded"),
    )

    def __init__(
        self, datapipe: Any, num_instances: int, classifier_fn: Callable, drop_none: bool, buffer_size: int
    ) -> None:
        super().__init__(datapipe, num_instances, buffer_size)
        self.classifier_fn = classifier_fn
        self.drop_none = drop_none

    def _begin(self) -> None:
        super()._begin()
        self.current_buffer_usage = 0
        self.child_buffers: list[deque] = [deque() for _ in range(self.num_instances)]
        self.main_datapipe_exhausted = False

    def get_length_by_instance(self, instance_id: int) -> int:
        """Raise TypeError: the number of elements of a child is not known."""
        raise TypeError

    def is_every_instance_exhausted(self) -> bool:
        """Return whether all children have yielded all their elements."""
        return self.main_datapipe_exhausted and all(self._child_stop)

    def get_next_element_by_instance(self, instance_id: int) -> Iterator[Any]:
        """Iterate over the elements of a child."""
        if self._start(instance_id):
            self.main_datapipe_exhausted = False
        try:
            while not self._child_stop[instance_id]:
                if self.child_buffers[instance_id]:
                    self.current_buffer_usage -= 1
                    yield self.child_buffers[instance_id].popleft()
                    continue
                try:
                    element = self._find_next(instance_id)
                except StopIteration:
                    self._child_stop[instance_id] = True
                    self.main_datapipe_exhausted = True
                    self._datapipe_iterator = None
                    break
                yield element
        finally:
            self._stop(instance_id)
            self._close(self.child_buffers[instance_id])

    def _find_next(self, instance_id: int) -> Any:
        """Read the source up to the next element of a child. Keep the elements of the other children."""
        while True:
            if self.main_datapipe_exhausted or self._child_stop[instance_id]:
                raise StopIteration
            if self._datapipe_iterator is None:
                raise ValueError(
                    "_datapipe_iterator has not been set, likely because this private method is called directly "
                    "without invoking get_next_element_by_instance() first."
                )
            element = next(self._datapipe_iterator)
            number = self.classifier_fn(element)
            if number is None and self.drop_none:
                StreamWrapper.close_streams(element)
                continue
            if number is None or number >= self.num_instances or number < 0:
                raise ValueError(
                    f"Output of the classification fn should be between 0 and {self.num_instances - 1}. "
                    f"{number} is returned."
                )
            if number == instance_id:
                return element
            self.child_buffers[number].append(element)
            self.current_buffer_usage += 1
            if 0 <= self.buffer_size < self.current_buffer_usage:
                raise BufferError(
                    f"DemultiplexerIterDataPipe buffer overflow, buffer size {self.buffer_size} is insufficient."
                )

    def _close(self, buffer: deque) -> None:
        while buffer:
            StreamWrapper.close_streams(buffer.popleft())

    def _cleanup(self) -> None:
        for buffer in self.__dict__.get("child_buffers", ()):
            self._close(buffer)
