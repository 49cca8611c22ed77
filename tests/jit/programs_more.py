"""Further scripted programs, as functions and modules. Without calls, a program is refused."""

# ruff: noqa: UP006, UP045 - programs of TorchScript use the former names of types

from typing import Any, Dict, List, NamedTuple, Optional, Tuple  # noqa: UP035


class State(NamedTuple):
    hidden: Any
    steps: int


def _x(torch):
    return torch.arange(6.0).reshape(2, 3) - 2


def beam_search(torch):
    def f(scores, width: int):
        beams: List[Tuple[List[int], float]] = [([0], 0.0)]
        for step in range(scores.size(0)):
            found: List[Tuple[List[int], float]] = []
            for tokens, total in beams:
                values, places = torch.topk(scores[step], width)
                for k in range(width):
                    found.append((tokens + [int(places[k])], total + float(values[k])))
            best = 0
            for i in range(len(found)):
                if found[i][1] > found[best][1]:
                    best = i
            beams = [found[best]]
        return beams[0][0], beams[0][1]

    return f, [(_x(torch), 2), (-_x(torch), 3)]


def bisect(torch):
    def f(values: List[float], x: float) -> int:
        low, high = 0, len(values)
        while low < high:
            mid = (low + high) // 2
            if values[mid] < x:
                low = mid + 1
            else:
                high = mid
        return low

    return f, [([1.0, 2.0, 4.0], 3.0), ([1.0], 0.0)]


def padded_batch(torch):
    def f(rows: List[torch.Tensor], value: float = 0.0):
        longest = max([row.size(0) for row in rows])
        out = torch.full((len(rows), longest), value)
        for i, row in enumerate(rows):
            out[i, : row.size(0)] = row
        return out, [row.size(0) for row in rows]

    return f, [([torch.ones(2), torch.ones(3)], 0.5), ([torch.ones(1)], -1.0)]


def tokenizer(torch):
    def f(text: str, vocabulary: Dict[str, int]):
        out: List[int] = []
        for word in text.lower().split():
            word = word.strip(".,")
            if word in vocabulary:
                out.append(vocabulary[word])
            else:
                out.append(vocabulary["<unk>"])
        return torch.tensor(out), len(out)

    return f, [("The cat.", {"<unk>": 0, "the": 1, "cat": 2}), ("a b c", {"<unk>": 0})]


def greatest_common_divisor(torch):
    def gcd(a: int, b: int) -> int:
        while b != 0:
            a, b = b, a % b
        return a

    def f(ns: List[int]) -> int:
        found = ns[0]
        for n in ns[1:]:
            found = gcd(found, n)
        return found

    return f, [([12, 18, 30],), ([7, 5],)]


def state_in_a_named_tuple(torch):
    class Pair(NamedTuple):
        hidden: torch.Tensor
        steps: int

    def f(x, n: int):
        state = Pair(x, 0)
        for _ in range(n):
            state = Pair((state.hidden * 2).tanh(), state.steps + 1)
        return state.hidden, state.steps

    return f, [(_x(torch), 1), (_x(torch), 5)]


def nested_lists(torch):
    def f(n: int):
        table: List[List[int]] = []
        for i in range(n):
            row: List[int] = []
            for j in range(i + 1):
                if j == 0 or j == i:
                    row.append(1)
                else:
                    row.append(table[i - 1][j - 1] + table[i - 1][j])
            table.append(row)
        return table

    return f, [(1,), (5,)]


def dict_of_lists(torch):
    def f(keys: List[str], values: List[int]):
        out: Dict[str, List[int]] = {}
        for k, v in zip(keys, values):
            if k not in out:
                out[k] = []
            out[k].append(v)
        return out

    return f, [(["a", "b", "a"], [1, 2, 3]), (["z"], [0])]


def optional_results(torch):
    def find(ns: List[int], n: int) -> Optional[int]:
        for i, m in enumerate(ns):
            if m == n:
                return i
        return None

    def f(ns: List[int], n: int):
        place = find(ns, n)
        if place is None:
            return -1
        return place + 10

    return f, [([3, 4], 4), ([3, 4], 5)]


def guard_by_raise(torch):
    def f(x, size: Optional[int] = None):
        if size is None:
            raise ValueError("a size is needed")
        return x.reshape(size, -1)

    return f, [(_x(torch), 3), (_x(torch), None)]


def chained_methods(torch):
    def f(x):
        return x.transpose(0, 1).contiguous().view(-1).clamp(min=0).cumsum(0).unsqueeze(0).expand(2, -1)

    return f, [(_x(torch),), (-_x(torch),)]


def augmented_items(torch):
    def f(x, counts: Dict[str, int], ns: List[int]):
        x = x.clone()
        x[0] += 1
        x[:, 0] *= 2
        counts["a"] += 3
        ns[0] -= 1
        return x, counts, ns

    return f, [(_x(torch), {"a": 1}, [5]), (_x(torch), {"a": 2}, [0, 1])]


