"""A whole step on a mesh of two dims is one program, from its first call. Only torchlike runs this program."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from tests.processes.saying import leave

dist.init_process_group("gloo")
torch.set_default_dtype(torch.float64)
rank = dist.get_rank()
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("outer", "inner"))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(6, 8), nn.Linear(8, 6)

    def forward(self, x):
        return x + self.down(torch.tanh(self.up(x)))


logged = []


def parallel():
    """Return a tensor-parallel module whose parameters are sharded further."""
    net = parallelize_module(Net(), mesh["inner"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
    return fully_shard(net, mesh=mesh["outer"]), mesh.get_local_rank("outer")


def copies():
    """Return a module with sharded parameters, of which there are two copies."""
    net = Net()
    fully_shard(net.up, mesh=mesh)
    return fully_shard(net, mesh=mesh), rank


def losses(make, is_compiled, logs=False):
    torch.manual_seed(0)
    net, seed = make()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.02)

    def step(x):
        loss = net(x).square().mean()
        loss.backward()
        if logs and rank == 1:
            logged.append(loss.item())  # so that this rank runs other programs than the others
        optimizer.step()
        optimizer.zero_grad()
        average = loss.detach().clone()
        dist.all_reduce(average)  # over all processes
        return average / dist.get_world_size()

    batches = [torch.randn(4, 6, generator=torch.Generator().manual_seed(10 * i + seed)) for i in range(5)]
    run = torch.compile(step, fullgraph=not logs) if is_compiled else step
    found = [run(x).item() for x in batches]
    return found, run.hlo() if is_compiled and not logs else ""


for make in (parallel, copies):
    expected, _ = losses(make, False)
    found, program = losses(make, True)
    counts = [sum(f" {kind}(" in line for line in program.splitlines()) for kind in ("all-gather", "all-reduce")]
    print(make.__name__, "close", all(abs(x - y) < 1e-12 for x, y in zip(expected, found)), *(n > 0 for n in counts))
    differing, _ = losses(make, True, logs=True)
    print(make.__name__, "close", all(abs(x - y) < 1e-12 for x, y in zip(expected, differing)))
leave(dist)
