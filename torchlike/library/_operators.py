"""Operators with a schema, kernels for device types, a gradient, and rules for `vmap` and autocast."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._dtypes import modes
from torchlike._dtypes.devices import device as Device
from torchlike._tensor import autocast as _autocast
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.function import Function
from torchlike._transforms.graph import increment_version
from torchlike.amp.autocast_mode import _cast, autocast
from torchlike.ops import spaces
from torchlike.utils._pytree import tree_leaves

from ._binding import bound, filled
from ._gradient import apply, function_of
from ._schema import FunctionSchema

_made: dict[str, OperatorPacket] = {}
_in_fake: list[str] = []  # the descriptions of the running functions of `register_fake`


class Operator:
    """One overload of an operator, such as `torch.ops.namespace.name.default`.

    Args:
      schema (FunctionSchema): the schema. Its name is "namespace::name".
      direct: whether autograd differentiates through the kernel if no backward function is registered.
      init_fn (callable, optional): the function that defines the operator.
    """

    def __init__(self, schema: FunctionSchema, direct: bool, init_fn: Callable | None = None) -> None:
        self._schema, self.direct, self._init_fn = schema, direct, init_fn
        self.namespace, _, self._opname = schema.name.partition("::")
        self._overloadname = schema.overload_name or "default"
        self.__name__ = self.__qualname__ = f"{self._opname}.{self._overloadname}"
        self.__module__ = f"torch.ops.{self.namespace}"
        self._kernels: dict[str | None, Callable] = {}  # by device type. The key None is for all other types.
        self._tracked: dict[str | None, Callable] = {}  # kernels that autograd differentiates, by device type
        self._casts: dict[str, _dtypes.dtype] = {}  # the dtypes of arguments in regions of autocast, by device type
        self._disabled: set[str] = set()  # the device types whose kernels are replaced by `init_fn`
        self._fake: Callable | None = None
        self._backward: Callable | None = None
        self._setup_context: Callable | None = None
        self._vmap: Callable | None = None

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.namespace}.{self._opname}', overload='{self._overloadname}')>"

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __deepcopy__(self, memo: Any) -> Operator:
        return self

    @property
    def overloadpacket(self) -> OperatorPacket:
        """The operator with all its overloads."""
        return _made[self._schema.name]

    def name(self) -> str:
        """Return the qualified name, such as "namespace::name"."""
        suffix = f".{self._schema.overload_name}" if self._schema.overload_name else ""
        return f"{self._schema.name}{suffix}"

    @functools.cached_property
    def function(self) -> type[Function]:
        """The autograd function of the operator."""
        return function_of(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*bound(self._schema, args, kwargs))

    def call(self, args: list, keywords: dict[str, Any]) -> Any:
        """Call the operator with arguments that are bound to its schema."""
        tensors = [each for each in tree_leaves((args, keywords)) if isinstance(each, Tensor)]
        kind = tensors[0].device.type if tensors else None
        if kind in self._casts and _autocast.is_enabled(kind):
            with autocast(kind, enabled=False):
                return self.call(_cast(args, kind, self._casts[kind]), keywords)
        tracked = self._tracked.get(kind) or self._tracked.get(None)
        if tracked is not None:
            return tracked(*args, **keywords)
        if self.direct and self._backward is None and self._vmap is None:
            return self.run(args, keywords)
        if modes.local.transforms or (modes.local.grad and any(each.requires_grad for each in tensors)):
            return apply(self, args, keywords)
        with modes.no_grad():
            return self.run(args, keywords)

    def run(self, args: list, keywords: dict[str, Any]) -> Any:
        """Call the kernel, and check its results."""
        kernel = self._kernel(args, keywords)
        self._count_writes(args, keywords)
        result = kernel(*args, **keywords)
        return result if self.direct else _checked(self, kernel, (args, keywords), result)

    def _kernel(self, args: list, keywords: dict[str, Any]) -> Callable:
        """Return the kernel for the device type of the first tensor, or of the argument `device`."""
        leaves = tree_leaves((args, keywords))
        kind = next((each.device.type for each in leaves if isinstance(each, Tensor)), None)
        if kind is None:
            kind = next((each.type for each in leaves if isinstance(each, Device)), None)
        if kind == "meta" and "meta" not in self._kernels:
            fake = self._fake_kernel()
            if fake is not None:
                return fake
        if kind in self._disabled and self._init_fn is not None:
            return self._init_fn
        found = self._kernels.get(kind) or self._kernels.get(None)
        if found is None:
            raise _errors.operators.no_kernel(self.name(), kind or "none", [each for each in self._kernels if each])
        return found

    def _fake_kernel(self) -> Callable | None:
        """Return the function that infers the results. None means that the kernel itself does."""
        fake = self._fake
        if fake is not None:
            return functools.partial(_as_fake, self.name(), fake)
        if self.direct:
            return None
        if self._schema.is_mutable and not self._schema.returns:
            return lambda *args, **kwargs: None
        raise _errors.operators.no_fake(f"<CustomOpDef({self._schema.name})>", getattr(self._init_fn, "__name__", ""))

    def _count_writes(self, args: list, keywords: dict[str, Any]) -> None:
        if self.direct or not self._schema.is_mutable:
            return
        whole, named = filled(self._schema, args, keywords)
        for argument, given in zip(self._schema.arguments, (*whole, *named.values())):
            if argument.is_write and given is not None:
                increment_version(given)


class OperatorPacket:
    """An operator with its overloads, such as `torch.ops.namespace.name`.

    Args:
      name (str): "namespace::name".
    """

    def __init__(self, name: str) -> None:
        self._qualified_op_name = name
        self.namespace, _, self.__name__ = name.partition("::")
        self._overloads: dict[str, Operator] = {}

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __getattr__(self, name: str) -> Operator:
        found = self.__dict__.get("_overloads", {}).get(name)
        if found is None:
            raise AttributeError(
                f"The underlying op of '{self}' has no overload name '{name}'"
                if not name.startswith("__")
                else f"'{self}' can't have an overload name beginning with '__' and the underlying op "
                f"{self._qualified_op_name} has no attribute {name} either."
            )
        return found

    def __deepcopy__(self, memo: Any) -> OperatorPacket:
        return self

    def overloads(self) -> list[str]:
        """Return the names of the overloads."""
        return list(self._overloads)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        *others, last = self._overloads.values()
        for each in others:
            try:
                given = bound(each._schema, args, kwargs)
            except RuntimeError:
                continue
            return each.call(*given)
        return last(*args, **kwargs)


def known(op: Any) -> Operator:
    """Return the operator of a name "namespace::name" or "namespace::name.overload", or of an object."""
    if isinstance(op, Operator):
        return op
    if isinstance(op, OperatorPacket):
        return next(iter(op._overloads.values()))
    if hasattr(op, "_opoverload"):
        return op._opoverload
    name, _, overload = str(op).partition(".")
    found = _made[name]._overloads.get(overload or "default") if name in _made else None
    if found is None and name in _made and not overload:
        found = next(iter(_made[name]._overloads.values()))
    if found is None:
        raise RuntimeError(f"operator {op} does not exist")
    return found


def defined(op: Operator) -> Operator:
    """Make an operator known by its name."""
    spaces.setdefault(op.namespace, OpNamespace(op.namespace))
    _made.setdefault(op._schema.name, OperatorPacket(op._schema.name))._overloads[op._overloadname] = op
    return op


def is_defined(schema: FunctionSchema) -> bool:
    """Return whether the overload of a schema exists."""
    return schema.name in _made and (schema.overload_name or "default") in _made[schema.name]._overloads


def set_kernels(op: Operator, device_types: Any, kernel: Callable) -> None:
    """Register a kernel of an operator for device types. None means all types without a kernel of their own."""
    for each in [device_types] if device_types is None or isinstance(device_types, str) else device_types:
        op._kernels[each and Device(each).type] = kernel


def set_gradient(op: Operator, shown: Any, backward: Callable, setup_context: Callable | None) -> None:
    """Register the gradient of an operator. `shown` is the operator in error messages."""
    if op._schema.is_mutable or op._schema.has_aliases:
        raise _errors.operators.not_functional(shown, op._schema)
    op._backward, op._setup_context = backward, setup_context


class OpNamespace:
    """The object `torch.ops.<name>`: the operators of this namespace."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> OperatorPacket:
        found = _made.get(f"{self._name}::{name}")
        if found is None:
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")
        return found


