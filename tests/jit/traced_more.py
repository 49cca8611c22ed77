"""Further programs that are traced with a tensor of shape (2, 3). The sizes of their operators follow the input."""


def positions(torch):
    return lambda x: x + torch.arange(x.size(1), device=x.device, dtype=x.dtype)


def causal_mask(torch):
    def f(x):
        n = x.shape[0]
        mask = torch.triu(torch.ones(n, n), diagonal=1).bool()
        return (x @ x.t()).masked_fill(mask, float("-inf")).softmax(-1) @ x

    return f


def star_of_shape(torch):
    return lambda x: x.view(*x.shape[:-1], -1, 1).expand(*x.shape, 2)


def half_of_the_columns(torch):
    return lambda x: torch.cat([x[:, : x.shape[1] // 2], x[:, x.shape[1] // 2 :] * 2], dim=1)


def compared_shape(torch):
    return lambda x: x * 2 if tuple(x.shape) == (2, 3) else x * 3


def asserted_size(torch):
    def f(x):
        assert x.shape[1] == 3
        return x.sum(1)

    return f


def rank(torch):
    return lambda x: x.unsqueeze(0) if x.dim() == 2 else x


def chunks(torch):
    return lambda x: torch.cat([piece * i for i, piece in enumerate(x.chunk(3, dim=1))], 1)


def splits(torch):
    def f(x):
        a, b = x.split([1, 2], dim=1)
        return a * b

    return f


def boolean_index(torch):
    return lambda x: x[x > 0] * 2


def nonzero_rows(torch):
    return lambda x: x[torch.nonzero(x[:, 0] >= 0).squeeze(1)]


def in_place(torch):
    def f(x):
        y = x.clone()
        y[0] = 5
        y[:, 1] += x.shape[0]
        y.clamp_(max=4)
        return y

    return f


def numpy_constant(torch):
    def f(x):
        import numpy as np

        return x * torch.from_numpy(np.arange(3, dtype=np.float32)) + float(np.pi)

    return f


def grown_list(torch):
    def f(x):
        rows = []
        for i in range(len(x)):
            rows.append(x[i] * i)
        return torch.stack(rows[::-1])

    return f


def sum_of_sizes(torch):
    return lambda x: x * (x.shape[0] + x.shape[1] * 2) - x.numel()


def root_of_a_size(torch):
    return lambda x: x / x.size(1) ** 0.5


def interpolated(torch):
    return lambda x: torch.nn.functional.interpolate(x[None, None], scale_factor=2.0)[0, 0]


def padded(torch):
    return lambda x: torch.nn.functional.pad(x, (1, 2))


def sorted_and_top(torch):
    def f(x):
        values, places = x.sort(dim=1, descending=True)
        top, _ = x.topk(2, dim=1)
        return values, places, top

    return f


def flattened_and_back(torch):
    return lambda x: x.flatten().relu().reshape(x.shape)


def repeated(torch):
    return lambda x: x.repeat(x.size(0), 1).sum(0)


def einsum(torch):
    return lambda x: torch.einsum("ij,kj->ik", x, x)


def while_over_a_count(torch):
    def f(x):
        n = x.shape[0]
        while n > 1:
            x = x * 2
            n //= 2
        return x

    return f


def detached(torch):
    def f(x):
        with torch.no_grad():
            y = x * 2
        return y + x.detach()

    return f


def is_floating_point(torch):
    return lambda x: x if x.is_floating_point() else x.float()


def empty_branch(torch):
    return lambda x: x[:0] if x.numel() > 100 else x


def module_with_attention(torch):
    torch.manual_seed(0)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = torch.nn.MultiheadAttention(3, 1, batch_first=True)

        def forward(self, x):
            y = x.unsqueeze(0)
            return self.attention(y, y, y, need_weights=False)[0].squeeze(0)

    return Net().eval()


def module_with_recurrence(torch):
    torch.manual_seed(0)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = torch.nn.LSTMCell(3, 4)

        def forward(self, x):
            h, c = x.new_zeros(1, 4), x.new_zeros(1, 4)
            for t in range(x.size(0)):
                h, c = self.cell(x[t : t + 1], (h, c))
            return h

    return Net()


def module_with_norms(torch):
    torch.manual_seed(0)
    layers = torch.nn.Sequential(torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 4), torch.nn.LayerNorm(4), torch.nn.GELU())
    return layers.eval()


def module_in_training(torch):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))


def module_with_hooks(torch):
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 3)
    net.register_forward_hook(lambda module, args, result: result * 2)
    return net


def module_with_config(torch):
    class Config:
        def __init__(self):
            self.repeat, self.names = 3, ["a", "b"]

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.config = Config()

        def forward(self, x):
            for name in self.config.names:
                x = x * self.config.repeat + len(name)
            return x

    return Net()
