"""Derivatives of functions of tensors: Jacobians, Hessians and their products with vectors.

Each function takes `func` and `inputs` (a tensor or a tuple of tensors, passed to `func` as separate arguments). The
result is detached from the graph unless `create_graph` is True. If an output or a derivative does not depend on an
input, its derivative is zero. With `strict`, it raises a RuntimeError instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchlike
from torchlike._dtypes import modes
from torchlike._errors.gradients import func as _func_errors
from torchlike._errors.gradients import functional as _errors
from torchlike._tensor.tensor import Tensor
from torchlike.autograd import forward_ad

Tensors = Tensor | tuple[Tensor, ...]


def vjp(
    func: Callable, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """Return `(func(*inputs), v^T J)`, where v^T J is the vector-Jacobian product, with the shapes of the inputs.

    Args:
      func: a function from tensors to a tensor or a tuple of tensors.
      inputs: the point at which the Jacobian is evaluated.
      v: tensors with the shapes of the outputs. May be None for a single output with one element.
      create_graph: whether both results are differentiable.
      strict: see the module's docstring.

    >>> import torchlike as torch
    >>> torch.autograd.functional.vjp(lambda x: x.exp(), torch.zeros(2), torch.tensor([1.0, 2.0]))
    (tensor([1., 1.]), tensor([1., 2.]))
    """
    with torchlike.enable_grad():
        call = _Call("vjp", func, inputs, create_graph, strict)
        weights = call.vector(v, call.outputs, call.outputs_are_tuple, _errors.vector_of_outputs)
    with _recording(create_graph):
        grads = _grad(call.outputs, call.inputs, weights, create_graph)
        found = _filled(grads, call.inputs, strict, create_graph, "back")
    return call.results(found, call.is_tuple)


def jvp(
    func: Callable, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """Return `(func(*inputs), J v)`, where J v is the Jacobian-vector product, with the shapes of the outputs.

    `v` has the shapes of the inputs. As in PyTorch, the product is computed by two backward passes.
    `autograd.forward_ad` needs no backward pass.
    """
    with torchlike.enable_grad():
        call = _Call("jvp", func, inputs, create_graph, strict, v)
        # The first backward pass is linear in these weights, so their values do not matter. The second pass
        # differentiates the result of the first one with respect to the weights.
        weights = tuple(torchlike.zeros_like(out, requires_grad=True) for out in call.outputs)
        grads = _grad(call.outputs, call.inputs, weights, True)
        _require(grads, "grad_inputs", strict)
    with _recording(create_graph):
        second = _grad(grads, weights, call.v, create_graph)
        found = _filled(second, call.outputs, strict, create_graph, "back_trick")
    return call.results(found, call.outputs_are_tuple)


def vhp(
    func: Callable, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """Return `(func(*inputs), v^T H)`, the vector-Hessian product. The output of `func` must have one element."""
    with torchlike.enable_grad():
        call = _Call("vhp", func, inputs, create_graph, strict, v)
        jac = call.gradient_of_scalar()
    with _recording(create_graph):
        grads = _grad(jac, call.inputs, call.v, create_graph)
        found = _filled(grads, call.inputs, strict, create_graph, "double_back")
    return call.results(found, call.is_tuple)


def hvp(
    func: Callable, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """Return `(func(*inputs), H v)`, the Hessian-vector product. The output of `func` must have one element."""
    with torchlike.enable_grad():
        call = _Call("hvp", func, inputs, create_graph, strict, v)
        jac = call.gradient_of_scalar()
        weights = tuple(torchlike.zeros_like(x, requires_grad=True) for x in call.inputs)
        second = _grad(jac, call.inputs, weights, True)
    with _recording(create_graph):
        third = _grad(second, weights, call.v, create_graph)
        found = _filled(third, call.inputs, strict, create_graph, "double_back_trick")
    return call.results(found, call.is_tuple)


def jacobian(
    func: Callable,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return the Jacobian: for each output and input, a tensor of shape (*output shape, *input shape).

    Args:
      func: a function from tensors to a tensor or a tuple of tensors.
      inputs: the point at which the Jacobian is evaluated.
      create_graph: whether the result is differentiable.
      strict: see the module's docstring. Not supported with `vectorize`.
      vectorize: accepted for compatibility. It does not change how the Jacobian is computed.
      strategy: "reverse-mode" runs one backward pass for each output, vectorized over the output's elements.
        "forward-mode" runs one forward pass for each element of the inputs. As in PyTorch, forward mode requires
        `vectorize`, and excludes `create_graph` and `strict`.

    Returns:
      A tensor. If the inputs or the outputs are a tuple, a tuple of tensors. If both are tuples, a tuple with a tuple
      for each output, which has a tensor for each input.

    >>> import torchlike as torch
    >>> torch.autograd.functional.jacobian(lambda x: x * x, torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise _errors.strategy()
    if strategy == "forward-mode":
        if create_graph:
            raise _errors.forward_mode_and_graph()
        return _jacobian_forward(func, inputs, strict, vectorize)
    with torchlike.enable_grad():
        call = _Call("jacobian", func, inputs, create_graph, strict)
        if vectorize and strict:
            raise _errors.strict_and_vectorize()
        rows = tuple(_rows(call, i, out) for i, out in enumerate(call.outputs))
    return _shaped(_detached(rows, create_graph), call.outputs_are_tuple, call.is_tuple)


def hessian(
    func: Callable,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the Hessian of a function whose output has one element.

    The arguments are those of `jacobian`. `outer_jacobian_strategy` is the strategy for differentiating the gradient.

    Returns:
      A tensor of shape (*input shape, *input shape). For a tuple of inputs, a tuple of tuples of tensors.
    """
    is_tuple, each = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def scalar(*xs: Any) -> Any:
        out = func(*xs)
        is_out_tuple, outs = _as_tuple(out, "outputs of the user-provided function", "hessian")
        _require(outs, "outputs", strict)
        if is_out_tuple or not isinstance(outs[0], Tensor):
            raise _errors.single_tensor("hessian")
        if outs[0].numel() != 1:
            raise _errors.single_element("hessian")
        return out.squeeze()

    def gradient(*xs: Any) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            xs = tuple(x._require_grad() for x in xs)
        found = jacobian(scalar, xs, create_graph=True)
        _require(found, "jacobian", strict)
        return found

    found = jacobian(
        gradient,
        each,
        create_graph=create_graph,
        strict=strict,
        vectorize=vectorize,
        strategy=outer_jacobian_strategy,
    )
    return found if is_tuple else found[0][0]


