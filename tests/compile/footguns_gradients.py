"""Gradients of results, arguments and parameters: with hooks, retained, shared and returned."""

import functools

from tests.compile.cases import footgun, numbers


@footgun
def a_result_is_differentiated_outside_twice(torch, compile):
    w = torch.ones(2, requires_grad=True)
    f = compile(lambda x: (w * x).exp())
    out = []
    for i in range(3):
        y = f(torch.full((2,), 0.5 + i))
        y.sum().backward(retain_graph=True)
        y.sum().backward()
        out.append(w.grad.clone())
        w.grad = None
    return numbers(out)


@footgun
def detached_parts_get_no_gradient(torch, compile):
    w = torch.full((2,), 2.0, requires_grad=True)

    @compile
    def f(x):
        y = w * x
        with torch.no_grad():
            z = w * 100
        return (y * y.detach() + z).sum()

    out = []
    for _ in range(3):
        f(torch.ones(2)).backward()
        out.append(w.grad.clone())
    return numbers(out)


@footgun
def a_custom_gradient_is_kept(torch, compile):
    class Straight(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.round()

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    w = torch.full((2,), 1.3, requires_grad=True)
    f = compile(lambda x: Straight.apply(w * x).sum())
    out = []
    for _ in range(3):
        f(torch.ones(2)).backward()
        out.append(w.grad.clone())
    return numbers(out)


@footgun
def a_gradient_hook_is_kept(torch, compile):
    w = torch.ones(2, requires_grad=True)
    w.register_hook(lambda grad: grad * 2)

    @compile
    def f(x):
        y = w * x
        y.register_hook(lambda grad: grad + 1)
        return y.sum()

    out = []
    for _ in range(3):
        f(torch.ones(2)).backward()
        out.append(w.grad.clone())
    return numbers(out)


@footgun
def weights_are_tied_through_an_argument(torch, compile):
    w = torch.full((2,), 3.0, requires_grad=True)
    f = compile(lambda h: (h * w).sum())
    out = []
    for _ in range(3):
        f(w.square()).backward()
        out.append(w.grad.clone())
        w.grad = None
    return numbers(out)


@footgun
def a_call_that_is_not_whole_gets_what_has_a_history(torch, compile):
    kept = []

    def looks(x):
        z = (x * x).sum()
        return z * 2 if z.item() > 0 else z

    def keeps(x):
        kept.append(x * 3)
        return (x * x).sum()

    out = []
    for f in map(compile, (looks, keeps)):
        for _ in range(2):
            leaf = torch.ones(2, requires_grad=True)
            f(leaf * 3).backward()
            out.append(leaf.grad)
    return numbers(out)


@footgun
def a_gradient_reaches_the_argument(torch, compile):
    f = compile(lambda x: (x * x).sum())
    out = []
    for i in range(3):
        leaf = torch.full((2,), float(i + 1), requires_grad=True)
        f(leaf).backward()
        out.append(leaf.grad)
        f(leaf * 2).backward()
        out.append(leaf.grad)
    return numbers(out)


@footgun
def saved_tensors_are_given_to_hooks(torch, compile):
    w = torch.full((2,), 3.0, requires_grad=True)
    f = compile(lambda x: (w * w * x).sum())
    out = []
    for _ in range(3):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t * 2):
            loss = f(torch.ones(2))
        loss.backward()
        out.append(w.grad.clone())
    return numbers(out)


@footgun
def a_gradient_hook_comes_later(torch, compile):
    w = torch.ones(2, requires_grad=True)
    opt = torch.optim.SGD([w], lr=0.1)

    @compile
    def step(x):
        (w * x).sum().backward()
        opt.step()
        opt.zero_grad()

    out = []
    for i in range(5):
        if i == 1:
            handle = w.register_hook(lambda grad: grad * 10)
        if i == 3:
            handle.remove()
        if i == 4:
            w.register_post_accumulate_grad_hook(lambda p: setattr(p, "grad", p.grad * 5))
        step(torch.ones(2))
        out.append(w.detach().clone())
    return numbers(out)


@footgun
def the_gradient_itself_is_returned(torch, compile):
    w = torch.ones(2, requires_grad=True)

    @compile
    def step(x):
        (w * x).sum().backward()
        return w.grad

    out = []
    for i in range(6):
        found = step(torch.full((2,), float(i)))
        out += [found.clone(), float(found is w.grad)]
        if i == 3:
            w.grad = None
    return numbers(out)


