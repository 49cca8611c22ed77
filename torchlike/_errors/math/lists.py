"""PyTorch's error messages about operators on lists of tensors (`_foreach_*`)."""

from __future__ import annotations

from typing import Any

from torchlike._errors.arguments import type_name, wrong_type


def no_tensors() -> RuntimeError:
    return RuntimeError("Tensor list must have at least one tensor.")


def lengths(first: int, second: int) -> RuntimeError:
    return RuntimeError(f"Tensor lists must have the same number of tensors, got {first} and {second}")


def numbers() -> RuntimeError:
    return RuntimeError("Tensor list must have same number of elements as scalar list.")


def not_one_number(ndim: int, numel: int) -> RuntimeError:
    return RuntimeError(f"scalar tensor expected to be 0 dim but it has {ndim} dimensions and {numel} elements.")


def undefined(place: int) -> RuntimeError:
    return RuntimeError(
        f"Tensors of the first list of nested Tensor lists are supposed to be defined but the {place}-th Tensor is not."
    )


def element(place: int, argument: int, got: Any) -> TypeError:
    return TypeError(f"expected Tensor as element {place} in argument {argument}, but got {type_name(got)}")


def no_list(name: str, argument: str, position: int, got: Any) -> TypeError:
    return wrong_type(name, argument, position, "tuple of Tensors", got)


def products() -> RuntimeError:
    return RuntimeError("_foreach_mm: self and mat2 must have the same number of tensors")
