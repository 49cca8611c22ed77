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


for _kind in (TorchDynamoException, UserError, Unsupported, RecompileError, InvalidBackend):
    _kind.__module__ = "torch._dynamo.exc"  # the module from which programs import them


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


def returned_alias() -> str:
    return "it returns a tensor that shares memory with a tensor from outside"


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


def another_way(kind: str, expected: str) -> RuntimeError:
    """Return the error of a traced function whose Python code converts other values than in the trace."""
    due = f"was {expected}" if expected else "did not follow"
    text = f"the traced function converts a tensor or size by {kind}, which {due} in the trace"
    return RuntimeError(f"{text}: its Python state has changed")


NO_TRACED_RESULT = (
    "The traced function didn't return any values! Side-effects are not captured in traces, so it would be a no-op."
)
TRACED_DICT = (
    "Encountering a dict at the output of the tracer might cause the trace to be incorrect, this is only valid if the "
    "container structure does not change based on the module's inputs. Consider using a constant container instead "
    "(e.g. for `list`, use a `tuple` instead. for `dict`, use a `NamedTuple` instead). If you absolutely need this and "
    "know the side effects, pass strict=False to trace() to allow this behavior."
)
TRACED_RESULT = "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from traced functions"
NONDETERMINISTIC = (
    "Trace had nondeterministic nodes. Did you forget call .eval() on your model?\nThis may cause errors in trace "
    "checking. To disable trace checking, pass check_trace=False to torch.jit.trace()"
)


def graphs_differ(place: int, text: str) -> str:
    """Describe the difference between two traces of one function."""
    return f"Output nr {place} of a second trace differs: {text}"


def differing_output(place: int, text: str) -> str:
    """Return the warning about a traced function whose results differ from those of the Python function."""
    return (
        f"Output nr {place}. of the traced function does not match the corresponding output of the Python function. "
        f"Detailed error:\n{text}"
    )


def not_saved(value: object) -> NotImplementedError:
    """Return the error about a value that a script uses and that its file cannot contain."""
    kind = value.__name__ if isinstance(value, type) else type(value).__name__
    name = getattr(value, "__name__", kind)
    return NotImplementedError(f"torchlike cannot save a script that uses {name} (of type {type(value).__name__})")


def ignored_not_saved(kind: str, name: str) -> RuntimeError:
    """Return the error about a saved module with a method that stays Python."""
    return RuntimeError(
        f"\nCould not export Python function call '{name}' of {kind}. Remove calls to Python functions before export. "
        "Did you forget to add @script or @script_method annotation? If this is a nn.ModuleList, add it to "
        "__constants__"
    )
