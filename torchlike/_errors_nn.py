"""PyTorch's error sentences of the neural-network operators, each written once: a function returns the exception."""

from __future__ import annotations

from typing import Any

from torchlike._errors import c_name, scalar_name

Ints = tuple[int, ...]


def no_kernel(kernel: str, dtype: Any) -> NotImplementedError:
    """PyTorch names the inner kernel that lacks a dtype, and so must we."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(dtype)}'")


# -- activations -------------------------------------------------------------------------------------------------------


def gelu_approximate() -> RuntimeError:
    return RuntimeError("approximate argument must be either none or tanh.")


def odd_glu(dim: int, size: int) -> RuntimeError:
    return RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {size}")


def prelu_count(weights: int, channels: int) -> RuntimeError:
    return RuntimeError("Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                        f"{weights} and channel size = {channels}.")  # fmt: skip


def prelu_dtype(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(f"prelu: Type promoting not supported. Got {scalar_name(a)} and {scalar_name(b)}")


def hardtanh_bounds() -> ValueError:
    return ValueError("min_val cannot be greater than max_val")


def dropout_probability(p: float) -> ValueError:
    return ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout1d_dims(ndim: int) -> RuntimeError:
    return RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d "
                        f"exists to "
                        "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an "
                        "optional batch dimension (i.e. 2D or 3D inputs).")  # fmt: skip


def dropout2d_dims(ndim: int) -> str:
    return (f"dropout2d: Received a {ndim}-D input to dropout2d, which is deprecated and will result in an error in a "
            "future release. To retain the behavior and silence this warning, please use dropout instead. Note that "
            "dropout2d exists to provide channel-wise dropout on inputs with 2 spatial dimensions, a channel "
            "dimension, "
            "and an optional batch dimension (i.e. 3D or 4D inputs).")  # fmt: skip


DROPOUT2D_BATCH = (
    "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input "
    "is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future release to "
    "interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
    "dropout "
    "behavior, please switch to using dropout1d instead."
)


def dropout3d_dims(ndim: int) -> str:
    return (f"dropout3d: Received a {ndim}-D input to dropout3d, which is deprecated and will result in an error in a "
            "future release. To retain the behavior and silence this warning, please use dropout instead. Note that "
            "dropout3d exists to provide channel-wise dropout on inputs with 3 spatial dimensions, a channel "
            "dimension, "
            "and an optional batch dimension (i.e. 4D or 5D inputs).")  # fmt: skip


# -- losses ------------------------------------------------------------------------------------------------------------


def mean_of_integers(dtype: Any) -> RuntimeError:
    return RuntimeError("mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
                        f"dtype. Got: {scalar_name(dtype)}")  # fmt: skip


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


# -- normalization -----------------------------------------------------------------------------------------------------


def empty_normalized_shape() -> RuntimeError:
    return RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                        "element, "
                        "but got normalized_shape = []")  # fmt: skip


def normalized_parameter(name: str, shape: Ints, wanted: Ints) -> RuntimeError:
    return RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                        f"{list(shape)} and normalized_shape = {list(wanted)}")  # fmt: skip


def normalized_input(wanted: Ints, shape: Ints, separator: str) -> RuntimeError:
    return RuntimeError(f"Given normalized_shape={list(wanted)}, expected input with shape "
                        f"[*{separator}{', '.join(map(str, wanted))}], but got input of size{list(shape)}")  # fmt: skip


def mixed_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"mixed dtype (CPU): expect parameter to have scalar type of {scalar_name(dtype)}")


def group_norm_dims(ndim: int) -> RuntimeError:
    return RuntimeError(f"Expected at least 2 dimensions for input tensor but received {ndim}")


def group_norm_channels(shape: Ints, groups: int) -> RuntimeError:
    return RuntimeError("Expected number of channels in input to be divisible by num_groups, but got input of shape "
                        f"{list(shape)} and num_groups={groups}")  # fmt: skip


def group_norm_parameter(name: str, shape: Ints, input_shape: Ints) -> RuntimeError:
    return RuntimeError(f"Expected {name} to be a vector of size equal to the number of channels in input, but got "
                        f"{name} of shape {list(shape)} and input of shape {list(input_shape)}")  # fmt: skip


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
    return ValueError("Expected 3D or higher dimensionality                          input (got "
                      f"{ndim} dimensions)")  # fmt: skip


def vector_norm_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                        f"{scalar_name(dtype)}")  # fmt: skip


def cosine_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"expected common dtype to be floating point, yet common dtype is {scalar_name(dtype)}")


# -- embedding ---------------------------------------------------------------------------------------------------------


def embedding_weight() -> RuntimeError:
    return RuntimeError("'weight' must be 2-D")


def embedding_indices(dtype: Any) -> RuntimeError:
    return RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
                        "Int; "
                        f"but got torch.{scalar_name(dtype)}Tensor instead (while checking arguments for "
                        f"embedding)")  # fmt: skip


def index_out_of_range() -> IndexError:
    return IndexError("index out of range in self")


def one_hot_dtype() -> RuntimeError:
    return RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")


def one_hot_empty() -> RuntimeError:
    return RuntimeError("Can not infer total number of classes from empty tensor.")


def one_hot_negative() -> RuntimeError:
    return RuntimeError("Class values must be non-negative.")


def one_hot_range() -> RuntimeError:
    return RuntimeError("Class values must be smaller than num_classes.")


# -- linear ------------------------------------------------------------------------------------------------------------


def bilinear_dims(a: int, b: int) -> RuntimeError:
    return RuntimeError(f"bilinear(): input dimensions do not match: got {a} and {b}")


def bilinear_batch(dim: int, a: int, b: int) -> RuntimeError:
    return RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {a} and {b}")


def bilinear_size(name: str, got: int, wanted: int) -> RuntimeError:
    return RuntimeError(f"bilinear(): {name} size does not match weight size: got {got} but expected {wanted}")


def bilinear_bias(got: int, wanted: int) -> RuntimeError:
    return RuntimeError(f"bilinear(): bias size does not match weight size: got {got} but expected {wanted}")


# -- convolution -------------------------------------------------------------------------------------------------------


def _each(value: Any, count: int) -> Ints:
    return tuple(value) if isinstance(value, tuple | list) else (value,) * count


def _by(sizes: Any) -> str:
    return f"({' x '.join(map(str, sizes))})"


def _check_counts(call: Any, dims: int, names: tuple[str, ...]) -> None:
    for name in names:
        value = getattr(call, name)
        if isinstance(value, tuple | list) and len(value) not in (1, dims):
            raise RuntimeError(f"expected {name} to be a single integer value or a list of {dims} values to match the "
                               f"convolution dimensions, but got {name}={list(value)}")  # fmt: skip


def _check_common(call: Any, dims: int) -> None:
    x, w = call.input, call.weight
    name = call.op.name
    if x.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got "
                           f"input of "
                           f"size: {list(x.shape)}")  # fmt: skip
    if w.ndim != dims + 2:
        raise RuntimeError(f"expected stride to be a single integer value or a list of {w.ndim - 2} values to match "
                           f"the "
                           f"convolution dimensions, but got stride={list(_each(call.stride, dims))}")  # fmt: skip
    _check_counts(
        call, dims, ("stride", "dilation") if isinstance(call.padding, str) else ("stride", "padding", "dilation")
    )
    if call.bias is not None and call.bias.dtype is not x.dtype:
        raise RuntimeError(
            f"Input type ({c_name(x.dtype)}) and bias type ({c_name(call.bias.dtype)}) should be the same"
        )
    if x.dtype is not w.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(x.dtype)} but found {scalar_name(w.dtype)}")
    if not isinstance(call.padding, str) and min(_each(call.padding, dims)) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(_each(call.stride, dims)) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(_each(call.dilation, dims)) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {list(_each(call.dilation, dims))}")
    if call.groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if w.shape[0] % call.groups:
        raise RuntimeError(f"Given groups={call.groups}, expected weight to be divisible by {call.groups} at "
                           f"dimension 0, "
                           f"but got weight of size [{list(w.shape)}] instead")  # fmt: skip


def _check_bias(call: Any, outputs: int, given: str) -> None:
    bias = call.bias
    if bias is not None and tuple(bias.shape) != (outputs,):
        raise RuntimeError(f"Given {given}weight of size {list(call.weight.shape)}, expected bias to be "
                           f"1-dimensional with "
                           f"{outputs} elements, but got bias of size {list(bias.shape)} instead")  # fmt: skip


def check_convolution(call: Any, dims: int) -> None:
    """Raise PyTorch's errors for the shapes, dtypes and options of a convolution."""
    if isinstance(call.padding, str):
        if call.padding not in ("same", "valid"):
            raise RuntimeError(f"Invalid padding string: '{call.padding}'")
        if call.padding == "same" and any(s != 1 for s in _each(call.stride, dims)):
            raise RuntimeError("padding='same' is not supported for strided convolutions")
    _check_common(call, dims)
    x, w = call.input, call.weight
    shape = tuple(x.shape) if x.ndim == dims + 2 else (1, *x.shape)
    if shape[1] != w.shape[1] * call.groups:
        raise RuntimeError(f"Given groups={call.groups}, weight of size {list(w.shape)}, expected input{list(shape)} "
                           f"to "
                           f"have {w.shape[1] * call.groups} channels, but got {shape[1]} channels "
                           f"instead")  # fmt: skip
    _check_bias(call, w.shape[0], "")
    if isinstance(call.padding, str):
        pads = [0 if call.padding == "valid" else d * (k - 1)
                for d, k in zip(_each(call.dilation, dims), w.shape[2:])]  # fmt: skip
    else:
        pads = [2 * p for p in _each(call.padding, dims)]
    sizes = [n + p for n, p in zip(shape[2:], pads)]
    kernel = [d * (k - 1) + 1 for d, k in zip(_each(call.dilation, dims), w.shape[2:])]
    if any(n < k for n, k in zip(sizes, kernel)):
        raise RuntimeError(f"Calculated padded input size per channel: {_by(sizes)}. Kernel size: {_by(kernel)}. "
                           f"Kernel "
                           "size can't be greater than actual input size")  # fmt: skip


