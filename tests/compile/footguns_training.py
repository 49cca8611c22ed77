"""Training steps: optimizers, schedulers, gradients, random numbers."""

import math
import types

from tests.compile.cases import footgun, numbers


def _train(torch, compile, change, optimizer=None, steps=6, zero_first=True):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))
    opt = (optimizer or (lambda p: torch.optim.Adam(p, lr=1e-2)))(model.parameters())

    @compile
    def step(x):
        if zero_first:
            opt.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        return loss

    out = []
    for i in range(steps):
        change(i, model, opt)
        out.append(step(torch.linspace(-1, 1, 12).reshape(3, 4)))
    return numbers(out, *model.parameters())


@footgun
def the_learning_rate_changes(torch, compile):
    def change(i, model, opt):
        opt.param_groups[0]["lr"] = 1e-2 / (i + 1)

    return _train(torch, compile, change)


@footgun
def weight_decay_is_switched_on(torch, compile):
    def change(i, model, opt):
        opt.param_groups[0]["weight_decay"] = 0.1 if i > 2 else 0

    return _train(torch, compile, change)


@footgun
def a_parameter_group_is_added(torch, compile):
    def change(i, model, opt):
        if i == 3:
            opt.add_param_group({"params": [torch.nn.Parameter(torch.ones(1))], "lr": 1.0})

    return _train(torch, compile, change)


@footgun
def a_parameter_is_frozen(torch, compile):
    def change(i, model, opt):
        model[0].weight.requires_grad_(i < 2 or i > 3)

    return _train(torch, compile, change)


@footgun
def the_optimizer_s_state_is_loaded(torch, compile):
    saved = {}

    def change(i, model, opt):
        if i == 2:
            saved.update(opt=opt.state_dict()["state"][0]["exp_avg"].clone())
        if i == 4:
            state = opt.state_dict()
            state["state"][0]["exp_avg"] = saved["opt"]
            state["state"][0]["step"] = torch.tensor(9.0)
            opt.load_state_dict(state)

    return _train(torch, compile, change)


@footgun
def momentum_s_first_step_is_its_own(torch, compile):
    return _train(torch, compile, lambda *_: None, lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, dampening=0.5))


@footgun
def gradients_accumulate_over_calls(torch, compile):
    def change(i, model, opt):
        if i % 2 == 0:
            opt.zero_grad()

    return _train(torch, compile, change, zero_first=False)


@footgun
def gradients_are_changed_between_calls(torch, compile):
    def change(i, model, opt):
        for p in model.parameters():
            if p.grad is not None:
                p.grad.mul_(0.5)

    return _train(torch, compile, change, zero_first=False)


@footgun
def the_seed_is_set_between_calls(torch, compile):
    return _train(torch, compile, lambda i, *_: torch.manual_seed(i % 2))


@footgun
def the_seed_is_set_inside(torch, compile):
    @compile
    def f(x):
        torch.manual_seed(4)
        return x + torch.rand(2)

    out = [f(torch.zeros(2)) for _ in range(3)]
    return numbers(out, torch.rand(2))


@footgun
def random_numbers_go_on(torch, compile):
    torch.manual_seed(1)
    f = compile(lambda x: torch.nn.functional.dropout(x, 0.5) + torch.randn(4) + torch.rand_like(x))
    out = [f(torch.ones(4)) for _ in range(3)]
    return numbers(out, torch.rand(2))


@footgun
def a_scheduler_steps_inside(torch, compile):
    w = torch.ones(2, requires_grad=True)
    opt = torch.optim.SGD([w], lr=1.0)
    scheduler = torch.optim.lr_scheduler.LambdaLR(opt, lambda i: 1 / (i + 1))

    @compile
    def step():
        w.square().sum().backward()
        opt.step()
        scheduler.step()
        opt.zero_grad()
        return w.sum() * 1

    return numbers([step() for _ in range(5)], scheduler.last_epoch, scheduler.get_last_lr())


@footgun
def the_learning_rate_is_set_inside(torch, compile):
    w = torch.ones(2, requires_grad=True)
    opt = torch.optim.SGD([w], lr=0.5)

    @compile
    def step():
        for group in opt.param_groups:
            group["lr"] *= 0.5
        w.square().sum().backward()
        opt.step()
        opt.zero_grad()
        return w.sum() * 1

    return numbers([step() for _ in range(7)])


@footgun
def the_rate_is_reported_inside(torch, compile):
    w = torch.ones(2, requires_grad=True)
    opt = torch.optim.SGD([w], lr=0.5)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(opt, 0.5)

    @compile
    def step():
        w.square().sum().backward()
        opt.step()
        scheduler.step()
        opt.zero_grad()
        return w.sum() * 1, scheduler.get_last_lr()[0]

    return numbers([step() for _ in range(7)])


@footgun
def an_average_whose_decay_changes(torch, compile):
    w, average = torch.ones(2, requires_grad=True), torch.ones(2)
    opt = torch.optim.SGD([w], lr=0.1)
    box = types.SimpleNamespace(decay=0.0)

    @compile
    def step():
        w.square().sum().backward()
        opt.step()
        opt.zero_grad()
        with torch.no_grad():
            average.mul_(box.decay).add_(w, alpha=1 - box.decay)
        return average.sum()

    out = []
    for i in range(6):
        box.decay = 1 - 1 / (i + 1)
        out.append(step())
    return numbers(out, average, w)


