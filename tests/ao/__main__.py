"""Measure the accuracy of quantized networks in both libraries, and write the table of the documentation.

Run it with `python -m tests.ao`. It takes about three minutes.
"""

from __future__ import annotations

import copy
import io
import warnings
from pathlib import Path
from typing import Any

import torch

import torchlike
from tests.ao import models

TABLE = Path(__file__).parents[2] / "docs" / "quantization_accuracy.md"
ROWS = (
    "CNN, float32",
    "CNN, int8 after training (`prepare`, `convert`)",
    "CNN, int8 after quantization-aware training (`prepare_qat`, `convert`)",
    "LSTM, float32",
    "LSTM and linear layer, dynamic int8 (`quantize_dynamic`)",
)
HEAD = f"""# Accuracy of quantized networks

The share of {models.HELD_OUT} held-out digits that each network reads rightly, in percent. Both libraries train from
the same seed with the same batches, and quantize with the configuration of the back end `x86`. Training rounds
differently in the two libraries, so the float networks differ a little. `python -m tests.ao` measures the numbers and
writes this page.

| network | PyTorch | torchlike |
|---|---|---|
"""
TAIL = """
The int8 CNN that PyTorch has trained gives these results in torchlike, after its state dict is loaded. A quantum is the
distance between neighboring levels of a result.

| of {count:,} results | |
|---|---|
| equal to PyTorch's | {equal:.2%} |
| different by at most one quantum | {near:.2%} |
"""


def measured(library: Any) -> tuple[list[float], Any]:
    """Return the accuracies of one library, in the order of `ROWS`, and the CNN of quantization-aware training."""
    tq = library.ao.quantization
    library.manual_seed(0)
    model = models.cnn(library)
    models.train(library, model, epochs=8, lr=3e-3)
    found = [models.accuracy(library, model), models.accuracy(library, after_training(library, model))]

    aware = tq.fuse_modules_qat(copy.deepcopy(model).train(), models.FUSED)
    aware.qconfig = tq.get_default_qat_qconfig("x86")
    aware = tq.prepare_qat(aware)
    models.train(library, aware, epochs=2, lr=3e-4)
    whole = tq.convert(aware)
    found.append(models.accuracy(library, whole))

    model = models.lstm(library)
    models.train(library, model, epochs=12, lr=5e-3)
    dynamic = tq.quantize_dynamic(model, {library.nn.Linear, library.nn.LSTM}, dtype=library.qint8)
    return [*found, models.accuracy(library, model), models.accuracy(library, dynamic)], whole


def after_training(library: Any, model: Any) -> Any:
    """Return the model quantized after training."""
    tq = library.ao.quantization
    model = tq.fuse_modules(model, models.FUSED)
    model.qconfig = tq.get_default_qconfig("x86")
    model = tq.prepare(model)
    images = models.data(library)[0]
    with library.no_grad():
        for batch in images[:512].split(64):
            model(batch)
    return tq.convert(model)


def agreement(theirs: Any, ours: Any) -> dict[str, float]:
    """Return how the results of one int8 CNN agree: their number, the share of equal ones, and of nearly equal ones."""
    file = io.BytesIO()
    torch.save(theirs.state_dict(), file)
    file.seek(0)
    ours.load_state_dict(torchlike.load(file))
    levels = []
    for library, model in ((torch, theirs), (torchlike, ours)):
        model.dequant = library.nn.Identity()
        levels.append(model(models.data(library)[2]).int_repr().numpy().astype(int))
    apart = abs(levels[0] - levels[1])
    return {"count": apart.size, "equal": (apart == 0).mean(), "near": (apart <= 1).mean()}


def main() -> None:
    """Measure both libraries and write the table."""
    warnings.simplefilter("ignore")
    (first, their_cnn), (second, our_cnn) = [measured(library) for library in (torch, torchlike)]
    lines = [f"| {row} | {theirs:.2f} | {ours:.2f} |\n" for row, theirs, ours in zip(ROWS, first, second)]
    text = HEAD + "".join(lines) + TAIL.format(**agreement(their_cnn, our_cnn))
    TABLE.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
