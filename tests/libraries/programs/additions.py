"""ema_pytorch, lion_pytorch, pytorch_metric_learning, normflows, safetensors, torchinfo: each around a small model."""

import tempfile

import normflows as nf
import torch
from ema_pytorch import EMA
from lion_pytorch import Lion
from pytorch_metric_learning import distances, losses, miners
from safetensors.torch import load_file, save_file
from torch import nn
from torchinfo import summary

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4)).double()
average = EMA(model, beta=0.9, update_after_step=1, update_every=1)
optimizer = Lion(model.parameters(), lr=1e-3, weight_decay=1e-2)
x, labels = torch.randn(24, 8, dtype=torch.float64), torch.randint(0, 3, (24,))
for loss_function, miner in (
    (losses.TripletMarginLoss(), miners.TripletMarginMiner()),
    (losses.NTXentLoss(), None),
    (losses.ContrastiveLoss(distance=distances.CosineSimilarity()), None),
    (losses.MultiSimilarityLoss(), miners.MultiSimilarityMiner()),
):
    found = model(x)
    loss = loss_function(found, labels, *([miner(found, labels)] if miner else []))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update()
    print(type(loss_function).__name__, f"{loss.item():.5f}")
print([f"{v:.5f}" for v in average(x)[0].tolist()])
with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
    save_file(model.state_dict(), file.name)
    model.load_state_dict({name: value + 1 for name, value in load_file(file.name).items()})
print(f"{model(x).mean().item():.5f}")
print(
    summary(nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2)), (1, 3, 8, 8), verbose=0)
)
flows = []
for _ in range(3):
    flows += [
        nf.flows.AffineCouplingBlock(nf.nets.MLP([1, 8, 8, 2], init_zeros=True)),
        nf.flows.Permute(2, mode="swap"),
    ]
flow = nf.NormalizingFlow(nf.distributions.base.DiagGaussian(2), flows)
optimizer = torch.optim.Adam(flow.parameters(), 1e-2)
for _ in range(3):
    loss = flow.forward_kld(torch.randn(16, 2) * 2 + 1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f}")
print(flow.sample(4)[0].shape)
