"""`annotate`: the type of a value in a traced program."""

from __future__ import annotations

from typing import Any

from .proxy import Proxy


def annotate(val: Any, type: Any) -> Any:
    """Set the type of a proxy's node, and return the value. Other values have no effect.

    Args:
      val: the value.
      type: the type.

    Raises:
      RuntimeError: the node has a type already.

    >>> import torchlike as torch
    >>> from torchlike.fx.annotate import annotate
    >>> torch.fx.symbolic_trace(lambda x: annotate(torch.relu(x), int)).graph.nodes[1].type
    <class 'int'>
    """
    if isinstance(val, Proxy):
        if val.node.type:
            raise RuntimeError(
                f"Tried to annotate a value that already had a type on it! Existing type is {val.node.type} and new "
                f"type is {type}. This could happen if you tried to annotate a function parameter value (in which "
                "case you should use the type slot on the function signature) or you called annotate on the same "
                "value twice"
            )
        val.node.type = type
    return val


__all__ = ["annotate"]
