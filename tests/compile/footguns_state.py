"""Tensors and modules that a compiled function reads and writes."""

import types

from tests.compile.cases import footgun, numbers


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
def the_precision_of_products_is_set_inside(torch, compile):
    @compile
    def f(x, how):
        torch.set_float32_matmul_precision(how)
        return x @ x

    named, found = {"highest": 0, "high": 1}, []
    try:
        for how in ("high", "highest", "high", "highest"):
            torch.set_float32_matmul_precision("highest")
            found += [f(torch.ones(2, 2), how), named[torch.get_float32_matmul_precision()]]
        return numbers(found)
    finally:
        torch.set_float32_matmul_precision("highest")


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


@footgun
def a_state_is_resized(torch, compile):
    w = torch.ones(2)
    f = compile(lambda x: (x * w).sum())
    out = [f(torch.ones(1)), f(torch.ones(1))]
    w.resize_(3).fill_(2.0)
    return numbers(out, f(torch.ones(1)))


@footgun
def a_view_kept_outside_shows_what_was_written(torch, compile):
    table = torch.zeros(2, 2)
    row, other = table[0], table[:, 1]

    @compile
    def f(x):
        before = row.sum() + other.sum() * 10
        table.add_(x)
        return before, row.sum() + 0, other.clone()

    return numbers([f(torch.ones(2)) for _ in range(4)], row, table)


@footgun
def results_in_inference_mode(torch, compile):
    f = compile(lambda x: x * 2)
    out = []
    for _ in range(3):
        with torch.inference_mode():
            y = f(torch.ones(2))
        out += [y.clone(), float(y.is_inference())]
        out.append(float(f(torch.ones(2)).is_inference()))
    return numbers(out)


@footgun
def the_learning_rate_is_read_after_the_step(torch, compile):
    w = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([w], lr=0.5, momentum=0.5)

    @compile
    def step(x):
        optimizer.zero_grad()
        (x * w).sum().backward()
        optimizer.step()
        return x + float(optimizer.param_groups[0]["lr"])

    out = [step(torch.ones(2)) for _ in range(3)]
    optimizer.param_groups[0]["lr"] = 0.25
    return numbers(out, step(torch.ones(2)), w)


@footgun
def keys_of_a_dictionary_are_tensors(torch, compile):
    a, b = torch.ones(2), torch.zeros(2)
    table = {a: 2.0, b: 3.0}

    @compile
    def f(x):
        y = x * 3
        a.add_(y)
        return y * table[a] + table[b]

    return numbers([f(torch.ones(2)) for _ in range(3)], a)


@footgun
def settings_of_the_process_are_asked_for(torch, compile):
    f = compile(lambda x: x * (2.0 if torch.are_deterministic_algorithms_enabled() else 3.0))
    g = compile(lambda x: x * (2.0 if torch.backends.cudnn.benchmark else 3.0))
    h = compile(lambda x: x * (2.0 if torch.initial_seed() == 5 else 3.0))
    x, out = torch.ones(2), []
    for on in (False, False, True, False):
        torch.use_deterministic_algorithms(on)
        torch.manual_seed(5 if on else 0)
        with torch.backends.cudnn.flags(benchmark=on):  # PyTorch's own tests forbid setting it permanently
            out += [f(x), g(x), h(x)]
    return numbers(out)


@footgun
def a_setting_of_the_process_is_changed_inside(torch, compile):
    @compile
    def f(x):
        torch.use_deterministic_algorithms(True)
        return x * 2

    x, out = torch.ones(2), [torch.zeros(())]
    for on in (True, True, True, False):
        torch.use_deterministic_algorithms(on)
        f(x)
        out.append(torch.are_deterministic_algorithms_enabled())
    torch.use_deterministic_algorithms(False)
    return numbers(out)


@footgun
def examples_are_mapped_over_a_compiled_function(torch, compile):
    f = compile(lambda x: x.sin())
    x = torch.arange(6.0).reshape(2, 3)
    return numbers(f(x[0]), f(x[0]), torch.vmap(f)(x), torch.vmap(f)(x), torch.func.jacfwd(f)(x[0]), f(x[0]))


@footgun
def the_dtype_of_mixed_precision_changes(torch, compile):
    def mixed(x):
        with torch.autocast("cpu"):
            return x @ x

    f, g = compile(mixed), compile(lambda x: x.to(torch.get_autocast_dtype("cpu")))
    x, usual, out = torch.full((2, 2), 1 + 2**-9), torch.get_autocast_dtype("cpu"), []
    for dtype in (usual, usual, torch.float16, usual):
        torch.set_autocast_dtype("cpu", dtype)
        out += [f(x).float(), g(x).float(), f(x).dtype == dtype]
    return numbers(out)


@footgun
def parametrized_weights_are_cached(torch, compile):
    from importlib import import_module

    parametrize = import_module(f"{torch.__name__}.nn.utils.parametrize")

    class Squared(torch.nn.Module):
        def forward(self, w):
            return w * w

    layer = torch.nn.Linear(2, 1)
    torch.nn.init.ones_(layer.weight), torch.nn.init.zeros_(layer.bias)
    parametrize.register_parametrization(layer, "weight", Squared())
    f, x, out = compile(lambda x: layer(x)), torch.ones(1, 2), []
    for is_cached in (False, False, True, False):
        with parametrize.cached() if is_cached else torch.no_grad():
            for _ in range(2):
                out.append(f(x))
                layer.parametrizations.weight.original.data.mul_(2)
    return numbers(out)
