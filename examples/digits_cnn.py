"""A convolutional network that reads handwritten digits.

Data: scikit-learn's 1,797 scanned digits, 8x8 pixels of 16 grey levels, a fifth of them held out.
Run it with ``python -m torchlike examples/digits_cnn.py`` or, under PyTorch, ``python examples/digits_cnn.py``.
"""

import argparse

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset, random_split
from tqdm import tqdm


class Block(nn.Module):
    """A block of convolution, batch norm and ReLU that keeps height and width."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel_size=3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(Block(1, 16), Block(16, 32), nn.MaxPool2d(2), Block(32, 64), nn.MaxPool2d(2))
        self.dropout = nn.Dropout(0.3)
        self.head = nn.Linear(64 * 2 * 2, 10)

    def forward(self, x):
        x = self.features(x)  # (B, 64, 2, 2)
        return self.head(self.dropout(x.flatten(1)))


def load(batch_size):
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16  # (1797, 1, 8, 8)
    data = TensorDataset(images, torch.tensor(digits.target))
    held_out = len(data) // 5
    train, test = random_split(data, [len(data) - held_out, held_out])
    return DataLoader(train, batch_size, shuffle=True, drop_last=True), DataLoader(test, batch_size)


@torch.no_grad()
def accuracy(model, loader, device):
    model.eval()
    right = sum((model(x.to(device)).argmax(1) == y.to(device)).sum().item() for x, y in loader)
    model.train()
    return right / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--save", metavar="FILE", help="write the trained weights there")
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    train, test = load(args.batch_size)
    model = Net().to(args.device)
    optimizer = optim.AdamW(model.parameters(), lr=args.lr)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs * len(train))

    with tqdm(total=args.epochs * len(train), unit="step") as bar:
        for epoch in range(args.epochs):
            for x, y in train:
                loss = F.cross_entropy(model(x.to(args.device)), y.to(args.device))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
                if bar.n == 0:
                    bar.write(f"first loss: {loss.item():.9g}")
                bar.set_postfix(epoch=epoch + 1, loss=f"{loss.item():.3f}")
                bar.update()

    if args.save:
        torch.save(model.state_dict(), args.save)
    print(f"held-out accuracy: {accuracy(model, test, args.device):.2%}")


if __name__ == "__main__":
    main()
