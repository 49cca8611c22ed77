"""Sums of products over named dims (`einsum`)."""

from __future__ import annotations

import string

import numpy as np

from torchlike import _dtypes
from torchlike._ops.schema import flops
from torchlike._ops.schema.autocast_policies import Casts, lower
from torchlike._ops.schema.declare import Arrays, Kept, namespace, operator
from torchlike._ops.schema.namespace import widened
from torchlike._ops.schema.typing_rules import Call

Sizes = dict[str, int]


def _check(call: Call) -> None:
    inputs, _, output = call.equation.partition("->")
    terms, operands = inputs.split(","), call.operands
    if len(terms) != len(operands):
        few = "fewer operands were provided than specified in the equation"
        raise RuntimeError("einsum(): " + (few if len(terms) > len(operands) else few.replace("fewer", "more")))
    sizes: Sizes = {}
    for place, (term, operand) in enumerate(zip(terms, operands)):
        _check_letters(call.equation, term)
        _record_sizes(term.replace(" ", ""), place, operand.shape, sizes)
    for letter in output.replace(" ", "").replace("...", ""):
        if letter not in sizes:
            raise RuntimeError(
                f"einsum(): output subscript {letter} does not appear in the equation for any input operand"
            )


def _check_letters(equation: str, term: str) -> None:
    for letter in term.replace("...", "").replace(" ", ""):
        if not (letter.isascii() and letter.isalpha()):
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {equation.index(letter)} in the equation "
                "string, subscripts must be in [a-zA-Z]"
            )


def _record_sizes(term: str, place: int, shape: tuple[int, ...], sizes: Sizes) -> None:
    """Add the sizes of one operand to `sizes`, or raise PyTorch's error if they do not fit.

    `place` is the index of the operand.
    """
    letters, rest = term.replace("...", ""), "..." in term
    if len(letters) > len(shape) or (not rest and len(letters) != len(shape)):
        end = "but no dimensions for the ellipsis" if rest else "and no ellipsis was given"
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({len(letters)}) does not match the "
            f"number of dimensions ({len(shape)}) for operand {place} {end}"
        )
    before = term.index("...") if rest else len(letters)
    dims = [*shape[:before], *(shape[len(shape) - (len(letters) - before) :] if len(letters) > before else ())]
    own: Sizes = {}
    for letter, n in zip(letters, dims):
        if own.setdefault(letter, n) != n:
            raise RuntimeError(
                f"einsum(): subscript {letter} is repeated for operand {place} but the sizes don't match, "
                f"{n} != {own[letter]}"
            )
        if sizes.setdefault(letter, n) != n and 1 not in (n, sizes[letter]):
            raise RuntimeError(
                f"einsum(): subscript {letter} has size {n} for operand {place} which does not "
                f"broadcast with previously seen size {sizes[letter]}"
            )
        sizes[letter] = max(n, sizes[letter])


def _is_product(equation: str, operands: tuple) -> bool:
    """Return whether PyTorch's last contraction is a matrix product, which sums over a dim of both operands."""
    terms, arrow, output = equation.replace(" ", "").partition("->")
    sizes = [_sizes(term, x) for term, x in zip(terms.split(","), operands)]
    *before, last = sizes
    wide = {c for each in before for c, n in each.items() if n != 1} & {c for c, n in last.items() if n != 1}
    return any(not arrow or c not in output for c in wide)


def _sizes(term: str, x) -> dict[str, int]:
    first, _, final = term.partition("...")
    return {**dict(zip(first, x.shape)), **dict(zip(final[::-1], x.shape[::-1]))}


def _autocast_dtype(fast: _dtypes.dtype, dtypes: list, args: tuple) -> _dtypes.dtype | None:
    return fast if _is_product(*args) else None


@operator(
    autocast=Casts(_autocast_dtype, lower),
    where=(),
    opmath=False,
    out=False,
    node="ViewBackward0",
    check=_check,
    flops=flops.einsum,
    remembers=("inputs", Kept("operands", "view")),
)
def einsum(equation: str, operands: Arrays):
    """Return the sum of products that `equation` describes, in Einstein's notation.

    For example, "ij,jk->ik" is the matrix product.
    """
    xp, equation = namespace(operands[0]), _spell_out_ellipses(equation.replace(" ", ""), operands)
    return xp.einsum(equation, *(map(widened, operands) if xp is np else operands))


def _spell_out_ellipses(equation: str, operands) -> str:
    """Replace the ellipses of the inputs by letters if the output has none. PyTorch sums over their dims."""
    inputs, arrow, output = equation.partition("->")
    if not arrow or "..." in output or "..." not in inputs:
        return equation
    free = [c for c in string.ascii_letters if c not in inputs]
    spelled = lambda term, n: term.replace("...", "".join(free[:n][::-1]))
    terms = inputs.split(",")
    return (
        ",".join(spelled(t, x.ndim - len(t) + 3) if "..." in t else t for t, x in zip(terms, operands)) + "->" + output
    )
