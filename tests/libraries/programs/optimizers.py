"""torch_optimizer, pytorch_optimizer and torch_ema: five steps of 150 optimizers, an average of weights."""

import pytorch_optimizer
import torch
import torch_optimizer
from torch_ema import ExponentialMovingAverage

# Excluded: these use bfloat16 or float32 for all parameters, or need a process group or PyTorch's internals.
ODD = ("alice", "demo", "magma", "scion", "scionlight", "soap")
torch.set_default_dtype(torch.float64)


def run(make, name):
    torch.manual_seed(0)
    m = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    try:
        o = make(m.parameters())
        for _ in range(5):
            o.zero_grad()
            l = ((m(x) - y) ** 2).mean()
            l.backward(create_graph=name in ("AdaHessian", "Adahessian", "SophiaH"))
            o.step()
        print(name, round(l.item(), 6))
    except Exception as e:
        print(name, type(e).__name__, str(e)[:100])


NAMES = """
    A2GradExp A2GradInc A2GradUni AccSGD AdaBelief AdaBound AdaMod Adafactor Adahessian AdamP AggMo
    Apollo DiffGrad Lamb MADGRAD NovoGrad PID QHAdam QHM RAdam Ranger RangerQH RangerVA SGDP SGDW SWATS
    Shampoo Yogi
"""
for n in NAMES.split():
    run(getattr(torch_optimizer, n), n)
for n in pytorch_optimizer.get_supported_optimizers():
    if n in ("lbfgs", "alig") or "8bit" in n or "4bit" in n or "fp8" in n or n.startswith("q_") or n in ODD:
        continue
    run(pytorch_optimizer.load_optimizer(n), n)
m = torch.nn.Linear(2, 2)
e = ExponentialMovingAverage(m.parameters(), 0.9)
with torch.no_grad():
    m.weight.add_(1)
e.update()
with e.average_parameters():
    print(round(m.weight.sum().item(), 6))
