"""Save a checkpoint in the middle of a training (`save FILE`), or continue from it (`load FILE`).

Prints the elements that the checkpoint restores, and the losses after it.
"""

import json
import sys

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0 if sys.argv[1] == "save" else 1)
model = nn.Sequential(nn.Linear(16, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Linear(256, 8))
optimizer = torch.optim.Adam(model.parameters(), 1e-2)
batches = torch.Generator().manual_seed(2)
inputs, targets = torch.randn(10, 64, 16, generator=batches), torch.randint(0, 8, (10, 64), generator=batches)


def losses(begin: int, end: int) -> list[float]:
    found = []
    for x, y in zip(inputs[begin:end].clone(), targets[begin:end].clone()):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


if sys.argv[1] == "save":
    losses(0, 5)
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, sys.argv[2])
else:
    saved = torch.load(sys.argv[2])
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
weight, moment = model[0].weight.detach(), optimizer.state[model[0].weight]["exp_avg"]
restored = {"printed": repr(weight[:2]), "rows": weight.numpy().tolist(), "moments": moment.tolist()}
restored["item"] = weight[3, 4].item()
print(json.dumps({**restored, "losses": losses(5, 10)}))
