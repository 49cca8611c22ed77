"""Descriptions of the difference between a result of torchlike and that of PyTorch, as one line of text."""

from __future__ import annotations

from typing import Any

import torch
from torch.testing._comparison import default_tolerances

import torchlike
from tests.oracle import to_theirs
from tests.oracle._convert import name_of


def difference(
    ours: Any,
    theirs: Any,
    views_of: frozenset[int] = frozenset(),
    values: bool = True,
    room: torch.Tensor | None = None,
) -> str | None:
    """Return the first difference in type, dtype, shape or value, or None.

    Values may differ by `assert_close`'s default tolerance, or by ``room``, which has one number for each element.
    Strides are compared if the result is a view, that is, if its memory is one of ``views_of``. With ``values=False``
    values are not compared.
    """
    if isinstance(theirs, torch.Tensor):
        return _of_tensors(ours, theirs, views_of, values, room)
    if isinstance(theirs, tuple | list):
        if not isinstance(ours, tuple | list):
            return f"{type(ours).__name__}, not {type(theirs).__name__}"
        if len(ours) != len(theirs):
            return f"{len(ours)} results, not {len(theirs)}"
        found = (difference(a, b, views_of, values) for a, b in zip(ours, theirs))
        return next((text for text in found if text), None)
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if list(ours) != list(theirs):
            return f"keys {list(ours)}, not {list(theirs)}"
        found = ((key, difference(ours[key], b, views_of, values, room)) for key, b in theirs.items())
        return next((f"{key!r}: {text}" for key, text in found if text), None)
    return _of_objects(ours, theirs, values)


def _of_tensors(
    ours: Any, theirs: torch.Tensor, views_of: frozenset[int], values: bool, room: torch.Tensor | None = None
) -> str | None:
    if not isinstance(ours, torchlike.Tensor):
        return f"{type(ours).__name__}, not Tensor"
    if str(ours.layout) != str(theirs.layout):
        return f"layout {ours.layout}, not {theirs.layout}"
    if theirs.layout is not torch.strided:
        return _of_sparse(ours, theirs, values)
    facts = [("dtype", name_of(ours.dtype), name_of(theirs.dtype)), ("shape", tuple(ours.shape), tuple(theirs.shape))]
    if views_of and theirs.numel() and memory(theirs) in views_of:
        facts.append(("stride of view", tuple(ours.stride()), theirs.stride()))
    for fact, seen, due in facts:
        if seen != due:
            return f"{fact} {seen}, not {due}"
    return of_values(to_theirs(ours), theirs.detach().resolve_conj().resolve_neg().cpu(), room) if values else None


def _of_sparse(ours: Any, theirs: torch.Tensor, values: bool) -> str | None:
    """Return the first difference of two sparse tensors: in the number of stored elements, or in the dense values."""
    if ours._nnz() != theirs._nnz():
        return f"{ours._nnz()} elements given, not {theirs._nnz()}"
    return _of_tensors(ours.to_dense(), theirs.to_dense(), frozenset(), values)


def of_values(ours: torch.Tensor, theirs: torch.Tensor, room: torch.Tensor | None = None) -> str | None:
    """Return the first difference in value of two tensors of PyTorch, or None."""
    rtol, atol = default_tolerances(ours, theirs)
    close = torch.isclose(ours, theirs, rtol=rtol, atol=atol, equal_nan=True)
    if room is not None:
        close |= (ours - theirs).abs() <= room
    if close.all():
        return None
    a, b = ours[~close].reshape(-1)[0].item(), theirs[~close].reshape(-1)[0].item()
    return f"values: {int((~close).sum())} of {close.numel()} differ, such as {_short(a)}, not {_short(b)}"


def _short(number: Any) -> str:
    return f"{number:.7g}" if isinstance(number, float | complex) else str(number)


def _of_objects(ours: Any, theirs: Any, values: bool) -> str | None:
    if type(ours).__name__ != type(theirs).__name__:
        return f"{type(ours).__name__}, not {type(theirs).__name__}"
    if not values:
        return None
    if isinstance(theirs, float | complex):
        return of_values(torch.tensor(ours, dtype=torch.complex128), torch.tensor(theirs, dtype=torch.complex128))
    same = name_of(ours) == name_of(theirs) if isinstance(theirs, torch.dtype) else ours == theirs
    return None if same else f"{ours!r}, not {theirs!r}"


def memory(tensor: torch.Tensor) -> int:
    """Return the address of a tensor's memory."""
    return tensor.untyped_storage().data_ptr()


def tensors(result: Any) -> list[Any]:
    """Return the tensors of either library in a result or an argument."""
    if isinstance(result, torch.Tensor | torchlike.Tensor):
        return [result]
    if isinstance(result, dict):
        result = list(result.values())
    return [t for item in result for t in tensors(item)] if isinstance(result, tuple | list) else []
