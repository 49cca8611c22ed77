"""lightning: Fabric with DDP and with fully_shard: accumulation, clipping, collectives, states saved and read."""

import os
import warnings

import torch
from lightning.fabric import Fabric, seed_everything
from lightning.fabric.strategies import ModelParallelStrategy
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
said = []


def sharded(model, mesh):
    for layer in model:
        if isinstance(layer, nn.Linear):
            fully_shard(layer, mesh=mesh["data_parallel"])
    return fully_shard(model, mesh=mesh["data_parallel"])


def total_of(model):
    values = (p.full_tensor() if isinstance(p, DTensor) else p for p in model.parameters())
    return sum(v.double().abs().sum().item() for v in values)


def trained(name, strategy):
    fabric = Fabric(accelerator="cpu", devices=2, strategy=strategy)
    fabric.launch()
    seed_everything(0, verbose=False)
    x = torch.randn(40, 8)
    loader = fabric.setup_dataloaders(DataLoader(TensorDataset(x, x.sum(1, keepdim=True).sin()), 4, shuffle=True))
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    model = fabric.setup_module(model)
    optimizer = fabric.setup_optimizers(torch.optim.AdamW(model.parameters(), lr=0.02))

    def epoch():
        for i, (given, wanted) in enumerate(loader):
            with fabric.no_backward_sync(model, enabled=i % 2 == 0):
                loss = nn.functional.mse_loss(model(given), wanted)
                fabric.backward(loss / 2)
            if i % 2:
                if name == "ddp":
                    said.append(f"{name} norm {fabric.clip_gradients(model, optimizer, max_norm=0.5).item():.6f}")
                optimizer.step()
                optimizer.zero_grad()
            said.append(f"{name} loss {loss.item():.6f} {fabric.all_reduce(loss.detach()).item():.6f}")

    epoch()
    said.append(f"{name} parameters {total_of(model):.6f}")
    state = {"model": model, "optimizer": optimizer, "step": 7}
    path = os.path.join(os.getcwd(), name)  # in a temporary folder, the same in both processes
    fabric.save(path, state)
    epoch()
    state["step"] = 0
    said.append(f"{name} parameters {total_of(model):.6f}")
    fabric.load(path, state)
    said.append(f"{name} parameters {total_of(model):.6f} {state['step']}")
    epoch()
    said.append(f"{name} parameters {total_of(model):.6f}")
    said.append(f"{name} {fabric.broadcast(fabric.global_rank)} {fabric.all_gather(torch.tensor(fabric.global_rank))}")
    fabric.barrier()
    return fabric


trained("ddp", "ddp")
fabric = trained("sharded", ModelParallelStrategy(sharded, data_parallel_size=2, tensor_parallel_size=1))
print("".join(f"{fabric.global_rank} {one}\n" for one in said), end="", flush=True)
