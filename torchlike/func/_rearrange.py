"""`rearrange`: reshapes and permutations by a pattern of axis names."""

from __future__ import annotations

import keyword
import math
from collections.abc import Sequence
from typing import Any

import torchlike
from torchlike._internal import warn

_ELLIPSIS = "…"
_ONE = "1"  # an axis without a name
_Side = list[str | list[str]]  # the axes of one side of a pattern; a list stands for a pair of parentheses


class DimensionBindError(Exception):
    """The error of a size that does not fit the pattern of `rearrange`."""


def rearrange(
    tensor: torchlike.Tensor | list[torchlike.Tensor] | tuple[torchlike.Tensor, ...],
    pattern: str,
    **axes_lengths: int,
) -> torchlike.Tensor:
    """Return a tensor with its axes split, permuted and merged as a pattern tells. The syntax is that of einops.

    The result is a view where a reshape of the permuted tensor can be one.

    Args:
      tensor: a tensor of any shape, or a sequence of tensors of one shape, which are stacked along a new first axis.
      pattern: the axes before and after, as in "a (b c) -> (a b) c". A name stands for an axis, names in parentheses
        for one axis that is split into these (the last one varies fastest), "..." for all other axes, and 1 for an axis
        of size 1. An axis 1 before the arrow is summed, whatever its size, as in PyTorch.
      **axes_lengths: the sizes of named axes. In each pair of parentheses, one size may be left to be inferred.

    Raises:
      ValueError: the pattern is not valid or does not fit the number of axes.
      DimensionBindError: a size does not fit.
      TypeError: a size is not an int.

    >>> import torchlike as torch
    >>> x = torch.arange(12).reshape(2, 6)
    >>> torch.func.rearrange(x, "b (h w) -> h b w", h=3).shape
    torch.Size([3, 2, 2])
    """
    x: Any = tensor if isinstance(tensor, torchlike.Tensor) else torchlike.stack(tensor)
    left, right = _parsed(pattern, axes_lengths)
    if not x.ndim:
        return x
    groups = _groups(left, x.ndim)
    sizes = _sizes(groups, x.shape, axes_lengths)
    names = [name for group in groups for name in group]
    x = x.reshape(sizes)
    if _ONE in names:
        x = x.sum([i for i, name in enumerate(names) if name == _ONE])
        names = [name for name in names if name != _ONE]
    result = _result(right, [name for name in names if name.startswith(_ELLIPSIS)])
    place = {name: i for i, name in enumerate(names)}
    x = x.permute([place[name] for group in result for name in group])
    counts = iter(x.shape)
    return x.reshape([math.prod(next(counts) for _ in group) for group in result])


def _parsed(pattern: str, lengths: dict[str, int]) -> tuple[_Side, _Side]:
    """Return the axes of both sides of a pattern, after the checks that do not depend on the tensor."""
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = (_words(side) for side in sides)
    before, after = ({name for part in side for name in _listed(part) if name != _ONE} for side in (left, right))
    if any(name.isdecimal() for name in before | after):
        raise ValueError("rearrange only supports unnamed axes of size 1")
    if any(isinstance(part, list) and _ELLIPSIS in part for part in left):
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    if _ELLIPSIS in after - before:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if lonely := before ^ after:
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {lonely}")
    for size in lengths.values():
        if not isinstance(size, int):
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(size)}")
    if unknown := lengths.keys() - before:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")
    return left, right


def _listed(part: str | list[str]) -> list[str]:
    return [part] if isinstance(part, str) else part


def _words(side: str) -> _Side:
    """Return the names of the axes of one side of a pattern, grouped by parentheses."""
    if "." in side:
        if "..." not in side:
            raise ValueError("Expression may contain dots only inside ellipsis (...)")
        if side.count(".") != 3:
            raise ValueError("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ")
    parts: _Side = []
    seen: set[str] = set()
    inside: list[str] | None = None
    for word in side.replace("...", _ELLIPSIS).replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            if inside is not None:
                raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            inside = []
            parts.append(inside)
        elif word == ")":
            if inside is None:
                raise ValueError("Brackets are not balanced")
            inside = None
        else:
            _check_word(word, seen)
            (parts if inside is None else inside).append(word)
    if inside is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{side}'")
    return parts


def _check_word(word: str, seen: set[str]) -> None:
    """Raise unless a word is the name of an axis that is new, a number or the ellipsis."""
    if word in seen:
        raise ValueError(f"Indexing expression contains duplicate dimension '{word}'")
    if word.isdecimal():
        return
    seen.add(word)
    if word == _ELLIPSIS:
        return
    reason = "not a valid python identifier" if not word.isidentifier() else ""
    if word[0] == "_" or word[-1] == "_":
        reason = "axis name should should not start or end with underscore"
    if reason:
        raise ValueError(f"Invalid axis identifier: {word}\n{reason}")
    if keyword.iskeyword(word):
        warn(f"It is discouraged to use axes names that are keywords: {word}", RuntimeWarning)


def _groups(left: _Side, ndim: int) -> list[list[str]]:
    """Return the names of the axes into which each axis of the tensor is split. Check their number."""
    count = len(left) - 1 if _ELLIPSIS in left else len(left)
    if count > ndim or (count < ndim and _ELLIPSIS not in left):
        due = "less than or equal" if _ELLIPSIS in left else "equal"
        raise ValueError(
            f"Number of dimensions in pattern ({count}) must be {due} to the number of dimensions in the tensor "
            f"({ndim})"
        )
    unnamed = [[f"{_ELLIPSIS}{i}"] for i in range(ndim - count)]
    return [group for part in left for group in (unnamed if part == _ELLIPSIS else [_listed(part)])]


def _result(right: _Side, unnamed: list[str]) -> list[list[str]]:
    """Return the names of the axes that are merged into each axis of the result. `unnamed` replaces the ellipsis."""
    groups: list[list[str]] = []
    for part in right:
        if part == _ELLIPSIS:
            groups += [[name] for name in unnamed]
            continue
        words = [name for name in _listed(part) if name != _ONE]
        groups.append([name for word in words for name in (unnamed if word == _ELLIPSIS else [word])])
    return groups


def _sizes(groups: list[list[str]], shape: Sequence[int], lengths: dict[str, int]) -> list[int]:
    """Return the size of each axis into which the axes of the tensor are split."""
    sizes: list[int] = []
    for group, size in zip(groups, shape):
        first, given = len(sizes), [lengths.get(name) for name in group]
        known = math.prod(n for n in given if n is not None)
        missing = [first + i for i, n in enumerate(given) if n is None]
        if len(missing) > 1:
            raise DimensionBindError(
                f"cannot infer the sizes of two dimensions at once d{missing[0]} and d{missing[1]}"
            )
        if missing and size % known:
            shown = "(" + ", ".join("'?'" if n is None else str(n) for n in given) + ")"
            raise DimensionBindError(f"inferred dimension does not evenly fit into larger dimension: {size} vs {shown}")
        if not missing and known != size:
            pack = ", ".join(f"d{first + i}" for i in range(len(group))) + ("," if len(group) == 1 else "")
            raise DimensionBindError(
                f"Dimension sizes to do not match ({size} != {known}) when matching dimension pack ({pack})"
            )
        sizes += [size // known if n is None else n for n in given]
    return sizes
