"""The conditional operator `torch.cond`, built on `jax.lax.cond`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from torchlike import _errors
from torchlike._engine.trace.subtrace import Sampled
from torchlike._errors.warned import warn
from torchlike._higher_order_ops._record import InputProperties, Recorded, ResultIndex, device_of, operate, record
from torchlike._higher_order_ops._trees import flatten
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.jax_operators import Functions, Higher
from torchlike._transforms.recording import is_tensor


def cond(pred: Any, true_fn: Callable, false_fn: Callable, operands: tuple | list = ()) -> Any:
    """Return `true_fn(*operands)` if `pred` is true, else `false_fn(*operands)`. Only the chosen function is executed.

    Args:
      pred: a tensor with one element. A Python number or bool selects the function immediately.
      true_fn, false_fn: pure functions whose results have the same containers, shapes and dtypes. They may use tensors
        from outside, and gradients flow to these tensors too.
      operands: a tuple or list of tensors, or of containers of tensors.

    Raises:
      RuntimeError: an argument has the wrong type, or `pred` does not have exactly one element.
      UncapturedHigherOrderOpError: a function reads elements, writes to a tensor that it did not create, returns such a
        tensor or a constant that is not an int, or the results of the functions have different containers.
      TorchRuntimeError: the results of the functions differ in dtype, in number of dims or in the order of strides.

    The last two classes are in `torch._dynamo.exc`.

    Both functions are called once for capture. If a function samples random numbers, or if the results differ in sizes
    or in Python ints, the value of `pred` is read instead, and the chosen function is called eagerly.

    >>> import torchlike as torch
    >>> x = torch.tensor([1.0, -3.0], requires_grad=True)
    >>> torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x * 3, (x,)).sum().backward()
    >>> x.grad
    tensor([3., 3.])
    """
    leaves, tree = flatten(operands)
    _check(pred, true_fn, false_fn, operands, leaves)
    if not is_tensor(pred):
        warn(_errors.control_flow.CONSTANT_PREDICATE)
        return true_fn(*operands) if pred else false_fn(*operands)
    device, properties = device_of([pred, *leaves]), [InputProperties.of(leaf) for leaf in leaves]
    call = lambda function, inputs: function(*tree.filled(inputs))
    try:
        true = record("torch.cond", "true_fn", true_fn, properties, device, call)
        false = record("torch.cond", "false_fn", false_fn, properties, device, call)
    except Sampled:
        true = false = None
    if true is None or false is None or not _are_alike(true, false):
        return true_fn(*operands) if pred.item() else false_fn(*operands)
    return true.filled(operate(_COND, [pred, *leaves], [true, false], true.strides))


def _run(functions: Functions, given: list, outside: list) -> list:
    pred, *operands = given
    branches = [lambda x, f=f, o=o: f(x, o) for f, o in zip(functions, outside)]
    return jax.lax.cond(jnp.reshape(pred, ()) != 0, *branches, operands)


_COND = Higher("cond", "CondAutogradOpBackward", "cond", _run)


def _check(pred: Any, true_fn: Any, false_fn: Any, operands: Any, leaves: list) -> None:
    if not isinstance(pred, bool | int | float | Tensor):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if is_tensor(pred) and pred.numel() != 1:  # type: ignore[union-attr]
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(operands, tuple | list) or not all(map(is_tensor, leaves)):
        raise RuntimeError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor "
            f"leaves, but got {operands}."
        )


def _are_alike(true: Recorded, false: Recorded) -> bool:
    """Return whether one program can compute both results. Raise if the results are incompatible.

    One program cannot compute results that differ in sizes or in Python numbers.
    """
    if true.tree != false.tree:
        raise _errors.control_flow.differing_branches(true.tree, false.tree)
    if any(x.__class__ not in (ResultIndex, int) for x in true.leaves + false.leaves):
        raise _errors.control_flow.constant_result()
    if [x.__class__ for x in true.leaves] != [x.__class__ for x in false.leaves]:
        raise _errors.control_flow.differing_branches(true.leaves, false.leaves)
    for a, b, strides in zip(true.avals, false.avals, zip(true.strides, false.strides)):
        if a.ndim != b.ndim or a.dtype is not b.dtype:
            raise _errors.control_flow.differing_results(a, b)
        wide = [d for d in range(a.ndim) if a.shape[d] > 1 and b.shape[d] > 1]
        if sorted(wide, key=lambda d: (strides[0][d], d)) != sorted(wide, key=lambda d: (strides[1][d], d)):
            raise _errors.control_flow.differing_strides(*strides)
    return true.leaves == false.leaves and all(a.shape == b.shape for a, b in zip(true.avals, false.avals))
