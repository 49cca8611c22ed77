"""One contender in its own process.

The process takes a job as its argument, then one command per line, and replies in JSON. Separate processes keep the
thread pools, allocators and caches of the libraries apart. A process that waits for its next command uses no CPU time.
"""

import json
import os
import sys
import time

import numpy as np

from benchmarks import compiling, contenders, fills, lengths, prompt
from benchmarks.models import SPECS

QUESTIONS = (prompt, lengths, fills, compiling)
CHAIN = 64  # operators recorded between two measurements


def train(job):
    spec, weights = SPECS[job["model"]], dict(np.load(job["weights"]))
    step = contenders.stepper(job["contender"], spec, weights, job["device"], job["threads"])

    def steps(count):
        started = time.perf_counter()
        losses = [step() for _ in range(count)]
        return {"seconds": (time.perf_counter() - started) / count, "losses": losses[:20]}

    return {"steps": steps, "resident": resident, "peak": lambda: peak(step.memory())}


def peak(memory):
    """Return the peak bytes by XLA's own analysis: arguments, outputs that do not alias arguments, and temporaries."""
    return (
        memory.argument_size_in_bytes
        + memory.output_size_in_bytes
        - memory.alias_size_in_bytes
        + memory.temp_size_in_bytes
    )


def record(job):
    torch = contenders.library(job["contender"], job["threads"])
    x = torch.from_numpy(np.zeros((32, 32), np.float32)).to(job["device"]).requires_grad_()
    y = torch.from_numpy(np.ones((32, 32), np.float32)).to(job["device"])

    def chain():
        started, z = time.perf_counter(), x
        for _ in range(CHAIN // 2):
            z = (z + y) * y
        seconds = (time.perf_counter() - started) / CHAIN
        z.sum().item()
        return seconds

    return {"chains": lambda count: {"seconds": float(np.median([chain() for _ in range(count)]))}}


def resident():
    """Return the resident memory of this process, in MiB."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS:"))


def main():
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # keep the libraries' own output out of the replies
    job = json.loads(sys.argv[1])
    tasks = {"train": train, "record": record} | {m.__name__.rpartition(".")[2]: m.commands for m in QUESTIONS}
    commands = tasks[job["task"]](job)
    print(json.dumps("ready"), file=replies)
    for line in sys.stdin:
        name, *args = json.loads(line)
        print(json.dumps(commands[name](*args)), file=replies)


if __name__ == "__main__":
    main()
