"""The generator of accelerator tensors: Philox 4x32-10, with PyTorch's CUDA state (seed, offset).

Philox is counter-based (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): number i of a stream is a
function of the seed and of i. A sample is therefore an operator of the recorded program. Its inputs are the generator's
state and its position after that state. All samples of a program share one state, so a program takes 16 bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any
from weakref import ref

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import devices, modes
from torchlike._dtypes.recorder import current
from torchlike._engine import Value, aval, sampled

from ._generator import DEFAULT_SEED, Generator, as_seed, default_generator
from ._stand_ins import state_words

STATE_BYTES = 16  # the seed and the offset, each as a little-endian 64-bit integer


class _Base:
    """The state from which the samples of one program are counted.

    Attributes:
      seed, offset: the state when the first sample was taken. Each replay of a captured call sets them again.
      position: the number of positions that the program has used.
      find: returns the state as four 32-bit words, an input of the program. None before the first sample. A replay
        keeps this object, so it must not keep a captured trace alive: a capture keeps its inputs itself.
    """

    __slots__ = ("find", "offset", "position", "seed")

    def __init__(self, seed: int, offset: int) -> None:
        self.seed, self.offset, self.position = seed, offset, 0
        self.find: Callable[[], Value | None] | None = None

    def keep(self, value: Value) -> None:
        """Set the state that `find` returns."""
        self.find = (lambda: value) if current().capture is None else ref(value)

    def belongs_to(self, trace: Any) -> bool:
        """Return whether the state is an input of this trace, or may become one."""
        value = None if self.find is None else self.find()
        return self.find is None or (value is not None and value.trace is trace is not None)


class PhiloxGenerator(Generator):
    """The stream of one accelerator. `torch.Generator("cuda")` returns an object of this class.

    `get_state` returns the 16 bytes of PyTorch's CUDA generator. The offset counts 32-bit numbers of each of the
    generator's parallel streams, and is a multiple of 4.
    """

    def __init__(self, device: str | devices.device = "cuda") -> None:
        self.device = modes.canonical(device)
        if not devices.jax_devices(self.device.type):
            raise _errors.random.no_generator(self.device.type)
        devices.to_jax(self.device)  # raises an error if there is no such device
        self._base: _Base | None = None
        self._prepare()
        self.manual_seed(DEFAULT_SEED)

    def _set(self, seed: int, offset: int) -> None:
        with self.lock:
            self._seed, self._offset = seed, offset

    def _record_change(self, do: Callable[[], Any]) -> bool:
        """If a capture is active, let it make a change of the state, now and at each replay. Return whether it did."""
        capture = current().capture
        taken = capture is not None and capture.takes(do, self)
        if taken:
            self._base = None
        return taken

    # -- seed and state ------------------------------------------------------------------------------------------------

    def manual_seed(self, seed: int) -> Generator:
        """Restart the stream with a seed and return self. The offset becomes 0.

        The seed is an integer in [-2^63, 2^64). A negative seed means seed + 2^64.
        """
        number = as_seed(seed)
        if not self._record_change(lambda: self.manual_seed(seed)):
            self._set(number, 0)
        return self

    def seed(self) -> int:
        """Seed the generator from the operating system's entropy. Return the seed, an integer in [0, 2^53)."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 11)
        return self._seed

    def get_offset(self) -> int:
        """Return the offset, the number of 32-bit numbers that each parallel stream has used."""
        self._observe()
        return self._offset

    def set_offset(self, offset: int) -> None:
        """Set the offset, a multiple of 4."""
        if offset < 0 or offset % 4:
            raise RuntimeError("offset must be a multiple of 4")
        if not self._record_change(lambda: self.set_offset(offset)):
            self._set(self._seed, int(offset))

    def kept(self) -> Callable[[], None]:
        """Save the state and return a function that restores it."""
        state = self._seed, self._offset
        return lambda: self._set(*state)

    def state_bytes(self) -> np.ndarray:
        """Return the state in the layout of PyTorch's `torch.cuda.get_rng_state()`, as a uint8 array of shape (16,)."""
        self._observe()
        with self.lock:
            return np.array([self._seed, self._offset], "<u8").view(np.uint8)

    def load_state_bytes(self, state: np.ndarray) -> None:
        """Restore a state that `state_bytes` or PyTorch's `torch.cuda.get_rng_state()` returned."""
        if not isinstance(state, np.ndarray) or state.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if state.size not in (8, STATE_BYTES):  # an old state has no offset
            raise RuntimeError("RNG state is wrong size")
        seed, *offset = np.frombuffer(state.tobytes(), "<u8").tolist()
        if offset and offset[0] % 4:
            raise RuntimeError("offset must be a multiple of 4")
        if not self._record_change(lambda: self.load_state_bytes(state)):
            self._set(seed, offset[0] if offset else 0)

    def clone_state(self) -> Generator:
        """Return a new generator with the same state."""
        clone = PhiloxGenerator(self.device)
        clone.load_state_bytes(self.state_bytes())
        return clone

    def __reduce__(self) -> tuple[Any, ...]:
        return Generator, (self.device,), (self.initial_seed(), self.get_offset(), self.get_state())

    def __setstate__(self, state: Any) -> None:
        self.set_state(state[2])

    def raw32(self, count: int) -> np.ndarray:
        """Raise an error: samplers that run on the host accept only CPU generators."""
        raise _errors.random.generator_device("cpu", self.device.type)

    # -- samples -------------------------------------------------------------------------------------------------------

    def take(self, count: int) -> tuple[Value, int]:
        """Advance the offset by `count`.

        Returns:
          The state of the current program as a Value of shape (4,), and the position of the first new number, counted
          from that state.
        """
        with self.lock:
            base = self._current_base()
            value = None if base.find is None else base.find()
            if value is None:
                value = Value(aval((4,), _dtypes.uint32, self.device), sampled(lambda: self._words(base)))
                base.keep(value)
            start = base.position
            self._move(base, start + count)
            return value, start

    def mark(self) -> Any:
        """Return the current position, for `rewind`. A capture can record both methods, but not a read of the state."""
        with self.lock:
            base, capture = self._current_base(), current().capture
            if capture is not None and base.find is None:  # a replay sets other bases at their first sample
                capture.takes(lambda: self._begin(base), self)
            return base, base.position

    def rewind(self, mark: Any) -> None:
        """Return to a position that `mark` returned."""
        base, position = mark
        with self.lock:
            if self._current_base() is base:
                return self._move(base, position)
            back = lambda: self._set(base.seed, base.offset + position)
            if not self._record_change(back):
                back()

    def _begin(self, base: _Base) -> None:
        base.seed, base.offset = self._seed, self._offset

    def _move(self, base: _Base, position: int) -> None:
        base.position = position
        if not _is_pure():
            self._offset = base.offset + position

    def _current_base(self) -> _Base:
        """Return the base of the current program."""
        capture, base = current().capture, self._base
        trace = self.device.trace if capture is None else capture.trace
        if capture is not None:
            capture.changed[id(self)] = self
        if base is not None and base.belongs_to(trace):
            if _is_pure():
                return base
            moved = self._offset - base.offset
            if base.seed == self._seed and 0 <= moved < (1 if base.find is None else 2**32):
                base.position = moved
                return base
        made = self._base = _Base(self._seed, self._offset)
        return made

    def _words(self, base: _Base) -> np.ndarray:
        """Return the state as four 32-bit words.

        A replay also advances the offset as the samples of its program did. When the program is recorded, `position` is
        still 0.
        """
        words = state_words(None if default_of(self.device) is self else self, self)
        self._begin(base)
        self._offset += base.position
        return words

    def words(self) -> np.ndarray:
        """Return the seed and the offset as four 32-bit words, low halves first."""
        return np.array([self._seed, self._offset], "<u8").view("<u4")


