"""Files of traces that `torch.export` cannot hold: the sources and the answers of the trace.

They are needed if forward samples random numbers, or if a scripted function inside chooses by elements.
"""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike.jit._collected import Collected
from torchlike.jit._frozen import FrozenModule
from torchlike.jit._restored import Restored
from torchlike.jit._script import RecursiveScriptModule, TopLevelTracedModule
from torchlike.jit._scripting import converted
from torchlike.jit._trace import Trace


def document(collected: Collected, traced: TopLevelTracedModule) -> dict:
    """Return the description of a traced function or module.

    Raises:
      NotImplementedError: its source uses something that scripts cannot contain.
    """
    trace = traced._trace
    if trace.python_random is not None:
        raise NotImplementedError("torchlike cannot save a trace that uses Python's random numbers")
    is_module = isinstance(trace.frozen, FrozenModule) and not hasattr(traced._source, "function")
    root = trace.frozen.module if is_module else getattr(traced._source, "function", None)
    answers = [[kind, collected.value(answer)] for kind, answer in trace.answers]
    found = collected.document(root)
    return {**found, "trace": {"answers": answers, "marks": trace.marks, "name": traced.original_name}}


def restored(objects: Restored) -> Retraced:
    """Return the traced module of a description."""
    given = objects.document["trace"]
    root = objects.value(objects.document["root"])
    trace = Trace(root, False)
    trace.answers = [(str(kind), objects.value(answer)) for kind, answer in given["answers"]]
    trace.marks = bool(given["marks"])
    return Retraced(trace, root if isinstance(root, torchlike.nn.Module) else torchlike.nn.Module(), str(given["name"]))


class Retraced(RecursiveScriptModule):
    """A loaded trace that repeats the source.

    Args:
      trace: the trace.
      module: the module with its parameters and buffers.
      name: the name of its class.
    """

    def __init__(self, trace: Trace, module: torchlike.nn.Module, name: str) -> None:
        own = self.__dict__
        own.update(torchlike.nn.Module().__dict__)
        own.update({each: module.__dict__[each] for each in ("_parameters", "_buffers", "_modules", "training")})
        own["_non_persistent_buffers_set"] = module._non_persistent_buffers_set
        own["_trace"], own["original_name"], own["_is_program"] = trace, name, True

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Repeat the trace."""
        return converted(self._trace, args, kwargs)


Retraced.__name__ = Retraced.__qualname__ = "RecursiveScriptModule"
Retraced.__module__ = RecursiveScriptModule.__module__
