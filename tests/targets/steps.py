"""Training steps of all kinds, as functions of a library (torchlike or PyTorch) and a device.

Each returns a step, which runs one training step and returns the loss, and the tensors that the steps change.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

Made = tuple[Callable[[], Any], Callable[[], list[Any]]]


def _pair(torch: Any, device: str, *shape: int) -> tuple[Any, Any]:
    """Return inputs of a shape (N, ...) and N class indices below 5."""
    count = torch.arange(torch.zeros(shape).numel(), dtype=torch.float32)
    return (count * 0.37).sin().reshape(shape).to(device), (torch.arange(shape[0]) % 5).to(device)


def _set(torch: Any, net: Any, device: str) -> Any:
    """Give the parameters of a network fixed values and move it to a device."""
    with torch.no_grad():
        for number, parameter in enumerate(net.parameters()):
            values = torch.arange(parameter.numel(), dtype=torch.float32).add(number).mul(0.7).sin().mul(0.3)
            parameter.copy_(values.reshape(parameter.shape))
    return net.to(device)


def _mlp(torch: Any, device: str) -> Any:
    nn = torch.nn
    return _set(torch, nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 5)), device)


def _trains(
    torch: Any, net: Any, optimizer: Any, loss_of: Callable[[], Any], before: Any = None, after: Any = None
) -> Made:
    def step():
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        if before is not None:
            before()
        optimizer.step()
        if after is not None:
            after()
        return loss.detach()

    return step, lambda: [*net.state_dict().values()]


def _plain(kind: str, torch: Any, device: str, **options: Any) -> Made:
    net, (x, y) = _mlp(torch, device), _pair(torch, device, 7, 6)
    optimizer = getattr(torch.optim, kind)(net.parameters(), lr=0.1, **options)
    return _trains(torch, net, optimizer, lambda: torch.nn.functional.cross_entropy(net(x), y))


def clips(torch: Any, device: str) -> Made:
    net, (x, y) = _mlp(torch, device), _pair(torch, device, 7, 6)
    clip = lambda: torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    return _trains(torch, net, optimizer, lambda: torch.nn.functional.cross_entropy(net(x), y), clip)


def schedules(torch: Any, device: str) -> Made:
    net, (x, y) = _mlp(torch, device), _pair(torch, device, 7, 6)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=20)
    return _trains(torch, net, optimizer, lambda: torch.nn.functional.cross_entropy(net(x), y), None, scheduler.step)


def averages(torch: Any, device: str) -> Made:
    net, (x, y) = _mlp(torch, device), _pair(torch, device, 7, 6)
    ema = torch.optim.swa_utils.get_ema_multi_avg_fn(0.9)
    mean = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=ema)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    update = lambda: mean.update_parameters(net)
    step, _ = _trains(torch, net, optimizer, lambda: torch.nn.functional.cross_entropy(net(x), y), None, update)
    return step, lambda: [*mean.parameters()]


def accumulates(torch: Any, device: str) -> Made:
    net, (x, y) = _mlp(torch, device), _pair(torch, device, 7, 6)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)

    def step():
        optimizer.zero_grad()
        for part, classes in zip(x.split(3), y.split(3)):
            loss = torch.nn.functional.cross_entropy(net(part), classes) / 3
            loss.backward()
        optimizer.step()
        return loss.detach()

    return step, lambda: [*net.parameters()]


def scales(torch: Any, device: str) -> Made:
    net, (x, y) = _mlp(torch, device), _pair(torch, device, 7, 6)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler(device.partition(":")[0], init_scale=2.0**10, growth_interval=2)

    def step():
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        return loss.detach()

    return step, lambda: [*net.parameters()]


def normalizes(torch: Any, device: str) -> Made:
    nn = torch.nn
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 5))
    net, (x, y) = _set(torch, net, device), _pair(torch, device, 4, 3, 6, 6)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    return _trains(torch, net, optimizer, lambda: nn.functional.cross_entropy(net(x), y))


def drops(torch: Any, device: str) -> Made:
    nn = torch.nn
    net = _set(torch, nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.Linear(8, 5)), device)
    x, y = _pair(torch, device, 7, 6)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    return _trains(torch, net, optimizer, lambda: nn.functional.cross_entropy(net(x), y))


def embeds(torch: Any, device: str) -> Made:
    nn = torch.nn
    net = _set(torch, nn.Sequential(nn.Embedding(11, 6, padding_idx=0), nn.Linear(6, 5)), device)
    x, y = (torch.arange(7) % 4).to(device), _pair(torch, device, 7, 6)[1]
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    return _trains(torch, net, optimizer, lambda: nn.functional.cross_entropy(net(x), y, ignore_index=3))


def masks(torch: Any, device: str) -> Made:
    net, (x, _) = _mlp(torch, device), _pair(torch, device, 7, 6)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def loss():
        found = net(x)
        kept = found.masked_fill(found > 0.2, -1.0)
        return torch.where(kept < 0, kept, found * 2).square().mean()

    return _trains(torch, net, optimizer, loss)


def indexes(torch: Any, device: str) -> Made:
    net, (x, y) = _mlp(torch, device), _pair(torch, device, 7, 6)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def loss():
        found = net(x)
        rows = found.index_select(0, y)
        return found.gather(1, y[:, None]).sum() + rows[y].square().mean() + found[y, y].sum()

    return _trains(torch, net, optimizer, loss)


def selects_classes(torch: Any, device: str) -> Made:
    net, (x, y) = _mlp(torch, device), _pair(torch, device, 7, 6)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    F = torch.nn.functional

    def loss():
        found = net(x)
        return F.nll_loss(F.log_softmax(found, -1), y) + F.multi_margin_loss(found, y)

    return _trains(torch, net, optimizer, loss)


def attends(torch: Any, device: str) -> Made:
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norms = nn.ModuleList([nn.LayerNorm(8), nn.LayerNorm(8)])
            self.three, self.out = nn.Linear(8, 24), nn.Linear(8, 8)
            self.mlp = nn.Sequential(nn.Linear(8, 32), nn.GELU(approximate="tanh"), nn.Linear(32, 8))

        def forward(self, x):
            q, k, v = self.three(self.norms[0](x)).chunk(3, -1)
            heads = [t.unflatten(-1, (2, 4)).transpose(1, 2) for t in (q, k, v)]
            mixed = nn.functional.scaled_dot_product_attention(*heads, is_causal=True)
            x = x + self.out(mixed.transpose(1, 2).flatten(2))
            return x + self.mlp(self.norms[1](x))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(11, 8), nn.Embedding(6, 8)
            self.blocks, self.norm = nn.Sequential(Block(), Block()), nn.LayerNorm(8)
            self.head = nn.Linear(8, 11, bias=False)
            self.head.weight = self.words.weight

        def forward(self, x):
            at = torch.arange(x.shape[1], device=x.device)
            return self.head(self.norm(self.blocks(self.words(x) + self.places(at))))

    net = _set(torch, Gpt(), device)
    tokens = (torch.arange(14) * 3 % 11).reshape(2, 7).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    loss = lambda: nn.functional.cross_entropy(net(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    clip = lambda: nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    return _trains(torch, net, optimizer, loss, clip)


def halves(torch: Any, device: str) -> Made:
    nn = torch.nn
    first, second = (device, device) if device == "cpu" else TWO
    net, (x, _) = _set(torch, nn.Sequential(nn.Linear(6, 8), nn.Linear(8, 5)), "cpu"), _pair(torch, first, 7, 6)
    net[0].to(first), net[1].to(second)
    y = torch.arange(7).remainder(5).to(second)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    return _trains(torch, net, optimizer, lambda: nn.functional.cross_entropy(net[1](net[0](x).relu().to(second)), y))


STEPS: dict[str, Callable[[Any, str], Made]] = {
    "SGD": functools.partial(_plain, "SGD"),
    "SGD with momentum": functools.partial(_plain, "SGD", momentum=0.9),
    "AdamW": functools.partial(_plain, "AdamW"),
    "clip_grad_norm_": clips,
    "OneCycleLR": schedules,
    "AveragedModel (EMA)": averages,
    "gradient accumulation": accumulates,
    "GradScaler": scales,
    "BatchNorm": normalizes,
    "Dropout": drops,
    "Embedding": embeds,
    "masked_fill and where": masks,
    "index tensors": indexes,
    "class indices": selects_classes,
    "two devices": halves,
    "GPT": attends,
}
TWO = "cuda:0", "cuda:1"  # the devices of a step over two devices


def run(torch: Any, name: str, device: str, count: int, compiled: bool = False) -> tuple[list[float], list[Any]]:
    """Run `count` steps. Return the losses and the tensors that the steps changed."""
    step, tensors = STEPS[name](torch, device)
    step = torch.compile(step) if compiled else step
    losses = [step() for _ in range(count)]
    return [float(loss) for loss in losses], [t.cpu().double().tolist() for t in tensors()]
