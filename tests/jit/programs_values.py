"""Scripted functions of lists, dicts, strings and numbers. Each program returns a function and two calls."""

from typing import NamedTuple


def _two(torch):
    x = torch.arange(6.0).reshape(2, 3) - 1
    return [(x,), (-x.repeat(2, 1),)]


class Point(NamedTuple):
    x: int
    y: float


def list_methods(torch):
    def f(ns: list[int]):
        out = [n * 2 for n in ns]
        out.append(7)
        out.extend([1, 2])
        out.insert(0, 9)
        last = out.pop()
        out.sort()
        out.reverse()
        return out, last, out.index(7), out.count(2), 9 in out, out[1:-1], len(out)

    return f, [([1, 2],), ([5],)]


def list_of_tensors(torch):
    def f(x):
        rows: list[torch.Tensor] = []
        for i in range(x.size(0)):
            rows.append(x[i] * i)
        return torch.stack(rows), torch.cat(rows)

    return f, _two(torch)


def empty_list_of_tensors(torch):
    def f(x):
        rows = []
        for row in x:
            if bool(row.sum() > 0):
                rows.append(row)
        return rows

    return f, _two(torch)


def annotated_list(torch):
    def f(n: int):
        out = torch.jit.annotate(list[int], [])
        for i in range(n):
            out.append(i)
        return out

    return f, [(2,), (0,)]


def dict_methods(torch):
    def f(d: dict[str, int], key: str):
        d2: dict[str, int] = {}
        for k, v in d.items():
            d2[k + "!"] = v * 2
        if key in d:
            d2["found"] = d[key]
        return d2, sorted(d.keys()), d.get("z", -1), len(d)

    return f, [({"a": 1, "b": 2}, "a"), ({"c": 1}, "z")]


def dict_of_tensors(torch):
    def f(x):
        out = {"a": x, "b": x + 1}
        out["c"] = out["a"] * out["b"]
        total = torch.zeros(3)
        for value in out.values():
            total = total + value.sum(0)
        return out, total

    return f, _two(torch)


def dict_comprehension(torch):
    def f(ns: list[int]):
        return {n: n * 0.5 for n in ns}

    return f, [([1, 2],), ([3],)]


def strings(torch):
    def f(s: str, n: int):
        t = s.upper() + "_" + str(n)
        if s.startswith("a"):
            t = t.replace("A", "b")
        return t, len(s), s.split(","), "x".join(["a", "b"]), f"{s} and {n}", f"{s}={n}", s[1:], "b" in s

    return f, [("a,b", 1), ("xyz", 22)]


def mode_by_string(torch):
    def f(x, mode: str = "sum"):
        if mode == "sum":
            return x.sum()
        elif mode == "mean":
            return x.mean()
        raise RuntimeError("unknown mode")

    return f, [(torch.ones(3),), (torch.ones(3), "max")]


def numbers(torch):
    def f(a: int, b: float):
        return (
            a + b,
            a // 2,
            a % 3,
            a / 2,
            -a,
            abs(a),
            max(a, 3),
            min(b, 0.5),
            round(b),
            int(b),
            float(a),
            bool(a),
            a & 3,
            a ^ 1,
        )

    return f, [(5, 1.7), (-2, 0.2)]


def comparisons(torch):
    def f(a: int, b: float, s: str):
        return a < b, a == 3, b != 1.0, a >= 2, s == "a", 0 < a <= 3, not a > 1

    return f, [(3, 1.0, "a"), (1, 2.0, "b")]


def named_tuple(torch):
    def f(n: int, scale: float):
        p = Point(n, scale)
        return p.x * p.y, p

    return f, [(2, 0.5), (3, 2.0)]


def tuples(torch):
    def f(x):
        t = (x, 1, "a")
        a, b, c = t
        return t[0] + t[1], c, (b, (a, c)), len(t), t[-1]

    return f, _two(torch)


def returns_lists(torch):
    def f(x) -> list[tuple[int, float]]:
        return [(i, float(x[i].sum())) for i in range(x.size(0))]

    return f, _two(torch)


def conversions(torch):
    def f(x):
        s = x.sum()
        return int(s), float(s), bool(s), s.item(), x.to(torch.int64), x.dtype == torch.float32

    return f, _two(torch)


def dtypes_and_devices(torch):
    def f(x):
        return torch.zeros(x.size(0), dtype=torch.float64, device=x.device), torch.ones_like(x), x.new_zeros(2, 2)

    return f, _two(torch)


def keyword_arguments(torch):
    def inner(x, a: int = 1, b: float = 2.0):
        return x * a + b

    def f(x):
        return inner(x), inner(x, b=3.0), inner(x, 2, b=0.0)

    return f, _two(torch)


def functional_calls(torch):
    def f(x):
        y = torch.nn.functional.relu(x)
        y = torch.nn.functional.softmax(y, dim=-1)
        return (
            torch.nn.functional.pad(y, [1, 1]),
            torch.nn.functional.gelu(x),
            torch.nn.functional.one_hot(torch.tensor([0, 1]), 3),
        )

    return f, _two(torch)


def results_in_tuples(torch):
    def f(x):
        values, indices = torch.max(x, dim=1)
        top, places = x.topk(2)
        return values, indices, top, places, torch.sort(x, dim=1)[0]

    return f, _two(torch)


def slices(torch):
    def f(x):
        return x[0], x[:, 1:], x[..., -1], x[None], x[x > 0], x[:, [0, 2]], x[1:2, 0]

    return f, _two(torch)


def math_functions(torch):
    import math

    def f(a: float):
        return math.sqrt(a), math.floor(a), math.ceil(a), math.exp(a), math.pi * a, math.log(a)

    return f, [(2.5,), (0.5,)]


def isinstance_of_a_union(torch):
    def f(x: int | str) -> int:
        if isinstance(x, int):
            return x + 1
        else:
            return len(x)

    return f, [(3,), ("abcd",)]


def default_list(torch):
    def f(x, dims: list[int] = [0, 1]):  # noqa: B006
        return x.sum(dims)

    return f, [(torch.ones(2, 3),), (torch.ones(2, 3), [1])]


def wrong_argument_type(torch):
    def f(x, n: int):
        return x * n

    return f, [(torch.ones(2), 1.5), (torch.ones(2), "a")]


def wrong_argument_count(torch):
    def f(x, n: int):
        return x * n

    return f, [(torch.ones(2),), (torch.ones(2), 1, 2)]


def index_out_of_range(torch):
    def f(ns: list[int], d: dict[str, int]):
        if len(ns) > 1:
            return ns[5]
        return d["missing"]

    return f, [([1, 2], {"a": 1}), ([1], {"a": 1})]


def division_by_zero(torch):
    def f(a: int):
        return 6 // a

    return f, [(2,), (0,)]


def wrong_shape(torch):
    def f(x):
        return x.view(7)

    return f, _two(torch)
