"""accelerate: LocalSGD, batches that rank 0 dispatches or splits, uneven inputs, autocast, objects."""

import torch
from accelerate import Accelerator, DistributedType
from accelerate.local_sgd import LocalSGD
from accelerate.state import AcceleratorState
from accelerate.utils import (
    DataLoaderConfiguration,
    gather_object,
    pad_across_processes,
    set_seed,
    synchronize_rng_states,
)
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

accelerator = Accelerator(cpu=True)
rank = accelerator.process_index
said = [str(accelerator.distributed_type), accelerator.distributed_type == DistributedType.MULTI_CPU]


class Stream(IterableDataset):
    def __iter__(self):
        generator = torch.Generator().manual_seed(7)
        for _ in range(22):
            x = torch.randn(8, generator=generator)
            yield x, (x.sum() > 0).long()


def built():
    set_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 2))
    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def checksum(model):
    return f"parameters {sum(p.double().abs().sum().item() for p in model.parameters()):.6f}"


def trained(name, loader, prepared):
    model, optimizer = prepared
    for given, wanted in loader:
        out = model(given)
        loss = nn.functional.cross_entropy(out, wanted)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        said.append(f"{name} {tuple(given.shape)} {out.dtype} {loss.item():.6f}")
    said.append(f"{name} {checksum(model)}")


model, optimizer = accelerator.prepare(*built())
trained("stream", accelerator.prepare(DataLoader(Stream(), batch_size=4)), (model, optimizer))

accelerator = Accelerator(cpu=True, dataloader_config=DataLoaderConfiguration(dispatch_batches=True))
trained("dispatched", accelerator.prepare(DataLoader(Stream(), batch_size=4)), accelerator.prepare(*built()))

set_seed(0)
x = torch.randn(44, 8)
data = TensorDataset(x, (x.sum(1) > 0).long())
accelerator = Accelerator(cpu=True, dataloader_config=DataLoaderConfiguration(split_batches=True))
trained("split", accelerator.prepare(DataLoader(data, batch_size=8, shuffle=True)), accelerator.prepare(*built()))

accelerator = Accelerator(cpu=True)
model, optimizer = accelerator.prepare(*built())
loader = accelerator.prepare(DataLoader(data, batch_size=4))
with LocalSGD(accelerator=accelerator, model=model, local_sgd_steps=3, enabled=True) as local:
    for given, wanted in loader:
        loss = nn.functional.cross_entropy(model(given), wanted)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        local.step()
        said.append(f"local {loss.item():.6f}")
said.append(f"local {checksum(model)}")

ragged = torch.arange(6.0).reshape(2 + rank, -1) if rank else torch.arange(6.0).reshape(2, 3)
said.append(pad_across_processes(ragged, dim=0, pad_index=-1).tolist())
said.append(gather_object([{"rank": rank, "text": "x" * (rank + 1) * 3}]))
torch.manual_seed(rank)
synchronize_rng_states(["torch"])
said.append(f"drawn {torch.rand(()).item():.6f}")
with accelerator.main_process_first():
    said.append("first")
AcceleratorState._reset_state(reset_partial_state=False)
accelerator = Accelerator(cpu=True, mixed_precision="bf16")
trained("bf16", accelerator.prepare(DataLoader(Stream(), batch_size=4)), accelerator.prepare(*built()))
accelerator.end_training()
print("".join(f"{rank} {one}\n" for one in said), end="", flush=True)
