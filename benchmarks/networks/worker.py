"""One side of one network in its own process, which takes commands as `benchmarks.worker` does.

For torchlike's sides, `python -m torchlike -m benchmarks.networks.worker` runs this module, so that `import torch` is
torchlike.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np
import torch

from benchmarks.networks import COMPILE, JAX, WARM, WHOLE, programs

LEARNING_RATE = 1e-4
CHAINED = 1_000_000  # elements


def stepper(side: str, name: str) -> Callable:
    """Return the training step of a network, which returns the loss as a number. Model and optimizer are ready."""
    program = programs.program(name)
    if side == JAX:
        from benchmarks.networks import encoder_jax

        return encoder_jax.stepper(program, programs, LEARNING_RATE)
    optimizer = torch.optim.AdamW(program.model.parameters(), lr=LEARNING_RATE)
    torch.cpu.synchronize()  # torchlike has only recorded the initial weights so far
    loss_of = torch.compile(program.loss) if side == COMPILE else program.loss

    def step(*batch):
        optimizer.zero_grad()
        loss = loss_of(*batch)
        loss.backward()
        optimizer.step()
        return loss

    if side == WHOLE:
        step = torch.compile(step)
    return lambda: step(*program.batch).item()


def train(side: str, name: str) -> dict[str, Callable]:
    step = stepper(side, name)

    def timed() -> tuple[float, float]:
        started = time.perf_counter()
        loss = step()
        return time.perf_counter() - started, loss

    def begin() -> dict:
        seconds, losses = zip(*(timed() for _ in range(WARM)))
        return {"seconds": seconds, "losses": losses, "uncompiled": uncompiled(step) if side == WHOLE else []}

    return {"begin": begin, "steps": lambda count: [timed()[0] for _ in range(count)], "peak": peak}


def uncompiled(step: Callable) -> list[str]:
    """Return why torchlike runs the step, which is meant to be compiled, without its compiled form."""
    with torch.explain() as report:  # pyright: ignore[reportAttributeAccessIssue] torchlike's
        step()
    return [reason for function in report.functions for reason in function.reasons]


def infer(side: str, name: str) -> dict[str, Callable]:
    program = programs.program(name)
    program.model.eval()
    torch.cpu.synchronize()

    def calls(count: int) -> dict:
        seconds, found = [], np.zeros(0)
        for _ in range(count):
            started = time.perf_counter()
            with torch.no_grad():
                found = program.answer(*program.batch).numpy()
            seconds.append(time.perf_counter() - started)
        return {"seconds": seconds, "result": float(np.abs(found).mean())}

    return {"calls": calls}


def chain(side: str, name: str) -> dict[str, Callable]:
    """Return the command that times 100 calls of a compiled `sin(x) + cos(y)`, in processor seconds."""
    x, y = torch.linspace(0, 1, CHAINED), torch.linspace(1, 2, CHAINED)
    run = torch.compile(lambda x, y: torch.sin(x) + torch.cos(y))

    def once() -> float:
        started = time.process_time()
        z = run(x, y)
        for _ in range(99):
            z = run(x, y)
        z[0].item()
        return time.process_time() - started

    return {"chain": lambda: median([once() for _ in range(4)][1:])}


def peak() -> float:
    """Return the peak of the resident memory of this process, in MiB."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM:"))


def main() -> None:
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # keep the libraries' own output out of the replies
    job = json.loads(sys.argv[1])
    if job["library"] != "torchlike":
        torch.set_num_threads(job["threads"])  # XLA's thread count follows the process's CPU affinity
    commands = {"train": train, "infer": infer, "chain": chain}[job["task"]](job["side"], job["network"])
    print(json.dumps("ready"), file=replies)
    for line in sys.stdin:
        name, *args = json.loads(line)
        print(json.dumps(commands[name](*args)), file=replies)


if __name__ == "__main__":
    main()
