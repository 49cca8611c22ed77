"""What Lightning, accelerate and transformers do with `DistributedDataParallel`, besides training."""

from typing import cast

import torch
import torch.distributed as dist
import torch.distributed.utils
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from tests.processes.saying import leave

dist.init_process_group("gloo")
rank = dist.get_rank()


def built(middle, **options):
    net = nn.Sequential(nn.Linear(1, 1), middle, nn.Linear(1, 1))
    for parameter in net.parameters():
        nn.init.constant_(parameter, 2.0)
    return DistributedDataParallel(net, **options)


def batch():
    return torch.tensor([[1.0 + rank], [3.0 + rank], [8.0]])


def gradients(net):
    return [None if p.grad is None else p.grad.item() for p in net.parameters()]


# -- the state of a module is copied from a process --------------------------------------------------------------------

net = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
for tensor in (*net.parameters(), *net.buffers()):
    tensor.detach().fill_(rank + 1)
for source, ignored, with_buffers in ((1, {"0.bias", "1.running_mean"}, False), (0, {"1.running_var"}, True)):
    dist.utils._sync_module_states(net, dist.group.WORLD, 1000, source, ignored, with_buffers)
    print("copied", [(name, tensor.item()) for name, tensor in net.state_dict().items()])

# -- other buffers -----------------------------------------------------------------------------------------------------

net = built(nn.BatchNorm1d(1, affine=False))
for step in range(3):
    net(batch())
    print("mean", step, round(net.module[1].running_mean.item(), 5))
    if step == 0:  # as stochastic weight averaging does
        net.module[1].running_mean = torch.zeros(1)
net.eval()
print("evaluated", [round(y, 5) for y in net(batch()).flatten().tolist()])

# -- the reducer is prepared without a forward pass --------------------------------------------------------------------

net = built(nn.Identity(), find_unused_parameters=True)
reducer = cast(torch._C._distributed_c10d.Reducer, net.reducer)
print("type", type(reducer).__name__, isinstance(reducer, torch._C._distributed_c10d.Reducer))
for passes in range(2):
    with net.no_sync():
        loss = net(batch()).square().sum() * (rank + 1)
    if passes:
        reducer._rebuild_buckets()
        reducer.prepare_for_backward([loss])
    loss.backward()
    print("gradients", passes, gradients(net) if passes else gradients(net)[-1] != 0)
leave(dist)
