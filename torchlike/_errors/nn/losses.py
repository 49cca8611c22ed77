"""PyTorch's error messages about losses."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import not_implemented, scalar_name

Ints = tuple[int, ...]


def class_input_dims(ndim: int) -> ValueError:
    return ValueError(f"Expected 1 or more dimensions (got {ndim})")


def batch_sizes(rows: int, targets: int) -> ValueError:
    return ValueError(f"Expected input batch_size ({rows}) to match target batch_size ({targets}).")


def multi_target() -> RuntimeError:
    return RuntimeError("0D or 1D target tensor expected, multi-target not supported")


def target_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"expected target dtype to be Long or Byte, but got {scalar_name(dtype)}")


def margin_target() -> RuntimeError:
    return RuntimeError("target out of range")


def margin_targets() -> RuntimeError:
    return RuntimeError("argument #2 'target' is out of range")


def target_out_of_bounds(target: int) -> IndexError:
    return IndexError(f"Target {target} is out of bounds.")


def class_weights(classes: int, shape: Ints) -> RuntimeError:
    return RuntimeError(
        f"weight tensor should be defined either for all {classes} classes or no classes but got weight "
        f"tensor of shape: {list(shape)}"
    )


def probabilities_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"Expected floating point type for target with class probabilities, got {scalar_name(dtype)}")


def batch_shape(wanted: Ints, got: Ints) -> ValueError:
    return ValueError(
        f"Using a target size ({_size(got)}) that is different to the input size ({_size(wanted)}) is "
        "deprecated. Please ensure they have the same size."
    )


def logits_shape(wanted: Ints, got: Ints) -> ValueError:
    return ValueError(f"Target size ({_size(got)}) must be the same as input size ({_size(wanted)})")


def _size(shape: Ints) -> str:
    return f"torch.Size([{', '.join(map(str, shape))}])"


def broadcast_sizes(wanted: Ints, got: Ints) -> str:
    return (
        f"Using a target size ({_size(got)}) that is different to the input size ({_size(wanted)}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )


def cosine_dims(dims: int, a: tuple, b: tuple) -> RuntimeError:
    return RuntimeError(
        f"{dims}D target tensor expects {dims + 1}D input tensors, but found inputs with sizes {list(a)} and {list(b)}."
    )


def weight_size() -> ValueError:
    return ValueError("Weights and input must have the same size.")


def negative_variance() -> ValueError:
    return ValueError("var has negative entry/entries")


def ranking_dims(a: Ints, b: Ints, target: Ints) -> RuntimeError:
    return RuntimeError(
        "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
        f"{_size(a)}, input2: {_size(b)}, target: {_size(target)} "
    )


def triplet_margin(margin: float) -> ValueError:
    return ValueError(f"margin must be greater than 0, got {margin}")


def triplet_dims(a: int, p: int, n: int) -> RuntimeError:
    return RuntimeError(
        f"The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
        f"but got: anchor {a}D, positive {p}D, and negative {n}D inputs"
    )


# -- CTC ---------------------------------------------------------------------------------------------------------------


def _while_checking(text: str) -> RuntimeError:
    return RuntimeError(f"{text} (while checking arguments for ctc_loss_allocate_outputs)")


_ALIGNED = ("float32", "float64")


def check_ctc(call: Any) -> None:
    """Check the dtypes and shapes of the CTC loss."""
    x, targets = call.log_probs, call.targets
    if 0 in x.shape and x.dtype.name in _ALIGNED:
        raise RuntimeError("log_probs tensor must not be empty")
    if x.ndim != 3:
        raise _while_checking(
            f"Expected 3-dimensional tensor, but got {x.ndim}-dimensional tensor for argument #1 'log_probs'"
        )
    if x.dtype.name not in _ALIGNED:
        raise not_implemented("ctc_loss_cpu", x.dtype)
    if not 0 <= call.blank < x.shape[2]:
        raise RuntimeError("blank must be in label range")
    for name in ("input_lengths", "target_lengths"):
        if call.arguments[name].numel != x.shape[1]:
            raise RuntimeError(f"{name} must be of size batch_size")
    if targets.ndim == 2 and targets.shape[0] != x.shape[1]:
        raise targets_size("", x.shape[1], 0, targets.shape[0])
    if targets.ndim not in (1, 2):
        raise _while_checking(
            f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for argument #2 'targets'"
        )


def length_range(name: str, bound: str, limit: int, got: int) -> RuntimeError:
    return _while_checking(f"Expected {name} to have value at {bound} {limit}, but got value {got}")


def targets_size(least: str, wanted: int, dim: int, got: int) -> RuntimeError:
    return _while_checking(
        f"Expected tensor to have size {least}{wanted} at dimension {dim}, but got size {got} for argument #2 'targets'"
    )


# -- linear cross entropy ----------------------------------------------------------------------------------------------


def check_linear_cross_entropy(input: Any, linear_weight: Any, linear_bias: Any) -> None:
    """Check the shapes of the cross entropy of a linear layer."""
    if input.ndim not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.ndim}")
    if linear_weight.ndim < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {linear_weight.ndim}")
    features, shape = input.shape[-1], tuple(linear_weight.shape)
    if features != shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{features} and {shape[-1]}, respectively"
        )
    if linear_bias is not None and tuple(linear_bias.shape) != shape[:-1]:
        raise RuntimeError(f"expected linear_bias shape {shape[:-1]}, got {tuple(linear_bias.shape)}")
    if len(shape) > 2 and input.ndim == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {shape} requires batched input, "
            f"(N, {features}), got unbatched input with shape {tuple(input.shape)}"
        )


def options_ignored(reduction: str, smoothing: float, dtype: Any, out: Ints, bias: Ints | None) -> str:
    return (
        "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
        "label_smoothing == 0, target.dtype == int64, out_features == (). Got "
        f"reduction={reduction!r}, label_smoothing={smoothing}, target.dtype={dtype}, out_features={out}, "
        f"tracing=False, linear_bias.shape={bias}."
    )


def chunk_option(name: str, got: Any) -> ValueError:
    return ValueError(f"invalid {name}: {got!r}")


def chunk_size(got: Any) -> ValueError:
    return ValueError(f"batch_chunk_size must be positive int or None, got {got!r}")
