"""demucs: a small network that separates sources of sound."""

import warnings

import torch
from demucs.demucs import Demucs

warnings.filterwarnings("ignore")
torch.manual_seed(0)
model = Demucs(["a", "b"], channels=4, depth=3, lstm_layers=1, resample=False).eval()
found = model(torch.randn(1, 2, 8192))
print(tuple(found.shape), round(found.double().abs().sum().item(), 2))
found.square().mean().backward()
print([round(p.grad.double().abs().sum().item(), 3) for p in list(model.parameters())[:6]])
