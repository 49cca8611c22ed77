"""The metadata of the node that an interpreter executes, which new nodes of a tracer get."""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any

from torchlike._errors import callers

from .node import Node

# The entries of `meta` that new nodes get.
_KEPT = ("nn_module_stack", "torch_fn", "source_fn_stack", "recompute", "quantization_tag", "custom", "stack_trace")


class _State:
    """Whether new nodes get metadata, and the metadata."""

    def __init__(self) -> None:
        self.is_kept = False
        self.meta: dict[str, Any] = {}


_state = _State()


@contextlib.contextmanager
def preserve_node_meta(enable: bool = True) -> Iterator[None]:
    """Return a context manager in which nodes that a `Transformer` makes get the metadata of the old nodes.

    Args:
      enable (bool): False turns this off.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x))
    >>> traced.graph.nodes[1].meta["custom"] = {"stage": 1}
    >>> with torch.fx.traceback.preserve_node_meta():
    ...     made = torch.fx.Transformer(traced).transform()
    >>> made.graph.nodes[1].meta["custom"]
    {'stage': 1}
    """
    before = _state.is_kept, _state.meta.copy()
    _state.is_kept = enable
    try:
        yield
    finally:
        _state.is_kept, _state.meta = before


def has_preserved_node_meta() -> bool:
    """Return whether new nodes get the metadata of the node that is executed."""
    return _state.is_kept


@contextlib.contextmanager
def set_current_meta(node: Node, pass_name: str = "") -> Iterator[None]:
    """Return a context manager in which new nodes get the metadata of a node, inside of `preserve_node_meta`.

    Args:
      node (Node): the node.
      pass_name (str): has no effect: the origin of nodes is not recorded.
    """
    if not (_state.is_kept and node.meta):
        yield
        return
    before, _state.meta = _state.meta, node.meta.copy()
    try:
        yield
    finally:
        _state.meta = before


def get_current_meta() -> dict[str, Any]:
    """Return the metadata of the node that is executed."""
    return _state.meta


@contextlib.contextmanager
def annotate(annotation_dict: dict[str, Any]) -> Iterator[None]:
    """Return a context manager in which new nodes get entries of `meta["custom"]`, inside of `preserve_node_meta`.

    Args:
      annotation_dict (dict): the entries.
    """
    before = _state.meta.get("custom")
    _state.meta["custom"] = {**(before or {}), **annotation_dict}
    try:
        yield
    finally:
        if before is None:
            del _state.meta["custom"]
        else:
            _state.meta["custom"] = before


def annotate_fn(annotation_dict: dict[str, Any]) -> Callable[[Callable], Callable]:
    """Return a decorator that calls a function inside of `annotate`.

    Args:
      annotation_dict (dict): the entries.
    """

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with annotate(annotation_dict):
                return function(*args, **kwargs)

        return call

    return decorate


def set_stack_trace(stack: list[str]) -> None:
    """Set the stack trace of new nodes, inside of `preserve_node_meta`.

    Args:
      stack (list of str): the lines. An empty list removes the stack trace.
    """
    if not _state.is_kept:
        return
    if stack:
        _state.meta["stack_trace"] = "".join(stack)
    else:
        _state.meta.pop("stack_trace", None)


def format_stack() -> list[str]:
    """Return the stack trace of the node that is executed, or that of the program outside of `preserve_node_meta`."""
    if _state.is_kept:
        return [_state.meta.get("stack_trace", "")]
    return callers.users_stack()


def pass_on(node: Node) -> None:
    """Give a new node the metadata of the node that is executed."""
    node.meta.update({key: copy.copy(_state.meta[key]) for key in _KEPT if key in _state.meta})


__all__ = [
    "annotate",
    "annotate_fn",
    "format_stack",
    "get_current_meta",
    "has_preserved_node_meta",
    "preserve_node_meta",
    "set_current_meta",
    "set_stack_trace",
]
