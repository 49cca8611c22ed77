"""The table of transfers in one training step. `python -m tests.targets.table` writes docs/transfers.md.

CPU devices stand in for accelerators, so the table needs none. The process must have four CPU devices.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "transfers.md"
FOUR = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
WARM = 4  # the steps before the counted one
BEGIN = "<!-- table -->\n"


def counted_steps(names: list[str]) -> dict[str, Any]:
    """Return, for each step, its transfers as recorded operators and as a compiled step, with and without `item()`."""
    code = f"from tests.targets import table; table.main({names!r})"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **FOUR}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def main(names: list[str]) -> None:
    """Print the counts of the steps as JSON."""
    import jax

    from torchlike._dtypes.devices import stand_ins

    with stand_ins("cuda", jax.devices()[1:3]):
        print(json.dumps({name: {form: _counts(name, form == "compiled") for form in FORMS} for name in names}))


FORMS = "recorded", "compiled"


def _counts(name: str, compiled: bool) -> dict[str, Any]:
    import torchlike
    from tests.targets.audit import audited
    from tests.targets.steps import STEPS, run
    from torchlike._engine.xla.transfers import counted

    step, _ = STEPS[name](torchlike, "cuda:0")
    step = torchlike.compile(step) if compiled else step
    for _ in range(WARM):
        step()
    with counted() as counts, audited() as audit:
        loss = step()
    with counted() as reading:
        loss.item()
    with counted() as both:
        step().item()
    explained = step.explained() if compiled else None
    losses, tensors = run(torchlike, name, "cuda:0", WARM, compiled)
    names = counts.__slots__
    return {
        "step": {name: getattr(counts, name) for name in names},
        "audit": [audit.to_device, audit.between, audit.to_host],
        "item": [reading.to_host, both.to_host - counts.to_host],
        "refused": [cause.reason for cause in explained.uncompiled] if explained else [],
        "losses": losses,
        "tensors": tensors,
    }


def lines(found: dict[str, Any]) -> list[str]:
    """Return the rows of the table."""
    cells = lambda c: f"{c['to_host']} | {c['between']} | {c['to_device']} | {c['to_device_bytes']} | {c['programs']}"
    rows = [
        f"| {name} | {form if not of[form]['refused'] else 'compiled (refused)'} | {cells(of[form]['step'])} |"
        for name, of in found.items()
        for form in FORMS
    ]
    return [
        "| step | form | reads | moves | transfers to the device | bytes | programs |",
        "|---|---|---|---|---|---|---|",
        *rows,
    ]


def write() -> None:
    """Write the table to docs/transfers.md."""
    from tests.targets.steps import STEPS

    before = PAGE.read_text().partition(BEGIN)[0]
    PAGE.write_text(before + BEGIN + "\n".join(lines(counted_steps([*STEPS]))) + "\n")


if __name__ == "__main__":
    write()
