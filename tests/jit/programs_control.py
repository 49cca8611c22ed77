"""Scripted functions with control flow. Each program returns a function and the arguments of two calls."""


def _two(torch):
    x = torch.arange(6.0).reshape(2, 3) - 1
    return [(x,), (-x.repeat(2, 1),)]


def branch_on_elements(torch):
    def f(x):
        if bool(x.sum() > 0):
            y = x * 2
        else:
            y = x - 1
        return y

    return f, _two(torch)


def branch_on_a_tensor_without_bool(torch):
    def f(x):
        if x.sum() > 0:
            return x * 2
        return x - 1

    return f, _two(torch)


def elif_chain(torch):
    def f(x, n: int):
        if n == 0:
            return x
        elif n < 2:
            return x + 1
        elif n < 4 and n != 3:
            return x + 2
        else:
            return x + 3

    return f, [(torch.ones(2), 1), (torch.ones(2), 3)]


def while_on_elements(torch):
    def f(x):
        n = 0
        while bool(x.abs().sum() < 100):
            x = x * 2
            n += 1
        return x, n

    return f, _two(torch)


def while_true_with_break(torch):
    def f(x):
        while True:
            x = x + 1
            if x.min() > 3:
                break
        return x

    return f, _two(torch)


def for_with_break_and_continue(torch):
    def f(x, n: int):
        total = torch.zeros(3)
        for i in range(n):
            if i % 2 == 0:
                continue
            if i > 6:
                break
            total = total + x[0] * i
        return total

    return f, [(_two(torch)[0][0], 4), (_two(torch)[1][0], 20)]


def early_return_in_loops(torch):
    def f(x):
        for i in range(x.size(0)):
            for j in range(x.size(1)):
                if bool(x[i, j] > 1):
                    return i, j
        return -1, -1

    return f, _two(torch)


def loop_over_a_tensor(torch):
    def f(x):
        total = torch.zeros(())
        for row in x:
            total = total + row.max()
        return total

    return f, _two(torch)


def for_over_a_list(torch):
    def f(x, ns: list[int]):
        for n in ns:
            x = x + n
        return x

    return f, [(torch.ones(2), [1, 2]), (torch.ones(2), [3, 4, 5])]


def enumerate_and_zip(torch):
    def f(x, ns: list[int], ms: list[float]):
        for i, n in enumerate(ns):
            x = x + i * n
        for n, m in zip(ns, ms):
            x = x * m - n
        return x

    return f, [(torch.ones(2), [1, 2], [0.5, 2.0]), (torch.ones(2), [3], [1.0])]


def nested_functions_calls(torch):
    def inner(x, n: int):
        if n > 1:
            return x * n
        return x

    def middle(x, n: int):
        for i in range(n):
            x = inner(x, i) + 1
        return x

    def f(x, n: int):
        return middle(x, n) + inner(x, n)

    return f, [(torch.ones(2), 1), (torch.ones(2), 4)]


def optional_argument(torch):
    def f(x, y: float | None = None):
        if y is None:
            return x
        return x * y

    return f, [(torch.ones(2),), (torch.ones(2), 3.0)]


def optional_tensor_with_default(torch):
    def f(x, mask: torch.Tensor | None = None):
        if mask is not None:
            x = x.masked_fill(mask, 0.0)
        return x

    x = torch.ones(2)
    return f, [(x,), (x, x > 0)]


def assigned_optional(torch):
    def f(x):
        best: torch.Tensor | None = None
        for row in x:
            if best is None or bool(row.sum() > best.sum()):
                best = row
        assert best is not None
        return best

    return f, _two(torch)


def ternary(torch):
    def f(x, n: int):
        y = x if n > 2 else x + 1
        z = 1.0 if bool(x.sum() > 0) else -1.0
        return y * z

    return f, [(torch.ones(2), 1), (-torch.ones(2), 3)]


def boolean_operators(torch):
    def f(x, a: bool, n: int):
        if (a and n > 1) or not a:
            return x
        return -x

    return f, [(torch.ones(2), True, 1), (torch.ones(2), False, 1)]


def assertion(torch):
    def f(x):
        assert bool(x.sum() > 0), "the sum must be positive"
        return x

    return f, [(torch.ones(2),), (-torch.ones(2),)]


def assertion_that_ends_a_path(torch):
    def f(x: torch.Tensor | None, y):
        if x is not None:
            return x + y
        else:
            assert False, "x is None"  # noqa: B011 - the compiler decides it

    return f, [(torch.ones(2), torch.ones(2)), (None, torch.ones(2))]


def raises(torch):
    def f(x, n: int):
        if n > 2:
            raise ValueError("too large")
        return x

    return f, [(torch.ones(2), 1), (torch.ones(2), 3)]


def newton_iterations(torch):
    def f(x, tolerance: float):
        y = x
        for _ in range(50):
            z = (y + x / y) / 2
            if bool((z - y).abs().max() < tolerance):
                return z
            y = z
        return y

    return f, [(torch.tensor([2.0, 9.0]), 1e-3), (torch.tensor([100.0]), 1e-6)]


def greedy_decoding(torch):
    def f(weights, start: int, limit: int):
        out = [start]
        state = torch.zeros(weights.size(0))
        while len(out) < limit:
            state = (state + weights[out[-1]]).tanh()
            best = int(state.argmax())
            out.append(best)
            if best == 0:
                break
        return out, state

    weights = torch.arange(16.0).reshape(4, 4).sin()
    return f, [(weights, 1, 5), (weights, 3, 9)]


def shapes(torch):
    def f(x):
        n, m = x.shape
        if n > m:
            x = x.reshape(m, n)
        return x.size(), len(x.shape), x.dim(), x.numel()

    return f, _two(torch)


def loop_variable_types(torch):
    def f(x):
        i = 0
        total = 0.0
        for i in range(x.size(0)):
            total += float(x[i].sum())
        return total, i

    return f, _two(torch)


def swaps(torch):
    def f(n: int):
        a, b = 0, 1
        for _ in range(n):
            a, b = b, a + b
        return a

    return f, [(5,), (30,)]


def is_scripting(torch):
    def f(x):
        if torch.jit.is_scripting():
            return x + 1
        return x

    return f, _two(torch)


def no_grad_block(torch):
    def f(x):
        with torch.no_grad():
            y = x * 2
        return y + x

    return f, _two(torch)


def in_place(torch):
    def f(x, values: dict[str, int]):
        y = x.clone()
        y[0] = values["a"]
        y[:, 1] += 1
        y.mul_(2)
        return y

    return f, [(x, {"a": 3}) for (x,) in _two(torch)]


def pair(torch):
    def f(x: tuple[torch.Tensor, int]) -> tuple[int, torch.Tensor]:
        a, b = x
        return b, a * b

    return f, [((torch.ones(2), 2),), ((torch.ones(2), 5),)]
