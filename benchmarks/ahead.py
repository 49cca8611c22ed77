"""Training steps compiled ahead of time for one TPU v5e and one H100, beside the same steps written by hand for JAX.

`python -m benchmarks.ahead` compiles all models for all targets. After each model, it writes `AHEAD.md` and
`AHEAD.json` next to this file. With arguments, it only compiles the models and targets that they name, and keeps the
other rows:
`python -m benchmarks.ahead mlp cnn h100`. No accelerator is needed, but JAX's compilers for them are:
`pip install "jax[tpu]" "jax[cuda12]" optax`. GPT-2 takes about 15 minutes of one core for the TPU.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from tqdm import tqdm

HERE = Path(__file__).parent
TARGETS = ("v5e", "h100")
TITLES = {
    "mlp": "MLP 10x64, batch 32, Adam",
    "cnn": "CNN, 32x32 images, batch 32, SGD",
    "lstm": "LSTM, 128 units, T 64, batch 32, Adam",
    "resnet50": "ResNet-50, 224x224 images, batch 32, SGD",
    "llama": "Llama block, D 2048, 32 heads, 8 groups, T 2048, batch 4, bfloat16, AdamW",
    "vit": "ViT-B/16, 224x224 images, batch 32, bfloat16 autocast, AdamW",
    "gpt2": "GPT-2 124M, T 1024, batch 8, bfloat16 autocast, AdamW",
}
ABOUT = """\
# Compiled ahead of time

Written by `python -m benchmarks.ahead`, {versions}.

Training steps compiled for one chip that was not present: those of torchlike (PyTorch programs under `torch.compile`)
and the same steps written by hand for JAX with optax, compiled in the same run with the same precision of products.
Nothing was run or timed. Each cell has torchlike's figure, then JAX's, then the ratio.

- GB accessed: what all kernels of one step read and write, by XLA's cost model.
- MB of temporaries: the largest sum of intermediate results.
- Transposes and copies: instructions of the entry computation that only move data. Asynchronous copies are not
  counted: a TPU fetches the operands of the next kernels with them.
- Host transfers: infeeds, outfeeds, callbacks and copies to the host inside the step.
- Seconds: the time to compile on this machine, one run.
"""


def figures(program):
    """Return the figures of a compiled program."""
    found = moves(program.as_text())
    return {
        "GFLOP": program.flops / 1e9,
        "GB accessed": program.bytes_accessed / 1e9,
        "MB of temporaries": program.memory.temporaries / 1e6,
        "MB in total": program.memory.total / 1e6,
        "transposes": found["transpose"],
        "copies": found["copy"],
        "host transfers": sum(program.host_transfers.values()),
        "seconds": program.seconds,
    }


def moves(text):
    """Return the number of transposes and of copies in the entry computation, including fusions named after them."""
    entry = re.search(r"^ENTRY .*?^}", text, re.DOTALL | re.MULTILINE)
    assert entry is not None
    found = {"transpose": 0, "copy": 0}
    for name, opcode in re.findall(r"^\s*(?:ROOT )?%?([\w.\-]+) = .*?\s([a-z][a-z0-9\-]*)\(", entry[0], re.MULTILINE):
        for kind in found:
            is_fusion = opcode == "fusion" and re.search(rf"(^|_){kind}(_|\.|$)", name)
            found[kind] += bool(opcode == kind or is_fusion)
    return found


def torchlike_program(name, target):
    """Return torchlike's step of a model, compiled for a target."""
    import torchlike
    from benchmarks.ahead_torch import STEPS
    from torchlike._engine.ahead import targets
    from torchlike.aot.command import devices

    with devices(targets.find(target)):
        torchlike.manual_seed(0)
        step, given = STEPS[name](torchlike, targets.type_of(target))
        return step.for_target(target).lower(*given).compile()


def jax_program(name, target):
    """Return the hand-written step of a model, compiled for a target."""
    import jax

    from benchmarks.ahead_jax import STEPS
    from torchlike._engine.ahead import targets
    from torchlike._engine.ahead.lowering import Recorded

    chip = targets.find(target)
    # Float32 products are exact, as torchlike's are by default. The setting must not apply to products in bfloat16.
    precision = "default" if "bfloat16" in TITLES[name] else "highest"

    @contextlib.contextmanager
    def as_written():
        with jax.enable_x64(False), jax.default_matmul_precision(precision):
            yield

    with as_written():
        step, (params, moments, state, *batch) = STEPS[name](chip.platform)
    function = lambda held, batch: step(*held, *batch)
    given = (params, moments, state), batch
    return Recorded(name, chip.type, 0, function, given, during=as_written).lower(chip).compile()


def one(name, target):
    """Return the row of a model for a target."""
    sides = {"torchlike": torchlike_program, "JAX": jax_program}
    return {"model": name, "target": target} | {side: figures(make(name, target)) for side, make in sides.items()}


def row_of(name, target, module="benchmarks.ahead", what="--one"):
    """Compile a model in a process of its own. Return its row, or a row with the error."""
    from torchlike.aot.command import variables

    command = [sys.executable, "-m", module, what, name, target]
    env = {**os.environ, **variables(target)}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    errors = [line for line in done.stderr.splitlines() if re.match(r"[\w.]*(Error|Exception|Unsupported)\b", line)]
    return {"model": name, "target": target, "error": (errors or [f"exit status {done.returncode}"])[-1]}


def table(rows):
    columns = ("GB accessed", "MB of temporaries", "transposes", "copies", "host transfers", "seconds")
    lines = []
    for target in TARGETS:
        lines += ["", f"## {target}", "", f"| model | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
        for row in sorted((r for r in rows if r["target"] == target), key=lambda r: list(TITLES).index(r["model"])):
            cells = [cell(row, column) for column in columns] if "error" not in row else [row["error"]]
            lines.append(f"| {TITLES[row['model']]} | {' | '.join(cells)} |")
    return "\n".join(lines)


def cell(row, column):
    ours, theirs = row["torchlike"][column], row["JAX"][column]
    if column in ("transposes", "copies", "host transfers"):
        return f"{ours} / {theirs}"
    return f"{ours:.3g} / {theirs:.3g} ({ours / theirs:.2f})" if theirs else f"{ours:.3g} / {theirs:.3g}"


def main(chosen):
    models = [m for m in TITLES if m in chosen] or [*TITLES]
    wanted = [t for t in TARGETS if t in chosen] or [*TARGETS]
    unknown = set(chosen) - {*TITLES, *TARGETS}
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; models: {', '.join(TITLES)}; targets: {', '.join(TARGETS)}")
    data = HERE / "AHEAD.json"
    versions = ", ".join(f"{name} {version(name)}" for name in ("jax", "libtpu", "jax-cuda12-plugin"))
    for name, target in tqdm([(m, t) for m in models for t in wanted], unit="step"):
        made = row_of(name, target)
        before = json.loads(data.read_text())["rows"] if data.exists() else []
        rows = [r for r in before if (r["model"], r["target"]) != (name, target)] + [made]
        data.write_text(json.dumps({"versions": versions, "rows": rows}, indent=1) + "\n")
        (HERE / "AHEAD.md").write_text(ABOUT.format(versions=versions) + table(rows) + "\n")
    print((HERE / "AHEAD.md").read_text())


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(*sys.argv[2:4])))
    else:
        main(sys.argv[1:])
