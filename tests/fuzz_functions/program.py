"""A random function, written as the source of its body, and the forms in which it is called."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from random import Random
from typing import Any

import torch

from tests.fuzz_functions.forms import FORMS
from tests.fuzz_functions.statements import KINDS

ARGUMENTS = ("x", "y", "z", "s")
MOST_ELEMENTS = 300
LARGEST = 1e3  # larger numbers and their derivatives lose digits
_WEIGHTS = [weight for weight, _ in KINDS]
_NAMES = "abcdefgh"


@dataclass(frozen=True)
class Program:
    """A function of four tensors and a form, which is a name in `FORMS`.

    Attributes:
      statements: The statements of the function.
      result: The expression that it returns.
      form: The form in which it is called.
      executor: The executor of torchlike.
    """

    statements: tuple[str, ...]
    result: str
    form: str
    executor: str = "auto"

    @property
    def text(self) -> str:
        """The source of the function."""
        lines = [line for statement in self.statements for line in statement.split("\n")]
        return "\n".join([f"def f({', '.join(ARGUMENTS)}):", *[f"    {line}" for line in lines], self._returned])

    @property
    def _returned(self) -> str:
        return f"    return {self.result}"


def inputs(library: Any, seed: int = 0) -> list[Any]:
    """Return the arguments of a function."""
    generator = torch.Generator().manual_seed(seed)
    drawn = [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in ((3, 4), (4,), (), (4, 4))]
    return [library.tensor(t.tolist(), dtype=library.float64) for t in drawn]


def start(library: Any) -> dict[str, Any]:
    """Return the global names of a function."""
    ids = library.tensor([1, 0, 2])
    return {"__name__": "program", "torch": library, "F": library.nn.functional, "ids": ids}


def program_of(seed: int) -> Program:
    """Return the random program of a seed."""
    random = Random(seed)
    names, statements = dict(zip(ARGUMENTS, inputs(torch))), []
    for number in range(random.randint(1, 5)):
        for _ in range(20):
            statement = _statement(random, names, _NAMES[number])
            if _runs(statement, names):
                statements.append(statement)
                break
    made = [name for name in names if name in _NAMES] or ["x"]
    last = made[-1]
    result = last if random.random() < 0.7 else f"{last}, {random.choice(made)} * 2"
    form = random.choice(list(FORMS))
    return Program(tuple(statements), result, form, random.choice(("auto", "auto", "numpy", "xla", "immediate")))


def _statement(random: Random, names: dict[str, torch.Tensor], name: str) -> str:
    template = random.choice(random.choices([rows for _, rows in KINDS], _WEIGHTS)[0])
    floats = list(names)
    # The newest tensors are chosen more often, so that the statements depend on each other.
    weights = [1 + 2 * (n in _NAMES) + 3 * (n == floats[-1]) for n in floats]
    first, second = random.choices(floats, weights, k=2)
    dim = random.randrange(max(names[first].ndim, 1))
    chosen = {"A": first, "B": second, "D": str(dim if random.random() < 0.6 else dim - names[first].ndim), "N": name}
    chosen |= {letter: name + letter.lower() for letter in "MPQ"}
    return re.sub(r"\b[ABDNMPQ]\b", lambda found: chosen[found[0]], template)


def _runs(statement: str, names: dict[str, torch.Tensor]) -> bool:
    """Run a statement in PyTorch. Return whether its results are small tensors of floats that can be kept."""
    new = {k: v.clone() for k, v in names.items()}
    torch.set_default_dtype(torch.float64)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(statement, start(torch), new)
    except Exception:
        return False
    finally:
        torch.set_default_dtype(torch.float32)
    made = {k: v for k, v in new.items() if len(k) == 1 and isinstance(v, torch.Tensor)}
    if any(not _is_usable(v) for v in made.values()):
        return False
    names |= made
    return True


def _is_usable(t: torch.Tensor) -> bool:
    return (
        t.dtype is torch.float64
        and 0 < t.numel() < MOST_ELEMENTS
        and bool(t.isfinite().all())
        and bool((t.abs() < LARGEST).all())
    )
