"""PyTorch's error messages about convolutions."""

from __future__ import annotations

import math
from typing import Any

from torchlike._errors.dtypes import c_name, expected_scalar_type, scalar_name

Ints = tuple[int, ...]


def _each(value: Any, count: int) -> Ints:
    return tuple(value) if isinstance(value, tuple | list) else (value,) * count


def _by(sizes: Any) -> str:
    return f"({' x '.join(map(str, sizes))})"


def _check_counts(call: Any, dims: int, names: tuple[str, ...]) -> None:
    for name in names:
        value = getattr(call, name)
        if isinstance(value, tuple | list) and len(value) not in (1, dims):
            raise RuntimeError(
                f"expected {name} to be a single integer value or a list of {dims} values to match the "
                f"convolution dimensions, but got {name}={list(value)}"
            )


def _check_common(call: Any, dims: int) -> None:
    x, w = call.input, call.weight
    name = call.op.name
    if x.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of "
            f"size: {list(x.shape)}"
        )
    if dims == 1 and w.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if w.ndim != dims + 2 and getattr(call, "padding", 0) == "same":
        raise RuntimeError(
            f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight{list(w.shape)}, but "
            f"got {x.ndim}-dimensional input of size {list(x.shape)} instead"
        )
    if w.ndim != dims + 2:
        raise RuntimeError(
            f"expected stride to be a single integer value or a list of {w.ndim - 2} values to match the "
            f"convolution dimensions, but got stride={list(_each(call.stride, dims))}"
        )
    _check_counts(
        call, dims, ("stride", "dilation") if isinstance(call.padding, str) else ("stride", "padding", "dilation")
    )
    # PyTorch pads first, and checks the bias last. It checks the bias of a transposed convolution last too.
    by_parts = getattr(call, "padding", 0) == "same" or "transpose" in call.op.name
    if call.bias is not None and call.bias.dtype is not x.dtype and not (by_parts and x.dtype is not w.dtype):
        raise RuntimeError(
            f"Input type ({c_name(x.dtype)}) and bias type ({c_name(call.bias.dtype)}) should be the same"
        )
    if x.dtype is not w.dtype:
        raise _weight_dtype(call, dims)
    _check_numbers(call, dims)
    _check_groups(call.groups, w.shape)


def _check_groups(groups: int, shape: Any) -> None:
    if shape[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, "
            f"but got weight of size {list(shape)} instead"
        )
    if shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, "
            f"but got weight of size [{list(shape)}] instead"
        )


def _weight_dtype(call: Any, dims: int) -> RuntimeError:
    """Return the error for a weight of another dtype, which depends on the library that PyTorch chooses."""
    x, w = call.input, call.weight
    batch = x.shape[0] if x.ndim == dims + 2 else 1
    size = batch * math.prod(x.shape[-dims - 1 :][:3])
    special = max(_each(call.stride, dims)) > 1 or max(_each(call.dilation, dims)) > 1 or batch >= 16
    shaped = special or any(n != 1 for n in w.shape[2:][-2:])
    large = call.groups > 1 or batch > 1 or size > 20480 or (dims > 1 and min(w.shape[-2:]) > 3)
    if str(x.dtype) == "torch.float32" and shaped and large:
        name = scalar_name(w.dtype)
        kind = "CPUBFloat16Type" if name == "BFloat16" else f"torch.{name}Tensor"
        return RuntimeError(
            f"Input type (torch.FloatTensor) and weight type ({kind}) should be the same or input should be a MKLDNN "
            "tensor and weight is a dense tensor"
        )
    return expected_scalar_type(x.dtype, w.dtype)


def _check_numbers(call: Any, dims: int) -> None:
    """Check the signs of the padding, the stride, the dilation and the number of groups."""
    if not isinstance(call.padding, str) and min(_each(call.padding, dims)) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(_each(call.stride, dims)) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(_each(call.dilation, dims)) < 0:
        raise RuntimeError("dilation should be greater than zero")
    if min(_each(call.dilation, dims)) == 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {list(_each(call.dilation, dims))}")
    if call.groups <= 0:
        raise RuntimeError("non-positive groups is not supported")


def _check_bias(call: Any, outputs: int, given: str) -> None:
    bias = call.bias
    if bias is not None and tuple(bias.shape) != (outputs,):
        raise RuntimeError(
            f"Given {given}weight of size {list(call.weight.shape)}, expected bias to be 1-dimensional with "
            f"{outputs} elements, but got bias of size {list(bias.shape)} instead"
        )


