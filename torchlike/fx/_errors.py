"""Error messages of `torch.fx`."""

from __future__ import annotations

from typing import Any

from torchlike._errors.arguments import cannot as cannot


class TraceError(ValueError):
    """The error of a traced program whose control flow depends on the value of a proxy, such as `if` or a loop."""

    __module__ = "torchlike.fx.proxy"


def no_op(op: str) -> AssertionError:
    return AssertionError(
        f"unknown op {op!r}: expected placeholder, get_attr, call_function, call_method, call_module or output"
    )


def no_flow() -> TraceError:
    return TraceError("symbolically traced variables cannot be used as inputs to control flow")


def no_iteration() -> TraceError:
    return TraceError(
        "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a "
        "*args or **kwargs function argument. See the torch.fx docs on pytorch.org for a more detailed "
        "explanation of what types of control flow can be traced, and check out the Proxy docstring for "
        "help troubleshooting Proxy iteration errors"
    )


def still_used(node: Any) -> RuntimeError:
    return RuntimeError(
        f"Tried to erase Node {node} but it still had {len(node.users)} users in the graph: {node.users}!"
    )


def unknown_target(target: str) -> RuntimeError:
    return RuntimeError(f"Node referenced nonexistent target {target}!")
