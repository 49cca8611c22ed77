"""Methods, functions and objects written in C, and code without a module. Guards can hardly observe their changes."""

import contextlib
import copy
import ctypes
import functools
import io
import itertools
import operator
import pickle
import types

import numpy as np

from tests.compile.cases import footgun, numbers


def _before_and_after(torch, f, change):
    one = torch.ones(2)
    out = [f(one), f(one)]
    change()
    return numbers(out, f(one), f(one))


@footgun
def a_method_of_a_container_is_kept(torch, compile):
    scales, more = {"a": 2.0}, [1.0]
    get, item, size = scales.get, scales.__getitem__, more.__len__

    def change():
        scales["a"] = 3.0
        more.append(1.0)

    return _before_and_after(torch, compile(lambda x: x * get("a") * item("a") * size()), change)


@footgun
def a_method_that_changes_a_container_is_kept(torch, compile):
    seen, left = [], [1.0, 2.0, 3.0, 4.0]
    append, pop = seen.append, left.pop

    @compile
    def f(x):
        append(1)
        return x * pop()

    return numbers([f(torch.ones(2)) for _ in range(4)], seen, len(left))


@footgun
def a_counter_s_method_is_kept(torch, compile):
    number = itertools.count(1).__next__
    f = compile(lambda x: x * number())
    return numbers([f(torch.ones(2)) for _ in range(4)])


@footgun
def attributes_are_got_by_functions_made_outside(torch, compile):
    found = types.SimpleNamespace(a=2.0, b=types.SimpleNamespace(c=3.0), d=5.0, e=7.0, f=11.0)
    get, name = getattr, "d"
    first, inner = operator.attrgetter("a"), operator.attrgetter("b.c")
    fourth, fifth = functools.partial(getattr, found, "e"), found.__getattribute__

    @compile
    def f(x):
        return x * first(found) * inner(found) * get(found, name) * fourth() * fifth("f")

    out = []
    for change in ("a", "d", "e", "f"):
        setattr(found, change, 1.0)
        out.append(f(torch.ones(2)))
    found.b.c = 1.0
    return numbers(out, f(torch.ones(2)))


@footgun
def a_format_reads_an_attribute(torch, compile):
    found = types.SimpleNamespace(scale=2.0)
    f = compile(lambda x: x * float("{0.scale}".format(found)))  # noqa: UP030, UP032
    return _before_and_after(torch, f, lambda: setattr(found, "scale", 3.0))


@footgun
def an_object_seen_as_one_of_its_base(torch, compile):
    class A:
        scale = 2.0

    class B(A):
        scale = 7.0

    seen = super(B, B())
    return _before_and_after(torch, compile(lambda x: x * seen.scale), lambda: setattr(A, "scale", 3.0))


@footgun
def an_attribute_of_an_error_and_of_a_cached_function(torch, compile):
    error, cached = ValueError(), functools.lru_cache(lambda x: x)
    error.scale, cached.scale = 2.0, 3.0

    def change():
        error.scale, cached.scale = 5.0, 7.0

    return _before_and_after(torch, compile(lambda x: x * error.scale * cached.scale), change)


@footgun
def code_has_no_module(torch, compile):
    names = {"scale": 2.0, "calls": 0}
    exec("def f(x):\n global calls\n calls += 1\n return x * scale * calls\ndef g(x): return x * scale", names)
    f, g = compile(names["f"]), compile(names["g"])
    return _before_and_after(torch, lambda x: f(x) + g(x), lambda: names.update(scale=3.0))


@footgun
def a_value_of_ctypes(torch, compile):
    read, written = ctypes.c_int(2), (ctypes.c_float * 2)(1, 2)

    @compile
    def f(x):
        written[1] += 1
        return x * read.value * written[1]

    return _before_and_after(torch, f, lambda: setattr(read, "value", 3)) + numbers(list(written))


@footgun
def objects_of_c_are_gone_through(torch, compile):
    def first(x, rest):
        for y in rest:
            return x * float(y)
        return x * 0

    out = []
    for rest in (io.StringIO("1\n2\n3\n"), np.arange(1.0, 4.0).flat, np.nditer(np.arange(1.0, 4.0))):
        f = compile(lambda x, rest=rest: first(x, rest))
        out += [f(torch.ones(2)) for _ in range(3)]
    return numbers(out)


@footgun
def a_source_of_random_bits(torch, compile):
    bits, seeds = np.random.PCG64(0), np.random.SeedSequence(0)
    f = compile(lambda x: x * float(bits.random_raw() % 1000))
    g = compile(lambda x: x * float(seeds.spawn(1)[0].generate_state(1)[0] % 1000))
    return numbers([h(torch.ones(2)) for h in (f, g) for _ in range(3)])


@footgun
def a_function_that_prints_is_passed_on(torch, compile):
    shown = io.StringIO()
    f = compile(lambda x: x * len(list(map(print, (1, 2)))))
    with contextlib.redirect_stdout(shown):
        out = [f(torch.ones(2)) for _ in range(3)]
    return numbers(out, shown.getvalue().count("1"))


@footgun
def a_container_s_class_hides_what_it_holds(torch, compile):
    class Parts(list):
        def __iter__(self):
            return iter(())

    class Scales(dict):
        def values(self):
            return ()

    parts, scales = Parts([2.0]), Scales(a=2.0)

    def change():
        parts[0] = 3.0
        scales["a"] = 5.0

    return _before_and_after(torch, compile(lambda x: x * parts[0] * scales["a"]), change)


@footgun
def a_compiled_method_is_a_method(torch, compile):
    class A:
        scale = 2.0

        @compile
        def run(self, x):
            return x * self.scale

    a = A()
    same = a.run == a.run and len({a.run, a.run}) == 1 and a.run.__self__ is a and a.run.__name__ == "run"
    return numbers(float(same), a.run(torch.ones(2)), A.run(a, torch.ones(2)))


def _half(x):
    return x / 2


@footgun
def a_compiled_function_is_copied(torch, compile):
    f = compile(_half)
    holder = copy.deepcopy(types.SimpleNamespace(f=f))
    same = holder.f is f and copy.copy(f) is f
    globals()["_half"] = f
    try:
        same &= pickle.loads(pickle.dumps(f)) is f
    finally:
        globals()["_half"] = f.__wrapped__ if hasattr(f, "__wrapped__") else f
    return numbers(float(same), holder.f(torch.ones(2)))
