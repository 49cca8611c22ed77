"""What compiled functions of this field are known to get wrong: each a program that returns numbers.

A case is written once and run as it is in PyTorch, as it is in torchlike, and compiled in torchlike: `compile` is the
identity in the first two. What is frozen, forgotten or aliased shows as a number that differs.
"""

import math
import random
import types

import numpy as np

CASES = {}


def footgun(case):
    CASES[case.__name__] = case
    return case


def numbers(*results):
    """Results as flat numbers."""
    found = []
    for x in results:
        found += numbers(*x) if isinstance(x, list | tuple) else np.asarray(x.detach() if hasattr(x, "detach") else x).ravel().tolist()
    return found


# -- Python values -----------------------------------------------------------------------------------------------------


@footgun
def a_closure_s_number_changes(torch, compile):
    scale = 1.0

    @compile
    def f(x):
        return x * scale

    out = [f(torch.ones(2))]
    scale = 3.0
    out.append(f(torch.ones(2)))
    scale = 3
    return numbers(out, f(torch.ones(2)))


GLOBAL = 2.0


@footgun
def a_global_changes(torch, compile):
    global GLOBAL
    GLOBAL = 2.0
    f = compile(lambda x: x + GLOBAL)
    out = [f(torch.ones(2))]
    GLOBAL = 5.0
    return numbers(out, f(torch.ones(2)))


@footgun
def an_attribute_changes(torch, compile):
    class Config:
        def __init__(self):
            self.power = 2

    config = Config()
    f = compile(lambda x: x**config.power)
    out = [f(torch.full((2,), 3.0))]
    config.power = 3
    return numbers(out, f(torch.full((2,), 3.0)))


@footgun
def an_attribute_of_a_class_changes(torch, compile):
    class Config:
        power = 2

    f = compile(lambda x: x**Config.power)
    out = [f(torch.full((2,), 3.0))]
    Config.power = 3
    return numbers(out, f(torch.full((2,), 3.0)))


@footgun
def an_attribute_found_by_name_changes(torch, compile):
    config = types.SimpleNamespace(scale_1=2.0)
    f = compile(lambda x: x * getattr(config, f"scale_{1}"))
    out = [f(torch.ones(2))]
    config.scale_1 = 4.0
    return numbers(out, f(torch.ones(2)))


@footgun
def a_dictionary_s_entry_changes(torch, compile):
    options = {"weight": {"inner": 1.0}}
    f = compile(lambda x: x * options["weight"]["inner"])
    out = [f(torch.ones(2))]
    options["weight"]["inner"] = 7.0
    return numbers(out, f(torch.ones(2)))


@footgun
def a_list_grows(torch, compile):
    factors = [1.0, 2.0]
    f = compile(lambda x: sum(x * k for k in factors))
    out = [f(torch.ones(2))]
    factors.append(4.0)
    return numbers(out, f(torch.ones(2)))


@footgun
def a_set_changes(torch, compile):
    flags = {"a"}
    f = compile(lambda x: x * 2 if "b" in flags else x)
    out = [f(torch.ones(2))]
    flags.add("b")
    return numbers(out, f(torch.ones(2)))


@footgun
def a_number_becomes_a_flag(torch, compile):
    box = types.SimpleNamespace(k=1)
    f = compile(lambda x: x * 2 if box.k is True else x * 3)
    out = [f(torch.ones(2))]
    box.k = True
    return numbers(out, f(torch.ones(2)))


@footgun
def zero_becomes_minus_zero(torch, compile):
    box = types.SimpleNamespace(k=0.0)
    f = compile(lambda x: torch.copysign(x, torch.tensor(box.k)))
    out = [f(torch.ones(2))]
    box.k = -0.0
    return numbers(out, f(torch.ones(2)))


@footgun
def a_function_is_replaced(torch, compile):
    rules = types.SimpleNamespace(activate=lambda x: x * 2)
    f = compile(lambda x: rules.activate(x))
    out = [f(torch.ones(2))]
    rules.activate = lambda x: x * 5
    return numbers(out, f(torch.ones(2)))


@footgun
def a_library_function_is_replaced(torch, compile):
    functional = torch.nn.functional
    kept = functional.relu
    f = compile(lambda x: torch.nn.functional.relu(x))
    out = [f(torch.full((2,), -1.0))]
    functional.relu = lambda x: x * 10
    try:
        return numbers(out, f(torch.full((2,), -1.0)))
    finally:
        functional.relu = kept


@footgun
def a_method_is_replaced_on_the_class(torch, compile):
    class Model(torch.nn.Module):
        def forward(self, x):
            return x * 2

    model = Model()
    f = compile(lambda x: model(x))
    out = [f(torch.ones(2))]
    Model.forward = lambda self, x: x * 9
    return numbers(out, f(torch.ones(2)))


