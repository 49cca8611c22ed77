"""Pitfalls of compiled functions: arguments whose values, structure, aliases or views change between calls."""

import numpy as np

from tests.compile.cases import footgun, numbers


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
def arguments_are_views_of_other_parts(torch, compile):
    f = compile(lambda x: x.add_(1))
    g = compile(lambda x, y: x.mul_(2) + y)
    memory, longer, rows = torch.zeros(4), torch.zeros(6), torch.arange(6.0).reshape(3, 2)
    for part in (memory[:2], memory[2:], memory[1:3], longer[:2], longer[4:], memory[:2]):
        f(part)
    out = []
    for row, other in ((0, 1), (1, 2), (2, 2), (0, 1)):
        out += [f(rows[row]).sum(), g(rows[row], rows[other])]
    return numbers(memory, longer, rows, out)


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


@footgun
def arguments_show_numpy_s_memory(torch, compile):
    f = compile(lambda x, y: (x.flatten() * 2).sum() + y.reshape(-1)[0] * 100 + x.t()[0].sum())
    out = []
    for i in range(4):
        both = np.arange(8, dtype=np.float32).reshape(2, 2, 2) + i
        x, y = (torch.from_numpy(part) for part in both)
        out.append(f(x, y))
        both += 1
        out.append(f(x, y))
        out.append(f(x[0:1], y.t()))
        both += 1
        out.append(f(x[0:1], y.t()))
    return numbers(out)


@footgun
def one_array_is_filled_again_and_again(torch, compile):
    memory = np.zeros((2, 3), np.int64)
    x = torch.from_numpy(memory)
    table = torch.arange(12.0).reshape(6, 2)
    f = compile(lambda x: torch.nn.functional.embedding(x.flatten(), table).sum())
    out = []
    for i in range(5):
        memory[:] = i
        out.append(f(x))
        memory[1] = 5 - i
        out.append(f(x))
    return numbers(out)


@footgun
def an_argument_gets_its_gradient_inside(torch, compile):
    @compile
    def f(x):
        (x * x).sum().backward()
        return x.sum().detach() * 1

    out = []
    for i in range(4):
        x = torch.full((2,), float(i), requires_grad=True)
        out.append(f(x))
        out.append(x.grad.clone())
        f(x)
        out.append(x.grad)
    return numbers(out)


@footgun
def an_argument_is_made_to_require_grad(torch, compile):
    @compile
    def f(x):
        x.requires_grad_()
        return (x * 3).sum().detach()

    out = []
    for i in range(6):
        x = torch.full((2,), float(i))
        out += [f(x), float(x.requires_grad)]
    return numbers(out)


@footgun
def an_argument_is_given_other_memory(torch, compile):
    @compile
    def f(x):
        x.data = torch.full((3,), 4.0)
        return x.sum()

    out = []
    for i in range(6):
        x = torch.full((2,), float(i))
        out += [f(x), x]
    return numbers(out)


@footgun
def an_argument_has_an_attribute(torch, compile):
    f = compile(lambda x: x * x.scale)
    out = []
    for i in range(3):
        x = torch.ones(2)
        x.scale = float(i)
        out.append(f(x))
    return numbers(out)


@footgun
def an_argument_is_given_an_attribute(torch, compile):
    @compile
    def f(x):
        x.seen = True
        return x * 2

    out = []
    for _ in range(6):
        x = torch.ones(2)
        out += [f(x), float(hasattr(x, "seen"))]
    return numbers(out)


@footgun
def an_argument_is_a_view_older_than_the_last_call(torch, compile):
    @compile
    def f(a, b):
        a.add_(1)
        return b * 2

    a = torch.ones(3)
    tail, middle, head = a[1:], a[1:2], a[:2]
    out = [f(a, torch.ones(3))]
    for args in ((tail, torch.ones(2)), (tail, head), (middle, head), (tail, head), (a, head)):
        out += [f(*args), a.clone(), tail.clone()]
    return numbers(out, tail, middle, head, a)


