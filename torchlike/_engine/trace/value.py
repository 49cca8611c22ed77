"""Values: the immutable arrays behind tensors, concrete or still to be computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import index
from typing import Any, SupportsIndex, overload

import numpy as np

from torchlike import _errors
from torchlike._dtypes import dtype as Dtype
from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.recorder import current
from torchlike._engine.trace.ownership import lend


class Size(tuple):
    """The shape of a tensor: a tuple of ints that prints as PyTorch's does.

    Args:
      iterable: the sizes.

    >>> Size((2, 3)).numel()
    6
    """

    __slots__ = ()

    def __new__(cls, iterable: Iterable = ()) -> Size:
        sizes = _whole(tuple(iterable))
        for n in sizes:
            if n.__class__ is int:  # symbolic sizes are not compared
                _errors.dtypes.check_width(n)
        return tuple.__new__(cls, sizes)

    def numel(self) -> int:
        """Return the number of elements of a tensor of this shape."""
        count = 1
        for n in self:
            count *= n
        return count

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    @overload
    def __getitem__(self, item: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, item: slice) -> Size: ...
    def __getitem__(self, item: Any) -> Any:
        got = tuple.__getitem__(self, item)
        return Size(got) if isinstance(item, slice) else got

    # A Size can be concatenated only with a tuple. NotImplemented lets NumPy add an array to a Size elementwise.
    def __add__(self, other):
        if isinstance(other, tuple):
            return Size(tuple.__add__(self, _whole(other, len(self))))
        if isinstance(other, np.ndarray | np.generic):
            return NotImplemented
        raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")

    def __radd__(self, other):
        return Size(_whole(other) + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count):
        return Size(tuple.__mul__(self, count))

    __rmul__ = __mul__

    def __reduce__(self):
        return (Size, (tuple(self),))


def _whole(sizes: tuple, start: int = 0) -> tuple:
    """Convert the items of a Size, or of a tuple that is concatenated with one, to ints.

    `start` is the index of the first item in the concatenated Size, for error messages.
    """
    if sizes.__class__ is Size or all([n.__class__ is int for n in sizes]):
        return tuple(sizes)
    return tuple([_whole_item(n, at) for at, n in enumerate(sizes, start)])


def _whole_item(n: Any, at: int) -> int:
    if (isinstance(n, int) and n.__class__ is not bool) or getattr(n, "is_symbolic_size", False):
        return n  # such as a size that varies in an exported program, or the ragged one of a nested tensor
    try:
        return int(index(n))
    except TypeError:
        kind = _errors.arguments.type_name(n)
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {at} is '{kind}')") from None


class Aval:
    """The shape, dtype and device of a value. Avals are interned: equal avals are the same object.

    Keys that contain avals therefore hash and compare by identity, which is fast.
    """

    __slots__ = ("device", "dtype", "ndim", "numel", "shape")
    shape: Size
    dtype: Dtype
    device: Device
    ndim: int
    numel: int

    def __repr__(self) -> str:
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]@{self.device}"

    def adapt(self, plan: Any) -> None:
        """Change a new plan that has an input with this aval.

        The base class does nothing. The aval of inference tensors overrides this method.
        """

    def like(self, shape: tuple[int, ...] | None = None, dtype: Dtype | None = None) -> Aval:
        """Return this aval with another shape or dtype."""
        return aval(self.shape if shape is None else shape, dtype or self.dtype, self.device)

    def on(self, device: Device) -> Aval:
        """Return this aval on another device."""
        return aval(self.shape, self.dtype, device)


_interned: dict[tuple, Aval] = {}


def aval(shape: tuple[int, ...], dtype: Dtype, device: Device) -> Aval:
    """Return the interned Aval of this shape, dtype and device."""
    key = (tuple(shape), dtype, device)
    found = _interned.get(key)
    if found is None:
        if len(shape) > 64:  # NumPy's maximum
            raise _errors.shapes.too_many_dims()
        made = Aval()
        made.shape, made.dtype, made.device = Size(map(index, shape)), dtype, device
        made.ndim, made.numel = len(shape), made.shape.numel()
        if device.type != "meta":  # NumPy and XLA have no larger arrays, even if the strides are 0
            _errors.memory.check_overflow(made.shape, dtype.itemsize)
        found = _interned.setdefault(key, made)
    return found


class Value:
    """An immutable array. It is concrete (`array` is a NumPy or JAX array) or pending (result `slot` of a `trace`)."""

    __slots__ = ("__weakref__", "array", "aval", "slot", "stamp", "trace")
    seen: Callable[..., Any]

    def __init__(self, aval: Aval, array: Any = None, slot: int = 0, trace: Any = None) -> None:
        self.aval = aval
        self.array = array
        self.slot = slot
        self.trace = trace
        self.stamp: Any = None  # the saved version, for version checks (see _autograd/versions.py)

    def settle(self) -> Value:
        """Return this value as an immutable value. A plain Value returns itself."""
        return self

    def twin(self, aval: Aval | None = None) -> Value:
        """Return another Value of the same array. The array is marked as lent, so it is not donated."""
        return Value(aval or self.aval, lend(self.array))

    def peek(self) -> Any:
        """Return the array for reading only. The caller must not keep it.

        Return None if the value is pending, or if it is an input of a captured call, because its array differs at each
        replay.
        """
        capture = current().capture
        return self.array if capture is None or id(self) not in capture.known else None

    def __repr__(self) -> str:
        return f"Value({self.aval}, {'pending' if self.array is None else 'concrete'})"


class Live(Value):
    """A value in memory that other code also writes to. Its contents are read when the value is first used.

    `array` is always None. Code that reads the array of a plain Value therefore needs no additional check. A Live must
    be used, materialized by `settle` or dropped before control returns to the user.
    """

    __slots__ = ("_look", "_settle", "_settled")

    def __init__(self, aval: Aval, look: Callable[[], Any], settle: Callable[[], Value] | None, stamp: Any) -> None:
        super().__init__(aval)
        self.stamp = stamp
        self._look: Callable[[], Any] | None = look
        self._settle = settle
        self._settled: Value | Any = None

    def settle(self) -> Value:
        """Return an immutable Value with the current contents. Later calls return the same Value."""
        if current().capture is not None:
            current().capture.settles()
        if self._settled is None:
            self._settled = self._copy() if self._settle is None else self._settle()
            self._look = self._settle = None  # drops the references to the memory
        return self._settled

    def _copy(self) -> Value:
        made = Value(self.aval, np.array(self.peek()))
        made.stamp = self.stamp
        return made

    def peek(self) -> Any:
        return np.asarray(self._settled.array) if self._look is None else self._look()

    def seen(self, aval: Aval, look: Callable[[Any], Any]) -> Live:
        """Return a Live of a view of this memory. `look` computes the view's array from this value's array."""
        return Live(aval, lambda: look(self.peek()), None, self.stamp)