def masks(torch):
    def f(x):
        mask = (x > 0) & (x < 3) | (x == -1)
        return torch.where(mask, x, torch.zeros_like(x)), mask.any(), (~mask).sum()

    return f, [(_x(torch),), (-_x(torch),)]


def random_seeded(torch):
    def f(n: int):
        torch.manual_seed(n)
        return torch.rand(2, n).shape, torch.randint(0, 5, (n,)).dtype == torch.int64

    return f, [(1,), (3,)]


def type_comment(torch):
    def f(x, n):
        # type: (Tensor, int) -> Tensor
        for _ in range(n):
            x = x + 1
        return x

    return f, [(_x(torch), 1), (_x(torch), 3)]


def any_argument(torch):
    def f(x: Any) -> int:
        if isinstance(x, int):
            return x
        return 0

    return f, [(3,), ("a",)]


def print_and_pass(torch):
    def f(x, loud: bool):
        if loud:
            pass
        else:
            x = x + 1
        return x

    return f, [(_x(torch), True), (_x(torch), False)]


def global_function_list(torch):
    def f(x):
        y = torch.linalg.norm(x, dim=1)
        return torch.nn.functional.normalize(x, dim=1), y, torch.fft.fft(y).real

    return f, [(_x(torch),), (-_x(torch),)]


def hooks_of_training(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.BatchNorm1d(3)

        def forward(self, x):
            y = self.norm(x)
            if self.training:
                y = y * 2
            return y, self.norm.running_mean

    return Net(), [(_x(torch),), (-_x(torch),)]


def encoder_layer(torch):
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()
    x = torch.arange(24.0).reshape(2, 3, 4) / 24
    return layer, [(x,), (x[:1],)]


def lstm_with_state(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = torch.nn.LSTM(3, 4, batch_first=True)

        def forward(self, x, state: Optional[Tuple[torch.Tensor, torch.Tensor]] = None):
            out, (h, c) = self.lstm(x, state)
            return out[:, -1], (h, c)

    torch.manual_seed(0)
    x = torch.arange(12.0).reshape(2, 2, 3) / 12
    return Net(), [(x,), (x, (torch.ones(1, 2, 4), torch.zeros(1, 2, 4)))]


def shared_weights(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Linear(3, 3)
            self.second = torch.nn.Linear(3, 3)
            self.second.weight = self.first.weight
            self.table = torch.nn.Parameter(torch.ones(3))

        def forward(self, x):
            return self.second(self.first(x)) @ self.table

    torch.manual_seed(0)
    return Net(), [(_x(torch),), (-_x(torch),)]


def inherited_forward(torch):
    class Base(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(3, 3)

        def extra(self, x):
            return x

        def forward(self, x):
            return self.extra(self.fc(x))

    class Net(Base):
        def extra(self, x):
            return x.relu()

    torch.manual_seed(0)
    return Net(), [(_x(torch),), (-_x(torch),)]


def refused_print_format(torch):
    def f(x: float):
        return f"{x:.2f}"

    return f, []


def refused_star_call(torch):
    def f(x):
        return torch.add(*x)

    return f, []


def refused_while_else(torch):
    def f(n: int):
        while n > 0:
            n -= 1
        else:
            n = 5
        return n

    return f, []


def refused_nonlocal(torch):
    n = 0

    def f(x):
        nonlocal n
        n = 1
        return x

    return f, []


def refused_async(torch):
    async def f(x):
        return x

    return f, []


def refused_del_then_use(torch):
    def f(x):
        y = x + 1
        del y
        return y  # noqa: F821

    return f, []


def refused_none_arithmetic(torch):
    def f(x):
        y = None
        return x + y

    return f, []


def refused_set_type(torch):
    def f(x: set):
        return x

    return f, []


def refused_argument_list(torch):
    def f(ns: List[int]):
        return torch.relu(ns)

    return f, []


def refused_optional_call(torch):
    def inner(n: int):
        return n

    def f(n: Optional[int]):
        return inner(n)

    return f, []


def refused_kwargs_call(torch):
    def f(x, d: Dict[str, int]):
        return torch.sum(x, **d)

    return f, []


def refused_break_outside_type(torch):
    def f(n: int):
        x = "a"
        while n > 0:
            x = n
            n -= 1
        return x

    return f, []


def refused_missing_submodule(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Module()

        def forward(self, x):
            return self.inner.missing(x)

    return Net(), []


def refused_in_submodule(torch):
    class Inner(torch.nn.Module):
        def forward(self, x):
            return [y for y in x if bool(y > 0)]

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            return self.inner(x)

    return Net(), []
