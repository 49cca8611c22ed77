"""Programs that are traced: each has a function of the library, its example input and another input."""

import collections
import random

Pair = collections.namedtuple("Pair", "first second")


def branch_on_elements(torch):
    return lambda x: x * 2 if x.sum() > 0 else x - 1


def branch_on_a_size(torch):
    return lambda x: x * 2 if x.shape[0] > 2 else x - 1


def branch_on_the_largest_size(torch):
    return lambda x: x * max(x.shape)


def loop_over_a_size(torch):
    def f(x):
        total = torch.zeros(3)
        for i in range(x.shape[0]):
            total = total + x[i] * (i + 1)
        return total

    return f


def loop_over_elements(torch):
    def f(x):
        for _ in range(int(x[0, 0].abs()) + 1):
            x = x * 2
        return x

    return f


def loop_over_rows(torch):
    def f(x):
        total = 0
        for row in x:
            total = total + row
        return total

    return f


def while_of_elements(torch):
    def f(x):
        while x.abs().sum() < 40:
            x = x * 2
        return x

    return f


def item_of_a_sum(torch):
    return lambda x: x * x.sum().item()


def list_of_elements(torch):
    return lambda x: x * x.tolist()[0][1]


def length(torch):
    return lambda x: x * len(x)


def size_in_view(torch):
    return lambda x: x.view(x.shape[0] * x.shape[1], 1) + 1


def size_in_arange(torch):
    return lambda x: x + torch.arange(x.shape[0]).unsqueeze(1)


def size_in_expand(torch):
    return lambda x: torch.ones(1, 3).expand(x.size(0), 3) * x


def size_in_zeros(torch):
    return lambda x: torch.cat([x, torch.zeros(x.size(0), 2)], 1)


def size_in_a_slice(torch):
    return lambda x: x[: x.shape[0] // 2]


def mean_by_a_size(torch):
    return lambda x: x.sum(0) / x.shape[0]


def returns_a_size(torch):
    return lambda x: x.shape[0]


def returns_the_sizes(torch):
    return lambda x: x.shape


def returns_a_named_tuple(torch):
    return lambda x: Pair(x, x + 1)


def returns_a_dict(torch):
    return lambda x: {"a": x, "b": x + 1}


def returns_nested(torch):
    return lambda x: (x, (x * 2, [x * 3]))


def returns_a_number(torch):
    return lambda x: (x, 1)


def returns_nothing(torch):
    return lambda x: None


def constant_inside(torch):
    return lambda x: x * torch.tensor([1.0, 2.0, 3.0]) + torch.tensor(2.0).item()


def python_random(torch):
    def f(x):
        random.seed(3)
        return x * random.randint(1, 100)

    return f


def counts_calls(torch):
    calls = []

    def f(x):
        calls.append(1)
        return x * len(calls)

    return f


def is_tracing(torch):
    return lambda x: x * 2 if torch.jit.is_tracing() else x


def scripted_inside(torch):
    @torch.jit.script
    def choose(x):
        if bool(x.sum() > 0):
            return x
        return x * 2

    return lambda x: choose(x) + 1


def traced_inside(torch):
    inner = torch.jit.trace(branch_on_elements(torch), torch.ones(2, 3))
    return lambda x: inner(x) + (1 if x.sum() > 0 else 2)


def module_with_an_attribute(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.flag, self.linear = True, torch.nn.Linear(3, 2)

        def forward(self, x):
            return self.linear(x) if self.flag else x

    torch.manual_seed(0)
    return Net()


def module_with_a_counter(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))

        def forward(self, x):
            self.count += 1
            return x * self.count

    return Net()


def module_with_branches(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 3) for _ in range(3)])

        def forward(self, x):
            for layer in self.layers:
                x = layer(x).relu() if x.mean() > 0 else layer(x)
            return x

    torch.manual_seed(1)
    return Net()


def module_of_layers(torch):
    torch.manual_seed(2)
    return torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Dropout(0.5), torch.nn.Linear(4, 2)
    ).eval()


def random_numbers(torch):
    def f(x):
        torch.manual_seed(3)
        return x + torch.zeros(x.shape[0], 3) * torch.rand(3)

    return f


def dropout_in_training(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.drop = torch.nn.Dropout(1.0)

        def forward(self, x):
            return self.drop(x) + (x if x.shape[0] > 1 else 0)

    return Net()
