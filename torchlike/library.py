"""Operators of the user's own: a Python function with a name, and perhaps a gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torchlike import _errors
from torchlike._tensor import Tensor

_made: dict[str, CustomOpDef] = {}


class CustomOpDef:
    """A function as an operator, called as it is. Gradients go through it where `register_autograd` says how."""

    def __init__(self, name: str, fn: Callable, mutates_args: Any) -> None:
        self._qualname, self._fn, self.mutates_args = name, fn, mutates_args
        self._name = name.rpartition("::")[2]
        self._fake: Callable | None = None
        self._backward: Callable | None = None
        self._setup_context: Callable | None = None
        self.__name__, self.__doc__ = self._name, fn.__doc__

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def register_fake(self, fn: Callable, /) -> Callable:
        """Keep the function that finds shapes; it is not needed, since the operator itself is recorded."""
        self._fake = fn
        return fn

    def register_autograd(self, backward: Callable, /, *, setup_context: Callable | None = None) -> None:
        """Say what the gradient is: `setup_context(ctx, inputs, output)`, then `backward(ctx, *grads)`."""
        self._backward, self._setup_context = backward, setup_context

    def register_kernel(self, device_types: Any, fn: Callable | None = None, /) -> Any:
        """Refused: one function serves all devices."""
        raise _errors.arguments.cannot("library.register_kernel", "give one function for all devices")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from torchlike import _modes

        tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, Tensor)]
        if not (_modes.local.grad and any(t.requires_grad for t in tensors)):
            return self._fn(*args, **kwargs)
        if kwargs:
            import inspect

            bound = inspect.signature(self._fn).bind(*args, **kwargs)
            bound.apply_defaults()
            args = tuple(bound.arguments.values())
        return self._function().apply(*args)

    def _function(self) -> Any:
        from torchlike.autograd import Function

        made = self

        class Operator(Function):
            @staticmethod
            def forward(*args: Any) -> Any:
                return made._fn(*args)

            @staticmethod
            def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
                if made._setup_context is not None:
                    made._setup_context(ctx, inputs, output)

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                if made._backward is None:
                    name = made._qualname.replace("::", ".")
                    raise RuntimeError(f"Trying to backward through {name}.default but no autograd formula "
                                       "was registered. Please use register_autograd to add one.")  # fmt: skip
                return made._backward(ctx, *grads)

        return Operator


def custom_op(name: str, fn: Callable | None = None, /, *, mutates_args: str | Iterable[str], device_types: Any = None,
              schema: str | None = None, tags: Any = None) -> Any:  # fmt: skip
    """A function as the operator `torch.ops.namespace.name`; a decorator, where no function is given.

    Args:
      name: "namespace::name".
      fn: the function.
      mutates_args: which arguments it writes to. Writes are seen in any case.
      device_types: None, the one function for all devices.
      schema, tags: for PyTorch's compiler, which is not here; refused.
    """
    for argument, given in (("device_types", device_types), ("schema", schema), ("tags", tags)):
        if given is not None:
            raise _errors.arguments.unsupported("library.custom_op", argument)
    if name.count("::") != 1:
        raise ValueError(f"Expected `name` to be of the form `namespace::name`, got {name!r}")
    if fn is None:
        return lambda fn: custom_op(name, fn, mutates_args=mutates_args)
    _made[name] = CustomOpDef(name, fn, mutates_args)
    return _made[name]


def _known(op: Any) -> CustomOpDef:
    found = op if isinstance(op, CustomOpDef) else _made.get(str(op))
    if found is None:
        raise RuntimeError(f"operator {op} does not exist")
    return found


def register_fake(op: Any, func: Callable | None = None, /, **_: Any) -> Any:
    """As `CustomOpDef.register_fake`, by name; a decorator, where no function is given."""
    known = _known(op)
    return known.register_fake if func is None else known.register_fake(func)


def register_autograd(op: Any, backward: Callable, /, *, setup_context: Callable | None = None, **_: Any) -> None:
    """As `CustomOpDef.register_autograd`, by name."""
    _known(op).register_autograd(backward, setup_context=setup_context)


def namespace(name: str) -> Any:
    """What `torch.ops.<name>` is: the operators that were made in this namespace."""
    found = {op._name: op for qualified, op in _made.items() if qualified.startswith(f"{name}::")}
    return type(f"_{name}", (), {k: staticmethod(v) for k, v in found.items()})() if found else None
