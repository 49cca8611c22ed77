"""Random programs of loops over elements, run in both libraries.

A program reads and writes elements, rows and slices of a few small tensors that share memory with each other, with
NumPy arrays and with saved tensors of a gradient graph. `difference` compares what both libraries show.
"""

from __future__ import annotations

import copy
import random
import warnings
from typing import Any

import numpy as np
import torch

import torchlike

FLOATS = ("float32", "float64")
WHOLE = ("int64", "int32", "int16", "bool")
NAMES = ("a", "b", "c", "d", "e", "f")


class Writer:
    """Writes the statements of one program.

    A `wild` program has infinities, NaN and products of elements, and no integers, because PyTorch leaves the cast of a
    number out of range to an integer to the platform. It does not write through expanded dims, where the recorded
    operator loses the sign of zero. No name is bound to a `.data`, whose writes the version check does not see.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.wild = self.random.random() < 0.4

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def name(self) -> str:
        return self.pick(*NAMES)

    def number(self) -> str:
        tame = ("0", "1", "2", "-1", "3", "0.5", "-2.5", "True")
        return self.pick(*tame, "1e38", "-0.0", "inf", "nan", "0.1") if self.wild else self.pick(*tame)

    def index(self) -> str:
        i = lambda: self.pick(0, 1, 2, -1, 0, 1, 2, 3, 7)
        cut = lambda: self.pick(":", "1:", ":2", "::2", "1:3", "-2:", "5:")
        part = lambda: self.pick(str(i()), str(i()), str(i()), cut())
        return self.pick(
            str(i()),
            str(i()),
            f"{i()}, {i()}",
            f"{i()}, {i()}",
            part(),
            f"{part()}, {part()}",
            f"..., {i()}",
            f"None, {i()}",
            "...",
            f"k[{i()}]",
            f"k[{i()}], {i()}",
            f":k[{i()}]",
        )

    def place(self) -> str:
        return f"{self.name()}[{self.index()}]"

    def operand(self) -> str:
        return self.pick(self.place(), self.place(), self.name(), self.number())

    def operator(self) -> str:
        return self.pick("+", "-", "*", "/") if self.wild else self.pick("+", "-")

    def update(self) -> str:
        """Return an in-place operator with its operand, which is not changed during the write."""
        return f"{self.operator()}= {self.pick(self.number(), f'{self.place()}.clone()', f'{self.name()}.clone()')}"

    def view(self) -> str:
        x = self.name()
        return self.pick(
            self.place(),
            self.place(),
            f"{x}.t()",
            f"{x}.view(-1)",
            f"{x}.detach()",
            f"{x}.unsqueeze(0)",
            f"{x}.unbind()[{self.pick(0, 1, -1)}]",
            f"{x}.squeeze(0)" if self.wild else f"{x}.expand(2, *{x}.shape)",
            f"{x}.reshape(-1)",
            f"list({x})[0]",
            f"{x}.flatten()",
            f"{x}.squeeze()",
        )

    def made(self) -> str:
        x, dtype = self.name(), self.pick(*FLOATS) if self.wild else self.pick(*FLOATS, *WHOLE)
        return self.pick(
            f"{x}.clone()",
            f"copy.deepcopy({x}) if n is None else {x}.clone()",
            f"{x} * 2 - 1",
            f"{x}.{'abs()' if self.wild else 'flip(0)'}",
            f"{x}.to(L.{dtype})",
            f"L.zeros(3, 4, dtype=L.{dtype})",
            f"L.full((4,), 2, dtype=L.{dtype})",
            f"L.arange(5, dtype=L.{dtype})" if dtype != "bool" else f"L.ones(5, dtype=L.{dtype})",
            f"L.tensor([1, 0, 1], dtype=L.{dtype})",
            f"{self.place()} {self.operator()} {self.operand()}",
            f"-{self.place()}",
        )

    def read(self) -> str:
        compared = f"{self.place()} {self.pick('<', '>=', '==', '!=')} {self.operand()}"
        return self.pick(
            f"o.append(float({self.place()}))",
            f"o.append({self.place()}.item())",
            f"o.append(bool({compared}))",
            f"o.append([v.tolist() for v in {self.name()}])",
            f"o.append({self.place()}.tolist())",
            f"o.append(int({self.place()} > 0))",
            f"o.append({self.name()}._version)",
            f"o.append(str({compared}))",
        )

    def loop(self) -> str:
        x, i = self.name(), self.pick(0, 1, 2)
        return self.pick(
            f"for v in {x}: v {self.operator()}= {self.number()}",
            f"for v in {x}: v[{i}] = {self.number()}",
            f"for i in range(3): {x}[i] = {self.name()}[i] {self.operator()} {self.operand()}",
            f"for i in range(3): {x}[i] {self.update()}",
            f"for i in range(1, 3): {x}[i] = {x}[i - 1] + 1",
            f"for i in range(20): {x}[i % 3] += 1",
            f"for i in k: {x}[i] += 1",
            f"for i, v in enumerate({x}): {self.name()}[i] = v.detach()",
        )

    def shared(self) -> str:
        x = self.name()
        return self.pick(
            f"n = {x}.numpy()",
            f"n = {x}.detach().numpy()",
            "n[...] = 1",
            "n.reshape(-1)[0] = 1",
            "n = None",
            f"{x} = L.from_numpy(n)",
            f"{x} = L.from_numpy(np.ones((3, 4), np.float32))",
            "o.append(n.tolist())",
        )

    def gradient(self) -> str:
        x = self.name()
        if self.wild and self.random.random() < 0.1:  # an integer tensor that requires grad, as PyTorch makes, is a bug
            return self.pick(f"{self.place()} = w[0]", f"{x} = {x} * w")
        return self.pick(
            f"s.append((w * {x}).sum())",
            f"s.append((w * {self.place()}).sum())",
            f"s.append((w[0] * {x}[0]).sum())",
            "s.pop().backward()",
            "s.pop().backward()",
            "o.append(w.grad.tolist())",
            f"w[0] = {self.number()}",
            f"{x} = w.detach()",
            f"{x} = w[1:]",
            f"{x} = {x}.clone().requires_grad_()",
            f"s.append((w * {x}).sum()); {self.tracked()}; s.pop().backward()",
            f"s.append((w * {self.place()}).sum()); {self.tracked()}; s.pop().backward()",
            f"s.append({x}.pow(2).sum())",
            "w = w.detach().requires_grad_()",
        )

    def moded(self) -> str:
        if self.random.random() < 0.2:  # PyTorch writes to an inference tensor before it raises
            return f"with L.inference_mode(): {self.read()}"
        return f"with L.{self.pick('no_grad', 'no_grad', 'enable_grad')}(): {self.pick(self.write(), self.bound())}"

    def write(self) -> str:
        x = self.name()
        return self.pick(
            f"{self.place()} = {self.number()}",
            f"{self.place()} = {self.operand()}",
            f"{self.place()} = {self.operand()} {self.operator()} {self.operand()}",
            f"{self.place()} {self.update()}",
            f"{x} {self.update()}",
            f"{x}.{self.pick('zero_()', 'add_(1)', 'fill_(2)', f'copy_({self.operand()})', 'mul_(2)')}",
            f"{x}.data[{self.index()}] = {self.number()}",
        )

    def tracked(self) -> str:
        """Return a write that autograd tracks."""
        found = self.write()
        return self.tracked() if ".data" in found else found

    def bound(self) -> str:
        return f"{self.name()} = {self.pick(self.view(), self.view(), self.made())}"

    def statement(self) -> str:
        kinds = [self.write] * 8 + [self.bound] * 6 + [self.read] * 3 + [self.loop] * 4 + [self.shared, self.moded]
        return self.pick(*kinds, self.gradient, self.gradient)()

    def program(self) -> list[str]:
        return [self.statement() for _ in range(self.random.randrange(6, 26))]


def start(library: Any, wild: bool) -> dict[str, Any]:
    """Return the names with which a program begins."""
    made = {
        "a": library.arange(12.0).reshape(3, 4) - 2,
        "b": library.zeros(3, 4),
        "c": library.tensor([1.0, 2.0, -3.0, 0.5]),
        "d": library.ones(3, 4, dtype=library.float64),
        "e": library.zeros(4) if wild else library.arange(4),
        "f": library.tensor(1.5),
    }
    w = library.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    more = {"k": library.tensor([0, 2, 1, 1]), "w": w, "n": None, "o": [], "s": [], "L": library, "np": np}
    return made | more | {"copy": copy, "inf": float("inf"), "nan": float("nan")}


def shown(names: dict[str, Any]) -> dict[str, Any]:
    """Return what a program can observe of its tensors."""
    facts: dict[str, Any] = {"o": str(names["o"]), "n": str(None if names["n"] is None else names["n"].tolist())}
    for name in (*NAMES, "w"):
        t = names[name]
        inside = t.is_inference()
        facts[name] = (
            *(str(t.detach().tolist()), str(t.dtype).rpartition(".")[2], tuple(t.shape), tuple(t.stride())),
            *(t.storage_offset(), t.requires_grad, t.is_leaf, inside or t._version, t._base is None),
        )
    return facts


def observed(program: list[str], library: Any, wild: bool, watched: bool) -> list:
    """Run a program. Return the error of each statement and, if it is watched or the last one, what it shows."""
    names, seen = start(library, wild), []
    for number, statement in enumerate(program):
        error = None
        try:
            exec(statement, names)
        except Exception as raised:
            error = (type(raised).__name__, str(raised).partition("\n")[0])
        is_last = number == len(program) - 1
        try:
            seen.append((error, shown(names) if watched or is_last else None))
        except Exception as raised:
            seen.append((error, (type(raised).__name__, str(raised).partition("\n")[0])))
    return seen


def difference(seed: int) -> str | None:
    """Return a description of the first difference between the libraries in a program, or None."""
    writer = Writer(seed)
    program, watched = writer.program(), writer.random.random() < 0.3
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        theirs = observed(program, torch, writer.wild, watched)
        ours = observed(program, torchlike, writer.wild, watched)
    for number, (expected, found) in enumerate(zip(theirs, ours)):
        if expected != found:
            return f"seed {seed}\n" + "\n".join(program[: number + 1]) + f"\nPyTorch {expected}\ntorchlike {found}"
    return None
