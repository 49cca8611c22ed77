"""A piece of state, as source text from which programs are put together."""

from __future__ import annotations

from dataclasses import dataclass

PIECES: dict[str, Piece] = {}


@dataclass(frozen=True)
class Piece:
    """One kind of state. `@` stands for the number of the piece in its program, `#` for a number.

    Args:
      setup: statements before the function.
      reads: expressions within the function that give a number.
      changes: statements between calls.
      effects: statements within the function that change state.
      shows: expressions of the state that is compared after each call.
      undo: statements after the program.
      lines: statements within the function that change its result `y`.
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
