"""Operators of `torch.library`, compared with PyTorch's: arguments, gradients, writes, `vmap`, autocast and checks."""

import itertools
from collections.abc import Sequence
from typing import List, Tuple  # noqa: UP035 - programs use these annotations

import numpy as np
import pytest

from tests.oracle import both

names = (f"operators_of_tests::op_{i}" for i in itertools.count())


def operator(L, kernel, mutates_args=(), **kinds):
    """Define a custom operator. `kinds` are the annotations of the kernel."""
    kernel.__annotations__ = {name: kind(L) if callable(kind) else kind for name, kind in kinds.items()}
    kernel.__annotations__.setdefault("return", L.Tensor)
    return L.library.custom_op(next(names), kernel, mutates_args=mutates_args)


def tensor(L):
    return L.Tensor


def listed(L):
    return List[L.Tensor]  # noqa: UP006


def message(call):
    """Return the type and the first line of the error of a call, without names of operators."""
    try:
        return call()
    except Exception as e:
        return type(e).__name__, str(e).splitlines()[0].split(" ", 1)[1].partition("Declaration")[0].partition(
            "operators_of_tests"
        )[0]


def scale(L):
    """Return an operator with arguments of several kinds and a gradient."""

    def kernel(x, bias=None, factor=2.0, *, flag=False):
        assert type(factor) is float
        return x * factor if bias is None else x * factor + bias

    made = operator(L, kernel, x=tensor, bias=lambda L: L.Tensor | None, factor=lambda L: float, flag=lambda L: bool)

    def setup_context(ctx, inputs, keyword_only_inputs, output):
        ctx.factor, ctx.has_bias, ctx.flag = inputs[2], inputs[1] is not None, keyword_only_inputs["flag"]

    made.register_autograd(
        lambda ctx, grad: (grad * ctx.factor, grad if ctx.has_bias else None, None), setup_context=setup_context
    )
    return made


CALLS = {
    "positional": lambda x: ((x, x, 3), {}),
    "defaults": lambda x: ((x,), {}),
    "named": lambda x: ((), {"x": x, "factor": 3, "flag": True}),
    "number": lambda x: ((3,), {}),
    "text": lambda x: ((x, None, "a"), {}),
    "no optional": lambda x: ((x, 2), {}),
    "None": lambda x: ((x, None, None), {}),
    "missing": lambda x: ((), {}),
    "too many": lambda x: ((x, None, 2.0, True), {}),
    "unknown": lambda x: ((x,), {"other": 1}),
}


@pytest.mark.parametrize("call", CALLS)
def test_arguments(call):
    def program(L):
        x = L.ones(2, requires_grad=True)
        made = scale(L)
        args, kwargs = CALLS[call](x)
        result = message(lambda: made(*args, **kwargs))
        if isinstance(result, tuple):
            return result
        result.sum().backward()
        return result.detach(), x.grad

    both(program)


def test_lists_of_tensors():
    def program(L):
        cat = operator(L, lambda xs, dim=0: L.cat(xs, dim), xs=listed, dim=lambda L: int)
        split = operator(
            L, lambda x, n: [c.clone() for c in x.chunk(n)], x=tensor, n=lambda L: int, **{"return": listed}
        )
        sizes = []

        def setup_context(ctx, inputs, output):
            ctx.sizes = [x.shape[0] for x in inputs[0]]
            sizes.append((type(inputs[0]), ctx.sizes))

        cat.register_autograd(lambda ctx, grad: (list(grad.split(ctx.sizes)),), setup_context=setup_context)
        split.register_autograd(lambda ctx, grads: (L.cat(grads) * 2, None))
        a, b = L.ones(2, requires_grad=True), L.ones(3, requires_grad=True)
        (cat((a, b)) * L.arange(5.0)).sum().backward()
        x = L.arange(6.0, requires_grad=True)
        parts = split(x, 3)
        parts[1].sum().backward()
        return a.grad, b.grad, x.grad, sizes, type(parts)

    both(program)


def test_several_results():
    def program(L):
        made = operator(
            L,
            lambda x: (x * 2, x > 0, 4),
            x=tensor,
            **{"return": lambda L: Tuple[L.Tensor, L.Tensor, int]},  # noqa: UP006
        )
        made.register_autograd(lambda ctx, *grads: grads[0] * 2)
        x = L.ones(2, requires_grad=True)
        found = made(x)
        found[0].sum().backward()
        return (
            found[0].detach(),
            found[1],
            found[2],
            x.grad,
            found[1].requires_grad,
            type(found[0].grad_fn).__name__[:20],
        )

    both(program)


def test_written_arguments():
    def program(L):
        made = operator(
            L, lambda x, out: out.copy_(x.sin()) and None, ("out",), x=tensor, out=tensor, **{"return": None}
        )
        out = L.zeros(1)
        before = out._version
        refused = message(lambda: made.register_autograd(lambda ctx, grad: grad))[0]
        return made(L.ones(1), out), out, out._version - before, refused

    both(program)


