"""The entries of PyTorch's module database, their samples, and the calls that PyTorch refuses."""

from __future__ import annotations

import copy
import dataclasses
import fnmatch
import functools
import inspect
import io
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

import torchlike
from tests.conformance import translate
from tests.conformance.compare import tensors
from tests.conformance.programs import converted

DTYPES = ("float32", "float64", "bfloat16")
WIDER = {"bfloat16": "float32", "float32": "float64", "float64": "float64", "float16": "float32"}


class Entry(NamedTuple):
    """An entry: its name and PyTorch's record of it."""

    name: str
    info: Any

    @property
    def modes(self) -> tuple[bool, ...]:
        """Whether the module trains: both, if its results differ."""
        return (True, False) if self.info.train_and_eval_differ else (True,)

    def samples(self, dtype: str) -> list[Sample]:
        """Return PyTorch's samples, the same ones each time, for training and for evaluation."""
        return [
            Sample(self, dtype, training, number, made)
            for training in self.modes
            for number, made in enumerate(self._made(self.info.module_inputs_func, dtype, training))
        ]

    def errors(self) -> list[Sample]:
        """Return the constructions and calls that PyTorch refuses."""
        if self.info.module_error_inputs_func is None:
            return []
        made = self._made(self.info.module_error_inputs_func, "float32", True)
        return [Sample(self, "float32", True, n, each.module_error_input) for n, each in enumerate(made)]

    def _made(self, function: Callable, dtype: str, training: bool) -> list[Any]:
        torch.manual_seed(0)
        under = function.func if isinstance(function, functools.partial) else function
        more = {"with_packed_sequence": True} if "with_packed_sequence" in inspect.signature(under).parameters else {}
        kind = getattr(torch, dtype)
        return list(function(self.info, device="cpu", dtype=kind, requires_grad=True, training=training, **more))


class Side(NamedTuple):
    """One library, and how to make the module and the inputs of a sample in it."""

    library: Any
    sample: Sample

    def module(self) -> Any:
        """Return a new module with initial parameters of one seed, in the dtype and the mode of the sample."""
        made = self.float32_module().to(getattr(self.library, self.sample.dtype))
        return made.train(self.sample.training)

    def float32_module(self) -> Any:
        """Return a new module as the constructor makes it."""
        args, kwargs = self._own(self.sample.made.constructor_input)
        self.library.manual_seed(0)
        name = self.sample.entry.name.removeprefix("nn.")
        return getattr(self.library.nn, name)(*args, **kwargs)

    def inputs(self) -> tuple[tuple, dict]:
        """Return new arguments of a call."""
        args, kwargs = self._own(self.sample.made.forward_input)
        self.library.manual_seed(1)
        return args, kwargs

    def foreign_state(self) -> dict:
        """Return the state of the module in the other library, through a file."""
        other = self.sample.ours() if self.library is torch else self.sample.theirs()
        module = other.module()
        file = io.BytesIO()
        other.library.save(module.state_dict(), file)
        file.seek(0)
        return self.library.load(file)

    def _own(self, given: Any) -> tuple[tuple, dict]:
        both = (tuple(given.args), dict(given.kwargs))
        if self.library is torch:
            return copy.deepcopy(converted(both, lambda t: t.detach().clone().requires_grad_(t.requires_grad)))
        return translate.arguments(both, translate.Sharing(tensors([*both])))


@dataclasses.dataclass(frozen=True)
class Sample:
    """A sample. If it is `wide`, all of its dtypes are the next wider ones."""

    entry: Entry
    dtype: str
    training: bool
    number: int
    made: Any
    wide: bool = False

    def theirs(self) -> Side:
        return Side(torch, self)

    def ours(self) -> Side:
        return Side(torchlike, self)

    def widened(self) -> Sample:
        """Return the sample in the next wider dtype."""
        made, kind = copy.copy(self.made), getattr(torch, self.dtype)
        made.forward_input, made.constructor_input = copy.copy(made.forward_input), copy.copy(made.constructor_input)
        wider = getattr(torch, WIDER[self.dtype])
        for given in (made.forward_input, made.constructor_input):
            wide = lambda t: t.detach().to(wider).requires_grad_(t.requires_grad) if t.dtype == kind else t
            given.args, given.kwargs = converted((tuple(given.args), dict(given.kwargs)), wide)
        return dataclasses.replace(self, made=made, dtype=WIDER[self.dtype], wide=True)

    def __str__(self) -> str:
        mode = "" if len(self.entry.modes) == 1 else " train" if self.training else " eval"
        return f"{self.number}{mode} {self.made.desc}".strip()


@functools.cache
def load() -> tuple[Entry, ...]:
    """Return every entry of the database, in order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_modules import module_db
    torch.backends.__allow_nonbracketed_mutation_flag = True  # see tests/conformance/entries.py
    return tuple(Entry(info.name, info) for info in module_db)


def chosen(patterns: list[str]) -> list[Entry]:
    """Return the entries whose name matches a pattern. Without patterns, return all."""
    return [e for e in load() if not patterns or any(fnmatch.fnmatchcase(e.name, p) for p in patterns)]
