"""`custom_op`: operators that Python functions define."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torchlike import _dtypes, _errors

from ._inferred import infer_schema
from ._operators import Operator, defined, set_gradient, set_kernels
from ._schema import parse_schema


class CustomOpDef:
    """An operator that `custom_op` has defined. Calls run the kernel for the device of the first tensor.

    Args:
      namespace (str): the namespace.
      name (str): the name in the namespace.
      schema (str): the arguments and results, such as "(Tensor x) -> Tensor".
      fn (callable): the kernel for device types without a kernel of their own.
      tags: must be empty.

    Raises:
      NotImplementedError: `tags` is given, or an argument that must be given by name is a tensor.
    """

    def __init__(self, namespace: str, name: str, schema: str, fn: Callable, tags: Any = None) -> None:
        if tags:
            raise _errors.arguments.unsupported("library.custom_op", "tags")
        self._qualname, self._name, self._namespace = f"{namespace}::{name}", name, namespace
        self._schema, self._init_fn = schema, fn
        parsed = parse_schema(self._qualname + schema)
        if any(each.kind == "Tensor" for each in parsed.keyword_only):
            raise _errors.operators.keyword_only_tensors(f"{name}{schema}")
        self._opoverload = defined(Operator(parsed, False, fn))

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    def register_kernel(self, device_types: Any, fn: Callable | None = None, /) -> Any:
        """Register the kernel for one or several device types. None means all types without a kernel of their own.

        Return a decorator if `fn` is not given.
        """
        if fn is None:
            return lambda fn: self.register_kernel(device_types, fn)
        set_kernels(self._opoverload, device_types, fn)
        return fn

    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Any:
        """Return a context manager in which the kernel of a device type is enabled or disabled.

        The function of `custom_op` replaces a disabled kernel.
        """
        return _enabled(self._opoverload, device_type, enabled)

    def register_fake(self, fn: Callable, /) -> Callable:
        """Register a function that makes the results for meta tensors, and return it.

        It has the arguments of the operator. Programs that `torch.compile` runs do not need it.
        """
        self._opoverload._fake = fn
        return fn

    def register_autograd(self, backward: Callable, /, *, setup_context: Callable | None = None) -> None:
        """Register the functions that compute the gradient.

        `setup_context(ctx, inputs, output)` is called after the kernel, and `backward(ctx, *grads)` in the backward
        pass. The arguments of `setup_context` are passed by name. It has a further argument `keyword_only_inputs`, a
        dict, if the operator has keyword-only arguments.

        Raises:
          RuntimeError: the operator writes to an argument, or returns one.
        """
        set_gradient(self._opoverload, self, backward, setup_context)

    def register_vmap(self, func: Callable | None = None) -> Any:
        """Register the rule for `torch.vmap`. Return a decorator without `func`. See `library.register_vmap`."""
        if func is None:
            return self.register_vmap
        self._opoverload._vmap = func
        return func

    def register_autocast(self, device_type: str, cast_inputs: _dtypes.dtype) -> None:
        """Register the dtype of the arguments in regions of autocast. See `library.register_autocast`."""
        self._opoverload._casts[device_type] = cast_inputs

    def register_torch_dispatch(self, torch_dispatch_class: Any, fn: Callable | None = None, /) -> Any:
        """Raise NotImplementedError. See `library.register_torch_dispatch`."""
        raise no_dispatch()


@contextlib.contextmanager
def _enabled(op: Operator, device_type: str, enabled: bool) -> Iterator[None]:
    before = set(op._disabled)
    op._disabled = before - {device_type} if enabled else before | {device_type}
    try:
        yield
    finally:
        op._disabled = before


def no_dispatch() -> NotImplementedError:
    return _errors.arguments.cannot("library.register_torch_dispatch", "override __torch_function__ instead")


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

    A second definition of the same name replaces the first.

    Args:
      name (str): "namespace::name".
      fn (callable, optional): the kernel. Its parameters and its result need annotations, unless `schema` is given.
      mutates_args (str or iterable of str): the arguments that the kernel writes to, or "unknown".
      device_types (str or sequence of str, optional): the device types of the kernel. None means all types without a
        kernel of their own.
      schema (str, optional): the arguments and results, such as "(Tensor x) -> Tensor". Default: by the annotations.
      tags: must be None.

    Returns:
      The operator, a `CustomOpDef`.

    Raises:
      ValueError: `name` has another form, or an annotation is missing or unsupported.
      NotImplementedError: `tags` is given.

    >>> import torchlike as torch
    >>> @torch.library.custom_op("docs::triple", mutates_args=())
    ... def triple(x: torch.Tensor) -> torch.Tensor:
    ...     return 3 * x
    >>> torch.ops.docs.triple(torch.ones(2))
    tensor([3., 3.])
    """
    if name.count("::") != 1:
        raise ValueError(f"Expected `name` to be of the form `namespace::name`, got {name!r}")

    def define_from(fn: Callable) -> CustomOpDef:
        found = infer_schema(fn, mutates_args=mutates_args) if schema is None else schema
        space, own = name.split("::")
        made = CustomOpDef(space, own, found, fn, tags)
        made.register_kernel(device_types, fn)
        return made

    return define_from if fn is None else define_from(fn)


def triton_op(
    name: str,
    fn: Callable | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    schema: str | None = None,
) -> Any:
    """Define an operator whose kernel `fn` calls kernels of Triton. Return a decorator if `fn` is not given.

    It is the same as `custom_op`: the kernel is called directly. A kernel of Triton itself needs Triton and a GPU.

    Args:
      name: "namespace::name".
      fn: the kernel.
      mutates_args: the arguments that the kernel writes to.
      schema: the arguments and results. Default: by the annotations.

    >>> import torchlike as torch
    >>> @torch.library.triton_op("docs::twice", mutates_args=())
    ... def twice(x: torch.Tensor) -> torch.Tensor:
    ...     return x * 2
    >>> twice(torch.ones(2))
    tensor([2., 2.])
    """
    return custom_op(name, fn, mutates_args=mutates_args, schema=schema)


__all__ = ["CustomOpDef", "custom_op", "triton_op"]
