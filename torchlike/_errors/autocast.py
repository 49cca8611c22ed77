"""PyTorch's sentences about mixed precision."""

from __future__ import annotations


def unexpected_dtype() -> RuntimeError:
    return RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")


def no_dtype() -> RuntimeError:
    return RuntimeError("unsupported scalarType")


def unsupported_type(kind: str) -> RuntimeError:
    return RuntimeError(f"User specified an unsupported autocast device_type '{kind}'")


def unknown_key() -> RuntimeError:
    return RuntimeError("unknown device type for autocast in get_autocast_dispatch_key_from_device_type")


def banned() -> RuntimeError:
    return RuntimeError(
        "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
        "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
        "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
        "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
        "safe to autocast."
    )


def type_is_no_string(got: object) -> ValueError:
    return ValueError(f"Expected `device_type` of type `str`, got: `{type(got)}`")


def must_be(argument: str, wanted: str, got: object) -> TypeError:
    return TypeError(f"{argument} must be a {wanted} (got {type(got).__name__})")


NO_CUDA = "CUDA is not available or torch_xla is imported. Disabling autocast."
NO_CUDA_SCALER = "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."


def no_such_fast_dtype(kind: str) -> str:
    name = kind.upper()
    return (
        f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
        f"{name} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
    )


def moved(old: str, new: str) -> str:
    """Of a name that PyTorch has given another."""
    return f"`torch.{old}` is deprecated. Please use `torch.{new}` instead."


def renamed(old: str, new: str) -> str:
    """Of a question that takes the type of device now."""
    return f"torch.{old} is deprecated. Please use torch.{new} instead."


# -- loss scaling ------------------------------------------------------------------------------------------------------


def not_scaled(what: str) -> AssertionError:
    return AssertionError(
        f"Attempted {what} but _scale is None.  This may indicate your script did not use "
        "scaler.scale(loss or outputs) earlier in the iteration."
    )


def outputs() -> ValueError:
    return ValueError("outputs must be a Tensor or an iterable of Tensors")


def half_gradients() -> ValueError:
    return ValueError("Attempting to unscale FP16 gradients.")


def unscaled_before() -> RuntimeError:
    return RuntimeError("unscale_() has already been called on this optimizer since the last update().")


def unscaled_after_step() -> RuntimeError:
    return RuntimeError("unscale_() is being called after step().")


def stepped_before() -> RuntimeError:
    return RuntimeError("step() has already been called since the last update().")


def with_closure() -> RuntimeError:
    return RuntimeError("Closure use is not currently supported if GradScaler is enabled.")


def no_checks(where: str) -> AssertionError:
    return AssertionError(f"No inf checks were recorded {where}.")


def new_scale() -> AssertionError:
    return AssertionError(
        "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with "
        "requires_grad=False."
    )


def empty_state() -> RuntimeError:
    return RuntimeError(
        "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
    )


def pickled_midway() -> AssertionError:
    return AssertionError(
        "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end "
        "after scaler.update()."
    )
