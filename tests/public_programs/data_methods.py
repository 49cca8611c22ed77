"""Small synthetic data for the programs of other fields: equations, spikes, metrics, distillation and the like."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np


def deepxde_backend(place: Path) -> None:
    """Write `.deepxde/config.json`, the file of the home folder that makes DeepXDE use PyTorch."""
    (place / ".deepxde").mkdir()
    (place / ".deepxde" / "config.json").write_text(json.dumps({"backend": "pytorch"}))


def ratings(place: Path, users: int = 100, films: int = 60, count: int = 4000) -> None:
    """Write `datasets/ml-1m/ratings.dat` and `movies.dat` in the format of MovieLens."""
    generator = np.random.default_rng(0)
    folder = place / "datasets" / "ml-1m"
    folder.mkdir(parents=True)
    likes = generator.normal(size=(users, 2)) @ generator.normal(size=(2, films))
    pairs = generator.integers(0, (users, films), (count, 2))
    stars = np.clip(np.round(3 + likes[pairs[:, 0], pairs[:, 1]]), 1, 5).astype(int)
    rows = (f"{user + 1}::{film + 1}::{star}::{i}\n" for i, ((user, film), star) in enumerate(zip(pairs, stars)))
    (folder / "ratings.dat").write_text("".join(rows))
    (folder / "movies.dat").write_text("".join(f"{i + 1}::Film {i + 1}::Drama\n" for i in range(films)))
