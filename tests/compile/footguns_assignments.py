"""Attributes, dictionary entries and list elements that a compiled function assigns to."""

import weakref
from types import SimpleNamespace

from tests.compile.cases import footgun, numbers


def given(torch, i):
    return torch.tensor([1.0, 2.0, 3.0]) + i


@footgun
def a_state_is_replaced_and_written_to_between_calls(torch, compile):
    box, out = SimpleNamespace(h=torch.zeros(3)), []

    @compile
    def f(x):
        box.h = box.h + x * 2
        return x * 2

    for i in range(5):
        f(given(torch, i))
        kept = box.h
        kept.add_(i)
        out.append(box.h.clone())
        box.h[0] = 7.0
    return numbers(out, [f(box.h) for _ in range(3)], f(box.h.detach()), f(box.h[:]), box.h)


@footgun
def an_assigned_tensor_is_also_returned(torch, compile):
    box, w, out = SimpleNamespace(h=torch.zeros(3), g=None), torch.ones(3, requires_grad=True), []

    @compile
    def f(x):
        box.h = (box.h + x * w).detach()
        y = box.h * w
        box.g = y.detach()
        return y, box.h

    for i in range(5):
        y, h = f(given(torch, i))
        y.sum().backward()
        with torch.no_grad():
            y.mul_(2)
        out += [w.grad.clone(), float(h is box.h), float(box.g.requires_grad), box.g.clone()]
    return numbers(out)


@footgun
def a_replaced_list_is_kept_by_the_caller(torch, compile):
    box, kept = SimpleNamespace(h=[torch.zeros(3)], d={"n": 1}), []

    @compile
    def f(x):
        box.h, box.d = [box.h[0] + x], {"n": 1}
        return x * 2

    for i in range(6):
        kept += [box.h, box.d]
        f(given(torch, i))
        box.d["n"] = 1 if i < 4 else 2
    return numbers([*kept[::2], *[d["n"] for d in kept[1::2]], len({*map(id, kept)})])


@footgun
def a_list_is_changed_and_then_replaced(torch, compile):
    box, kept = SimpleNamespace(h=[torch.zeros(3)]), []

    @compile
    def f(x):
        box.h.append(x * 2)
        box.h = [x + 1]
        return x * 2

    for i in range(5):
        kept.append(box.h)
        f(given(torch, i))
    return numbers(kept)


@footgun
def two_attributes_share_what_is_assigned(torch, compile):
    box, out = SimpleNamespace(h=torch.zeros(3), g=torch.ones(3), a=[], b=[]), []

    @compile
    def f(x):
        box.h = box.g = box.h + box.g * x
        box.a = box.b = [x]
        return x * 2

    for i in range(5):
        f(given(torch, i))
        out += [float(box.h is box.g), float(box.a is box.b), box.h]
        if i == 2:
            box.g = box.g.clone()
    return numbers(out)


@footgun
def other_things_are_assigned_between_calls(torch, compile):
    box, out = SimpleNamespace(h=None), []

    @compile
    def f(x):
        box.h = x if box.h is None else box.h + x
        return box.h * 2

    grown, wide = torch.zeros(3, requires_grad=True), torch.ones(2, 3)
    for value in (None, 0.0, grown, torch.ones(1), wide[0], torch.ones(3, 2).t()[0], None, torch.ones(3).double()):
        for i in range(3):
            box.h = value
            out += [f(given(torch, i)), f(given(torch, 1)), float(box.h.requires_grad)]
    return numbers(out)


@footgun
def the_previous_state_moves_to_another_attribute(torch, compile):
    box, out = SimpleNamespace(h=torch.zeros(3), before=torch.zeros(3)), []

    @compile
    def f(x):
        box.before = box.h
        box.h = box.h + x
        return box.before * box.h

    for i in range(6):
        was = box.h
        out += [f(given(torch, i)), float(box.before is was)]
        if i == 3:
            box.before = box.h
    return numbers(out, box.h, box.before)


@footgun
def an_assigned_loss_is_differentiated_by_the_caller(torch, compile):
    model, box, out = torch.nn.Linear(3, 2), SimpleNamespace(aux=None), []
    torch.nn.init.ones_(model.weight)
    torch.nn.init.ones_(model.bias)

    @compile
    def f(x):
        y = model(x)
        box.aux = y.abs().mean()
        return y.square().mean()

    for i in range(5):
        loss = f(given(torch, i))
        model.zero_grad()
        (loss + box.aux).backward()
        out += [model.weight.grad.clone(), box.aux]
    return numbers(out)


@footgun
def a_gradient_is_kept(torch, compile):
    w, box, out = torch.ones(3, requires_grad=True), SimpleNamespace(g=torch.zeros(3)), []

    @compile
    def f(x):
        (w * x).sum().backward()
        box.g = box.g * 0.5 + w.grad
        return x * 2

    for i in range(7):
        f(given(torch, i))
        out.append(box.g.clone())
        if i == 3:
            w.grad = box.g
        if i == 5:
            box.g = w.grad
    return numbers(out, w.grad)


@footgun
def replaced_tensors_are_freed(torch, compile):
    box, refs = SimpleNamespace(h=torch.zeros(3)), []

    @compile
    def f(x):
        box.h = box.h + x
        return x * 2

    for i in range(6):
        f(given(torch, i))
        refs.append(weakref.ref(box.h))
    return numbers([float(r() is not None) for r in refs])


@footgun
def training_and_evaluation_modes_alternate(torch, compile):
    model, out = torch.nn.Sequential(torch.nn.Identity(), torch.nn.Dropout(1.0)), []

    @compile
    def f(x, training):
        model.train(training)
        return model(x)

    for i in range(8):
        out += [f(given(torch, i), i % 3 == 0), *[float(m.training) for m in model.modules()]]
    return numbers(out)


@footgun
def a_dictionary_is_refilled_in_another_order(torch, compile):
    box, out = SimpleNamespace(d={"a": torch.zeros(3), "b": torch.ones(3)}), []

    @compile
    def f(x):
        box.d.clear()
        box.d["a"] = x * 2
        box.d["b"] = x * 3
        return x + 1

    for i in range(6):
        f(given(torch, i))
        out += [*box.d.values()]
        if i == 3:
            box.d = {"b": torch.ones(3), "a": torch.ones(3)}
    return numbers(out)


@footgun
def a_result_depends_on_a_freed_graph(torch, compile):
    w, out = torch.ones(3, requires_grad=True), []

    @compile
    def f(x):
        w.grad = None
        other = w * 2
        loss = (w * x).square().mean()
        loss.backward()
        return loss * 4, loss.exp() * loss, (other * 3).sum()

    for i in range(4):
        four, product, alive = f(given(torch, i) / 10)
        alive.backward()
        out += [four, product, alive, w.grad.clone()]
    return numbers(out)
