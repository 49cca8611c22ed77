"""The choice whether XLA fuses the operations of a program on the CPU.

If several kernels read a value, XLA computes it in each of them, unless one of them cannot contain the operation. A
loop that is recorded as a long chain of element-wise operations, such as the cell state of an LSTM or a simulation,
then has kernels that each begin at the first step. Their total size grows with the square of the number of steps, and
the compile time grows even faster: 54 s for 40 steps of an LSTM cell with gradients, and 3 s without fusion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from torchlike._engine.interpreter.jaxpr import Flat
from torchlike._engine.interpreter.rules import Unsupported

UNFUSED = {"xla_disable_hlo_passes": "fusion"}
FEW = 300  # a program of fewer operations compiles fast in either form
LARGE = 100  # the number of operations beyond which a kernel counts
LIMIT = 3.0  # how often large kernels may compute an operation on average; deep networks have up to 1.3


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_REDUCTIONS = _names("argmax argmin reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum")
_COSTLY = _names(
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh digamma erf erf_inv erfc exp exp2 expm1 integer_pow lgamma "
    "log log1p logistic pow rem rsqrt sin sinh sqrt tan tanh"
)
_FUSED = _COSTLY | _names(
    "abs add add_any and broadcast_in_dim ceil clamp concatenate convert_element_type div dynamic_slice eq expand_dims "
    "floor ge gt imag iota is_finite le lt max min mul ne neg not or pad real reshape rev round select_n sign slice "
    "split square squeeze sub transpose xor"
)


class _Operation(NamedTuple):
    name: str
    inputs: tuple[tuple[int, int], ...]  # the indices of the operations that compute its inputs, and the inputs' sizes
    sizes: list[int]  # the numbers of elements of all inputs
    size: int  # the number of elements of its results

    def fuses(self, producer: _Operation, size: int) -> bool:
        """Return whether a kernel of this operation can also compute the producer of an input of this size."""
        if self.name not in _FUSED and self.name not in _REDUCTIONS:
            return False
        repeats = self.name == "broadcast_in_dim" and self.size > size
        return producer.name in _FUSED and not (repeats and producer.name in _COSTLY)

    def reads_more_than_it_writes(self) -> bool:
        """Return whether the operation reads several inputs that together are larger than its results."""
        large = [size for size in self.sizes if size > 1]
        return sum(large) > self.size and sum(size >= self.size for size in large) > 1


def options(closed: Any) -> dict[str, Any]:
    """Return the options with which XLA compiles a jaxpr for the CPU, besides those of all programs."""
    return UNFUSED if duplication(closed) > LIMIT else {}


def duplication(closed: Any) -> float:
    """Return an estimate of how often large fused kernels compute each operation of a jaxpr on average.

    The estimate follows the rules of XLA's instruction fusion. An operation with several readers is computed in the
    kernels of all its readers, with two exceptions: no kernel can contain the operation, or it reads more than it
    writes and a kernel on a path to one of its readers cannot contain it. The estimate is 0 for a program with few or
    with unknown operations.
    """
    try:
        flat = Flat(_body(closed))
    except Unsupported:
        return 0.0
    operations, results = _operations(flat)
    if len(operations) < FEW:
        return 0.0
    last = {i: at for at, operation in enumerate(operations) for i, _ in operation.inputs}
    stored = _stored(operations, last)
    joined = [{i for i, size in o.inputs if i not in stored and o.fuses(operations[i], size)} for o in operations]
    kernels = {*results, *(i for o, own in zip(operations, joined) for i, _ in o.inputs if i not in own)}
    contents, total = [0] * len(operations), 0
    for at, operation in enumerate(operations):
        contents[at] = 1 << at  # the operations that a kernel of this one computes
        for i in joined[at]:
            contents[at] |= contents[i]
        if at in kernels and (size := contents[at].bit_count()) > LARGE:
            total += size
        _release(contents, operation, last, at)
    return total / len(operations)


def _body(closed: Any) -> Any:
    """Return the jaxpr of one rank if the jaxpr is a program of several ranks, and otherwise the jaxpr itself."""
    eqns = closed.jaxpr.eqns
    return eqns[0].params["jaxpr"] if len(eqns) == 1 and eqns[0].primitive.name == "shard_map" else closed


def _operations(flat: Flat) -> tuple[list[_Operation], list[int]]:
    """Return the operations of a flat jaxpr, and the indices of those that compute its results."""
    found: list[_Operation] = []
    maker: dict[int, int] = {}
    for eqn, inputs, outputs in flat.equations:
        sizes = [var.aval.size for var in eqn.invars]
        read = {(maker[slot], size) for slot, size in zip(inputs, sizes) if slot in maker}
        maker.update(dict.fromkeys(outputs, len(found)))
        found.append(_Operation(eqn.primitive.name, tuple(read), sizes, sum(var.aval.size for var in eqn.outvars)))
    return found, [maker[slot] for slot in flat.results if slot in maker]


def _stored(operations: Sequence[_Operation], last: Mapping[int, int]) -> set[int]:
    """Return the operations that are computed only once because of the second exception in `duplication`.

    Sets of operations are stored as the bits of an int. `last` maps each operation to its last reader.
    """
    found: set[int] = set()
    before = [0] * len(operations)  # for each operation, all operations on which it depends
    apart = [0] * len(operations)  # those that it reaches through an operation that its kernel cannot contain
    several = _with_several_readers(operations)
    for at, operation in enumerate(operations):
        for i, size in operation.inputs:
            beyond = before[i] | 1 << i
            before[at] |= beyond
            apart[at] |= apart[i] if operation.fuses(operations[i], size) else beyond
        found.update(i for i, _ in operation.inputs if i in several and apart[at] >> i & 1)
        _release(before, operation, last, at)
        _release(apart, operation, last, at)
    return found


def _with_several_readers(operations: Sequence[_Operation]) -> set[int]:
    """Return the operations with several readers that read more than they write."""
    readers = Counter(i for operation in operations for i in {i for i, _ in operation.inputs})
    return {i for i, count in readers.items() if count > 1 and operations[i].reads_more_than_it_writes()}


def _release(sets: list[int], operation: _Operation, last: Mapping[int, int], at: int) -> None:
    """Empty the sets of the inputs whose last reader is this operation, because long programs have large sets."""
    for i, _ in operation.inputs:
        if last[i] == at:
            sets[i] = 0
