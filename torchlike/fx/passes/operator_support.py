"""Predicates over nodes: which calls another backend supports."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchlike.fx.node import Node
from torchlike.nn import Module

from .tools_common import CALLABLE_NODE_OPS, get_node_target

Modules = Mapping[str, Module]
Dtypes = Sequence[Any]
SupportDict = Mapping[str, tuple[Sequence[Dtypes], Mapping[str, Dtypes]] | None]


class OperatorSupportBase(abc.ABC):
    """The base class of predicates over nodes."""

    @abc.abstractmethod
    def is_node_supported(self, submodules: Modules, node: Node) -> bool:
        """Return whether a node is supported.

        Args:
          submodules (dict): the modules by dotted name, as `dict(module.named_modules())` gives them.
          node (Node): the node.
        """


class OperatorSupport(OperatorSupportBase):
    """A predicate given by a table of supported calls and dtypes. Nodes that are not calls are supported.

    Args:
      support_dict (dict, optional): maps the names of targets (see `tools_common.get_node_target`) to None, or to the
        dtypes of positional arguments and of keyword arguments. `ShapeProp` must have found the dtypes of the nodes.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> support = torch.fx.passes.operator_support.OperatorSupport({"torch.relu": None})
    >>> [node.name for node in traced.graph.nodes if support.is_node_supported({}, node)]
    ['x', 'relu', 'output']
    """

    def __init__(self, support_dict: SupportDict | None = None) -> None:
        self._support_dict: SupportDict = support_dict or {}

    def is_node_supported(self, submodules: Modules, node: Node) -> bool:
        """Return whether a node is supported.

        Args:
          submodules (dict): the modules by dotted name, as `dict(module.named_modules())` gives them.
          node (Node): the node.
        """
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        dtypes = self._support_dict[target]
        if dtypes is None:
            return True
        pairs = [*zip(node.args, dtypes[0]), *((node.kwargs.get(key), each) for key, each in dtypes[1].items())]
        return all(_dtype(arg) in allowed for arg, allowed in pairs if isinstance(arg, Node))


def _dtype(node: Node) -> Any:
    """Return the dtype of a node's result, or None if it is not known."""
    return getattr(node.meta.get("tensor_meta"), "dtype", None)


class _Function(OperatorSupportBase):
    def __init__(self, function: Callable[[Modules, Node], bool]) -> None:
        self._function = function

    def is_node_supported(self, submodules: Modules, node: Node) -> bool:
        return self._function(submodules, node)


def create_op_support(is_node_supported: Callable[[Modules, Node], bool]) -> OperatorSupportBase:
    """Return a predicate made of a function.

    Args:
      is_node_supported (function): takes the modules by dotted name, and a node.
    """
    return _Function(is_node_supported)


def chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Return the predicate that is true if all the given predicates are true.

    Args:
      *op_support (OperatorSupportBase): the predicates.
    """
    return _Function(lambda modules, node: all(each.is_node_supported(modules, node) for each in op_support))


def any_chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Return the predicate that is true if one of the given predicates is true.

    Args:
      *op_support (OperatorSupportBase): the predicates.
    """
    return _Function(lambda modules, node: any(each.is_node_supported(modules, node) for each in op_support))


class OpSupports:
    """Predicates that reject some nodes and accept all others."""

    @classmethod
    def decline_if_input_dtype(cls, dtype: Any) -> OperatorSupportBase:
        """Return the predicate that is false if an argument has the given dtype.

        Args:
          dtype: the dtype. `ShapeProp` must have found the dtypes of the nodes.
        """
        return _Function(lambda modules, node: all(_dtype(each) != dtype for each in node.all_input_nodes))

    @classmethod
    def decline_if_node_in_names(cls, disallow_set: set[str]) -> OperatorSupportBase:
        """Return the predicate that is false if the name of the node is in a set.

        Args:
          disallow_set (set): the names.
        """
        return _Function(lambda modules, node: node.name not in disallow_set)


__all__ = ["OpSupports", "OperatorSupport", "OperatorSupportBase", "any_chain", "chain", "create_op_support"]
