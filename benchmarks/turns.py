"""Time two libraries alternately in one process, one operation per row, and write the table and the data."""

import json
import platform
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROUNDS = 5
LONGEST = 1.6  # seconds for all rounds of one row; slow operators run fewer rounds
LIMIT = 2.0
FIGURES = ("PyTorch ms", "torchlike ms", "ratio")
HERE = Path(__file__).parent


def compared(name: str, theirs: Callable, ours: Callable, warm: int) -> dict:
    """Return the row of an operation: the median milliseconds of both libraries, and their ratio.

    The libraries are timed alternately, after up to `warm` calls of torchlike (fewer if these take long). If a library
    lacks the operation, the row contains the error instead.
    """
    try:
        first = [theirs()]
        while len(first) <= warm and (len(first) < 4 or sum(first[1:]) < LONGEST):
            first.append(ours())
    except (RuntimeError, NotImplementedError, AttributeError) as error:
        return {"operator": name, "error": f"{type(error).__name__}: {error}"}
    rounds = max(1, min(ROUNDS, int(LONGEST / (first[0] + first[-1] + 1e-6))))
    pairs = [(theirs(), ours()) for _ in range(rounds)]
    torch_ms, our_ms = (1e3 * median(side) for side in zip(*pairs))
    return {"operator": name, "PyTorch ms": torch_ms, "torchlike ms": our_ms, "ratio": our_ms / torch_ms}


def table(about: str, found: list[dict], limit: float = LIMIT) -> str:
    done = [r for r in found if "ratio" in r]
    worse = sorted((r for r in done if r["ratio"] > limit), key=lambda r: -r["ratio"])
    named = ", ".join(f"`{r['operator']}` {r['ratio']:.1f}" for r in worse)
    good = sum(r["ratio"] <= limit for r in done)
    lines = [
        about.strip(),
        "",
        f"{good} of {len(done)} rows take at most {limit:g} times PyTorch's time. "
        + (f"Slower: {named}." if worse else ""),
        "",
        "| operator | PyTorch ms | torchlike ms | ratio |",
        "|---|---|---|---|",
    ]
    for r in found:
        cells = [f"{r[name]:.3g}" for name in FIGURES] if "ratio" in r else [r["error"], "", ""]
        lines.append(f"| `{r['operator']}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def write(name: str, about: str, found: list[dict], limit: float = LIMIT) -> None:
    """Write `name.md` and `name.json` into the benchmarks folder."""
    import torch

    (HERE / f"{name}.md").write_text(table(about, found, limit))
    facts = {"python": platform.python_version(), "torch": torch.__version__, "rows": found}
    (HERE / f"{name}.json").write_text(json.dumps(facts, indent=1) + "\n")
