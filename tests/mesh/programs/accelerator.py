"""A training on the device `cuda`, for which eight CPU devices stand in: on one of them, and over a mesh of all."""

import json

import jax

import torchlike as torch
from torchlike import nn
from torchlike._dtypes import devices
from torchlike.nn import functional as F
from torchlike.utils.data import DataLoader, TensorDataset

jax.config.update("jax_num_cpu_devices", 8)  # importing torchlike does not start JAX


def losses(mesh, mode):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.2), nn.BatchNorm1d(64), nn.Linear(64, 64))
    model = nn.Sequential(model, nn.ReLU(), nn.Linear(64, 10)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    if mesh:
        torch.distribute(model, mesh)

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    if mode == "compiled":
        step = torch.compile(step)
    found, specs = [], set()
    for x, y in DataLoader(TensorDataset(torch.randn(640, 20), torch.randint(0, 10, (640,))), 64, pin_memory=True):
        x, y = x.cuda(non_blocking=True), y.to("cuda")
        specs.add(str(getattr(x._storage.value.array.sharding, "spec", None)))
        found.append(step(x, y).item())
    sharded = sum("model" in str(getattr(p._storage.value.array.sharding, "spec", "")) for p in model.parameters())
    return {"losses": found, "batches": sorted(specs), "sharded": sharded, "devices": torch.cuda.device_count()}


with devices.stand_ins("cuda", jax.devices()):
    alone = [losses(None, mode) for mode in ("recorded", "compiled")]
    spread = [losses("data=4,model=2", mode) for mode in ("recorded", "compiled")]
for one in (*alone, *spread):
    print(json.dumps(one))
