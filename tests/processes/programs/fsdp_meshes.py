"""fully_shard of tensor-parallel modules on a mesh of two dims, and reductions over copies in two stages."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from tests.processes.saying import STEPS, leave

dist.init_process_group("gloo")
torch.set_default_dtype(torch.float64)
rank = dist.get_rank()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.up, self.down = nn.Linear(5, 6), nn.Linear(6, 8), nn.Linear(8, 6)

    def forward(self, x):
        x = self.first(x)
        return x + self.down(torch.tanh(self.up(x)))


def whole(tensor):
    return tensor.full_tensor().double()


def trained(name, net, seed, parts=1, all_reduces=None):
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.02)
    for key, p in net.named_parameters():
        print(name, key, p.placements, p.device_mesh.mesh_dim_names, p.to_local().shape)
    for step in range(STEPS):
        for part in range(parts):
            if all_reduces is not None:
                net.set_requires_all_reduce(all_reduces[part])
            x = torch.randn(4, 5, generator=torch.Generator().manual_seed(100 * (parts * step + part) + seed))
            loss = net(x).square().mean() / parts
            loss.backward()
        for p in net.parameters() if step == 0 else ():
            print(name, "gradient", p.grad.placements, whole(p.grad).reshape(-1)[::5].tolist())
        norm = nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        optimizer.step()
        optimizer.zero_grad()
        print(name, step, loss.item(), norm.full_tensor().item())
    for key, p in net.named_parameters():
        print(name, key, whole(p).reshape(-1)[::7].tolist())


mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))


class Parallel(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(5, 8), nn.Linear(8, 5)

    def forward(self, x):
        return x + self.down(torch.tanh(self.up(x)))


torch.manual_seed(0)
net = parallelize_module(Parallel(), mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
fully_shard(net, mesh=mesh["dp"])
trained("parallel", net, mesh.get_local_rank("dp"))
torch.manual_seed(0)
net = Net()
copies = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
fully_shard(net.up, mesh=copies)
fully_shard(net, mesh=copies)
trained("stages", net, rank, parts=3, all_reduces=(False, False, True))
leave(dist)
