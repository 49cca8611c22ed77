"""PyTorch's error messages about embeddings and embedding bags."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import scalar_name


def embedding_weight() -> RuntimeError:
    return RuntimeError("'weight' must be 2-D")


def embedding_indices(dtype: Any, place: int = 1, function: str = "embedding") -> RuntimeError:
    got = "CPUBoolType" if dtype.name == "bool" else f"torch.{scalar_name(dtype)}Tensor"
    return RuntimeError(
        f"Expected tensor for argument #{place} 'indices' to have one of the following scalar types: "
        f"Long, Int; but got {got} instead (while checking arguments for {function})"
    )


def check_bags(call: Any) -> None:
    """Check the dtypes of an embedding bag."""
    whole, floating = ("int64", "int32"), ("float16", "bfloat16", "float32", "float64")
    for name, taken, words in (
        ("indices", whole, "Long, Int"),
        ("offsets", whole, "Long, Int"),
        ("weight", floating, "Half, BFloat16, Float, Double"),
    ):
        given = call.arguments[name]
        if given is not None and given.dtype.name not in taken:
            raise RuntimeError(
                f"Expected tensor for argument #1 '{name if name == 'weight' else 'indices'}' to have "
                f"one of the following scalar types: {words}; but got torch."
                f"{scalar_name(given.dtype)}Tensor instead (while checking arguments for embedding_bag)"
            )
    weights = call.per_sample_weights
    if weights is not None and weights.dtype is not call.weight.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type torch.{scalar_name(call.weight.dtype)}Tensor does not "
            f"equal torch.{scalar_name(weights.dtype)}Tensor (while checking arguments for embedding_bag)"
        )


def bag_offsets_unasked(kind: str) -> ValueError:
    return ValueError(
        "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
        f"length sequences. However, found offsets of type {kind}"
    )


def bag_maximum(of: str) -> ValueError:
    return ValueError(f"max mode does not support {of}")


def bag_padding(rows: int, got: int) -> RuntimeError:
    return RuntimeError(
        f"padding_idx must be within the number of embeddings, {-rows} through {rows - 1}, but got {got}"
    )


def bag_last_offset(length: int, got: int) -> RuntimeError:
    return RuntimeError(f"offsets[-1] can not be greater than input's length {length} but got offsets[-1] of {got}")


def bag_index(place: int, value: int, rows: int) -> RuntimeError:
    return RuntimeError(f"Index {place} of input takes value {value} which is not in the valid range [0, {rows})")


def not_of_types(function: str, place: int, argument: str, types: str, dtype: Any) -> RuntimeError:
    got = f"torch.{scalar_name(dtype)}Tensor"
    return RuntimeError(
        f"Expected tensor for argument #{place} '{argument}' to have one of the following scalar "
        f"types: {types}; but got {got} instead (while checking arguments for {function})"
    )
