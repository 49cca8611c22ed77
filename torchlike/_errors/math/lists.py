"""PyTorch's error sentences about operators over lists of tensors (`_foreach_*`)."""

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


def packed_dims(ndim: int) -> RuntimeError:
    return RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {ndim} instead.")


def packed_length(wanted: int, got: int) -> RuntimeError:
    return RuntimeError(f"Expected length of scalars to match input of length {wanted} but got {got} instead.")


def no_lists() -> RuntimeError:
    return RuntimeError(
        "Expected !nested_tensorlist.empty() to be true, but got false.  (Could this error message be "
        "improved?  If so, please report an enhancement request to PyTorch.)"
    )


def lengths_differ() -> RuntimeError:
    return RuntimeError(
        "Expected std::all_of( nested_tensorlist.cbegin(), nested_tensorlist.cend(), [&](const auto& "
        "tensorlist) -> bool { return tensorlist.size() == num_tensors || tensorlist.size() == 0; }) "
        "to be true, but got false.  (Could this error message be improved?  If so, please report an "
        "enhancement request to PyTorch.)"
    )


def undefined(place: int) -> RuntimeError:
    return RuntimeError(
        f"Tensors of the first list of nested Tensor lists are supposed to be defined but the {place}-th Tensor is not."
    )


def element(place: int, argument: int, got: Any) -> TypeError:
    return TypeError(f"expected Tensor as element {place} in argument {argument}, but got {type_name(got)}")


def no_list(name: str, argument: str, position: int, got: Any) -> TypeError:
    return wrong_type(name, argument, position, "tuple of Tensors", got)


def no_maximum() -> RuntimeError:
    return RuntimeError(
        "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined."
    )


def no_infinity_norm() -> RuntimeError:
    return RuntimeError(
        "_foreach_norm cannot compute the infinity norm on an empty tensor because the operation does "
        "not have an identity"
    )


def no_products() -> RuntimeError:
    return RuntimeError("_foreach_mm requires non-empty tensor lists")


def products() -> RuntimeError:
    return RuntimeError("_foreach_mm: self and mat2 must have the same number of tensors")