def check_transposed(call: Any, dims: int, sizes: list[int]) -> None:
    """Raise PyTorch's errors for the shapes, dtypes and options of a transposed convolution."""
    _check_common(call, dims)
    x, w = call.input, call.weight
    shape = tuple(x.shape) if x.ndim == dims + 2 else (1, *x.shape)
    if shape[1] != w.shape[0]:
        raise RuntimeError(f"Given transposed=1, weight of size {list(w.shape)}, expected input{list(shape)} to have "
                           f"{w.shape[0]} channels, but got {shape[1]} channels instead")  # fmt: skip
    _check_bias(call, w.shape[1] * call.groups, "transposed=1, ")
    extra, stride, dilation = (_each(getattr(call, n), dims) for n in ("output_padding", "stride", "dilation"))
    if any(e >= s and e >= d for e, s, d in zip(extra, stride, dilation)):
        names = ("depth", "height", "width")[3 - dims :]
        listed = " ".join(f"{what}_{n}: {v}" for what, values in (("output_padding", extra), ("stride", stride),
                          ("dilation", dilation)) for n, v in zip(names, values))  # fmt: skip
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {listed}")
    if min(sizes) < 1:
        raise RuntimeError(f"Given input size per channel: {_by(shape[2:])}. Calculated output size per channel: "
                           f"{_by(sizes)}. Output size is too small")  # fmt: skip


