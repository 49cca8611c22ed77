"""PyTorch's error messages about automatic mixed precision."""

from __future__ import annotations


def no_dtype() -> RuntimeError:
    return RuntimeError("unsupported scalarType")


def banned() -> RuntimeError:
    return RuntimeError(
        "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
        "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
        "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
        "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\nsafe to autocast."
    )


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
    """Return the warning for a function that PyTorch has moved."""
    return f"`torch.{old}` is deprecated. Please use `torch.{new}` instead."


def renamed(old: str, new: str) -> str:
    """Return the warning for a function whose replacement takes a device type."""
    return f"torch.{old} is deprecated. Please use torch.{new} instead."


# -- loss scaling ------------------------------------------------------------------------------------------------------


def outputs() -> ValueError:
    return ValueError("outputs must be a Tensor or an iterable of Tensors")


def no_checks(where: str) -> AssertionError:
    return AssertionError(f"No inf checks were recorded {where}.")


def new_scale() -> AssertionError:
    return AssertionError(
        "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with "
        "requires_grad=False."
    )
