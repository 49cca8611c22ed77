"""The functions `backward` and `grad` on tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._autograd.engine import Grad, passes, running
from torchlike._autograd.nodes import AccumulateGrad
from torchlike._dtypes import modes
from torchlike._engine import Aval, Value, boundary
from torchlike._engine.xla.transfers import to_device
from torchlike._errors.warned import warn
from torchlike._tensor.tracebacks import shortened
from torchlike._tensor.views import NOWHERE, edge_of
from torchlike._transforms.batched_backward import BatchedWalk
from torchlike._transforms.context import node_of
from torchlike._transforms.graph import GradientEdge


def _tuple(x: Any) -> tuple:
    if hasattr(x, "_storage") or isinstance(x, GradientEdge):
        return (x,)
    return tuple(x)


def _check_roots(roots: tuple) -> None:
    if not all(hasattr(x, "_storage") or isinstance(x, GradientEdge) for x in roots):
        raise AssertionError("Expected output to be a torch.Tensor")


def _check_inputs(inputs: tuple, function: str) -> None:
    if not inputs:
        raise _errors.autograd.no_inputs(function)
    for x in inputs:
        if not (hasattr(x, "_storage") or isinstance(x, GradientEdge)):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(x).__name__}")


def _edge(x: Any) -> Any:
    """Return the gradient edge of a tensor, or the edge of a `GradientEdge`."""
    if isinstance(x, GradientEdge):
        return node_of(x.node), x.output_nr
    return x._edge if x._origin is None else edge_of(x)


def _seeds(roots: tuple, gradients: tuple, create_graph: bool) -> list[Grad]:
    """Return the initial gradient of each root: the given gradient, or one for a scalar."""
    _check_numbers(roots, gradients)
    for g in gradients:
        if g is not None and not hasattr(g, "_storage"):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    return [_seed(i, root, g, create_graph) for i, (root, g) in enumerate(zip(roots, gradients))]


def _batched_seeds(roots: tuple, gradients: tuple) -> list[Grad]:
    """Return the initial gradients of each root, which have an extra leading dim."""
    _check_numbers(roots, gradients)
    for i, root in enumerate(roots):
        _check_root(i, root)
    return [g._pair() for g in gradients]


def _check_numbers(roots: tuple, gradients: tuple) -> None:
    if len(roots) != len(gradients):
        raise RuntimeError(f"got {len(roots)} tensors and {len(gradients)} gradients")


def _check_root(i: int, root: Any) -> None:
    if _edge(root) in (None, NOWHERE):
        raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")


def _seed(i: int, root: Any, g: Any, create_graph: bool) -> Grad:
    """Return the initial gradient of the root at index `i`, or raise PyTorch's error if `g` does not fit."""
    _check_root(i, root)
    aval = _aval(root)
    if g is None:
        if aval is None or aval.numel != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if aval.dtype.is_complex:
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {aval.dtype}")
        return _one_like(aval), None
    if aval is None:  # the node does not record the shape of its output
        return g._pair(create_graph)
    given, shape = _shape(g), aval.shape if isinstance(root, GradientEdge) else _shape(root)
    if given != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {given} and output[{i}] has a shape of {shape}."
        )
    if g.device is not aval.device:
        raise RuntimeError(f"invalid gradient at index {i} - expected device {aval.device} but got {g.device}")
    if g.dtype.is_complex != aval.dtype.is_complex:
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of {aval.dtype}."
        )
    return (g if g.dtype is aval.dtype else g.to(aval.dtype))._pair(create_graph)


def _shape(x: Any) -> Any:
    """Return the shape of a tensor. For a nested tensor, return the sizes of its components."""
    return x._all_sizes if x.is_nested else x.shape


def _aval(root: Any) -> Aval | None:
    return node_of(root.node).result(root.output_nr) if isinstance(root, GradientEdge) else root._value.aval


_ones: dict[Aval, Value] = {}


