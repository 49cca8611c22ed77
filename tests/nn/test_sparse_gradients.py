"""Sparse gradients of `Embedding` and `EmbeddingBag` with `sparse=True`, compared with PyTorch's."""

import copy
import functools
import importlib

import numpy as np
import pytest

import torchlike
from tests import oracle
from tests.sparse.parts import seen

pytestmark = pytest.mark.filterwarnings("ignore:Sparse invariant checks")
both = functools.partial(oracle.both, stride=False)  # PyTorch over-allocates the member tensors of sparse tensors

X = [[1, 2], [1, 4]]
BAGS = [1, 2, 1, 4, 0, 1]
BEGINS = [0, 2, 2, 5]
FACTORS = [0.5, -1.0, 2.0, 1.5, 3.0, 0.25]
DTYPES = ["float16", "bfloat16", "float32", "float64"]


def table(torch, dtype="float32"):
    return (torch.arange(15.0).reshape(5, 3) / 7).to(getattr(torch, dtype)).requires_grad_()


def weights(torch, *shape, dtype="float32"):
    """Return distinct weights for a weighted sum of results, so that a wrong order is detected."""
    count = int(np.prod(shape))
    return (torch.arange(1.0, count + 1).reshape(shape) / 3).to(getattr(torch, dtype))


def picked(torch, w, x=X, **options):
    return torch.nn.functional.embedding(torch.tensor(x), w, sparse=True, **options)


def pull(y, torch, **options):
    y.backward(weights(torch, *y.shape, dtype=str(y.dtype).rpartition(".")[2]), **options)


# -- the gradient itself -----------------------------------------------------------------------------------------------

TABLES = {
    "repeated": {},
    "padding": {"padding_idx": 1},
    "padding from the end": {"padding_idx": -1},
    "unused padding": {"padding_idx": 3},
    "max_norm": {"max_norm": 1.0},
    "one": {"x": 2},
    "flat": {"x": [3, 3, 0]},
    "none": {"x": np.zeros((0, 2), np.int64).tolist() or [[]]},
}


@pytest.mark.parametrize("name", TABLES)
def test_rows(name):
    def program(torch):
        w, options = table(torch), dict(TABLES[name])
        x = torch.tensor(options.pop("x", X), dtype=torch.int64)
        y = torch.nn.functional.embedding(x, w, sparse=True, **options)
        pull(y, torch)
        return seen(w.grad), type(y.grad_fn).__name__, len(y.grad_fn.next_functions)

    both(program)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_dtypes(dtype, index):
    def program(torch):
        w = table(torch, dtype)
        pull(torch.nn.functional.embedding(torch.tensor(X, dtype=getattr(torch, index)), w, sparse=True), torch)
        return seen(w.grad), seen(w.grad.coalesce())

    both(program)


def test_nothing_but_padding():
    def program(torch):
        w = table(torch)
        pull(picked(torch, w, [1, 1], padding_idx=1), torch)
        return seen(w.grad)

    both(program)


def test_the_raw_function():
    def program(torch):
        w = table(torch)
        pull(torch.embedding(w, torch.tensor(X), 2, False, True), torch)
        return seen(w.grad)

    both(program)


def test_scaled_by_frequency_is_refused():
    def program(torch):
        y = picked(torch, table(torch), scale_grad_by_freq=True)
        shown = y.detach()
        try:
            y.sum().backward()
        except RuntimeError as error:
            return shown, str(error)

    both(program)


def test_modules():
    def program(torch):
        found = []
        for layer in (
            torch.nn.Embedding(5, 3, padding_idx=0, sparse=True),
            torch.nn.EmbeddingBag(5, 3, mode="sum", sparse=True),
        ):
            layer.weight.data.copy_(table(torch).detach())
            pull(layer(torch.tensor(X)), torch)
            found.append((seen(layer.weight.grad), repr(layer)))
            layer.zero_grad(set_to_none=False)
            found.append(seen(layer.weight.grad))
            pull(layer(torch.tensor(X)), torch)
            found.append(seen(layer.weight.grad))
        return found

    both(program)


def test_a_layer_in_another_dtype():
    def program(torch):
        layer = torch.nn.Embedding(5, 3, sparse=True)
        layer.weight.data.copy_(table(torch).detach())
        pull(layer(torch.tensor(X)), torch)
        layer.double()
        return seen(layer.weight.grad), layer.weight.grad.norm(), layer.weight.grad.norm(1)

    both(program)