@footgun
def methods_are_shared_across_instances(torch, compile):
    class Scaler:
        def __init__(self, k):
            self.k = k

        @compile
        def __call__(self, x):
            return x * self.k

    a, b = Scaler(2.0), Scaler(3.0)
    return numbers(a(torch.ones(2)), b(torch.ones(2)), a(torch.ones(2)))


@footgun
def a_default_argument_changes(torch, compile):
    def f(x, k=[2.0]):  # noqa: B006 - that it is shared between calls is the point
        return x * k[0]

    compiled = compile(f)
    out = [compiled(torch.ones(2))]
    f.__defaults__[0][0] = 6.0
    out.append(compiled(torch.ones(2)))
    f.__defaults__ = ([8.0],)
    return numbers(out, compiled(torch.ones(2)))


@footgun
def a_counter_in_python(torch, compile):
    box = types.SimpleNamespace(calls=0)

    @compile
    def f(x):
        box.calls += 1
        return x * box.calls

    return numbers([f(torch.ones(2)) for _ in range(8)], box.calls)


@footgun
def a_counter_in_a_closure(torch, compile):
    calls = 0

    @compile
    def f(x):
        nonlocal calls
        calls += 1
        return x + calls

    return numbers([f(torch.ones(2)) for _ in range(8)], calls)


@footgun
def a_list_outside_is_appended_to(torch, compile):
    losses = []

    @compile
    def f(x):
        losses.append((x * 2).sum())
        return x

    for i in range(7):
        f(torch.full((2,), float(i)))
    return numbers(len(losses), losses)


@footgun
def a_tensor_is_kept_outside(torch, compile):
    box = types.SimpleNamespace(hidden=torch.zeros(2))

    @compile
    def f(x):
        box.hidden = box.hidden * 0.5 + x
        return box.hidden.sum()

    return numbers([f(torch.ones(2)) for _ in range(6)], box.hidden)


@footgun
def python_s_randomness(torch, compile):
    random.seed(3)
    f = compile(lambda x: x * random.random())
    return numbers([f(torch.ones(1)) for _ in range(7)])


@footgun
def numpy_s_randomness(torch, compile):
    np.random.seed(3)
    f = compile(lambda x: x * float(np.random.rand()))
    return numbers([f(torch.ones(1)) for _ in range(7)])


@footgun
def a_generator_of_numpy(torch, compile):
    rng = np.random.default_rng(0)
    f = compile(lambda x: x * float(rng.random()))
    return numbers([f(torch.ones(1)) for _ in range(7)])


@footgun
def an_iterator_outside(torch, compile):
    upcoming = iter([1.0, 2.0, 3.0, 4.0, 5.0])
    f = compile(lambda x: x * next(upcoming))
    return numbers([f(torch.ones(1)) for _ in range(5)])


@footgun
def a_numpy_array_changes(torch, compile):
    table = np.array([1.0, 2.0], np.float32)
    f = compile(lambda x: x * torch.tensor(table))
    out = [f(torch.ones(2))]
    table[1] = 10.0
    return numbers(out, f(torch.ones(2)))


@footgun
def a_shared_numpy_array_changes(torch, compile):
    table = np.array([1.0, 2.0], np.float32)
    shared = torch.from_numpy(table)
    f = compile(lambda x: x * shared)
    out = [f(torch.ones(2)), f(torch.ones(2))]
    table[1] = 10.0
    return numbers(out, f(torch.ones(2)))


# -- arguments ---------------------------------------------------------------------------------------------------------


@footgun
def a_python_argument_changes(torch, compile):
    f = compile(lambda x, k, flag: x * k if flag else x + k)
    return numbers([f(torch.ones(2), k, flag) for k in (1, 2, 2.5, True) for flag in (True, False)])


@footgun
def a_keyword_comes_and_goes(torch, compile):
    f = compile(lambda x, scale=1.0, shift=0.0: x * scale + shift)
    one = torch.ones(1)
    return numbers(f(one), f(one, scale=2.0), f(one, shift=2.0), f(one, shift=1.0, scale=3.0), f(one))


@footgun
def the_structure_changes(torch, compile):
    f = compile(lambda parts: sum(parts.values()) if isinstance(parts, dict) else sum(parts))
    one = torch.ones(1)
    return numbers(f([one, one]), f((one, one, one)), f({"a": one}), f({"a": one, "b": one * 4}), f([one]))


@footgun
def the_shape_changes(torch, compile):
    f = compile(lambda x: x.sum() / x.shape[0])
    return numbers([f(torch.ones(n, 3)) for n in (2, 5, 2, 7)])


