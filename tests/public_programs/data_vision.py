"""Small synthetic data in the formats that public programs of vision and science read."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np


def write_idx(file: Path, values: np.ndarray) -> None:
    """Write bytes in the IDX format of MNIST."""
    head = struct.pack(f">BBBB{values.ndim}I", 0, 0, 8, values.ndim, *values.shape)
    file.write_bytes(head + values.astype(np.uint8).tobytes())


def digits(count: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return pictures of 28 x 28 and their classes: each class is a bright bar at its own place, with noise."""
    classes = generator.integers(0, 10, count)
    pictures = generator.integers(0, 60, (count, 28, 28))
    for picture, label in zip(pictures, classes):
        picture[4:24, 2 * label + 3 : 2 * label + 7] += 180
    return pictures, classes


def mnist(place: str = "data", train: int = 2000, test: int = 200, name: str = "MNIST") -> Callable[[Path], None]:
    """Return a function that writes a small MNIST where torchvision looks for it."""

    def write(folder: Path) -> None:
        generator = np.random.default_rng(0)
        raw = folder / place / name / "raw"
        raw.mkdir(parents=True)
        for prefix, count in (("train", train), ("t10k", test)):
            pictures, classes = digits(count, generator)
            write_idx(raw / f"{prefix}-images-idx3-ubyte", pictures)
            write_idx(raw / f"{prefix}-labels-idx1-ubyte", classes)

    return write
