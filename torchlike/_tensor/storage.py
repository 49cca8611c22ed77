"""The class `Storage`, and reads and writes through chains of views."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from sys import getrefcount
from typing import Any
from weakref import ref

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._autograd import engine, versions
from torchlike._dtypes.devices import cpu
from torchlike._dtypes.recorder import current
from torchlike._dtypes.strides import contiguous_strides, is_apart, is_dense, span
from torchlike._engine import Aval, Live, Value, record, uninterrupted
from torchlike._engine.trace.ownership import LOCAL
from torchlike._engine.trace.plan import NUMPY, OWN
from torchlike._engine.trace.trace import lock
from torchlike._engine.xla.allocation import created
from torchlike._ops.schema.plan import OpPlan

Step = tuple[OpPlan, tuple]  # a view operator and its runtime index values
# The increment of a storage's version for a write. A write that autograd does not track adds 1.
WRITE = 1 << 32
SEEN = -1  # the slot of a Value without a trace: it was read at once, as a view of a host array
# The increment for a write to a tensor with a counter of its own. Views of the tensor detect the write by it.
_COUNTED = 1 << 16
_ITS_OWN = WRITE - _COUNTED


class Block:
    """The memory behind a storage whose address was requested.

    XLA's buffers move with every write, and this memory does not.
    """

    __slots__ = ("address", "memory", "shown")

    def __init__(self, memory: np.ndarray) -> None:
        self.memory, self.address = memory, memory.ctypes.data
        # A weak reference to the value whose contents are in the memory.
        self.shown: Callable[[], Value | None] = lambda: None


def extent(aval: Aval, strides: tuple[int, ...] | None) -> int:
    """Return the size in bytes of the memory range that the elements span."""
    return aval.dtype.itemsize * (span(aval.shape, strides or contiguous_strides(aval.shape)) if aval.numel else 0)


class Handle:
    """The base class of the public storage objects in `torchlike/storage.py`. They show the memory of `_tensor`."""

    _tensor: Any
    _part: Any = None  # the byte range, for a slice of a storage
    is_typed = False  # True: the items are elements of the tensor's dtype; False: bytes

    def nbytes(self) -> int:
        """Return the size in bytes."""
        raise NotImplementedError


class Storage:
    """The state shared by tensors over the same memory: the current Value and a version counter.

    `strides` describe the memory layout that users observe. None means row-major.
    """

    __slots__ = ("__weakref__", "_block", "_loan", "_seen_as", "strides", "value", "version")

    inference = False  # True if its tensors are inference tensors (see `_tensor/inference.py`)
    shared = False  # True if other code may write to the memory (see `_tensor/shared_storage.py`)

    def __init__(self, value: Value, strides: tuple[int, ...] | None = None) -> None:
        self.value = value
        self.strides = strides
        self.version = 0

    def seen(self, tensor: Any) -> Value:
        """Return the part of the contents that a tensor shows."""
        return read(self.value, tensor._chain or ())

    def put(self, value: Value, since: int | None = None, owner: Any = None, step: int = WRITE) -> None:
        """Replace the contents.

        `since` is the age of the first gradient node that belongs to the write itself. `owner` is the tensor that is
        written to. `step` is the increment of the version.
        """
        recorder = current()
        if recorder.capture is not None:
            recorder.capture.writes(self, owner)
        if recorder.write is not None:
            value = recorder.write(self, value)
        old = self.value
        # If there are no other references to the value, no node saved it.
        if getrefcount(old) > LOCAL or old.stamp is not None:
            versions.note_write(old, self, since, owner)
        if value.array is None and value.__class__ is Value and (trace := value.trace) is not None:
            # If the trace fails, the storage is restored to its old value (`_engine/trace/failures.py`).
            trace.puts.append((ref(self), old.slot if old.trace is trace else old, value.slot))
        self.version += step
        self.value = value

    def touch(self, owner: Any) -> Value | None:
        """Mark saved references to the contents as overwritten, without a change of any element.

        The storage gets a copy as its new value, and the old value is returned. Return None if there are no saved
        references. The caller increments the version.
        """
        with lock:
            old = self.value
            if getrefcount(old) > LOCAL or old.stamp is not None:
                self.put(engine.apply_op("clone", (old, None))[0], None, owner, step=0)
                return old
        return None

    def check_change(self, owner: Any) -> None:
        """Raise if the shape or memory of `owner` must not change. An ordinary storage allows every change."""

    def put_seen(self, chain: tuple[Step, ...], value: Value, since: int | None, owner: Any, step: int = WRITE) -> None:
        """Replace the part of the contents that `owner` shows through a chain of views."""
        numbers = [n for _, given in chain for n in given]
        plan = write_plan(chain)
        with lock:  # threads may write to disjoint parts of one tensor
            (whole,) = record(plan, [self.value, value], numbers)
            self.put(whole, since, owner, step)
        value.stamp = value.stamp or versions.stamp_of(whole)

    @property
    def whole(self) -> Storage:
        """The storage that covers all of the memory: this one, unless the memory has grown (see `grown_storage.py`)."""
        return self

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        held = self.value.aval
        return held.numel * held.dtype.itemsize

    @property
    def resizable(self) -> bool:
        """Return whether the memory is, and always was, torchlike's own."""
        loan: Any = getattr(self, "_loan", self)
        return loan is self or (loan is not None and loan.lender is None)

    @property
    def address(self) -> int:
        """The address of the memory, fixed from now on. `shared_storage.show` copies the contents there."""
        if not hasattr(self, "_block"):  # the operating system allocates pages only on the first write
            size = extent(self.value.aval, self.strides)
            self._block = Block(created(lambda: np.empty(size, np.uint8), (size,), 1, cpu))
        return self._block.address