@footgun
def the_dtype_changes(torch, compile):
    f = compile(lambda x: x / 2)
    return numbers([f(torch.ones(2, dtype=d)) for d in (torch.float32, torch.int64, torch.float64)])


@footgun
def the_strides_change(torch, compile):
    f = compile(lambda x: x.stride()[0] + x.sum())
    x = torch.arange(6.0).reshape(2, 3)
    return numbers(f(x), f(x.t().contiguous().t()), f(x))


@footgun
def arguments_are_aliases(torch, compile):
    @compile
    def f(a, b):
        a.add_(1)
        return a * b

    x, y = torch.ones(2), torch.ones(2)
    return numbers(f(x, y), f(x, x), f(x, y), x, y)


@footgun
def arguments_are_overlapping_views(torch, compile):
    @compile
    def f(a, b):
        a.mul_(2)
        return (a + b).sum()

    x, y = torch.arange(6.0), torch.arange(6.0)
    return numbers(f(x[:3], y[:3]), f(x[:3], x[1:4]), x, y)


@footgun
def an_argument_is_state_too(torch, compile):
    state = torch.ones(2)

    @compile
    def f(x):
        state.add_(1)
        return x * 2

    return numbers(f(torch.ones(2)), f(state), f(torch.ones(2)), f(state), state)


@footgun
def an_argument_is_written_to(torch, compile):
    f = compile(lambda x: x.mul_(3).add_(1))
    x = torch.ones(2)
    first = f(x)
    second = f(x)
    return numbers(first, second, x, first is x)


@footgun
def a_part_of_an_argument_is_written_to(torch, compile):
    @compile
    def f(x):
        x[0] = 7.0
        x[:, 1] += 1
        return x.sum()

    x, y = torch.ones(2, 2), torch.zeros(2, 2)
    return numbers(f(x), f(y), f(x), x, y)


@footgun
def the_result_is_the_argument(torch, compile):
    f = compile(lambda x: x)
    x = torch.ones(2)
    return numbers(f(x) is x, f(x) is x)


@footgun
def the_result_is_a_view_of_the_argument(torch, compile):
    f = compile(lambda x: x[0])
    out = []
    for _ in range(3):
        x = torch.ones(2, 2)
        f(x).add_(5)
        out.append(x)
    return numbers(out)


@footgun
def one_tensor_is_returned_twice(torch, compile):
    def f(x):
        y = x * 2
        return y, y

    f, out = compile(f), []
    for _ in range(3):
        a, b = f(torch.ones(2))
        a.add_(1)
        out += [a, b, float(a is b)]
    return numbers(out)


# -- state -------------------------------------------------------------------------------------------------------------


@footgun
def results_are_not_overwritten(torch, compile):
    f = compile(lambda x: x * 2)
    kept = [f(torch.full((2,), float(i))) for i in range(4)]
    return numbers(kept)


@footgun
def an_earlier_state_is_kept(torch, compile):
    w = torch.zeros(2)

    @compile
    def f(x):
        w.add_(x)
        return w.sum()

    kept = []
    for _ in range(4):
        f(torch.ones(2))
        kept += [w.clone(), w.detach()[0] * 1]
    return numbers(kept)


@footgun
def a_numpy_view_of_state(torch, compile):
    w = torch.zeros(2)
    f = compile(lambda x: w.add_(x).sum())
    out = [f(torch.ones(2))]
    shown = w.numpy()
    out.append(f(torch.ones(2)))
    out.append(shown.copy())
    shown[0] = 50.0
    return numbers(out, f(torch.ones(2)), shown, w)


@footgun
def two_states_begin_as_one(torch, compile):
    start = torch.ones(2)
    a, b = torch.zeros(2), torch.zeros(2)
    a.copy_(start)
    b.copy_(start)

    @compile
    def f(x):
        a.add_(x)
        return (a * b).sum()

    return numbers([f(torch.ones(2)) for _ in range(3)], a, b, start)


@footgun
def a_tensor_is_swapped(torch, compile):
    box = types.SimpleNamespace(w=torch.ones(2))
    f = compile(lambda x: x * box.w)
    out = [f(torch.ones(2))]
    box.w = torch.full((2,), 4.0)
    return numbers(out, f(torch.ones(2)))


@footgun
def an_equal_tensor_is_swapped_and_then_written(torch, compile):
    box = types.SimpleNamespace(w=torch.ones(1))
    f = compile(lambda x: x * box.w)
    out = [f(torch.ones(1))]
    box.w = torch.ones(1)
    out.append(f(torch.ones(1)))
    box.w.fill_(6.0)
    return numbers(out, f(torch.ones(1)))


