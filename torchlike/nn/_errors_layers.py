"""Error and warning messages of layers, losses and initialization, with PyTorch's wording."""

from __future__ import annotations

from typing import Any

from torchlike._internal import unsupported as unsupported

# -- layers ------------------------------------------------------------------------------------------------------------


def argument_renamed(old: str, new: str) -> str:
    return f"keyword argument `{old}` is deprecated and renamed to `{new}`"


def layer_dimensions(layer: str, argument: str, wanted: str, got: int) -> ValueError:
    if layer == "Softmax2d":
        return ValueError(f"{layer}: expected {argument} to be {wanted}, got {got}D instead")
    return ValueError(f"{layer}: Expected {argument} to be {wanted}, got {got}D instead")


def dropout_probability(p: float) -> ValueError:
    return ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def unflatten_size_element(kind: str, place: int) -> TypeError:
    return TypeError(f"unflattened_size must be tuple of ints, but found element of type {kind} at pos {place}")


def embedding_table_dimensions() -> AssertionError:
    return AssertionError("Embeddings parameter is expected to be 2-dimensional")


def embedding_padding_index(layer: str) -> AssertionError:
    first = "Padding_idx" if layer == "Embedding" else "padding_idx"
    return AssertionError(f"{first} must be within num_embeddings")


def adaptive_cutoffs() -> ValueError:
    return ValueError(
        "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is "
        "between 1 and n_classes-1"
    )


def adaptive_target_range(last: int, low: int, high: int) -> RuntimeError:
    return RuntimeError(f"Target values should be in [0, {last}], but values in range [{low}, {high}] were found. ")


# -- convolution and pooling -------------------------------------------------------------------------------------------


def conv_padding_mode(mode: str) -> ValueError:
    modes = "'zeros', 'reflect', 'replicate', 'circular'"
    return ValueError(f"padding_mode must be one of {{{modes}}}, but got padding_mode='{mode}'")


def conv_transpose_output_size_length(spatial: int, ndim: int, leading: int, got: int) -> ValueError:
    return ValueError(
        f"ConvTranspose{spatial}D: for {ndim}D input, output_size must have {spatial} or {spatial + leading} elements "
        f"(got {got})"
    )


def conv_transpose_output_size(wanted: list, low: list, high: list, shape: Any) -> ValueError:
    return ValueError(
        f"requested an output size of {wanted}, but valid sizes range from {low} to {high} (for an input of {shape})"
    )


# -- normalization -----------------------------------------------------------------------------------------------------


def norm_input_dimensions(wanted: str, got: int) -> ValueError:
    return ValueError(f"expected {wanted} input (got {got}D input)")


def instance_norm_features(dim: int, expected: int, got: int) -> ValueError:
    return ValueError(f"expected input's size at dim={dim} to match num_features ({expected}), but got: {got}.")


def instance_norm_features_unused(dim: int) -> str:
    return (
        f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing in "
        "num_features, which is not used because affine=False"
    )


def group_norm_channels(channels: int, groups: int) -> ValueError:
    return ValueError(f"num_channels ({channels}) must be divisible by num_groups ({groups})")


# -- losses ------------------------------------------------------------------------------------------------------------


def legacy_reduction(reduction: str) -> str:
    return f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead."


def nll_loss_2d() -> str:
    return (
        "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
        "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details."
    )


def triplet_margin(layer: str, margin: float) -> ValueError:
    return ValueError(f"{layer}: expected margin to be greater than 0, got {margin} instead")


# -- initialization ----------------------------------------------------------------------------------------------------


def init_needs_two_dimensions() -> ValueError:
    return ValueError("Only tensors with 2 dimensions are supported")


def initialising_nothing() -> str:
    return "Initializing zero-element tensors is a no-op"


def trunc_normal_far_mean() -> str:
    return "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."


def init_renamed(old: str, new: str) -> str:
    return f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`."


def lazy_conv_dimensions(spatial: int, name: str, shape: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected {spatial + 1}D (unbatched) or {spatial + 2}D (batched) input to {name}, but got input of size: "
        f"{shape}"
    )
