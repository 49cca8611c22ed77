"""Programs of all kinds. Each is a function of a device that returns numbers."""

import torchlike as torch
from torchlike._engine import set_executor
from torchlike.utils.checkpoint import checkpoint


def trains(device, compiled=False):
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3),
        torch.nn.BatchNorm2d(4),
        torch.nn.ReLU(),
        torch.nn.Dropout(0.1),
        torch.nn.Flatten(),
        torch.nn.Linear(144, 5),
    ).to(device)
    optimizer = torch.optim.AdamW(net.parameters())
    x, y = torch.randn(4, 3, 8, 8).to(device), torch.randint(0, 5, (4,)).to(device)

    def step(x, y):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    step = torch.compile(step) if compiled else step
    return [step(x, y).item() for _ in range(3)]


def trains_compiled(device):
    return trains(device, True)


def factors(device):
    a = torch.linspace(0, 3, 25, dtype=torch.float64, device=device).sin().reshape(5, 5)
    a = a @ a.T + torch.eye(5, device=device)
    found = torch.linalg.cholesky(a), torch.linalg.svd(a)[1], torch.linalg.inv(a), torch.fft.rfft(a).abs()
    return [x.sum().item() for x in found]


def writes(device):
    x = torch.zeros(4, 4, device=device)
    x[1:3] = 2
    x[x > 1] = 5
    x.t()[0] = 1
    return x.tolist()


def draws(device):
    torch.manual_seed(0)
    gamma = torch.distributions.Gamma(torch.ones(50_000, device=device), 1.0).sample()
    many, picked = torch.randn(100_000, device=device), torch.multinomial(torch.ones(5, device=device), 2)
    return [gamma.sum().item(), many.sum().item(), picked.tolist()]


def transforms(device):
    x = torch.linspace(-1, 1, 12, device=device).reshape(3, 4)
    mapped = torch.func.vmap(lambda row: row.sort()[0] * 2)(x)
    pushed = torch.func.jvp(torch.sin, (x,), (torch.ones_like(x),))[1]
    chosen = torch.cond(x.sum() < 9, lambda x: x + 1, lambda x: x - 1, (x,))
    return [mapped.tolist(), torch.func.jacrev(torch.sin)(x[0]).tolist(), pushed.tolist(), chosen.tolist()]


def keeps(device):
    x = torch.linspace(-1, 1, 6, device=device).reshape(2, 1, 3).requires_grad_()
    gru = torch.nn.GRU(3, 4).to(device)
    gru(checkpoint(torch.sin, x, use_reentrant=False))[0].sum().backward()
    with torch.autocast(torch.device(device).type, dtype=torch.bfloat16):
        (torch.ones(2, 3, device=device) @ x.squeeze(1).T).sum().backward()
    return None if x.grad is None else x.grad.tolist()


ALL = (trains, trains_compiled, factors, writes, draws, transforms, keeps)
EXECUTORS = ("auto", "xla", "numpy")


def run(device: str) -> None:
    """Run all programs with each executor."""
    for executor in EXECUTORS:
        with set_executor(executor):
            for work in ALL:
                print(executor, work.__name__, work(device))
