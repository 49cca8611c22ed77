"""Scripted modules. Each program returns a module and the arguments of two calls; without calls it is refused."""

from typing import Final


def _two(torch):
    x = torch.arange(6.0).reshape(2, 3) - 1
    return [(x,), (-x.repeat(2, 1),)]


def _made(torch, kind, *args):
    torch.manual_seed(0)
    return kind(*args).eval()


def layers_in_a_list(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 3) for _ in range(3)])

        def forward(self, x):
            outs: list[torch.Tensor] = []
            for i, layer in enumerate(self.layers):
                x = layer(x)
                if bool(x.sum() > 0):
                    x = x.relu() + i
                outs.append(x)
            return x, outs

    return _made(torch, Net), _two(torch)


def sequential(torch):
    return _made(torch, torch.nn.Sequential, torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.LayerNorm(4)), _two(torch)


def methods_and_attributes(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale, self.name, self.sizes, self.table = 2.0, "net", [1, 2], {"a": 1}

        def helper(self, x, n: int):
            return x * n * self.scale

        def forward(self, x):
            for n in self.sizes:
                x = self.helper(x, n) + self.table["a"]
            return x, self.name

    return _made(torch, Net), _two(torch)


def exported_method(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(3, 2)

        @torch.jit.export
        def double(self, x):
            return x * 2

        def forward(self, x):
            return self.fc(x)

    return _made(torch, Net), _two(torch)


def final_constant(torch):
    class Net(torch.nn.Module):
        steps: Final[int]

        def __init__(self):
            super().__init__()
            self.steps = 3

        def forward(self, x):
            for _ in range(self.steps):
                x = x + 1
            return x

    return _made(torch, Net), _two(torch)


def buffer_that_counts(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))

        def forward(self, x):
            self.count += 1
            return x * self.count

    return _made(torch, Net), _two(torch)


def attribute_that_counts(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.count = 0

        def forward(self, x):
            self.count += 1
            return x * self.count

    return _made(torch, Net), _two(torch)


def optional_submodule(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.bias = None, None
            self.fc = torch.nn.Linear(3, 3)

        def forward(self, x):
            x = self.fc(x)
            if self.norm is not None:
                x = self.norm(x)
            if self.bias is not None:
                x = x + self.bias
            return x

    return _made(torch, Net), _two(torch)


def optional_attribute(torch):
    class Net(torch.nn.Module):
        limit: float | None

        def __init__(self):
            super().__init__()
            self.limit = 2.0

        def forward(self, x):
            limit = self.limit
            if limit is not None:
                return x.clamp(max=limit)
            return x

    return _made(torch, Net), _two(torch)


def training_mode(torch):
    class Net(torch.nn.Module):
        def forward(self, x):
            if self.training:
                return x
            return x + 1

    return _made(torch, Net), _two(torch)


def unused_method(torch):
    class Net(torch.nn.Module):
        @torch.jit.unused
        def slow(self, x):
            return max(x, key=lambda y: y.sum())

        def forward(self, x, slow: bool = False):
            if slow:
                return self.slow(x)
            return x

    x = torch.ones(2, 2)
    return _made(torch, Net), [(x,), (x, True)]


def skipped_while_scripting(torch):
    class Net(torch.nn.Module):
        def forward(self, x):
            if not torch.jit.is_scripting():
                x = (lambda y: y)(x) if False else x * 100
            return x

    return _made(torch, Net), _two(torch)


def nested_modules(torch):
    class Block(torch.nn.Module):
        def __init__(self, n: int):
            super().__init__()
            self.fc, self.n = torch.nn.Linear(3, 3), n

        def forward(self, x, times: int):
            for _ in range(times):
                x = self.fc(x).tanh()
            return x if bool(x.sum() > 0) else -x

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = Block(1), Block(2)

        def forward(self, x):
            return self.second(self.first(x, 2), 1)

    return _made(torch, Net), _two(torch)


def module_dict(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = torch.nn.ModuleDict({"a": torch.nn.Linear(3, 3), "b": torch.nn.ReLU()})

        def forward(self, x):
            out: dict[str, torch.Tensor] = {}
            for name, part in self.parts.items():
                x = part(x)
                out[name] = x
            return out

    return _made(torch, Net), _two(torch)


def recurrent_loop(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = torch.nn.GRUCell(3, 4)

        def forward(self, x):
            state = torch.zeros(1, 4)
            for row in x:
                state = self.cell(row.unsqueeze(0), state)
                if bool(state.abs().max() > 0.9):
                    break
            return state

    return _made(torch, Net), _two(torch)


def convolutions(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm, self.pool = torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.MaxPool2d(2)

        def forward(self, x):
            x = self.pool(self.norm(self.conv(x)))
            return torch.flatten(x, 1)

    x = torch.arange(72.0).reshape(2, 1, 6, 6)
    return _made(torch, Net), [(x,), (x[:1] + 1,)]


def static_method_and_property(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.n = 2

        @staticmethod
        def twice(x):
            return x * 2

        @property
        def size(self) -> int:
            return self.n + 1

        def forward(self, x):
            return self.twice(x) + self.size

    return _made(torch, Net), _two(torch)


def no_attribute(torch):
    class Net(torch.nn.Module):
        def forward(self, x):
            return self.missing(x)

    return Net(), []


def new_attribute(torch):
    class Net(torch.nn.Module):
        def forward(self, x):
            self.last = x
            return x

    return Net(), []


def attribute_of_another_type(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.n = 1

        def forward(self, x):
            self.n = "a"
            return x

    return Net(), []


def empty_list_attribute(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.items = []

        def forward(self, x):
            return self.items

    return Net(), []


def variable_index_of_layers(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.ReLU()])

        def forward(self, x, i: int):
            return self.layers[i](x)

    return Net(), []


def method_with_other_types(torch):
    class Net(torch.nn.Module):
        def helper(self, x, n: int):
            return x * n

        def forward(self, x):
            return self.helper(x, "a")

    return Net(), []


def super_in_forward(torch):
    class Base(torch.nn.Module):
        def forward(self, x):
            return x

    class Net(Base):
        def forward(self, x):
            return super().forward(x)

    return Net(), []
