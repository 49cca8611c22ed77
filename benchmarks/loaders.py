"""Benchmarks of `DataLoader` with and without worker processes, against PyTorch.

`python -m benchmarks.loaders` writes `LOADERS.md` and `LOADERS.json` beside this file. With arguments, it only measures
the workloads whose names contain one of the arguments, and prints them.
"""

import io
import json
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks import report
from benchmarks.rival import Setting

WORKERS, EPOCHS, PROCESSES = (0, 2, 4), 3, 3  # epochs in each process; processes of each library
LIBRARIES = ("torch", "torchlike")
HERE = Path(__file__).parent
READING = """
Medians of three processes of each library in turns, each with three epochs after one that is not counted. An epoch
starts its workers, reads all batches, sums the first tensor of each, and ends its workers. Throughput is PyTorch's time
over torchlike's. Processor time is that of all processes of an epoch; it depends less on other work of the machine. The
main process has trained a small network before, so that XLA has started.
"""


def photographs(L):
    """JPEG files of 160 x 160 pixels, decoded, resized, turned and mirrored by PIL."""
    from PIL import Image, ImageOps

    files, rng = [], np.random.RandomState(0)
    for _ in range(16):
        file = io.BytesIO()
        Image.fromarray(rng.randint(0, 255, (160, 160, 3), dtype=np.uint8)).save(file, "JPEG")
        files.append(file.getvalue())

    def sample(i):
        image = Image.open(io.BytesIO(files[i % 16])).convert("RGB").resize((128, 128), Image.Resampling.BILINEAR)
        image = image.rotate(random.uniform(-10, 10))
        image = ImageOps.mirror(image) if random.random() < 0.5 else image
        pixels = L.from_numpy(np.array(image).transpose(2, 0, 1).copy()).float().div(255)
        return (pixels - 0.5) / 0.25, i % 10

    return rows(L, sample, 512), {"batch_size": 32, "shuffle": True}


def numpy_heavy(L):
    """Fourier transforms and sorts of 96 x 96 numbers by NumPy."""

    def sample(i):
        a = np.random.RandomState(i).rand(96, 96)
        waves = np.fft.fft2(a)
        return np.abs(np.fft.ifft2(waves * (np.abs(waves) > 1))).astype(np.float32), np.sort(a, 0)

    return rows(L, sample, 256), {"batch_size": 16}


def padded_text(L):
    """Lists of 10 to 59 tokens, padded by the collate function."""

    def pad(batch):
        texts = [L.tensor(text) for text, _ in batch]
        lengths = L.tensor([len(text) for text in texts])
        return L.nn.utils.rnn.pad_sequence(texts, batch_first=True), lengths, L.tensor([label for _, label in batch])

    sample = lambda i: ([(i * j) % 1000 for j in range(10 + i * 7 % 50)], i % 2)
    return rows(L, sample, 4096), {"batch_size": 32, "shuffle": True, "collate_fn": pad}


def stream(L):
    """An iterable dataset of three numbers and a label."""

    class Stream(L.utils.data.IterableDataset):
        def __iter__(self):
            worker = L.utils.data.get_worker_info()
            first, step = (worker.id, worker.num_workers) if worker else (0, 1)
            for i in range(first, 4096, step):
                yield L.tensor([float(i), float(i) ** 0.5, 1.0]), i % 3

    return Stream(), {"batch_size": 32}


def large_tensors(L):
    """Tensors of 8 MiB."""
    return rows(L, lambda i: L.full((2, 1024, 1024), float(i)), 48), {"batch_size": 4}


def all_python(L):
    """A loop of Python over 60,000 numbers."""
    return rows(L, lambda i: sum(j * j % 7 for j in range(60_000)), 512), {"batch_size": 8}


WORKLOADS = {
    f.__name__.replace("_", " "): f for f in (photographs, numpy_heavy, padded_text, stream, large_tensors, all_python)
}


def rows(L, sample, count):
    class Rows(L.utils.data.Dataset):
        def __len__(self):
            return count

        def __getitem__(self, i):
            return sample(i)

    return Rows()


def used():
    """Return the processor seconds of this process and of its children that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def timed(library: str, name: str) -> dict:
    """Return the milliseconds of an epoch and of the processors, for each number of workers."""
    L = __import__(library)
    L.nn.Linear(4, 4)(L.randn(2, 4)).sum().backward()
    dataset, options = WORKLOADS[name](L)
    found = {}
    for workers in WORKERS:
        loader = L.utils.data.DataLoader(dataset, num_workers=workers, **options)
        spent = []
        for _ in range(1 + EPOCHS):
            wall, processors = time.perf_counter(), used()
            for batch in loader:
                (batch if L.is_tensor(batch) else batch[0]).sum().item()
            spent.append((1e3 * (time.perf_counter() - wall), 1e3 * (used() - processors)))
        found[workers] = [median(side) for side in zip(*spent[1:])]
    return found


def asked(library: str, name: str) -> dict:
    """Return what `timed` returns in a new process."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.loaders", "--one", library, name]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines()[-1])


def measured(name: str) -> list[dict]:
    """Return the rows of a workload."""
    turns = [{library: asked(library, name) for library in LIBRARIES} for _ in range(PROCESSES)]
    made = []
    for workers in map(str, WORKERS):
        wall, processors = (
            [median(turn[library][workers][which] for turn in turns) for library in LIBRARIES] for which in (0, 1)
        )
        made.append({"workload": name, "workers": int(workers), "wall ms": wall, "processor ms": processors})
    return made


def table(about: dict, found: list[dict]) -> str:
    """Return the Markdown of all rows."""
    heads = ["workload", "workers", "PyTorch ms", "torchlike ms", "throughput", "PyTorch, processors", "torchlike"]
    lines = ["# Data loaders", "", *(f"- {key}: {value}" for key, value in about.items()), READING]
    lines += [f"| {' | '.join(heads)} |", "|---|---|" + "---:|" * (len(heads) - 2)]
    for row in found:
        (theirs, ours), processors = row["wall ms"], row["processor ms"]
        cells = [f"{theirs:.0f}", f"{ours:.0f}", f"{theirs / ours:.2f}", *(f"{p:.0f}" for p in processors)]
        lines.append(f"| {row['workload']} | {row['workers']} | {' | '.join(cells)} |")
    python = {row["workers"]: row["wall ms"] for row in found if row["workload"] == "all python"}
    if python:
        speed = [none / two for none, two in zip(python[0], python[2])]
        lines += ["", f"Speed-up by two workers, all Python: PyTorch {speed[0]:.2f}, torchlike {speed[1]:.2f}."]
    below = [f"{row['workload']}, {row['workers']}" for row in found if row["wall ms"][0] < row["wall ms"][1]]
    lines += ["", f"Throughput below PyTorch's: {'; '.join(below) or 'none'}."]
    return "\n".join(lines) + "\n"


def main(wanted: list[str]) -> None:
    if wanted[:1] == ["--one"]:
        print(json.dumps(timed(*wanted[1:])))
        return
    about = report.about(Setting(threads=len(os.sched_getaffinity(0)), rounds=PROCESSES))
    about["command"] = about["command"].replace("benchmarks", "benchmarks.loaders", 1)
    found = []
    for name in WORKLOADS:
        if not wanted or any(each in name for each in wanted):
            found += measured(name)
    print(table(about, found))
    if not wanted:
        (HERE / "LOADERS.md").write_text(table(about, found))
        (HERE / "LOADERS.json").write_text(json.dumps({"about": about, "rows": found}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
