"""Process state that a compiled function reads: environment, clocks, modules, memory, iterators."""

import array
import contextvars
import datetime
import itertools
import os
import sys
import time
import types
import uuid

from tests.compile.cases import footgun, numbers


@footgun
def settings_of_the_library(torch, compile):
    cudnn, mha = torch.backends.cudnn, torch.backends.mha
    f = compile(lambda x: x + torch.are_deterministic_algorithms_enabled())
    g = compile(lambda x: x + torch.initial_seed() % 100)
    h = compile(lambda x: x + torch.backends.cudnn.benchmark + torch.backends.mha.get_fastpath_enabled() * 2)
    out = []
    try:
        for seed in range(3):
            torch.manual_seed(seed)
            torch.use_deterministic_algorithms(seed % 2 == 0)
            mha.set_fastpath_enabled(seed == 1)
            with cudnn.flags(benchmark=seed % 2 == 0):  # PyTorch's own tests forbid setting it permanently
                out += [each(torch.ones(2)) for each in (f, g, h, f)]
    finally:
        torch.use_deterministic_algorithms(False)
        mha.set_fastpath_enabled(True)
    return numbers(out)


@footgun
def an_array_changes(torch, compile):
    table = array.array("d", [1.0, 2.0])
    f = compile(lambda x: x * table[1])
    out = [f(torch.ones(2))]
    table[1] = 5.0
    out.append(f(torch.ones(2)))
    g = compile(lambda x: x * len(table))
    out.append(g(torch.ones(2)))
    table.append(3.0)
    return numbers(out, g(torch.ones(2)))


@footgun
def an_array_is_written(torch, compile):
    table = array.array("d", [1.0, 2.0])

    @compile
    def f(x):
        table[0] += 1.0
        return x * table[0]

    return numbers([f(torch.ones(2)) for _ in range(6)], list(table))


@footgun
def bytes_change(torch, compile):
    table = bytearray([1, 2, 3])
    f = compile(lambda x: x * table[1])
    out = [f(torch.ones(2))]
    table[1] = 5
    out.append(f(torch.ones(2)))
    table.append(5)
    return numbers(out, f(torch.ones(2)))


@footgun
def bytes_are_written(torch, compile):
    table = bytearray([1, 2, 3])

    @compile
    def f(x):
        table[0] += 1
        return x * table[0]

    return numbers([f(torch.ones(2)) for _ in range(6)], list(table))


@footgun
def a_memoryview_changes(torch, compile):
    table = bytearray([1, 2, 3])
    view = memoryview(table)
    f = compile(lambda x: x * view[1])
    out = [f(torch.ones(2))]
    table[1] = 5
    out.append(f(torch.ones(2)))
    view[1] = 6
    return numbers(out, f(torch.ones(2)))


@footgun
def a_memoryview_of_an_array_is_written(torch, compile):
    table = array.array("i", [1, 2, 3])
    view = memoryview(table)[1:]

    @compile
    def f(x):
        view[0] += 1
        return x * table[1]

    return numbers([f(torch.ones(2)) for _ in range(6)], list(table))


@footgun
def a_module_is_replaced(torch, compile):
    name = "a_module_made_for_a_footgun"
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].k = 2.0
    try:

        @compile
        def f(x):
            import a_module_made_for_a_footgun as it

            return x * it.k

        out = [f(torch.ones(2)), f(torch.ones(2))]
        sys.modules[name].k = 3.0
        out.append(f(torch.ones(2)))
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].k = 4.0
        return numbers(out, f(torch.ones(2)))
    finally:
        del sys.modules[name]


@footgun
def the_table_of_modules_is_asked(torch, compile):
    name = "a_module_made_for_a_footgun"
    f = compile(lambda x: x * (2.0 if name in sys.modules else 3.0))
    out = [f(torch.ones(2))]
    sys.modules[name] = types.ModuleType(name)
    try:
        out.append(f(torch.ones(2)))
    finally:
        del sys.modules[name]
    return numbers(out, f(torch.ones(2)))


@footgun
def the_environment_changes(torch, compile):
    os.environ["A_FOOTGUN"] = "2"
    try:
        f = compile(lambda x: x * float(os.environ["A_FOOTGUN"]))
        g = compile(lambda x: x * float(os.environ.get("A_FOOTGUN", "0")))
        h = compile(lambda x: x * float(os.getenv("A_FOOTGUN", "0")))
        out = [f(torch.ones(2)), g(torch.ones(2)), h(torch.ones(2))]
        os.environ["A_FOOTGUN"] = "3"
        return numbers(out, f(torch.ones(2)), g(torch.ones(2)), h(torch.ones(2)))
    finally:
        del os.environ["A_FOOTGUN"]


