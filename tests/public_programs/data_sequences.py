"""Small synthetic data for the programs of language, series and graphs, in the formats that their scripts read."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
from scipy.io import savemat
from scipy.sparse import csr_matrix


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


def planetoid(place: Path, nodes: int = 300, words: int = 1433) -> None:
    """Write a graph of papers in the files of Planetoid: `data/ind.cora.x`, `.tx`, `.allx`, `.graph`, `.test.index`."""
    generator = np.random.default_rng(0)
    features = csr_matrix((generator.random((nodes, words)) < 0.02).astype(np.float32))
    tests = nodes // 5
    graph = {i: [int(j) for j in generator.integers(0, nodes, 2)] for i in range(nodes)}
    contents = {"x": features[:20], "tx": features[-tests:], "allx": features[:-tests], "graph": graph}
    (place / "data").mkdir()
    for name, content in contents.items():
        (place / "data" / f"ind.cora.{name}").write_bytes(pickle.dumps(content))
    (place / "data" / "ind.cora.test.index").write_text("".join(f"{i}\n" for i in range(nodes - tests, nodes)))


def traffic(place: Path, sensors: int = 6, times: int = 4300) -> None:
    """Write `data/adj_mat.npy` and `data/node_values.npy`: roads between sensors, and what the sensors measured."""
    generator = np.random.default_rng(0)
    (place / "data").mkdir()
    roads = generator.random((sensors, sensors)).astype(np.float32)
    np.save(place / "data" / "adj_mat.npy", roads * (roads > 0.5))
    waves = np.sin(np.arange(times)[:, None, None] / 7 + np.arange(sensors)[:, None]) * [[[1.0, 0.5]]]
    np.save(place / "data" / "node_values.npy", waves + 0.1 * generator.standard_normal(waves.shape))


def chorales(place: Path) -> None:
    """Write `mdata/JSB_Chorales.mat`: sequences of chords on 88 keys."""
    generator = np.random.default_rng(0)
    (place / "mdata").mkdir()
    parts = {}
    for name, count in (("traindata", 60), ("validdata", 3), ("testdata", 3)):
        parts[name] = np.empty((1, count), object)
        for i in range(count):
            parts[name][0, i] = (generator.random((int(generator.integers(10, 25)), 88)) < 0.05).astype(np.uint8)
    savemat(place / "mdata" / "JSB_Chorales.mat", parts)


def penn_parts(place: Path) -> None:
    """Write `data/penn/train.txt`, `valid.txt` and `test.txt`."""
    (place / "data" / "penn").mkdir(parents=True)
    for name, count in (("train", 300), ("valid", 20), ("test", 10)):
        (place / "data" / "penn" / f"{name}.txt").write_text(_lines(count, 100))


def triples(place: Path) -> None:
    """Write `synth_data/train.txt`, `valid.txt` and `test.txt`: head, relation and tail, separated by tabs."""
    generator = np.random.default_rng(0)
    (place / "synth_data").mkdir()
    for name, count in (("train", 1000), ("valid", 50), ("test", 50)):
        rows = generator.integers(0, (60, 7, 60), (count, 3))
        (place / "synth_data" / f"{name}.txt").write_text("".join(f"e{h}\tr{r}\te{t}\n" for h, r, t in rows))