def check_convolution(call: Any, dims: int) -> None:
    """Check the shapes, dtypes and options of a convolution."""
    if isinstance(call.padding, str):
        if call.padding not in ("same", "valid"):
            raise RuntimeError(f"Invalid padding string: '{call.padding}'")
        if call.padding == "same" and any(s != 1 for s in _each(call.stride, dims)):
            raise RuntimeError("padding='same' is not supported for strided convolutions")
    _check_common(call, dims)
    x, w = call.input, call.weight
    shape = tuple(x.shape) if x.ndim == dims + 2 else (1, *x.shape)
    if shape[1] != w.shape[1] * call.groups:
        raise RuntimeError(
            f"Given groups={call.groups}, weight of size {list(w.shape)}, expected input{list(shape)} to "
            f"have {w.shape[1] * call.groups} channels, but got {shape[1]} channels instead"
        )
    _check_bias(call, w.shape[0], "")
    if isinstance(call.padding, str):
        pads = [0 if call.padding == "valid" else d * (k - 1) for d, k in zip(_each(call.dilation, dims), w.shape[2:])]
    else:
        pads = [2 * p for p in _each(call.padding, dims)]
    sizes = [n + p for n, p in zip(shape[2:], pads)]
    kernel = [d * (k - 1) + 1 for d, k in zip(_each(call.dilation, dims), w.shape[2:])]
    if any(n < k for n, k in zip(sizes, kernel)):
        raise RuntimeError(
            f"Calculated padded input size per channel: {_by(sizes)}. Kernel size: {_by(kernel)}. Kernel "
            "size can't be greater than actual input size"
        )
    _check_elements(x, w, shape, dims)


def _check_elements(x: Any, w: Any, shape: Ints, dims: int) -> None:
    """Check for empty dims. Batches and channels may be empty, but not the spatial dims and kernels."""
    if 0 in shape[2:]:  # PyTorch computes 1D convolutions as 2D convolutions
        raise RuntimeError(
            "Only zero batch or zero channel inputs are supported, but got input shape: "
            f"{[*shape[:2], *[1] * (dims == 1), *shape[2:]]}"
        )
    if 0 in w.shape[2:]:
        raise RuntimeError(f"Kernels must have elements, but got a weight of size {list(w.shape)}")


def check_transposed(call: Any, dims: int, sizes: list[int]) -> None:
    """Check the shapes, dtypes and options of a transposed convolution."""
    _check_common(call, dims)
    x, w = call.input, call.weight
    shape = tuple(x.shape) if x.ndim == dims + 2 else (1, *x.shape)
    if shape[1] != w.shape[0]:
        raise RuntimeError(
            f"Given transposed=1, weight of size {list(w.shape)}, expected input{list(shape)} to have "
            f"{w.shape[0]} channels, but got {shape[1]} channels instead"
        )
    _check_bias(call, w.shape[1] * call.groups, "transposed=1, ")
    _check_counts(call, dims, ("output_padding",))
    if min(_each(call.output_padding, dims)) < 0:
        raise RuntimeError("negative output_padding is not supported")
    extra, stride, dilation = (_each(getattr(call, n), dims) for n in ("output_padding", "stride", "dilation"))
    if any(e >= s and e >= d for e, s, d in zip(extra, stride, dilation)):
        names = ("depth", "height", "width")[3 - dims :]
        listed = " ".join(
            f"{what}_{n}: {v}"
            for what, values in (("output_padding", extra), ("stride", stride), ("dilation", dilation))
            for n, v in zip(names, values)
        )
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {listed}")
    if min(sizes) < 1:
        raise RuntimeError(
            f"Given input size per channel: {_by(shape[2:])}. Calculated output size per channel: "
            f"{_by(sizes)}. Output size is too small"
        )
    _check_elements(x, w, shape, dims)


def check_batched(x: Any, w: Any, options: dict[str, Any]) -> None:
    """Check that the input and the options of a batched convolution have as many dims as its weight requires."""
    if x.ndim != w.ndim:
        raise RuntimeError(
            f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight {list(w.shape)}, but "
            f"got {x.ndim}-dimensional input of size {list(x.shape)} instead"
        )
    for name, value in options.items():
        if len(value) not in (1, w.ndim - 2):
            raise RuntimeError(
                f"expected {name} to be a single integer value or a list of {w.ndim - 2} values to "
                f"match the convolution dimensions, but got {name}={list(value)}"
            )


def check_tbc(x: Any, w: Any, bias: Any) -> None:
    """Check the operands of `conv_tbc`."""
    for wrong, sentence in (
        (x.ndim != 3, "Input must have 3 dims: time, batch, in_channel"),
        (w.ndim != 3, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels."),
        (bias.ndim != 1, "Bias must be 1-D"),
        (x.shape[-1] != w.shape[1 % w.ndim], "Input dim 2 (input channels) is not == dim 1 in the weight tensor"),
        (bias.shape[:1] != w.shape[2:], "Bias size must equal dim 2 in the weight tensor (output channels)."),
    ):
        if wrong:
            raise RuntimeError(sentence)
