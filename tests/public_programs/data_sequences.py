"""Small synthetic data for the programs of language, series and graphs, in the formats that their scripts read."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def _words(generator: np.random.Generator, count: int, vocabulary: int) -> list[str]:
    ranks = np.minimum(generator.zipf(1.5, count), vocabulary)
    return [f"w{rank}" for rank in ranks]


def _lines(count: int, vocabulary: int, length: int = 12) -> str:
    words = _words(np.random.default_rng(0), count * length, vocabulary)
    return "".join(" ".join(words[i * length : (i + 1) * length]) + "\n" for i in range(count))


def shakespeare(place: Path) -> None:
    """Write `input.txt`: one text."""
    (place / "input.txt").write_text(_lines(400, 300))


def penn_treebank(place: Path) -> None:
    """Write `data/train.txt`: one sentence a line."""
    (place / "data").mkdir()
    (place / "data" / "train.txt").write_text(_lines(800, 100))


def cora(folder: Path, papers: int = 1500, words: int = 40) -> None:
    """Write `cora.content` (paper, words, class) and `cora.cites` (paper, paper) into a folder."""
    generator = np.random.default_rng(0)
    folder.mkdir(parents=True)
    classes = generator.integers(0, 7, papers)
    has = generator.random((papers, words)) < 0.05 + 0.2 * (np.arange(words) % 7 == classes[:, None])
    rows = (
        "\t".join([str(100 + i), *("1" if w else "0" for w in has[i]), f"Class_{classes[i]}"]) for i in range(papers)
    )
    (folder / "cora.content").write_text("\n".join(rows) + "\n")
    pairs = generator.integers(0, papers, (3 * papers, 2))
    (folder / "cora.cites").write_text("".join(f"{100 + a}\t{100 + b}\n" for a, b in pairs if a != b))


def cora_above(place: Path) -> None:
    """Write the citations of papers to `../data/cora`."""
    cora(place.parent / "data" / "cora")


def tagged_characters(place: Path) -> None:
    """Write a corpus of tagged characters: `corpus/dataset.txt`, `vocab.json` and `tags.json`."""
    generator = np.random.default_rng(0)
    letters, tags = list("abcdefghij"), ["B", "I", "O"]
    (place / "corpus").mkdir()
    lines = []
    for _ in range(300):
        text = generator.choice(letters, generator.integers(3, 12))
        marks = [tags[ord(letter) % 3] for letter in text]
        lines.append("".join(text) + "\t" + str(marks).replace("'", '"'))
    (place / "corpus" / "dataset.txt").write_text("\n".join(lines))
    (place / "corpus" / "vocab.json").write_text(str(letters).replace("'", '"'))
    (place / "corpus" / "tags.json").write_text(str(tags).replace("'", '"'))
