"""Products of matrices: the ways follow from the equation of the product, as `einsum` writes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torchlike.distributed.tensor._rules.table import AVG, REPLICATE, SUM, Call, Way, row, way
from torchlike.distributed.tensor.placement_types import Placement, Shard

Equation = tuple[str, str, str]  # the dims of the two operands and of the result; one letter for each


def of_equation(equation: Equation) -> list[Way]:
    """Return the ways of a product: a shared dim, a summed dim or a free dim is sharded, or an operand is partial."""
    left, right, out = equation
    found = [
        way(Shard(out.index(d)), Shard(left.index(d)), Shard(right.index(d))) for d in out if d in left and d in right
    ]
    found += [way(SUM, Shard(left.index(d)), Shard(right.index(d))) for d in left if d in right and d not in out]
    found += [way(Shard(out.index(d)), Shard(left.index(d)), REPLICATE) for d in left if d in out and d not in right]
    found += [way(Shard(out.index(d)), REPLICATE, Shard(right.index(d))) for d in right if d in out and d not in left]
    for partial in (SUM, AVG):
        found += [way(partial, partial, REPLICATE), way(partial, REPLICATE, partial)]
    return found


def with_bias(ways: Sequence[Way], shape: Sequence[int], out: Sequence[int], first: bool) -> list[Way]:
    """Add the placement of a term that is added to the product: it follows the result."""

    def placed(placement: Placement) -> Placement:
        if not isinstance(placement, Shard):
            return placement
        own = placement.dim - len(out) + len(shape)
        return Shard(own) if own >= 0 and shape[own] == out[placement.dim] else REPLICATE

    added = [(each, placed(each.outputs[0])) for each in ways]
    return [Way(each.outputs, (term, *each.inputs) if first else (*each.inputs, term)) for each, term in added]


_LETTERS = "abcdefghij"


def matmul_equation(left: Sequence[int], right: Sequence[int]) -> Equation:
    """Return the equation of `matmul`. Batch dims of length one that are broadcast have letters of their own."""
    rows = "" if len(left) == 1 else "m"
    columns = "" if len(right) == 1 else "n"
    batch = max(len(left), len(right)) - 2
    names = _LETTERS[: max(batch, 0)]

    def batch_of(shape: Sequence[int], other: Sequence[int]) -> str:
        own = shape[:-2] if len(shape) > 1 else ()
        found = ""
        for i, size in enumerate(own):
            back = i - len(own) - 2  # the index from the end
            is_broadcast = size == 1 and len(other) >= -back and other[back] != 1
            letter = names[batch - len(own) + i]
            found += letter.upper() if is_broadcast else letter
        return found

    return batch_of(left, right) + rows + "k", batch_of(right, left) + "k" + columns, names + rows + columns


def _count_folded(call: Call, now: Sequence[Placement]) -> None:
    """Count the redistribution of a first operand with a sharded inner dim as free, as PyTorch does.

    PyTorch joins the dims to rows. The dim becomes strided parts, for which it has no costs.
    """
    if isinstance(now[0], Shard) and 0 < now[0].dim < len(call.shapes[0]) - 1:
        call.free.add(0)


def _linear(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    x, weight = call.shapes[:2]
    _count_folded(call, now)
    free = _LETTERS[: len(x) - 1]
    ways = of_equation((free + "k", "nk"[-len(weight) :], free + "n"[: len(weight) - 1]))
    if len(call.shapes) == 2:
        return ways
    return with_bias(ways, call.shapes[2], (*x[:-1], weight[0]), first=False)


def _matmul(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    left, right, out = matmul_equation(*call.shapes[:2])
    if len(call.shapes[1]) == 2:
        _count_folded(call, now)
    return [each for each in of_equation((left, right, out)) if all(_exists(p, out) for p in each.outputs)]


def _exists(placement: Placement, out: str) -> bool:
    return not isinstance(placement, Shard) or placement.dim < len(out)


def _fixed(equation: Equation) -> Callable:
    def ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
        return of_equation(equation)

    return ways


def _added(equation: Equation) -> Callable:
    """Return the ways of a product to which the first argument is added."""

    def ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
        bias, left, right = call.shapes
        sizes = dict(zip(equation[0] + equation[1], (*left, *right)))
        return with_bias(of_equation(equation), bias, [sizes[d] for d in equation[2]], first=True)

    return ways


def _einsum(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    text = call.args[0].replace(" ", "") if isinstance(call.args[0], str) else ""
    operands, _, out = text.partition("->")
    sides = operands.split(",")
    if "->" not in text or "." in text or len(sides) != 2 or any(len(set(s)) < len(s) for s in (*sides, out)):
        return []
    return of_equation((sides[0], sides[1], out))


row("mm", ways=_fixed(("mk", "kn", "mn")))
row("bmm", ways=_fixed(("bmk", "bkn", "bmn")))
row("mv", ways=_fixed(("mk", "k", "m")))
row("dot", "vdot", ways=_fixed(("k", "k", "")))
row("outer", "ger", ways=_fixed(("m", "n", "mn")))
row("addmm", ways=_added(("mk", "kn", "mn")))
row("addmv", ways=_added(("mk", "k", "m")))
row("baddbmm", ways=_added(("bmk", "bkn", "bmn")))
row("linear", ways=_linear)
row("matmul", ways=_matmul)
row("einsum", ways=_einsum)
