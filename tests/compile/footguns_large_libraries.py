"""What functions of large libraries use: names computed at run time, context variables, registries, generators."""

import contextlib
import contextvars
import sys
import types
from collections import OrderedDict, UserDict, UserList

from tests.compile.cases import footgun, numbers


def _looked(x, name):
    return getattr(x, name)


def _in_parts(name):
    return "".join([*name])


def _training(torch, compile, rate):
    """Train for five calls with a learning rate that changes between them. `rate` reads it by a computed name."""
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1)
    holder = types.SimpleNamespace(optimizer=torch.optim.Adam(model.parameters(), lr=0.1))
    name = _in_parts("param_") + _in_parts("groups")

    @compile
    def step(x):
        loss = model(x).sum() * rate(holder, name)
        holder.optimizer.zero_grad()
        loss.backward()
        holder.optimizer.step()
        return loss.detach()

    out = []
    for i in range(5):
        holder.optimizer.param_groups[0]["lr"] = 0.1 * (1 + i // 2)
        out.append(step(torch.ones(1, 2)))
    return numbers(out, model.weight.detach())


@footgun
def an_optimizer_is_read_by_a_computed_name(torch, compile):
    return _training(torch, compile, lambda holder, name: getattr(holder.optimizer, name)[0]["lr"])


@footgun
def an_optimizer_is_passed_to_code_that_computes_names(torch, compile):
    return _training(torch, compile, lambda holder, name: _looked(holder.optimizer, name)[0]["lr"])


@footgun
def an_optimizer_s_attributes_are_listed(torch, compile):
    return _training(torch, compile, lambda holder, name: vars(holder.optimizer)[name][0]["lr"])


@footgun
def an_optimizer_is_read_under_another_name(torch, compile):
    def rate(holder, name):
        same = vars(holder)[_in_parts("optimizer")]
        return getattr(same, name)[0]["lr"]

    return _training(torch, compile, rate)


@footgun
def an_optimizer_is_returned_to_code_that_computes_names(torch, compile):
    def rate(holder, name):
        pick = lambda: holder.optimizer
        return _of_a_result(pick, name)[0]["lr"]

    return _training(torch, compile, rate)


def _of_a_result(pick, name):
    return getattr(pick(), name)


@footgun
def another_object_is_read_by_a_computed_name(torch, compile):
    found, name = types.SimpleNamespace(scale=2.0), ["scale"]

    def rate(holder, _):
        return getattr(found, name[0])

    out = _training(torch, compile, rate)
    found.scale = 3.0
    return out + _training(torch, compile, rate)


@footgun
def a_module_is_reached_by_computed_names(torch, compile):
    outer, inner = types.ModuleType("made_outer"), types.ModuleType("made_inner")
    outer.inner, inner.scale, inner.table = inner, 2.0, {"k": 3.0}
    names = ["inner", "scale", "table"]

    @compile
    def f(x):
        within = getattr(outer, names[0])
        return x * getattr(within, names[1]) * getattr(within, names[2])["k"]

    out = [f(torch.ones(2)), f(torch.ones(2))]
    inner.scale = 5.0
    out += [f(torch.ones(2)), f(torch.ones(2))]
    inner.table["k"] = 7.0
    out += [f(torch.ones(2)), f(torch.ones(2))]
    inner.other, names[1] = 11.0, "other"
    out += [f(torch.ones(2)), f(torch.ones(2))]
    outer.inner = types.SimpleNamespace(other=1.0, table={"k": 2.0})
    return numbers(out, f(torch.ones(2)))


@footgun
def a_class_of_a_module_reached_by_computed_names(torch, compile):
    outer, inner = types.ModuleType("made_outer"), types.ModuleType("made_inner")
    exec("class Found:\n    scale = 2.0\n    table = {'k': 3.0}", vars(inner))
    outer.inner, names = inner, ["inner", "Fo" + "und", "sca" + "le", "tab" + "le"]

    @compile
    def f(x):
        found = getattr(getattr(outer, names[0]), names[1])
        return x * getattr(found, names[2]) * getattr(found, names[3])["k"]

    out = [f(torch.ones(2)), f(torch.ones(2))]
    inner.Found.scale = 5.0
    out += [f(torch.ones(2)), f(torch.ones(2))]
    inner.Found.table["k"] = 7.0
    return numbers(out, f(torch.ones(2)))


@footgun
def a_function_of_a_module_reached_by_computed_names(torch, compile):
    outer, inner = types.ModuleType("made_outer"), types.ModuleType("made_inner")
    outer.inner, names = inner, ["inner", "scale", {"k": 2.0}]
    inner.kept = names[2]
    exec("def scale(): return kept['k']", vars(inner))
    f = compile(lambda x: x * getattr(getattr(outer, names[0]), names[1])())
    out = [f(torch.ones(2)), f(torch.ones(2))]
    inner.kept["k"] = 3.0
    out += [f(torch.ones(2)), f(torch.ones(2))]
    inner.kept = {"k": 4.0}
    return numbers(out, f(torch.ones(2)), "made_inner" in sys.modules)


@footgun
def a_context_variable_of_a_library(torch, compile):
    scale = contextvars.ContextVar("scale", default=None)
    kept = {"k": 5.0}
    f = compile(lambda x: x * (2.0 if scale.get() is None else scale.get()["k"]))
    out = [f(torch.ones(2)), f(torch.ones(2))]
    token = scale.set(kept)
    out += [f(torch.ones(2)), f(torch.ones(2))]
    kept["k"] = 7.0
    out += [f(torch.ones(2)), contextvars.copy_context().run(f, torch.ones(2))]
    scale.reset(token)
    return numbers(out, f(torch.ones(2)))


@footgun
def a_context_variable_is_set(torch, compile):
    count = contextvars.ContextVar("count", default=1.0)

    @compile
    def f(x):
        count.set(count.get() + 1)
        return x * count.get()

    return numbers([f(torch.ones(2)) for _ in range(6)], count.get())


@footgun
def a_context_variable_is_set_and_reset(torch, compile):
    scale = contextvars.ContextVar("scale", default=1.0)

    @compile
    def f(x):
        token = scale.set(scale.get() + 1)
        try:
            return x * scale.get()
        finally:
            scale.reset(token)

    out = [f(torch.ones(2)), f(torch.ones(2))]
    scale.set(4.0)
    return numbers(out, f(torch.ones(2)), f(torch.ones(2)))


@footgun
def a_generator_is_begun(torch, compile):
    def count():
        yield from (2.0, 3.0, 5.0, 7.0, 11.0, 13.0)

    fresh, begun = count(), count()
    next(begun)

    @compile
    def f(x, given):
        for scale in given[0]:
            return x * scale
        return x

    # The generators are in a list that the call can reach, but does not change.
    return numbers([f(torch.ones(2), each) for each in ([fresh], [begun]) for _ in range(3)])


@footgun
def a_context_manager_decorates(torch, compile):
    kept = {"k": 2.0}

    @contextlib.contextmanager
    def managed():
        kept["j"] = kept["k"]
        yield
        del kept["j"]

    @managed()
    def scaled(x):
        return x * kept["j"]

    f = compile(lambda x: scaled(x))
    out = [f(torch.ones(2)), f(torch.ones(2))]
    kept["k"] = 3.0
    return numbers(out, f(torch.ones(2)))


@footgun
def a_registry_overrides_get(torch, compile):
    class Registry(dict):
        def __setitem__(self, key, value):
            super().__setitem__(str(key), value)

        def get(self, key):
            return super().get(str(key)) or 1.0

    registry = Registry()
    f = compile(lambda x: x * registry.get(3))
    out = [f(torch.ones(2)), f(torch.ones(2))]
    registry[3] = 5.0
    out += [f(torch.ones(2)), f(torch.ones(2))]
    Registry.get = lambda self, key: 7.0
    return numbers(out, f(torch.ones(2)))


@footgun
def containers_of_python_keep_their_data(torch, compile):
    class Scales(UserDict):
        def first(self):
            return self["a"]

    class Parts(UserList):
        pass

    scales, parts, order = Scales(a=2.0), Parts([3.0]), OrderedDict(a=1.0, b=2.0)
    f = compile(lambda x: x * scales.first() * parts[0] * sum(order[k] * 2**i for i, k in enumerate(order)))
    out = [f(torch.ones(2)), f(torch.ones(2))]
    scales["a"] = 5.0
    out.append(f(torch.ones(2)))
    parts.insert(0, 7.0)
    out.append(f(torch.ones(2)))
    order.move_to_end("a")
    return numbers(out, f(torch.ones(2)))
