"""The `ctx` of an `autograd.Function`: it accepts attributes of any name, and it is the `grad_fn` of the outputs."""

import gc
import random
import string
import weakref

import pytest

import torchlike
from tests.autograd.library import compare, leaf, log, programs, torch
from tests.oracle import both
from torchlike._autograd import nodes
from torchlike._transforms import context


def _own_names():
    """Return every name that the classes of `ctx` use, and some user names."""
    found = set()
    for kind in (nodes.Node, nodes.AccumulateGrad, nodes.Extra, context.FunctionNode, context.Call):
        found.update(dir(kind))
    found.update(dir(context.BackwardCFunction))
    found.update(("call", "_call", "_function", "_inputs", "_avals", "_kept", "_lives_forward", "_storage", "_edge"))
    draw = random.Random(0)
    found.update("".join(draw.choices(string.ascii_lowercase + "_", k=5)) for _ in range(20))
    return sorted(name for name in found if not name.startswith("__"))


def _attempt(action):
    try:
        return action()
    except (AttributeError, TypeError) as error:
        return type(error).__name__, str(error)


def _with_attribute(name):
    def program(torch):
        seen = []

        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                seen.append(_attempt(lambda: setattr(ctx, name, ["mine"])))
                if seen[-1] is None:
                    seen.append(getattr(ctx, name))
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                seen.append(getattr(ctx, name) if ["mine"] in seen else None)
                return grad * 2

        x = torch.ones(2, requires_grad=True)
        y = Double.apply(x * 1)
        seen.append(getattr(y.grad_fn, name) if ["mine"] in seen else None)
        y.sum().backward()
        return seen, x.grad

    return program


def test_ctx_takes_an_attribute_of_any_name():
    for name in _own_names():
        both(_with_attribute(name), stride=False)


def _double(remember=lambda ctx: None, recall=lambda ctx: None):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            remember(ctx)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            recall(ctx)
            return grad * 2

    return Double


def fields_in_forward_and_later():
    names = (
        "saved_tensors",
        "to_save",
        "dirty_tensors",
        "non_differentiable",
        "materialize_grads",
        "requires_grad",
        "needs_input_grad",
        "saved_for_forward",
        "_materialize_non_diff_grads",
        "metadata",
    )

    def note(ctx):
        log([_attempt(lambda name=name: getattr(ctx, name)) for name in names])

    y = _double(note, note).apply(leaf() * 1)
    note(y.grad_fn)
    y.sum().backward()
    with torch.no_grad():
        _double(note, note).apply(leaf() * 1)


def grad_fn_outlives_its_tensor():
    x = leaf()
    y = _double().apply(x * 1)
    node = y.grad_fn
    del y
    node.metadata["note"] = 1
    node.register_hook(lambda grads, outputs: log(grads, outputs))
    node.register_prehook(lambda outputs: log(outputs))
    edge = torch.autograd.graph.GradientEdge(node, 0)
    torch.autograd.backward([edge], [torch.ones(2)])
    return node.name(), node.next_functions[0][0].name(), node.metadata, node.saved_tensors is None, x.grad


def methods_hidden_by_attributes():
    def remember(ctx):
        ctx.register_hook(lambda grads, outputs: log("hook"))
        ctx.name = ctx.register_hook = ctx.save_for_backward = 1

    x = leaf()
    y = _double(remember, lambda ctx: log(ctx.name)).apply(x * 1)
    repr_ = repr(y)
    y.sum().backward()
    return repr_, x.grad, type(y.grad_fn).__name__


def in_place_after_save_names_the_function():
    x = leaf()
    y = _double(lambda ctx: setattr(ctx, "name", 1)).apply(x * 1)
    z = y * y
    y.add_(1)
    z.sum().backward()


def a_plain_context():
    ctx = torch.autograd.function.FunctionCtx()
    x = leaf()
    ctx.save_for_backward(x, None)
    ctx.mark_dirty(x)
    ctx.mark_non_differentiable(x)
    ctx.set_materialize_grads(False)
    return ctx.to_save, ctx.dirty_tensors, ctx.non_differentiable, ctx.materialize_grads


def shared_storage_is_deprecated():
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.autograd.function.FunctionCtx().mark_shared_storage()
    return [(w.category.__name__, str(w.message)) for w in caught]


def nodes_of_a_graph():
    y = _double().apply(leaf() * 1).sum()
    node = y.grad_fn.next_functions[0][0]
    mul = node.next_functions[0][0]
    kinds = [isinstance(n, torch.autograd.graph.Node) for n in (node, mul, mul.next_functions[0][0], y)]
    return kinds, issubclass(type(node), torch.autograd.graph.Node), type(node).__name__, type(node).__module__[-17:]


def switches_take_bools():
    def remember(ctx):
        log(_attempt(lambda: ctx.set_materialize_grads(1)))
        log(_attempt(lambda: setattr(ctx, "_materialize_non_diff_grads", 1)))

    return _double(remember).apply(leaf() * 1)


def another_backward_class():
    other = _double(recall=lambda ctx: log("other"))
    y = _double(lambda ctx: setattr(ctx, "_forward_cls", other)).apply(leaf() * 1)
    y.sum().backward()


@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_context_programs_equal_pytorchs(program):
    compare(program, stride=False)


@pytest.mark.parametrize("how", ["tensor", "node"])
def test_attributes_of_ctx_are_freed_without_a_collection(how):
    class Kept:
        pass

    class Keeps(torchlike.autograd.Function):
        @staticmethod
        def forward(ctx, x, kept):
            ctx.kept = kept
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2, None

    gc.disable()
    try:
        kept = Kept()
        gone = weakref.ref(kept)
        y = Keeps.apply(torchlike.ones(1, requires_grad=True) * 1, kept)
        node = y.grad_fn if how == "node" else None
        del kept, y
        assert gone() is None if node is None else gone() is node.kept
        del node
        assert gone() is None
    finally:
        gc.enable()
