"""Programs with control flow over tensors, each a function of the library, and programs that PyTorch refuses."""

from typing import NamedTuple


def _leaf(torch, *numbers):
    return torch.tensor(numbers, requires_grad=True)


def cond_chooses(torch):
    x = torch.tensor([1.0, 2.0])
    return [torch.cond(x.sum() > limit, lambda x: x.sin(), lambda x: x.cos(), (x,)) for limit in (0, 5)]


def cond_gradients_reach_operands_and_closures(torch):
    x, w, unused = _leaf(torch, 1.0, 2.0), _leaf(torch, 3.0, 4.0), _leaf(torch, 5.0, 6.0)
    y = torch.cond(x.sum() > 0, lambda x: x.sin() * w, lambda x: x.cos() * unused, (x,))
    y.sum().backward()
    return y, x.grad, w.grad


def cond_in_containers(torch):
    x, w = _leaf(torch, 1.0, 2.0), _leaf(torch, 3.0, 4.0)
    y = torch.cond(
        w.sum() < 0,
        lambda d, w: {"b": [d["x"] * w], "a": d["x"] + 1},
        lambda d, w: {"b": [d["x"] - w], "a": d["x"] + 2},
        ({"x": x}, w),
    )
    (y["a"] * y["b"][0]).sum().backward()
    return y, x.grad, w.grad


def cond_keeps_detach_and_no_grad(torch):
    x, w = _leaf(torch, 1.0, 2.0), _leaf(torch, 3.0, 4.0)

    def stops(x):
        with torch.no_grad():
            scale = (x * w).sum()
        return x.detach() * w * scale + x * 2

    torch.cond(x.sum() > 0, stops, lambda x: x * w, (x,)).sum().backward()
    return x.grad, w.grad


def cond_without_operands(torch):
    x = _leaf(torch, 1.0, 2.0)
    torch.cond(x.sum() > 0, lambda: x * 3, lambda: x * 4).sum().backward()
    return x.grad


def cond_of_a_number_or_an_element(torch):
    x = torch.tensor([1.0, 2.0])
    preds = [torch.tensor(1.5), torch.tensor([True]), torch.tensor([[0]])]
    return [torch.cond(pred, lambda x: x + 1, lambda x: x + 2, (x,)) for pred in preds]


def cond_in_cond(torch):
    x = _leaf(torch, 1.0, 2.0)
    inner = lambda x: torch.cond(x.sum() > 2, lambda x: x * x, lambda x: x * 3, (x,))
    torch.cond(x.sum() > 0, inner, lambda x: x.cos(), (x,)).sum().backward()
    return x.grad


def cond_with_results_that_have_no_gradient(torch):
    x = _leaf(torch, 1.0, 2.0)
    return torch.cond(x.sum() > 0, lambda x: (x.argmax(), x > 1), lambda x: (x.argmin(), x < 1), (x,))


def cond_under_no_grad(torch):
    x = _leaf(torch, 1.0, 2.0)
    with torch.no_grad():
        return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x.cos(), (x,))


def cond_draws_only_where_it_goes(torch):
    x = torch.ones(2)
    y = torch.cond(x.sum() > 0, lambda x: x + torch.rand(2), lambda x: x * torch.rand(3)[:2], (x,))
    return y, torch.rand(2)


def cond_of_other_sizes(torch):
    x = torch.arange(6.0).reshape(3, 2)
    preds = torch.tensor(True), torch.tensor(False)
    return [torch.cond(p, lambda x: x[:1] + 1, lambda x: x + 2, (x,)) for p in preds]


def cond_keeps_the_order_of_memory(torch):
    x = torch.arange(6.0).reshape(2, 3).t()
    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x * 2, (x,)) * 2


def cond_with_ints(torch):
    x = torch.ones(2)
    same = torch.cond(x.sum() > 0, lambda x: (x + 1, 3), lambda x: (x + 2, 3), (x,))
    return same, torch.cond(x.sum() < 0, lambda x: (x + 1, 3), lambda x: (x + 2, 4), (x,))


def loop_counts(torch):
    return torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), torch.ones(2)))


def loop_of_no_rounds(torch):
    return torch.while_loop(lambda i, x: i < 0, lambda i, x: (i + 1, x * 2), (torch.tensor(0), torch.ones(2)))


def loop_of_lists_ints_and_dicts(torch):
    step = lambda i, x: [i + 1, x * 2]
    listed = torch.while_loop(lambda i, x: i < 3, step, [torch.tensor(0), torch.ones(2)])
    counted = torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (0, torch.ones(2)))
    return listed, counted


def loop_gradients(torch):
    x, w = _leaf(torch, 1.0, 2.0), _leaf(torch, 0.5, 0.25)
    i, y = torch.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, (x * x * w).sin()), (torch.tensor(0), x))
    y.sum().backward()
    return i, y, x.grad, w.grad


def scan_folds(torch):
    xs = torch.arange(6.0).reshape(3, 2)
    scan = torch._higher_order_ops.scan
    return [scan(lambda c, x: (c + x, c * x), torch.zeros(2), xs, reverse=r) for r in (False, True)]


