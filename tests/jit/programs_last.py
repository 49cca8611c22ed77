"""A last set of scripted programs. Without calls, a program is refused."""

# ruff: noqa: UP006, UP045 - programs of TorchScript use the former names of types

from typing import Dict, List, Optional, Tuple  # noqa: UP035


def _x(torch):
    return torch.arange(6.0).reshape(2, 3) - 2


def running_mean(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.zeros(3))
            self.momentum = 0.5

        def forward(self, x):
            if self.training:
                with torch.no_grad():
                    self.mean.mul_(1 - self.momentum).add_(x.mean(0) * self.momentum)
            return x - self.mean

    return Net(), [(_x(torch),), (-_x(torch),)]


def cache_in_a_dict(torch):
    class Net(torch.nn.Module):
        cache: Dict[str, torch.Tensor]

        def __init__(self):
            super().__init__()
            self.cache = {}

        def forward(self, x, key: str):
            if key not in self.cache:
                self.cache[key] = x * 2
            return self.cache[key] + x, len(self.cache)

    return Net(), [(_x(torch), "a"), (-_x(torch), "a")]


def list_attribute(torch):
    class Net(torch.nn.Module):
        steps: List[int]

        def __init__(self):
            super().__init__()
            self.steps = []

        def forward(self, x):
            self.steps.append(x.size(0))
            return x, self.steps

    return Net(), [(_x(torch),), (_x(torch)[:1],)]


def two_layers_by_index(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 3), torch.nn.Tanh()])

        def forward(self, x):
            return self.layers[1](self.layers[0](x)) + len(self.layers) + self.layers[-1](x)

    torch.manual_seed(0)
    return Net(), [(_x(torch),), (-_x(torch),)]


def reversed_layers(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.up = torch.nn.ModuleList([torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)])
            self.down = torch.nn.ModuleList([torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)])

        def forward(self, x):
            kept: List[torch.Tensor] = []
            for up in self.up:
                x = up(x)
                kept.append(x)
            for i, down in enumerate(self.down):
                x = down(x) + kept[len(kept) - 1 - i]
            for a, b in zip(self.up, self.down):
                x = a(x) - b(x)
            return x

    torch.manual_seed(0)
    return Net(), [(_x(torch),), (-_x(torch),)]


def tuple_attribute(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.sizes = (2, 3)
            self.pairs = [(1, "a"), (2, "b")]

        def forward(self, x):
            a, b = self.sizes
            text = ""
            for n, s in self.pairs:
                text += s * 1 if False else s
                a += n
            return x.reshape(-1, 3) * a + b, text

    return Net(), [(_x(torch),), (-_x(torch),)]


def method_with_default(torch):
    class Net(torch.nn.Module):
        def shift(self, x, by: float = 1.0, flip: bool = False):
            y = x + by
            return -y if flip else y

        def forward(self, x, flip: bool = False):
            return self.shift(x), self.shift(x, flip=flip), self.shift(x, 2.0, True)

    return Net(), [(_x(torch),), (_x(torch), True)]


def early_exit_network(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = torch.nn.ModuleList([torch.nn.Linear(3, 3) for _ in range(3)])
            self.heads = torch.nn.ModuleList([torch.nn.Linear(3, 2) for _ in range(3)])

        def forward(self, x, limit: float):
            out = torch.zeros(x.size(0), 2)
            used = 0
            done = False
            for block, head in zip(self.blocks, self.heads):
                if not done:
                    x = block(x).relu()
                    out = head(x).softmax(-1)
                    used += 1
                    done = bool(out.max() > limit)
            return out, used

    torch.manual_seed(0)
    return Net(), [(_x(torch), 0.5), (_x(torch), 2.0)]


def string_building(torch):
    def f(names: List[str], values: List[float]):
        parts: List[str] = []
        for name, value in zip(names, values):
            parts.append(f"{name}: {value}")
        joined = ", ".join(parts)
        return joined, joined.find("b"), joined.split(", ")[-1], len(joined) > 3

    return f, [(["a", "b"], [1.5, 2.0]), (["z"], [0.25])]


def float_loop(torch):
    def f(x: float, n: int):
        total, term = 1.0, 1.0
        for k in range(1, n + 1):
            term *= x / k
            total += term
        return total

    return f, [(1.0, 10), (-0.5, 3)]


def range_with_step(torch):
    def f(n: int):
        out: List[int] = []
        for i in range(n, 0, -2):
            out.append(i)
        return out, [i * i for i in range(0, n, 3)]

    return f, [(5,), (0,)]


def sorting(torch):
    def f(ns: List[int]):
        ms = sorted(ns)
        ns.sort(reverse=True)
        return ns, ms, min(ns), max(ns), sum(ns)

    return f, [([3, 1, 2],), ([5],)]


def optional_chain(torch):
    def f(a: Optional[int], b: Optional[int]):
        if a is not None and b is not None:
            return a + b
        if a is not None:
            return a
        return b if b is not None else 0

    return f, [(1, None), (2, 3)]


def while_with_two_conditions(torch):
    def f(x, n: int):
        i = 0
        while i < n and bool(x.sum() < 50):
            x = x + x.abs()
            i += 1
            if i == 7:
                continue
        return x, i

    return f, [(_x(torch), 3), (_x(torch), 20)]


def tensor_comparison_in_if(torch):
    def f(x, y):
        if torch.equal(x, y):
            return x
        if x.shape == y.shape:
            return x + y
        return y

    return f, [(_x(torch), _x(torch)), (_x(torch), torch.ones(1))]


def tuple_of_tensors(torch):
    def f(pairs: List[Tuple[torch.Tensor, float]]):
        total = torch.zeros(3)
        for tensor, weight in pairs:
            total += tensor.sum(0) * weight
        return total

    return f, [([(_x(torch), 0.5)],), ([(_x(torch), 1.0), (_x(torch), 2.0)],)]


def items_of_tensors(torch):
    def f(x):
        total = 0.0
        for i in range(x.numel()):
            value = x.view(-1)[i].item()
            if value > 0:
                total += float(value)
        return total

    return f, [(_x(torch),), (-_x(torch),)]


def refused_tensor_string(torch):
    def f(x):
        return x + "a"

    return f, []


def refused_return_in_one_branch(torch):
    def f(x) -> torch.Tensor:
        if bool(x.sum() > 0):
            return x

    return f, []


def refused_unknown_attribute_of_tensor(torch):
    def f(x):
        return x.shapes[0]

    return f, []


def refused_list_of_optional(torch):
    def f(x: Optional[torch.Tensor]):
        return torch.stack([x, x])

    return f, []


def refused_dict_key(torch):
    def f(d: Dict[str, int]):
        return d[0]

    return f, []


def refused_len_of_float(torch):
    def f(x: float):
        return x.append(1)

    return f, []


def refused_wrong_default(torch):
    def f(x: int = "a"):
        return x

    return f, []


def refused_argument_twice(torch):
    def inner(a: int):
        return a

    def f(n: int):
        return inner(n, a=n)

    return f, []


def refused_missing_keyword(torch):
    def inner(a: int):
        return a

    def f(n: int):
        return inner(b=n)

    return f, []


def tensor_for_a_number(torch):
    def f(x):
        total = 0
        for row in x:
            total = total + row.sum()
        return total

    return f, [(_x(torch),), (-_x(torch),)]


def refused_method_of_string(torch):
    def f(s: str):
        return s.lowercase()

    return f, []


def refused_assigned_self(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = 1.0

        def forward(self, x):
            self.scale = x.sum()
            return x

    return Net(), []
