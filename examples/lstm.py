"""An LSTM that reads a handwritten digit row by row, as a sequence of eight rows.

Data: scikit-learn's 1,797 scanned digits, 8x8 pixels of 16 grey levels, a fifth of them held out.
Run it with ``python -m torchlike examples/lstm.py`` or, under PyTorch, ``python examples/lstm.py``.
"""

import argparse

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset, random_split
from tqdm import tqdm


class RowReader(nn.Module):
    def __init__(self, width=8, hidden=96, classes=10):
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, num_layers=2, batch_first=True)
        self.head = nn.Linear(hidden, classes)

    def forward(self, x):
        outputs, _ = self.lstm(x)  # (B, 8, hidden)
        return self.head(outputs[:, -1])


def load(batch_size):
    digits = load_digits()
    data = TensorDataset(torch.tensor(digits.images, dtype=torch.float32) / 16, torch.tensor(digits.target))
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
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--save", metavar="FILE", help="write the trained weights there")
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    train, test = load(args.batch_size)
    model = RowReader().to(args.device)
    optimizer = optim.Adam(model.parameters(), lr=args.lr)
    schedule = optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, total_iters=args.epochs * len(train))

    with tqdm(total=args.epochs * len(train), unit="step") as bar:
        for epoch in range(args.epochs):
            for x, y in train:
                loss = F.cross_entropy(model(x.to(args.device)), y.to(args.device))
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
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
