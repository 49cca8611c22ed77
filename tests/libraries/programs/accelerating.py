"""accelerate: a loop with gradient accumulation, clipping, a schedule, and its state saved and read."""

import tempfile

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

set_seed(0)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
x = torch.randn(32, 8)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=True)
model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
for _ in range(2):
    for given, wanted in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.mse_loss(model(given), wanted)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                norm = accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
    print(f"{loss.item():.4f} {norm.item():.4f}", schedule.get_last_lr())
with tempfile.TemporaryDirectory() as folder:
    accelerator.save_state(folder)
    with torch.no_grad():
        model[0].weight.zero_()
    accelerator.load_state(folder)
print(
    f"{accelerator.gather(model[0].weight.detach().abs().sum()).item():.4f}",
    accelerator.num_processes,
    accelerator.device,
)
print([f"{v:.4f}" for v in accelerator.unwrap_model(model)(x[:3]).flatten().tolist()])
