"""Writes the random program of a seed. It runs each statement in PyTorch, so that it knows the live tensors."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from random import Random

import torch

from tests.fuzz.programs import NAMES, Program, Writer, has_history, shares
from tests.fuzz_autograd.kinds import KINDS
from tests.fuzz_autograd.prelude import start

_WEIGHTS = [weight for weight, _ in KINDS]
# Statements that look at the nodes of a graph, and those whose nodes differ (docs/differences.md).
_LOOKS_AT_NODES = re.compile(r"walk\(|nodes\(|next_functions|anomaly")
_OTHER_NODES = re.compile(r"fw\.|torch\.func|autograd\.grad\(|create_graph|functional\.(jac|hvp|vjp|jvp)")
_LETTERS = re.compile(r"\b[A-EGILMNPR]\b")


class AutogradWriter(Writer):
    """A writer whose namespace has the helpers of the prelude."""

    def __init__(self, random: Random) -> None:
        super().__init__(random.randrange)
        self.random = random
        self.names = start(torch)

    def write(self, templates: list[str] | None = None) -> None:
        """Write one statement, from one of these templates, or of a random kind."""
        template = self.random.choice(templates or self.random.choices([rows for _, rows in KINDS], _WEIGHTS)[0])
        statement = self._filled(template)
        if statement is not None and self._is_specified(template, statement):
            self.add(statement)

    def _filled(self, template: str) -> str | None:
        chosen: dict[str, str | None] = {}
        for letter in dict.fromkeys(_LETTERS.findall(template)):
            chosen[letter] = self._chosen(letter, chosen)
            if chosen[letter] is None:
                return None
        return _LETTERS.sub(lambda found: str(chosen[found[0]]), template)

    def _chosen(self, letter: str, chosen: dict[str, str | None]) -> str | None:
        if letter in "NM":
            taken = [n for n in chosen.values() if n is not None]
            free = [n for n in NAMES if n not in self.names and n not in taken]
            return free[0] if free and not self.chance(10) else self.pick([n for n in NAMES if n not in taken])
        first = next((chosen[c] for c in "ARGLCP" if chosen.get(c)), None)
        if letter == "D":
            return str(self.number(self[first].ndim)) if first else "0"
        wants = _wanted(letter, self[first] if first else None)
        found = self.tensors(lambda t: _holds(wants, t))
        return self.pick([*found, *found[-1:]]) if found else None

    def _is_specified(self, template: str, statement: str) -> bool:
        """Return whether programs rely on the statement. docs/differences.md lists the exceptions."""
        text = "\n".join(self.statements)
        has = lambda wants: bool(self.tensors(wants))
        if _LOOKS_AT_NODES.search(template) and _OTHER_NODES.search(text):
            return False
        if "is_grads_batched" in template and re.search("register|retain|apply", text):
            return False  # a hook would keep a batched tensor
        if "anomaly" in template and "register" in text:
            return False  # PyTorch also blames the nodes whose hooks raise
        if "fw." in template and has(torch.Tensor.is_inference):
            return False
        if "torch.tensor([0" in template and has(lambda t: not t.numel()):
            return False  # the index is out of bounds
        if "pack" in template and has(lambda t: t.dtype is torch.bfloat16):
            return False  # a TypeError of a hook becomes one of the operator
        if statement[1:].startswith((".requires_grad", ".set_data")) and shares(self, statement[0]):
            return False
        if statement[1:].startswith(".data =") and not (
            self[statement[0]].is_leaf and self[statement[0]]._base is None
        ):
            return False
        return "jacobian" not in template or not has(lambda t: t.is_complex() or not t.numel())


def _holds(wants: Callable[[torch.Tensor], bool], t: torch.Tensor) -> bool:
    """Return whether a condition holds. Most attributes of a view that an in-place write has made invalid raise."""
    try:
        return wants(t)
    except RuntimeError:
        return False


def _wanted(letter: str, first: torch.Tensor | None) -> Callable[[torch.Tensor], bool]:
    floats = lambda t: t.is_floating_point() or t.is_complex()
    if letter == "B" and first is not None:
        return lambda t: floats(t) and _fit(t.shape, first.shape)
    if letter == "E" and first is not None:
        return lambda t: t.shape == first.shape and t.dtype is first.dtype
    return {
        "C": lambda t: True,
        "I": lambda t: not floats(t),
        "L": lambda t: t.is_leaf and t.requires_grad,
        "R": lambda t: t.requires_grad,
        "G": has_history,
        "P": lambda t: not t.requires_grad,
    }.get(letter, floats)


def _fit(a: torch.Size, b: torch.Size) -> bool:
    try:
        return bool(torch.broadcast_shapes(a, b))
    except RuntimeError:
        return False


def program_of(seed: int) -> Program:
    """Return the random program of a seed."""
    random = Random(seed)
    executor = random.choices(("auto", "numpy", "immediate", "xla"), (12, 4, 3, 1))[0]
    length = random.randint(8, 20)
    writer = AutogradWriter(random)
    try:
        for _ in range(random.randint(2, 3)):
            writer.write(KINDS[0][1][:-6])
        while len(writer.statements) < length and not writer.over:
            writer.write()
    finally:
        torch.set_grad_enabled(True)
    statements = tuple(writer.statements)
    return Program(statements if seed % 4 else compiled(statements), executor, True)


def compiled(statements: tuple[str, ...]) -> tuple[str, ...]:
    """Return the program whose statements after the first three, without those that raise, are a compiled function."""
    names = start(torch)
    body = []
    for number, statement in enumerate(statements):
        try:
            exec(compile(statement, "<program>", "exec"), names)
        except Exception:
            continue
        if number > 2 and not _LOOKS_AT_NODES.search(statement) and ".grad_fn." not in statement:
            body.append("\n".join(f"    {line}" for line in statement.split("\n")))
    torch.set_grad_enabled(True)
    used = sorted(
        {n.id for n in ast.walk(ast.parse("\n".join(statements))) if isinstance(n, ast.Name)} & set("abcdefghlosuvwxy")
    )
    head = [f"    global {', '.join(used)}"] if used else []
    text = "\n".join(["def run():", *head, *(body or ["    pass"])])
    return (*statements[:3], text, "run = compile(run)", "run()", "run()")
