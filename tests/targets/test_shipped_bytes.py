"""The bytes that a training step of a GPT with dropout ships to an accelerator. A CPU device stands in for it."""

import jax
import pytest

import torchlike as torch
from torchlike import nn
from torchlike._dtypes.devices import stand_ins
from torchlike._engine.xla import transfers
from torchlike.nn import functional as F

WIDTH, HEADS, LENGTH, WORDS = 32, 4, 16, 50


class Block(nn.Module):
    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p
        self.before, self.after = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.merge = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        heads = [t.unflatten(2, (HEADS, -1)).transpose(1, 2) for t in self.project(self.before(x)).chunk(3, 2)]
        mixed = F.scaled_dot_product_attention(*heads, dropout_p=self.p if self.training else 0.0, is_causal=True)
        x = x + self.drop(self.merge(mixed.transpose(1, 2).flatten(2)))
        return x + self.drop(self.narrow(F.gelu(self.wide(self.after(x)), approximate="tanh")))


class Gpt(nn.Module):
    def __init__(self, layers: int, p: float) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.drop, self.norm = nn.Dropout(p), nn.LayerNorm(WIDTH)
        self.blocks = nn.Sequential(*[Block(p) for _ in range(layers)])

    def forward(self, words, targets):
        x = self.drop(self.words(words) + self.places(torch.arange(LENGTH, device=words.device)))
        scores = self.norm(self.blocks(x)) @ self.words.weight.T
        return F.cross_entropy(scores.flatten(0, 1), targets.flatten())


@pytest.mark.one_in(2)
@pytest.mark.parametrize("layers", [2, 5])
def test_a_compiled_step_of_a_gpt_with_dropout_ships_64_bytes_at_most(layers):
    with stand_ins("cuda", jax.devices("cpu")[:1]):
        net = Gpt(layers, 0.1).to("cuda")
        matrices = [p for p in net.parameters() if p.dim() > 1]
        others = [p for p in net.parameters() if p.dim() < 2]
        groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
        optimizer = torch.optim.AdamW(groups, lr=1e-3)
        words = torch.randint(0, WORDS, (2, LENGTH + 1), device="cuda")

        @torch.compile(fullgraph=True)
        def step(words, targets):
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = net(words, targets)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            return loss

        batch = words[:, :-1].clone(), words[:, 1:].clone()
        for _ in range(4):
            step(*batch)
        torch.cuda.synchronize()
        with transfers.counted() as counts:
            losses = [step(*batch) for _ in range(3)]
            torch.cuda.synchronize()
        assert counts.programs == 3 and counts.to_host == 0
        assert 0 < counts.to_device_bytes <= 3 * 64
        assert len({loss.item() for loss in losses}) == 3
