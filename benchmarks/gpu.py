"""Training steps on a GPU: torchlike beside PyTorch and JAX, with the models of `benchmarks.ahead`.

`python -m benchmarks.gpu` writes `GPU.md` and `GPU.json` next to this file. It needs a GPU, JAX for CUDA, optax and
PyTorch for CUDA. With arguments, it only runs the models that they name.
"""

import contextlib
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

Milliseconds per step, warm: the median of {rounds} rounds of queued steps, each ended by a read of the loss, and the
fastest round in brackets. Every library ran in its own process while the others waited. The rounds of the libraries
alternate. `torch.compile` compiles the forward and backward pass; PyTorch's optimizers are its own defaults
(`foreach`). Precision is PyTorch's default: float32 products in full and TF32 in convolutions, in JAX too; bfloat16
where the row says so.

- Ratio: torchlike's median over that of PyTorch eager, of `torch.compile`, and of the hand-written JAX step.
- MB: the peak of the device's memory in use, in the order of the columns.
- First loss: of PyTorch eager, torchlike and torchlike.compile, from the same seed. The fifth step follows in brackets.
- The steps of small models take less time on the GPU than on the host, so their times are those of the host. They vary
  more than the others, between rounds and between runs.
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
    """Prepare a step and print how long that took. Then time one round for each line of input and print its figures."""
    start = time.perf_counter()
    step = made(side, name)
    losses = [step.number(step.run()) for _ in range(5)]
    print(json.dumps({"ready": time.perf_counter() - start, "losses": losses}), flush=True)
    sys.stdin.readline()
    for _ in range(5):
        step.run()
    step.number(step.run())
    begin = time.perf_counter()
    step.number(step.run())
    count = max(1, min(200, int(SECONDS / (time.perf_counter() - begin))))
    print(json.dumps({"count": count}), flush=True)
    for _ in sys.stdin:
        print(json.dumps(round_of(step, count) | {"MB": step.peak() / 1e6}), flush=True)


def round_of(step, count):
    """Time queued steps. Return the milliseconds of a step, and those that the host took to queue it."""
    begin = time.perf_counter()
    for _ in range(count):
        loss = step.run()
    queued = time.perf_counter() - begin
    step.number(loss)
    return {"ms": 1e3 * (time.perf_counter() - begin) / count, "host": 1e3 * queued / count}


class Worker:
    """The process of one library. It waits for a line of input before each round."""

    def __init__(self, side, name):
        env = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_CPP_MIN_LOG_LEVEL": "3"}
        command = [sys.executable, "-m", "benchmarks.gpu", "--worker", side, name]
        self.side, self.name, self.errors = side, name, tempfile.TemporaryFile("w+")  # noqa: SIM115
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.errors, "text": True}
        self.process = subprocess.Popen(command, env=env, start_new_session=True, **pipes)
        self.found = {}  # the first line, or an error
        self.rounds = []

    def wait(self, end):
        """Wait until the process is ready, or until the time `end`. Stop a process that is not ready."""
        ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
        if not ready:
            self._end()  # so that nothing compiles while the others are timed
            self.found = {"error": f"not compiled within {PATIENCE:.0f} s"}
        else:
            self._read()

    def ask(self):
        """Send a line and return the answer, or {} if the process has ended."""
        if "error" not in self.found:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.write("go\n")
                self.process.stdin.flush()
            return self._read()
        return {}

    def _read(self):
        line = self.process.stdout.readline()
        if line:
            if not self.found:
                self.found = json.loads(line)
            return json.loads(line)
        self.errors.seek(0)
        said = self.errors.read().strip().splitlines()
        self.found = {"error": said[-1][:200] if said else f"exit status {self.process.wait()}", "said": said[-40:]}
        return {}

    def _end(self):
        """End the process and the compilers that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def figures(self):
        """Return the figures of all rounds, or the error. End the process."""
        self._end()
        if "error" in self.found:
            return self.found
        column = lambda key: [made[key] for made in self.rounds]
        figures = {"ms": median(column("ms")), "least": min(column("ms")), "host": median(column("host"))}
        return figures | {"MB": max(column("MB"))} | self.found


def compiled(workers):
    """Wait until all workers are ready. Stop those that are not ready in time."""
    end = time.monotonic() + PATIENCE
    for one in tqdm(workers, unit="compiled"):
        one.wait(end)


def measured(models):
    """Yield (model, side, figures). All workers compile at the same time. Then the rounds of each model alternate."""
    workers = [Worker(side, name) for name in models for side in FORMS]
    compiled(workers)
    for name in tqdm(models, unit="timed"):
        mine = [one for one in workers if one.name == name]
        for one in mine:
            one.ask()  # the warm-up
        for _ in range(ROUNDS):
            for one in mine:
                made = one.ask()
                one.rounds += [made] if made else []
        for one in mine:
            yield name, one.side, one.figures()


def lines(rows):
    head = f"| model | {' | '.join(FORMS)} | torchlike over | compiled over | MB | first loss |"
    yield from (head, f"|---|{'---:|' * (len(FORMS) + 4)}")
    for name in (n for n in TITLES if n in rows):
        row = rows[name]
        at = lambda side, key: row[side].get(key) if side in row else None  # noqa: B023
        cells = [
            f"{ms:.3g} ({at(side, 'least'):.3g})" if (ms := at(side, "ms")) else at(side, "error") or ""
            for side in FORMS
        ]
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
