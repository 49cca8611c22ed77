"""PyTorch's error sentences about losses."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import scalar_name

Ints = tuple[int, ...]


def class_input_dims(ndim: int) -> ValueError:
    return ValueError(f"Expected 1 or more dimensions (got {ndim})")


def batch_sizes(rows: int, targets: int) -> ValueError:
    return ValueError(f"Expected input batch_size ({rows}) to match target batch_size ({targets}).")


def multi_target() -> RuntimeError:
    return RuntimeError("0D or 1D target tensor expected, multi-target not supported")


def target_size(wanted: Ints, got: Ints) -> RuntimeError:
    return RuntimeError(f"Expected target size {list(wanted)}, got {list(got)}")


def target_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"expected target dtype to be Long or Byte, but got {scalar_name(dtype)}")


def margin_target() -> RuntimeError:
    return RuntimeError("target out of range")


def margin_targets() -> RuntimeError:
    return RuntimeError("argument #2 'target' is out of range")


def target_out_of_bounds(target: int) -> IndexError:
    return IndexError(f"Target {target} is out of bounds.")


def class_weights(classes: int, shape: Ints) -> RuntimeError:
    return RuntimeError(f"weight tensor should be defined either for all {classes} classes or no classes but got "
                        f"weight "
                        f"tensor of shape: {list(shape)}")  # fmt: skip


def probabilities_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"Expected floating point type for target with class probabilities, got {scalar_name(dtype)}")


def label_smoothing_range(value: float) -> RuntimeError:
    return RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {value:g}")


def unknown_reduction(reduction: Any) -> ValueError:
    return ValueError(f"{reduction} is not a valid value for reduction")


def batch_shape(wanted: Ints, got: Ints) -> ValueError:
    return ValueError(f"Using a target size ({_size(got)}) that is different to the input size ({_size(wanted)}) is "
                      "deprecated. Please ensure they have the same size.")  # fmt: skip


def logits_shape(wanted: Ints, got: Ints) -> ValueError:
    return ValueError(f"Target size ({_size(got)}) must be the same as input size ({_size(wanted)})")


def _size(shape: Ints) -> str:
    return f"torch.Size([{', '.join(map(str, shape))}])"


def broadcast_sizes(wanted: Ints, got: Ints) -> str:
    return (f"Using a target size ({_size(got)}) that is different to the input size ({_size(wanted)}). This will "
            f"likely "
            "lead to incorrect results due to broadcasting. Please ensure they have the same size.")  # fmt: skip


def margin_power() -> ValueError:
    return ValueError("only p == 1 and p == 2 supported")


def negative_beta() -> RuntimeError:
    return RuntimeError("smooth_l1_loss does not support negative values for beta.")


def non_positive_delta() -> RuntimeError:
    return RuntimeError("huber_loss does not support non-positive values for delta.")


def not_probabilities() -> RuntimeError:
    return RuntimeError("all elements of input should be between 0 and 1")


def negative_variance() -> ValueError:
    return ValueError("var has negative entry/entries")


def variance_size() -> ValueError:
    return ValueError("var is of incorrect size")


def ranking_dims(a: Ints, b: Ints, target: Ints) -> RuntimeError:
    return RuntimeError("margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
                        f"{_size(a)}, input2: {_size(b)}, target: {_size(target)} ")  # fmt: skip


def triplet_margin(margin: float) -> ValueError:
    return ValueError(f"margin must be greater than 0, got {margin}")


def triplet_dims(a: int, p: int, n: int) -> RuntimeError:
    return RuntimeError(f"The anchor, positive, and negative tensors are expected to have the same number of "
                        f"dimensions, "
                        f"but got: anchor {a}D, positive {p}D, and negative {n}D inputs")  # fmt: skip
