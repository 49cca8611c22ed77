"""PyTorch's error sentences about gradients."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import c_name, scalar_name

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access "
    "the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more informations."
)


def leaf_in_place() -> RuntimeError:
    return RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def leaf_view_in_place() -> RuntimeError:
    return RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")


def backward_twice() -> RuntimeError:
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward."
    )


def modified_in_place(tensor: Any, made_by: tuple[int, str] | None, version: int, expected: int) -> RuntimeError:
    kind = ("torch.cuda." if tensor.device.type == "cuda" else "torch.") + scalar_name(tensor.dtype) + "Tensor"
    source = "" if made_by is None else f", which is output {made_by[0]} of {made_by[1]},"
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{kind} {list(tensor.shape)}]{source} is at version {version}; expected version {expected} instead. Hint: "
        "enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )


def no_grad_fn(index: int) -> RuntimeError:
    return RuntimeError(f"element {index} of tensors does not require grad and does not have a grad_fn")


def scalar_only() -> RuntimeError:
    return RuntimeError("grad can be implicitly created only for scalar outputs")


def unused_input(index: int) -> RuntimeError:
    return RuntimeError(f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
                        "allow_unused=True if this is the desired behavior.")  # fmt: skip


def unflagging_non_leaf() -> RuntimeError:
    return RuntimeError("you can only change requires_grad flags of leaf variables. If you want to use a computed "
                        "variable in a subgraph that doesn't require differentiation use var_no_grad = "
                        "var.detach().")  # fmt: skip


def only_floating_requires_grad() -> RuntimeError:
    return RuntimeError("only Tensors of floating point dtype can require gradients")


def check_grad(tensor: Any, grad: Any) -> None:
    """Raise PyTorch's errors for a tensor that cannot be `tensor`'s gradient."""
    if grad is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    if grad.dtype is not tensor.dtype:
        raise RuntimeError(f"attempting to assign a gradient with dtype '{c_name(grad.dtype)}' to a tensor with dtype "
                           f"'{c_name(tensor.dtype)}'. The gradient must match the tensor's dtype (by default). If the "
                           "tensor is a parameter, set tensor.grad_dtype to the desired dtype.")  # fmt: skip
    if grad.device is not tensor.device:
        raise RuntimeError(f"attempting to assign a gradient with device type '{grad.device.type}' to a tensor with "
                           f"device type '{tensor.device.type}'. Please ensure that the gradient and the tensor are on "
                           "the same device")  # fmt: skip
    if grad.shape != tensor.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(grad.shape)}' to a tensor of size "
            f"'{list(tensor.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
