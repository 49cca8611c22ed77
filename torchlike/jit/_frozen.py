"""Copies of functions and modules that keep the Python state of a trace."""

from __future__ import annotations

import builtins
import copy
import dis
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torchlike import Tensor
from torchlike._engine.report import log
from torchlike._errors.callers import is_users
from torchlike._transforms.marks import traced_range
from torchlike.nn import Module

_SHARED = ("_parameters", "_buffers")  # the copies have the tensors of their originals


def frozen_function(function: Any) -> Any:
    """Return a function with the globals of now, in which `range` freezes traced sizes.

    A function that is not the user's, or that assigns globals, is returned unchanged.
    """
    if not isinstance(function, types.FunctionType) or not is_users(function.__code__.co_filename):
        return function
    if any(step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL") for step in dis.get_instructions(function)):
        return function
    function.__globals__.setdefault("__warningregistry__", {})  # shared, so that Python shows a warning once
    names = {**function.__globals__, "__builtins__": {**vars(builtins), "range": traced_range}}
    made = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    return made


class FrozenModule:
    """A copy of a module with shared parameters and buffers, and with the other attributes of now.

    Attributes:
      module: the copy. It is the module itself if its attributes cannot be copied.

    Args:
      source: the module.
      freezes: whether `range` freezes traced sizes in the forward functions.
    """

    def __init__(self, source: Module, freezes: bool = True) -> None:
        self.source, self.freezes, self.pairs = source, freezes, []
        try:
            self.module = self._copied()
        except Exception as error:  # an attribute refuses to be copied
            log.logger.debug("the attributes of a traced module cannot be copied", exc_info=error)
            self.module, self.pairs = source, []
        self.attributes = [dict(made.__dict__) for _, made in self.pairs]
        self.changes = False

    def _copied(self) -> Module:
        memo: dict[int, Any] = {}
        for part in self.source.modules():
            made = part if getattr(part, "_is_program", False) else object.__new__(type(part))
            memo[id(part)] = made
            for tensor in (*part._parameters.values(), *part._buffers.values()):
                memo[id(tensor)] = tensor
            if made is not part:
                self.pairs.append((part, made))
        for part, made in self.pairs:
            for name, value in part.__dict__.items():
                shares = name in _SHARED or isinstance(value, Tensor)
                made.__dict__[name] = value if shares else copy.deepcopy(value, memo)
            forward = type(part).forward
            if self.freezes and "forward" not in part.__dict__ and frozen_function(forward) is not forward:
                made.__dict__["forward"] = types.MethodType(frozen_function(forward), made)
        return memo[id(self.source)]

    @contextmanager
    def example(self) -> Iterator[Module]:
        """Lend the copy for the example call. Its changes of attributes reach the module too."""
        with self.call(True) as module:
            yield module
            for (part, made), before in zip(self.pairs, self.attributes):
                changed = {k: v for k, v in made.__dict__.items() if before.get(k) is not v}
                self.changes |= bool(changed)
                part.__dict__.update(changed)

    @contextmanager
    def call(self, restores: bool = False) -> Iterator[Module]:
        """Lend the copy for a call. Its attributes are those of the trace before each call."""
        try:
            yield self.module
        finally:
            if restores or self.changes:
                for (_, made), before in zip(self.pairs, self.attributes):
                    made.__dict__.clear()
                    made.__dict__.update(before)


def frozen(source: Module | Callable) -> Any:
    """Return a module as `FrozenModule`, or a function as `frozen_function`."""
    return FrozenModule(source) if isinstance(source, Module) else frozen_function(source)