def _as_fake(name: str, fake: Callable, *args: Any, **kwargs: Any) -> Any:
    code = getattr(fake, "__code__", None)
    place = f"{code.co_filename}:{code.co_firstlineno}" if code is not None else repr(fake)
    _in_fake.append(f"{name}\n{place}")
    try:
        return fake(*args, **kwargs)
    finally:
        _in_fake.pop()


def fake_context() -> None:
    """Return the context of the running function of `register_fake`, which is None outside of one.

    Raises:
      RuntimeError: such a function runs. Its tensors are meta tensors, which have no sizes that depend on data.
    """
    if _in_fake:
        raise _errors.operators.context_for_meta(*_in_fake[-1].split("\n", 1))


def _checked(op: Operator, kernel: Callable, given: Any, result: Any) -> Any:
    """Return the results of a kernel in the form of the schema, and check that they alias nothing."""
    results = result if isinstance(result, tuple) else (result,)
    used = {id(each._storage) for each in tree_leaves(given) if isinstance(each, Tensor)}
    for each in tree_leaves(results):
        if isinstance(each, Tensor):
            if id(each._storage) in used and not op._schema.has_aliases:
                raise _errors.operators.returns_alias(op._opname, inspect.getmodule(kernel))
            used.add(id(each._storage))
    wanted = op._schema.returns
    if not wanted:
        return None
    if len(wanted) > 1:
        return tuple(_as_result(kind, each) for kind, each in zip(wanted, result))
    return _as_result(wanted[0], result)


def _as_result(wanted: Any, result: Any) -> Any:
    if wanted.kind == "Tensor" and not wanted.suffix and result is not None and not isinstance(result, Tensor):
        raise RuntimeError(f"Unable to cast {result} to Tensor")
    if wanted.kind == "SymInt" and not isinstance(result, int):
        raise RuntimeError(_errors.operators.no_cast(type(result)))
    return list(result) if isinstance(result, tuple) and wanted.suffix == "[]" else result
