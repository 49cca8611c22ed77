"""Tensor parallelism: an MLP and an attention block, trained with sequence and loss parallelism."""

import math

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    PrepareModuleInputOutput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)

from tests.processes.saying import STEPS, leave, say

dist.init_process_group("gloo")
torch.set_default_dtype(torch.float64)
rank, size = dist.get_rank(), dist.get_world_size()
mesh = init_device_mesh("cpu", (size,), mesh_dim_names=("tp",))
WIDTH, HEADS, WORDS, LENGTH = 16, 4, 12, 8


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=i == 3) for i in range(4))

    def forward(self, x):
        split = [f(x).unflatten(-1, (-1, WIDTH // HEADS)).transpose(1, 2) for f in (self.q, self.k, self.v)]
        q, k, v = split
        scores = (q @ k.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)).softmax(-1)
        return self.o((scores @ v).transpose(1, 2).flatten(2))


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.before, self.attention = nn.LayerNorm(WIDTH), Attention()
        self.after, self.mlp = nn.RMSNorm(WIDTH), MLP()
        self.last, self.out = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

    def forward(self, x):
        x = self.words(x)
        x = x + self.attention(self.before(x))
        x = x + self.mlp(self.after(x))
        return self.out(self.last(x))


def numbers(x):
    x = x.full_tensor() if isinstance(x, DTensor) else x
    return x.detach().flatten()[:40:3].tolist()


def train(name, model, loss_of):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, foreach=False)
    generator = torch.Generator().manual_seed(1)
    losses = []
    for _ in range(STEPS):
        x = torch.randint(WORDS, (2, LENGTH), generator=generator)
        optimizer.zero_grad()
        loss = loss_of(model, x)
        losses.append(float(loss))
        optimizer.step()
    say(f"{name} losses", lambda: losses)
    for key, param in model.named_parameters():
        found = tuple(param.shape), getattr(param, "placements", None), numbers(param), numbers(param.grad)
        say(f"{name} {key}", lambda found=found: found)


def plain_loss(model, x):
    loss = F.cross_entropy(model(x).flatten(0, 1), x.roll(1, 1).flatten())
    loss.backward()
    return loss


torch.manual_seed(0)
train("one device", Model(), plain_loss)

torch.manual_seed(0)
model = Model()
plan = {
    "attention.q": ColwiseParallel(),
    "attention.k": ColwiseParallel(),
    "attention.v": ColwiseParallel(),
    "attention.o": RowwiseParallel(),
    "mlp.up": ColwiseParallel(),
    "mlp.down": RowwiseParallel(),
}
say("styles", lambda: list(plan.values()))
train("columns and rows", parallelize_module(model, mesh, plan), plain_loss)


def divided_loss(model, x):
    with loss_parallel():
        loss = F.cross_entropy(model(x).flatten(0, 1), x.roll(1, 1).flatten())
        loss.backward()
    say("loss", lambda: loss.placements) if rank == 0 else None
    return loss.full_tensor()


torch.manual_seed(0)
model = Model()
whole = PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),))
plan = {
    "words": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1), use_local_output=False),
    "before": SequenceParallel(),
    "attention": whole,
    "attention.[qkv]": ColwiseParallel(use_local_output=False),
    "attention.o": RowwiseParallel(output_layouts=Shard(1), use_local_output=False),
    "after": SequenceParallel(),
    "mlp": whole,
    "mlp.up": ColwiseParallel(use_local_output=False),
    "mlp.down": RowwiseParallel(output_layouts=Shard(1), use_local_output=False),
    "last": SequenceParallel(),
    "out": ColwiseParallel(input_layouts=Shard(1), output_layouts=Shard(-1), use_local_output=False),
}
train("sequence and loss", parallelize_module(model, mesh, plan), divided_loss)

say(
    "others",
    lambda: (
        SequenceParallel(),
        whole,
        PrepareModuleOutput(output_layouts=Shard(0), desired_output_layouts=Replicate()),
    ),
)
both = PrepareModuleInputOutput(
    input_layouts=Shard(0),
    desired_input_layouts=Replicate(),
    output_layouts=Replicate(),
    desired_output_layouts=Shard(0),
)
say("both", lambda: both)
layer = parallelize_module(nn.Sequential(nn.ReLU()), mesh, both)
say("prepared", lambda: layer(torch.arange(4.0).view(2, 2) - rank))
for name, run in {
    "kind": lambda: parallelize_module(nn.ReLU(), mesh, ColwiseParallel()),
    "twice": lambda: parallelize_module(model.out, mesh, ColwiseParallel()),
    "plan": lambda: parallelize_module(nn.ReLU(), mesh, 3),
    "lengths": lambda: PrepareModuleInput(input_layouts=(Shard(0), None), desired_input_layouts=(Shard(0),)),
}.items():
    say(name, run)
leave(dist)
