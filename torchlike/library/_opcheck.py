"""`opcheck`: checks of the registrations of an operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torchlike
from torchlike._tensor.tensor import Tensor
from torchlike.utils._pytree import tree_flatten, tree_leaves, tree_map

from ._binding import bound, filled
from ._custom_op import CustomOpDef
from ._operators import Operator, OperatorPacket, known

_DEFAULT = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")


class OpCheckError(Exception):
    """The error of a check that fails."""


def opcheck(
    op: Any,
    args: tuple,
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] = _DEFAULT,
    raise_exception: bool = True,
    atol: float | None = None,
    rtol: float | None = None,
) -> dict[str, Any]:
    """Check the registrations of an operator with example arguments.

    - "test_schema": the kernel writes to exactly those arguments that the schema names, and returns new tensors.
    - "test_autograd_registration": a result requires grad only if a gradient is registered.
    - "test_faketensor": the function of `register_fake` makes tensors with the properties of the results.
    - "test_aot_dispatch_dynamic": the operator has the same results and gradients in a compiled function.

    Args:
      op (CustomOpDef or operator): the operator.
      args (tuple): the positional arguments of a call.
      kwargs (dict, optional): its keyword arguments.
      test_utils (str or sequence of str): the checks. Default: all.
      raise_exception: raise at the first check that fails. Otherwise the result has the exception.
      atol, rtol (float, optional): the tolerances of compared numbers. Give both or none.

    Returns:
      A dict with "SUCCESS" or the exception for each check.

    Raises:
      OpCheckError: a check fails.
      ValueError: another argument is wrong.

    >>> import torchlike as torch
    >>> @torch.library.custom_op("docs::plus_one", mutates_args=())
    ... def plus_one(x: torch.Tensor) -> torch.Tensor:
    ...     return x + 1
    >>> torch.library.opcheck(plus_one, (torch.ones(2),), test_utils="test_schema")
    {'test_schema': 'SUCCESS'}
    """
    if (rtol is None) ^ (atol is None):
        raise ValueError("opcheck(op, ...): if you specify one of rtol/atol, you must specify both")
    if not isinstance(op, CustomOpDef | Operator | OperatorPacket):
        raise ValueError(
            "opcheck(op, ...): op must be instance of torch._ops.OpOverload, e.g. torch.ops.aten.sin.default, got "
            f"{type(op)}"
        )
    names = (test_utils,) if isinstance(test_utils, str) else test_utils
    names = tuple(_CHECKS) if test_utils == "ALL" else names
    if not isinstance(names, tuple | list) or not set(names) <= set(_CHECKS):
        raise ValueError(
            f"opcheck(op, ..., test_utils={names}), expected test_utils to be subset of {tuple(_CHECKS)} but it was not"
        )
    found: dict[str, Any] = {}
    for name in names:
        try:
            _CHECKS[name](known(op), args, kwargs or {}, {"rtol": rtol, "atol": atol})
            found[name] = "SUCCESS"
        except Exception as e:
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {name} failed with {e} (scroll up for stack trace)") from e
            found[name] = e
    return found


def _copied(given: Any) -> Any:
    """Return arguments with copies of their tensors, which require grad where the tensors do."""

    def copy(each: Any) -> Any:
        return each.detach().clone().requires_grad_(each.requires_grad) if isinstance(each, Tensor) else each

    return tree_map(copy, given)


def _arguments(op: Operator, args: tuple, kwargs: dict[str, Any]) -> list:
    """Return the arguments and their values in the order of the schema."""
    whole, named = filled(op._schema, *bound(op._schema, args, kwargs))
    return list(zip(op._schema.arguments, (*whole, *named.values())))


def _check_schema(op: Operator, args: tuple, kwargs: dict[str, Any], near: dict[str, Any]) -> None:
    args, kwargs = tree_map(lambda each: each.detach() if isinstance(each, Tensor) else each, _copied((args, kwargs)))
    given = _arguments(op, args, kwargs)
    before = [_copied(tree_leaves(value)) for _, value in given]
    results = op(*args, **kwargs)
    for (argument, value), old in zip(given, before):
        pairs = zip(tree_leaves(value), old)
        if not argument.is_write and not all(_is_same(*pair) for pair in pairs):
            raise RuntimeError(f"Argument {argument.name} is not defined as mutable but was mutated")
    for place, each in enumerate(results if isinstance(results, tuple | list) else (results,)):
        for argument, value in given:
            shared = isinstance(each, Tensor) and any(
                isinstance(x, Tensor) and x._storage is each._storage for x in tree_leaves(value)
            )
            if shared and not argument.alias:
                raise RuntimeError(
                    f"Argument {argument.name} is not defined to alias output but was aliasing (output {place})"
                )


def _is_same(new: Any, old: Any) -> bool:
    return not isinstance(new, Tensor) or torchlike.allclose(new, old, rtol=0, atol=0, equal_nan=True)


def _check_gradient(op: Operator, args: tuple, kwargs: dict[str, Any], near: dict[str, Any]) -> None:
    tensors = [each for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)]
    if not any(each.requires_grad for each in tensors) or not op.direct:
        return
    if op._backward is not None or op._tracked or None in op._kernels:
        return
    results = tree_leaves(op(*args, **kwargs))
    if any(isinstance(x, Tensor) and x.requires_grad and all(x is not t for t in tensors) for x in results):
        raise AssertionError(
            f"{op.name()}: at least one output of this operator has requires_grad=True but the operator does not have "
            "an autograd kernel defined at an autograd key (e.g. DispatchKey::Autograd). This could mean that you have "
            "incorrectly registered an autograd kernel to a non-Autograd DispatchKey, which may lead to silently "
            "incorrect results. If your operator consists of regular PyTorch operations, consider not using an "
            "operator at all or registering your operator as CompositeImplicitAutograd. If you have an "
            "autograd.Function registered to a backend (CPU/CUDA/XPU) key, the correct location for it is the Autograd "
            "key."
        )


def _check_fake(op: Operator, args: tuple, kwargs: dict[str, Any], near: dict[str, Any]) -> None:
    args, kwargs = _copied((args, kwargs))
    fake_args, fake_kwargs = tree_map(
        lambda each: each.detach().to("meta") if isinstance(each, Tensor) else each, (args, kwargs)
    )
    with torchlike.no_grad():
        made = tree_leaves(op(*fake_args, **fake_kwargs))
        real = tree_leaves(op(*args, **kwargs))
    for place, (fake, found) in enumerate(zip(made, real, strict=True)):
        if not isinstance(found, Tensor):
            continue
        for what in ("shape", "dtype", "stride", "layout"):
            pair = [getattr(each, what)() if what == "stride" else getattr(each, what) for each in (found, fake)]
            if pair[0] != pair[1]:
                raise RuntimeError(
                    f"result {place} of {op} has {what} {pair[0]}, but the function of register_fake makes {pair[1]}"
                )


def _check_compiled(op: Operator, args: tuple, kwargs: dict[str, Any], near: dict[str, Any]) -> None:
    found = [_run(call, _copied((args, kwargs))) for call in (op, torchlike.compile(lambda *a, **k: op(*a, **k)))]
    for eager, compiled in zip(*found):
        torchlike.testing.assert_close(compiled, eager, equal_nan=True, **near)


def _run(call: Callable, given: tuple) -> list:
    """Return the results of a call, its arguments afterwards, and its gradients."""
    args, kwargs = given
    results = [each for each in tree_leaves(call(*args, **kwargs)) if isinstance(each, Tensor)]
    inputs = [each for each in tree_flatten(given)[0] if isinstance(each, Tensor)]
    wanted = [each for each in inputs if each.requires_grad]
    loss = [each.abs().sum() for each in results if each.requires_grad]
    grads = torchlike.autograd.grad(sum(loss), wanted, allow_unused=True) if loss and wanted else ()
    return [*[each.detach() for each in (*results, *inputs)], *[each for each in grads if each is not None]]


_CHECKS: dict[str, Callable[[Operator, tuple, dict[str, Any], dict[str, Any]], None]] = {
    "test_schema": _check_schema,
    "test_autograd_registration": _check_gradient,
    "test_faketensor": _check_fake,
    "test_aot_dispatch_static": _check_compiled,
    "test_aot_dispatch_dynamic": _check_compiled,
}

__all__ = ["OpCheckError", "opcheck"]
