"""Print the decisions that torchlike bases on reference counts, with `sys.getrefcount` replaced by `sys.argv[1]`."""

import dis
import json
import sys
import types
from typing import Any
from unittest.mock import patch

counted = sys.getrefcount


def one_more(x: Any) -> int:
    """Return the count with the additional reference of one more call."""
    return counted(x)


def borrowing(x: Any) -> int:
    """Return the count of CPython 3.14, which passes a local variable without a reference of its own."""
    frame: Any = sys._getframe(1)
    before = [i.opname for i in dis.get_instructions(frame.f_code) if i.offset <= frame.f_lasti]
    while before[-1] in ("CALL", "PRECALL", "CACHE"):
        before.pop()
    return counted(x) - 1 - before[-1].startswith("LOAD_FAST")


def several(x: Any) -> int:
    """Return a count that is five too high."""
    return counted(x) + 5


COUNTING = {"as it does": counted, "one more": one_more, "borrowing": borrowing, "several": several}


def decisions() -> dict[str, Any]:
    """Return the ownership decisions in situations whose correct result is known."""
    return {
        "donated": [_donated(held=False), _donated(held=True)],
        "noted writes": [_noted_writes(held=False), _noted_writes(held=True)],
        "copied gradients": _copied_gradients(),
        "packed state": [_packed(held=None), _packed(held="state"), _packed(held="dictionary"), _packed(held="tensor")],
        "memory of our own": [_taken_back(held=False), _taken_back(held=True)],
        "overwritten by a compiled step": [_overwritten(held=False), _overwritten(held=True)],
    }


def _donated(held: bool) -> bool:
    import torchlike

    with torchlike.set_executor("xla"):
        x = torchlike.ones(1000) * 1
        torchlike._engine.boundary()
        array = x._storage.value.array
        before = array.unsafe_buffer_pointer()
        if not held:
            del array
        x.add_(1)
        torchlike._engine.boundary()
        return x._storage.value.array.unsafe_buffer_pointer() == before


def _noted_writes(held: bool) -> int:
    import torchlike
    from torchlike._autograd import versions

    x = torchlike.ones(3)
    other = x._storage.value if held else None
    with patch.object(versions, "note_write", wraps=versions.note_write) as note:
        x.add_(1)
    del other
    return note.call_count


def _copied_gradients() -> int:
    import torchlike
    from torchlike._autograd import engine

    x = torchlike.ones(3, requires_grad=True)
    with patch.object(engine, "another", wraps=engine.another) as another:
        (x * x).sum().backward()
    return another.call_count


def _packed(held: str | None) -> int:
    import torchlike

    params = [torchlike.nn.Parameter(torchlike.ones(n)) for n in (2, 3, 4)]
    optimizer = torchlike.optim.Adam(params)
    kept: list[Any] = []
    for step in range(3):
        optimizer.zero_grad()
        sum((p * p).sum() for p in params).backward()
        if step == 1 and held is not None:
            state = optimizer.state
            one = state[params[0]]
            kept = [{"state": state, "dictionary": one, "tensor": one["exp_avg"]}[held]]
            del state, one
        optimizer.step()
    del kept
    return sum(len(pack.rows) for plan in optimizer._plans.values() for b in plan.buckets.values() for pack in b.packs)


def _taken_back(held: bool) -> list[bool]:
    import numpy as np

    import torchlike

    array, memory = np.ones(3, np.float32), bytearray(12)
    tensors = [torchlike.from_numpy(array), torchlike.frombuffer(memory, dtype=torchlike.float32)]
    if not held:
        del array, memory
    for tensor in tensors:
        tensor.add_(1)
    return [not tensor._storage.shared for tensor in tensors]


def _overwritten(held: bool) -> bool:
    import torchlike
    from torchlike import _native

    _native.same = None  # the C code counts references itself
    weight = torchlike.ones(1000)

    @torchlike.compile
    def step(x: Any) -> None:
        weight.add_(x)

    for _ in range(4):
        step(torchlike.ones(1000))
    other = weight._storage.value if held else None
    before = weight._storage.value.array.unsafe_buffer_pointer()
    step(torchlike.ones(1000))
    del other
    return weight._storage.value.array.unsafe_buffer_pointer() == before


if __name__ == "__main__":
    count = COUNTING[sys.argv[1]]
    if isinstance(count, types.FunctionType):  # compiled steps trace functions of the user but not of the library
        count = types.FunctionType(count.__code__, {**globals(), "__name__": "sys"})
    sys.getrefcount = count
    print(json.dumps(decisions()))
