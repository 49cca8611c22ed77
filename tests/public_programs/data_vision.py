"""Small synthetic data in the formats that public programs of vision and science read."""

from __future__ import annotations

import importlib
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image


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


def with_folder(name: str, data: Callable[[Path], None]) -> Callable[[Path], None]:
    """Return a function that also makes an empty folder, for scripts that write into it."""

    def write(folder: Path) -> None:
        (folder / name).mkdir()
        data(folder)

    return write


def pairs(folder: Path) -> None:
    """Write 400 small slices and the masks of their bright ellipse, as PNG files."""
    generator = np.random.default_rng(0)
    place = folder / "data" / "train"
    place.mkdir(parents=True)
    rows, columns = np.mgrid[:16, :16]
    for number in range(400):
        centre, radii = generator.uniform(5, 11, 2), generator.uniform(2, 5, 2)
        mask = (((rows - centre[0]) / radii[0]) ** 2 + ((columns - centre[1]) / radii[1]) ** 2) < 1
        picture = generator.integers(0, 80, (16, 16, 3)) + 150 * mask[..., None]
        Image.fromarray(picture.astype(np.uint8)).save(place / f"{number:03}.png")
        Image.fromarray((255 * mask).astype(np.uint8)).save(place / f"{number:03}_mask.png")


def patches(folder: Path) -> None:
    """Write smooth patches and their blurred copies in two HDF5 files, one of arrays and one of named pictures."""
    h5py = importlib.import_module("h5py")  # only where the program itself needs it
    generator = np.random.default_rng(0)
    rows, columns = np.mgrid[:33, :33] / 8
    phases = generator.uniform(0, 6, (2, 900, 1, 1))
    sharp = (128 + 90 * np.sin(2 * rows + phases[0]) * np.sign(np.sin(columns + phases[1]))).astype(np.float32)
    blurred = (sharp + np.roll(sharp, 1, 2) + np.roll(sharp, -1, 2)) / 3
    with h5py.File(folder / "train.h5", "w") as file:
        file["lr"], file["hr"] = blurred, sharp
    with h5py.File(folder / "eval.h5", "w") as file:
        for number in range(3):
            file[f"lr/{number}"], file[f"hr/{number}"] = blurred[number], sharp[number]


def digits_of_1989(folder: Path) -> None:
    """Write digits of 16 x 16 pixels between -1 and 1 and their targets, saved by PyTorch."""
    torch = importlib.import_module("torch")
    for name, count in (("train", 20), ("test", 10)):
        pictures, classes = digits(count, np.random.default_rng(count))
        inputs = torch.from_numpy(pictures[:, None, 6:22, 3:19] / 120.0 - 1).float()
        targets = 2.0 * torch.nn.functional.one_hot(torch.from_numpy(classes), 10) - 1
        torch.save((inputs, targets), folder / f"{name}1989.pt")
