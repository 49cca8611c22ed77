"""DistributedDataParallel: different initial weights, buffers, accumulation, unused parameters, a sampler."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from tests.processes.saying import leave

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(rank)  # different weights in each process; those of rank 0 are used
torch.set_printoptions(precision=4)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
net = DistributedDataParallel(net)
print(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
data = torch.randn(40, 4, generator=torch.Generator().manual_seed(5))
labels = (data.sum(1) > 0).long()
sampler = DistributedSampler(TensorDataset(data, labels), seed=3)
print("share", len(sampler), sampler.num_replicas, sampler.rank)
loader = DataLoader(TensorDataset(data, labels), batch_size=5, sampler=sampler)
for epoch in range(2):
    sampler.set_epoch(epoch)
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        total = loss.detach().clone()
        dist.all_reduce(total, dist.ReduceOp.AVG)
        print(f"{loss.item():.4f} {total.item():.4f}")
print("weights", {name: x.double().sum().item().__round__(4) for name, x in net.state_dict().items()})
optimizer.zero_grad()
with net.no_sync():
    net(data[rank : rank + 4]).sum().backward()
alone = net.module[0].weight.grad.clone()
net(data[rank + 8 : rank + 12]).sum().backward()
print("accumulated", alone[0], net.module[0].weight.grad[0])
net.eval()
with torch.no_grad():
    print("evaluated", net(data[:3]))


class Looking(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.bag = nn.Embedding(7, 3, sparse=True), nn.EmbeddingBag(6, 3, sparse=True, mode="sum")
        self.last = nn.Linear(3, 2)

    def forward(self, i):
        return self.last(self.table(i).sum(1) + self.bag(i % 6))


torch.manual_seed(7)
looking = DistributedDataParallel(Looking())
tables = [looking.module.table.weight, looking.module.bag.weight]
sparse = torch.optim.SparseAdam(tables, lr=0.1)
for step in range(2):  # the processes look up different numbers of rows
    sparse.zero_grad()
    looking(torch.tensor([[rank, step], [1, rank + step]])[: 1 + (rank + step) % 2]).square().sum().backward()
    print("sparse", [(p.grad.is_sparse, p.grad.coalesce().indices().tolist(), p.grad.to_dense()) for p in tables])
    sparse.step()
print("looked up", tables, looking.module.last.weight.grad)


class Choosing(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))

    def forward(self, x, which):
        return {"y": self.parts[which](x)}


torch.manual_seed(7)
chooser = DistributedDataParallel(Choosing(), find_unused_parameters=True)
for _ in range(2):
    chooser(torch.ones(2, 3) * (rank + 1), rank)["y"].sum().backward()
for part in chooser.module.parts:
    print("chosen", part.weight.grad)


class Heads(nn.Module):
    """A module with two outputs."""

    def __init__(self):
        super().__init__()
        self.body, self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 2), nn.Linear(4, 2)

    def forward(self, x):
        hidden = self.body(x)
        return {"first": self.first(hidden), "others": [self.second(hidden), None]}


heads = DistributedDataParallel(Heads(), find_unused_parameters=True)
for _ in range(2):  # the loss does not use all outputs
    heads(torch.ones(2, 3) * (rank + 1))["first"].sum().backward()
    print("one output", [p.grad for p in heads.parameters()])
found = heads(torch.ones(2, 3) * (rank + 1))
(found["first"] if rank else found["others"][0]).sum().backward()
print("different outputs", [p.grad for p in heads.parameters()])

strict = DistributedDataParallel(Choosing())
strict(torch.ones(2, 3), 0)["y"].sum().backward()
print("not averaged", strict.module.parts[0].weight.grad)
try:
    strict(torch.ones(2, 3), 0)
except RuntimeError as error:
    print(error)
for make in (
    lambda: DistributedDataParallel(nn.ReLU()),
    lambda: DistributedDataParallel(nn.Linear(2, 2), device_ids=[0]),
):
    try:
        make()
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__, error)
frozen = nn.Linear(3, 3)
frozen.bias.requires_grad_(False)
frozen = DistributedDataParallel(frozen)
frozen(torch.ones(1, 3) * rank).sum().backward()
print("frozen", frozen.module.weight.grad, frozen.module.bias.grad)
half = DistributedDataParallel(nn.Linear(3, 2).to(torch.bfloat16))
half(torch.full((1, 3), rank + 0.3, dtype=torch.bfloat16)).sum().backward()
print("half", half.module.weight.grad)
for unlike in (
    nn.Sequential(*[nn.Linear(2, 2) for _ in range(1 + rank)]),
    nn.Linear(2, 2, bias=bool(rank)),
):
    try:
        DistributedDataParallel(unlike)
    except RuntimeError as error:
        print("unlike", error)
leave(dist)
