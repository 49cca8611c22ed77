"""The training steps of `benchmarks.ahead` and `benchmarks.gpu`, written for PyTorch.

The argument `torch` is torchlike or PyTorch.
"""

from benchmarks import models_torch
from benchmarks.models import SPECS


def step_of(torch, loss_on, optimizer, form):
    """Return a training step, a function of a batch. `loss_on(*batch)` returns the loss.

    The form says what `torch.compile` compiles: the "whole" step, the "forward" pass, or nothing ("eager"). The step
    ends with `zero_grad()`, so that a whole step need not return gradients, as in the versions for JAX.
    """
    loss_on = torch.compile(loss_on) if form == "forward" else loss_on

    def step(*batch):
        loss = loss_on(*batch)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    return torch.compile(step, fullgraph=True) if form == "whole" else step


def classifier(torch, model, autocast=None):
    """Return the loss of a classifier. `autocast` is a device type whose autocast computes in bfloat16."""

    def loss_on(x, y):
        with torch.autocast(autocast or "cpu", torch.bfloat16, enabled=autocast is not None):
            return torch.nn.functional.cross_entropy(model(x).flatten(0, -2), y.flatten())

    return loss_on


def small(torch, name, device, form="whole"):
    """Return the step of a model of `benchmarks.models`, and its arguments."""
    spec = SPECS[name]
    model = models_torch.build(torch, spec).to(device)
    x, y = (torch.from_numpy(part).to(device) for part in spec.batches()[0])
    optimizer = models_torch.optimizer_of(torch, spec, model)
    return step_of(torch, classifier(torch, model), optimizer, form), (x, y)


def resnet50(torch, device, form="whole", batch=32, side=224):
    nn = torch.nn

    class Bottleneck(nn.Module):
        def __init__(self, inputs, width, stride):
            super().__init__()
            self.convs = nn.ModuleList(
                [
                    nn.Conv2d(inputs, width, 1, bias=False),
                    nn.Conv2d(width, width, 3, stride, 1, bias=False),
                    nn.Conv2d(width, 4 * width, 1, bias=False),
                ]
            )
            self.norms = nn.ModuleList([nn.BatchNorm2d(n) for n in (width, width, 4 * width)])
            self.shortcut = None
            if stride > 1 or inputs != 4 * width:
                convolution = nn.Conv2d(inputs, 4 * width, 1, stride, bias=False)
                self.shortcut = nn.Sequential(convolution, nn.BatchNorm2d(4 * width))

        def forward(self, x):
            y = x
            for i, (convolution, norm) in enumerate(zip(self.convs, self.norms)):
                y = norm(convolution(y))
                y = torch.relu(y) if i < 2 else y
            return torch.relu(y + (x if self.shortcut is None else self.shortcut(x)))

    blocks, inputs = [], 64
    for width, count, first in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            blocks.append(Bottleneck(inputs, width, first if i == 0 else 1))
            inputs = 4 * width
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    model = nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, 0.9)
    return step_of(torch, classifier(torch, model), optimizer, form), images(torch, device, batch, side)


def images(torch, device, batch, side):
    """Return random images (B, 3, H, W) and classes."""
    return torch.randn(batch, 3, side, side).to(device), torch.randint(1000, (batch,)).to(device)


def gpt2(torch, device, form="whole", batch=8, layers=12):
    sizes = {"layers": layers, "width": 768, "heads": 12, "time": 1024, "vocabulary": 50257}
    model = models_torch.gpt(torch, **sizes).to(device)
    tokens = torch.randint(sizes["vocabulary"], (2, batch, sizes["time"])).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    return step_of(torch, classifier(torch, model, device), optimizer, form), (tokens[0], tokens[1])


def vit(torch, device, form="whole", batch=32, layers=12, width=768, heads=12, patch=16, side=224):
    nn = torch.nn

    class ViT(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(3, width, patch, patch)
            self.first = nn.Parameter(torch.zeros(1, 1, width))
            self.positions = nn.Parameter(torch.zeros(1, (side // patch) ** 2 + 1, width))
            self.blocks = nn.ModuleList(models_torch.block(torch, width, heads, False) for _ in range(layers))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

        def forward(self, x):
            x = self.patches(x).flatten(2).transpose(1, 2)  # (B, T, D)
            x = torch.cat([self.first.expand(len(x), -1, -1), x], 1) + self.positions
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x)[:, 0])

    model = ViT().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    return step_of(torch, classifier(torch, model, device), optimizer, form), images(torch, device, batch, side)


def llama(torch, device, form="whole", batch=4, time=2048, width=2048, heads=32, groups=8, hidden=5632):
    """Return a step of one block with grouped-query attention. Its parameters are bfloat16."""
    nn, F = torch.nn, torch.nn.functional
    size = width // heads

    def turned(x, cos, sin):
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            linear = lambda n, m: nn.Linear(n, m, bias=False)
            self.norm1, self.norm2 = nn.RMSNorm(width, 1e-5), nn.RMSNorm(width, 1e-5)
            self.q, self.k, self.v = linear(width, width), linear(width, groups * size), linear(width, groups * size)
            self.o = linear(width, width)
            self.gate, self.up, self.down = linear(width, hidden), linear(width, hidden), linear(hidden, width)

        def forward(self, x, cos, sin):
            B, T, D = x.shape
            y = self.norm1(x)
            q, k, v = (f(y).view(B, T, -1, size).transpose(1, 2) for f in (self.q, self.k, self.v))
            q, k = turned(q, cos, sin), turned(k, cos, sin)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            x = x + self.o(y.transpose(1, 2).reshape(B, T, D))
            y = self.norm2(x)
            return x + self.down(F.silu(self.gate(y)) * self.up(y))

    model = Block().to(torch.bfloat16).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    loss_on = lambda x, cos, sin: model(x, cos, sin).float().square().mean()
    angles = torch.randn(time, size // 2).to(device)
    x = torch.randn(batch, time, width).to(torch.bfloat16).to(device)
    cos, sin = angles.cos().to(torch.bfloat16), angles.sin().to(torch.bfloat16)
    return step_of(torch, loss_on, optimizer, form), (x, cos, sin)


STEPS = {
    "mlp": lambda torch, device, form="whole": small(torch, "mlp10", device, form),
    "cnn": lambda torch, device, form="whole": small(torch, "cnn", device, form),
    "lstm": lambda torch, device, form="whole": small(torch, "lstm", device, form),
    "resnet50": resnet50,
    "llama": llama,
    "vit": vit,
    "gpt2": gpt2,
}
