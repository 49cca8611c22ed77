"""Print the collectives of a compiled training step of a GPT: `python -m torchlike --mesh fsdp=8 collectives.py`.

Arguments: the width, the length of the texts, the number of layers, the number of words and the size of the batch.
"""

import re
import sys
from collections import Counter

import torch
from torch import nn
from torch.nn import functional as F
from train import Block

WIDTH, LENGTH, LAYERS, WORDS, BATCH = map(int, sys.argv[1:] or (256, 64, 4, 512, 64))
COLLECTIVE = re.compile(r" = (.*?) (all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)(?:-start)?\(")
BYTES = {"f32": 4, "s32": 4, "u32": 4, "s64": 8, "pred": 1}


class GPT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tok, self.pos = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*[Block(WIDTH) for _ in range(LAYERS)])
        self.ln, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, i):
        return self.head(self.ln(self.blocks(self.tok(i) + self.pos(torch.arange(i.shape[1])))))


model = GPT()
optimizer = torch.optim.AdamW(model.parameters())


@torch.compile
def step(x, y):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    loss.backward()
    optimizer.step()
    return loss


def size(shapes: str) -> int:
    """Return the number of bytes of the arrays in a piece of HLO text."""
    total = 0
    for dtype, dims in re.findall(r"(\w+)\[([\d,]*)\]", shapes):
        count = 1
        for dim in dims.split(",") if dims else ():
            count *= int(dim)
        total += count * BYTES[dtype]
    return total


words = torch.randint(0, WORDS, (BATCH, LENGTH + 1))
for _ in range(3):
    step(words[:, :-1].clone(), words[:, 1:].clone()).item()
counts: Counter[str] = Counter()
moved: Counter[str] = Counter()
for shapes, kind in COLLECTIVE.findall(step.hlo()):
    counts[kind] += 1
    moved[kind] += size(shapes)
print({kind: f"{counts[kind]}, {moved[kind] / 1e6:.1f} MB" for kind in counts})
memory = step.memory()
print(f"arguments {memory.argument_size_in_bytes / 1e6:.1f} MB, temporaries {memory.temp_size_in_bytes / 1e6:.1f} MB")