def _with_history(torch, f, wants=lambda result: result):
    out = []
    for _ in range(3):
        w = torch.ones(2, requires_grad=True)
        wants(f(w * 2)).backward()
        out.append(w.grad)
    return out


@footgun
def a_call_that_is_not_captured_has_an_argument_with_a_history(torch, compile):
    calls = [0]

    def counts(x):
        calls[0] += 1
        return (x * 3).sum()

    def looks(x):
        y = (x * 3).sum()
        return y * 2 if y > 0 else y

    def writes(x):
        calls[0] += 1
        x.mul_(3)
        return x.sum()

    return numbers([_with_history(torch, compile(f)) for f in (counts, looks, writes)])


@footgun
def an_argument_with_a_history_is_written_to(torch, compile):
    @compile
    def f(x):
        x.mul_(3)
        return x.sum()

    return numbers(_with_history(torch, f))


@footgun
def an_argument_with_a_history_is_differentiated_inside(torch, compile):
    @compile
    def f(x):
        y = (x * 3).sum()
        y.backward(retain_graph=True)
        return y

    return numbers(_with_history(torch, f))


@footgun
def a_history_is_asked_for_inside(torch, compile):
    f = compile(lambda x: (x * (2.0 if x.is_leaf or x.grad_fn is None else 3.0)).sum())
    return numbers(_with_history(torch, f))


@footgun
def arguments_that_are_containers_change(torch, compile):
    @compile
    def f(x, items, names):
        items.append(1.0)
        names["n"] = names.get("n", 0.0) + 1.0
        return x * len(items) * names["n"]

    items, names = [], {}
    return numbers([f(torch.ones(2), items, names) for _ in range(7)], len(items), names["n"])


@footgun
def a_container_is_returned(torch, compile):
    held = [1.0]

    @compile
    def f(x, given):
        return x * 2, held, given

    out = []
    for _ in range(4):
        given = [2.0]
        result, first, second = f(torch.ones(2), given)
        first.append(3.0)
        out += [result, first is held, second is given, len(held)]
    return numbers(out)


@footgun
def keys_of_an_argument_change_their_type(torch, compile):
    f = compile(lambda x, table: x * sum(2.0 if key is True else 3.0 for key in table))
    return numbers(f(torch.ones(2), {1: "a"}), f(torch.ones(2), {True: "a"}), f(torch.ones(2), {1.0: "a"}))


@footgun
def containers_among_arguments_are_one(torch, compile):
    f = compile(lambda x, a, b: x * (2.0 if a is b else 3.0))
    one = [1.0]
    return numbers(f(torch.ones(2), one, one), f(torch.ones(2), one, [1.0]), f(torch.ones(2), one, one))


@footgun
def an_argument_is_used_before_and_after_the_call(torch, compile):
    f = compile(lambda v: v * 0.5)
    f(torch.ones(2))
    x = torch.full((2,), 1.0)
    y = x * 1.0
    y = y + f(x)
    return numbers(y + x, f(x) + y)


@footgun
def a_container_among_arguments_is_that_outside(torch, compile):
    held = {"a": [1.0]}
    f = compile(lambda x, given: x * (2.0 if held["a"] is given else 3.0))
    one = [1.0]
    out = [f(torch.ones(2), held["a"]), f(torch.ones(2), one), f(torch.ones(2), held["a"])]
    held["a"] = one
    return numbers(out, f(torch.ones(2), one), f(torch.ones(2), [1.0]))


@footgun
def a_compiled_function_is_mapped(torch, compile):
    f, g = compile(lambda x: (x * x).sum()), compile(torch.nn.Linear(2, 1))
    torch.nn.init.ones_(g.weight), torch.nn.init.zeros_(g.bias)
    x = torch.arange(6.0).reshape(3, 2)
    mapped = lambda: [torch.vmap(f)(x), torch.vmap(g)(x), torch.func.vmap(torch.func.grad(f))(x)]
    return numbers(*mapped(), f(x), *mapped())


