"""The `reduction` of a loss as PyTorch's number, and the arguments that it had before: other projects import these."""

from __future__ import annotations

from torchlike._internal import warn

_NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """Return the number of a reduction."""
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        return 1
    if reduction not in _NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _NUMBERS[reduction]


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """Return the reduction that the two old arguments meant, each true unless given."""
    size_average, reduce = (True if given is None else given for given in (size_average, reduce))
    reduction = "none" if not reduce else "mean" if size_average else "sum"
    if emit_warning:
        sentence = f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead."
        warn(sentence)
    return reduction


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """Return the number of the reduction that the two old arguments meant."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