def _one_like(aval: Aval) -> Value:
    """Return the gradient of a scalar with respect to itself, from a cache."""
    found = _ones.get(aval)
    if found is None:
        array = None if aval.device.type == "meta" else to_device(np.ones(aval.shape, aval.dtype.numpy), aval.device)
        found = _ones[aval] = Value(aval, array)
    return found


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Accumulate the gradients of `tensors` into the `.grad` of the leaves of their graph.

    Args:
      tensors: one or several tensors (or `GradientEdge`s).
      grad_tensors: for each tensor, the incoming gradient, of the same shape. None is allowed for a real scalar.
      retain_graph: keep the saved values of the graph for another backward pass. Default: `create_graph`.
      create_graph: record the gradients, so that they can be differentiated.
      grad_variables: the deprecated name of `grad_tensors`.
      inputs: accumulate only into these tensors. They need not be leaves.

    The end of the backward pass flushes the pending trace, unless the pass is nested in another one.

    >>> x = torchlike.tensor([1.0, 2.0], requires_grad=True)
    >>> torchlike.autograd.backward([x.sum(), (x * x).sum()])
    >>> x.grad
    tensor([3., 5.])
    """
    if modes.local.transforms:
        raise _errors.func.inside_a_transform("backward")
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    roots = _tuple(tensors)
    grads = _tuple(grad_tensors) if grad_tensors is not None else (None,) * len(roots)
    keep = create_graph if retain_graph is None else retain_graph
    create_graph = create_graph and not modes.local.inference
    if inputs is not None:
        inputs = _tuple(inputs)
        _check_inputs(inputs, "backward")
    _check_roots(roots)
    seeds = _seeds(roots, grads, create_graph)
    if create_graph:
        _errors.warned.once(_errors.autograd.REFERENCE_CYCLE)
    edges: list = [_edge(t) for t in roots]
    if inputs is None:
        passes.kind(keep, create_graph, None).run(edges, seeds)
    else:
        _accumulate_into(inputs, edges, seeds, keep, create_graph)
    if running.walk is None:  # a nested backward pass is part of the outer pass's program
        boundary()


def _accumulate_into(inputs: tuple, edges: list, seeds: list, keep: bool, create_graph: bool) -> None:
    # Replace a gradient edge of a leaf by the leaf.
    targets = [
        t.node.variable if isinstance(t, GradientEdge) and isinstance(t.node, AccumulateGrad) else t for t in inputs
    ]
    for t in targets:
        if not isinstance(t, GradientEdge) and not t.is_leaf:
            t.retain_grad()  # retain the gradient of the non-leaf; raises if it does not require grad
        elif _edge(t) is None:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    wanted = {_edge(t): i for i, t in enumerate(targets) if _edge(t) is not NOWHERE}
    walk = passes.kind(keep, create_graph, wanted)
    walk.run(edges, seeds)
    walk.run_for_nothing(wanted)
    for t in targets:
        pair = walk.captured.get(_edge(t))
        if pair is not None and not isinstance(t, GradientEdge) and t.is_leaf:
            walk.deliver(t._edge[0], pair)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple:
    """Return the gradients of `outputs` with respect to `inputs` as new tensors. `.grad` is not changed.

    Args:
      outputs: one or several tensors (or `GradientEdge`s).
      inputs: the tensors (or edges) to differentiate with respect to.
      grad_outputs: for each output, the incoming gradient, of the same shape. None is allowed for a real scalar.
      retain_graph: keep the saved values of the graph for another backward pass. Default: `create_graph`.
      create_graph: record the gradients, so that they can be differentiated.
      only_inputs: ignored, as in PyTorch.
      allow_unused: return None for an input on which no output depends, instead of raising an error.
      is_grads_batched: `grad_outputs` have an extra leading dim. The backward pass is vectorized over it, and the
        results have the same leading dim.
      materialize_grads: return zeros instead of None.

    >>> import torchlike as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    try:
        if not only_inputs:
            warn(_errors.autograd.ONLY_INPUTS, FutureWarning)
        outputs, inputs = _tuple(outputs), _tuple(inputs)
        _check_roots(outputs)
        _check_inputs(inputs, "grad")
        if materialize_grads and allow_unused is False:
            raise ValueError(
                "Expected allow_unused to be True or not passed when materialize_grads=True, "
                "but got: allow_unused=False."
            )
        weights = _tuple(grad_outputs) if grad_outputs is not None else (None,) * len(outputs)
        weights = weights[: len(outputs)]  # PyTorch ignores surplus gradients
        keep = create_graph if retain_graph is None else retain_graph
        create_graph = create_graph and not modes.local.inference
        zeros = bool(materialize_grads)
        unused = bool(allow_unused) or zeros
        count = _count(outputs, weights) if is_grads_batched else None
        found = _grad(outputs, inputs, weights, keep, create_graph, unused, zeros, count)
        return tuple([_like_input(x, grad) for x, grad in zip(inputs, found)])
    except Exception as error:
        raise shortened(error)


def _like_input(x: Any, grad: Any) -> Any:
    """Convert a gradient with the method `_as_gradient(grad)` of the input's class, if it has one."""
    convert = getattr(x, "_as_gradient", None)
    return grad if grad is None or convert is None else convert(grad)


def _count(outputs: tuple, weights: tuple) -> int:
    """Return the length of the leading dim of batched gradients, and check their shapes."""
    for i, (output, w) in enumerate(zip(outputs, weights)):
        if w is None:
            raise ValueError(
                "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of "
                "dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
            )
        if not w.ndim:
            raise _errors.indexing.index_of_scalar()
        if w.shape[1:] != output.shape:
            raise _errors.autograd.batched_gradient_shape(i, w.shape[2:], output.shape)
    return weights[0].shape[0]


def _grad(
    outputs: tuple,
    inputs: tuple,
    weights: tuple,
    keep: bool,
    create_graph: bool,
    unused: bool,
    zeros: bool,
    count: int | None = None,
) -> tuple:
    from torchlike._tensor.tensor import wrap

    seeds = _seeds(outputs, weights, create_graph) if count is None else _batched_seeds(outputs, weights)
    edges = [_edge(t) for t in inputs]
    if None in edges:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    targets = {edge: i for i, edge in enumerate(edges) if edge is not None and edge is not NOWHERE}
    walk = (
        passes.kind(keep, create_graph, targets) if count is None else BatchedWalk(keep, create_graph, targets, count)
    )
    walk.run([_edge(t) for t in outputs], seeds)
    found: list = []
    for i, (t, edge) in enumerate(zip(inputs, edges)):
        pair = walk.captured.get(edge)
        if pair is None and not unused:
            raise _errors.autograd.unused_input(i)
        found.append(wrap(*pair) if pair is not None else _zeros(t, create_graph) if zeros else None)
    return tuple(found)


def _zeros(t: Any, create_graph: bool) -> Any:
    """Return zeros as the gradient of an unused input. Batched gradients do not add a leading dim to them."""
    from torchlike._tensor.factories import zeros_like

    if isinstance(t, GradientEdge):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    return zeros_like(t, requires_grad=create_graph)