@footgun
def data_is_swapped(torch, compile):
    w = torch.nn.Parameter(torch.ones(2))
    f = compile(lambda x: (x * w).sum())
    out = [f(torch.ones(2))]
    w.data = torch.full((2,), 5.0)
    out.append(f(torch.ones(2)))
    w.data = torch.ones(2, 2)
    return numbers(out, f(torch.ones(2)))


@footgun
def a_parameter_is_written_to_between_calls(torch, compile):
    model = torch.nn.Linear(2, 1)
    torch.nn.init.ones_(model.weight)
    torch.nn.init.zeros_(model.bias)
    f = compile(model)
    out = [f(torch.ones(1, 2))]
    with torch.no_grad():
        model.weight.mul_(3)
        model.bias[0] = 0.5
    out.append(f(torch.ones(1, 2)))
    model.load_state_dict({"weight": torch.zeros(1, 2), "bias": torch.ones(1)})
    return numbers(out, f(torch.ones(1, 2)))


@footgun
def a_module_is_swapped(torch, compile):
    model = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.ReLU())
    f = compile(model)
    out = [f(torch.full((2,), -1.0))]
    model[0] = torch.nn.Tanh()
    model[1] = torch.nn.Identity()
    return numbers(out, f(torch.full((2,), -1.0)))


@footgun
def training_and_evaluation(torch, compile):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(3), torch.nn.Dropout(0.5))
    f = compile(model)
    x = torch.arange(12.0).reshape(4, 3)
    out = [f(x), f(x)]
    model.eval()
    out.append(f(x))
    model.train()
    model[1].p = 0.0
    return numbers(out, f(x), model[0].running_mean)


@footgun
def a_hook_is_added_later(torch, compile):
    model = torch.nn.Linear(2, 2)
    torch.nn.init.ones_(model.weight)
    torch.nn.init.zeros_(model.bias)
    f = compile(lambda x: model(x))
    out = [f(torch.ones(1, 2))]
    handle = model.register_forward_hook(lambda module, args, result: result * 10)
    out.append(f(torch.ones(1, 2)))
    handle.remove()
    return numbers(out, f(torch.ones(1, 2)))


@footgun
def requires_grad_is_switched(torch, compile):
    w = torch.ones(2, requires_grad=True)
    f = compile(lambda x: (x * w).sum())
    out = [float(f(torch.ones(2)).requires_grad)]
    w.requires_grad_(False)
    out.append(float(f(torch.ones(2)).requires_grad))
    w.requires_grad_(True)
    f(torch.ones(2)).backward()
    return numbers(out, w.grad)


@footgun
def grad_mode_changes(torch, compile):
    w = torch.ones(2, requires_grad=True)
    f = compile(lambda x: (x * w).sum())
    with torch.no_grad():
        out = [float(f(torch.ones(2)).requires_grad)]
    out.append(float(f(torch.ones(2)).requires_grad))
    with torch.inference_mode():
        out.append(float(f(torch.ones(2)).requires_grad))
    return numbers(out)


@footgun
def the_default_dtype_changes(torch, compile):
    f = compile(lambda n: torch.zeros(n) + 1 / 3)
    out = [f(2).double()]
    torch.set_default_dtype(torch.float64)
    try:
        return numbers(out, f(2))
    finally:
        torch.set_default_dtype(torch.float32)


@footgun
def a_mode_is_switched_inside(torch, compile):
    @compile
    def f(x):
        torch.set_default_dtype(torch.float64)
        return torch.zeros(2) + x.sum()

    try:
        return numbers(f(torch.ones(2)).double(), float(torch.zeros(1).dtype is torch.float64))
    finally:
        torch.set_default_dtype(torch.float32)


@footgun
def a_branch_on_an_element(torch, compile):
    f = compile(lambda x: x * 2 if x.sum() > 0 else x - 10)
    return numbers([f(torch.full((2,), s)) for s in (1.0, -1.0, 3.0, -2.0, 5.0)])


@footgun
def an_element_becomes_a_number(torch, compile):
    f = compile(lambda x: x * x[0].item())
    return numbers([f(torch.full((2,), float(i))) for i in range(6)])


@footgun
def a_mask_s_count_differs(torch, compile):
    f = compile(lambda x: x[x > 0].sum() + (x > 0).nonzero().shape[0])
    return numbers([f(torch.tensor(x)) for x in ([1.0, -1.0], [1.0, 1.0], [-1.0, -1.0], [0.5, 2.0])])


@footgun
def an_index_is_an_element(torch, compile):
    f = compile(lambda x, i: x[i] * 2)
    return numbers([f(torch.arange(4.0), torch.tensor(i)) for i in (0, 2, 3, 1, 2)])


# -- training ----------------------------------------------------------------------------------------------------------


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
