"""Interrupts in quick succession: none is lost in torchlike's code, and the program goes on with whole state."""

import subprocess
import sys

import pytest

COUNT = """
import random, signal, sys, time
import torchlike as torch

lost, sent, caught = [], 0, 0
sys.unraisablehook = lambda ignored: lost.append(repr(ignored.object))

def interrupt(*_):
    global sent
    sent += 1
    raise KeyboardInterrupt

{program}

signal.signal(signal.SIGALRM, interrupt)
choose, end = random.Random({seed}), time.monotonic() + 8
while time.monotonic() < end:
    try:
        signal.setitimer(signal.ITIMER_REAL, choose.uniform(0.0003, 0.002))
        stop = time.monotonic() + 1
        while time.monotonic() < stop:
            work()
    except KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)
        caught += 1
signal.setitimer(signal.ITIMER_REAL, 0)
work()
inside = [each for each in lost if "_xla_gc_callback" not in each]  # JAX's own finalizer
print(sent > 300, inside, sent - caught <= 2 * len(lost) + 3, flush=True)
import os
os._exit(0)  # the workers of an endless loader end with their main process
"""

TRAINING = """
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
optimizer = torch.optim.AdamW(model.parameters())
inputs, classes = torch.randn(8, 4), torch.randint(0, 2, (8,))

def work():
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(inputs), classes).backward()
    optimizer.step()

for _ in range(12):
    work()
"""

LOADING = """
class Endless(torch.utils.data.IterableDataset):
    def __iter__(self):
        while True:
            yield torch.ones(50_000)

batches = iter(torch.utils.data.DataLoader(Endless(), num_workers=2, batch_size=None))

def work():
    next(batches)

work()
"""


@pytest.mark.long  # interrupted steps stay in the pending trace; under load, its program compiles for minutes
@pytest.mark.parametrize(("program", "seed"), [(TRAINING, 1), (TRAINING, 2), (LOADING, 1)])
def test_no_interrupt_is_lost_and_no_state(program, seed):
    script = COUNT.format(program=program, seed=seed)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=300)
    assert done.stdout.split("\n")[0] == "True [] True", done.stdout + done.stderr[-3000:]
