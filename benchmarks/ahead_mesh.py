"""Training steps of eight chips, compiled ahead of time, beside the same steps written by hand for JAX.

`python -m benchmarks.ahead_mesh` compiles GPT-2 with DDP, FSDP2 and tensor parallelism for all targets. After each
step, it writes `AHEAD_MESH.md` and `AHEAD_MESH.json` next to this file. With arguments, it only compiles the steps that
they name, and keeps the other rows: `python -m benchmarks.ahead_mesh fsdp v5e:2x4 layers=2`. It needs no accelerator,
but the packages that `benchmarks.ahead` needs.
"""

import json
import re
import sys
from importlib.metadata import version
from math import prod
from pathlib import Path

from tqdm import tqdm

from benchmarks import ahead

HERE = Path(__file__).parent
TARGETS = ("h100:8", "v5e:2x4")
WAYS = {"ddp": "DDP", "fsdp": "FSDP2", "tp": "TP"}
CHIPS, LAYERS = 8, 12
KINDS = ("all-reduce", "all-gather", "reduce-scatter")
WIDTHS = {"f64": 8, "s64": 8, "u64": 8, "f32": 4, "s32": 4, "u32": 4, "bf16": 2, "f16": 2, "s8": 1, "u8": 1, "pred": 1}
# PyTorch's DDP closes a bucket of gradients when it has at least this many bytes.
FIRST_BUCKET, BUCKET = 1 << 20, 25 << 20
FORMS = ("whole", "forward")  # of a step
ABOUT = """\
# Eight chips, compiled ahead of time

Written by `python -m benchmarks.ahead_mesh`, {versions}.

A training step of GPT-2 (124M parameters with 12 layers: width 768, T 1024, tied embeddings, bfloat16 autocast, AdamW)
with one sequence for each of eight chips that were not present (TP: one sequence for all of them): torchlike's (a
PyTorch script for `torchrun` under `torch.compile`) and one written by hand for JAX with optax and `jax.shard_map`,
compiled in the same run with the same precision. FSDP2 is `fully_shard` on each block and on the model. TP is
`parallelize_module` on each block, by columns before attention and GELU and by rows after them, with 16 heads, since 12
do not divide by eight. Nothing was run or timed. Cells have torchlike's figure, then JAX's, then the ratio.

- State: the arguments of one chip (parameters, two moments and the sequence), and their ratio to the whole state, to
  one eighth of it with FSDP2, or to the part that TP gives to each chip.
- Temporaries: the largest sum of intermediate results on one chip.
- Collectives: those in the compiled program, after XLA has combined them. PyTorch's buckets are the all-reduces that
  DDP makes there. On the GPU, XLA combines up to 30 MiB, so the gradient of the embedding (154 MB) is reduced alone; in
  PyTorch it shares the last bucket. The other all-reduces are 13 with 344 MB. All of them are gradients.
- MB gathered: the results of the all-gathers. JAX's program casts each weight directly after its gather, so XLA casts
  before it. torchlike gathers the parameters of a block in one float32 vector, as PyTorch does.
- Per layer: collectives of one block in the program before XLA combines them. The all-reduces of the forward pass are
  those of a program of the loss alone.
- Host transfers: infeeds, outfeeds, callbacks and copies to the host inside the step.
- Seconds: the time to compile on this machine, which other work shared, one run.

A row with fewer than 12 layers says so.
"""


def torchlike_step(way, layers, target, form="whole"):
    """Return torchlike's step, or its loss with the form "forward", lowered for a target."""
    import torchlike
    import torchlike.distributed.fsdp
    import torchlike.distributed.tensor.parallel
    from benchmarks.ahead_mesh_torch import gpt2
    from torchlike._engine.ahead.session import recording
    from torchlike._engine.xla.target import compiling_for
    from torchlike.aot.command import devices

    with recording(1) as session, compiling_for(target.platform), devices(target):
        step, given = gpt2(torchlike, way, target.type, layers, form)
        step(*given)
    torchlike.distributed.destroy_process_group()
    return session.programs[-1].lower(target)


