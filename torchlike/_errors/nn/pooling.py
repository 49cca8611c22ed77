"""PyTorch's error messages about pooling."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import not_implemented, scalar_name
from torchlike._errors.making import negative_dim
from torchlike._errors.shapes import dim_out_of_range

Ints = tuple[int, ...]


def check_pooling(call: Any, dims: int, kernel: Ints, stride: Ints, pad: Ints, dilation: Ints, sizes: Any) -> None:
    """Check the shapes and options of window pooling."""
    name, x = call.op.name.lstrip("_").replace("_at", ""), call.input
    alone = call.op.name == "_max_pool1d"  # PyTorch has a 1-D kernel for max pooling without indices
    for option, given in (("kernel_size", kernel), ("stride", stride), ("padding", pad), ("dilation", dilation)):
        if len(given) != dims:
            raise _count(name, option, dims, len(given), alone)
    if alone:
        _check_alone(name, x, kernel[0], stride[0], pad[0], dilation[0])
    else:
        _check_windows(name, x, dims, kernel, stride, pad, dilation)
    if getattr(call, "divisor_override", None) == 0:
        raise RuntimeError("divisor must be not zero")
    found = sizes()
    if min(found) < 1:
        raise _pooled_to_nothing(x, dims, found, alone)
    if alone and x.dtype.category < 2:
        raise not_implemented("max_pool1d_impl", x.dtype)


def _count(name: str, option: str, dims: int, got: int, alone: bool) -> RuntimeError:
    """Return the error for a window option, such as `stride`, with a wrong number of values."""
    if alone:
        none, comma = "None, " if option == "stride" else "", "," if option in ("stride", "padding") else ""
        return RuntimeError(
            f"{name}() {option} must be {none}an int, list of ints{comma} or tuple of ints of size 1 but got size {got}"
        )
    if dims == 1:
        return RuntimeError(f"{name}() argument '{option}' should contain one int (got {got})")
    must_be = "must be" if name == "avg_pool3d" else "must be either" if option == "dilation" else "must either be"
    omitted, words = "omitted, " if option == "stride" else "", {2: "two", 3: "three"}[dims]
    return RuntimeError(f"{name}: {option} {must_be} {omitted}a single int, or a tuple of {words} ints")


def _by_letter(prefix: str, numbers: Ints) -> str:
    """Return the numbers of each dim with the dim's letter. One dim is shown as two."""
    numbers = numbers if len(numbers) > 1 else (1, *numbers)
    return " ".join(f"{prefix}{letter}: {n}" for letter, n in zip("THW"[3 - len(numbers) :], numbers))


def _check_windows(name: str, x: Any, dims: int, kernel: Ints, stride: Ints, pad: Ints, dilation: Ints) -> None:
    if x.ndim not in (dims + 1, dims + 2):
        _check_pool_dims(name, x, dims)
    if any(abs(n) >= 1 << 31 for n in (*kernel, *stride, *pad, *dilation)):
        raise RuntimeError("value cannot be converted to type int without overflow")
    if min(kernel) == 0 and name.startswith("avg"):
        raise RuntimeError(f"kernel size should be greater than zero, but got {_by_letter('k', kernel)}")
    if min(stride) < 0 and min(kernel) > 0:
        raise RuntimeError(f"stride should be greater than zero, but got {_by_letter('d', stride)}")
    if any(s == 0 for s in stride):
        raise RuntimeError(
            "stride should not be zero"
            if dims > 1
            else f"{name}() stride must be greater than zero, but got {stride[0]}"
        )
    if min(dilation) < 1:
        listed = " ".join(f"dilation{d}: {n}" for d, n in zip("DHW"[3 - dims :], dilation))
        raise RuntimeError(f"dilation should be greater than zero, but got {listed}")
    _check_pool_padding(kernel, pad, dilation)
    _check_pool_dims(name, x, dims)


def _check_alone(name: str, x: Any, kernel: int, stride: int, pad: int, dilation: int) -> None:
    if x.ndim not in (2, 3) or 0 in x.shape[x.ndim - 2 :]:
        raise RuntimeError(f"{name}: {_batch_mode(1, x.shape)}")
    for what, number in (("kernel_size", kernel), ("stride", stride)):
        if number < 1:
            raise RuntimeError(f"{name}() {what} must be greater than zero, but got {number}")
    if pad < 0:
        raise RuntimeError(f"{name}() padding must be non-negative, but got {pad}")
    if pad > kernel // 2:
        raise RuntimeError(
            f"{name}() padding should be at most half of kernel size, but got padding={pad} and kernel_size={kernel}"
        )
    if dilation < 1:
        raise RuntimeError(f"{name}() dilation must be greater than zero, but got {dilation}")


def _check_pool_dims(name: str, x: Any, dims: int) -> None:
    if dims == 1 and x.ndim not in (2, 3):
        raise _pool1d_dims(x.ndim, name)
    if x.ndim in (dims + 1, dims + 2) and 0 not in x.shape[x.ndim - dims - 1 :]:
        return
    if dims == 3 and x.ndim in (4, 5):
        inner = "max_pool3d_with_indices_out_cpu_template" if name == "max_pool3d" else name
        raise RuntimeError(
            f"{inner}(): Expected input's non-batch dimensions to have "
            f"positive length, but input has a shape of {list(x.shape)} and non-batch dimension 0 has length zero!"
        )
    if x.ndim <= dims and name == "avg_pool2d":
        raise dim_out_of_range(-3, x.ndim)
    if x.ndim in (dims + 1, dims + 2) or name == "avg_pool2d":
        shape = (*x.shape[:-1], 1, x.shape[-1]) if dims == 1 else x.shape  # PyTorch pools one dim as two
        raise RuntimeError(_batch_mode(max(dims, 2), shape))
    raise RuntimeError(f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input")


def _batch_mode(dims: int, shape: Ints) -> str:
    return (
        f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch size for input, "
        f"but got:{list(shape)}"
    )


def _pool1d_dims(ndim: int, name: str) -> RuntimeError:
    return RuntimeError(
        f"Expected 2 to 3 dimensions, but got {ndim}-dimensional tensor for argument #1 'self' (while "
        f"checking arguments for {name})"
    )


def _check_pool_padding(kernel: Ints, pad: Ints, dilation: Ints) -> None:
    for k, p, d in zip(kernel, pad, dilation):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} "
                f"and dilation={d}"
            )