def read(value: Value, chain: tuple[Step, ...]) -> Value:
    """Return the value seen through a chain of views."""
    for plan, numbers in chain:
        value = move(plan, value, numbers)
    return value


def marks(tensor: Any) -> tuple[str, ...]:
    """Return the pending operations of a tensor on the numbers in memory: conjugation ("conj") and negation ("neg")."""
    if not tensor._chain:
        return ()
    pending = [plan.op.view.pending for plan, _ in tensor._chain]
    return tuple([mark for mark in ("conj", "neg") if pending.count(mark) % 2])


_INVOLUTIONS: dict[tuple[str, ...], Callable[[np.ndarray], np.ndarray] | None] = {
    (): None,
    ("conj",): np.conj,
    ("neg",): np.negative,
    ("conj", "neg"): lambda array: np.negative(np.conj(array)),
}


def involution(tensor: Any) -> Callable[[np.ndarray], np.ndarray] | None:
    """Return the function that converts between the numbers in memory and those that a tensor shows.

    The function is its own inverse. Return None if the numbers are the same.
    """
    return _INVOLUTIONS[marks(tensor)]


def move(plan: OpPlan, value: Value, numbers: tuple) -> Value:
    """Apply one view operator. NumPy executes it on a host array immediately.

    Moving data is exact, so immediate execution is not observable.
    """
    if value.array.__class__ is np.ndarray and current().moves:
        return Value(plan.outputs[0], plan.function(value.array, *numbers)[0], SEEN)
    if value.__class__ is Live:
        return value.seen(plan.outputs[0], lambda array: plan.function(array, *numbers)[0])
    return record(plan, [value], numbers)[0]