def test_no_gradient_is_wanted():
    def program(torch):
        with torch.no_grad():
            y = picked(torch, table(torch))
        return y, picked(torch, table(torch).detach())

    both(program)


def test_within_autocast():
    def program(torch):
        w = table(torch)
        with torch.autocast("cpu", torch.bfloat16):
            y = picked(torch, w) @ torch.ones(3, 2)
        (y.float() * weights(torch, 2, 2, 2)).sum().backward()
        return seen(w.grad)

    both(program)


# -- bags --------------------------------------------------------------------------------------------------------------

BAG_CASES = {
    "plain": {},
    "padding": {"padding_idx": 1},
    "last offset": {"offsets": [0, 2, 2, 6], "include_last_offset": True},
    "last offset and padding": {"offsets": [0, 2, 2, 6], "include_last_offset": True, "padding_idx": 4},
    "rows": {"x": [[1, 2], [1, 4], [0, 1]], "offsets": None},
    "all padding": {"x": [1, 1], "offsets": [0, 1], "padding_idx": 1},
    "max_norm": {"max_norm": 1.0},
}


def bag(torch, w, mode, x=BAGS, offsets=BEGINS, **options):
    offsets = None if offsets is None else torch.tensor(offsets)
    return torch.nn.functional.embedding_bag(torch.tensor(x), w, offsets, mode=mode, sparse=True, **options)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("name", BAG_CASES)
def test_bags(name, mode):
    def program(torch):
        w = table(torch)
        y = bag(torch, w, mode, **BAG_CASES[name])
        pull(y, torch)
        return seen(w.grad), type(y.grad_fn).__name__

    both(program)


@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_of_bags(dtype, mode):
    def program(torch):
        w = table(torch, dtype)
        pull(bag(torch, w, mode), torch)
        return seen(w.grad)

    both(program)


@pytest.mark.parametrize("options", [{}, {"padding_idx": 1}, {"offsets": [0, 2, 2, 6], "include_last_offset": True}])
def test_weighted_bags(options):
    def program(torch):
        w, factors = table(torch), torch.tensor(FACTORS, requires_grad=True)
        pull(bag(torch, w, "sum", per_sample_weights=factors, **options), torch)
        return seen(w.grad), factors.grad

    both(program)


def test_a_gradient_of_the_factors_alone():
    def program(torch):
        factors = torch.tensor(FACTORS, requires_grad=True)
        pull(bag(torch, table(torch).detach(), "sum", per_sample_weights=factors), torch)
        return factors.grad

    both(program)


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_bags_scaled_by_frequency_are_refused(mode):
    def program(torch):
        bag(torch, table(torch), mode, scale_grad_by_freq=True).sum().backward()

    both(program)


@pytest.mark.parametrize("mode", [0, 1])
def test_raw_bags(mode):
    def program(torch):
        w = table(torch)
        pull(torch.embedding_bag(w, torch.tensor(BAGS), torch.tensor(BEGINS), False, mode, True)[0], torch)
        return seen(w.grad)

    both(program)


# -- accumulation ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("second", [X, [3, 1, 0], [[0, 0], [4, 4]]], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_two_passes(dtype, second):
    """Check gradient accumulation over two backward passes. PyTorch cannot add sparse float16 tensors."""

    def program(torch):
        w = table(torch, dtype)
        pull(picked(torch, w), torch)
        first = w.grad
        pull(picked(torch, w, second), torch)
        return seen(w.grad), w.grad is first

    both(program)


def test_coalesced_gradients():
    def program(torch):
        w = table(torch)
        w.grad = torch.sparse_coo_tensor([[0, 2]], torch.ones(2, 3), (5, 3)).coalesce()
        pull(picked(torch, w, [0, 3]), torch)
        return seen(w.grad), seen(w.grad.coalesce())

    both(program)


def test_two_in_one_pass():
    def program(torch):
        w = table(torch)
        y, z = picked(torch, w), picked(torch, w, [3, 1, 0])
        torch.autograd.backward([y, z], [weights(torch, 2, 2, 3), weights(torch, 3, 3)])
        return seen(w.grad)

    both(program)


def _sparse_part(torch, w):
    return (picked(torch, w) * weights(torch, 2, 2, 3)).sum()


