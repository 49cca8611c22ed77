"""Custom operators: named Python functions, optionally with a gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torchlike import _errors
from torchlike._dtypes.devices import device as Device
from torchlike._tensor.tensor import Tensor

_made: dict[str, CustomOpDef] = {}


class CustomOpDef:
    """A custom operator. `register_autograd` sets its backward function.

    Without a backward function, a backward pass through the operator raises an error, unless `direct` is True.
    """

    direct = False  # whether autograd differentiates through the kernel if no backward function is registered

    def __init__(self, name: str, fn: Callable | None, mutates_args: Any, device_types: Any = None) -> None:
        self._qualname, self.mutates_args = name, mutates_args
        self._kernels: dict[str | None, Callable] = {}  # by device type. The key None is for all other types.
        if fn is not None:
            self.register_kernel(device_types, fn)
        self._name = name.rpartition("::")[2]
        self._fake: Callable | None = None
        self._backward: Callable | None = None
        self._setup_context: Callable | None = None
        self.__name__, self.__doc__ = self._name, fn.__doc__

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    @property
    def default(self) -> CustomOpDef:
        """The operator itself, which is the only overload."""
        return self

    def register_fake(self, fn: Callable, /) -> Callable:
        """Register a function that infers the shapes of the results.

        The function is stored but not used, since torchlike runs the operator itself.
        """
        self._fake = fn
        return fn

    def register_autograd(self, backward: Callable, /, *, setup_context: Callable | None = None) -> None:
        """Register the functions that compute the gradient.

        `setup_context(ctx, inputs, output)` is called after the kernel, and `backward(ctx, *grads)` in the backward
        pass.
        """
        self._backward, self._setup_context = backward, setup_context

    def register_kernel(self, device_types: Any, fn: Callable | None = None, /) -> Any:
        """Register the kernel for one or several device types. None means all types without a kernel of their own.

        Return a decorator if `fn` is not given.
        """
        if fn is None:
            return lambda fn: self.register_kernel(device_types, fn)
        for each in [device_types] if device_types is None or isinstance(device_types, str) else device_types:
            self._kernels[each and Device(each).type] = fn
        return fn

    def _kernel(self, args: tuple) -> Callable:
        """Return the kernel for the device type of the first tensor argument."""
        type = next((each.device.type for each in args if isinstance(each, Tensor)), None)
        found = self._kernels.get(type) or self._kernels.get(None)
        if found is None:
            raise _errors.making.no_kernel(self._qualname, type or "none", [each for each in self._kernels if each])
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from torchlike._dtypes import modes

        tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, Tensor)]
        as_it_is = self.direct and self._backward is None
        if as_it_is or not (modes.local.grad and any(t.requires_grad for t in tensors)):
            return self._kernel((*args, *kwargs.values()))(*args, **kwargs)
        if kwargs:
            import inspect

            bound = inspect.signature(self._kernel((*args, *kwargs.values()))).bind(*args, **kwargs)
            bound.apply_defaults()
            args = tuple(bound.arguments.values())
        return self._function().apply(*args)

    def _function(self) -> Any:
        from torchlike.autograd import Function

        made = self

        class Operator(Function):
            @staticmethod
            def forward(*args: Any) -> Any:
                return made._kernel(args)(*args)

            @staticmethod
            def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
                if made._setup_context is not None:
                    made._setup_context(ctx, inputs, output)

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                if made._backward is None:
                    name = made._qualname.replace("::", ".")
                    raise RuntimeError(
                        f"Trying to backward through {name}.default but no autograd formula "
                        "was registered. Please use register_autograd to add one."
                    )
                return made._backward(ctx, *grads)

        return Operator


def custom_op(
    name: str,
    fn: Callable | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: Any = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Define the operator `torch.ops.namespace.name` with the kernel `fn`. Return a decorator if `fn` is not given.

    Args:
      name: "namespace::name".
      fn: the kernel.
      mutates_args: the arguments that the kernel writes to. Writes are detected in any case.
      device_types: the device type or types of the kernel. None means all types without a kernel of their own.
      schema, tags: metadata for PyTorch's compiler. They are ignored, since the kernel is called directly.
    """
    if name.count("::") != 1:
        raise ValueError(f"Expected `name` to be of the form `namespace::name`, got {name!r}")
    if fn is None:
        return lambda fn: custom_op(name, fn, mutates_args=mutates_args, device_types=device_types)
    _made[name] = CustomOpDef(name, fn, mutates_args, device_types)
    return _made[name]


