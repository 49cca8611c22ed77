"""The public names of PyTorch's modules, and those that torchlike has: `docs/public_names.md`.

A public name is one that a module lists in `__all__`. A module is public if no part of its name begins with an
underscore. `python -m tests.conformance.public_names` writes the table; with `--collect`, it first reads the names from
the installed PyTorch and writes `public_names.json`.

A name is "refused" if access to it raises an error that names it, and absent if there is no such name or module.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import pkgutil
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import torch

HERE = Path(__file__).with_name("public_names.json")
PATH = Path(__file__).parents[2] / "docs" / "public_names.md"
# PyTorch's own tests and examples, and parts that are not written in Python or need a compiler.
NOT_OURS = ("torch.testing._internal", "torch.fx.experimental", "torch.utils.benchmark.examples", "torch.bin")
VERSION = torch.__version__.partition("+")[0]
PRESENT, REFUSED, ABSENT = "present", "refused", "absent"


def collected() -> dict[str, list[str]]:
    """Return the public names of each public module of the installed PyTorch."""
    found = {"torch": sorted(torch.__all__)}
    for module in pkgutil.walk_packages(torch.__path__, "torch.", onerror=lambda name: None):
        name = module.name
        if any(part.startswith("_") for part in name.split(".")) or name.startswith(NOT_OURS):
            continue
        with contextlib.suppress(Exception, SystemExit):
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                loaded = importlib.import_module(name)
            if hasattr(loaded, "__all__"):
                found[name] = sorted(k for k in {*loaded.__all__} if hasattr(loaded, k))
    return found


@cache
def public_names() -> dict[str, list[str]]:
    """Return the names in `public_names.json` by module."""
    return json.loads(HERE.read_text("utf-8"))["names"]


def state(module: str, name: str) -> str:
    """Return whether torchlike has a name, refuses it, or does not have it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loaded = importlib.import_module(module.replace("torch", "torchlike", 1))
            getattr(loaded, name)
    except NotImplementedError:
        return REFUSED
    except (ImportError, AttributeError):
        return ABSENT
    return PRESENT


def absent() -> dict[str, list[str]]:
    """Return the names that torchlike does not have, by module."""
    found = {m: [n for n in names if state(m, n) == ABSENT] for m, names in public_names().items()}
    return {module: names for module, names in found.items() if names}


def listed() -> dict[str, list[str]]:
    """Return the names that the table lists as absent, by module."""
    lines = PATH.read_text("utf-8").partition("## Absent")[2].splitlines()
    pairs = [line.removeprefix("- ").split(": ", 1) for line in lines if line.startswith("- ")]
    return {module.strip("`"): [name.strip("` ") for name in names.split(",")] for module, names in pairs}


def place_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def table() -> str:
    """Return the text of `docs/public_names.md`."""
    counts: dict[str, dict[str, int]] = {}
    lacking: dict[str, list[str]] = {}
    for module, names in public_names().items():
        count = counts.setdefault(place_of(module), dict.fromkeys((PRESENT, REFUSED, ABSENT), 0))
        for name in names:
            found = state(module, name)
            count[found] += 1
            if found == ABSENT:
                lacking.setdefault(module, []).append(name)
    total = {what: sum(count[what] for count in counts.values()) for what in (PRESENT, REFUSED, ABSENT)}
    rows = [*sorted(counts.items(), key=lambda row: (-sum(row[1].values()), row[0])), ("all", total)]
    return "\n".join([*HEAD, *map(_row, rows), "", "## Absent", "", *_list(lacking)]) + "\n"


def _row(row: tuple[str, dict[str, int]]) -> str:
    place, count = row
    return f"| `{place}` | {sum(count.values())} | {count[PRESENT]} | {count[REFUSED]} | {count[ABSENT]} |"


def _list(lacking: dict[str, list[str]]) -> Iterator[str]:
    for module, names in sorted(lacking.items()):
        yield f"- `{module}`: " + ", ".join(f"`{name}`" for name in names)
    if not lacking:
        yield "None."


HEAD = [
    "# Public names",
    "",
    f"The names in `__all__` of the public modules of PyTorch {VERSION}, and how many of them torchlike has.",
    "Written by `python -m tests.conformance.public_names`. A name that is present may still raise an error that names",
    "it when it is called.",
    "",
    "| namespace | names | present | refused | absent |",
    "|---|---|---|---|---|",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collect", action="store_true", help="read the names from the installed PyTorch")
    if parser.parse_args().collect:
        record = {"version": VERSION, "names": collected()}
        HERE.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    PATH.write_text(table(), "utf-8")


if __name__ == "__main__":
    main()
