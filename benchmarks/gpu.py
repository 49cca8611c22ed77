"""Training steps on a GPU: torchlike beside PyTorch and JAX, with the models of `benchmarks.ahead`.

`python -m benchmarks.gpu` writes `GPU.md` and `GPU.json` next to this file. It needs a GPU, JAX for CUDA, optax and
PyTorch for CUDA. With arguments, it only runs the models that they name.
"""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median

from tqdm import tqdm

from benchmarks.ahead import TITLES

HERE = Path(__file__).parent
FORMS = {
    "PyTorch eager": "eager",
    "torch.compile": "forward",
    "JAX + optax": None,
    "torchlike": "eager",
    "torchlike.compile": "whole",
}
OURS = "torchlike", "torchlike.compile"
ROUNDS, SECONDS = 5, 0.4  # of timed steps; each round takes at least one step
PATIENCE = 600.0  # seconds for all compiles
CLASSES = {"gpt2": 50257, "vit": 1000, "resnet50": 1000}  # the integers of the batches for JAX; otherwise 10
# PyTorch uses TF32 for convolutions and recurrent layers, but not for products. JAX has one setting for all of them, so
# the models of products use full float32 and the others TF32.
EXACT = ("mlp",)
ABOUT = """\
# Training steps on a GPU

Written by `python -m benchmarks.gpu` on {device}, {versions}.

Milliseconds per step, warm: the median of {rounds} rounds of queued steps, each ended by a read of the loss. Every
library ran in its own process while the others waited, unless a note says otherwise. `torch.compile` compiles
the forward and backward pass; PyTorch's optimizers are its own defaults (`foreach`). Precision is PyTorch's default:
float32 products in full and TF32 in convolutions, in JAX too; bfloat16 where the row says so.

- Ratio: torchlike's time over that of PyTorch eager, of `torch.compile`, and of the hand-written JAX step.
- MB: the peak of the device's memory in use, in the order of the columns.
- First loss: of PyTorch eager, torchlike and torchlike.compile, from the same seed. The fifth step follows in brackets.
- The steps of small models take less time on the GPU than on the host, so their times are those of the host.
"""


class Step:
    """A prepared step: `run()` queues it and returns the loss, `number(loss)` reads it, `peak()` is in bytes."""

    def __init__(self, run, number, peak):
        self.run, self.number, self.peak = run, number, peak


def of_torch(torch, name, form):
    """Return the step written for PyTorch."""
    from benchmarks.ahead_torch import STEPS

    torch.manual_seed(0)
    step, given = STEPS[name](torch, "cuda", form)
    return Step(lambda: step(*given), lambda loss: loss.item(), torch.cuda.max_memory_allocated)


