"""The description of one public program: where it comes from, and how it is run on small synthetic data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Program:
    """One public training program, run unmodified.

    Args:
      name: a short name, unique.
      origin: the folder of the copy: `owner/repository` on GitHub, or `name-version` of a source distribution on PyPI.
      path: the path of the script inside it.
      what: the model and the task, in a few words.
      field: the field it comes from, such as "vision" or "graphs".
      argv: the arguments of the script.
      data: writes the synthetic data that the script reads into the working directory.
      files: further paths of the origin that the script imports or reads.
      needs: packages that the script imports beside PyTorch, NumPy and the standard library.
      commit: the commit of a GitHub copy.
      root: the folder of the origin from which the script imports the origin's own packages; None if the origin is
        installed.
      reason: why the losses may differ by more than the limit, in a sentence; empty if they may not.
    """

    name: str
    origin: str
    path: str
    what: str
    field: str
    argv: Sequence[str] = ()
    data: Callable[[Path], None] | None = None
    files: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    commit: str = ""
    root: str | None = ""
    reason: str = ""
