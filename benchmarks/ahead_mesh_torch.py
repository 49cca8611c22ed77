"""The training step of `benchmarks.ahead_mesh`, written for PyTorch as a script for `torchrun`: what rank 0 runs."""

from benchmarks import models_torch
from benchmarks.ahead_torch import classifier, step_of

SIZES = {"width": 768, "heads": 12, "time": 1024, "vocabulary": 50257}
TP_HEADS = 16  # 12 heads do not divide by eight chips


def sizes(way):
    return SIZES | {"heads": TP_HEADS} if way == "tp" else SIZES


def divided(torch, model):
    """Return the model with `fully_shard` on every block and on the model."""
    for block in model.blocks:
        torch.distributed.fsdp.fully_shard(block)
    return torch.distributed.fsdp.fully_shard(model)


def parallel(torch, model, device):
    """Return the model with the linear layers of every block divided over all ranks."""
    parallel = torch.distributed.tensor.parallel
    mesh = torch.distributed.init_device_mesh(device, (torch.distributed.get_world_size(),))
    columns, rows = parallel.ColwiseParallel(), parallel.RowwiseParallel()
    for block in model.blocks:
        parallel.parallelize_module(block, mesh, {"qkv": columns, "project": rows, "up": columns, "down": rows})
    return model


def wrapped(torch, model, way, device):
    if way == "ddp":
        return torch.nn.parallel.DistributedDataParallel(model)
    return divided(torch, model) if way == "fsdp" else parallel(torch, model, device)


def gpt2(torch, way, device, layers, form="whole"):
    """Return the compiled step of DDP, FSDP2 or tensor parallelism, and its arguments: one sequence.

    With the form "forward", return the compiled loss.
    """
    torch.distributed.init_process_group()
    model = models_torch.gpt(torch, layers=layers, **sizes(way))
    model.head.weight = model.tokens.weight
    model.to(device)
    tokens = torch.zeros(1, SIZES["time"], dtype=torch.int64, device=device)
    model = wrapped(torch, model, way, device)
    loss_on = classifier(torch, model, device)
    if form == "forward":
        return torch.compile(torch.no_grad()(loss_on), fullgraph=True), (tokens, tokens)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    return step_of(torch, loss_on, optimizer, form), (tokens, tokens)
