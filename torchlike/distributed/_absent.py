"""Placeholders for unsupported names of `torch.distributed`.

The names can be imported and used in `isinstance` checks. Calling them raises an error.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NoReturn

from torchlike._internal import _errors


class Absent(type):
    """The metaclass of placeholders. A placeholder has no instances, and calling it raises an error."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        raise _errors.arguments.no_distributed(cls.__name__)

    def __getattr__(cls, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return absent(f"{cls.__name__}.{name}")

    def __repr__(cls) -> str:
        return f"<{cls.__name__}, which torchlike does not have>"


def absent(name: str) -> Absent:
    """Return a placeholder for a name."""
    doc = f"""A placeholder: `{name}` is not supported, and calling it raises an error.

    Args:
      *args, **kwargs: have no effect: the call raises.

    Raises:
      NotImplementedError: always.
    """
    return Absent(name, (), {"__doc__": doc})


def fill(module: ModuleType, names: str) -> None:
    """Add placeholders for the names, separated by spaces, to a module of this package."""
    for name in names.split():
        setattr(module, name, absent(f"torch.{module.__name__.partition('.')[2]}.{name}"))


def submodule(name: str, names: str) -> None:
    """Create a module of placeholders, and its parent packages if they do not exist."""
    parent, _, last = name.rpartition(".")
    if parent not in sys.modules:
        if find_spec(parent) is not None:
            import_module(parent)
        else:
            submodule(parent, "")
    made = sys.modules.get(name)
    if made is None:
        made = sys.modules[name] = ModuleType(name, f"`torch.{name.partition('.')[2]}`, which is not supported.")
        made.__spec__ = ModuleSpec(name, None, is_package=True)
        made.__path__ = []
        setattr(sys.modules[parent], last, made)
    fill(made, names)


def refuse_remote_calls(package: str) -> None:
    """Create the modules of remote procedure calls. Only `is_available` can be called."""
    registry = "backend_registered register_backend construct_rpc_backend_options init_backend BackendValue BackendType"
    calls = """shutdown get_worker_info remote rpc_sync rpc_async RRef AllGatherStates method_factory new_method"""
    options = "TensorPipeRpcBackendOptions"
    internal = "RPCExecMode serialize deserialize PythonUDF RemoteException"
    submodule(f"{package}.rpc", f"init_rpc WorkerInfo PyRRef {options} {calls} BackendType")
    for name, names in (
        ("api", calls),
        ("backend_registry", registry),
        ("internal", internal),
        ("options", options),
        ("functions", "async_execution"),
    ):
        submodule(f"{package}.rpc.{name}", names)
    vars(sys.modules[f"{package}.rpc.api"])["_require_initialized"] = _require_initialized
    submodule(f"{package}.autograd", "context backward get_gradients")
    for name in ("rpc", "autograd"):
        vars(sys.modules[f"{package}.{name}"])["is_available"] = is_unavailable


def _require_initialized(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that raises PyTorch's error for calls before `init_rpc`. It is a decorator of libraries."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError("RPC has not been initialized. Call torch.distributed.rpc.init_rpc first.")

    return wrapper


def is_unavailable() -> bool:
    """Return False: remote procedure calls are not supported."""
    return False