class Counter:
    """A version counter of a tensor, separate from that of its storage.

    `.data` and the replacement of a tensor's data create one.
    """

    __slots__ = ("_shared", "_values", "is_hidden")

    def __init__(self, is_hidden: bool, shared: list[int] | None = None) -> None:
        self.is_hidden = is_hidden  # if set, saved tensors are not checked against this counter
        self._values: list[tuple[ref, ref]] = []
        # The number of writes, and the age of a node made at the time of the last one.
        self._shared = [0, versions.NEVER] if shared is None else shared

    def leave(self, value: Value, tensor: Any) -> None:
        """Record that the tensor of this counter gets other memory.

        The next write to the tensor, to whichever memory, makes a saved reference to `value` count as overwritten.
        """
        self._values = [pair for pair in self._values if pair[0]() is not None]  # a dead value is not saved anywhere
        self._values.append((ref(value), ref(tensor)))

    def outdate(self) -> None:
        """Mark the recorded values as overwritten. Called before a write is counted."""
        for value, tensor in [(held(), owner()) for held, owner in self._values]:
            if value is not None and tensor is not None:
                versions.note_write(value, tensor._storage, None, tensor)
        self._values.clear()

    def shown(self) -> Counter:
        """Return the counter that the tensor gets when it is switched to other memory. The count stays shared."""
        return Counter(False, self._shared) if self.is_hidden else self

    def has_counted(self, node: Any, stamp: Any) -> bool:
        """Return whether this counter has counted a write since the node was made.

        `stamp` describes such a write to the same memory, or is None. The write may belong to another counter.
        """
        return self._shared[1] < node.age

    def note_time(self) -> None:
        """Store the time of the last write."""
        self._shared[1] = versions.now()

    @property
    def count(self) -> int:
        """The number of writes."""
        return self._shared[0]

    @count.setter
    def count(self, count: int) -> None:
        self._shared[0] = count


class Unwritable(Counter):
    """The counter of a tensor that refuses writes, because they would not reach the memory that it stands for."""

    __slots__ = ("_error",)

    def __init__(self, error: Callable[[], Exception]) -> None:
        super().__init__(False)
        self._error = error

    @property
    def count(self) -> int:
        return 0

    @count.setter
    def count(self, count: int) -> None:
        raise self._error()


class LeftCounter(Counter):
    """The counter of a tensor that was switched to other memory.

    It shares its count with the tensors over the former memory.
    """

    __slots__ = ("_left", "_own")

    def __init__(self, left: Storage) -> None:
        super().__init__(False)
        self._left = ref(left)
        self._own = left.version >> 32

    def has_counted(self, node: Any, stamp: Any) -> bool:
        is_left = stamp is not None and stamp.storage() in (None, self._left())
        return is_left or super().has_counted(node, stamp)

    @property
    def count(self) -> int:
        left = self._left()
        return self._own if left is None else left.version >> 32

    @count.setter
    def count(self, count: int) -> None:
        left, self._own = self._left(), count
        if left is not None:
            left.version += (count - (left.version >> 32)) * WRITE


def step(counter: Counter | None) -> int:
    """Return the version increment of a write, and count the write in the counter if there is one."""
    if counter is None:
        return WRITE
    if counter._values:
        counter.outdate()
    counter.count += 1
    counter.note_time()
    return 1 if counter.is_hidden else _COUNTED


def writes(origin: Any) -> int:
    """Return the number of writes to a base and its views."""
    counter = origin._counter
    return origin._storage.version >> 32 if counter is None else counter.count


def unseen_since(cache: tuple[int, Any, Value], origin: Any) -> bool:
    """Return whether a view that follows its base can ignore all writes since its last read, which stored `cache`."""
    counter = origin._counter
    if counter is not None and counter.is_hidden:  # the storage's version does not distinguish this counter's writes
        return cache[1] is origin._edge
    changed = cache[0] ^ origin._storage.version
    # A base with its own counter adds less than WRITE to the version. Multiples of WRITE are writes of other tensors
    # and are ignored.
    return changed >> 32 == 0 if counter is None else changed & _ITS_OWN == 0


def commit(writes: Iterable[tuple[Any, Value]]) -> None:
    """Give many tensors new contents as one step. An interrupt is delivered before or after all writes."""
    recorder = current()
    is_watched = recorder.capture is not None or recorder.write is not None
    with uninterrupted():
        for tensor, value in writes:
            storage, counter = tensor._storage, tensor._counter
            if tensor._chain is not None:
                tensor._write_raw(value, tensor._edge)
            elif counter is not None:
                storage.put(value, None, tensor, 0)
                storage.version += step(counter)
            elif is_watched or storage.__class__ is not Storage:
                storage.put(value)
            else:  # `Storage.put` inlined: the call takes 2 us of an optimizer step for 8 parameters
                old = storage.value
                if getrefcount(old) > LOCAL or old.stamp is not None:
                    versions.note_write(old, storage, None, None)
                if value.array is None and value.__class__ is Value and (trace := value.trace) is not None:
                    trace.puts.append((ref(storage), old.slot if old.trace is trace else old, value.slot))
                storage.version += WRITE
                storage.value = value