def _dense_part(torch, w):
    return (torch.nn.functional.linear(weights(torch, 2, 3), w) ** 2).sum()


@pytest.mark.parametrize("order", [1, -1], ids=["sparse first", "dense first"])
@pytest.mark.parametrize("passes", [1, 2])
def test_tied_weights(order, passes):
    def program(torch):
        w = table(torch)
        losses = [part(torch, w) for part in (_sparse_part, _dense_part)[::order]]
        if passes == 1:
            sum(losses).backward()
            return seen(w.grad)
        losses[0].backward()
        first = w.grad
        losses[1].backward()
        return seen(w.grad), w.grad is first

    both(program)


def test_onto_a_dense_gradient():
    def program(torch):
        w = table(torch)
        w.grad = torch.ones(5, 3)
        pull(picked(torch, w), torch)
        return seen(w.grad)

    both(program)


def test_zero_grad():
    def program(torch):
        w = table(torch)
        pull(picked(torch, w), torch)
        first, optimizer = w.grad, torch.optim.SGD([w], 0.1)
        optimizer.zero_grad(set_to_none=False)
        emptied = seen(w.grad), w.grad is first
        pull(picked(torch, w), torch)
        optimizer.zero_grad()
        return emptied, seen(first), w.grad is None

    both(program)


def test_indices_that_change_afterwards():
    """Check that the gradient keeps the indices of the forward pass."""
    w, x = table(torchlike), torchlike.tensor([1, 2])
    pull(torchlike.nn.functional.embedding(x, w, sparse=True), torchlike)
    x.fill_(0)
    assert w.grad._indices().tolist() == [[1, 2]]


# -- other APIs that compute a sparse gradient -------------------------------------------------------------------------

WAYS = {
    "grad": lambda torch, w: torch.autograd.grad(_sparse_part(torch, w), w),
    "inputs": lambda torch, w: _sparse_part(torch, w).backward(inputs=[w]),
    "kept graph": lambda torch, w: [pull(y, torch, retain_graph=True) for y in [picked(torch, w)] * 2],
    "again": lambda torch, w: [_sparse_part(torch, w).backward(), _sparse_part(torch, w).backward()],
    "func": lambda torch, w: torch.func.grad(lambda v: _sparse_part(torch, v))(w.detach()),
    "checkpoint": lambda torch, w: pull(
        torch.utils.checkpoint.checkpoint(lambda v: picked(torch, v) * 1, w, use_reentrant=False), torch
    ),
    "anomaly": lambda torch, w: _with(torch.autograd.detect_anomaly(), lambda: _sparse_part(torch, w).backward()),
}


def _with(context, call):
    with context:
        return call()


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("way", WAYS)
def test_ways(way):
    def program(torch):
        w = table(torch)
        found = WAYS[way](torch, w)
        found = found if isinstance(found, tuple) else (found,)
        return [seen(g) for g in found if getattr(g, "is_sparse", False)], w.grad is None or seen(w.grad)

    both(program)


def test_nan_is_found():
    def program(torch):
        with torch.autograd.detect_anomaly():
            y = picked(torch, table(torch))
            y.backward(y.detach() * float("nan"))

    with pytest.warns(UserWarning), pytest.raises(RuntimeError, match="EmbeddingBackward0"):
        program(torchlike)


def test_a_second_pass_over_a_spent_graph():
    def program(torch):
        y = picked(torch, table(torch))
        pull(y, torch)
        pull(y, torch)

    both(program)


def test_overwritten_indices_are_refused():
    def program(torch):
        x = torch.tensor(X)
        y = torch.nn.functional.embedding(x, table(torch), sparse=True)
        x.zero_()
        pull(y, torch)

    both(program)


def test_hooks():
    def program(torch):
        w, log = table(torch), []
        w.register_hook(lambda g: log.append(seen(g)) or g * 2)
        w.register_hook(lambda g: log.append(seen(g)) or g.coalesce())
        w.register_post_accumulate_grad_hook(lambda p: log.append(seen(p.grad)))
        y = picked(torch, w)
        y.grad_fn.register_prehook(lambda grads: log.append(seen(grads)))
        y.grad_fn.register_hook(lambda given, grads: log.append((seen(given), seen(grads))))
        pull(y, torch)
        return log

    both(program)


