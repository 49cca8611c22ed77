"""Train small models as PyTorch programs for one device do, and print their losses.

Arguments: the trainings, such as `gpt:compiled`, and `sharded` to shard all parameters over the axis `data`. A training
is a model, how its steps run (`recorded` or `compiled`), and optionally the size of a batch.
"""

import json
import sys

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

STEPS, SAMPLES, WORDS, LENGTH = 50, 640, 32, 16


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = [t.unflatten(2, (4, -1)).transpose(1, 2) for t in self.qkv(self.ln1(x)).chunk(3, 2)]
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        x = x + F.dropout(self.proj(y), 0.1, self.training)
        return x + F.dropout(self.out(F.gelu(self.fc(self.ln2(x)))), 0.1, self.training)


class GPT(nn.Module):
    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.tok, self.pos = nn.Embedding(WORDS, width), nn.Embedding(LENGTH, width)
        self.block, self.head = Block(width), nn.Linear(width, WORDS, bias=False)

    def forward(self, i):
        x = F.dropout(self.tok(i) + self.pos(torch.arange(i.shape[1])), 0.1, self.training)
        return self.head(self.block(x)).flatten(0, 1)


def mlp():
    model = nn.Sequential(
        nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, weight_decay=1e-4)
    return model, optimizer, torch.randn(SAMPLES, 20), torch.randint(0, 10, (SAMPLES,))


def cnn():
    convolutions = [nn.Conv2d(3, 16, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)]
    convolutions += [nn.Conv2d(16, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(), nn.Dropout(0.2)]
    model = nn.Sequential(*convolutions, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    return model, optimizer, torch.randn(SAMPLES, 3, 8, 8), torch.randint(0, 10, (SAMPLES,))


def gpt():
    model = GPT()
    words = torch.randint(0, WORDS, (SAMPLES, LENGTH + 1))
    return model, torch.optim.AdamW(model.parameters(), 1e-3), words[:, :-1].clone(), words[:, 1:].clone()


def train(make, mode: str, size: int) -> dict:
    torch.manual_seed(0)
    model, optimizer, inputs, targets = make()
    if "sharded" in sys.argv:
        torch.distribute(model, rules={"*": "data"})

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y.flatten())
        loss.backward()
        optimizer.step()
        return loss

    if mode == "compiled":
        step = torch.compile(step)
    losses: list[float] = []
    while len(losses) < STEPS:
        for x, y in DataLoader(TensorDataset(inputs, targets), batch_size=size, shuffle=True):
            losses.append(step(x, y).item())
    model.eval()
    with torch.no_grad():
        result = F.cross_entropy(model(inputs[:size]), targets[:size].flatten()).item()
    return {"losses": losses[:STEPS], "evaluated": result, **placed(model, optimizer, x)}


def placed(model, optimizer, batch) -> dict:
    """Return the numbers of sharded parameters, gradients and optimizer states, and the sharding of a batch."""
    if not hasattr(torch, "explain"):  # PyTorch itself
        return {}
    spec = lambda t: str(getattr(getattr(t._storage.value.array, "sharding", None), "spec", None))
    count = lambda tensors: sum("'" in spec(t) for t in tensors)
    states = [s for state in optimizer.state.values() for s in state.values() if s is not None and s.ndim]
    return {
        "parameters": count(model.parameters()),
        "gradients": count(p.grad for p in model.parameters()),
        "states": count(states),
        "batch": spec(batch),
        "mesh": torch.explain().mesh,
        "collectives": collectives(),
    }


def collectives() -> list[str]:
    """Return the kinds of collectives in all programs of the process."""
    from torchlike._engine.ahead import hlo
    from torchlike._engine.programs import programs

    compiled = [getattr(getattr(program, "executable", program), "compiled", None) for program in programs]
    return sorted({kind for one in compiled if one is not None for kind in hlo.collectives(one.as_text())})


if __name__ == "__main__":
    if "float64" in sys.argv:
        torch.set_default_dtype(torch.float64)
    for name in sys.argv[1:]:
        if ":" in name:
            kind, mode, *size = name.split(":")
            print(json.dumps({"name": name, **train(globals()[kind], mode, int(size[0]) if size else 64)}), flush=True)