def _is_pure() -> bool:
    """Return whether samples come from a JAX key, so that no generator changes."""
    capture = current().capture
    return capture is not None and capture.draws_with is not None


_defaults: dict[devices.device, PhiloxGenerator] = {}
_latest_seeds: dict[str, int] = {}  # by device type: the seed of the latest `seed_all`, for devices not used yet


def default_of(device: devices.device) -> Generator:
    """Return the default generator of an accelerator device."""
    found = _defaults.get(device)
    if found is None:
        devices.to_jax(device)  # raises PyTorch's error if there is no such device
        capture = current().capture
        with nullcontext() if capture is None else capture.quietly():  # a replay must not seed it again
            found = _defaults.setdefault(device, PhiloxGenerator(device))
            if device.type in _latest_seeds:
                found.manual_seed(_latest_seeds[device.type])
    return found


class Preserved:
    """The saved positions of the default generators of the CPU and of some accelerators.

    Args:
      devices: the accelerators.
      all: include all accelerators whose generators were used before.
    """

    def __init__(self, devices: Iterable[devices.device] = (), all: bool = True) -> None:
        used = {default_of(device): None for device in devices} | (dict.fromkeys(_defaults.values()) if all else {})
        self._marks = [(generator, generator.mark()) for generator in (default_generator, *used)]

    def restore(self) -> None:
        """Return all generators to the saved positions."""
        for generator, mark in self._marks:
            generator.rewind(mark)


def seed_all(seed: int, type: str | None = None) -> None:
    """Seed the default generators of all accelerators (of one type). Devices used later begin with the same seed."""
    for kind in ("cuda", "tpu") if type is None else (type,):
        _latest_seeds[kind] = seed
        if current().capture is not None:  # each replay seeds the generators, so they must exist
            for i in range(len(devices.jax_devices(kind))):
                default_of(devices.device(kind, i))
    for device, generator in list(_defaults.items()):
        if type in (None, device.type):
            generator.manual_seed(seed)