@pytest.mark.parametrize("result", ["same", "view", "twice", "other"])
def test_results_that_alias(result):
    def program(L):
        kernels = {"same": lambda x: x, "view": lambda x: x.view(-1), "other": lambda x: None}
        made = operator(L, kernels.get(result, lambda x: x), x=tensor)
        if result == "twice":
            made = operator(L, lambda x: (x + 1,) * 2, x=tensor, **{"return": lambda L: Tuple[L.Tensor, L.Tensor]})  # noqa: UP006
        found = message(lambda: made(L.ones(2)))
        return (found[0], found[1].partition("): ")[2]) if isinstance(found, tuple) else found

    both(program)


@pytest.mark.parametrize("has_rule", [True, False])
def test_vmap(has_rule):
    def program(L):
        def kernel(x, y):
            return L.from_numpy(np.ascontiguousarray(x.numpy() * y.numpy()))

        made = operator(L, kernel, x=tensor, y=tensor)

        def rule(info, in_dims, x, y):
            x, y = (z if d is None else z.movedim(d, 0) for z, d in zip((x, y), in_dims))
            return made(x, y), 0

        if has_rule:
            made.register_vmap(rule)
        x = L.arange(6.0).reshape(3, 2)
        found = L.vmap(made)(x, x), L.vmap(made, (1, None))(x, L.ones(3)), L.vmap(L.vmap(made))(x, x)
        return found

    both(program)


def test_autocast():
    def program(L):
        seen = []

        def kernel(xs, y):
            seen.append(([x.dtype for x in xs], y.dtype, L.is_autocast_enabled("cpu")))
            return sum(xs)

        made = operator(L, kernel, xs=listed, y=tensor)
        L.library.register_autocast(made, "cpu", L.float16)
        x = L.ones(2)
        with L.autocast("cpu"):
            found = made([x, x], x.double())
        return found, made([x], x), [str(each).replace("torchlike", "torch") for each in seen]

    both(program)


def test_meta_tensors():
    def program(L):
        made = operator(L, lambda x: L.from_numpy(x.numpy()), x=tensor)
        missing = message(lambda: made(L.ones(2, device="meta")))[0]
        made.register_fake(lambda x: L.empty_like(x))
        return missing, made(L.ones(2, device="meta")).shape

    both(program)


def test_operators_of_a_schema():
    def program(L):
        space = next(names).replace("::", "_")
        library = L.library.Library(space, "DEF")
        named = library.define("scale(Tensor x, float factor=2.0, int[2] k=[1, 1], ScalarType? dtype=None) -> Tensor")
        library.impl("scale", lambda x, factor=2.0, *rest: x * factor, "CPU")
        op = getattr(L.ops, space).scale
        L.library.register_autograd(f"{space}::scale", lambda ctx, grad: (grad, None, None, None))
        x = L.ones(2, requires_grad=True)
        op(x, 3, 4, L.float64).sum().backward()
        shown = str(op.default._schema).replace(space, "space"), str(op).replace(space, "space"), op.overloads()
        return named, op(L.ones(1)), x.grad, shown, message(lambda: library.define("scale(Tensor x) -> Tensor"))[0]

    both(program)


SCHEMAS = (
    {"x": tensor, "k": lambda L: int, "return": tensor},
    {"x": listed, "k": lambda L: Sequence[int], "return": listed},
    {"x": tensor, "k": lambda L: float | None, "return": None},
    {"x": tensor, "k": lambda L: dict, "return": tensor},
    {"x": tensor, "k": lambda L: Tuple[int, int], "return": tensor},  # noqa: UP006
    {"x": tensor, "k": lambda L: str, "return": lambda L: Tuple[L.Tensor, int]},  # noqa: UP006
    {"x": tensor, "k": lambda L: L.dtype},
    {"k": lambda L: int, "return": tensor},
)


@pytest.mark.parametrize("kinds", SCHEMAS, ids=range(len(SCHEMAS)))
@pytest.mark.parametrize("mutated", [(), ("x",), "unknown", ("k",), ("other",)], ids=str)
def test_infer_schema(kinds, mutated):
    def program(L):
        def function(x, k):
            raise NotImplementedError

        function.__annotations__ = {name: kind(L) if callable(kind) else kind for name, kind in kinds.items()}
        try:
            return L.library.infer_schema(function, mutates_args=mutated)
        except ValueError as e:
            return str(e).partition("The valid types")[0]

    both(program)


def test_opcheck():
    def program(L):
        good = operator(L, lambda x: L.from_numpy(np.sin(x.detach().numpy())), x=tensor)
        good.register_fake(lambda x: L.empty_like(x))
        writes = operator(L, lambda x: x.add_(1).clone(), x=tensor)
        wrong = operator(L, lambda x: x[0].clone(), x=tensor)
        wrong.register_fake(lambda x: L.empty_like(x))
        x = L.ones(2)
        check = L.library.opcheck
        found = check(good, (x,)), message(lambda: check(writes, (x.clone(),), test_utils="test_schema"))
        return *found, message(lambda: check(wrong, (x,), test_utils="test_faketensor"))[0]

    both(program)