_view_plans: dict[tuple, OpPlan] = {}


def view_plan(chain: tuple[Step, ...], node: str) -> OpPlan:
    """Return a chain of views as one operator whose gradient node has this name."""
    plans = tuple(plan for plan, _ in chain)
    found = _view_plans.get((plans, node))
    if found is None:
        scalars = tuple(kind for plan in plans for kind in plan.scalars)
        last = plans[-1]
        made = OpPlan("view", plans[0].inputs, scalars, last.outputs, lambda x, *numbers: (look(plans, x, numbers),))
        found = _view_plans[plans, node] = made.complete(last.op, (), (True,), last.strides, node)
    return found


# The views that NumPy returns as views, so that it can write through them.
STRIDED = frozenset(
    (
        "_select",
        "_slice",
        "_unbound",
        "_piece",
        "_sized_piece",
        "unsqueeze",
        "squeeze",
        "view",
        "permute",
        "transpose",
        "_t",
    )
)
_write_plans: dict[tuple, OpPlan] = {}


def write_plan(chain: tuple[Step, ...]) -> OpPlan:
    """Return the operator from (base, new elements of the view) to the base with these elements replaced."""
    plans = tuple(plan for plan, _ in chain)
    found = _write_plans.get(plans)
    if found is None:
        found = _write_plans[plans] = _make_write_plan(plans)
    return found


def _make_write_plan(plans: tuple[OpPlan, ...]) -> OpPlan:
    base, new = plans[0].inputs[0], plans[-1].outputs[0]
    scalars = tuple(kind for plan in plans for kind in plan.scalars)
    if not is_apart(tuple(new.shape), strides_of(new.shape, plans[-1].strides[0])):
        raise _errors.arguments.unsupported("in-place write", "overlapping strides")

    # Plans without arguments are those of `as_strided`, which use the schema of another operator.
    strided = all(plan.extra is not None and plan.op.name in STRIDED for plan in plans)

    def write(old: Any, part: Any, *numbers: Any) -> tuple:
        if not new.numel:
            return (old,)
        if strided and old.__class__ is np.ndarray and part.__class__ is np.ndarray:
            made = np.array(old, order="C")
            look(plans, made, numbers)[...] = part
            return (made,)
        return (placed(plans, old, part, numbers),)

    made = OpPlan("write", (base, new), scalars, (base,), write)
    made.executor = NUMPY if strided else OWN
    made.complete(plans[0].op, (), (base.dtype.category >= _dtypes.FLOATING,), node="torch::autograd::CopySlices")
    made.chain = plans
    made.remembers = ("all",)  # saves nothing, but a second backward pass still requires retain_graph
    return made


def placed(plans: tuple[OpPlan, ...], old: Any, part: Any, numbers: tuple) -> Any:
    """Return `old` with the elements seen through the views replaced.

    A linear view is undone by its transpose, and a view with an `inverse` by that function.
    """
    at = next((i for i, plan in enumerate(plans) if plan.op.view.inverse is not None), None)
    if at is None:
        return _transposed(plans, old, part, numbers)
    count = sum(len(plan.scalars) for plan in plans[:at])
    seen = look(plans[:at], old, numbers[:count])
    if plans[at + 1 :]:
        part = placed(plans[at + 1 :], look(plans[at : at + 1], seen, ()), part, numbers[count:])
    back = plans[at].op.view.inverse(seen, jnp.asarray(part).astype(plans[at].outputs[0].dtype.numpy))  # type: ignore[misc]
    return placed(plans[:at], old, back, numbers[:count]) if at else back


def look(plans: tuple[OpPlan, ...], x: Any, numbers: tuple) -> Any:
    """Return an array seen through a chain of views."""
    rest = iter(numbers)
    for plan in plans:
        (x,) = plan.function(x, *[next(rest) for _ in plan.scalars])
    return x


