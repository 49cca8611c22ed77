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

    Without a backward function, a backward pass through the operator raises an error, unless `direct` is True. Programs
    call `custom_op` or `define` instead of this constructor.

    Args:
      name (str): "namespace::name".
      fn (callable or None): the kernel. None if `register_kernel` registers the kernels.
      mutates_args (str or sequence of str): the arguments that the kernel writes to. It has no effect: writes are
        detected in any case.
      device_types (str or sequence of str, optional): the device types of the kernel. None means all types without a
        kernel of their own.
    """

    direct = False  # whether autograd differentiates through the kernel if no backward function is registered

    def __init__(self, name: str, fn: Callable | None, mutates_args: Any, device_types: Any = None) -> None:
        self._qualname, self.mutates_args = name, mutates_args
        self._kernels: dict[str | None, Callable] = {}  # by device type. The key None is for all other types.
        self._tracked: dict[str | None, Callable] = {}  # kernels that autograd differentiates, by device type
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
        pass. The arguments of `setup_context` are passed by name. It has a further argument `keyword_only_inputs`, a
        dict, if the operator has keyword-only arguments.
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
        type = _device_type(args)
        found = self._kernels.get(type) or self._kernels.get(None)
        if found is None:
            raise _errors.making.no_kernel(self._qualname, type or "none", [each for each in self._kernels if each])
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from torchlike._dtypes import modes

        if self._tracked:
            type = _device_type((*args, *kwargs.values()))
            tracked = self._tracked.get(type) or self._tracked.get(None)
            if tracked is not None:
                return tracked(*args, **kwargs)
        tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, Tensor)]
        as_it_is = self.direct and self._backward is None
        if as_it_is or not (modes.local.grad and any(t.requires_grad for t in tensors)):
            return self._kernel((*args, *kwargs.values()))(*args, **kwargs)
        kernel = self._kernel((*args, *kwargs.values()))
        if kwargs or getattr(kernel, "__kwdefaults__", None):
            import inspect

            bound = inspect.signature(kernel).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        return self._function(kwargs).apply(*args)

    def _function(self, keywords: dict[str, Any]) -> Any:
        """Return the autograd function of a call with the keyword-only arguments `keywords`."""
        from torchlike.autograd import Function

        made = self

        class Operator(Function):
            @staticmethod
            def forward(*args: Any) -> Any:
                return made._kernel((*args, *keywords.values()))(*args, **keywords)

            @staticmethod
            def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
                if made._setup_context is not None:
                    named = {"keyword_only_inputs": keywords} if keywords else {}
                    made._setup_context(ctx=ctx, inputs=inputs, **named, output=output)

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


def _device_type(args: tuple) -> str | None:
    return next((each.device.type for each in args if isinstance(each, Tensor)), None)


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
      fn (callable, optional): the kernel.
      mutates_args (str or iterable of str): the arguments that the kernel writes to. Writes are detected in any case.
      device_types (str or sequence of str, optional): the device types of the kernel. None means all types without a
        kernel of their own.
      schema, tags: metadata for PyTorch's compiler. They are ignored, since the kernel is called directly.

    Returns:
      The operator, a `CustomOpDef`.

    Raises:
      ValueError: `name` has another form.

    >>> import torchlike as torch
    >>> @torch.library.custom_op("docs::triple", mutates_args=())
    ... def triple(x: torch.Tensor) -> torch.Tensor:
    ...     return 3 * x
    >>> torch.ops.docs.triple(torch.ones(2))
    tensor([3., 3.])
    """
    if name.count("::") != 1:
        raise ValueError(f"Expected `name` to be of the form `namespace::name`, got {name!r}")
    if fn is None:
        return lambda fn: custom_op(name, fn, mutates_args=mutates_args, device_types=device_types)
    _made[name] = CustomOpDef(name, fn, mutates_args, device_types)
    return _made[name]


def triton_op(
    name: str,
    fn: Callable | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    schema: str | None = None,
) -> Any:
    """Define an operator whose kernel `fn` calls kernels of Triton. Return a decorator if `fn` is not given.

    It does the same as `custom_op`: the kernel is called directly. A kernel of Triton itself needs Triton and a GPU.

    Args:
      name: "namespace::name".
      fn: the kernel.
      mutates_args: the arguments that the kernel writes to. Writes are detected in any case.
      schema: metadata for PyTorch's compiler. It is ignored.

    >>> twice = torchlike.library.triton_op("docs::twice", lambda x: x * 2, mutates_args=())
    >>> twice(torchlike.ones(2))
    tensor([2., 2.])
    """
    return custom_op(name, fn, mutates_args=mutates_args, schema=schema)


def _known(op: Any) -> CustomOpDef:
    found = op if isinstance(op, CustomOpDef) else _made.get(str(op))
    if found is None:
        raise RuntimeError(f"operator {op} does not exist")
    return found


