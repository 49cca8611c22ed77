"""Exported programs compute what their modules compute, at other sizes too."""

import copy
import io

import numpy as np
import pytest

import torchlike as torch
from torchlike.export import Dim, export, load, save
from torchlike.nn import functional as F

torch.manual_seed(0)
nn = torch.nn


class Of(nn.Module):
    """A module that calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def written(x):
    y = x.clone()
    y[:, 0] = 0
    y[:, -1] += 1
    y[y > 1] = 1
    y.mul_(2)
    return torch.cat([y, x.flip(1)], 1)


FUNCTIONS = {
    "in-place writes and masks": written,
    "half of a dim": lambda x: x[:, x.shape[1] // 2 :],
    "every second element": lambda x: x[..., ::2].contiguous().view(x.shape[0], -1),
    "mean by hand": lambda x: x.sum() / x.numel() + x * (1.0 / x.shape[1]),
    "scale by a root": lambda x: x / x.shape[1] ** 0.5,
    "arange": lambda x: torch.zeros_like(x) + torch.arange(x.shape[1]),
    "eye": lambda x: torch.eye(x.shape[1]) @ x.t(),
    "linspace": lambda x: torch.linspace(0, 1, x.shape[1]) * x,
    "causal mask": lambda x: x @ torch.triu(torch.ones(x.shape[1], x.shape[1]), 1),
    "meshgrid": lambda x: torch.meshgrid(torch.arange(x.shape[0]), torch.arange(x.shape[1]), indexing="ij")[0] + x,
    "full of a size": lambda x: torch.full((x.shape[0],), float(x.shape[1])),
    "repeat and expand": lambda x: x.repeat(2, 1).unsqueeze(0).expand(3, 2 * x.shape[0], x.shape[1]),
    "one-hot": lambda x: F.one_hot(x.argmax(1), 50),
    "sort and gather": lambda x: F.softmax(x, -1).gather(1, x.argsort(1)),
    "topk and cumsum": lambda x: (x.topk(2).values, x.sort(1)[0].cumsum(1)),
    "deviation and norm": lambda x: x.std(1) + x.norm(dim=1),
    "einsum": lambda x: torch.einsum("bi,bj->bij", x, x),
    "pad and roll": lambda x: F.pad(x, (1, 2)).roll(2),
    "windows": lambda x: x.unfold(1, 2, 1).sum(-1),
    "pooling": lambda x: F.avg_pool1d(x[None], 3, stride=2, padding=1).flatten(1),
    "cond": lambda x: torch.cond(x.sum() > 0, lambda x: x * x.shape[1], lambda x: x - x.shape[0], (x,)),
    "scan over rows": lambda x: torch._higher_order_ops.scan(lambda c, r: (c + r, c * 2), torch.zeros(x.shape[1]), x)[
        1
    ],
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_at_other_sizes(name):
    module, example = Of(FUNCTIONS[name]), torch.randn(3, 6)
    program = export(module, (example,), dynamic_shapes=({0: Dim("b"), 1: Dim("n")},)).module()
    for shape in [(3, 6), (2, 7), (5, 12), (4, 4)]:
        x = torch.randn(*shape)
        same(program(x), module(x))
        same(program(-x.abs()), module(-x.abs()))


def same(ours, theirs):
    ours, theirs = (x if isinstance(x, tuple) else (x,) for x in (ours, theirs))
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1.3e-6, atol=1e-5)


def recurrent():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.layers = nn.Embedding(30, 8), nn.LSTM(8, 6, 2, batch_first=True, bidirectional=True)
            self.out = nn.Linear(12, 4)

        def forward(self, text):
            states, (h, _) = self.layers(self.words(text))
            return self.out(states), h

    text = lambda b, t: torch.randint(0, 30, (b, t))
    return Tagger(), text(2, 5), ({0: Dim("b"), 1: Dim("t")},), text(3, 9)


def attention():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    x = lambda b, t: torch.randn(b, t, 8)
    return nn.TransformerEncoder(layer, 2).eval(), x(2, 5), ({0: Dim("b"), 1: Dim("t")},), x(3, 9)


def convolutions():
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.Conv2d(8, 8, 3, groups=8, padding=1),
        nn.GELU(),
        nn.Conv2d(8, 4, 3, groups=2, dilation=2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(4, 5),
    ).eval()
    x = lambda b: torch.randn(b, 3, 24, 24)
    return net, x(2), ({0: Dim("b")},), x(5)


def strided():
    net = nn.Sequential(
        nn.Conv1d(4, 8, 5, stride=2, padding=2), nn.Tanh(), nn.MaxPool1d(2), nn.Flatten(), Of(lambda x: x[:, :3])
    )
    x = lambda b, t: torch.randn(b, 4, t)
    return net, x(2, 20), ({0: Dim("b"), 2: Dim("t", min=8)},), x(3, 37)


@pytest.mark.parametrize("make", [recurrent, attention, convolutions, strided])
def test_networks_at_other_sizes(make):
    module, example, dims, other = make()
    program = export(module, (example,), dynamic_shapes=dims).module()
    for x in (example, other):
        with torch.no_grad():
            same(program(x), module(x))


def test_written_buffers_are_replaced():
    module = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    program = export(module, (torch.randn(4, 3),), dynamic_shapes=({0: Dim("b")},))
    assert list(program.graph_signature.buffers_to_mutate.values()) == [
        "1.running_mean",
        "1.running_var",
        "1.num_batches_tracked",
    ]
    loaded = program.module()
    for size in (4, 6):
        x = torch.randn(size, 3)
        same(loaded(x), module(x))
    for name, tensor in module.state_dict().items():
        np.testing.assert_allclose(dict(loaded.state_dict())[name].numpy(), tensor.numpy(), rtol=1.3e-6, atol=1e-6)


def test_inputs_and_results_keep_their_containers():
    class Mixed(nn.Module):
        def forward(self, pair, *, scale=None, flag=True):
            a, b = pair["a"], pair["b"]
            return {"sum": a + b[0], "rest": [b[1], 3, None], "flag": flag, "scaled": a * scale}

    x = torch.randn(2, 3)
    kwargs = {"scale": torch.tensor(2.0), "flag": False}
    program = export(Mixed(), ({"a": x, "b": (x, x)},), kwargs).module()
    found = program({"a": x, "b": (x, x)}, **kwargs)
    assert found["rest"][1:] == [3, None] and found["flag"] is False
    same(found["sum"], 2 * x)
    with pytest.raises(ValueError, match="exported for False"):
        program({"a": x, "b": (x, x)}, scale=torch.tensor(2.0), flag=True)
    with pytest.raises(ValueError, match="tree spec"):
        program({"a": x, "b": [x, x]}, **kwargs)


def test_a_module_trains_as_its_source():
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
    program = export(net, (torch.randn(2, 6),), dynamic_shapes=({0: Dim("b")},))
    file = io.BytesIO()
    save(program, file, vjp_order=1)
    file.seek(0)
    copies = [program.module(), load(file).module(), copy.deepcopy(program.module())]
    x = torch.randn(5, 6)
    for module in (net, *copies):
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            module(x).square().mean().backward()
            optimizer.step()
    for module in copies:
        for name, parameter in module.named_parameters():
            torch.testing.assert_close(parameter, net.get_parameter(name))


def test_a_program_saved_without_its_gradient_says_so():
    file = io.BytesIO()
    save(export(nn.Linear(3, 2), (torch.randn(2, 3),)), file)
    file.seek(0)
    result = load(file).module()(torch.randn(2, 3))
    assert result.requires_grad
    with pytest.raises(RuntimeError, match="vjp_order=1"):
        result.sum().backward()
