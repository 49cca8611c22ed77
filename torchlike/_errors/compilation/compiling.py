"""Errors and messages about compiled functions."""

from __future__ import annotations


class TorchDynamoException(RuntimeError):
    """The base class of errors that compiled functions raise."""


class UserError(TorchDynamoException):
    """Raised if `torch.export.export` is called with arguments that it does not take."""


class Unsupported(TorchDynamoException):
    """Raised if a call with `fullgraph=True` cannot be captured."""


class RecompileError(TorchDynamoException):
    """Raised if a call must be captured again, but `set_stance` forbids it."""


class InvalidBackend(TorchDynamoException):
    """Raised for an unknown backend name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends.")


def named(function: object) -> str:
    return getattr(function, "__qualname__", None) or type(function).__name__


def not_whole(function: object, reason: str) -> Unsupported:
    return Unsupported(f"{named(function)} cannot be compiled with fullgraph=True: {reason}")


def not_ahead(function: object, reason: str) -> Unsupported:
    return Unsupported(f"{named(function)} cannot be compiled ahead of time: {reason}")


def new_recording(function: object) -> RecompileError:
    return RecompileError(
        f"{named(function)} has no captured graph for these arguments and this state, and the stance is "
        "'fail_on_recompile'"
    )


def differs(function: object, what: str) -> RuntimeError:
    return RuntimeError(
        f"{named(function)} was captured again (verify_every), and the new graph differs from the replayed graph: "
        f"{what}. A guard is missing; please report this"
    )


def no_recording(function: object) -> RuntimeError:
    return RuntimeError(
        f"{named(function)} has no captured graph yet: call it first (torchlike.explain() shows why a call "
        "ran uncompiled)"
    )


def hooks_fire_twice() -> str:
    return (
        "Using `torch.compile(module)` when there are global hooks on modules (e.g., from "
        "`register_module_forward_hook`); this will cause the hooks to fire an extra time for the `OptimizedModule` "
        "created by `torch.compile(module)`. If this causes undesired behavior, please try using `module.compile()`, "
        "or use the per-module hooks instead"
    )


ESCAPES = "a tensor that it creates is stored outside"


def returned(x: object) -> str:
    return f"it returns an object of type {type(x).__name__}"


def returned_twice() -> str:
    return "it returns the same tensor twice"


def returned_grad() -> str:
    return "it returns a tensor's gradient"


def returned_view() -> str:
    return "it returns a view"


# -- TorchScript -------------------------------------------------------------------------------------------------------

UNTRACED_ITERATION = (
    "Iterating over a tensor might cause the trace to be incorrect. Passing a tensor of different shape won't change "
    "the number of iterations executed (and might lead to errors or silently give incorrect results)."
)
UNTRACED_LENGTH = (
    "Using len to get tensor shape might cause the trace to be incorrect. Recommended usage would be tensor.shape[0]. "
    "Passing a tensor of different shape might lead to errors or silently give incorrect results."
)


def untraced_conversion(kind: str) -> str:
    """Return the warning about a traced tensor that is converted to a Python value."""
    return (
        f"Converting a tensor to a {kind} might cause the trace to be incorrect. We can't record the data flow of "
        "Python values, so this value will be treated as a constant in the future. This means that the trace might "
        "not generalize to other inputs!"
    )


def old_torchscript(name: str, instead: str) -> str:
    """Return the warning about a deprecated function of TorchScript."""
    return f"`torch.jit.{name}` is deprecated. Please {instead}."
