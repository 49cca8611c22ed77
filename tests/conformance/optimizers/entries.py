"""The entries of PyTorch's optimizer database, their options, and the constructions and steps that PyTorch refuses."""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import io
import warnings
from typing import Any, NamedTuple

import torch

import torchlike
from tests.conformance import translate

DTYPES = ("float32", "float64", "bfloat16", "float16", "complex64")
WIDER = {"bfloat16": "float32", "float16": "float32", "float32": "float64", "complex64": "complex128"}
FLAGS = ("", "foreach", "fused", "capturable", "differentiable")
MATRICES = ((4, 3), (3, 5))
SHAPES = ((3, 4), (5,), ())


class Entry(NamedTuple):
    """An entry: its name and PyTorch's record of it."""

    name: str
    info: Any

    def samples(self, dtype: str, flags: tuple[str, ...] = FLAGS) -> list[Sample]:
        """Return a sample for each set of options and each flag that chooses an implementation."""
        with_cuda = [*self.info.optim_inputs_func("cpu"), *self.info.optim_inputs_func("cuda")]
        options = {repr(given.kwargs): given.kwargs for given in with_cuda}
        return [
            Sample(self, dtype, {**given, **({flag: True} if flag else {})})
            for given in options.values()
            for flag in flags
        ]

    def errors(self) -> list[Sample]:
        """Return the constructions and steps that PyTorch refuses."""
        torch.manual_seed(0)
        made = [each.optimizer_error_input for each in self.info.optim_error_inputs_func("cpu", torch.float32)]
        return [Sample(self, "float32", given.kwargs, given.params) for given in made]


class Side(NamedTuple):
    """One library, and how to make the optimizer of a sample in it."""

    library: Any
    sample: Sample

    def dtype(self, name: str) -> Any:
        """Return a dtype of the library, or the next wider one if the sample is wide."""
        return getattr(self.library, WIDER.get(name, name) if self.sample.wide else name)

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Return the shapes of the parameters."""
        return MATRICES if self.sample.entry.name == "Muon" else SHAPES

    def parameters(self, shapes: tuple[tuple[int, ...], ...] | None = None, seed: int = 0) -> list[Any]:
        """Return new parameters with random values."""
        return [self.library.nn.Parameter(t) for t in self.random(shapes or self.shapes(), seed)]

    def random(self, shapes: tuple[tuple[int, ...], ...], seed: int) -> list[Any]:
        """Return tensors of random values, rounded to the dtype of the sample."""
        self.library.manual_seed(seed)
        name = self.sample.narrow
        drawn = "complex128" if name.startswith("complex") else "float64"
        values = [self.library.randn(shape, dtype=getattr(self.library, drawn)) for shape in shapes]
        return [t.to(getattr(self.library, name)).to(self.dtype(name)) for t in values]

    def optimizer(self, parameters: Any, **more: Any) -> Any:
        """Return a new optimizer of the sample's options."""
        kind = getattr(self.library.optim, self.sample.entry.name)
        return kind(parameters, **{**self.own(self.sample.options), **more})

    def own(self, given: Any) -> Any:
        """Return options or parameters of the database as the library's own, each time new ones."""
        made: dict[int, Any] = {}

        def change(t: torch.Tensor) -> Any:
            if id(t) not in made:
                made[id(t)] = self._own_tensor(t)
            return made[id(t)]

        return translate.arguments(given, change) if self.library is torchlike else _replaced(given, change)

    def function(self, theirs: Any) -> Any:
        """Return a function of the database, or the same one for the library."""
        return theirs if self.library is torch else translate.function("", theirs)

    def _own_tensor(self, theirs: torch.Tensor) -> Any:
        if self.library is torch:
            return (
                type(theirs)(theirs.detach().clone()) if type(theirs) is torch.nn.Parameter else theirs.detach().clone()
            )
        if theirs.layout is torch.sparse_coo:
            return torchlike.zeros(theirs.shape).to_sparse()
        ours = translate.tensor(theirs)
        return torchlike.nn.Parameter(ours.detach()) if isinstance(theirs, torch.nn.Parameter) else ours

    def other(self) -> Side:
        """Return the side of the other library."""
        return self.sample.ours() if self.library is torch else self.sample.theirs()

    def through_a_file(self, state: Any) -> Any:
        """Return a state of the other library, saved there and loaded here."""
        file = io.BytesIO()
        (torch if self.library is torchlike else torchlike).save(state, file)
        file.seek(0)
        return self.library.load(file, weights_only=False)


@dataclasses.dataclass(frozen=True)
class Sample:
    """A set of options. If it is `wide`, all dtypes are the next wider ones."""

    entry: Entry
    narrow: str
    options: dict[str, Any]
    params: Any = None
    wide: bool = False

    def theirs(self) -> Side:
        return Side(torch, self)

    def ours(self) -> Side:
        return Side(torchlike, self)

    def widened(self) -> Sample:
        return dataclasses.replace(self, wide=True)

    def __str__(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.options.items()) or "default"


def _replaced(given: Any, change: Any) -> Any:
    if isinstance(given, torch.Tensor):
        return change(given)
    if isinstance(given, list | tuple):
        return type(given)(_replaced(item, change) for item in given)
    return {k: _replaced(v, change) for k, v in given.items()} if isinstance(given, dict) else given


@functools.cache
def load() -> tuple[Entry, ...]:
    """Return every entry of the database, in order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_optimizers import optim_db
    torch.backends.__allow_nonbracketed_mutation_flag = True  # see tests/conformance/entries.py
    return tuple(Entry(info.name, info) for info in optim_db)


def chosen(patterns: list[str]) -> list[Entry]:
    """Return the entries whose name matches a pattern. Without patterns, return all."""
    return [e for e in load() if not patterns or any(fnmatch.fnmatchcase(e.name, p) for p in patterns)]