# -- calls of the user's function --------------------------------------------------------------------------------------


class _Call:
    """A call of `func` with inputs that require grad, and its outputs."""

    def __init__(self, name: str, func: Callable, inputs: Any, create_graph: bool, strict: bool, *v: Any) -> None:
        self.name, self.create_graph, self.strict = name, create_graph, strict
        self.is_tuple, given = _as_tuple(inputs, "inputs", name)
        self.inputs = _prepared(given, create_graph, True)
        if v:
            self.v = self.vector(v[0], self.inputs, self.is_tuple, _errors.vector_of_inputs)
        outputs = func(*self.inputs)
        self.outputs_are_tuple, self.outputs = _as_tuple(outputs, "outputs of the user-provided function", name)
        _require(self.outputs, "outputs", strict)

    def vector(self, v: Any, like: tuple, is_tuple: bool, missing: Callable) -> tuple | None:
        """Return the vector as a tuple, after checking that it has the shapes of `like`.

        Return None if the vector is None, which is allowed if `like` has a single element.
        """
        if v is None:
            if len(like) != 1 or like[0].numel() != 1:
                raise missing(self.name)
            return None
        _, given = _as_tuple(v, "v", self.name)
        given = _prepared(given, self.create_graph, False)
        if len(given) != len(like):
            raise _errors.vector_length(len(like), len(given)) if is_tuple else _errors.vector_not_single()
        for i, (a, b) in enumerate(zip(given, like)):
            if a.shape != b.shape:
                raise _errors.vector_shape(f"Entry {i} in " if is_tuple else "", b.shape, a.shape)
        return given

    def gradient_of_scalar(self) -> tuple:
        """Return the differentiable gradient of the only output, which must have one element."""
        if self.outputs_are_tuple or not isinstance(self.outputs[0], Tensor):
            raise _errors.single_tensor(self.name)
        if self.outputs[0].numel() != 1:
            raise _errors.single_element(self.name)
        jac = _grad(self.outputs, self.inputs, None, True)
        _require(jac, "jacobian", self.strict)
        return jac

    def results(self, found: tuple, is_tuple: bool) -> tuple:
        """Return the function's outputs and the derivative, both in the user's structure."""
        outputs = _detached(self.outputs, self.create_graph)
        found = _detached(found, self.create_graph)
        return (outputs if self.outputs_are_tuple else outputs[0]), (found if is_tuple else found[0])


def _recording(create_graph: bool) -> Any:
    return torchlike.set_grad_enabled(create_graph or torchlike.is_grad_enabled())


def _as_tuple(x: Any, what: str, name: str) -> tuple[bool, tuple]:
    if not isinstance(x, tuple):
        if not isinstance(x, Tensor):
            raise _errors.not_tensors(what, name, x, None)
        return False, (x,)
    for i, each in enumerate(x):
        if not isinstance(each, Tensor):
            raise _errors.not_tensors(what, name, each, i)
    return True, x


def _prepared(tensors: tuple, create_graph: bool, requires_grad: bool) -> tuple:
    """Return new tensors for the call, so that gradients do not flow to tensors that the function closes over."""
    if modes.local.transforms:
        raise _func_errors.inside_a_transform("requires_grad_")
    return tuple(
        x.view_as(x) if create_graph and x.requires_grad else x.detach()._require_grad(requires_grad) for x in tensors
    )


