"""Communication hooks that compress gradients."""

import pickle

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import DDPCommHookType, default_hooks, register_ddp_comm_hook
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook
from torch.nn.parallel import DistributedDataParallel

from tests.processes.saying import leave, say

dist.init_process_group("gloo")
rank = dist.get_rank()


def network():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(2, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(24, 12), nn.Tanh(), nn.Linear(12, 12), nn.Linear(12, 12)
    )


def trained(hook, state, steps=5):
    """Print the sums of the gradients of each step, and the parameters after the last one."""
    model = DistributedDataParallel(network())
    model.register_comm_hook(state, hook)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    torch.manual_seed(3 + rank)
    for step in range(steps):
        optimizer.zero_grad()
        model(torch.randn(4, 2, 4, 4)).square().mean().backward()
        sums = torch.stack([p.grad.abs().sum() for p in model.parameters()])
        print(step, torch.round(sums, decimals=2) + 0.0)
        optimizer.step()
    print(torch.round(torch.cat([p.detach().flatten() for p in model.parameters()])[::17], decimals=2) + 0.0)
    return model


for options in (
    {},
    {"matrix_approximation_rank": 2},
    {"matrix_approximation_rank": 4, "min_compression_rate": 1.1},
    {"matrix_approximation_rank": 2, "batch_tensors_with_same_shape": True},
    {"use_error_feedback": False, "random_seed": 5},
    {"warm_start": False, "orthogonalization_epsilon": 1e-6},
    {"use_error_feedback": False, "warm_start": False, "start_powerSGD_iter": 0},
):
    options = {"start_powerSGD_iter": 2, **options}
    state = PowerSGDState(None, **options)
    print(options)
    trained(powerSGD_hook, state)
    print(state.iter, state.compression_stats(), {i: x.shape for i, x in state.p_memory_dict.items()})
    print({i: x.shape for i, x in state.q_memory_dict.items()}, sorted(state.error_dict))

print("half")
trained(default_hooks.fp16_compress_wrapper(powerSGD_hook), PowerSGDState(dist.group.WORLD, start_powerSGD_iter=2))
saved = pickle.loads(pickle.dumps(state))
print("saved", saved.iter, saved.process_group is dist.group.WORLD, saved.compression_stats())
print("rng", saved.rng.randint(1000))
say("too early", lambda: PowerSGDState(None, start_powerSGD_iter=1))
say("early", lambda: PowerSGDState(None, start_powerSGD_iter=1, use_error_feedback=False, warm_start=False).iter)
for kind in DDPCommHookType:
    if not kind.name.startswith(("BF16", "QUANTIZE", "BATCHED")):  # PyTorch's hooks raise errors
        model = DistributedDataParallel(network())
        register_ddp_comm_hook(kind, model, dist.group.WORLD)
        model(torch.ones(1, 2, 4, 4) * (rank + 1)).sum().backward()
        print(kind.name, torch.round(model.module[3].weight.grad.flatten()[100:109] * 100, decimals=2) + 0.0)

leave(dist)