# -- pooling -----------------------------------------------------------------------------------------------------------


def check_pooling(call: Any, dims: int, kernel: Ints, stride: Ints, pad: Ints, dilation: Ints, sizes: Any) -> None:
    """Raise PyTorch's errors for the shapes and options of pooling over windows."""
    name, x = call.op.name.lstrip("_").replace("_at", ""), call.input
    if len(kernel) != dims:
        words = {1: "a single int, or a tuple of one int", 2: "a single int, or a tuple of two ints",
                 3: "a single int, or a tuple of three ints"}[dims]  # fmt: skip
        raise RuntimeError(f"{name}: kernel_size must either be {words}")
    _check_pool_dims(name, x, dims)
    if any(s == 0 for s in stride):
        raise RuntimeError("stride should not be zero" if dims > 1 else f"{name}() stride must be greater than zero, "
                                                                        f"but "
                           f"got {stride[0]}")  # fmt: skip
    if min(dilation) < 1:
        listed = " ".join(f"dilation{d}: {n}" for d, n in zip("DHW"[3 - dims :], dilation))
        raise RuntimeError(f"dilation should be greater than zero, but got {listed}")
    if name == "max_pool1d" and x.dtype.category < 2:
        raise no_kernel("max_pool1d_impl", x.dtype)
    if getattr(call, "divisor_override", None) == 0:
        raise RuntimeError("divisor must be not zero")
    _check_pool_padding(name, kernel, pad, dilation)
    found = sizes()
    if min(found) < 1:
        raise _pooled_to_nothing(name, x, dims, found)