@footgun
def a_loss_scale_overflows(torch, compile):
    w = torch.ones(2, requires_grad=True)
    opt = torch.optim.SGD([w], lr=0.1)
    box = types.SimpleNamespace(scale=4.0)

    @compile
    def step(x):
        opt.zero_grad()
        ((w * x).sum() * box.scale).backward()
        if torch.isfinite(w.grad).all():
            w.grad.div_(box.scale)
            opt.step()
        else:
            box.scale /= 2
        return w.sum() * 1

    return numbers([step(torch.full((2,), x)) for x in (1.0, math.inf, 2.0, 1.0, math.inf, 3.0)], box.scale)


@footgun
def a_gradient_is_looked_at_after_the_call(torch, compile):
    w = torch.ones(2, requires_grad=True)

    @compile
    def step(x):
        w.grad = None
        (w * x).square().sum().backward()

    out = []
    for i in range(3):
        step(torch.full((2,), float(i + 1)))
        out.append(w.grad)
    return numbers(out)


@footgun
def compiled_calls_call_compiled_calls(torch, compile):
    box = types.SimpleNamespace(k=2.0)
    inner = compile(lambda x: x * box.k)
    outer = compile(lambda x: inner(x) + inner(x * 2))
    out = [outer(torch.ones(2)), inner(torch.ones(2))]
    box.k = 3.0
    return numbers(out, outer(torch.ones(2)), inner(torch.ones(2)))


@footgun
def an_error_leaves_things_as_they_were(torch, compile):
    w = torch.zeros(2)

    @compile
    def f(x, fail):
        w.add_(x)
        if fail:
            raise KeyError("on purpose")
        return w.sum()

    out = []
    for i in range(6):
        try:
            out.append(f(torch.ones(2), i % 2 == 1))
        except KeyError:
            out.append(w.clone())
    return numbers(out, w)


@footgun
def a_recording_goes_on_after_many_others(torch, compile):
    box = types.SimpleNamespace(k=0)
    f = compile(lambda x: x * (box.k + 1))
    out = []
    for i in [*range(12), 0, 1, 2]:
        box.k = i
        out.append(f(torch.ones(1)))
    return numbers(out)


@footgun
def a_condition_inside(torch, compile):
    w = torch.full((2,), 2.0, requires_grad=True)
    opt = torch.optim.SGD([w], lr=0.1)

    @compile
    def step(x):
        loss = torch.cond(x.sum() > 0, lambda x: (w * x).sum(), lambda x: (w * w * x).sum(), (x,))
        loss.backward()
        opt.step()
        opt.zero_grad()
        return loss

    return numbers([step(torch.full((2,), s)) for s in (1.0, -1.0, 2.0, -2.0)], w)


@footgun
def a_version_is_read(torch, compile):
    w = torch.zeros(2)

    @compile
    def f(x):
        w.add_(x)
        return w * w._version

    return numbers([f(torch.ones(2)) for _ in range(6)])


@footgun
def two_networks_against_each_other(torch, compile):
    torch.manual_seed(0)
    maker, judge = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    first, second = (torch.optim.Adam(m.parameters(), lr=0.05) for m in (maker, judge))

    @compile
    def step(real):
        fake = maker(torch.randn(4, 2))
        second.zero_grad()
        loss = judge(fake.detach()).mean() - judge(real).mean()
        loss.backward()
        second.step()
        first.zero_grad()
        other = -judge(fake).mean()
        other.backward()
        first.step()
        return loss, other

    out = [step(torch.ones(4, 3)) for _ in range(5)]
    return numbers(out, *maker.parameters(), *judge.parameters(), *[p.grad for p in judge.parameters()])


def _groups_that_change(torch, compile, change, with_step):
    w, v = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([{"params": [w]}, {"params": [v]}], lr=0.1)

    @compile
    def step():
        optimizer.zero_grad()
        (w.sum() * v.sum()).backward()
        if with_step:
            optimizer.step()

    out = []
    for i in range(6):
        if i == 3:
            change(optimizer)
        step()
        out += [t.clone() for t in (w.detach(), v.detach(), w.grad, v.grad)]
    return numbers(out)


@footgun
def a_parameter_is_dropped(torch, compile):
    drop = lambda optimizer: optimizer.param_groups[0]["params"].pop()
    return [x for with_step in (True, False) for x in _groups_that_change(torch, compile, drop, with_step)]


@footgun
def a_group_is_dropped(torch, compile):
    return _groups_that_change(torch, compile, lambda optimizer: optimizer.param_groups.pop(), False)


@footgun
def a_group_that_is_dropped_comes_back(torch, compile):
    def change(optimizer):
        optimizer.param_groups.append(dict(optimizer.param_groups.pop(), lr=0.5))

    return _groups_that_change(torch, compile, change, True)


@footgun
def a_step_is_replaced_on_the_optimizer(torch, compile):
    w = torch.nn.Parameter(torch.ones(2))
    optimizer, calls, out = torch.optim.SGD([w], lr=0.1), [], []
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)

    @compile
    def step(x):
        optimizer.zero_grad()
        (w * x).sum().backward()
        optimizer.step()
        scheduler.step()

    for i in range(10):
        step(torch.ones(2))
        out += [w.detach().clone(), len(calls), optimizer.param_groups[0]["lr"]]
        if i == 3:
            optimizer.step = lambda before=optimizer.step: (calls.append(1), before())
        if i == 5:
            scheduler.step = lambda: None
        if i == 7:
            optimizer.zero_grad = lambda: None
    return numbers(out)


@footgun
def the_rate_is_computed_inside(torch, compile):
    w = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([w], lr=0.1)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)

    @compile
    def step(x):
        optimizer.zero_grad()
        (w * x).sum().backward()
        optimizer.step()
        scheduler.step()
        return w.detach() * scheduler.get_last_lr()[0]

    return numbers([step(torch.ones(2)) for _ in range(5)])