def of_jax(name):
    """Return the step written for JAX, with random parameters and data."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    from benchmarks.ahead_jax import STEPS

    rng = np.random.default_rng(0)

    def filled(leaf):
        if jnp.issubdtype(leaf.dtype, jnp.integer):
            return jnp.asarray(rng.integers(CLASSES.get(name, 10), size=leaf.shape), leaf.dtype)
        return jnp.asarray(rng.standard_normal(leaf.shape, np.float32), leaf.dtype)

    step, (params, moments, state, *batch) = STEPS[name]("gpu")
    batch = [filled(leaf) for leaf in batch]
    params = jax.tree.map(lambda leaf: filled(leaf) * 0.02, params)
    moments, state = (jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), held) for held in (moments, state))
    held = [params, moments, state]
    step = jax.jit(step, donate_argnums=(0, 1, 2))

    def run():
        with jax.default_matmul_precision("highest" if name in EXACT else "default"):
            *held[:], loss = step(*held, *batch)
        return loss

    return Step(run, float, lambda: jax.devices()[0].memory_stats()["peak_bytes_in_use"])


def made(side, name):
    if side not in OURS and FORMS[side] is not None:
        import torch

        return of_torch(torch, name, FORMS[side])
    if FORMS[side] is None:
        return of_jax(name)
    import torchlike

    return of_torch(torchlike, name, FORMS[side])


def worker(side, name):
    """Prepare a step, wait for a line of input, time it, and print the figures."""
    start = time.perf_counter()
    step = made(side, name)
    losses = [step.number(step.run()) for _ in range(5)]
    ready = time.perf_counter() - start
    print(json.dumps({"ready": ready}), flush=True)
    sys.stdin.readline()
    for _ in range(5):
        step.run()
    step.number(step.run())
    begin = time.perf_counter()
    step.number(step.run())
    count = max(1, min(200, int(SECONDS / (time.perf_counter() - begin))))
    rounds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(count - 1):
            step.run()
        step.number(step.run())
        rounds.append((time.perf_counter() - begin) / count)
    figures = {"ms": 1e3 * median(rounds), "least": 1e3 * min(rounds), "MB": step.peak() / 1e6, "losses": losses}
    print(json.dumps(figures), flush=True)


def started(side, name):
    env = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, "-m", "benchmarks.gpu", "--worker", side, name]
    errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, text=True, env=env), errors


def figures_of(process, errors, ready):
    """Return the figures of a worker that is ready, or its error."""
    if ready:
        process.stdin.write("go\n")
        process.stdin.flush()
        line = process.stdout.readline()
        process.stdin.close()
        if line:
            process.wait()
            return json.loads(line) | json.loads(ready)
    if not ready and process.wait() == -signal.SIGTERM:
        return {"error": f"not compiled within {PATIENCE:.0f} s"}
    process.kill()
    errors.seek(0)
    said = errors.read().strip().splitlines()
    return {"error": said[-1][:200] if said else f"exit status {process.wait()}", "said": said[-40:]}


def line_of(process, end):
    """Return the next line of a worker, or an empty line if there is none before the end."""
    ready, _, _ = select.select([process.stdout], [], [], max(0, end - time.monotonic()))
    return process.stdout.readline() if ready else ""


def measured(models):
    """Yield (model, side, figures). All workers compile at the same time; afterwards they are timed in turn."""
    every = [(name, side, *started(side, name)) for name in models for side in FORMS]
    end = time.monotonic() + PATIENCE
    waiting = [(*worker, line_of(worker[2], end)) for worker in tqdm(every, unit="compiled")]
    for _, _, process, _, ready in waiting:
        if not ready:
            process.terminate()  # so that nothing compiles while the others are timed
    for name, side, *worker in tqdm(waiting, unit="timed"):
        yield name, side, figures_of(*worker)


def lines(rows):
    head = f"| model | {' | '.join(FORMS)} | torchlike over | compiled over | MB | first loss |"
    yield from (head, f"|---|{'---:|' * (len(FORMS) + 4)}")
    for name in (n for n in TITLES if n in rows):
        row = rows[name]
        at = lambda side, key: row[side].get(key) if side in row else None  # noqa: B023
        cells = [f"{ms:.3g}" if (ms := at(side, "ms")) else at(side, "error") or "" for side in FORMS]
        for mine in OURS:
            others = [at(side, "ms") for side in ("PyTorch eager", "torch.compile", "JAX + optax")]
            mine = at(mine, "ms")
            cells.append(", ".join(f"{mine / o:.2f}" if mine and o else "-" for o in others))
        cells.append(", ".join(f"{at(side, 'MB'):.0f}" if at(side, "MB") else "-" for side in FORMS))
        losses = [at(side, "losses") for side in ("PyTorch eager", *OURS)]
        cells.append(", ".join(f"{found[0]:.5f} ({found[4]:.5f})" if found else "-" for found in losses))
        yield f"| {TITLES[name]}{' ' + row['note'] if 'note' in row else ''} | {' | '.join(cells)} |"


def main(chosen):
    data = HERE / "GPU.json"
    models = [name for name in TITLES if name in chosen] or [*TITLES]
    versions = ", ".join(f"{name} {version(name)}" for name in ("jax", "torch", "optax"))
    rows = json.loads(data.read_text())["rows"] if data.exists() and chosen else {}
    device = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
    about = ABOUT.format(device=device.stdout.strip(), versions=versions, rounds=ROUNDS)
    for name, side, figures in measured(models):
        rows.setdefault(name, {})[side] = figures
        data.write_text(json.dumps({"device": device.stdout.strip(), "versions": versions, "rows": rows}) + "\n")
        (HERE / "GPU.md").write_text(about + "\n" + "\n".join(lines(rows)) + "\n")
    print((HERE / "GPU.md").read_text())


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:4])
    else:
        main(sys.argv[1:])
