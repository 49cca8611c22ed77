"""A compiled module: a wrapper that calls the original module through a compiled function."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._compile.compiled import Compiled
from torchlike._errors.warned import warn
from torchlike.nn import Module
from torchlike.nn.modules._hooks import everywhere


class OptimizedModule(Module):
    """A module whose calls are compiled.

    Attributes are read from and set on the original module. The original module is the submodule `_orig_mod`, so the
    keys of `state_dict()` begin with that name.
    """

    _modules: dict[str, Any]
    _orig_mod: Module

    def __init__(self, mod: Module, compiled: Compiled) -> None:
        super().__init__()
        self._modules["_orig_mod"] = mod
        vars(self)["_call"] = compiled
        vars(self)["_initialized"] = True

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the original module through the compiled function."""
        if everywhere.calls:
            warn(_errors.compiling.hooks_fire_twice())
        return self._call(*args, **kwargs)

    def __reduce__(self) -> tuple:
        from torchlike._compile.api import again

        return again, (self._orig_mod, self._call.options)

    def cost(self) -> dict[str, float]:
        """Return XLA's cost analysis of the forward part of the latest recording."""
        return self._call.cost()

    def memory(self) -> Any:
        """Return XLA's memory analysis of the forward part of the latest recording."""
        return self._call.memory()

    def hlo(self) -> str:
        """Return the optimized HLO text of the forward part of the latest recording."""
        return self._call.hlo()

    def for_target(self, target: str) -> Any:
        """Return the module's calls for ahead-of-time compiling (see the method of a compiled function)."""
        return self._call.for_target(target)

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._modules["_orig_mod"], name)

    @property
    def training(self) -> bool:
        """Return whether the original module is in training mode."""
        return self._modules["_orig_mod"].training

    @training.setter
    def training(self, mode: bool) -> None:  # type: ignore[override]
        if "_orig_mod" in vars(self).get("_modules", {}):
            self._modules["_orig_mod"].training = mode

    def __setattr__(self, name: str, value: Any) -> None:
        if not vars(self).get("_initialized") or name in ("_orig_mod", "training"):
            super().__setattr__(name, value)
        else:
            setattr(self._modules["_orig_mod"], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._modules["_orig_mod"], name)

    def __len__(self) -> int:
        return len(self._modules["_orig_mod"])

    def __getitem__(self, index: Any) -> Any:
        return self._modules["_orig_mod"][index]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *dir(self._modules["_orig_mod"])]