def _pooled_to_nothing(x: Any, dims: int, found: Ints, alone: bool) -> RuntimeError:
    if alone:
        return RuntimeError(f"max_pool1d() Invalid computed output size: {found[0]}")
    given = x.shape[-dims - 1 :]
    before, after = ((given[0], 1, given[1]), (given[0], 1, *found)) if dims == 1 else (given, (given[0], *found))
    return RuntimeError(
        f"Given input size: ({'x'.join(map(str, before))}). Calculated output size: "
        f"({'x'.join(map(str, after))}). Output size is too small"
    )


def check_adaptive(call: Any, dims: int) -> None:
    """Check the shapes of adaptive pooling."""
    name, x, size = call.op.name.lstrip("_"), call.input, call.output_size
    if dims == 1 and x.ndim not in (2, 3):
        raise _pool1d_dims(x.ndim, name)
    if x.ndim not in (dims + 1, dims + 2):
        colon = ":" if "max" in name else ""
        raise RuntimeError(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{colon} {list(x.shape)}")
    if len(size) != dims:
        if dims == 1:
            raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {len(size)})")
        internal = "(): internal error: output_size.size()" if "max" in name else ": output_size"
        raise RuntimeError(f"{name}{internal} must be {dims}")
    lone = (1,) if dims == 1 else ()  # PyTorch pools one dim as two
    if min(size) < 0 and "max" in name:
        raise negative_dim(min(size), (*x.shape[:-dims], *lone, *size))
    if min(size) < 0:
        listed = ",".join(map(str, (*lone, *size))).replace(",", ", ", 1)  # PyTorch's own spacing
        raise RuntimeError(
            f"{name.replace('1d', '2d')}: elements of output_size must be greater than or equal to 0 "
            f"but received {{{listed}}}"
        )
    shape, inner = tuple(x.shape), name
    if name == "adaptive_avg_pool1d":  # PyTorch pools one dim as two
        shape, inner = (*shape[:-1], 1, shape[-1]), "adaptive_avg_pool2d"
    first = 1 if "max" in name or dims == 3 else len(shape) - 2
    for dim in range(first, len(shape)):
        if not shape[dim]:
            raise RuntimeError(
                f"{inner}(): Expected input to have non-zero size for non-batch dimensions, but input has "
                f"sizes {list(shape)} with dimension {dim} being empty"
            )
    if x.dtype.category < 2:
        raise not_implemented(name.replace("1d", "2d") + "_cpu" * (dims == 3), x.dtype)


def fractional_size_missing(name: str) -> ValueError:
    return ValueError(f"{name} requires specifying either an output_size or an output_ratio")


def check_fractional(call: Any, dims: int) -> None:
    """Check the shapes of fractional max pooling."""
    name, x, samples = call.op.name.lstrip("_"), call.input, call.samples
    for option in ("kernel_size", "output_size"):
        if len(getattr(call, option)) != dims:
            raise RuntimeError(f"{name}: {option} must either be a single Int or tuple of Ints")
    place = f"{name}{'_out' if dims == 3 else ''}()"
    if x.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"{place}: Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(x.shape)}")
    for dim in range(1, x.ndim):
        if not x.shape[dim]:
            raise RuntimeError(
                f"{place}: Expected input to have non-zero size for non-batch dimensions, but got"
                f"{list(x.shape)} with dimension {dim} being empty."
            )
    words = ("time", "height", "width")[3 - dims :]
    for word, size, count, kernel in zip(words, x.shape[-dims:], call.output_size, call.kernel_size):
        if count + kernel - 1 > size:
            raise RuntimeError(f"{place}: pool {word} {kernel} too large relative to input {word} {size}")
    if min(call.kernel_size) < 1:
        raise RuntimeError(f"{name}: kernel_size must be positive, but got {list(call.kernel_size)}")
    if min(call.output_size) < 0:
        raise negative_dim(min(call.output_size), (*x.shape[:-dims], *call.output_size))
    if samples.dtype is not x.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    if samples.ndim != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.ndim}")
    batch = x.shape[0] if x.ndim == dims + 2 else 1
    if samples.shape[0] < batch:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples.shape[1] != x.shape[-dims - 1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if samples.shape[2] != dims:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {dims}; got {samples.shape[2]}.")


def unpool_shape(input: Ints, indices: Ints, lone: bool) -> RuntimeError:
    one = [1] if lone else []
    return RuntimeError(
        "Expected shape of indices to be same as that of the input tensor "
        f"({[*input, *one]}) but got indices tensor with shape: {[*indices, *one]}"
    )


def unpool_indices(dtype: Any) -> RuntimeError:
    return RuntimeError(f"elements in indices should be type int64 but got: {scalar_name(dtype)}")
