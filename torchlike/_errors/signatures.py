"""The signatures that PyTorch's errors list, and the numbers of arguments that they take."""

from __future__ import annotations

import functools
import re
from pathlib import Path

_TABLE = Path(__file__).with_name("signatures.txt")  # `tools/make_signatures.py` writes it
_OUTSIDE_PARENTHESES = re.compile(r", (?![^(\[]*[)\]])")


@functools.cache
def _signatures() -> dict[str, list[str]]:
    """Return the signatures of each function. The names of methods begin with `Tensor.`."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in _TABLE.read_text().splitlines():
        if line.startswith(" "):
            lines.append(line.strip())
        else:
            found[line] = lines = []
    return found


def listed(function: str, is_method: bool = False) -> str:
    """Return the expected signatures in an error message: the only one of a function, or `one of:` and all of them."""
    known = _signatures()
    names = (f"Tensor.{function}", function) if is_method else (function, f"Tensor.{function}")
    signatures = next((known[name] for name in names if name in known), [])
    if len(signatures) == 1:
        return signatures[0]
    return "".join(["one of:", *(f"\n * {each}" for each in signatures)]) + "\n" * bool(signatures)


def has_one_as_method(function: str) -> bool:
    """Return whether a function with several signatures is a method with just one, like `mm`."""
    known = _signatures()
    return len(known.get(function, ())) > 1 and f"Tensor.{function}" not in known


@functools.cache
def counts(function: str) -> list[tuple[int, int]]:
    """Return, for each signature of a function, the least and the greatest number of arguments."""
    found = []
    for signature in _signatures().get(function, ()):
        parts = [part for part in _OUTSIDE_PARENTHESES.split(signature[1:-1]) if part not in ("", "*")]
        found.append((sum("=" not in part for part in parts), len(parts)))
    return found
