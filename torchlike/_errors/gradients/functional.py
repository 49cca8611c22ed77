"""PyTorch's error messages of `autograd.functional`."""

from __future__ import annotations

from typing import Any


def not_tensors(what: str, name: str, given: Any, index: int | None) -> TypeError:
    where = f"given {what}" if index is None else f"value at index {index}"
    return TypeError(
        f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {where} has type "
        f"{type(given)}."
    )


def vector_of_outputs(name: str) -> RuntimeError:
    return RuntimeError(
        "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
    )


def vector_of_inputs(name: str) -> RuntimeError:
    return RuntimeError(
        "The vector v can only be None if the input to the user-provided function is a single Tensor "
        "with a single element."
    )


def vector_length(expected: int, got: int) -> RuntimeError:
    return RuntimeError(f"v is a tuple of invalid length: should be {expected} but got {got}.")


def vector_not_single() -> RuntimeError:
    return RuntimeError("The given v should contain a single Tensor.")


def vector_shape(entry: str, expected: Any, got: Any) -> RuntimeError:
    return RuntimeError(f"{entry}v has invalid size: should be {expected} but got {got}.")


def single_tensor(name: str) -> RuntimeError:
    return RuntimeError(f"The function given to {name} should return a single Tensor")


def single_element(name: str) -> RuntimeError:
    return RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")


# -- strict mode -------------------------------------------------------------------------------------------------------


def independent_output(place: int) -> RuntimeError:
    return RuntimeError(
        f"The output of the user-provided function is independent of input {place}. This is not allowed in strict mode."
    )


def requires_no_grad(kind: str, place: int) -> RuntimeError:
    if kind == "jacobian":
        return RuntimeError(
            "While computing the hessian, found that the jacobian of the user-provided function with respect to input "
            f"{place} is independent of the input. This is not allowed in strict mode. You should ensure that your "
            "function is twice differentiable and that the jacobian depends on the inputs (this would be violated by a "
            "linear function for example)."
        )
    if kind == "grad_inputs":
        return RuntimeError(
            f"The gradient with respect to input {place} is independent of the inputs of the "
            "user-provided function. This is not allowed in strict mode."
        )
    return RuntimeError(
        f"Output {place} of the user-provided function does not require gradients. The outputs must be computed in a "
        "differentiable manner from the input when running in strict mode."
    )


def independent(stage: str, place: int) -> RuntimeError:
    return RuntimeError(
        {
            "back": f"The output of the user-provided function is independent of input {place}. This is not allowed in "
            "strict mode.",
            "back_trick": f"The gradient with respect to the input is independent of entry {place} in the grad_outputs "
            "when using the double backward trick to compute forward mode gradients. This is not allowed in strict "
            "mode.",
            "double_back": f"The jacobian of the user-provided function is independent of input {place}. This is not "
            "allowed in strict mode.",
            "double_back_trick": f"The hessian of the user-provided function is independent of entry {place} in the "
            "grad_jacobian. This is not allowed in strict mode as it prevents from using the double backward trick to "
            "replace forward mode AD.",
        }[stage]
    )


def independent_twice(what: str, place: int) -> RuntimeError:
    return RuntimeError(
        f"The {what} of the user-provided function is independent of input {place}. This is not "
        "allowed in strict mode when create_graph=True."
    )


# -- strategies --------------------------------------------------------------------------------------------------------


def strategy() -> AssertionError:
    return AssertionError(
        'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than '
        'inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
    )


def forward_mode_and_graph() -> NotImplementedError:
    return NotImplementedError(
        'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not supported '
        'together (yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
    )


def forward_mode_and_strict() -> RuntimeError:
    return RuntimeError(
        'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported together '
        '(yet). Please either set `strict=False` or `strategy="reverse-mode"`.'
    )


def forward_mode_needs_vectorize() -> NotImplementedError:
    return NotImplementedError(
        "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for `vectorize=True`."
    )


def strict_and_vectorize() -> RuntimeError:
    return RuntimeError(
        "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please "
        "either set `strict=False` or `vectorize=False`."
    )
