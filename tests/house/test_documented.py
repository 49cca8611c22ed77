"""Tests that the docstrings of public functions, methods and classes describe every argument.

The names that are not documented yet are listed in `undocumented.txt`, which may only shrink.
"""

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

MODULES = ("", "linalg", "fft", "special", "sparse", "autograd", "cuda", "jit", "compiler", "random", "func")
UNDOCUMENTED = set(Path(__file__).with_name("undocumented.txt").read_text("utf-8").split())
ENTRY = re.compile(r"^  ([*\w]+(?:, [*\w]+)*)(?: \([^\n]*?\))?: ?\S", re.M)
SECTION = re.compile(r"^Args:\n((?:(?:  .*)?\n?)*)", re.M)


def _public():
    torchlike = importlib.import_module("torchlike")
    found = {f"Tensor.{name}": inspect.getattr_static(torchlike.Tensor, name) for name in dir(torchlike.Tensor)}
    for module in MODULES:
        place = importlib.import_module(f"torchlike.{module}".rstrip("."))
        found |= {f"{module or 'torch'}.{name}": getattr(place, name) for name in dir(place) if name[:1] != "_"}
    return {name: each for name, each in found.items() if _is_documentable(name, each)}


def _is_documentable(name, found):
    found = getattr(found, "__func__", found)
    if name.partition(".")[2].startswith("_") or isinstance(found, ModuleType) or not callable(found):
        return False
    is_error = isinstance(found, type) and issubclass(found, BaseException)
    return not is_error and str(getattr(found, "__module__", "torchlike")).startswith("torchlike")


PUBLIC = _public()


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_argument_is_documented(name):
    missing = _undocumented(PUBLIC[name])
    if name in UNDOCUMENTED:
        assert missing, "it is documented; remove it from undocumented.txt"
    else:
        assert not missing


def test_the_table_lists_public_names():
    assert not UNDOCUMENTED - set(PUBLIC)


def _undocumented(found):
    found = getattr(found, "__func__", found)
    doc = inspect.cleandoc(found.__doc__ or "")
    if not doc:
        return ["a docstring"]
    section = SECTION.search(doc)
    named = set() if section is None else {n.strip("*") for each in ENTRY.findall(section[1]) for n in each.split(", ")}
    asked = [p.name for p in inspect.signature(found).parameters.values() if not _is_plain(found, p)]
    return [name for name in asked if name not in named]


def _is_plain(found, parameter):
    """Return whether a parameter needs no entry: `self`, and the catch-all parameters of classes."""
    return parameter.name in ("self", "cls") or parameter.name.startswith("_")


if __name__ == "__main__":  # writes the table anew
    bad = {name: _undocumented(found) for name, found in PUBLIC.items()}
    Path(__file__).with_name("undocumented.txt").write_text("".join(f"{n}\n" for n in sorted(bad) if bad[n]), "utf-8")
    print(len(PUBLIC), sum(map(bool, bad.values())))
