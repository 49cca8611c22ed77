"""Tracing of a model whose stages are marked by `pipe_split`."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any

from torchlike.fx import Graph, Node, Tracer
from torchlike.fx.node import has_side_effect
from torchlike.nn import Module


class _State(threading.local):
    """The tracer that records this thread's calls of `pipe_split`, or None."""

    tracer: SplitTracer | None = None


_state = _State()


@has_side_effect
def pipe_split() -> None:
    """Mark the boundary of two stages in the forward of a model. It has no effect outside of `pipeline`.

    >>> import torchlike as torch
    >>> class Model(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.first, self.second = torch.nn.Linear(2, 3), torch.nn.Linear(3, 2)
    ...     def forward(self, x):
    ...         x = self.first(x)
    ...         pipe_split()
    ...         return self.second(x)
    >>> pipeline = torch.distributed.pipelining.pipeline
    >>> pipeline(Model(), mb_args=(torch.ones(1, 2),)).num_stages
    2
    """
    if _state.tracer is not None:
        _state.tracer.create_proxy("call_function", pipe_split, (), {})


def is_annotated(module: Module) -> bool:
    """Return whether `pipeline` marked this module by a split point."""
    return "_orig_forward" in vars(module)


class SplitTracer(Tracer):
    """A tracer that records `pipe_split`, and follows only modules that may call it.

    Args:
      is_marked: whether split points mark the boundaries. Then modules without split points are leaves.
    """

    proxy_buffer_attributes = True

    def __init__(self, is_marked: bool) -> None:
        super().__init__()
        self._is_marked = is_marked

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Return whether the call of a module becomes one node.

        Args:
          m (Module): the module.
          module_qualified_name (str): its dotted name.
        """
        if any(is_annotated(each) for each in m.modules() if each is not m):
            return False
        if super().is_leaf_module(m, module_qualified_name):
            return True
        return self._is_marked and not any(_names_split(type(each).forward) for each in m.modules())

    def call_module(self, m: Module, forward: Callable, args: tuple, kwargs: dict) -> Any:
        """Return the result of a module call. A leaf with a split point is preceded or followed by `pipe_split`.

        Args:
          m (Module): the module.
          forward (function): calls the module.
          args, kwargs: the arguments of the call.
        """
        path = self.path_of_module(m)
        if not is_annotated(m) or not self.is_leaf_module(m, path):
            return super().call_module(m, forward, args, kwargs)
        is_before = getattr(m.forward, "__func__", None) is split_before_forward
        if is_before:
            pipe_split()
        result = self.create_proxy("call_module", path, args, kwargs)
        if not is_before:
            pipe_split()
        return result


def _names_split(function: Any) -> bool:
    """Return whether the code of a function mentions `pipe_split`."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code is not None and "pipe_split" in code.co_names


def split_before_forward(self: Module, *args: Any, **kwargs: Any) -> Any:
    """Mark a boundary and call the original forward."""
    pipe_split()
    return self._orig_forward(*args, **kwargs)


def split_after_forward(self: Module, *args: Any, **kwargs: Any) -> Any:
    """Call the original forward and mark a boundary."""
    try:
        return self._orig_forward(*args, **kwargs)
    finally:
        pipe_split()


def traced(module: Module, args: tuple, kwargs: dict[str, Any]) -> Graph:
    """Return the graph of a model. Its inputs are the given arguments; the other ones have their default values."""
    signature = inspect.signature(module.forward)
    bound = signature.bind(*args, **kwargs)
    absent = {name: p.default for name, p in signature.parameters.items() if name not in bound.arguments}
    kinds = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    concrete = {name: default for name, default in absent.items() if signature.parameters[name].kind not in kinds}
    tracer = SplitTracer(any(map(is_annotated, module.modules())))
    before, _state.tracer = _state.tracer, tracer
    try:
        graph = tracer.trace(module, concrete or None)
    finally:
        _state.tracer = before
    for node in [node for node in graph.nodes if node.op == "placeholder"]:
        if str(node.target).lstrip("*") not in bound.arguments:
            _erase(graph, node)
    return graph


def _erase(graph: Graph, node: Node) -> None:
    """Remove a node and those that depend on it: the checks of a constant argument."""
    for user in [*node.users]:
        if user.op != "output":
            _erase(graph, user)
    if not node.users:
        graph.erase_node(node)
