"""PyTorch's CPU generator, a Mersenne Twister (MT19937), implemented with NumPy's bit generator."""

from __future__ import annotations

import array
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence

from torchlike import _errors
from torchlike._dtypes import devices
from torchlike._dtypes.recorder import current
from torchlike._engine.xla.forked import held_in_forks

DEFAULT_SEED = 67280421310721
_WORDS = 624  # the length of the Mersenne Twister's state
_STATE = np.dtype(
    [
        ("seed", "<u8"),
        ("left", "<i4"),
        ("seeded", "<i4"),
        ("next", "<u8"),
        ("key", "<u8", (_WORDS,)),
        ("normal_x", "<f8"),
        ("spare_normal", "<f8"),
        ("normal_rho", "<f8"),
        ("has_spare_normal", "<i4"),
        ("pad", "<u4"),
        ("spare_float", "<f4"),
        ("has_spare_float", "u1"),
        ("tail", "u1", (3,)),
    ]
)  # PyTorch's layout of the state: 5056 bytes


def as_seed(seed: Any) -> int:
    """Return a seed as an integer in [0, 2^64). Raise PyTorch's error for any other object."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
    if not -(2**63) <= seed < 2**64:
        raise _errors.dtypes.too_large_to_unpack()
    return int(seed) % 2**64


class _NoEntropy(ISeedSequence):
    """The initial state of a bit generator that is seeded before it is used. NumPy takes 0.2 ms to compute another."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        return array.array("I", bytes(4 * n_words))


