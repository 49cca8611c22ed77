"""A small GPT that learns to write Python, one character after another.

Data: any text file. The default is a part of the Python standard library's source, a tenth of it held out.
Run it with ``python -m torchlike examples/char_gpt.py`` or, under PyTorch, ``python examples/char_gpt.py``.
"""

import argparse
import math
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn, optim
from tqdm import tqdm


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(B, T, 3, self.heads, -1).permute(2, 0, 3, 1, 4)  # (B, H, T, D/H) each
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.project(attended.transpose(1, 2).reshape(B, T, D))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, vocabulary, context=64, width=64, layers=4, heads=4):
        super().__init__()
        self.context = context
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):  # (B, T) -> (B, T, vocabulary)
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def read(file):
    library = Path(argparse.__file__).parent
    files = [Path(file)] if file else [library / f"{name}.py" for name in ("argparse", "textwrap", "random", "tarfile")]
    return "".join(file.read_text() for file in files)


def loss_on(data, model, windows):
    """Return the cross entropy in nats per character, averaged over random windows of the data."""
    starts = torch.randint(len(data) - model.context, (windows, 1))
    text = data[starts + torch.arange(model.context + 1)].to(model.head.weight.device)  # (B, T + 1)
    return F.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())


@torch.no_grad()
def sample(model, window, count, temperature=0.8):
    # The window always has full length and slides. A growing context would have a new shape, and so a new program to
    # compile, at every character.
    written = []
    for _ in tqdm(range(count), desc="sampling", leave=False):
        logits = model(window[None])[0, -1]
        letter = torch.multinomial(F.softmax(logits / temperature, dim=-1), 1)
        window = torch.cat([window[1:], letter])
        written.append(letter.item())
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", help="text to learn from")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--save", metavar="FILE", help="write the trained weights there")
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    text = read(args.file)
    letters = sorted(set(text))
    code = {letter: index for index, letter in enumerate(letters)}
    data = torch.tensor([code[letter] for letter in text])
    train, held_out = data[: len(data) * 9 // 10], data[len(data) * 9 // 10 :]
    model = GPT(len(letters)).to(args.device)
    optimizer = optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95))
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    print(
        f"{len(text):,} characters, {len(letters)} different; "
        f"blind chance costs ln({len(letters)}) = {math.log(len(letters)):.2f}"
    )

    bar = tqdm(range(args.steps), unit="step")
    for step in bar:
        loss = loss_on(train, model, windows=16)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step == 0:
            bar.write(f"first loss: {loss.item():.9g}")
        bar.set_postfix(loss=f"{loss.item():.3f}")

    model.eval()
    if args.save:
        torch.save(model.state_dict(), args.save)
    written = sample(model, held_out[: model.context].to(args.device), count=300)
    print("".join(letters[index] for index in written))
    with torch.no_grad():
        print(f"held-out loss: {loss_on(held_out, model, windows=128).item():.3f} nats a character")


if __name__ == "__main__":
    main()