@footgun
def two_gradients_begin_as_one(torch, compile):
    a, b = (torch.tensor(1.0, requires_grad=True) for _ in range(2))

    @compile
    def step(x):
        (a + b * x).backward()

    out = []
    for i in range(5):
        step(torch.tensor(1.0 + (i > 1) * i))
        out += [a.grad.clone(), b.grad.clone()]
    return numbers(out)


@footgun
def gradients_are_parts_of_one_memory(torch, compile):
    w, flat = torch.ones(2, requires_grad=True), torch.zeros(4)

    @compile
    def step(x):
        (w * x).sum().backward()

    out = []
    for i in range(5):
        if i == 2:
            w.grad = flat[1:3]
        step(torch.full((2,), float(i + 1)))
        out += [w.grad.clone(), flat.clone()]
    return numbers(out)


@footgun
def an_argument_is_a_gradient_too(torch, compile):
    w = torch.ones(2, requires_grad=True)

    @compile
    def step(x):
        (w * 2).sum().backward()
        return x * 10

    out = []
    for i in range(5):
        out.append(step(w.grad if i % 2 else torch.ones(2)))
        out.append(w.grad.clone())
    return numbers(out)


@footgun
def a_parameter_outside_of_the_optimizer(torch, compile):
    w, v = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([w], lr=0.1)

    @compile
    def step():
        optimizer.zero_grad()
        (w.sum() * v.sum()).backward()  # accumulates into v's gradient and creates w's
        optimizer.step()
        return w.sum()

    return numbers([(step(), w.detach().clone(), v.grad.clone()) for _ in range(5)])


@footgun
def states_are_written_in_another_order_than_they_are_read(torch, compile):
    p, q, x = torch.ones(2), torch.full((2,), 10.0), torch.ones(2, requires_grad=True)

    @compile
    def f(x):
        loss = p + q + 2 * x
        with torch.no_grad():
            q.add_(1)
            p.sub_(1)
        return loss

    out = []
    for _ in range(4):
        x.grad = None
        loss = f(x)
        loss.sum().backward()
        out.append((loss, p.clone(), q.clone(), x.grad))
    return numbers(out)


@footgun
def a_gradient_that_cannot_be_computed(torch, compile):
    p, w = torch.ones(2), torch.ones(2, requires_grad=True)

    @compile
    def f(x):
        y = x * w * p
        p.mul_(0.9)  # the gradient of w uses p
        return y

    out = []
    for _ in range(3):
        y = f(torch.ones(2))
        try:
            y.sum().backward()
        except RuntimeError:
            out.append((y, p.clone()))
    return numbers(out)


@footgun
def hooks_that_keep_gradients(torch, compile):
    model, kept, seen = torch.nn.Linear(2, 2), {}, []
    torch.nn.init.ones_(model.weight), torch.nn.init.zeros_(model.bias)
    model.register_full_backward_hook(lambda module, inputs, outputs: kept.update(g=outputs[0]))

    @compile
    def f(x):
        z = model(x).sin()
        z.register_hook(lambda g: seen.append(g))
        z.register_hook(lambda g: g * 2)
        return z

    out = []
    for i in range(3):
        (f(torch.ones(2, 2, requires_grad=True)) * (i + 1)).sum().backward()
        out.append((kept["g"], len(seen), seen[-1], model.bias.grad))
    return numbers(out)


@footgun
def hooks_are_objects(torch, compile):
    class Counts:
        calls = 0

        def __call__(self, grad):
            self.calls += 1
            return grad * self.calls

    seen, counts, kept = [], Counts(), []
    w = torch.ones(2, requires_grad=True)

    @compile
    def f(x):
        y = w * x
        y.register_hook(seen.append)
        y.register_hook(counts)
        y.register_hook(functools.partial(kept.insert, 0))
        return y.sum()

    for _ in range(3):
        f(torch.ones(2)).backward()
    return numbers(seen, kept, counts.calls, w.grad)


@footgun
def a_context_keeps_an_object_that_changes(torch, compile):
    scales = {"back": 2.0}

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.scales = scales
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.scales["back"]

    w = torch.ones(2, requires_grad=True)
    f = compile(lambda x: Scaled.apply(w * x).sum())
    for _ in range(3):
        y = f(torch.ones(2))
        scales["back"] += 1
        y.backward()
    return numbers(w.grad)


@footgun
def a_state_has_a_history(torch, compile):
    w = torch.ones(2, requires_grad=True)
    squares = w * w
    f = compile(lambda x: (x * squares).sum())
    for _ in range(3):
        f(torch.ones(2)).backward(retain_graph=True)
    return numbers(w.grad)
