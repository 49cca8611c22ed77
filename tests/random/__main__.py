"""`python -m tests.random`: compare random operators in every dtype, up to a million numbers; write docs/random.md."""

from pathlib import Path

import torch
from tqdm import tqdm

from tests.random.test_dtypes import DRAWS, DTYPES, MANY, SIZES, compare, drawn

FOLDER = Path(__file__).parents[2] / "docs"
HEAD = f"""# Random numbers compared with PyTorch

Written by `python -m tests.random`, which compares the numbers after one seed, and the generator's state after them, in
both libraries. It generates {", ".join(f"{n:,}" for n in (*SIZES, MANY))} numbers; `orthogonal_` and `sparse_` are
run on small tensors.

- `=`: the results are equal: integers and uniform numbers bit for bit, transformed numbers to one unit in the last
  place, results of sums and factorizations to the tolerance of the dtype
- `-`: both libraries refuse the call
- `DIFFERS`: anything else
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
