"""The training step of `benchmarks.ahead_mesh`, written for PyTorch as a script for `torchrun`: what rank 0 runs."""

from benchmarks import models_torch
from benchmarks.ahead_torch import classifier, step_of

SIZES = {"width": 768, "heads": 12, "time": 1024, "vocabulary": 50257}


def divided(torch, model):
    """Return the model with `fully_shard` on every block and on the model."""
    for block in model.blocks:
        torch.distributed.fsdp.fully_shard(block)
    return torch.distributed.fsdp.fully_shard(model)


def gpt2(torch, way, device, layers):
    """Return the compiled step of DDP or FSDP2, and its arguments: one sequence."""
    torch.distributed.init_process_group()
    model = models_torch.gpt(torch, layers=layers, **SIZES)
    model.head.weight = model.tokens.weight
    model.to(device)
    tokens = torch.zeros(1, SIZES["time"], dtype=torch.int64, device=device)
    wrap = torch.nn.parallel.DistributedDataParallel
    model = wrap(model) if way == "ddp" else divided(torch, model)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    return step_of(torch, classifier(torch, model, device), optimizer, "whole"), (tokens, tokens)
