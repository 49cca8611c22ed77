"""A session records the programs that a run would execute, and runs them only if elements are read."""

import os
import subprocess
import sys

# Devices of the CPU stand for GPUs, on which every flush is a compiled program.
SAME = """
import jax
import torchlike as torch
from torchlike._dtypes.devices import stand_ins
from torchlike._engine import stats
from torchlike._engine.ahead.session import recording
from torchlike._engine.report.program_statistics import ledger

def trains():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Flatten(),
                              torch.nn.Linear(144, 5)).to("cuda")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    for step in range(3):
        x = torch.ones(4, 3, 8, 8, device="cuda") * step
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
    return loss

with stand_ins("cuda", jax.devices()[1:]):
    with recording(99) as session:
        loss = trains()
        recorded = [(p.operators, sum(x.size * x.dtype.itemsize for x in p.given[0])) for p in session.programs]
        print("compiles", stats.compiles)
        value, keys = loss.item(), [p.key for p in session.programs]
    print("programs", len(recorded), len(set(keys)))
    del loss
    before = len(ledger.accounts)
    loss = trains()
    torch._engine.boundary()
    accounts = [a for a in list(ledger.accounts)[before:] if a.executor == "xla"]
    ran = [(a.group.operators, a.donated) for a in accounts]
    print("same", list(dict.fromkeys(recorded)) == ran, abs(value - loss.item()) < 1e-5)
    print(*[x for x in dict.fromkeys(recorded) if x not in ran], *[x for x in ran if x not in recorded], sep="\\n")
"""


def said(program: str) -> list[str]:
    env = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def test_the_programs_are_those_that_run_otherwise():
    lines = said(SAME)
    assert lines == ["compiles 0", "programs 9 3", "same True True", ""]


LONG = """
import torchlike as torch
from torchlike._engine.ahead import session as ahead
from torchlike._engine.trace.trace import limit

limit.length = 10
with ahead.recording(1) as session:
    x = torch.zeros(2)
    for _ in range(25):
        x = x + 1
    y = x * 2
    torch._engine.boundary()
print([len(p.operators) for p in session.programs])
ahead.MOST_PENDING = 20
with ahead.recording(1) as session:
    x = torch.zeros(2)
    for _ in range(25):
        x = x + 1
    print(x._value.array is None, x.tolist())
print([len(p.operators) for p in session.programs])
"""


def test_a_long_program_is_divided_as_in_a_run():
    assert said(LONG) == ["[11, 11, 4]", "True [25.0, 25.0]", "[11, 11, 3]"]


READS = """
import torchlike as torch
from torchlike._engine.ahead.session import recording

with recording(1, print):
    x = torch.ones(2)
    for _ in range(300):
        x = x * 1
    print(x.tolist(), (x + 1).tolist())
"""


def test_a_long_run_on_the_cpu_is_announced():
    assert said(READS) == ["<string>:9 needs elements, so 300 operators run on the CPU", "[1.0, 1.0] [2.0, 2.0]"]
