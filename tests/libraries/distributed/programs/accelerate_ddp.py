"""accelerate: DDP with accumulation over an uneven last batch, metrics, clipping, resumed from its state."""

import tempfile

import torch
from accelerate import Accelerator, skip_first_batches
from accelerate.utils import DistributedDataParallelKwargs, broadcast_object_list, set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(
    cpu=True,
    gradient_accumulation_steps=2,
    kwargs_handlers=[DistributedDataParallelKwargs(find_unused_parameters=True, gradient_as_bucket_view=True)],
)
set_seed(0)
x = torch.randn(50, 8)
data = TensorDataset(x, (x.sum(1) > 0).long())
model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Dropout(0.1), nn.Linear(16, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 20)
loader = DataLoader(data, batch_size=6, shuffle=True)
held_out = DataLoader(data, batch_size=8)
model, optimizer, loader, held_out, schedule = accelerator.prepare(model, optimizer, loader, held_out, schedule)
said = [type(model).__name__, len(loader), str(accelerator.device), str(accelerator.distributed_type)]


def epoch(batches):
    model.train()
    for given, wanted in batches:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(given), wanted)
            accelerator.backward(loss)
            norm = accelerator.clip_grad_norm_(model.parameters(), 1.0) if accelerator.sync_gradients else None
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        rate = schedule.get_last_lr()[0]
        said.append(f"loss {loss.item():.6f} norm {norm if norm is None else round(norm.item(), 6)} rate {rate:.6f}")


def evaluated():
    model.eval()
    found, wanted = [], []
    for given, label in held_out:
        with torch.no_grad():
            pair = accelerator.gather_for_metrics((model(given), label))
        found.append(pair[0])
        wanted.append(pair[1])
    found, wanted = torch.cat(found), torch.cat(wanted)
    loss = nn.functional.cross_entropy(found, wanted).item()
    said.append(f"held out {len(found)} of them, loss {loss:.6f} right {int((found.argmax(-1) == wanted).sum())}")


def checksum():
    whole = accelerator.unwrap_model(model)
    return f"parameters {sum(p.double().abs().sum().item() for p in whole.parameters()):.6f}"


folder = [tempfile.mkdtemp() if accelerator.is_main_process else None]
broadcast_object_list(folder)
epoch(loader)
evaluated()
accelerator.save_state(folder[0])
epoch(skip_first_batches(loader, 2))
said.append(checksum())
accelerator.load_state(folder[0])
said.append(checksum())
epoch(skip_first_batches(loader, 2))
said.append(checksum())
state = accelerator.get_state_dict(model)
said.append([(name, tuple(value.shape)) for name, value in state.items()])
accelerator.save_model(model, folder[0])
accelerator.wait_for_everyone()
if accelerator.is_main_process:
    from safetensors.torch import load_file

    read = load_file(f"{folder[0]}/model.safetensors")
    said.append(f"read {sum(v.double().abs().sum().item() for v in read.values()):.6f}")
reduced = accelerator.reduce({"n": torch.tensor([1.0 + accelerator.process_index])}, "sum")
said += [reduced["n"].tolist(), accelerator.gather(torch.arange(2) + accelerator.process_index).tolist()]
if accelerator.is_main_process:
    accelerator.set_trigger()
said.append(accelerator.check_trigger())
rank = accelerator.process_index
accelerator.end_training()
print("".join(f"{rank} {one}\n" for one in said), end="", flush=True)