def _known(op: Any) -> CustomOpDef:
    found = op if isinstance(op, CustomOpDef) else _made.get(str(op))
    if found is None:
        raise RuntimeError(f"operator {op} does not exist")
    return found


def register_fake(op: Any, func: Callable | None = None, /, **_: Any) -> Any:
    """Call `CustomOpDef.register_fake` of the operator `op`. Return a decorator if `func` is not given.

    Unlike in PyTorch, the call has no effect if `op` is the name of an unknown operator. This lets libraries register
    functions for operators that are compiled for PyTorch. Only a call of such an operator raises an error.
    """
    if isinstance(op, str) and op not in _made:
        return (lambda fn: fn) if func is None else func
    known = _known(op)
    return known.register_fake if func is None else known.register_fake(func)


def register_kernel(op: Any, device_types: Any, func: Callable | None = None, /) -> Any:
    """Call `CustomOpDef.register_kernel` of the operator `op`."""
    return _known(op).register_kernel(device_types, func)


def register_autograd(op: Any, backward: Callable, /, *, setup_context: Callable | None = None, **_: Any) -> None:
    """Call `CustomOpDef.register_autograd` of the operator `op`."""
    _known(op).register_autograd(backward, setup_context=setup_context)


_KEYS = {
    "default": None,
    "CompositeExplicitAutograd": None,
    "CompositeImplicitAutograd": None,
    "": None,
    "CPU": "cpu",
    "CUDA": "cuda",
    "Meta": "meta",
}


def define(qualname: str, schema: str, *, lib: Library | None = None, tags: Any = ()) -> None:
    """Declare the operator `namespace::name`, whose kernels `impl` registers. The schema is ignored."""
    if lib is not None:
        qualname = f"{lib.ns}::{qualname}"
    if qualname.count("::") != 1:
        raise ValueError(f"Expected `qualname` to be of the form `namespace::name`, got {qualname!r}")
    if qualname in _made:
        raise _errors.making.defined_twice(qualname, schema)
    _made[qualname] = CustomOpDef(qualname, None, ())
    _made[qualname].direct = True


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Library | None = None) -> Any:
    """Register a kernel for device types. "default" means all types. Return a decorator if `func` is not given.

    If the first argument is a `Library`, the second is the name of its operator, and the third is the dispatch key of
    `Library.impl`. The result is then a decorator.
    """
    if isinstance(qualname, Library):
        return lambda fn: qualname.impl(types, fn, func or "")
    if func is None:
        return lambda fn: impl(qualname, types, fn, lib=lib)
    op = _known(qualname if lib is None else f"{lib.ns}::{qualname}")
    for each in [types] if isinstance(types, str) else types:
        if each.startswith("Autograd"):
            raise _errors.arguments.cannot(f"library.impl for {each}", "define the gradient with register_autograd")
        op.register_kernel(_KEYS.get(each, each), func)
    return func


class Library:
    """The operators of a namespace.

    `kind` is "DEF" or "FRAGMENT" for a library that declares operators, and "IMPL" for one that only registers kernels.
    It has no effect.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("DEF", "IMPL", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Declare an operator by its schema, such as "name(Tensor x) -> Tensor", and return its name."""
        name = schema.partition("(")[0].strip()
        define(name, schema, lib=self)
        return name

    def impl(
        self,
        op_name: str,
        fn: Callable,
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = True,
    ) -> None:
        """Register the kernel of an operator for a dispatch key such as "CPU" or "CompositeImplicitAutograd"."""
        if with_keyset:
            raise _errors.arguments.unsupported("Library.impl", "with_keyset")
        impl(op_name, [dispatch_key or self.dispatch_key or "default"], fn, lib=self)


class _OpNamespace:
    """The object `torch.ops.<name>`: the custom operators of this namespace."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> CustomOpDef:
        found = _made.get(f"{self._name}::{name}")
        if found is None:
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")
        return found


def namespace(name: str) -> _OpNamespace | None:
    """Return the object with the custom operators of a namespace, or None if the namespace has no operators."""
    return _OpNamespace(name) if any(each.startswith(f"{name}::") for each in _made) else None
