"""`python -m tools.loss_curves`: run the script of docs/porting.md under both libraries and draw docs/loss_curves.svg.

PyTorch must be installed. The losses that the picture shows are those of these two runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools import pages

PICTURE = pages.DOCS / "loss_curves.svg"
WIDTH, HEIGHT, LEFT, TOP = 720, 300, 56, 40
STEPS_APART, LOSS_APART = 80, 0.2  # between two lines of the grid


def main() -> None:
    script = pages.blocks((pages.DOCS / "porting.md").read_text("utf-8"))[0].code
    ours, theirs = (losses(script, options) for options in (["-m", "torchlike"], []))
    difference = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    PICTURE.write_text(drawn(ours, theirs, difference), "utf-8")
    print(f"{len(ours)} steps, largest difference of the losses {difference:.1e}: {PICTURE}")


def losses(script: str, options: Sequence[str]) -> list[float]:
    """Return the variable `losses` of the script, run by `python` with these options."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "spirals.py")
        program.write_text(script + "\nimport json\njson.dump(losses, open('losses.json', 'w'))\n", "utf-8")
        settings = os.environ | {"PYTHONPATH": str(pages.ROOT)}
        subprocess.run([sys.executable, *options, str(program)], cwd=folder, env=settings, check=True)
        return json.loads(Path(folder, "losses.json").read_text("utf-8"))


def drawn(ours: Sequence[float], theirs: Sequence[float], difference: float) -> str:
    """Return the picture: PyTorch's curve is a wide light line, torchlike's a thin dark one on top of it."""
    highest = LOSS_APART * (1 + max(*ours, *theirs) // LOSS_APART)
    right, bottom = WIDTH - 16, HEIGHT - 44

    def point(step: float, loss: float) -> str:
        x = LEFT + (right - LEFT) * step / len(ours)
        return f"{x:.1f},{bottom - (bottom - TOP) * loss / highest:.1f}"

    def curve(values: Sequence[float], colour: str, width: float) -> str:
        points = " ".join(point(step, loss) for step, loss in enumerate(values))
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>'

    grid = []
    for n in range(round(highest / LOSS_APART) + 1):
        y = point(0, n * LOSS_APART).partition(",")[2]
        grid.append(f'<path d="M{LEFT} {y}H{right}" stroke="#d0d7de"/>')
        grid.append(f'<text x="{LEFT - 8}" y="{float(y) + 4:.1f}" text-anchor="end">{n * LOSS_APART:.1f}</text>')
    for step in range(0, len(ours) + 1, STEPS_APART):
        x = point(step, 0).partition(",")[0]
        grid.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{step}</text>')
    title = f"Training loss of one script under both libraries; largest difference {difference:.1e}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            'aria-labelledby="title" '
            'font-family="ui-sans-serif, system-ui, Helvetica, Arial, sans-serif" font-size="13" fill="#24292f">',
            f'<title id="title">{title}</title>',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
            *grid,
            curve(theirs, "#f4a261", 6),
            curve(ours, "#1d3557", 1.4),
            f'<path d="M{LEFT} 20h28" stroke="#f4a261" stroke-width="6"/><text x="{LEFT + 36}" y="24">PyTorch</text>',
            f'<path d="M{LEFT + 110} 20h28" stroke="#1d3557" stroke-width="1.4"/>'
            f'<text x="{LEFT + 146}" y="24">torchlike</text>',
            f'<text x="{right}" y="24" text-anchor="end">largest difference {difference:.1e}</text>',
            f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 8}" text-anchor="middle">step</text>',
            f'<text x="14" y="{(TOP + bottom) / 2}" transform="rotate(-90 14 {(TOP + bottom) / 2})" '
            'text-anchor="middle">loss</text>',
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    main()
