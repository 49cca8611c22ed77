"""The networks of the accuracy table, for either library: a CNN and an LSTM that read scanned digits."""

from __future__ import annotations

from typing import Any

from sklearn.datasets import load_digits

HELD_OUT = 359  # of 1,797 digits


def data(torch: Any) -> tuple[Any, Any, Any, Any]:
    """Return images (N, 1, 8, 8) and labels of the training set, and those of the held-out set."""
    digits: Any = load_digits()
    order = torch.randperm(len(digits.target), generator=torch.Generator().manual_seed(1)).tolist()
    images = torch.tensor(digits.images[order], dtype=torch.float32).unsqueeze(1) / 16
    labels = torch.tensor(digits.target[order])
    return images[HELD_OUT:], labels[HELD_OUT:], images[:HELD_OUT], labels[:HELD_OUT]


def cnn(torch: Any) -> Any:
    """Return a CNN with a residual sum, between stubs."""
    nn, ao = torch.nn, torch.ao

    class Block(nn.Module):
        def __init__(self, inputs: int, outputs: int) -> None:
            super().__init__()
            self.conv = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
            self.norm = nn.BatchNorm2d(outputs)
            self.relu = nn.ReLU()

        def forward(self, x: Any) -> Any:
            return self.relu(self.norm(self.conv(x)))

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.quant, self.dequant = ao.quantization.QuantStub(), ao.quantization.DeQuantStub()
            self.first, self.second = Block(1, 16), Block(16, 16)
            self.sum = ao.nn.quantized.FloatFunctional()
            self.pool = nn.MaxPool2d(2)
            self.third = Block(16, 32)
            self.mean = nn.AdaptiveAvgPool2d(2)
            self.hidden, self.relu, self.head = nn.Linear(128, 32), nn.ReLU(), nn.Linear(32, 10)

        def forward(self, x: Any) -> Any:
            x = self.first(self.quant(x))
            x = self.pool(self.sum.add(x, self.second(x)))
            x = torch.flatten(self.mean(self.third(x)), 1)
            return self.dequant(self.head(self.relu(self.hidden(x))))

    return Net()


_BLOCKS = ("first", "second", "third")
FUSED = [*([f"{name}.conv", f"{name}.norm", f"{name}.relu"] for name in _BLOCKS), ["hidden", "relu"]]


def lstm(torch: Any) -> Any:
    """Return an LSTM that reads the rows of an image, and a linear head."""
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lstm = nn.LSTM(8, 48, batch_first=True)
            self.head = nn.Linear(48, 10)

        def forward(self, x: Any) -> Any:
            return self.head(self.lstm(x.squeeze(1))[0][:, -1])

    return Net()


def train(torch: Any, model: Any, epochs: int, lr: float, on_epoch: Any = None) -> None:
    """Train with Adam. The batches are the same in both libraries."""
    images, labels, _, _ = data(torch)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    generator = torch.Generator().manual_seed(2)
    model.train()
    for epoch in range(epochs):
        if on_epoch is not None:
            on_epoch(epoch)
        for places in torch.randperm(len(images), generator=generator).split(64):
            loss = torch.nn.functional.cross_entropy(model(images[places]), labels[places])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval()


def accuracy(torch: Any, model: Any) -> float:
    """Return the share of held-out digits that a model reads rightly, in percent."""
    _, _, images, labels = data(torch)
    with torch.no_grad():
        return (model(images).argmax(1) == labels).float().mean().item() * 100