class Generator:
    """A stream of random bits that is identical to that of PyTorch's CPU generator with the same seed.

    `raw32` and `raw64` return the bits. Every distribution in this package is a function of them, and takes `lock`
    while it samples. The serialized state has the 5056 bytes of PyTorch's `get_rng_state()`.

    Args:
      device: the device, "cpu" by default.

    >>> g = Generator().manual_seed(0)
    >>> g.raw32(2).tolist()
    [2357136044, 2546248239]
    """

    as_tensor: Callable[..., Any]  # makes a tensor from an array; set by `_tensor/factories.py`

    def __new__(cls, device: str | devices.device = "cpu") -> Any:
        """Return a generator of this class for the CPU, and a `PhiloxGenerator` for an accelerator."""
        chosen: Any = cls
        if cls is Generator and devices.device(device).type in ("cuda", "tpu"):
            from ._philox import PhiloxGenerator

            chosen = PhiloxGenerator
        return object.__new__(chosen)

    def __init__(self, device: str | devices.device = "cpu") -> None:
        self.device = devices.device(device)
        if self.device is not devices.cpu:
            if self.device.type == "meta":
                raise _errors.random.no_accelerator("META")
            raise _errors.arguments.unsupported("Generator", f"device={str(device)!r}")
        self._prepare()
        held_in_forks(self.lock)  # NumPy's own locks are held only by threads that hold this one
        no_entropy: Any = _NoEntropy()
        self._bits = np.random.MT19937(no_entropy)
        self._legacy = np.random.RandomState(self._bits)
        self.manual_seed(DEFAULT_SEED)

    def _prepare(self) -> None:
        self.lock = threading.RLock()

    def manual_seed(self, seed: int) -> Generator:
        """Restart the stream with a seed and return self.

        The seed is an integer in [-2^63, 2^64). A negative seed means seed + 2^64.
        """
        number = as_seed(seed)
        if current().capture is not None and current().capture.takes(lambda: self.manual_seed(seed), self):
            return self
        with self.lock:
            self._seed = number
            self._legacy.seed(self._seed & 0xFFFFFFFF)
            self._untouched = True
            self.spare_normal: float | None = None
        return self

    def seed(self) -> int:
        """Seed the generator from the operating system's entropy. Return the seed, an integer in [0, 2^64)."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed with which this stream began, an integer in [0, 2^64)."""
        return self._seed

    def raw32(self, count: int) -> np.ndarray:
        """Return the next `count` words of the stream as uint32."""
        if count == 0:
            return np.empty(0, np.uint32)
        capture = current().capture
        if capture is not None:
            capture.changed[id(self)] = self
            if not capture.is_quiet:
                capture.stop("random numbers are sampled for the host", draws=True)
        self._untouched = False
        if count < _WORDS:  # `random_raw` is faster per call, `randint` is faster per word
            return self._bits.random_raw(count).astype(np.uint32)
        return self._legacy.randint(0, 2**32, count, dtype=np.uint32)

    def raw64(self, count: int) -> np.ndarray:
        """Return the next `count` pairs of words as uint64. The first word of a pair is the high half."""
        words = self.raw32(2 * count).astype("<u4", copy=False).view("<u8")
        pairs = words << np.uint64(32)
        words >>= np.uint64(32)
        pairs |= words
        return pairs

    def kept(self) -> Callable[[], None]:
        """Save the state and return a function that restores it."""
        bits, rest = self._bits.state, (self._seed, self._untouched, self.spare_normal)

        def put_back() -> None:
            with self.lock:
                self._bits.state = bits
                self._seed, self._untouched, self.spare_normal = rest

        return put_back

    def _observe(self) -> None:
        """End an active capture, because the state is read."""
        capture = current().capture
        if capture is not None and not capture.is_quiet:
            capture.reads_generator()

    def mark(self) -> Any:
        """Return the current position, for `rewind`. A capture can record both methods, but not a read of the state."""
        saved: list[Callable[[], None]] = []

        def save() -> None:
            saved[:] = [self.kept()]

        if current().capture is None or not current().capture.takes(save, self):
            save()
        return saved

    def rewind(self, mark: Any) -> None:
        """Return to a position that `mark` returned."""
        if current().capture is None or not current().capture.takes(lambda: mark[0](), self):
            mark[0]()

    def state_bytes(self) -> np.ndarray:
        """Return the state in the layout of PyTorch's `get_rng_state()`, as a uint8 array of shape (5056,)."""
        self._observe()
        with self.lock:
            twister = self._bits.state["state"]
            spare, untouched = self.spare_normal, self._untouched
        position = int(twister["pos"])
        record = np.zeros((), _STATE)
        record["seed"], record["seeded"], record["key"] = self._seed, 1, twister["key"]
        # PyTorch serializes a freshly seeded stream differently.
        record["left"], record["next"] = (1, 0) if untouched else (_WORDS + 1 - position, position)
        record["spare_normal"], record["has_spare_normal"] = spare or 0.0, spare is not None
        return np.frombuffer(record.tobytes(), np.uint8).copy()

    def load_state_bytes(self, state: np.ndarray) -> None:
        """Restore a state that `state_bytes` or PyTorch's `get_rng_state()` returned."""
        if current().capture is not None and current().capture.takes(lambda: self.load_state_bytes(state), self):
            return
        if not isinstance(state, np.ndarray) or state.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if state.size != _STATE.itemsize:
            raise _errors.random.random_state_size(_STATE.itemsize, state.size)
        record = np.frombuffer(state.tobytes(), _STATE)[0]
        left, position = int(record["left"]), int(record["next"])
        if not record["seeded"] or not 0 < left <= _WORDS or position > _WORDS:
            raise RuntimeError("Invalid mt19937 state")
        with self.lock:
            self._seed = int(record["seed"])
            self._untouched = (left, position) == (1, 0)
            twister = {"key": record["key"].astype(np.uint32), "pos": _WORDS if left == 1 else position}
            bits: Any = self._bits
            bits.state = {"bit_generator": "MT19937", "state": twister}
            self.spare_normal = float(record["spare_normal"]) if record["has_spare_normal"] else None

    def get_state(self) -> Any:
        """Return the state as a uint8 tensor of shape (5056,)."""
        return Generator.as_tensor(self.state_bytes(), "cpu")

    def set_state(self, new_state: Any) -> Generator:
        """Restore a state that `get_state` of this library or of PyTorch returned. Return the generator."""
        if not hasattr(new_state, "_host"):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        self.load_state_bytes(new_state._host())
        return self

    def clone_state(self) -> Generator:
        """Return a new generator with the same state."""
        clone = Generator()
        clone.load_state_bytes(self.state_bytes())
        return clone

    def get_offset(self) -> int:
        """Raise an error, because only counter-based generators have an offset."""
        raise _errors.random.generator_without_offset()

    def set_offset(self, offset: int) -> None:
        """Raise an error, because only counter-based generators have an offset."""
        raise _errors.random.generator_without_offset()

    def graphsafe_get_state(self) -> Any:
        """Raise an error, as PyTorch does on the CPU: no two generators share a state."""
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    def graphsafe_set_state(self, state: Any) -> Any:
        """Raise an error, as PyTorch does on the CPU: no two generators share a state."""
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")

    def __reduce__(self) -> tuple[Any, ...]:
        # The same form as PyTorch's: the seed, the offset (None, only for counter-based generators), and the state.
        return type(self), (self.device,), (self.initial_seed(), None, self.get_state())

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, np.ndarray):  # pickled by an earlier version, whose pickles do not call `__init__`
            self.__init__()
            self.load_state_bytes(state)
            return
        seed, offset, words = state
        if offset is not None:
            raise _errors.random.generator_without_offset()
        self.manual_seed(seed)
        self.set_state(words)


default_generator: Generator = Generator()