@pytest.mark.parametrize("hook", [lambda g: g.to_dense(), lambda g: g.to_dense()[:2].to_sparse(1)])
def test_hooks_that_change_the_kind(hook):
    def program(torch):
        w = table(torch)
        w.register_hook(hook)
        pull(picked(torch, w), torch)

    both(program)


def test_a_hook_that_makes_a_dense_gradient_sparse():
    def program(torch):
        w = table(torch)
        w.register_hook(lambda g: g.to_sparse())
        (w * 2).sum().backward()

    both(program)


def test_a_hook_on_several_tensors():
    def program(torch):
        w, v, log = table(torch), torch.ones(3, requires_grad=True), []
        torch.autograd.graph.register_multi_grad_hook([w, v], lambda grads: log.append(seen(grads)))
        pull(picked(torch, w) * v, torch)
        return log

    both(program)


def test_functions_of_users():
    def program(torch):
        class Rows(torch.autograd.Function):
            @staticmethod
            def forward(ctx, w):
                ctx.shape = w.shape
                return w[1:3].clone()

            @staticmethod
            def backward(ctx, grad):
                return torch.sparse_coo_tensor(torch.tensor([[1, 2]]), grad, ctx.shape)

        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, w):
                return w * 2

            @staticmethod
            def backward(ctx, grad):
                return grad * 2

        w, v = table(torch), table(torch)
        pull(Rows.apply(w), torch)
        pull(picked(torch, Double.apply(v)), torch)
        return seen(w.grad), seen(v.grad)

    both(program)


# -- second derivatives ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["to_dense", "product", "values"])
def test_second_derivatives(name):
    of = {
        "to_dense": lambda torch, g: (g.to_dense() ** 2).sum(),
        "product": lambda torch, g: torch.sparse.sum(g * g),
        "values": lambda torch, g: (g.coalesce().values() ** 2).sum(),
    }[name]

    def program(torch):
        w, seed = table(torch), weights(torch, 2, 2, 3).requires_grad_()
        (g,) = torch.autograd.grad(picked(torch, w), w, seed, create_graph=True)
        of(torch, g).backward()
        return seen(g), type(g.grad_fn).__name__, seed.grad

    both(program)


@pytest.mark.filterwarnings("ignore:Using backward")
def test_accumulated_with_a_graph():
    def program(torch):
        w = table(torch)
        (picked(torch, w) ** 2).sum().backward(create_graph=True)
        first = seen(w.grad), type(w.grad.grad_fn).__name__
        (picked(torch, w) ** 3).sum().backward(create_graph=True)
        return first, seen(w.grad), type(w.grad.grad_fn).__name__

    both(program)


# -- errors ------------------------------------------------------------------------------------------------------------


def test_a_table_that_is_no_leaf():
    """Check that a sparse gradient of a non-leaf raises.

    PyTorch is inconsistent here: some of its operators continue with a sparse gradient, but most raise.
    """
    with pytest.raises(NotImplementedError, match="a sparse gradient of a non-leaf tensor"):
        picked(torchlike, table(torchlike) * 2).sum().backward()


def test_a_mapped_gradient():
    torch = torchlike
    one = torch.func.grad(lambda w, x: torch.nn.functional.embedding(x, w, sparse=True).sum())
    with pytest.raises(NotImplementedError, match="sparse gradient"):
        torch.vmap(one, in_dims=(None, 0))(table(torch).detach(), torch.tensor(X))


@pytest.mark.parametrize("clip", ["clip_grad_norm_", "clip_grad_value_"])
@pytest.mark.parametrize("library", ["torch", "torchlike"])
def test_clipping(library, clip):
    """Check that clipping raises. The message names a different operator in each library."""
    torch = importlib.import_module(library)
    w = table(torch)
    pull(picked(torch, w), torch)
    before = seen(w.grad)[1]
    with pytest.raises(NotImplementedError):
        getattr(torch.nn.utils, clip)([w], 1.0)
    assert all((a == b) if isinstance(a, bool) else bool((a == b).all()) for a, b in zip(before, seen(w.grad)[1]))


def test_deepcopy_of_a_layer():
    def program(torch):
        layer = torch.nn.Embedding(5, 3, sparse=True)
        pull(layer(torch.tensor(X)), torch)
        return copy.deepcopy(layer)(torch.tensor(X)).detach() - layer(torch.tensor(X)).detach()

    both(program)
