"""Conversion of loss reductions to PyTorch's enum values, and of legacy arguments to reductions.

Other projects import these functions.
"""

from __future__ import annotations

from torchlike._internal import warn

_NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """Return the enum value of a reduction."""
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        return 1
    if reduction not in _NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _NUMBERS[reduction]


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """Return the reduction that the legacy arguments `size_average` and `reduce` stand for. None means True."""
    size_average, reduce = (True if given is None else given for given in (size_average, reduce))
    reduction = "none" if not reduce else "mean" if size_average else "sum"
    if emit_warning:
        sentence = f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead."
        warn(sentence)
    return reduction


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """Return the enum value of the reduction that the legacy arguments stand for."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
