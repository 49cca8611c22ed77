"""The set-up of accelerate for FSDP on the CPU, and a block of the models that it shards."""

import os

import torch
from accelerate import Accelerator, DistributedType
from accelerate.state import AcceleratorState, PartialState
from accelerate.utils import FullyShardedDataParallelPlugin
from torch import nn

os.environ["ACCELERATE_TORCH_DEVICE"] = "cpu"  # FullyShardedDataParallel of PyTorch refuses "cpu:0"


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


def use_fsdp(state, plugin):
    """Let the state of an accelerator use FSDP. accelerate itself chooses DDP on the CPU, so its choice is replaced."""
    PartialState().distributed_type = state.distributed_type = DistributedType.FSDP
    state.fsdp_plugin = plugin


def accelerator_of(**options):
    """Return an accelerator that accumulates two steps and uses FSDP with these options."""
    AcceleratorState._reset_state(reset_partial_state=False)
    plugin = FullyShardedDataParallelPlugin(**options)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2, fsdp_plugin=plugin)
    use_fsdp(accelerator.state, plugin)
    return accelerator
