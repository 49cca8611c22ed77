"""Stubs that tell editors and type checkers that `import torch` means torchlike in a project."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def write(folder: Path) -> int:
    """Write the stub package `torch` to a folder, one stub for each public module. Return the number of stubs.

    Each stub re-exports the module of the same name in torchlike, so signatures and docstrings are torchlike's.
    """
    paths = sorted(path for path in PACKAGE.rglob("*.py") if _is_public(path))
    for path in paths:
        inside = path.relative_to(PACKAGE)
        parts = inside.parent.parts if inside.stem == "__init__" else (*inside.parent.parts, inside.stem)
        stub = folder / "torch" / inside.with_suffix(".pyi")
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text(f"from {'.'.join(('torchlike', *parts))} import *\n", "utf-8")
    return len(paths)


def _is_public(path: Path) -> bool:
    inside = path.relative_to(PACKAGE)
    return not any(part.startswith("_") and part != "__init__.py" for part in inside.parts)
