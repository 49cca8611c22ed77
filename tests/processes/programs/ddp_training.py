"""DistributedDataParallel with BatchNorm, accumulation and unused parameters: losses, gradients and parameters."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from tests.processes.saying import STEPS, leave

dist.init_process_group("gloo")
torch.set_default_dtype(torch.float64)
rank, size = dist.get_rank(), dist.get_world_size()


class Net(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(6, 12, bias=False), norm, nn.Linear(12, 4)
        self.even, self.odd = nn.Linear(12, 12), nn.Linear(12, 12)

    def forward(self, x, part):
        x = torch.tanh(self.norm(self.first(x)))
        return self.last(x + getattr(self, part)(x))


def trained(name, net, parts=("even",), passes=1, **options):
    net = DistributedDataParallel(net, **options)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    for step in range(STEPS):
        for i in range(passes):
            x = torch.randn(8, 6, generator=torch.Generator().manual_seed(100 * step + 10 * i + rank))
            y = torch.randint(4, (8,), generator=torch.Generator().manual_seed(step + rank))
            net.require_backward_grad_sync = i == passes - 1
            loss = nn.functional.cross_entropy(net(x, parts[step % len(parts)]), y) / passes
            loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        print(name, step, loss.item(), norm.item())
        if step == 0:
            for key, p in net.named_parameters():
                print(name, key, None if p.grad is None else p.grad.reshape(-1)[::5].tolist())
        optimizer.step()
        optimizer.zero_grad()
    for key, x in net.state_dict().items():
        print(name, key, x.double().reshape(-1)[::7].tolist())


torch.manual_seed(rank)  # the parameters of rank 0 are used
trained("all", Net(nn.BatchNorm1d(12)), ("even",), find_unused_parameters=True)
trained("unused", Net(nn.LayerNorm(12)), ("even", "odd"), find_unused_parameters=True)
trained("accumulated", Net(nn.LayerNorm(12)), passes=3, find_unused_parameters=True)
trained("views", Net(nn.LayerNorm(12)), gradient_as_bucket_view=True, bucket_cap_mb=1, find_unused_parameters=True)
leave(dist)
