"""Draw the steady step and the first step of each network over PyTorch eager's."""

from pathlib import Path

from benchmarks.contenders import COMPILE, OURS, WHOLE
from benchmarks.networks import NETWORKS, figures

COLORS = {COMPILE: "#b8b8b8", OURS: "#3b76af", WHOLE: "#e08a3c"}
HEIGHT = 0.26  # of a bar; three bars share a row of height one


def draw(networks: dict, file: Path) -> None:
    """Write the plot as SVG. The same figures give the same file."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "networks"
    from matplotlib import pyplot

    names = [name for name in NETWORKS if "sides" in networks.get(name, {})]
    canvas, panels = pyplot.subplots(1, 2, sharey=True, figsize=(10, 1.2 + 0.36 * len(names)), layout="constrained")
    for panel, what, title in (
        (panels[0], "step", "training step, warm"),
        (panels[1], "first step", "first training step, cold caches (log scale)"),
    ):
        for place, side in enumerate(COLORS):
            bars = [
                (row + HEIGHT * (place - 1), ratio)
                for row, name in enumerate(names)
                if (ratio := figures.over(networks[name], what, side)) is not None
            ]
            if bars:
                places, ratios = zip(*bars)
                start = 0 if what == "step" else 1  # a logarithmic axis has no zero
                panel.barh(places, [ratio - start for ratio in ratios], HEIGHT, start, color=COLORS[side], label=side)
        panel.axvline(1, color="black", linewidth=0.8)
        panel.set_title(title, fontsize=10)
        panel.set_xlabel("time over PyTorch eager's", fontsize=9)
        panel.spines[["top", "right"]].set_visible(False)
    panels[1].set_xscale("log")
    panels[1].xaxis.set_major_formatter("{x:g}")
    panels[0].set_yticks(range(len(names)), [NETWORKS[name].title for name in names])
    panels[0].invert_yaxis()
    canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(COLORS), fontsize=9)
    canvas.savefig(file, format="svg", metadata={"Date": None})
    pyplot.close(canvas)
