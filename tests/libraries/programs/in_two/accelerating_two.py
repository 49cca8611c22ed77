"""accelerate: the same loop in two processes, with what they gather, reduce and share."""

import torch
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list, gather_object, set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
set_seed(0)
x = torch.randn(64, 8)
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3)
loader = DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=8, shuffle=True)
model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
said = [type(model).__name__, len(loader), accelerator.num_processes]
for _ in range(2):
    for given, wanted in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(given), wanted)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        said.append([round(one, 4) for one in accelerator.gather(loss.detach()).tolist()])
model.eval()
for given, wanted in loader:
    found, wanted = accelerator.gather_for_metrics((model(given).argmax(-1), wanted))
    said.append((found == wanted).float().mean().item())
here = accelerator.process_index
objects = [here * 10]
broadcast_object_list(objects)
with accelerator.split_between_processes(["a", "b", "c"]) as part:
    said += [part, objects, gather_object([here]), accelerator.reduce(torch.tensor([float(here)]), "mean").item()]
said += [accelerator.pad_across_processes(torch.arange(here + 2)).tolist(), list(accelerator.get_state_dict(model))]
accelerator.end_training()
print("".join(f"{here} {one}\n" for one in said), end="", flush=True)
