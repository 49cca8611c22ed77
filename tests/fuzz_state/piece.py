"""A piece of state, as source text that programs are assembled from."""

from __future__ import annotations

from dataclasses import dataclass

PIECES: dict[str, Piece] = {}


@dataclass(frozen=True)
class Piece:
    """One kind of state.

    In the texts, `@` stands for the number of the piece in its program, and `#` for a random number.

    Args:
      setup: Statements before the function.
      reads: Expressions within the function that give a number.
      changes: Statements between calls.
      effects: Statements within the function that change state.
      shows: Expressions of state that are compared after each call.
      undo: Statements after the program.
      lines: Statements within the function that change its result `y`.
    """

    name: str
    setup: str
    reads: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    undo: str = ""
    lines: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        assert self.name not in PIECES
        PIECES[self.name] = self
