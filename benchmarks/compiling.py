"""Measure the cost of one call of a compiled function, and count the compiles over a thousand varying steps."""

import time
from statistics import median

from benchmarks.contenders import JAX, WHOLE
from benchmarks.rival import rival
from benchmarks.rows import Check, Row, over

STEPS = 1000


def rows(setting):
    with rival(setting, task="compiling") as ask:
        rounds = [ask("call", 2000) for _ in range(3 * setting.rounds)]
        programs = ask("programs")
    figures = {name: median(figures[name] for figures in rounds) for name in (JAX, WHOLE)}
    title = f"programs compiled in {STEPS:,} steps: learning rate, clipping, dropout and an average's decay change"
    return [
        Row("call of a compiled 2x2 addition", "us", figures, over(figures, JAX, 2.5, WHOLE)),
        Row(title, "", {WHOLE: programs}, [Check(f"programs of {WHOLE}", programs, 1)]),
    ]


def commands(job):
    return {"call": call, "programs": programs}


def call(count):
    """Return the microseconds of one call by `jax.jit` and by `torchlike.compile`.

    They are timed one after the other in this process.
    """
    import jax
    import jax.numpy as jnp

    import torchlike as torch

    figures = {}
    for name, function, x in ((JAX, jax.jit(jnp.add), jnp.ones((2, 2))), (WHOLE, _added(torch), torch.ones(2, 2))):
        for _ in range(10):
            function(x, x)
        started = time.perf_counter()
        for _ in range(count):
            function(x, x)
        figures[name] = 1e6 * (time.perf_counter() - started) / count
    return figures


def _added(torch):
    return torch.compile(torch.add)


def programs():
    """Return the number of programs that are compiled, including those of the first step."""
    import torchlike as torch
    from torchlike import nn

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 4))
    average = [p.detach().clone() for p in model.parameters()]
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(8, 16), torch.randint(4, (8,))
    decay = 0.0

    @torch.compile(fullgraph=True)
    def step(x, y):
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        with torch.no_grad():
            for a, p in zip(average, model.parameters()):
                a.mul_(decay).add_(p, alpha=1 - decay)
        return loss

    with torch.explain() as report:
        for i in range(STEPS):
            optimizer.param_groups[0]["lr"] = 1e-3 / (1 + i)
            decay = min(0.999, (1 + i) / (10 + i))
            step(x, y).item()
    return report.totals.compiles
