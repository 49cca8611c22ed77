"""The gradient and the `vmap` rule of an operator, as an `autograd.Function`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torchlike import _errors
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.function import Function
from torchlike.utils._pytree import TreeSpec, tree_flatten, tree_unflatten

from ._binding import filled

if TYPE_CHECKING:
    from ._operators import Operator


class _Call:
    """One call of an operator: its keyword-only arguments, and the structures of its arguments and results."""

    def __init__(self, keywords: dict[str, Any], spec: TreeSpec) -> None:
        self.keywords, self.spec = keywords, spec
        self.result: Any = None  # the structure of the results, if there are several or lists


def function_of(op: Operator) -> type[Function]:
    """Return the autograd function of an operator. Its arguments are a call and the flat arguments of the operator."""

    name = f"GeneratedBackwardFor_{op.namespace}_{op._opname}_{op._overloadname}"
    has_lists = any(each.suffix == "[]" for each in (*op._schema.arguments, *op._schema.returns))

    class Generated(Function):
        @staticmethod
        def forward(call: _Call, *flat: Any) -> Any:
            return _flat(call, op.run(list(_arguments(call, flat)), call.keywords))

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
            call, *flat = inputs
            ctx._call = call
            if op._setup_context is None:
                return
            args, keywords = filled(op._schema, list(_arguments(call, flat)), call.keywords)
            named = {"keyword_only_inputs": keywords} if op._schema.keyword_only else {}
            needs = ctx.needs_input_grad
            ctx.needs_input_grad = (*needs[1:], False, *([False] if has_lists else []))
            try:
                op._setup_context(ctx=ctx, inputs=args, **named, output=_structured(call, output))
            finally:
                ctx.needs_input_grad = needs

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return _backward(op, ctx, grads)

        @staticmethod
        def vmap(info: Any, in_dims: tuple, *args: Any) -> Any:
            call, *flat = args
            args, dims = _arguments(call, flat), _arguments(call, in_dims[1:])
            if op._vmap is None:
                return _by_example(op, info.batch_size, dims, args, call)
            results, out_dims = op._vmap(info, tuple(dims), *args, **call.keywords)
            if isinstance(results, list) and call.result is None and not isinstance(out_dims, list | int):
                raise _errors.func.rule_dims(out_dims, results)
            return _flat(call, results), tuple(out_dims) if isinstance(out_dims, list) else out_dims

    for made, title in ((Generated, name), (Generated._backward_cls, f"{name}Backward")):
        made.__name__ = made.__qualname__ = title
    return Generated


def apply(op: Operator, args: list, keywords: dict[str, Any]) -> Any:
    """Call an operator, and record its gradient."""
    flat, spec = tree_flatten(tuple(args), is_leaf=_is_leaf)
    call = _Call(keywords, spec)
    return _structured(call, op.function.apply(call, *flat))


def _is_leaf(value: Any) -> bool:
    """Return whether a value is one argument of the function. Lists of tensors, and the tuple around them, are not."""
    if isinstance(value, list):
        return any(each is not None and not isinstance(each, Tensor) for each in value)
    return not isinstance(value, tuple)


def _arguments(call: _Call, flat: Any) -> tuple:
    return tree_unflatten(list(flat), call.spec)


def _has_lists(call: _Call) -> bool:
    return any(not child.is_leaf() for child in call.spec.children_specs)


def _flat(call: _Call, results: Any) -> Any:
    """Return the results without lists, and remember their structure."""
    has_lists = isinstance(results, list) or (
        isinstance(results, tuple) and any(isinstance(each, list) for each in results)
    )
    if not has_lists:
        return results
    leaves, call.result = tree_flatten(results)
    return tuple(leaves)


def _structured(call: _Call, results: Any) -> Any:
    return results if call.result is None else tree_unflatten(list(results), call.result)


def _backward(op: Operator, ctx: Any, grads: tuple) -> tuple:
    """Call the backward function of an operator with the structures of its arguments and results."""
    if op._backward is None:
        raise _errors.operators.no_formula(op)
    call, needs = ctx._call, ctx.needs_input_grad
    has_lists = _has_lists(call) or call.result is not None
    if call.result is not None:
        found = tree_unflatten(list(grads), call.result)
        grads = found if isinstance(found, tuple) else (found,)
    ctx.needs_input_grad = tuple(_arguments(call, needs[1:])) if has_lists else needs[1:]
    try:
        result = op._backward(ctx, *grads)
    finally:
        ctx.needs_input_grad = needs
    result = result if isinstance(result, tuple) else (result,)
    if not has_lists:
        return (None, *result)
    leaves, spec = tree_flatten(result, is_leaf=_is_leaf)
    if spec != call.spec:
        raise _errors.operators.gradient_structure(spec, call.spec)
    return (None, *leaves)


def _by_example(op: Operator, size: int, dims: tuple, args: tuple, call: _Call) -> tuple[Any, Any]:
    """Call an operator without a rule for `vmap` for one example at a time, and stack the results."""
    from torchlike import stack

    flat, spec = tree_flatten(tuple(args), is_leaf=_is_leaf)
    places = tree_flatten(tuple(dims), is_leaf=lambda each: not isinstance(each, tuple | list))[0]
    rows = []
    for i in range(size):
        given = [x if dim is None else x.select(dim, i) for x, dim in zip(flat, places)]
        rows.append(_flat(call, op.call(list(tree_unflatten(given, spec)), call.keywords)))
    if not isinstance(rows[0], tuple):
        return stack(rows), 0
    return tuple(stack(column) for column in zip(*rows)), (0,) * len(rows[0])