def scan_along_other_dims(torch):
    xs = torch.arange(6.0).reshape(3, 2)
    scan = torch._higher_order_ops.scan
    return [[t.contiguous() for t in scan(lambda c, x: (c + x, c * x), torch.zeros(3), xs, dim=d)] for d in (1, -1)]


def scan_in_containers(torch):
    xs = (torch.arange(6.0).reshape(3, 2), torch.ones(3, 2))
    return torch._higher_order_ops.scan(
        lambda c, x: ({"a": c["a"] + x[0]}, (c["a"] * x[1],)), {"a": torch.zeros(2)}, xs
    )


def scan_gradients(torch):
    c, w = _leaf(torch, 0.1, 0.2), _leaf(torch, 0.5, -1.0)
    xs = torch.arange(6.0).reshape(3, 2).requires_grad_()
    last, ys = torch._higher_order_ops.scan(lambda c, x: ((c * w + x).tanh(), c * x), c, xs)
    (last.sum() + (ys * ys).sum()).backward()
    return last, ys, c.grad, w.grad, xs.grad


def scan_of_nothing(torch):
    return torch._higher_order_ops.scan(lambda c, x: (c + x, c * x), torch.zeros(2), ())


def scans_of_pairs(torch):
    xs = torch.arange(1.0, 7.0).reshape(3, 2)
    associative_scan = torch._higher_order_ops.associative_scan
    found = [
        associative_scan(lambda a, b: a * b, xs, dim, reverse=r, combine_mode="generic")
        for dim in (0, 1)
        for r in (False, True)
    ]
    linear = lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1])
    return [x.contiguous() for x in found], associative_scan(linear, (xs[:, 0], xs[:, 1]), 0, combine_mode="generic")


def scan_of_pairs_gradient(torch):
    x = _leaf(torch, 3.0, 4.0, 2.0)
    y = torch._higher_order_ops.associative_scan(lambda a, b: a * b, x, 0, combine_mode="generic")
    (y * y).sum().backward()
    return y, x.grad


def map_rows(torch):
    mapped = torch._higher_order_ops.map
    w = torch.tensor([1.0, 2.0])
    xs = torch.arange(6.0).reshape(3, 2)
    summed = mapped(lambda d: {"r": d["x"].sum()}, {"x": xs})
    return mapped(lambda x, w: x * w, xs, w), summed, mapped(lambda x: x * w, xs)


def map_gradients(torch):
    w, bias = _leaf(torch, 1.0, 2.0), _leaf(torch, 0.5, 0.5)
    xs = torch.arange(6.0).reshape(3, 2).requires_grad_()
    y = torch._higher_order_ops.map(lambda x, w: (x * w + bias).sin(), xs, w)
    y.sum().backward()
    return y, xs.grad, w.grad, bias.grad


ALIKE = {
    f.__name__: f
    for f in (
        cond_chooses,
        cond_gradients_reach_operands_and_closures,
        cond_in_containers,
        cond_keeps_detach_and_no_grad,
        cond_without_operands,
        cond_of_a_number_or_an_element,
        cond_in_cond,
        cond_with_results_that_have_no_gradient,
        cond_under_no_grad,
        cond_draws_only_where_it_goes,
        cond_of_other_sizes,
        cond_keeps_the_order_of_memory,
        cond_with_ints,
        loop_counts,
        loop_of_no_rounds,
        loop_of_lists_ints_and_dicts,
        loop_gradients,
        scan_folds,
        scan_along_other_dims,
        scan_in_containers,
        scan_gradients,
        scan_of_nothing,
        scans_of_pairs,
        scan_of_pairs_gradient,
        map_rows,
        map_gradients,
    )
}


class Refused(NamedTuple):
    """A program that PyTorch refuses."""

    name: str
    program: object
    text: bool = False  # compare the message too, and not only the error's type


def _cond(true, false=lambda x: x + 1, pred=None, operands=None):
    def program(torch):
        given = (torch.ones(2),) if operands is None else operands(torch)
        return torch.cond(torch.tensor(True) if pred is None else pred(torch), true, false, given)

    return program


def _changes_a_closure(torch):
    kept = torch.ones(2)
    return torch.cond(torch.tensor(True), lambda x: kept.add_(x) + 1, lambda x: x + 1, (torch.ones(2),))


def _returns_a_closure(torch):
    kept = torch.ones(2)
    return torch.cond(torch.tensor(True), lambda x: kept, lambda x: x + 1, (torch.ones(2),))


def _loop(goes_on, step):
    return lambda torch: torch.while_loop(goes_on, step, (torch.tensor(0), torch.ones(2)))


def _scan(f, init=lambda torch: torch.zeros(2), xs=lambda torch: torch.ones(3, 2), **options):
    return lambda torch: torch._higher_order_ops.scan(f, init(torch), xs(torch), **options)


def _pairs(f, xs=lambda torch: torch.ones(3, 2), dim=0, **options):
    return lambda torch: torch._higher_order_ops.associative_scan(f, xs(torch), dim, **options)


