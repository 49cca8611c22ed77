"""PyTorch's error messages about activations, dropout and bilinear layers."""

from __future__ import annotations

from typing import Any

from torchlike._errors.arguments import wrong_type
from torchlike._errors.dtypes import c_name, expected_scalar_type, not_implemented, scalar_name


def shrink_range(largest: float, dtype: Any, got: float) -> RuntimeError:
    return RuntimeError(
        f"lambda must be in range [0, {largest:g}] for input dtype {scalar_name(dtype)}, but found {got:g}"
    )


def prelu_dtype(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(f"prelu: Type promoting not supported. Got {scalar_name(a)} and {scalar_name(b)}")


def dropout_probability(p: float, kind: type[Exception] = ValueError) -> Exception:
    return kind(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout2d_dims(ndim: int) -> str:
    return (
        f"dropout2d: Received a {ndim}-D input to dropout2d, which is deprecated and will result in an error in a "
        "future release. To retain the behavior and silence this warning, please use dropout instead. Note that "
        "dropout2d exists to provide channel-wise dropout on inputs with 2 spatial dimensions, a channel dimension, "
        "and an optional batch dimension (i.e. 3D or 4D inputs)."
    )


DROPOUT2D_BATCH = (
    "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input "
    "is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future release to "
    "interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
    "dropout behavior, please switch to using dropout1d instead."
)


def dropout3d_dims(ndim: int) -> str:
    return (
        f"dropout3d: Received a {ndim}-D input to dropout3d, which is deprecated and will result in an error in a "
        "future release. To retain the behavior and silence this warning, please use dropout instead. Note that "
        "dropout3d exists to provide channel-wise dropout on inputs with 3 spatial dimensions, a channel dimension, "
        "and an optional batch dimension (i.e. 4D or 5D inputs)."
    )


def bilinear_dtypes(call: Any) -> RuntimeError:
    given = {name: call.arguments[name] for name in ("input1", "input2", "weight", "bias")}
    listed = ", ".join(f"{name}: {c_name(x.dtype)}" for name, x in given.items() if x is not None)
    return RuntimeError(f"All tensors must have the same dtype, got {listed}")


def check_softmax_backward(grad: Any, output: Any, dim: int) -> None:
    """Check the shapes and dtypes of the gradient of softmax."""
    if tuple(grad.shape) != tuple(output.shape):
        raise RuntimeError(
            "Expected tensor for argument #1 'grad' to have same size as tensor for argument #2 "
            f"'output'; but {list(grad.shape)} does not equal {list(output.shape)} (while checking "
            "arguments for softmax_backward)"
        )
    if not hasattr(dim, "__index__"):
        raise wrong_type("_softmax_backward_data", "dim", 3, "int", dim)
    is_last = dim % max(grad.ndim, 1) == grad.ndim - 1
    if not grad.dtype.is_floating_point:
        raise not_implemented(f"softmax_backward_{'lastdim_' if is_last else ''}kernel_impl", grad.dtype)
    if grad.dtype is not output.dtype:
        raise expected_scalar_type(grad.dtype, output.dtype)


def check_attention(query: Any, key: Any, value: Any, dropout_p: Any) -> None:
    """Check the type of `dropout_p` and the numbers of dims of the inputs of attention."""
    if not hasattr(dropout_p, "__float__"):
        raise wrong_type("scaled_dot_product_attention", "dropout_p", None, "float", dropout_p)
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead."
        )