def register_fake(
    op: Any,
    func: Callable | None = None,
    /,
    *,
    lib: Library | None = None,
    _stacklevel: int = 1,
    allow_override: bool = True,
) -> Any:
    """Call `CustomOpDef.register_fake` of the operator `op`. Return a decorator if `func` is not given.

    Unlike in PyTorch, the call has no effect if `op` is the name of an unknown operator. This lets libraries register
    functions for operators that are compiled for PyTorch. Only a call of such an operator raises an error.

    Args:
      op (str or CustomOpDef): the operator, or its name "namespace::name".
      func (callable, optional): a function with the arguments of the operator that returns empty tensors like its
        results. It is stored but not called.
      lib, _stacklevel: have no effect: a registration lasts as long as the process.
      allow_override (bool, default True): must be True.

    Raises:
      NotImplementedError: `allow_override` is False.

    >>> import torchlike as torch
    >>> @torch.library.custom_op("docs::doubled", mutates_args=())
    ... def doubled(x: torch.Tensor) -> torch.Tensor:
    ...     return 2 * x
    >>> @torch.library.register_fake("docs::doubled")
    ... def _(x):
    ...     return torch.empty_like(x)
    >>> doubled(torch.ones(2))
    tensor([2., 2.])
    """
    if not allow_override:
        raise _errors.arguments.unsupported("library.register_fake", "allow_override")
    if isinstance(op, str) and op not in _made:
        return (lambda fn: fn) if func is None else func
    known = _known(op)
    return known.register_fake if func is None else known.register_fake(func)


def register_kernel(op: Any, device_types: Any, func: Callable | None = None, /) -> Any:
    """Call `CustomOpDef.register_kernel` of the operator `op`.

    Args:
      op (str or CustomOpDef): the operator, or its name "namespace::name".
      device_types (str, sequence of str or None): the device types of the kernel. None means all types without a kernel
        of their own.
      func (callable, optional): the kernel.

    Returns:
      `func`, or a decorator if `func` is not given.

    Raises:
      RuntimeError: there is no such operator.

    >>> import torchlike as torch
    >>> @torch.library.custom_op("docs::halved", mutates_args=(), device_types="cuda")
    ... def halved(x: torch.Tensor) -> torch.Tensor:
    ...     return x / 2
    >>> @torch.library.register_kernel("docs::halved", "cpu")
    ... def _(x):
    ...     return x / 2
    >>> halved(torch.ones(2))
    tensor([0.5000, 0.5000])
    """
    return _known(op).register_kernel(device_types, func)


def register_autograd(
    op: Any, backward: Callable, /, *, setup_context: Callable | None = None, lib: Library | None = None
) -> None:
    """Call `CustomOpDef.register_autograd` of the operator `op`.

    Args:
      op (str or CustomOpDef): the operator, or its name "namespace::name".
      backward (callable): `backward(ctx, *grads)`. It returns the gradients of the arguments.
      setup_context (callable, optional): `setup_context(ctx, inputs, output)`. It is called after the kernel and saves
        tensors for `backward`.
      lib: has no effect: a registration lasts as long as the process.

    Raises:
      RuntimeError: there is no such operator.

    >>> import torchlike as torch
    >>> @torch.library.custom_op("docs::square", mutates_args=())
    ... def square(x: torch.Tensor) -> torch.Tensor:
    ...     return x * x
    >>> def save(ctx, inputs, output):
    ...     ctx.save_for_backward(*inputs)
    >>> def backward(ctx, grad):
    ...     return 2 * grad * ctx.saved_tensors[0]
    >>> torch.library.register_autograd("docs::square", backward, setup_context=save)
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> square(x).backward()
    >>> x.grad
    tensor(6.)
    """
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
    """Declare the operator `namespace::name`, whose kernels `impl` registers.

    Args:
      qualname (str): "namespace::name", or "name" if `lib` is given.
      schema (str): the arguments and results, such as "(Tensor x) -> Tensor". It has no effect: the kernel is called
        with the arguments of the call.
      lib (Library, optional): the library that gives the namespace.
      tags: has no effect: tags are metadata for PyTorch's compiler.

    Raises:
      ValueError: the name has another form.
      RuntimeError: the operator exists already.

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
    if qualname in _made:
        raise _errors.making.defined_twice(qualname, schema)
    _made[qualname] = CustomOpDef(qualname, None, ())
    _made[qualname].direct = True


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
    op = _known(qualname if lib is None else f"{lib.ns}::{qualname}")
    for each in [types] if isinstance(types, str) else types:
        if each.startswith("Autograd"):
            op._tracked[_KEYS.get(each.removeprefix("Autograd"), each.removeprefix("Autograd").lower())] = func
        else:
            op.register_kernel(_KEYS.get(each, each), func)
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
        for name, wrong in (("with_keyset", with_keyset), ("allow_override", not allow_override)):
            if wrong:
                raise _errors.arguments.unsupported("Library.impl", name)
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
    """Return the object with the custom operators of a namespace, or None if the namespace has no operators.

    Args:
      name (str): the namespace.

    >>> namespace("unknown") is None
    True
    """
    return _OpNamespace(name) if any(each.startswith(f"{name}::") for each in _made) else None
