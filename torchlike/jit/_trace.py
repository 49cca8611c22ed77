"""The example calls of `torch.jit.trace`, and the warnings about what a PyTorch trace would not record."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import torchlike
from torchlike import Size, Tensor, _errors
from torchlike._errors.callers import calls_of_ours
from torchlike._errors.warned import warn


class TracerWarning(Warning):
    """The category of the warnings of `torch.jit.trace`.

    They concern PyTorch. The function that `trace` returns here keeps its control flow.
    """


def deprecated(name: str, instead: str = "switch to `torch.compile` or `torch.export`") -> None:
    """Warn that a function of TorchScript is deprecated. As in PyTorch, the place of the warning is the library."""
    warnings.warn(_errors.compiling.old_torchscript(name, instead), DeprecationWarning)  # noqa: B028


_CONVERSIONS = {
    "__bool__": "Python boolean",
    "__int__": "Python integer",
    "__float__": "Python float",
    "__complex__": "Python complex",
    "item": "Python number",
    "tolist": "Python list",
    "numpy": "NumPy array",
}
_COMPARISONS = {f"__{name}__": getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")}
_tracing: ContextVar[bool] = ContextVar("tracing", default=False)


def _of_size(name: str, function: Callable, kind: str) -> Callable:
    def convert(self: int, *others: Any) -> Any:
        if _tracing.get() and calls_of_ours() == ["convert"]:
            warn(_errors.compiling.untraced_conversion(kind), TracerWarning)
        return function(int.__int__(self), *others)

    convert.__name__ = name
    return convert


def _arithmetic(name: str) -> Callable:
    function = getattr(int, name)

    def compute(self: int, other: Any) -> Any:
        found = function(self, other)
        return _Length(found) if isinstance(found, int) else found

    compute.__name__ = name
    return compute


class _Length(int):
    """A size of a traced tensor. Comparing it in the user's code warns, because PyTorch's sizes are tensors then."""

    __int__ = _of_size("__int__", int, "Python integer")
    __float__ = _of_size("__float__", float, "Python float")
    __bool__ = _of_size("__bool__", bool, "Python boolean")
    __hash__ = int.__hash__


for _name, _compare in _COMPARISONS.items():
    setattr(_Length, _name, _of_size(_name, _compare, "Python boolean"))
for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "rfloordiv", "mod", "rmod"):
    setattr(_Length, f"__{_name}__", _arithmetic(f"__{_name}__"))


class _Traced(Tensor):
    """An example input and what is computed from it."""

    @classmethod
    def __torch_function__(cls, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        name = getattr(func, "__name__", "")
        if _tracing.get():
            if name in _CONVERSIONS:
                warn(_errors.compiling.untraced_conversion(_CONVERSIONS[name]), TracerWarning)
            elif name == "__len__":
                warn(_errors.compiling.UNTRACED_LENGTH, TracerWarning)
        return super().__torch_function__(func, types, args, kwargs or {})

    def __iter__(self) -> Iterator[Any]:
        if _tracing.get():
            warn(_errors.compiling.UNTRACED_ITERATION, TracerWarning)
        return iter(self.unbind(0))

    @property
    def shape(self) -> Size:
        """The sizes, whose comparisons warn."""
        return Size(map(_Length, Tensor.shape.__get__(self)))

    def size(self, dim: int | None = None) -> Any:
        """Return `shape`, or one of the sizes."""
        return self.shape if dim is None else self.shape[dim]


def _marked(given: Any) -> Any:
    """Return example inputs whose tensors warn of conversions."""
    if isinstance(given, Tensor):
        return given.as_subclass(_Traced)
    if isinstance(given, list | tuple):
        items = map(_marked, given)
        return type(given)(*items) if hasattr(given, "_fields") else type(given)(items)
    return {key: _marked(value) for key, value in given.items()} if isinstance(given, dict) else given


def _call_traced(func: Callable, args: Any, kwargs: dict) -> None:
    if isinstance(func, torchlike.nn.Module):
        deprecated("trace_method")
    token = _tracing.set(True)
    try:
        func(*_marked(args), **_marked(kwargs))
    finally:
        _tracing.reset(token)


def examples(func: Callable, args: Any, kwargs: dict, check: bool, check_inputs: Any) -> None:
    """Call a function as often as `torch.jit.trace` does: once, and for each check twice without gradients."""
    _call_traced(func, args, kwargs)
    if not check:
        return
    for given in check_inputs or [args]:
        given = given if isinstance(given, list | tuple) else (given,)
        with torchlike.no_grad(), torchlike.random.fork_rng():
            if not isinstance(func, torchlike.nn.Module):
                deprecated("trace")  # PyTorch's check traces the function again
            _call_traced(func, given, kwargs)
            func(*given, **kwargs)