def _transposed(plans: tuple[OpPlan, ...], old: Any, part: Any, numbers: tuple) -> Any:
    """Return `old` with the elements seen through a chain of linear views replaced by `part`."""
    base = plans[0].inputs[0]
    if numbers and base.dtype.category < _dtypes.FLOATING:  # JAX cannot transpose an integer slice at a runtime index
        places = look(plans, jnp.arange(old.size).reshape(old.shape), numbers).reshape(-1)
        flat = jnp.asarray(old).reshape(-1)
        return flat.at[places].set(jnp.asarray(part).astype(flat.dtype).reshape(-1)).reshape(old.shape)
    as_bytes = base.dtype is _dtypes.bool_  # linear_transpose does not accept bools
    work = np.dtype(np.uint8) if as_bytes else base.dtype.numpy

    def back(x: Any) -> Any:
        return jax.linear_transpose(lambda x: look(plans, x, numbers), jax.ShapeDtypeStruct(old.shape, x.dtype))(x)[0]

    there, part = back(jnp.ones(part.shape, work)), jnp.asarray(part).astype(work)
    adds = work.kind not in "biu" and "scatter-add" in str(jax.make_jaxpr(back)(part))
    placed = _added_to_nothing(back, part) if adds else back(part)
    return jnp.where(there != 0, placed.astype(base.dtype.numpy), old)


def _added_to_nothing(back: Callable[[Any], Any], part: Any) -> Any:
    """Return `back(part)` with the signs of zeros kept.

    `back` adds each number to 0, which turns -0 into 0. The signs are therefore placed separately.
    """
    if part.dtype.kind == "c":
        return jax.lax.complex(_added_to_nothing(back, part.real), _added_to_nothing(back, part.imag))
    return _with_signs(back, part)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _with_signs(back: Callable[[Any], Any], x: Any) -> Any:
    return jnp.copysign(back(x), back(jnp.where(jnp.signbit(x), -1, 1).astype(x.dtype)))


@_with_signs.defjvp
def _with_signs_jvp(back: Callable[[Any], Any], primals: tuple, tangents: tuple) -> tuple:
    return _with_signs(back, *primals), back(*tangents)


def overlaps(chain: tuple[Step, ...], shape: tuple[int, ...], strides: tuple[int, ...] | None) -> bool:
    """Return whether several elements of the view share one memory location (a dim of stride zero)."""
    return strides is not None and any(s == 0 and n > 1 for n, s in zip(shape, strides)) and 0 not in shape


def are_apart(target: Any, other: Any, wholly: bool, copies: bool = False) -> bool:
    """Return whether an operand of the same storage does not overlap the written memory.

    Unless `wholly`, an operand that covers exactly the same memory in the same way is allowed too. `copies`: the
    operator is `copy_`.
    """
    if other is target:
        return not wholly
    if not copies and (marks(target) or marks(other)):  # PyTorch uses a copy of such a tensor
        return True
    if not _may_meet(target, other):
        return True
    place = lambda t: (t._offset, t.numel(), t.stride(), t.dtype.itemsize)
    return place(target) == place(other) and not wholly


def _may_meet(a: Any, b: Any) -> bool:
    """Return whether two dense tensors of one storage span overlapping memory. Tensors with gaps are not checked."""
    spans = []
    for t in (a, b):
        if not t.numel() or not is_dense(tuple(t.shape), t.stride()):
            return False
        start = t._offset * t.dtype.itemsize
        spans.append((start, start + t.numel() * t.dtype.itemsize))
    return spans[0][0] < spans[1][1] and spans[1][0] < spans[0][1]


def with_version(t: Any, writes: int) -> Any:
    """Return a new tensor after setting its version counter to the number of writes with which PyTorch makes it."""
    t._storage.version += writes * WRITE
    return t


def geometry(t: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shape and strides of a tensor in memory. A subclass may show others."""
    shape = tuple(t._aval.shape)
    return shape, strides_of(shape, t._strides)


def strides_of(shape: tuple[int, ...], strides: tuple[int, ...] | None) -> tuple[int, ...]:
    """Return the strides as a tuple, row-major if `strides` is None."""
    return contiguous_strides(tuple(shape)) if strides is None else strides
