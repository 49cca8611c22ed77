"""A whole step of a sharded module is one program, from its first call. Only torchlike runs this program."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

from tests.processes.saying import leave

dist.init_process_group("gloo")
rank = dist.get_rank()


def losses(is_compiled):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))
    fully_shard(net[0])
    fully_shard(net)  # the root has parameters of its own
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)

    def step(x):
        total = 0.0
        for i in range(2):
            net.set_requires_gradient_sync(i == 1)
            loss = net(x[i]).square().mean() / 2
            loss.backward()
            total = total + loss.detach()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return total

    batches = [torch.randn(2, 5, 4, generator=torch.Generator().manual_seed(10 * i + rank)) for i in range(4)]
    run = torch.compile(step, fullgraph=True) if is_compiled else step
    found = [run(x).item() for x in batches]
    return found, run.hlo() if is_compiled else ""


expected, _ = losses(False)
found, program = losses(True)
print("close", all(abs(x - y) < 1e-6 for x, y in zip(expected, found)), "all-gather" in program)
leave(dist)