@footgun
def the_environment_is_changed(torch, compile):
    os.environ["A_FOOTGUN"] = "2"
    try:

        @compile
        def f(x):
            os.environ["A_FOOTGUN"] = str(int(os.environ["A_FOOTGUN"]) + 1)
            return x * float(os.environ["A_FOOTGUN"])

        return numbers([f(torch.ones(2)) for _ in range(6)])
    finally:
        del os.environ["A_FOOTGUN"]


def _differs(a, b):
    return float((a - b).abs().max()) > 0


@footgun
def clocks(torch, compile):
    told = [time.time, time.perf_counter, time.monotonic, time.time_ns, time.process_time]
    from_time = compile(lambda x: x * (time.perf_counter() % 1000))
    by_table = compile(lambda x, i: x * (told[i]() % 1000))
    by_date = compile(lambda x: x * datetime.datetime.now().microsecond)
    out = []
    one = torch.ones(2, dtype=torch.float64)
    for f in (from_time, lambda x: by_table(x, 1), lambda x: by_table(x, 2), by_date):
        seen = []
        for _ in range(3):
            seen.append(f(one))
            time.sleep(0.002)
        out.append(_differs(seen[0], seen[1]) and _differs(seen[1], seen[2]))
    return numbers(out)


perf_counter = time.perf_counter


getenv = os.getenv


@footgun
def a_clock_imported_by_its_name(torch, compile):
    f = compile(lambda x: x * (perf_counter() % 1000))
    one = torch.ones(2, dtype=torch.float64)
    seen = []
    for _ in range(3):
        seen.append(f(one))
        time.sleep(0.002)
    return numbers(_differs(seen[0], seen[1]), _differs(seen[1], seen[2]))


@footgun
def names_that_are_unique(torch, compile):
    f = compile(lambda x: x * (uuid.uuid4().int % 997))
    seen = [f(torch.ones(1)) for _ in range(8)]
    return numbers(any(_differs(a, b) for a, b in itertools.pairwise(seen)))


@footgun
def the_system_s_randomness(torch, compile):
    f = compile(lambda x: x * int.from_bytes(os.urandom(2), "big"))
    seen = [f(torch.ones(1)) for _ in range(8)]
    return numbers(any(_differs(a, b) for a, b in itertools.pairwise(seen)))


@footgun
def a_context_variable(torch, compile):
    scale = contextvars.ContextVar("scale", default=2.0)
    f = compile(lambda x: x * scale.get())
    out = [f(torch.ones(2))]
    token = scale.set(3.0)
    out.append(f(torch.ones(2)))
    scale.reset(token)
    return numbers(out, f(torch.ones(2)))


@footgun
def a_counter_of_itertools(torch, compile):
    upcoming = itertools.count(1)
    f = compile(lambda x: x * next(upcoming))
    return numbers([f(torch.ones(2)) for _ in range(7)])


@footgun
def a_generator_is_continued(torch, compile):
    def give():
        k = 1.0
        while True:
            yield k
            k += 1.0

    upcoming = give()
    f = compile(lambda x: x * next(upcoming))
    return numbers([f(torch.ones(2)) for _ in range(7)])


@footgun
def a_generator_is_sent_values(torch, compile):
    def give():
        total = 0.0
        while True:
            total += yield total

    upcoming = give()
    next(upcoming)
    f = compile(lambda x: x * upcoming.send(1.0))
    return numbers([f(torch.ones(2)) for _ in range(7)])


@footgun
def a_loop_takes_from_an_iterator_outside(torch, compile):
    upcoming = iter([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])

    @compile
    def f(x):
        for k in upcoming:
            return x * k
        return x * 0

    return numbers([f(torch.ones(2)) for _ in range(8)])


@footgun
def the_recursion_limit(torch, compile):
    f = compile(lambda x: x * sys.getrecursionlimit())
    before = sys.getrecursionlimit()
    out = [f(torch.ones(2)) / before]
    sys.setrecursionlimit(before * 2)
    try:
        out.append(f(torch.ones(2)) / before)
    finally:
        sys.setrecursionlimit(before)
    return numbers(out)


@footgun
def the_working_directory(torch, compile):
    f = compile(lambda x: x * len(os.getcwd()))
    before = os.getcwd()
    out = [_differs(f(torch.ones(2)), torch.ones(2) * len(before))]
    os.chdir("/")
    try:
        out.append(f(torch.ones(2)))
    finally:
        os.chdir(before)
    return numbers(out)


@footgun
def references_are_counted(torch, compile):
    box = types.SimpleNamespace()
    f = compile(lambda x: x * sys.getrefcount(box))
    out = [f(torch.ones(2))]
    more = [box, box, box]
    after = f(torch.ones(2))
    return numbers(after - out[0], len(more))


@footgun
def the_frame_is_looked_at(torch, compile):
    def who():
        return float(len(sys._getframe(1).f_locals["marks"]))

    f = compile(lambda x, marks=(1, 2): x * who())
    return numbers(f(torch.ones(2)), f(torch.ones(2), (1, 2, 3)))
