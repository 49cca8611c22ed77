"""`python -m tests.random`: every random operator in every dtype, up to a million numbers; leaves docs/random.md."""

from pathlib import Path

import torch
from tqdm import tqdm

from tests.random.test_dtypes import DRAWS, DTYPES, MANY, SIZES, compare, drawn

FOLDER = Path(__file__).parents[2] / "docs"
HEAD = f"""# Random numbers, beside PyTorch's

Written by `python -m tests.random`: {", ".join(f"{n:,}" for n in (*SIZES, MANY))} numbers after one seed, and the
generator's state after them. `=` the same: integers and uniform numbers to the last bit, transformed ones to the bit
beside it, what is summed or factorised to the dtype's tolerance; `-` refused by both; `DIFFERS` otherwise.
`orthogonal_` and `sparse_` stay small.
"""


def verdict(name, dtype):
    for n in (*SIZES, MANY):
        try:
            compare(name, lambda L, n=n: DRAWS[name](L, n, getattr(L, dtype)))
        except AssertionError:
            return "DIFFERS"
    refused = isinstance(drawn(torch, lambda L: DRAWS[name](L, 16, getattr(L, dtype)))[0], Exception)
    return "-" if refused else "="


def main():
    lines = [["operator", *DTYPES], ["---"] * (len(DTYPES) + 1)]
    for name in tqdm(DRAWS, unit="operator"):
        lines.append([name.replace("|", "/"), *(verdict(name, dtype) for dtype in DTYPES)])
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    (FOLDER / "random.md").write_text(f"{HEAD}\n{table}\n")
    wrong = sum(line.count("DIFFERS") for line in lines)
    print(f"{len(DRAWS) * len(DTYPES)} pairs, {wrong} differ")
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