def jax_step(way, layers, target, form="whole"):
    """Return the hand-written step, or its loss with the form "forward", lowered for a target."""
    import jax

    from benchmarks.ahead_mesh_jax import gpt2
    from torchlike._engine.ahead.lowering import Lowered, Recorded

    with jax.enable_x64(False), jax.default_matmul_precision("default"):
        step, given = gpt2(way, target.platform, target.chips, layers, form)
        return Lowered(Recorded(way, target.type, 0, step, given), target, step.lower(*given))


SIDES = {"torchlike": torchlike_step, "JAX": jax_step}


def figures(lowered):
    """Compile a program and return its figures."""
    from torchlike._engine.ahead import hlo

    program = lowered.compile()
    gathers = [rest for kind, rest in hlo.collective_instructions(program.as_text()) if kind == "all-gather"]
    return ahead.figures(program) | {
        "MB of state": program.memory.arguments / 1e6,
        "MB gathered": sum(map(gathered_bytes, gathers)) / 1e6,
        "collectives": program.collectives,
        "before": collectives_before(lowered.as_text()),
    }


def gathered_bytes(instruction):
    """Return the bytes of the results of an all-gather. The first half of an asynchronous one has its operands too."""
    results, opcode, _ = re.split(r"\s(all-gather(?:-start)?)\(", instruction, maxsplit=1)
    shapes = re.findall(r"\b([a-z]+\d*)\[([\d,]*)\]", results)
    total = sum(WIDTHS[dtype] * prod(int(n) for n in dims.split(",") if n) for dtype, dims in shapes)
    return total * CHIPS // (CHIPS + 1) if opcode.endswith("-start") else total


def collectives_before(text):
    """Return the number of collectives by kind in a StableHLO module. A function counts at each of its calls."""
    bodies = dict(re.findall(r"func\.func \w+ @(\S+?)\((.*?)(?=func\.func |\Z)", text, re.DOTALL))

    def count(name, kind):
        if (name, kind) not in known:
            calls = re.findall(r"\bcall @(\S+?)\(", bodies[name])
            own = len(re.findall(rf"stablehlo\.{kind.replace('-', '_')}\b", bodies[name]))
            known[name, kind] = own + sum(count(called, kind) for called in calls)
        return known[name, kind]

    known = {}
    return {kind: count("main", kind) for kind in KINDS}


def buckets(layers):
    """Return the number of PyTorch's gradient buckets, which are filled from the last parameter to the first."""
    from benchmarks.ahead_mesh_jax import shapes

    parameters = shapes(layers)
    first = ["tokens", "positions"]
    last = [name for name in parameters if name.startswith("norm")]
    order = first + [name for name in parameters if name not in first + last] + last
    made, held = 0, 0
    for name in reversed(order):
        held += 4 * prod(parameters[name].shape)
        if held >= (BUCKET if made else FIRST_BUCKET):
            made, held = made + 1, 0
    return made + bool(held)


def one(way, layers, name):
    """Return the row of a step for the target with this name."""
    from torchlike._engine.ahead import targets

    target = targets.find(name)
    share = share_of(way, layers)
    row = {"model": f"{way} {layers}", "target": name, "MB of share": share / 1e6, "buckets": buckets(layers)}
    return row | {side: figures(lower(way, layers, target)) for side, lower in SIDES.items()}


def share_of(way, layers):
    """Return the bytes of the parameters and moments of one chip."""
    from benchmarks.ahead_mesh_jax import dims_of, shapes

    parameters = shapes(layers)
    divided = dims_of(way, parameters, CHIPS)
    return 3 * 4 * sum(prod(x.shape) / (CHIPS if name in divided else 1) for name, x in parameters.items())


def counted(way, layers, name):
    """Return the collectives of both sides' steps, and of their losses, before XLA combines them."""
    from torchlike._engine.ahead import targets

    target = targets.find(name)
    count = lambda lower, form: collectives_before(lower(way, layers, target, form).as_text())
    return {side: {form: count(lower, form) for form in FORMS} for side, lower in SIDES.items()}