def _check_pool_dims(name: str, x: Any, dims: int) -> None:
    if name == "avg_pool1d" and x.ndim not in (2, 3):
        raise _pool1d_dims(x.ndim, name)
    if x.ndim in (dims + 1, dims + 2) and 0 not in x.shape[1:]:
        return
    if x.ndim <= dims and name == "avg_pool2d":
        raise IndexError(f"Dimension out of range (expected to be in range of [{-x.ndim}, {x.ndim - 1}], but got -3)")
    if name == "max_pool1d" or x.ndim in (dims + 1, dims + 2):
        raise RuntimeError(f"{'max_pool1d: ' if dims == 1 else ''}Expected {dims + 1}D or {dims + 2}D (batch mode) "
                           f"tensor "
                           f"with optional 0 dim batch size for input, but got:{list(x.shape)}")  # fmt: skip
    raise RuntimeError(f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input")


def _pool1d_dims(ndim: int, name: str) -> RuntimeError:
    return RuntimeError(f"Expected 2 to 3 dimensions, but got {ndim}-dimensional tensor for argument #1 'self' (while "
                        f"checking arguments for {name})")  # fmt: skip


def _check_pool_padding(name: str, kernel: Ints, pad: Ints, dilation: Ints) -> None:
    for k, p, d in zip(kernel, pad, dilation):
        if name == "max_pool1d" and p > k // 2:
            raise RuntimeError(f"max_pool1d() padding should be at most half of kernel size, but got padding={p} and "
                               f"kernel_size={k}")  # fmt: skip
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} "
                               f"and dilation={d}")  # fmt: skip


def _pooled_to_nothing(name: str, x: Any, dims: int, found: Ints) -> RuntimeError:
    if name == "max_pool1d":
        return RuntimeError(f"max_pool1d() Invalid computed output size: {found[0]}")
    given = x.shape[-dims - 1 :]
    before, after = ((given[0], 1, given[1]), (given[0], 1, *found)) if dims == 1 else (given, (given[0], *found))
    return RuntimeError(f"Given input size: ({'x'.join(map(str, before))}). Calculated output size: "
                        f"({'x'.join(map(str, after))}). Output size is too small")  # fmt: skip


def check_adaptive(call: Any, dims: int) -> None:
    """Raise PyTorch's errors for the shapes of adaptive pooling."""
    name, x, size = call.op.name.lstrip("_"), call.input, call.output_size
    if dims == 1 and x.ndim not in (2, 3):
        raise _pool1d_dims(x.ndim, name)
    if x.ndim not in (dims + 1, dims + 2):
        colon = ":" if "max" in name else ""
        raise RuntimeError(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{colon} {list(x.shape)}")
    if len(size) != dims:
        internal = "(): internal error: output_size.size()" if "max" in name else ": output_size"
        raise RuntimeError(f"{name}{internal} must be {dims}")
    if min(size) < 0 and "max" in name:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: "
                           f"{[*x.shape[:-dims], *size]}")  # fmt: skip
    if min(size) < 0:
        raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 but received "
                           f"{{{', '.join(map(str, size))}}}")  # fmt: skip
    for dim in range(x.ndim - dims, x.ndim):
        if not x.shape[dim]:
            raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input "
                               f"has "
                               f"sizes {list(x.shape)} with dimension {dim} being empty")  # fmt: skip
    if x.dtype.category < 2:
        raise no_kernel(name, x.dtype)


def unpool_size(size: list[int], dim: int, low: int, high: int) -> ValueError:
    return ValueError(f'invalid output_size "{size}" (dim {dim} must be between {low} and {high})')


def unpool_indices(dtype: Any) -> RuntimeError:
    return RuntimeError(f"elements in indices should be type int64 but got: {scalar_name(dtype)}")


# -- padding, pixels and windows ---------------------------------------------------------------------------------------


def odd_padding() -> RuntimeError:
    return RuntimeError("Padding length must be divisible by 2")


def long_padding(length: int, ndim: int) -> RuntimeError:
    return RuntimeError("Padding length should be less than or equal to two times the input dimension but got padding "
                        f"length {length} and input of dimension {ndim}")  # fmt: skip


def padding_value(mode: str) -> RuntimeError:
    return RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')


