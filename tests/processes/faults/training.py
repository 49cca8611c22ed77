"""A training script that continues from its last checkpoint: `training.py FOLDER STEPS RANK STEP`.

The process of rank RANK raises an exception at step STEP (-1: never).
"""

import datetime
import os
import sys

import torch
import torch.distributed as dist
from torch import nn

folder, steps, faulty, at = sys.argv[1], *map(int, sys.argv[2:5])
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=float(os.environ["GROUP_TIMEOUT"])))
rank = dist.get_rank()
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 4))
net = nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.AdamW(net.parameters(), 1e-3)
path, begin, losses = os.path.join(folder, "last.pt"), 0, []
if os.path.exists(path):
    saved = torch.load(path)
    net.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    begin, losses = saved["step"], saved["losses"]


def step(x, y):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


if os.environ.get("COMPILED"):
    step = torch.compile(step)
for i in range(begin, steps):
    if i == begin + 3 and rank == 0:
        print("trains", flush=True)
    if (rank, i) == (faulty, at):
        raise ValueError(f"a fault of rank {rank}")
    data = torch.Generator().manual_seed(1000 * i + rank)
    x, y = torch.randn(8, 16, generator=data), torch.randint(0, 4, (8,), generator=data)
    loss = step(x, y).detach()
    dist.all_reduce(loss)
    losses.append(loss.item())
    if rank == 0 and i % 10 == 9:
        state = {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "step": i + 1, "losses": losses}
        torch.save(state, path + ".new")
        os.replace(path + ".new", path)
dist.destroy_process_group()
