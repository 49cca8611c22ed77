"""PyTorch's error messages about normalization."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import expected_scalar_type, scalar_name

Ints = tuple[int, ...]


def normalized_input(wanted: Ints, shape: Ints, separator: str) -> RuntimeError:
    return RuntimeError(
        f"Given normalized_shape={list(wanted)}, expected input with shape "
        f"[*{separator}{', '.join(map(str, wanted))}], but got input of size{list(shape)}"
    )


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


def channel_vector(name: str, wanted: int, got: int) -> RuntimeError:
    return RuntimeError(f"{name} should contain {wanted} elements not {got}")


def one_statistic() -> ValueError:
    return ValueError("running_mean and running_var must either both be None or neither be None")


def statistics_dims(ndim: int) -> RuntimeError:
    return RuntimeError(f"TensorAccessor expected 1 dims but tensor has {ndim}")


def one_value_per_channel(shape: Any) -> ValueError:
    return ValueError(f"Expected more than 1 value per channel when training, got input size {shape}")


def vector_norm_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(
        f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {scalar_name(dtype)}"
    )


def cosine_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"expected common dtype to be floating point, yet common dtype is {scalar_name(dtype)}")


def check_response_window(ndim: int, size: int) -> None:
    """Check the window of `local_response_norm`. PyTorch raises the errors of pooling, with which it is computed."""
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
    """Check running statistics of instance norm, which PyTorch repeats for each sample of the batch."""
    if running.ndim > 1:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    count = running.numel() * batch
    if count != channels:
        raise channel_vector(name, channels, count)


def check_parameter_dtypes(input: Any, parameters: Any) -> None:
    """Check that all parameters have the input's dtype, or that all are float32 with a half-precision input.

    The first parameter's dtype decides which of the two applies.
    """
    x = input.dtype
    dtypes = [given.dtype for given in parameters if given is not None]
    mixed = bool(dtypes) and dtypes[0] is not x
    for dtype in dtypes:
        if mixed and dtype.name != "float32":
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if not mixed and dtype is not x:
            raise expected_scalar_type(x, dtype)
    if mixed and x.itemsize != 2:
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
