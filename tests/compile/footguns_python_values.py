"""Python values that a compiled function reads."""

import random
import types

import numpy as np

from tests.compile.cases import footgun, numbers


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
    def f(x, k=[2.0]):  # noqa: B006 - the default is shared between calls on purpose
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


@footgun
def a_number_lies_in_shared_memory(torch, compile):
    memory, place = np.array(2.0, np.float32), np.array(1)
    k, i, table = torch.from_numpy(memory), torch.from_numpy(place), torch.arange(5.0)
    functions = [
        compile(f)
        for f in (
            lambda x: x * float(k),
            lambda x: x * sum(k.reshape(1).tolist()),
            lambda x: x * float(k.numpy()),
            lambda x: x * 2 if k > 3 else x,
            lambda x: x * table[int(i)],
            lambda x: x * table[i],
            lambda x: x.repeat(int(i)),
            lambda x: torch.add(x, x, alpha=k),
            lambda x: x.masked_fill(x > 0, k),
        )
    ]
    out = []
    for n in range(4):
        memory[...], place[...] = n + 1.5, n
        out.append([f(torch.ones(2)) for f in functions])
    return numbers(out)


@footgun
def an_attribute_comes_to_hide_that_of_its_class(torch, compile):
    class Base:
        power = 2
        shift = 0.0

    class Config(Base):
        pass

    config = Config()
    f = compile(lambda x: x**config.power + config.shift)
    out = [f(torch.full((2,), 3.0))]
    config.power = 3
    out.append(f(torch.full((2,), 3.0)))
    Config.shift = 10.0
    return numbers(out, f(torch.full((2,), 3.0)))


@footgun
def an_attribute_appears(torch, compile):
    class Config:
        pass

    config = Config()
    f = compile(lambda x: x * 5 if hasattr(config, "flag") else x)
    out = [f(torch.ones(2))]
    config.flag = True
    return numbers(out, f(torch.ones(2)))


@footgun
def a_global_comes_to_hide_a_builtin(torch, compile):
    f = compile(lambda x: x * max(1.0, 2.0))
    out = [f(torch.ones(2))]
    globals()["max"] = lambda *_: 7.0
    try:
        return numbers(out, f(torch.ones(2)))
    finally:
        del globals()["max"]


@footgun
def a_dictionary_shown_read_only_changes(torch, compile):
    options = {"scale": 2.0}
    shown = types.MappingProxyType(options)
    f = compile(lambda x: x * shown["scale"])
    out = [f(torch.ones(2))]
    options["scale"] = 9.0
    return numbers(out, f(torch.ones(2)))


SLOPE = 2.0


@footgun
def a_global_read_in_backward_changes(torch, compile):
    global SLOPE
    SLOPE = 2.0

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad * SLOPE

    w = torch.ones(2, requires_grad=True)
    extra = types.SimpleNamespace(shift=1.0)

    @compile
    def f(x):
        y = Scaled.apply(w * x)
        y.register_hook(lambda grad: grad + extra.shift)
        return y.sum()

    out = []
    for slope, shift in ((2.0, 1.0), (2.0, 1.0), (5.0, 1.0), (5.0, 4.0)):
        SLOPE, extra.shift = slope, shift
        f(torch.ones(2)).backward()
        out.append(w.grad)
        w.grad = None
    return numbers(out)


@footgun
def keyword_defaults_are_replaced(torch, compile):
    def f(x, *, k=2.0):
        return x * k

    compiled = compile(f)
    out = [compiled(torch.ones(2))]
    f.__kwdefaults__ = {"k": 8.0}
    return numbers(out, compiled(torch.ones(2)))
