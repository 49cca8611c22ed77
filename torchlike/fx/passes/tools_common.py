"""Functions that several passes use."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from torchlike.fx.node import Node, qualified_name
from torchlike.nn import Module

CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}


def get_node_target(submodules: Mapping[str, Module], node: Node) -> str:
    """Return the name of the target that a node calls: the type of a module, a qualified name, or a method's name.

    Args:
      submodules (dict): the modules by dotted name, as `dict(module.named_modules())` gives them.
      node (Node): a call.

    Raises:
      AssertionError: the node is not a call.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.ReLU()))
    >>> call = traced.graph.find_nodes(op="call_module")[0]
    >>> torch.fx.passes.tools_common.get_node_target(dict(traced.named_modules()), call)
    'torch.nn.modules.activation.ReLU'
    """
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError(
            f"Expect op types of {', '.join(['call_method', 'call_function', 'call_module'])}, but found {node.op}"
        )
    if node.op == "call_method":
        return str(node.target)
    if node.op == "call_module":
        kind: Any = type(submodules[str(node.target)])
        return f"{kind.__module__}.{kind.__qualname__}".replace("torchlike.", "torch.", 1)
    target: Any = node.target
    name = qualified_name(target)
    return name.replace("operator.", "_operator.", 1) if getattr(operator, target.__name__, None) is target else name


__all__ = ["CALLABLE_NODE_OPS", "get_node_target"]
