"""Pipelines: schedules of one and of several stages per rank, traced models, and their errors."""

import copy

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import (
    PipelineStage,
    Schedule1F1B,
    ScheduleGPipe,
    SplitPoint,
    pipe_split,
    pipeline,
)
from torch.distributed.pipelining.schedules import get_schedule_class

from tests.processes.saying import leave

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
device = torch.device("cpu")


class Block(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.linear, self.norm = nn.Linear(width, width), nn.LayerNorm(width)

    def forward(self, x, scale=1.0):
        return x + torch.tanh(self.norm(self.linear(x))) * scale


def blocks(count):
    torch.manual_seed(0)
    return [Block() for _ in range(count)]


def near(x):
    return torch.round(x.detach(), decimals=2) + 0.0


def grads(module):
    return [(name, None if p.grad is None else near(p.grad)) for name, p in module.named_parameters()]


def attempt(what, function):
    try:
        print(what, function())
    except Exception as error:
        print(what, type(error).__name__, error)


def mean(output, target):
    return ((output - target) ** 2).mean()


torch.manual_seed(1)
x, y = torch.randn(8, 4), torch.randn(8, 4)


def run(schedule, stages, target=y, evaluates=True, **options):
    """Run two steps and an evaluation, and print losses, outputs and gradients."""
    inputs = (x,) if any(stage.is_first for stage in stages) else ()
    has_last = any(stage.is_last for stage in stages)
    for _ in range(2):
        losses = [] if has_last else None
        found = schedule.step(*inputs, target=target if has_last else None, losses=losses, **options)
        print("step", found, losses)
    for stage in stages:
        print("gradients", stage.stage_index, grads(stage.submod))
    if not evaluates:  # PyTorch's schedules in V form fail
        return
    found = schedule.eval(*inputs, target=target if has_last else None, losses=[] if has_last else None)
    print("eval", found)


for name, count in (("GPipe", 4), ("1F1B", 4), ("GPipe", 2), ("1F1B", 8)):
    for scale in (True, False):
        stage = PipelineStage(blocks(size)[rank], rank, size, device)
        print(name, count, scale)
        run(get_schedule_class(name)(stage, count, loss_fn=mean, scale_grads=scale), [stage])

for name, count in (
    ("Interleaved1F1B", 4),
    ("LoopedBFS", 2),
    ("InterleavedZeroBubble", 4),
    ("ZBVZeroBubble", 4),
    ("ZBVZeroBubble", 2),
    ("DualPipeV", 2 * size),
):
    in_v = name in ("ZBVZeroBubble", "DualPipeV")
    indices = (rank, 2 * size - 1 - rank if in_v else rank + size)
    stages = [PipelineStage(blocks(2 * size)[i], i, 2 * size, device) for i in indices]
    print(name, count)
    run(get_schedule_class(name)(stages, count, loss_fn=mean), stages, evaluates=not in_v)

# forward only, keyword arguments, and outputs that are tuples with integers
stage = PipelineStage(blocks(size)[rank], rank, size, device)
print("forward", ScheduleGPipe(stage, 2).step(*([x] if rank == 0 else [])))
schedule = ScheduleGPipe(stage, 4, loss_fn=mean)
scale = torch.arange(8.0)[:, None]
print("kwargs", schedule.step(*([x] if rank == 0 else []), target=y if stage.is_last else None, scale=scale))
print("gradients", grads(stage.submod))


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, a, ids):
        return torch.tanh(self.linear(a)) * (ids > 3), ids + 1


torch.manual_seed(3 + rank)
stage = PipelineStage(Pair(), rank, size, device)
schedule = Schedule1F1B(stage, 4, loss_fn=lambda out, target: mean(out[0], target))
ids = torch.arange(8)[:, None]
losses = []
found = schedule.step(*([x, ids] if rank == 0 else []), target=y if stage.is_last else None, losses=losses)
print("pair", found and (near(found[0]), found[1]))
print("gradients", losses, grads(stage.submod))

# inputs that require gradients, and training
z = x.clone().requires_grad_()
stage = PipelineStage(blocks(size)[rank], rank, size, device)
schedule = Schedule1F1B(stage, 4, loss_fn=mean)
optimizer = torch.optim.AdamW(stage.submod.parameters(), lr=0.05)
for _ in range(5):
    optimizer.zero_grad()
    losses = []
    schedule.step(*([z] if rank == 0 else []), target=y if stage.is_last else None, losses=losses)
    optimizer.step()
    print("training", losses)
print("input", None if z.grad is None else near(z.grad))


# traced models
class Whole(nn.Module):
    def __init__(self, splits=False):
        super().__init__()
        torch.manual_seed(5)
        self.embed = nn.Embedding(10, 4)
        self.layers = nn.ModuleDict({str(i): Block() for i in range(4)})
        self.norm, self.scale = nn.LayerNorm(4), nn.Parameter(torch.ones(4))
        self.register_buffer("bias", torch.full((4,), 0.5))
        self.splits = splits

    def forward(self, ids):
        h = self.embed(ids) * self.scale
        for i, layer in enumerate(self.layers.values()):
            if self.splits and i == 2:
                pipe_split()
            h = layer(h)
        return self.norm(h) + self.bias


ids = torch.arange(24).view(8, 3) % 10
wanted = torch.randn(8, 3, 4)
for splits in (True, False):
    model = Whole(splits)
    whole = copy.deepcopy(model)
    spec = None if splits else {"layers.2": SplitPoint.BEGINNING}
    pipe = pipeline(model, mb_args=(ids[:2],), split_spec=spec)
    print("stages", pipe.num_stages)
    with torch.no_grad():
        print("same", torch.equal(pipe(ids)[0], whole(ids)))
    for i in range(pipe.num_stages):
        names = sorted(name for name, _ in pipe.get_stage_module(i).named_parameters())
        print(names, sorted(name for name, _ in pipe.get_stage_module(i).named_buffers()))
    if size == pipe.num_stages:
        stage = pipe.build_stage(rank, device)
        schedule = ScheduleGPipe(stage, 4, loss_fn=mean)
        losses = []
        print("traced", schedule.step(*([ids] if rank == 0 else []), target=wanted if rank else None, losses=losses))
        print(losses, sorted(grads(stage.submod), key=lambda each: each[0]))

# errors
module = nn.Linear(4, 4)
attempt("index", lambda: PipelineStage(module, size, size, device))
attempt("ranks", lambda: PipelineStage(module, 0, size - 1, device))
stage = PipelineStage(module, rank, size, device)
attempt("few", lambda: Schedule1F1B(stage, size - 1))
attempt("two", lambda: get_schedule_class("zbvzerobubble")([stage], 2))
attempt("rounds", lambda: get_schedule_class("Interleaved1F1B")([stage], 2 * size + 1))
attempt("name", lambda: get_schedule_class("none"))
schedule = ScheduleGPipe(stage, 4, loss_fn=mean)
with torch.no_grad():
    attempt("grad", lambda: schedule.step(x, target=y))
attempt("both", lambda: pipeline(module, (x,), split_spec={}, split_policy=lambda graph: graph))
attempt("nowhere", lambda: pipeline(module, (x,), split_spec={"a.b": SplitPoint.END}))
attempt("stage", lambda: pipe.get_stage_module(9))
leave(dist)
