"""Floating-point operations of matrix products, as `utils.flop_counter` counts them.

`Op.flops` is a function of a `Products` instance. It returns the operation counts of one call, keyed by the name of
PyTorch's operator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from torchlike._engine import Aval

Counts: TypeAlias = dict[str, int]


class Products:
    """One call of an operator or, if `wanted` is given, of its gradient with respect to some inputs.

    Args:
      plan: the plan of the forward operator.
      wanted: the positions of the inputs to differentiate; None for the forward operator.
    """

    def __init__(self, plan: Any, wanted: tuple[int, ...] | None) -> None:
        self.arguments, self.inputs, self.wanted = plan.extra.arguments, plan.inputs, wanted
        self.result: tuple[int, ...] = tuple(plan.outputs[0].shape)

    def aval(self, name: str) -> Aval:
        """Return the aval of the array argument `name`."""
        return self.inputs[self.arguments[name][1]]

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of the array argument `name`."""
        return tuple(self.aval(name).shape)

    def static(self, name: str) -> Any:
        """Return the static argument `name`, or None if the argument is an array or a runtime number."""
        where, what = self.arguments.get(name, ("", None))
        return what if where == "static" else None

    def is_array(self, name: str) -> bool:
        """Return whether the argument `name` is an array."""
        return self.arguments.get(name, ("", None))[0] == "array"

    def wants(self, *names: str) -> int:
        """Return how many of these arguments are differentiated."""
        return sum(self.is_array(name) and self.arguments[name][1] in (self.wanted or ()) for name in names)

    def of(self, forward: str, backward: str, flops: int, *names: str) -> Counts:
        """Return the counts of a product of two arguments: one product forward, one for each argument's gradient."""
        return {forward: flops} if self.wanted is None else {backward: flops * self.wants(*names)}


def between(left: str, right: str, forward: str, backward: str) -> Callable[[Products], Counts]:
    """Return the counting function of an operator that multiplies (..., n, k) by (..., k, m) matrices."""
    return lambda call: call.of(forward, backward, 2 * math.prod(call.result) * call.shape(left)[-1], left, right)


mm, bmm = between("input", "mat2", "mm", "mm"), between("input", "mat2", "bmm", "bmm")


def matmul(call: Products) -> Counts:
    """Count `matmul`. A product with a vector on the right counts as no operations."""
    left, right = call.shape("input"), call.shape("other")
    if len(right) == 1:
        return {}
    name = "mm" if len(right) == 2 else "bmm"
    return call.of(name, name, 2 * math.prod(call.result) * left[-1], "input", "other")


def linear(call: Products) -> Counts:
    """Count `linear`: a matrix product with an optional bias."""
    forward = "addmm" if call.is_array("bias") else "mm"
    return call.of(forward, "mm", 2 * math.prod(call.result) * call.shape("weight")[-1], "input", "weight")


def tensordot(call: Products) -> Counts:
    """Count `tensordot`."""
    over = math.prod([call.shape("a")[dim] for dim in call.static("dims")[0]])
    return call.of("mm", "mm", 2 * math.prod(call.result) * over, "a", "b")


def convolution(call: Products) -> Counts:
    """Count a convolution: one multiply-add for each filter element at each output position."""
    return _convolution(call, call.result)


def transposed_convolution(call: Products) -> Counts:
    """Count a transposed convolution: one multiply-add for each filter element at each input position."""
    return _convolution(call, call.shape("input"))


def _convolution(call: Products, places: tuple[int, ...]) -> Counts:
    x, weight = call.shape("input"), call.shape("weight")
    batch = x[0] if len(x) == len(weight) else 1
    flops = 2 * batch * math.prod(places[len(places) - len(weight) + 2 :]) * math.prod(weight)
    if call.wanted is None:
        return {"convolution": flops}
    # PyTorch counts the filter's gradient as if there were one group.
    return {"convolution_backward": flops * call.wants("input") + flops * call.static("groups") * call.wants("weight")}


def attention(call: Products) -> Counts:
    """Count attention as two matrix products. PyTorch's fused CPU operator counts as no operations."""
    query = call.shape("query")
    if call.static("fused") and call.aval("query").device.type == "cpu":
        return {}
    keys = call.shape("key")[-2]
    scores = 2 * math.prod(query) * keys
    values = 2 * math.prod(query[:-1]) * keys * call.shape("value")[-1]
    if call.wanted is None:
        return {"bmm": scores + values}
    of_scores = call.wants("query", "key")
    through = values if of_scores or call.wants("attn_mask") else 0
    return {"bmm": scores * of_scores + values * call.wants("value") + through}


def recurrent_cell(call: Products) -> Counts:
    """Count one step of a recurrent network: a product with the input and a product with the state."""
    rows = math.prod(call.shape("input")[:-1])
    return _recurrent(call, rows, rows, ("input", "w_ih"), ("h", "w_hh"))


