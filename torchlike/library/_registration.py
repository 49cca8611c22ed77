"""Functions that register the kernels, gradients and rules of existing operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._errors.warned import warn
from torchlike._tensor import autocast as _autocast

from ._custom_op import CustomOpDef, no_dispatch
from ._library import Library
from ._operators import Operator, fake_context, known, set_gradient, set_kernels


def _resolved(op: Any, caller: str) -> Operator:
    """Return the operator that is given to a function of this module."""
    if not isinstance(op, str | Operator | CustomOpDef):
        raise ValueError(f"{caller}({op}): got unexpected type for op: {type(op)}")
    try:
        return known(op)
    except RuntimeError:
        space, _, name = str(op).partition("::")
        raise AttributeError(f"'_OpNamespace' '{space}' object has no attribute '{name}'") from None


def register_fake(
    op: Any,
    func: Callable | None = None,
    /,
    *,
    lib: Library | None = None,
    _stacklevel: int = 1,
    allow_override: bool = True,
) -> Any:
    """Register a function that makes an operator's results for meta tensors. Return a decorator without `func`.

    Unlike in PyTorch, the call has no effect if `op` is the name of an unknown operator. This lets libraries register
    functions for operators that are compiled for PyTorch. Only a call of such an operator raises an error.

    Args:
      op (str or CustomOpDef): the operator, or its name "namespace::name".
      func (callable, optional): a function with the arguments of the operator that returns empty tensors like its
        results. Only calls with meta tensors use it.
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
    if func is None:
        return lambda fn: register_fake(op, fn)
    try:
        _resolved(op, "register_fake")._fake = func
    except AttributeError:
        return func
    return func


def impl_abstract(
    qualname: Any, func: Callable | None = None, *, lib: Library | None = None, _stacklevel: int = 1
) -> Any:
    """Call `register_fake`, the present name of the function.

    Args:
      qualname (str): the name of the operator.
      func (callable, optional): the function. Without it, a decorator is returned.
      lib, _stacklevel: have no effect: a registration lasts as long as the process.

    >>> import torchlike as torch
    >>> torch.library.define("docs::minus", "(Tensor x) -> Tensor")
    >>> _ = torch.library.impl("docs::minus", "cpu", lambda x: -x)
    >>> _ = torch.library.impl_abstract("docs::minus", lambda x: torch.empty_like(x))
    >>> torch.ops.docs.minus(torch.ones(3, device="meta")).shape
    torch.Size([3])
    """
    warn(
        "`torch.library.impl_abstract` was renamed to `torch.library.register_fake`. Please use that instead; we will "
        "remove `torch.library.impl_abstract` in a future version of PyTorch.",
        FutureWarning,
    )
    return register_fake(qualname, func)


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
      AttributeError: there is no such operator.

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
    if func is None:
        return lambda fn: register_kernel(op, device_types, fn)
    set_kernels(_resolved(op, "register_kernel"), device_types, func)
    return func


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
      AttributeError: there is no such operator.

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
    found = _resolved(op, "register_autograd")
    set_gradient(found, op if isinstance(op, CustomOpDef) else found, backward, setup_context)


def register_vmap(op: Any, func: Callable | None = None, /, *, lib: Library | None = None) -> Any:
    """Register the rule by which `torch.vmap` maps an operator. Return a decorator if `func` is not given.

    `torch.vmap` calls an operator without a rule for one example at a time.

    Args:
      op (str or CustomOpDef): the operator.
      func (callable, optional): `func(info, in_dims, *args)`. `info.batch_size` and `info.randomness` describe the
        mapping. `in_dims` has the mapped dim of each argument, or None. It returns the results and their mapped dims.
      lib: has no effect: a registration lasts as long as the process.

    Raises:
      ValueError: `op` has another type.
      AttributeError: there is no such operator.

    >>> import torchlike as torch
    >>> @torch.library.custom_op("docs::cube", mutates_args=())
    ... def cube(x: torch.Tensor) -> torch.Tensor:
    ...     return x**3
    >>> @torch.library.register_vmap("docs::cube")
    ... def _(info, in_dims, x):
    ...     return cube(x), in_dims[0]
    >>> torch.vmap(cube)(torch.tensor([1.0, 2.0]))
    tensor([1., 8.])
    """
    found = _resolved(op, "register_vmap")
    if func is None:
        return lambda fn: register_vmap(op, fn)
    found._vmap = func
    return None


def register_autocast(op: Any, device_type: str, cast_inputs: _dtypes.dtype, /, *, lib: Library | None = None) -> None:
    """Register the dtype to which an operator's arguments are cast in regions of autocast.

    Floating-point tensors of the device type are cast, except those of float64. The kernel runs without autocast.

    Args:
      op (str or CustomOpDef): the operator.
      device_type (str): the device type, such as "cuda".
      cast_inputs (dtype): the dtype.
      lib: has no effect: a registration lasts as long as the process.

    Raises:
      ValueError: `op` has another type, or there is no autocast for the device type.
      AttributeError: there is no such operator.

    >>> import torchlike as torch
    >>> @torch.library.custom_op("docs::same", mutates_args=())
    ... def same(x: torch.Tensor) -> torch.Tensor:
    ...     return x.clone()
    >>> torch.library.register_autocast("docs::same", "cpu", torch.bfloat16)
    >>> with torch.autocast("cpu"):
    ...     print(same(torch.ones(2)).dtype)
    torch.bfloat16
    """
    found = _resolved(op, "register_autocast")
    kind = _autocast.kind_of(device_type, "register_autocast")
    if not _autocast.is_known(kind):
        raise ValueError(f"Device type '{device_type}' does not support autocast.")
    found._casts[kind] = cast_inputs


def register_torch_dispatch(
    op: Any, torch_dispatch_class: Any, func: Callable | None = None, /, *, lib: Library | None = None
) -> Any:
    """Raise NotImplementedError. Classes with `__torch_dispatch__` are not supported; use `__torch_function__`.

    Args:
      op, torch_dispatch_class, func, lib: not used.
    """
    raise no_dispatch()


def get_ctx() -> None:
    """Return the context of the running function of `register_fake`. It is None outside of one.

    Raises:
      RuntimeError: such a function runs. It gets meta tensors, which have no sizes that depend on data.

    >>> import torchlike as torch
    >>> torch.library.get_ctx() is None
    True
    """
    return fake_context()


def wrap_triton(triton_kernel: Callable, /) -> Any:
    """Raise NotImplementedError. A kernel of Triton works on PyTorch's tensors; use Pallas with `torch.jax`.

    Args:
      triton_kernel: not used.
    """
    raise _errors.arguments.cannot("library.wrap_triton", "write the kernel in Pallas and call it by torchlike.jax")


__all__ = [
    "get_ctx",
    "impl_abstract",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
    "wrap_triton",
]
