"""PyTorch's error messages about gradients."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import c_name, scalar_name, type_text

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access "
    "the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)

SCALAR_WITHOUT_GRAD = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)


def swapped() -> RuntimeError:
    return RuntimeError(
        "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you try to run "
        "backward on a tensor that was swapped. For a module m with "
        "`torch.__future__.set_swap_module_params_on_conversion(True)` you should not change the device or dtype of "
        "the module (e.g. `m.cpu()` or `m.half()`) between running forward and backward. To resolve this, please only "
        "change the device/dtype before running forward (or after both forward and backward)."
    )


def leaf_in_place() -> RuntimeError:
    return RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def leaf_view_in_place() -> RuntimeError:
    return RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")


_FROZEN = {
    "no_grad": "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
    "moving both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be "
    "tracked) or both outside (if you want the inplace to be tracked).",
    "inference": "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
    "moving both the view and the inplace either both inside the inference_mode block (if you don't want the inplace "
    "to be tracked) or both outside (if you want the inplace to be tracked).",
    "several": "This view is the output of a function that returns multiple views. Such functions do not allow the "
    "output views to be modified inplace. You should replace the inplace operation by an out-of-place one.",
    "custom": "This view was created inside a custom Function (or because an input was returned as-is) and the "
    "autograd logic to handle view+inplace would override the custom backward associated with the custom Function, "
    "leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
    "Function.",
}


def frozen_view(made_by: tuple[int, str] | None, why: str, indirect: bool) -> RuntimeError:
    """Return the error for a write to a view whose gradient graph cannot represent the write.

    `indirect` means that the base was written to. `made_by` is the output number and the name of the view's gradient
    node.
    """
    what = "its base or another view of its base has been" if indirect else "is being"
    output = "" if made_by is None else f"Output {made_by[0]} of {made_by[1]} is a view "
    if made_by is not None and why in ("several", "custom"):
        text = f"{output}and {what} modified inplace."
    else:
        mode = "inference mode" if why == "inference" else "no_grad mode"
        where = "in normal mode" if why == "inference" else "with grad mode enabled"
        text = f"{output}of a view which was created in" if made_by else "A view was created in"
        text = f"{text} {mode} and {what} modified inplace {where}."
    return RuntimeError(f"{text} {_FROZEN[why]}")


def backward_twice() -> RuntimeError:
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward."
    )


def modified_in_place(tensor: Any, made_by: tuple[int, str] | None, version: int, expected: int) -> RuntimeError:
    source = "" if made_by is None else f", which is output {made_by[0]} of {made_by[1]},"
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{type_text(tensor)} {list(tensor.shape)}]{source} is at version {version}; expected version {expected} "
        "instead. " + _HINT_TO_DETECT
    )


_HINT_TO_DETECT = (
    "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)


def with_history(sentence: Any) -> Any:
    """Replace the hint that suggests anomaly detection by one about the stack trace that it has just printed."""
    seen = (
        "Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in "
        "question was changed in there or anywhere later. Good luck!"
    )
    return sentence.replace(_HINT_TO_DETECT, seen) if isinstance(sentence, str) else sentence


def unused_input(index: int) -> RuntimeError:
    return RuntimeError(
        f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
        "allow_unused=True if this is the desired behavior."
    )


def unflagging_non_leaf(wanted: bool = False) -> RuntimeError:
    hint = " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
    return RuntimeError(
        "you can only change requires_grad flags of leaf variables."
        + ("" if wanted else hint + "var_no_grad = var.detach().")
    )


def only_floating_requires_grad(kinds: str = "floating point") -> RuntimeError:
    return RuntimeError(f"only Tensors of {kinds} dtype can require gradients")


def data_of_integers() -> RuntimeError:
    return RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")


def out_with_grad(function: str) -> RuntimeError:
    return RuntimeError(
        f"{function}(): functions with out=... arguments don't support automatic differentiation, but "
        "one of the arguments requires grad."
    )


def invalid_gradient(maker: tuple[str, int] | None, got: Any, expected: Any) -> RuntimeError:
    """Return the error for a gradient of a wrong shape.

    `maker` is the name of the node that computed the gradient and the index of the node's input. It is None if the user
    passed the gradient.
    """
    name, place = maker or ("", 0)
    return RuntimeError(
        f"{f'Function {name} returned an ' if name else ''}invalid gradient at index {place} - got "
        f"{list(got)} but expected shape compatible with {list(expected)}"
    )


def check_grad(tensor: Any, grad: Any) -> None:
    """Check that a tensor can be the gradient of `tensor`."""
    if grad is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    if grad.dtype is not tensor.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{c_name(grad.dtype)}' to a tensor with "
            f"grad_dtype '{scalar_name(tensor.dtype)}'. The gradient must match the tensor's grad_dtype "
            "(defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a "
            "specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the "
            "dtypes of a tensor and its gradient may break downstream systems that assume they match."
        )
    if grad.device is not tensor.device:
        raise RuntimeError(
            f"attempting to assign a gradient with device type '{grad.device.type}' to a tensor with "
            f"device type '{tensor.device.type}'. Please ensure that the gradient and the tensor are on the same device"
        )
    if grad.shape != tensor.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(grad.shape)}' to a tensor of size "
            f"'{list(tensor.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )


# -- hooks on saved tensors --------------------------------------------------------------------------------------------


def pack_hook_wrote() -> RuntimeError:
    return RuntimeError(
        "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
        "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need "
        "to perform in-place operations on the input to a pack hook."
    )


def unpacked_no_tensor(made: Any) -> TypeError:
    return TypeError(
        f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(made).__name__}"
    )


# -- autograd.Function -------------------------------------------------------------------------------------------------

DIRTY_NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)


def function_instance(function: type) -> str:
    return (
        f"{function} should not be instantiated. Methods on autograd functions are all static, so you should "
        "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
        "version of PyTorch."
    )


def legacy_function() -> RuntimeError:
    return RuntimeError(
        "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
        "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
    )


def no_backward() -> NotImplementedError:
    return NotImplementedError(
        "You must implement either the backward or vjp method for your custom autograd.Function "
        "to use it with backward mode AD."
    )


def ctx_field(name: str, missing: str) -> AttributeError:
    return AttributeError(f"attribute '{name}' of 'torch._C._FunctionBase' objects is not {missing}")


def save_for_forward_takes_tensors() -> AssertionError:
    return AssertionError(
        "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes on ctx."
    )


def gradient_of_no_tensor(name: str, place: int) -> RuntimeError:
    return RuntimeError(
        f"function {name} returned a gradient different than None at position {place + 1}, but the "
        "corresponding forward input was not a Variable"
    )


def gradient_shape(name: str, place: int, got: Any, expected: Any) -> RuntimeError:
    return RuntimeError(
        f"Function {name} returned an invalid gradient at index {place} - got {list(got)} but expected "
        f"shape compatible with {list(expected)}"
    )


SHARED_STORAGE = (
    "`mark_shared_storage` is deprecated. Tensors with shared storages are automatically tracked. Note that calls to "
    "`set_()` are not tracked"
)


def dirty_leaf() -> RuntimeError:
    return RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")


def dirty_view_of_several() -> RuntimeError:
    return RuntimeError(
        "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
        "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input "
        "is not a view (using .clone() for example) or make your Function only return one Tensor (potentially "
        "splitting it into two Functions: one doing the inplace that returns a single Tensor and a second one that "
        "does the other operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this "
        "change."
    )


def unexpected_keyword(name: str) -> TypeError:
    return TypeError(f"forward() got an unexpected keyword argument '{name}'")


def complex_gradient() -> RuntimeError:
    return RuntimeError(
        "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but got "
        "false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
    )


def dirty_not_returned() -> RuntimeError:
    return RuntimeError(
        "Some elements marked as dirty during the forward method were not returned as output. The "
        "inputs that are modified inplace must all be outputs of the Function."
    )


def no_derivative(name: str) -> RuntimeError:
    return RuntimeError(f"derivative for {name} is not implemented")


def negative_slope_in_place(name: str) -> RuntimeError:
    more = " File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu "
    more += "backward calculation with negative slope"
    return RuntimeError(
        f"In-place {name} backward calculation is triggered with a negative slope which is not supported. This is "
        "caused by calling in-place forward function with a negative slope, please call out-of-place version instead."
        + (more if name == "leakyReLu" else "")
    )


def no_second_derivative(gradient: str) -> RuntimeError:
    if gradient.startswith("aten::"):
        return no_derivative(gradient)
    return NotImplementedError(f"the derivative for '{gradient}' is not implemented.")


def write_without_tangent() -> NotImplementedError:
    return NotImplementedError(
        "torchlike does not support in-place operations on a detached view of a tensor that has a forward gradient"
    )


def no_forward_derivative(name: str) -> NotImplementedError:
    return NotImplementedError(f"Trying to use forward AD with {name} that does not support it.")


def once_only() -> RuntimeError:
    return RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


# -- forward-mode AD ---------------------------------------------------------------------------------------------------


def tangent_shape(shape: Any, given: Any) -> RuntimeError:
    return RuntimeError(
        "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
        f"supported. Tensor is of size {list(shape)} while the given forward gradient is of size {list(given)}."
    )


def tangent_of_view_is_no_view() -> RuntimeError:
    return RuntimeError(
        "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
    )


def tangent_not_written() -> RuntimeError:
    return RuntimeError(
        "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying "
        "an input inplace, then the jvp function must modify the corresponding gradient inplace."
    )


def written_tangent_not_returned() -> RuntimeError:
    return RuntimeError(
        "An inplace custom Function is not returning the forward mode gradients as-is. If the forward is modifying an "
        "input inplace, then the jvp function must modify the gradient inplace and return it as-is."
    )


def tangent_count(expected: int, got: int) -> RuntimeError:
    return RuntimeError(
        f"Function's jvp returned an invalid number of forward gradients (expected {expected} but got {got})"
    )


# -- arguments of backward and grad ------------------------------------------------------------------------------------

REFERENCE_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)
ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts "
    "of the graph, please use torch.autograd.backward."
)


def no_inputs(function: str) -> RuntimeError:
    return RuntimeError(f"`inputs` argument to `{function}()` cannot be empty.")


def batched_gradient_shape(place: int, got: Any, expected: Any) -> RuntimeError:
    return RuntimeError(
        "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
        "sizes of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was "
        f"detected: grad_output[{place}] has a shape of {got} and output[{place}] has a shape of {expected}. If you "
        "only want some tensors in `grad_output` to be considered batched, consider using vmap."
    )


# -- anomaly detection -------------------------------------------------------------------------------------------------

ANOMALY_IS_ON = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)


def nan_gradient(name: str, place: int) -> RuntimeError:
    return RuntimeError(f"Function '{name}' returned nan values in its {place}th output.")


def hook_of_inner_node(name: str) -> NotImplementedError:
    return NotImplementedError(
        f"a hook on {name}: this node is part of an operator that torchlike records as one node. Register the hook on "
        "the operator's input or result, or call the operators that the operator is composed of"
    )


def anomaly_found(name: str, lines: list[str] | None) -> str:
    if lines is None:
        return (
            f"Error detected in {name}. No forward pass information available. Enable detect anomaly during "
            "forward pass for more information."
        )
    return f"Error detected in {name}. Traceback of forward call that caused the error:\n{''.join(lines)}"


def anomaly_induced(name: str, lines: list[str] | None) -> str:
    if lines is None:
        return f"\n\nPrevious calculation was induced by {name}. No forward pass information available."
    return (
        f"\n\nPrevious calculation was induced by {name}. Traceback of forward call that induced the previous "
        f"calculation:\n{''.join(lines)}"
    )


# -- inference mode ----------------------------------------------------------------------------------------------------


def write_to_inference() -> RuntimeError:
    return RuntimeError(
        "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
        "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
    )


def inference_saved() -> RuntimeError:
    return RuntimeError(
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
        "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it "
        "in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
    )


def inference_version() -> RuntimeError:
    return RuntimeError("Inference tensors do not track version counter.")


def inference_requires_grad() -> RuntimeError:
    return RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")


def detached_in_place() -> RuntimeError:
    return RuntimeError(
        "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, "
        "please use out-of-place `.detach()` instead"
    )


def not_differentiable(function: str, argument: str) -> RuntimeError:
    return RuntimeError(
        f"The function '{function}' is not differentiable with respect to argument '{argument}'. "
        "This input cannot have requires_grad True."
    )
