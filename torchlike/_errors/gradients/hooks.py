"""Errors about the return values of hooks."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import scalar_name, type_text


def _hook_name(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")


def _tensor_type(gradient: Any) -> str:
    """Return PyTorch's name of a gradient's type, such as `torch.sparse.FloatTensor`."""
    if not hasattr(gradient, "tensor"):
        return type_text(gradient.aval)
    on_gpu = "cuda." if gradient.aval.device.type == "cuda" else ""
    return f"torch.{on_gpu}sparse.{scalar_name(gradient.aval.dtype)}Tensor"


def hook_returned_no_tensor(returned: Any) -> TypeError:
    return TypeError(f"expected Variable, but hook returned '{type(returned).__name__}'")


def hook_returned_count(hook: Any, got: int, expected: int) -> RuntimeError:
    return RuntimeError(
        f"hook '{_hook_name(hook)}' has returned an incorrect number of values (got {got}, but expected {expected})"
    )


def hook_changed_type(hook: Any, old: Any, new: Any) -> RuntimeError:
    return RuntimeError(
        f"hook '{_hook_name(hook)}' has changed the type of value (was {_tensor_type(old)} got {_tensor_type(new)})"
    )


def hook_changed_size(hook: Any) -> RuntimeError:
    return RuntimeError(f"hook '{_hook_name(hook)}' has changed the size of value")


def lost_hook(hook: Any) -> str:
    return (
        f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the function "
        "with @torch.utils.hooks.unserializable_hook to suppress this warning"
    )
