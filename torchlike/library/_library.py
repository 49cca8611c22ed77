"""`Library`, `define` and `impl`: operators that a schema defines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors

from ._custom_op import CustomOpDef
from ._operators import Operator, defined, is_defined, known, set_kernels
from ._schema import parse_schema

_KEYS = {
    "default": None,
    "CompositeExplicitAutograd": None,
    "CompositeImplicitAutograd": None,
    "": None,
    "CPU": "cpu",
    "CUDA": "cuda",
    "Meta": "meta",
}
_NAMES = ("CPU", "CUDA", "Meta", "CompositeExplicitAutograd", "CompositeImplicitAutograd")


def define(qualname: str, schema: str, *, lib: Library | None = None, tags: Any = ()) -> None:
    """Declare the operator `namespace::name`, whose kernels `impl` registers.

    Args:
      qualname (str): "namespace::name", or "name" if `lib` is given.
      schema (str): the arguments and results, such as "(Tensor x) -> Tensor".
      lib (Library, optional): the library that gives the namespace.
      tags: has no effect: tags are metadata for PyTorch's compiler.

    Raises:
      ValueError: the name has another form.
      RuntimeError: the operator exists already, or the schema has another form.

    >>> import torchlike as torch
    >>> torch.library.define("docs::increment", "(Tensor x) -> Tensor")
    >>> _ = torch.library.impl("docs::increment", "cpu", lambda x: x + 1)
    >>> torch.ops.docs.increment(torch.zeros(2))
    tensor([1., 1.])
    """
    if lib is not None:
        qualname = f"{lib.ns}::{qualname}"
    if qualname.count("::") != 1:
        raise ValueError(f"Expected `qualname` to be of the form `namespace::name`, got {qualname!r}")
    parsed = parse_schema(qualname + schema)
    if is_defined(parsed):
        raise _errors.operators.defined_twice(parsed)
    defined(Operator(parsed, True))


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Library | None = None) -> Any:
    """Register a kernel for device types. Return a decorator if `func` is not given.

    If the first argument is a `Library`, the second is the name of its operator, and the third is the dispatch key of
    `Library.impl`. The result is then a decorator.

    Args:
      qualname (str or Library): the name of an operator, "namespace::name", or "name" if `lib` is given.
      types (str or sequence of str): device types or dispatch keys. "default" means all types without a kernel of their
        own. A kernel for a key that begins with "Autograd" is called in place of the others, and autograd
        differentiates through it.
      func (callable, optional): the kernel.
      lib (Library, optional): the library that gives the namespace.

    Returns:
      `func`, or a decorator if `func` is not given.

    Raises:
      RuntimeError: there is no such operator.

    >>> import torchlike as torch
    >>> torch.library.define("docs::negated", "(Tensor x) -> Tensor")
    >>> @torch.library.impl("docs::negated", "cpu")
    ... def negated(x):
    ...     return -x
    >>> torch.ops.docs.negated(torch.ones(2))
    tensor([-1., -1.])
    """
    if isinstance(qualname, Library):
        return lambda fn: qualname.impl(types, fn, func or "")
    if func is None:
        return lambda fn: impl(qualname, types, fn, lib=lib)
    op = known(qualname if lib is None else f"{lib.ns}::{qualname}")
    for each in [types] if isinstance(types, str) else types:
        if each.startswith("Autograd"):
            op._tracked[_KEYS.get(each.removeprefix("Autograd"), each.removeprefix("Autograd").lower())] = func
        else:
            set_kernels(op, _KEYS.get(each, each), func)
    return func


class Library:
    """The operators of a namespace.

    Args:
      ns (str): the namespace.
      kind (str): "DEF" or "FRAGMENT" for a library that declares operators, and "IMPL" for one that only registers
        kernels. It has no effect otherwise.
      dispatch_key (str, default ""): the dispatch key of kernels for which `Library.impl` is given none.

    Raises:
      ValueError: `kind` has another value.

    >>> import torchlike as torch
    >>> library = torch.library.Library("docs_library", "DEF")
    >>> library.define("decrement(Tensor x) -> Tensor")
    'decrement'
    >>> library.impl("decrement", lambda x: x - 1, "CPU")
    >>> torch.ops.docs_library.decrement(torch.ones(2))
    tensor([0., 0.])
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("DEF", "IMPL", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Declare an operator by its schema, such as "name(Tensor x) -> Tensor", and return its name."""
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        name, bracket, rest = schema.partition("(")
        name = name.strip().removeprefix(f"{self.ns}::")
        define(name, bracket + rest, lib=self)
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
        for name, wrong in (("with_keyset", with_keyset), ("allow_override", not allow_override)):
            if wrong:
                raise _errors.arguments.unsupported("Library.impl", name)
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        if fn is fallthrough_kernel:
            raise _errors.arguments.unsupported("Library.impl", "fn (fallthrough_kernel)")
        name = op_name if isinstance(op_name, str) else op_name.name().removeprefix(f"{self.ns}::")
        impl(name, [dispatch_key or self.dispatch_key or "default"], fn, lib=self)


def fallthrough_kernel() -> None:
    """Raise NotImplementedError. As a kernel, the function stands for the kernel of the next dispatch key.

    `Library.impl` does not support it, since an operator has one kernel for each device type.
    """
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def get_kernel(op: Any, dispatch_key: str) -> Any:
    """Return an object whose `call_boxed(keyset, *args)` calls the kernel of an operator for a dispatch key.

    Args:
      op (str or CustomOpDef): the operator, or its name "namespace::name".
      dispatch_key (str): "CPU", "CUDA", "Meta" or the name of a composite key.

    Raises:
      ValueError: `op` has another type, or there is no such key.
      RuntimeError: there is no such operator or kernel.

    >>> import torchlike as torch
    >>> torch.library.define("docs::plus_two", "(Tensor x) -> Tensor")
    >>> _ = torch.library.impl("docs::plus_two", "cpu", lambda x: x + 2)
    >>> torch.library.get_kernel("docs::plus_two", "CPU").call_boxed(None, torch.zeros(2))
    tensor([2., 2.])
    """
    if not isinstance(op, str | Operator | CustomOpDef):
        raise ValueError(f"get_kernel({op}): got unexpected type for op: {type(op)}")
    if dispatch_key not in _NAMES:
        raise ValueError(f"Invalid dispatch key: {dispatch_key}")
    found = known(op)
    kernel = found._kernels.get(_KEYS[dispatch_key]) or found._kernels.get(None)
    if kernel is None:
        raise _errors.operators.no_kernel(found.name(), dispatch_key, [each for each in found._kernels if each])
    return _Kernel(kernel)


class _Kernel:
    """A kernel of an operator."""

    def __init__(self, kernel: Callable) -> None:
        self._kernel = kernel

    def call_boxed(self, keyset: Any, *args: Any, **kwargs: Any) -> Any:
        """Call the kernel. The key set has no effect: the kernel is the one of the dispatch key."""
        return self._kernel(*args, **kwargs)


__all__ = ["Library", "define", "fallthrough_kernel", "get_kernel", "impl"]