def recurrent_layer(is_one_call: Callable[..., bool]) -> Callable[[Products], Counts]:
    """Return the counting function of a recurrent layer: all its steps, or zero if PyTorch runs one fused operator."""

    def flops(call: Products) -> Counts:
        mode, dtype = call.static("mode"), call.aval("input").dtype
        others = [name if call.is_array(name) else None for name in ("batch_sizes", "projection")]
        if is_one_call(mode, dtype, *others) and call.aval("input").device.type == "cpu":
            return {}
        rows, batch = math.prod(call.shape("input")[:-1]), call.shape("h")[0]
        counted = _recurrent(call, rows, rows, ("input", "w_ih"), ("w_hh",))
        if call.wanted is not None:  # the state's gradient needs a product in every step except the first
            counted["mm"] += 2 * math.prod(call.shape("w_hh")) * (rows - batch + batch * call.wants("h"))
        return counted

    return flops


def _recurrent(call: Products, rows: int, states: int, by_input: tuple, by_state: tuple) -> Counts:
    of_input, of_state = 2 * rows * math.prod(call.shape("w_ih")), 2 * states * math.prod(call.shape("w_hh"))
    if call.wanted is None:
        return {"addmm": of_input + of_state}
    return {"mm": of_input * call.wants(*by_input) + of_state * call.wants(*by_state)}


# -- einsum ------------------------------------------------------------------------------------------------------------


def einsum(call: Products) -> Counts:
    """Count `einsum`: operands are contracted in pairs; a pair is a batched product if a common dim is summed."""
    places = call.arguments["operands"][1]
    flops = 0
    for left, right, size in _pairs(call.static("equation"), [tuple(call.inputs[i].shape) for i in places]):
        flops += size * _count(call.wanted, [[places[i] for i in side] for side in (left, right)])
    return {"bmm": flops}


def _count(wanted: tuple[int, ...] | None, sides: list[list[int]]) -> int:
    """Return the number of products: one forward; backward, one for each side that has a differentiated input."""
    return 1 if wanted is None else sum(not set(wanted).isdisjoint(side) for side in sides)


def _pairs(equation: str, shapes: list[tuple[int, ...]]) -> Iterator[tuple[frozenset, frozenset, int]]:
    """Yield each product that evaluates an equation, as (left operands, right operands, number of operations)."""
    dims, _, result = _named(equation, shapes)
    sizes: dict[str, int] = {}
    for names, shape in zip(dims, shapes):
        for name, size in zip(names, shape):
            sizes[name] = max(size, sizes.get(name, 1))
    work = [(frozenset([i]), frozenset(names)) for i, names in enumerate(dims)]
    for a, b in _order(dims, result, shapes):
        (left, x), (right, y) = work.pop(max(a, b)), work.pop(min(a, b))
        kept = frozenset(result).union(*[names for _, names in work])
        if (x & y) - kept:  # an unkept dim that only one side has is summed before the product
            yield left, right, 2 * math.prod([sizes[name] for name in (x & y) | ((x | y) & kept)])
        work.append((left | right, (x | y) & kept))


def _named(equation: str, shapes: list[tuple[int, ...]]) -> tuple[list[str], str, str]:
    """Return the dims of each operand, the arrow and the dims of the result, with one letter for each dim.

    Capital Greek letters replace the ellipsis.
    """
    left, arrow, result = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    hidden = max((len(shape) - len(term) + 3 for term, shape in zip(terms, shapes) if "..." in term), default=0)
    letters = "".join(chr(ord("Α") + i) for i in range(hidden))
    dims = [
        t.replace("...", letters[hidden - (len(s) - len(t) + 3) :]) if "..." in t else t for t, s in zip(terms, shapes)
    ]
    if not arrow:
        flat = "".join(dims)
        result = letters + "".join(sorted(c for c in set(flat) - set(letters) if flat.count(c) == 1))
    return dims, arrow, result.replace("...", letters)


def _order(dims: list[str], result: str, shapes: list[tuple[int, ...]]) -> list[tuple[int, int]]:
    if len(dims) < 3:
        return [(0, 1)] * (len(dims) - 1)
    letters = dict(zip(sorted(set("".join(dims))), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    plain = ["".join(letters[c] for c in names) for names in (*dims, result)]
    zeros = [np.broadcast_to(0.0, shape) for shape in shapes]
    how = "optimal" if len(dims) < 6 else "greedy"
    path = np.einsum_path(",".join(plain[:-1]) + "->" + plain[-1], *zeros, optimize=how)[0][1:]
    return [pair for step in path for pair in _two_at_a_time(step)]


def _two_at_a_time(step: tuple[int, ...]) -> list[tuple[int, int]]:
    """Split a step of NumPy's contraction path into pairs. Each product is appended at the end of the operands."""
    first, *rest = sorted(step, reverse=True)
    return [(first, rest[0]), *[(place, -1) for place in rest[1:]]] if rest else []
