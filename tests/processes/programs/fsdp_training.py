"""fully_shard: plain, with mixed precision and accumulation, on two-dimensional meshes. Twenty steps each."""

import dataclasses

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

from tests.processes.saying import STEPS, leave

dist.init_process_group("gloo")
torch.set_default_dtype(torch.float64)
rank, size = dist.get_rank(), dist.get_world_size()


class Block(nn.Module):
    """A residual block. Its dims are not multiples of the number of processes."""

    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(7), nn.Linear(7, 13), nn.Linear(13, 7, bias=False)

    def forward(self, x):
        return x + self.down(torch.tanh(self.up(self.norm(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(11, 7), nn.Linear(7, 11, bias=False)
        self.head.weight = self.embed.weight
        self.blocks = nn.ModuleList(Block() for _ in range(2))

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def built(output=None, **options):
    torch.manual_seed(0)
    net = Net()
    for block in net.blocks:
        fully_shard(block, **options)
    if output is not None:
        options["mp_policy"] = dataclasses.replace(options["mp_policy"], output_dtype=output)
    return fully_shard(net, **options)


def batch(step):
    ids = torch.randint(0, 11, (3, 6), generator=torch.Generator().manual_seed(100 * step + rank))
    return ids[:, :-1], ids[:, 1:]


def loss_of(net, step):
    x, y = batch(step)
    return nn.functional.cross_entropy(net(x).flatten(0, 1).double(), y.flatten())


def whole(tensor):
    return tensor.full_tensor().double()


def trained(name, net, optimizer, parts=1, steps=STEPS):
    for step in range(steps):
        total = 0.0
        for part in range(parts):
            net.set_requires_gradient_sync(part == parts - 1)
            loss = loss_of(net, parts * step + part)
            (loss / parts).backward()
            total += loss.item() / parts
        norm = sum(whole(p.grad).square().sum() for p in net.parameters()).sqrt()
        if step in (0, steps - 1):
            for key, p in net.named_parameters():
                print(name, step, "gradient", key, whole(p.grad).reshape(-1)[::9].tolist())
        optimizer.step()
        optimizer.zero_grad()
        print(name, step, total, norm.item())
    for key, p in net.named_parameters():
        print(name, key, p.dtype, p.placements, p.to_local().shape, whole(p).reshape(-1)[::7].tolist())
    for key, value in optimizer.state[next(iter(net.parameters()))].items():
        print(name, key, type(value).__name__, value.shape)


def adamw(net):
    return torch.optim.AdamW(net.parameters(), lr=0.02)


net = built()
trained("plain", net, adamw(net))
net = built(reshard_after_forward=False)
trained("kept", net, torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9), steps=2)
net = built(mp_policy=MixedPrecisionPolicy(param_dtype=torch.float32, reduce_dtype=torch.float64))
trained("float32", net, adamw(net), parts=2)
net = built(mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16), output=torch.float32)
trained("bfloat16", net, torch.optim.SGD(net.parameters(), lr=0.05), parts=2, steps=5)
if size == 4:
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    net = built(mesh=mesh)
    trained("hybrid", net, adamw(net), parts=2)
leave(dist)
