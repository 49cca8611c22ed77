"""Random programs, assembled from pieces."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from random import Random
from textwrap import dedent, indent

from tests.fuzz_state import classes, functions, layers, machinery, values, world
from tests.fuzz_state.piece import PIECES, Piece

_MODULES = """
    abc array bisect builtins collections contextlib contextvars copy dataclasses datetime decimal enum fractions
    functools heapq io itertools json math operator os random re string sys threading time types weakref
"""
HEAD = "".join(f"import {name}\n" for name in _MODULES.split()) + "import numpy as np\n"
NUMBERS = ("1.0", "2.0", "0.5", "3.0", "4.0", "1.5")
KINDS = (classes, functions, layers, machinery, values, world)  # importing these modules fills `PIECES`


@dataclass(frozen=True)
class Program:
    """The statements of a function, and the statements around it.

    Args:
      setup: Statements before the function.
      body: Statements of the function.
      between: Steps after the definition of the function: None for a call, or a statement that changes something.
      shows: Expressions that are compared after each call.
      undo: Statements at the end.
      rebinds: Names that the function assigns to.
      passed: Names that are passed as arguments.
      shape: The kind of the compiled object: "function", "module" or "method".
      is_global: True if the program's names are globals, False if they are local variables of a function.
      returns: The expression that the function returns.
    """

    setup: tuple[str, ...]
    body: tuple[str, ...]
    between: tuple[str | None, ...]
    shows: tuple[str, ...]
    undo: tuple[str, ...]
    rebinds: tuple[str, ...]
    passed: tuple[str, ...]
    shape: str
    is_global: bool
    returns: str

    def text(self) -> str:
        """Return the program's source.

        It uses the names `torch`, `compile`, `call` (which runs a function and records its result) and `attempt` (which
        records the error of a change).
        """
        lines = [*self.setup, *self._function()]
        arguments = ", ".join(["torch.full((2,), 1.0)", *self.passed])
        for step in self.between:
            if step is None:
                lines.append(f"call(lambda: f({arguments}), lambda: [{', '.join(self.shows)}])")
            else:
                lines.append(f"try:\n{indent(step, '    ')}\nexcept Exception as error:\n    attempt(error)")
        lines.append("0")
        source = "\n".join(lines)
        undo = "\n".join([*self.undo, "pass"])
        whole = f"try:\n{indent(source, '    ')}\nfinally:\n{indent(undo, '    ')}\n"
        return HEAD + (whole if self.is_global else f"def program():\n{indent(whole, '    ')}\nprogram()\n")

    def _function(self) -> list[str]:
        scope = [f"{'global' if self.is_global else 'nonlocal'} {', '.join(self.rebinds)}"] if self.rebinds else []
        body = indent("\n".join([*scope, "y = x * 1.0", *self.body, f"return {self.returns}"]), "    ")
        parameters = ", ".join(["x", *self.passed])
        if self.shape == "function":
            return [f"@compile\ndef f({parameters}):\n{body}"]
        inner = indent(body, "    ")
        if self.shape == "module":
            head = f"class F(torch.nn.Module):\n    def forward(self, {parameters}):\n{inner}"
            return [head, "f = compile(F())"]
        return [f"class F:\n    @compile\n    def __call__(self, {parameters}):\n{inner}", "f = F()"]


def program_of(seed: int) -> Program:
    """Return the program of a seed."""
    return _Writer(Random(seed)).program()


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random

    def program(self) -> Program:
        choose, chance = self.random.choice, self.random.random
        pieces = [PIECES[name] for name in self.random.sample(sorted(PIECES), choose((1, 1, 2, 2, 3)))]
        numbered = list(enumerate(pieces))
        body = [line for i, piece in numbered for line in self._body(piece, i)]
        rebinds = [f"p{i}" for i, _ in numbered if re.search(rf"\bp{i} [-*+^]?= ", "\n".join(body))]
        passed = [f"p{i}" for i, _ in numbered if chance() < 0.2 and f"p{i}" not in rebinds]
        shapes = ("function", "function", "method", "module")
        # Exclude modules: global hooks run both for a compiled module and for the module inside it.
        if "global hooks" in [piece.name for piece in pieces]:
            shapes = shapes[:3]
        between: list[str | None] = [None, None]
        for _ in range(choose((2, 3, 4))):
            i, piece = choose(numbered)
            if piece.changes:
                between += [self._fill(choose(piece.changes), i), None]
            if chance() < 0.5:
                between.append(None)
        return Program(
            setup=tuple(self._fill(piece.setup, i) for i, piece in numbered),
            body=tuple(body),
            between=tuple(between),
            shows=tuple(self._fill(show, i) for i, piece in numbered for show in piece.shows),
            undo=tuple(self._fill(piece.undo, i) for i, piece in numbered if piece.undo),
            rebinds=tuple(rebinds),
            passed=tuple(passed),
            shape=choose(shapes),
            is_global=chance() < 0.5,
            returns=choose(("y", "y", "y, 2.0", "[y, {'a': y * 1.0}]")),
        )

    def _body(self, piece: Piece, i: int) -> list[str]:
        """Return the statements that a piece adds to the function: usually one read, sometimes a side effect."""
        choose, chance = self.random.choice, self.random.random
        ways = [f"y = y {choose('*+')} float({read})" for read in piece.reads] + list(piece.lines)
        found = [choose(ways)] if ways else []
        if len(ways) > 1 and chance() < 0.3:
            found.append(choose(ways))
        if piece.effects and chance() < 0.25:
            found.insert(choose((0, len(found))), choose(piece.effects))
        if chance() < 0.1 and found:
            found = [f"if len(y) == 2:\n{indent(line, '    ')}" for line in found]
        return [self._fill(line, i) for line in found]

    def _fill(self, text: str, i: int) -> str:
        text = dedent(text).strip()
        return self._numbers(re.sub(r"(?<=\w)@", str(i), text))  # any other `@` begins a decorator

    def _numbers(self, text: str) -> str:
        while "#" in text:
            text = text.replace("#", self.random.choice(NUMBERS), 1)
        return text


def smaller(program: Program) -> list[Program]:
    """Return the variants of the program that lack one part."""
    found = []
    for part in ("between", "body", "setup", "shows", "passed"):
        held = getattr(program, part)
        found += [replace(program, **{part: held[:i] + held[i + 1 :]}) for i in range(len(held))]
    if program.returns != "y":
        found.append(replace(program, returns="y"))
    if program.shape != "function":
        found.append(replace(program, shape="function"))
    return found
