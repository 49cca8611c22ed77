"""PyTorch's error sentences about normalization."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import scalar_name

Ints = tuple[int, ...]


def empty_normalized_shape() -> RuntimeError:
    return RuntimeError(
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
        "element, "
        "but got normalized_shape = []"
    )


def normalized_parameter(name: str, shape: Ints, wanted: Ints) -> RuntimeError:
    return RuntimeError(
        f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
        f"{list(shape)} and normalized_shape = {list(wanted)}"
    )


def normalized_input(wanted: Ints, shape: Ints, separator: str) -> RuntimeError:
    return RuntimeError(
        f"Given normalized_shape={list(wanted)}, expected input with shape "
        f"[*{separator}{', '.join(map(str, wanted))}], but got input of size{list(shape)}"
    )


def mixed_dtype() -> RuntimeError:
    return RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")


def unequal_dtypes() -> RuntimeError:
    return RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def group_norm_dims(ndim: int) -> RuntimeError:
    return RuntimeError(f"Expected at least 2 dimensions for input tensor but received {ndim}")


def group_norm_channels(shape: Ints, groups: int) -> RuntimeError:
    return RuntimeError(
        "Expected number of channels in input to be divisible by num_groups, but got input of shape "
        f"{list(shape)} and num_groups={groups}"
    )


def group_norm_groups(groups: int) -> Exception:
    if not groups:
        return ZeroDivisionError("integer division or modulo by zero")
    return RuntimeError(f"Expected num groups to be greater than 0, got {groups}")


def group_norm_parameter(name: str, shape: Ints, input_shape: Ints) -> RuntimeError:
    return RuntimeError(
        f"Expected {name} to be a vector of size equal to the number of channels in input, but got "
        f"{name} of shape {list(shape)} and input of shape {list(input_shape)}"
    )


def channel_vector(name: str, wanted: int, got: int) -> RuntimeError:
    return RuntimeError(f"{name} should contain {wanted} elements not {got}")


def needs_running(name: str) -> RuntimeError:
    return RuntimeError(f"{name} must be defined in evaluation mode")


def one_value_per_channel(shape: Any) -> ValueError:
    return ValueError(f"Expected more than 1 value per channel when training, got input size {shape}")


def one_spatial_element(shape: Any) -> ValueError:
    return ValueError(f"Expected more than 1 spatial element when training, got input size {shape}")


def instance_norm_running() -> RuntimeError:
    return RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")


def response_norm_dims(ndim: int) -> ValueError:
    return ValueError(f"Expected 3D or higher dimensionality                          input (got {ndim} dimensions)")


def vector_norm_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(
        f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {scalar_name(dtype)}"
    )


def negative_eps(eps: float) -> RuntimeError:
    return RuntimeError(f"eps must be non-negative, got: {eps:g}")


def cosine_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"expected common dtype to be floating point, yet common dtype is {scalar_name(dtype)}")


def check_response_window(ndim: int, size: int) -> None:
    """What `local_response_norm` asks of its window: PyTorch takes the mean by pooling."""
    if size in (0, -1):
        sizes = f"kH: {size} kW: 1" if ndim == 3 else f"kT: {size} kH: 1 kW: 1"
        raise RuntimeError(f"kernel size should be greater than zero, but got {sizes}")
    if size < 0:
        raise RuntimeError(
            f"pad should be at most half of effective kernel size, but got pad=0, kernel_size={size} and dilation=1"
        )


def check_native_groups(groups: int, channels: int) -> None:
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")


def check_repeated(name: str, running: Any, batch: int, channels: int) -> None:
    """Running statistics are repeated for each sample, which stands for channels."""
    if running.ndim > 1:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    count = running.numel() * batch
    if count != channels:
        raise channel_vector(name, channels, count)