def _map(f, xs=lambda torch: torch.ones(3, 2)):
    return lambda torch: torch._higher_order_ops.map(f, xs(torch))


_FOLD = lambda c, x: (c + x, c * x)
_GENERIC = {"combine_mode": "generic"}
REFUSED = [
    Refused("pred of two elements", _cond(_FOLD, pred=lambda t: t.ones(2)), True),
    Refused("pred is a word", _cond(_FOLD, pred=lambda t: "yes"), True),
    Refused("branch not callable", _cond(3), True),
    Refused("operand is a number", _cond(_FOLD, operands=lambda t: (t.ones(2), 3)), True),
    Refused("operands are a tensor", _cond(_FOLD, operands=lambda t: t.ones(2)), True),
    Refused("ranks differ", _cond(lambda x: x.sum())),
    Refused("dtypes differ", _cond(lambda x: x.double())),
    Refused("containers differ", _cond(lambda x: {"a": x + 1}, lambda x: (x + 1,))),
    Refused("order of keys differs", _cond(lambda x: {"a": x + 1, "b": x + 2}, lambda x: {"b": x + 1, "a": x + 2})),
    Refused("counts differ", _cond(lambda x: (x + 1, x + 2), lambda x: (x + 1,))),
    Refused("branch returns None", _cond(lambda x: None, lambda x: None)),
    Refused("branch writes to its operand", _cond(lambda x: x.add_(1) + 1)),
    Refused("branch writes to a closure", _changes_a_closure),
    Refused("branch returns its operand", _cond(lambda x: x)),
    Refused("branch returns a view of its operand", _cond(lambda x: x.view(2))),
    Refused("branch returns a closure", _returns_a_closure),
    Refused("branch returns a tensor twice", _cond(lambda x: [x + 1] * 2, lambda x: [x + 1, x + 2])),
    Refused("branch looks at elements", _cond(lambda x: x + 1 if x.sum() > 0 else x - 1)),
    Refused("memory orders differ", _cond(lambda x: x.t() + 1, operands=lambda t: (t.ones(2, 3).t(),))),
    Refused("loop not callable", _loop(3, _FOLD), True),
    Refused("endless loop", _loop(lambda i, x: True, lambda i, x: (i + 1, x * 2))),
    Refused("carried shape changes", _loop(lambda i, x: i < 3, lambda i, x: (i + 1, x.sum()))),
    Refused("carried dtype changes", _loop(lambda i, x: i < 3, lambda i, x: (i + 1, x.double()))),
    Refused("carried count changes", _loop(lambda i, x: i < 3, lambda i, x: (i + 1,))),
    Refused("condition of two elements", _loop(lambda i, x: x < 3, lambda i, x: (i + 1, x * 2))),
    Refused("condition is a number", _loop(lambda i, x: 3 - i, lambda i, x: (i + 1, x * 2))),
    Refused("loop returns what it was given", _loop(lambda i, x: i < 3, lambda i, x: (i + 1, x))),
    Refused("loop writes", _loop(lambda i, x: i < 3, lambda i, x: (i + 1, x.mul_(2) + 1))),
    Refused("scan not callable", _scan(3), True),
    Refused("scan over no elements", _scan(_FOLD, xs=lambda t: t.ones(0, 2)), True),
    Refused("scan over a scalar", _scan(_FOLD, xs=lambda t: t.ones(())), True),
    Refused("scan without init", _scan(_FOLD, init=lambda t: ()), True),
    Refused("init is a number", _scan(_FOLD, init=lambda t: 0.0), True),
    Refused("scan along no dim", _scan(_FOLD, dim=2), True),
    Refused("reverse is a word", _scan(_FOLD, reverse="yes"), True),
    Refused("carry changes shape", _scan(lambda c, x: ((c + x).sum(), c * x))),
    Refused("carry changes dtype", _scan(lambda c, x: ((c + x).double(), c * x))),
    Refused("scan returns its carry", _scan(lambda c, x: (c + x, c))),
    Refused("scan writes", _scan(lambda c, x: (c.add_(x) + 1, c * x))),
    Refused("pairs not callable", _pairs(3), True),
    Refused("unknown mode", _pairs(lambda a, b: a + b, combine_mode="other"), True),
    Refused("pointwise on the CPU", _pairs(lambda a, b: a + b), True),
    Refused("pairs along no dim", _pairs(lambda a, b: a + b, dim=2, **_GENERIC), True),
    Refused("pairs of no elements", _pairs(lambda a, b: a + b, xs=lambda t: t.ones(0, 2), **_GENERIC), True),
    Refused("map over a number", _map(lambda x: x * 2, xs=lambda t: 3), True),
    Refused("map over no rows", _map(lambda x: x * 2, xs=lambda t: t.ones(0, 2)), True),
    Refused("map over other lengths", _map(lambda x: x[0] + x[1], xs=lambda t: (t.ones(3), t.ones(4))), True),
    Refused("map returns its row", _map(lambda x: x)),
    Refused("map writes", _map(lambda x: x.add_(1) + 1)),
    Refused("map returns a number", _map(lambda x: 3)),
]