def check_constant_pad(x: Any, pad: Ints) -> None:
    if len(pad) % 2:
        raise odd_padding()
    if len(pad) > 2 * x.ndim:
        raise long_padding(len(pad), x.ndim)
    for i in range(0, len(pad), 2):
        size = x.shape[-1 - i // 2]
        if size + min(pad[i], 0) + min(pad[i + 1], 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")


def check_mirror_pad(x: Any, pad: Ints, mode: str) -> None:
    """Raise PyTorch's errors for padding with the tensor's own elements."""
    dims = len(pad) // 2
    if x.ndim not in (dims + 1, dims + 2) or dims > 3:
        raise NotImplementedError(f"Padding size {len(pad)} is not supported for {x.ndim}D input tensor.")
    for i in range(dims):
        dim, before, after = x.ndim - 1 - i, pad[2 * i], pad[2 * i + 1]
        size = x.shape[dim]
        if mode == "reflect" and max(before, after) >= size:
            raise RuntimeError(f"Argument #{4 + 2 * i}: Padding size should be less than the corresponding input "
                               f"dimension, but got: padding ({before}, {after}) at dimension {dim} of input "
                               f"{list(x.shape)}")  # fmt: skip
        if mode == "circular" and max(before, after) > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")


def check_shuffle(call: Any) -> None:
    x, r = call.input, call.upscale_factor
    if x.ndim < 3:
        raise RuntimeError("pixel_shuffle expects input to have at least 3 dimensions, but got input with "
                           f"{x.ndim} dimension(s)")  # fmt: skip
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    if x.shape[-3] % (r * r):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                           f"upscale_factor, but input.size(-3)={x.shape[-3]} is not divisible by {r * r}")  # fmt: skip


def check_unshuffle(call: Any) -> None:
    x, r = call.input, call.downscale_factor
    if x.ndim < 3:
        raise RuntimeError("pixel_unshuffle expects input to have at least 3 dimensions, but got input with "
                           f"{x.ndim} dimension(s)")  # fmt: skip
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    for name, dim in (("height", -2), ("width", -1)):
        if x.shape[dim] % r:
            raise RuntimeError(f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                               f"input.size({dim})={x.shape[dim]} is not divisible by {r}")  # fmt: skip


def check_channel_shuffle(call: Any) -> None:
    x, groups = call.input, call.groups
    if x.ndim <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(x.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if x.shape[1] % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {x.shape[1]} channels and {groups} "
                           "groups.")  # fmt: skip


def check_unfold(x: Any, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints, counts: Any) -> None:
    """Raise PyTorch's errors for taking windows of an image."""
    if x.ndim < 3:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-x.ndim}, {x.ndim - 1}], but got 2)")
    if x.ndim > 4:
        raise RuntimeError("Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
                           "dimensions "
                           f"for input, but got: {list(x.shape)}")  # fmt: skip
    if min(counts()) < 1:
        raise RuntimeError(f"Given input with spatial size {tuple(x.shape[-2:])}, kernel_size={kernel}, "
                           f"dilation={dilation}, "
                           f"padding={padding}, calculated shape of the array of sliding blocks as {counts()}, but its "
                           "components must be at least one.")  # fmt: skip


def check_fold(x: Any, size: Ints, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints, counts: Ints) -> None:
    """Raise PyTorch's errors for adding columns up to an image."""
    if x.ndim not in (2, 3):
        raise RuntimeError("Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
                           f"dimensions for input, but got: {list(x.shape)}")  # fmt: skip
    if x.shape[-2] % (kernel[0] * kernel[1]):
        raise RuntimeError("Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
                           "got "
                           f"input.size(1)={x.shape[-2]} and kernel_size={kernel}.")  # fmt: skip
    if x.shape[-1] != counts[0] * counts[1]:
        raise RuntimeError(f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
                           f"stride="
                           f"{stride}, expected size of input's dimension 2 to match the calculated number of sliding "
                           f"blocks {counts[0]} * {counts[1]} = {counts[0] * counts[1]}, but got "
                           f"input.size(2)={x.shape[-1]}.")  # fmt: skip


# -- recurrent networks ------------------------------------------------------------------------------------------------


def recurrent_params(count: int, each: int) -> RuntimeError:
    return RuntimeError(f"MatrixRef: ArrayRef size {count} not divisible by stride {each}")


