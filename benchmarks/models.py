"""The benchmark models: their sizes, their data, and the limits that their figures must meet."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

BATCHES = 8  # distinct batches, used in rotation


@dataclass(frozen=True)
class Spec:
    """The specification of a model.

    `kind` names its builder in models_torch and models_jax. `sizes` are the builder's arguments.
    """

    title: str
    kind: str
    sizes: dict
    batch: Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]
    optimizer: str = "adam"
    lr: float = 1e-3
    over_torch: float | None = None  # the highest allowed ratio of torchlike's step time to PyTorch's

    def batches(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the inputs and targets, the same ones for every library."""
        rng = np.random.default_rng(0)
        return [self.batch(rng) for _ in range(BATCHES)]


def _points(batch, width, classes=10):
    return lambda rng: (_normal(rng, batch, width), rng.integers(classes, size=batch))


def _images(batch, classes=10):
    return lambda rng: (_normal(rng, batch, 3, 32, 32), rng.integers(classes, size=batch))


def _series(batch, time, width, classes):
    return lambda rng: (_normal(rng, batch, time, width), rng.integers(classes, size=(batch, time)))


def _text(batch, time, vocabulary):
    return lambda rng: tuple(rng.integers(vocabulary, size=(2, batch, time)))


def _normal(rng, *shape):
    return rng.standard_normal(shape, dtype=np.float32)


def _mlp(depth, width, batch, limit=None):
    title = f"MLP {depth}x{width}, batch {batch}"
    return Spec(title, "mlp", {"depth": depth, "width": width}, _points(batch, width), over_torch=limit)


def _gpt(layers, width, heads, time, batch, limit):
    sizes = {"layers": layers, "width": width, "heads": heads, "time": time, "vocabulary": 96}
    title = f"GPT {layers} layers, D {width}, T {time}, batch {batch}"
    return Spec(title, "gpt", sizes, _text(batch, time, 96), optimizer="adamw", over_torch=limit)


SPECS = {
    "mlp3": _mlp(3, 64, 32),
    "mlp10": _mlp(10, 64, 32, limit=0.55),
    "mlp30": _mlp(30, 128, 64, limit=0.75),
    "cnn": Spec(
        "CNN, 32x32 images, batch 32",
        "cnn",
        {"channels": (3, 32, 64)},
        _images(32),
        optimizer="sgd",
        lr=2e-3,
        over_torch=1.7,
    ),
    "lstm": Spec(
        "LSTM, 128 units, T 64, batch 32",
        "lstm",
        {"inputs": 32, "hidden": 128, "classes": 10},
        _series(32, 64, 32, 10),
        over_torch=1.1,
    ),
    "gpt4": _gpt(4, 64, heads=4, time=64, batch=8, limit=1.0),
    "gpt6": _gpt(6, 384, heads=6, time=128, batch=4, limit=1.1),
}