def _detached(found: Any, create_graph: bool) -> Any:
    if create_graph:
        return found
    return found.detach() if isinstance(found, Tensor) else tuple(_detached(x, False) for x in found)


def _grad(outputs: tuple, inputs: tuple, weights: tuple | None, create_graph: bool) -> tuple:
    """Call `autograd.grad` for the outputs that require grad. Return None for inputs without gradient."""
    pairs = [(o, w) for o, w in zip(outputs, weights or (None,) * len(outputs)) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return torchlike.autograd.grad(
        [o for o, _ in pairs],
        inputs,
        [w for _, w in pairs],
        allow_unused=True,
        create_graph=create_graph,
        retain_graph=create_graph,
    )


def _require(tensors: tuple, kind: str, strict: bool) -> None:
    """In strict mode, raise an error if a tensor does not depend on the inputs."""
    for i, x in enumerate(tensors):
        if strict and x is None:
            raise _errors.independent_output(i)
        if strict and not x.requires_grad:
            raise _errors.requires_no_grad(kind, i)


def _filled(grads: tuple, like: tuple, strict: bool, create_graph: bool, stage: str) -> tuple:
    """Replace gradients that are None by zeros. In strict mode, raise an error instead.

    In strict mode with `create_graph`, also raise an error if a gradient does not require grad.
    """
    found = []
    for i, (grad, x) in enumerate(zip(grads, like)):
        if grad is None and strict:
            raise _errors.independent(stage, i)
        if grad is not None and strict and create_graph and not grad.requires_grad and "double" not in stage:
            raise _errors.independent_twice("jacobian", i)
        if grad is not None and strict and create_graph and not grad.requires_grad:
            raise _errors.independent_twice("hessian", i)
        found.append(torchlike.zeros_like(x) if grad is None else grad)
    return tuple(found)


# -- full Jacobians ----------------------------------------------------------------------------------------------------


def _rows(call: _Call, number: int, output: Any) -> tuple:
    """Return the Jacobian of one output: for each input, a tensor of shape (*output shape, *input shape)."""
    count = output.numel()
    grads: tuple = (None,) * len(call.inputs)
    if output.requires_grad and count:
        units = torchlike.eye(count, dtype=output.dtype, device=output.device).view(count, *output.shape)
        grads = torchlike.autograd.grad(
            output,
            call.inputs,
            units,
            retain_graph=True,
            create_graph=call.create_graph,
            allow_unused=True,
            is_grads_batched=True,
        )
    return tuple(_block(call, number, i, output, grad) for i, grad in enumerate(grads))


def _block(call: _Call, number: int, i: int, output: Any, grad: Any) -> Any:
    x = call.inputs[i]
    if call.strict and grad is None:
        raise RuntimeError(
            f"Output {number} of the user-provided function is independent of input {i}. This is not "
            "allowed in strict mode."
        )
    if call.strict and call.create_graph and not grad.requires_grad:
        raise _errors.independent_twice("jacobian", number)
    if grad is None:
        return torchlike.zeros((*output.shape, *x.shape), dtype=x.dtype, device=x.device)
    return grad.reshape((*output.shape, *x.shape))


def _jacobian_forward(func: Callable, inputs: Any, strict: bool, vectorize: bool) -> Any:
    if strict:
        raise _errors.forward_mode_and_strict()
    is_tuple, each = _as_tuple(inputs, "inputs", "jacobian")
    if not vectorize:
        raise _errors.forward_mode_needs_vectorize()
    columns: list[tuple] = []
    outputs_are_tuple = False
    for i, x in enumerate(each):
        for unit in torchlike.eye(x.numel(), dtype=x.dtype, device=x.device).unbind(0):
            tangents = [unit.view(x.shape) if i == j else torchlike.zeros_like(y) for j, y in enumerate(each)]
            with forward_ad.dual_level():
                outs = func(*[forward_ad.make_dual(y, t) for y, t in zip(each, tangents)])
                outputs_are_tuple, outs = _as_tuple(outs, "outputs", "jacobian")
                columns.append(tuple(_tangent(out) for out in outs))
    blocks = []
    for column in zip(*columns):
        parts = iter(column)
        row = [torchlike.stack([next(parts) for _ in range(x.numel())], -1) for x in each]
        blocks.append([part.reshape((*column[0].shape, *x.shape)) for part, x in zip(row, each)])
    return _shaped(blocks, outputs_are_tuple, is_tuple)  # blocks are lists, as in PyTorch


def _tangent(out: Any) -> Any:
    primal, tangent = forward_ad.unpack_dual(out)
    return torchlike.zeros_like(primal) if tangent is None else tangent


def _shaped(blocks: Any, outputs_are_tuple: bool, inputs_are_tuple: bool) -> Any:
    rows = blocks if inputs_are_tuple else tuple(row[0] for row in blocks)
    return rows if outputs_are_tuple else rows[0]
