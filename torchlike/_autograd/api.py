"""`backward` and `grad` over tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from torchlike import _device, _errors
from torchlike._autograd.engine import Grad, Walk
from torchlike._core import Aval, Value, boundary


def _tuple(x: Any) -> tuple:
    return tuple(x) if isinstance(x, Sequence | list | tuple) else (x,)


def _seeds(tensors: tuple, gradients: tuple, is_grads_batched: bool = False) -> list[Grad]:
    seeds: list[Grad] = []
    for i, (t, g) in enumerate(zip(tensors, gradients)):
        if not t.requires_grad:
            raise _errors.autograd.no_grad_fn(i)
        if g is None:
            if t.numel() != 1:
                raise _errors.autograd.scalar_only()
            seeds.append((_one_like(t), None))
            continue
        if g.shape != t.shape:
            raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a "
                               f"shape of {t.shape}.")  # fmt: skip
        seeds.append(g._pair())
    return seeds


_ones: dict[Aval, Value] = {}


def _one_like(t: Any) -> Value:
    """The gradient of a scalar with respect to itself; kept, since every backward starts with it."""
    aval = t._value.aval
    found = _ones.get(aval)
    if found is None:
        array = None if aval.device.type == "meta" else jax.device_put(np.ones(aval.shape, aval.dtype.numpy),
                                                                       _device.to_jax(aval.device))  # fmt: skip
        found = _ones[aval] = Value(aval, array)
    return found


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
             grad_variables: Any = None, inputs: Any = None) -> None:  # fmt: skip
    """Add the gradients of `tensors` (weighted by `grad_tensors`) to the `.grad` of the leaves, or of `inputs` only.

    The end of the walk is a boundary of the engine: pending work runs there.
    """
    tensors = _tuple(tensors)
    grads = _tuple(grad_tensors) if grad_tensors is not None else (None,) * len(tensors)
    keep = create_graph if retain_graph is None else retain_graph
    if inputs is not None:
        inputs = _tuple(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    seeds = _seeds(tensors, grads)
    roots = [t._edge for t in tensors]
    if inputs is None:
        Walk(keep, create_graph, None).run(roots, seeds)
    else:
        _accumulate_into(inputs, roots, seeds, keep, create_graph)
    boundary()


def _accumulate_into(inputs: tuple, roots: list, seeds: list, keep: bool, create_graph: bool) -> None:
    from torchlike._tensor import accumulate

    walk = Walk(keep, create_graph, {t._edge: i for i, t in enumerate(inputs)})
    walk.run(roots, seeds)
    for t in inputs:
        if t._edge in walk.captured:
            accumulate(t, walk.captured[t._edge], create_graph)


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
         create_graph: bool = False, only_inputs: bool = True, allow_unused: bool | None = None,
         is_grads_batched: bool = False, materialize_grads: bool = False) -> tuple:  # fmt: skip
    """The gradients of `outputs` with respect to `inputs`, as new tensors; `.grad` is not touched."""
    from torchlike._tensor import wrap

    if is_grads_batched:
        raise _errors.arguments.unsupported("grad", "is_grads_batched")
    if not only_inputs:
        raise _errors.arguments.unsupported("grad", "only_inputs")
    outputs, inputs = _tuple(outputs), _tuple(inputs)
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")  # fmt: skip
    weights = _tuple(grad_outputs) if grad_outputs is not None else (None,) * len(outputs)
    for t in inputs:
        if not t.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    seeds = _seeds(outputs, weights)
    walk = Walk(create_graph if retain_graph is None else retain_graph, create_graph,
                {t._edge: i for i, t in enumerate(inputs)})  # fmt: skip
    walk.run([t._edge for t in outputs], seeds)
    found = []
    for i, t in enumerate(inputs):
        pair = walk.captured.get(t._edge)
        if pair is None and not (allow_unused or materialize_grads):
            raise _errors.autograd.unused_input(i)
        made = wrap(*pair) if pair is not None else None
        found.append(made if made is not None or not materialize_grads else t.detach() * 0)
    return tuple(found)