def with_counts_per_layer(row):
    """Add the number of collectives of one layer, before XLA combines them, to a row of FSDP2 or TP."""
    way, _ = row["model"].split()
    if way != "ddp" and "error" not in row:
        one, two = (ahead.row_of(f"{way} {n}", row["target"], "benchmarks.ahead_mesh", "--count") for n in (1, 2))
        added = lambda *keys: two[keys[0]][keys[1]][keys[2]] - one[keys[0]][keys[1]][keys[2]]
        row["per layer"] = {
            side: {form: {kind: added(side, form, kind) for kind in KINDS} for form in FORMS} for side in SIDES
        }
    return row


def table(rows):
    columns = (
        *("MB of state (ratio to the share)", "MB of temporaries", "all-reduces", "all-gathers", "reduce-scatters"),
        *("PyTorch's buckets", "MB gathered", "all-gathers per layer", "reduce-scatters per layer"),
        *("all-reduces per layer, forward", "backward"),
        *("host transfers", "seconds"),
    )
    lines = []
    for target in TARGETS:
        lines += ["", f"## {target}", "", f"| step | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
        for row in sorted((r for r in rows if r["target"] == target), key=lambda r: r["model"]):
            cells = cells_of(row) if "error" not in row else [row["error"]]
            lines.append(f"| {title(row['model'])} | {' | '.join(cells)} |")
    return "\n".join(lines)


def title(model):
    way, layers = model.split()
    return f"{WAYS[way]}, {layers} layers" if int(layers) == LAYERS else f"{WAYS[way]}, only {layers} layers"


def cells_of(row):
    sides = row["torchlike"], row["JAX"]
    pair = lambda read: " / ".join(str(read(side)) for side in sides)
    state = " / ".join(f"{s['MB of state']:.1f} ({s['MB of state'] / row['MB of share']:.4f})" for s in sides)
    counts = [pair(lambda side, kind=kind: side["collectives"].get(kind, 0)) for kind in KINDS]
    way, added = row["model"].split()[0], row.get("per layer")
    layer = lambda read: " / ".join(f"{read(added[side]):g}" for side in SIDES)
    gathers = [layer(lambda found, kind=kind: found["whole"][kind]) if way == "fsdp" else "" for kind in KINDS[1:]]
    forward = lambda found: found["forward"]["all-reduce"]
    backward = lambda found: found["whole"]["all-reduce"] - forward(found)
    return [
        *(state, ahead.cell(row, "MB of temporaries"), *counts, str(row["buckets"]) if way == "ddp" else ""),
        *(ahead.cell(row, "MB gathered") if way == "fsdp" else "", *gathers),
        *((layer(forward), layer(backward)) if way == "tp" else ("", "")),
        *(ahead.cell(row, "host transfers"), ahead.cell(row, "seconds")),
    ]


def main(chosen):
    ways = [w for w in WAYS if w in chosen] or [*WAYS]
    wanted = [t for t in TARGETS if t in chosen] or [*TARGETS]
    depths = [word.removeprefix("layers=") for word in chosen if re.fullmatch(r"layers=[1-9]\d*", word)]
    unknown = set(chosen) - {*WAYS, *TARGETS, *(f"layers={depth}" for depth in depths)}
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; steps: {', '.join(WAYS)}; targets: {', '.join(TARGETS)}")
    data = HERE / "AHEAD_MESH.json"
    versions = ", ".join(f"{name} {version(name)}" for name in ("jax", "libtpu", "jax-cuda12-plugin"))
    steps = [(f"{way} {depth}", target) for target in wanted for depth in depths or [LAYERS] for way in ways]
    for name, target in tqdm(steps, unit="step"):
        made = with_counts_per_layer(ahead.row_of(name, target, "benchmarks.ahead_mesh"))
        before = json.loads(data.read_text())["rows"] if data.exists() else []
        rows = [r for r in before if (r["model"], r["target"]) != (name, target)] + [made]
        data.write_text(json.dumps({"versions": versions, "rows": rows}, indent=1) + "\n")
        (HERE / "AHEAD_MESH.md").write_text(ABOUT.format(versions=versions) + table(rows) + "\n")
    print((HERE / "AHEAD_MESH.md").read_text())


if __name__ == "__main__":
    made = {"--one": one, "--count": counted}.get((sys.argv[1:2] or [""])[0])
    if made is None:
        main(sys.argv[1:])
    else:
        way, layers = sys.argv[2].split()
        print(json.dumps(made(way, int(layers), sys.argv[3])))
