"""Write the signatures that PyTorch's errors list: `python -m tools.make_signatures`.

The error for arguments that fit no signature of a function lists all signatures. They are read from the error that
PyTorch raises for an object of an unknown type.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

import torchlike

TABLE = Path(torchlike.__file__).parent / "_errors" / "signatures.txt"
MARK = " received an invalid combination of arguments - got "
MOST = 6  # the largest number of arguments that is tried
SPACES = [
    importlib.import_module(f"torch{name}") for name in ("", ".linalg", ".fft", ".special", "._C._nn", ".nn.functional")
]


class Unknown:
    """An object that no function takes."""


def public(space: Any) -> Iterator[tuple[str, Callable]]:
    """Yield the functions of a namespace. Private functions may crash on unknown arguments."""
    for name in dir(space):
        function = getattr(space, name)
        if not name.startswith("_") and callable(function) and not isinstance(function, type):
            yield name, function


def signatures(function: Callable, *first: Any) -> tuple[str, list[str]] | None:
    """Return a function's name in errors and its signatures, or None if its errors list no signatures."""
    for count in (*range(1, MOST + 1), 0):
        try:
            function(*first, *[Unknown()] * count)
        except TypeError as error:
            head, *lines = str(error).splitlines()
            if MARK in head:
                single = head.partition(", but expected (")[2]
                listed = [f"({single}"] if single else [line.strip(" *") for line in lines if line.startswith(" * ")]
                return head.partition("()")[0], listed
        except Exception:
            continue
    return None


def table() -> str:
    """Return the table: for each function, a line with its name, and an indented line for each signature."""
    found: dict[str, list[str]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for space in SPACES:
            functions = [(n, f) for n, f in public(space) if not (space is torch and n.endswith("_"))]
            found |= dict(filter(None, (signatures(f) for _, f in functions)))
        for _, method in public(torch.Tensor):
            if (known := signatures(method, torch.ones(2, 2))) is not None:
                found[f"Tensor.{known[0]}"] = known[1]
    return "".join(f"{name}\n" + "".join(f"  {each}\n" for each in found[name]) for name in sorted(found))


if __name__ == "__main__":
    TABLE.write_text(table())
