"""Frozen modules: scripted or traced modules whose parameters are constants."""

from __future__ import annotations

import copy
from typing import Any

import torchlike
from torchlike.jit._script import RecursiveScriptModule, ScriptModule

_EVAL = (
    "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your module before "
    "freezing."
)
_SCRIPT = (
    "Freezing expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace to script your "
    "'nn.Module'."
)


class Frozen(RecursiveScriptModule):
    """A module that `torch.jit.freeze` returned. It has no parameters. Its only attributes are the preserved ones.

    Args:
      inner: a copy of the module, which shares the elements of its parameters.
      preserved: the names of the preserved attributes.
    """

    def __init__(self, inner: Any, preserved: list[str]) -> None:
        own = self.__dict__
        own.update(torchlike.nn.Module().__dict__)
        own["_frozen"], own["_preserved"], own["original_name"] = inner, preserved, inner.original_name
        own["_is_program"] = inner._is_program
        del own["training"]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the forward of the module, whose parameters are constants."""
        return self._frozen(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("_preserved", ()):
            return getattr(self._frozen, name)
        return super(RecursiveScriptModule, self).__getattr__(name)

    @property
    def code(self) -> str:
        """The source of forward in the form in which it is saved."""
        return self._frozen.code

    def programs(self) -> Any:
        """Return the exported programs of a traced module."""
        return self._frozen.programs()

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """Write the module to a file (see `ScriptModule.save`)."""
        self._frozen.save(f, _extra_files)


Frozen.__name__ = Frozen.__qualname__ = "RecursiveScriptModule"


def frozen_module(module: Any, preserved: list[str] | None) -> Frozen:
    """Return a frozen copy of a scripted or traced module. As in PyTorch, it shares the elements of the parameters.

    Raises:
      RuntimeError: the module is in training mode, is neither scripted nor traced, or lacks a preserved attribute.
    """
    if not isinstance(module, ScriptModule):
        raise RuntimeError(_SCRIPT)
    if getattr(module, "training", False):
        raise RuntimeError(_EVAL)
    names = preserved or []
    for name in names:
        if not hasattr(module, name):
            raise RuntimeError(f"Unknown name: {name}")
    memo = {id(each): _constant(each) for each in module.parameters()}
    return Frozen(copy.deepcopy(module, memo), names)


def _constant(parameter: torchlike.nn.Parameter) -> torchlike.nn.Parameter:
    """Return a parameter that does not require grad and shares the elements of `parameter`."""
    return torchlike.nn.Parameter(parameter.detach(), requires_grad=False)
