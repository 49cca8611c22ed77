"""Gradients through casts, cached casts of weights, checkpoints, and functions with their own backward."""

import pytest

import torchlike
from tests.autograd.library import compare, leaf, log, programs, torch
from tests.oracle import both


def _weight():
    return torch.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)


def _kinds(*tensors):
    log(*[str(t.dtype).split(".")[-1] for t in tensors])


def _name(node):
    return None if node is None else node.name()


def gradients_of_a_product():
    w, x = _weight(), torch.ones(2, 2)
    with torch.autocast("cpu"):
        y = x @ w
        loss = (y * 3).sum()
    loss.backward()
    _kinds(y, loss, w.grad)
    log(_name(y.grad_fn), [_name(n) for n, _ in y.grad_fn.next_functions])
    return w.grad


def second_gradients():
    w, x = _weight(), torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        y = (x @ w).float().pow(2).sum()
    (g,) = torch.autograd.grad(y, w, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return g, h


def a_weight_is_cast_once():
    w, x = _weight(), torch.ones(2, 2)
    with torch.autocast("cpu"):
        a, b = x @ w, x @ w
        with torch.autocast("cpu", enabled=False):
            wide = x @ w
        with torch.autocast("cpu"):
            c = x @ w
        cast = lambda y: y.grad_fn.next_functions[1][0]
        log(cast(a) is cast(b), cast(a) is cast(c), len({id(cast(y)) for y in (a, b, c)}))
        torch.clear_autocast_cache()
        log(cast(x @ w) is cast(a))
    with torch.autocast("cpu"):
        log(cast(x @ w) is cast(a))
    (a + b + c + wide).sum().backward()
    return w.grad


def what_is_no_weight_is_cast_each_time():
    w, x = _weight(), torch.ones(2, 2)
    with torch.autocast("cpu"):
        cast = lambda v: (x @ v).grad_fn.next_functions[1][0]
        for v in (w * 1, w[:2], w.detach().half().requires_grad_()):
            log(cast(v) is cast(v))
    with torch.autocast("cpu", cache_enabled=False):
        log(cast(w) is cast(w))


def a_weight_cast_without_gradients_and_with():
    w, x = _weight(), torch.ones(2, 2)
    with torch.autocast("cpu"):
        with torch.no_grad():
            log((x @ w).requires_grad)
        y = x @ w
        with torch.no_grad():
            log((x @ w).requires_grad)
    y.sum().backward()
    return w.grad


def a_weight_written_to_inside():
    w, x = _weight(), torch.ones(2, 2)
    with torch.autocast("cpu"):
        before = x @ w
        with torch.no_grad():
            w.add_(1)
        return before.detach(), (x @ w).detach(), w.detach()


def in_place_and_out():
    x, out = torch.ones(2, 2), torch.zeros(2, 2)
    with torch.autocast("cpu"):
        torch.mm(x, x, out=out)
        made = torch.zeros(2, 2).addmm_(x, x)
        product = torch.ones(2, 2)
        product @= x
        _kinds(out, made, product, torch.addmm(x, x, x), torch.prod(x.bfloat16()))
        copied = torch.ones(2).index_copy_(0, torch.tensor([0]), torch.zeros(1))
        return out, made, product, copied


def doubles_and_integers_stay():
    with torch.autocast("cpu"):
        _kinds(torch.ones(2, 2).double() @ torch.ones(2, 2).double(), torch.ones(2, 2).int() @ torch.ones(2, 2).int())


def of_two_dtypes():
    with torch.autocast("cpu"):
        x = torch.ones(2)
        for a, b in (
            (x, x.bfloat16()),
            (x.bfloat16(), x.bfloat16()),
            (x.double(), x.bfloat16()),
            (x, x.half()),
            (x.int(), x.bfloat16()),
        ):
            _kinds(torch.cat([a, b]), torch.stack([a, b]))


def of_a_dtype_that_is_neither():
    with torch.autocast("cpu"):
        return torch.cat([torch.ones(2).half(), torch.ones(2).bfloat16()])


def a_region_around_backward():
    w, x = _weight(), torch.ones(2, 2)
    with torch.autocast("cpu"):
        y = torch.nn.functional.linear(x, w).softmax(1)
        y[0, 0].backward()
    _kinds(y, w.grad)
    return w.grad


def backward_in_another_thread_s_state():
    w = _weight()
    with torch.autocast("cpu", dtype=torch.float16):
        y = (w @ w).sum()
    with torch.autocast("cpu"):
        y.backward()
    return w.grad


def _checkpointed(reentrant):
    torch.manual_seed(0)
    w, x = _weight(), torch.ones(2, 2, requires_grad=True)

    def part(x):
        y = torch.nn.functional.linear(x, w)
        _kinds(y)
        return torch.nn.functional.dropout(y.relu(), 0.5)

    with torch.autocast("cpu"):
        y = torch.utils.checkpoint.checkpoint(part, x, use_reentrant=reentrant)
    y.sum().backward()
    _kinds(y, w.grad)
    return y, w.grad, x.grad


def a_checkpoint_that_is_reentrant():
    return _checkpointed(True)


def a_checkpoint_that_is_not():
    return _checkpointed(False)


def a_checkpoint_whose_region_is_inside():
    w, x = _weight(), torch.ones(2, 2, requires_grad=True)

    def part(x):
        with torch.autocast("cpu", dtype=torch.float16):
            return x @ w

    torch.utils.checkpoint.checkpoint(part, x, use_reentrant=False).sum().backward()
    return w.grad, x.grad


def _product(**options):
    class Product(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", **options)
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            _kinds(a, b, a @ b)
            log(torch.is_autocast_enabled("cpu"))
            return a @ b

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            a, b = ctx.saved_tensors
            log(torch.is_autocast_enabled("cpu"), str(torch.get_autocast_dtype("cpu")).split(".")[-1])
            _kinds(grad, grad @ b)
            return (grad @ b.t()).to(a.dtype), (a.t() @ grad).to(b.dtype)

    a, b = _weight(), _weight()
    with torch.autocast("cpu", dtype=torch.float16):
        y = Product.apply(a, b)
    y.sum().backward()
    outside = Product.apply(a, b)
    outside.sum().backward()
    _kinds(y, outside, a.grad)
    return y, a.grad, b.grad


def a_function_that_is_cast_as_its_caller():
    return _product()


def a_function_with_inputs_cast():
    return _product(cast_inputs=torch.float32)


def a_function_with_inputs_cast_to_half_precision():
    return _product(cast_inputs=torch.bfloat16)


def inputs_of_every_kind_are_cast():
    seen = []

    class Takes(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.bfloat16)
        def forward(ctx, x, many, named, text, whole, wide):
            seen.extend([x, *many, *named.values(), whole, wide])
            log(text)
            return x.sum()

    with torch.autocast("cpu"):
        x = torch.ones(2)
        Takes.apply(x, [x, (x,)[0]], {"a": x}, "text", x.int(), x.double())
    _kinds(*seen)


def inference():
    w, x = _weight(), torch.ones(2, 2)
    with torch.inference_mode(), torch.autocast("cpu"):
        y = x @ w
        _kinds(y, x @ w)
    return y


@pytest.mark.parametrize("program", programs(globals()), ids=lambda f: f.__name__)
def test_like_pytorch(program):
    compare(program, rtol=1.6e-2, atol=1e-5)  # the tolerance of bfloat16, also for float32 computed from it


@pytest.mark.parametrize("executor", ["numpy", "xla", "immediate", "auto"])
def test_each_executor_casts_alike(executor):
    def program(t):
        w, x = t.ones(3, 3, requires_grad=True), t.arange(6.0).reshape(2, 3) / 3
        with t.autocast("cpu"):
            y = t.nn.functional.linear(x, w).softmax(1)
            loss = t.nn.functional.cross_entropy(y, t.tensor([0, 2]))
        return y, loss

    with torchlike.set_executor(executor):
        both(program)


def test_programs_are_programs():
    assert leaf and len(programs(globals())) > 15