@footgun
def rows_are_written_to(torch, compile):
    def adds(row):
        row.add_(1)

    def copies(row, x):
        row.copy_(x)

    add, copy, fill = compile(adds), compile(copies), compile(lambda row: row.fill_(2.0))
    tables, whole = [torch.zeros(5, 3), torch.zeros(7, 3)], torch.zeros(3, 4)
    for i in range(5):
        add(tables[0][i])
        add(tables[1][i + 1])
        fill(tables[0][i] if i % 2 else tables[1][i])
    for i in range(4):
        copy(whole[:, i], torch.full((3,), float(i)))
    return numbers(tables, whole)


@footgun
def views_lie_elsewhere_in_another_argument(torch, compile):
    def f(x, part):
        part.add_(1)
        return x * 2

    f, x = compile(f), torch.arange(6.0)
    out = [f(x, x[i : i + 2]) for i in (1, 2, 2, 4)]
    return numbers(out, f(torch.arange(6.0), x[1:3]), x)


@footgun
def views_lie_elsewhere_in_the_state(torch, compile):
    state = torch.arange(10.0)

    def f(part):
        part.add_(1)
        return state * 2

    f = compile(f)
    return numbers([f(state[i : i + 3]) for i in range(4)], state)


@footgun
def the_place_of_a_view_is_asked_for(torch, compile):
    functions = [
        compile(f)
        for f in (
            lambda x: x * x.storage_offset(),
            lambda x: x * x._base.shape[0],
            lambda x: x * x.untyped_storage().nbytes(),
            lambda x: x * (x.data_ptr() == x._base.data_ptr()),
        )
    ]
    return numbers([f(torch.arange(n)[i : i + 2]) for f in functions for n, i in ((4, 1), (5, 2), (6, 0), (4, 1))])


@footgun
def a_view_shows_conjugates(torch, compile):
    f = compile(lambda x: x * (2.0 if x.is_conj() else 3.0))
    x = torch.tensor([1 + 2j, 3 - 1j])
    return numbers([torch.view_as_real(f(v).resolve_conj()) for v in (x.conj(), x[:], x.conj(), x[:])])


@footgun
def an_error_is_handled_inside(torch, compile):
    table, calls = torch.arange(8.0).reshape(4, 2), torch.zeros(())

    def f(i):
        calls.add_(1)
        try:
            return torch.nn.functional.embedding(i, table)
        except IndexError:
            return table[:1] * 100

    f = compile(f)
    return numbers([f(torch.tensor([i])) for i in (0, 1, 7, 2, 9)], calls)


@footgun
def an_error_leaves_what_came_before_it(torch, compile):
    table, calls, out = torch.arange(8.0).reshape(4, 2), torch.zeros(()), []

    @compile
    def f(i):
        calls.add_(1)
        return table[i] * 2

    for i in (0, 1, 7, 2, 9):
        try:
            out.append(f(torch.tensor([i])))
        except IndexError:
            out.append(calls.clone())
    return numbers(out, calls)


@footgun
def a_result_on_meta(torch, compile):
    @compile
    def f(x):
        unfilled = torch.ones(2, 3, device="meta")
        return x + 1, unfilled.t() * 2, unfilled, unfilled, x.to("meta"), x.sum() * unfilled.numel()

    for _ in range(3):
        found = f(torch.ones(3, requires_grad=True))
        assert found[2] is found[3]
    return [*numbers(found[0], found[5]), *found[1].shape, *found[1].stride(), *found[4].shape]


@footgun
def results_on_meta_only(torch, compile):
    f = compile(lambda x: x.to("meta").sin())
    return [f(torch.ones(n, 2)).shape[0] for n in (3, 3, 4, 3)]