def check_recurrent(call: Any) -> None:
    """Refuse sizes that do not fit the weights of a recurrent layer."""
    x, w = call.input, call.w_ih
    if x.ndim != 3:
        raise RuntimeError("input must have 3 dimensions, got " + str(x.ndim))
    if x.shape[2] != w.shape[1]:
        raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {w.shape[1]}, got {x.shape[2]}")
    for state in (call.h, call.c):
        if state is not None and state.shape[0] != x.shape[1]:
            raise RuntimeError(f"Expected hidden size {(1, x.shape[1], state.shape[1])}, got {[1, *state.shape]}")


def check_cell(call: Any) -> None:
    """Raise PyTorch's errors for one step of a recurrent network."""
    x, h, w_ih, w_hh = call.input, call.h, call.w_ih, call.w_hh
    if x.shape[1] != w_ih.shape[1]:
        raise RuntimeError(f"input has inconsistent input_size: got {x.shape[1]} expected {w_ih.shape[1]}")
    if x.shape[0] != h.shape[0]:
        raise RuntimeError(f"Input batch size {x.shape[0]} doesn't match hidden0 batch size {h.shape[0]}")
    if h.shape[1] != w_hh.shape[1]:
        raise RuntimeError(f"hidden0 has inconsistent hidden_size: got {h.shape[1]}, expected {w_hh.shape[1]}")


# -- attention ---------------------------------------------------------------------------------------------------------


def attention_dims(q: int, k: int, v: int) -> RuntimeError:
    return RuntimeError("Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
                        f"{q} key.dim: {k} and value.dim: {v} instead.")  # fmt: skip


def attention_dtypes(q: Any, k: Any, v: Any) -> RuntimeError:
    return RuntimeError("Expected query, key, and value to have the same dtype, but got query.dtype: "
                        f"{_c_words(q)} key.dtype: {_c_words(k)} and value.dtype: {_c_words(v)} instead.")  # fmt: skip


def _c_words(dtype: Any) -> str:
    return {"int64": "long int"}.get(dtype.name, c_name(dtype))


def attention_two_masks() -> RuntimeError:
    return RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")


def attention_mask_dtype(mask: Any, query: Any) -> RuntimeError:
    return RuntimeError("Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                        "attn_mask.dtype: "
                        f"{_c_words(mask)} and  query.dtype: {_c_words(query)} instead.")  # fmt: skip


def attention_sizes(q: Ints, k: Ints) -> RuntimeError:
    return RuntimeError(f"The size of tensor a ({q[-1]}) must match the size of tensor b ({k[-1]}) at non-singleton "
                        "dimension -1")  # fmt: skip


# -- resizing ----------------------------------------------------------------------------------------------------------


def align_corners_mode() -> ValueError:
    return ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | "
                      "bicubic | "
                      "trilinear")  # fmt: skip


def antialias_mode() -> ValueError:
    return ValueError("Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D "
                      "tensor as "
                      "input")  # fmt: skip


def resize_dims(ndim: int, mode: str) -> NotImplementedError:
    return NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: "
                               "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact "
                               "(got "
                               f"{mode})")  # fmt: skip


def resize_size(spatial: list[int], size: Any) -> ValueError:
    return ValueError(f"Input and output must have the same number of spatial dimensions, but got input with spatial "
                      f"dimensions of {spatial} and output size of {size}. Please provide input tensor in (N, C, d1, "
                      f"d2, "
                      "...,dK) format and output size in (o1, o2, ...,oK) format.")  # fmt: skip


def resize_factors(spatial: list[int], factor: Any) -> ValueError:
    return ValueError(f"Input and scale_factor must have the same number of spatial dimensions, but got input with "
                      f"spatial "
                      f"dimensions of {spatial} and scale_factor of shape {factor}. Please provide input tensor in "
                      f"(N, C, "
                      "d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format.")  # fmt: skip


def check_resize(call: Any) -> None:
    before, after = call.input.shape[2:], call.size
    if 0 in before or min(after) < 1:
        names = "DHW"[3 - len(after) :]
        named = lambda sizes: ", ".join(f"{d}: {n}" for d, n in zip(names, sizes))
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input ({named(before)}) output "
                           f"({named(after)})")  # fmt: skip


def grid_mode(mode: str) -> ValueError:
    return ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
                      f"'{mode}'")  # fmt: skip


def grid_padding(mode: str) -> ValueError:
    return ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
                      "but "
                      f"got: '{mode}'")  # fmt: skip


def grid_size(dims: int, shape: Ints) -> RuntimeError:
    return RuntimeError(f"grid_sampler(): expected grid to have size {dims} in last dimension, but got grid with sizes "
                        f"{list(shape)}")  # fmt: skip
