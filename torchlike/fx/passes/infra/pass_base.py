"""`PassBase`, the base class of passes, and `PassResult`."""

from __future__ import annotations

import abc
from typing import NamedTuple

from torchlike.fx.graph_module import GraphModule
from torchlike.nn import Module


class PassResult(NamedTuple):
    """The result of a pass: the module, and whether the pass has changed it."""

    graph_module: Module
    modified: bool


class PassBase(abc.ABC):
    """A pass over a graph module. Subclasses define `call`, and may define `requires` and `ensures`.

    >>> import torchlike as torch
    >>> from torchlike.fx.passes.infra.pass_base import PassBase, PassResult
    >>> class Smooth(PassBase):
    ...     def call(self, graph_module):
    ...         for node in graph_module.graph.find_nodes(op="call_function", target=torch.relu):
    ...             node.target = torch.sigmoid
    ...         graph_module.recompile()
    ...         return PassResult(graph_module, True)
    >>> Smooth()(torch.fx.symbolic_trace(lambda x: torch.relu(x))).graph_module(torch.zeros(1))
    tensor([0.5000])
    """

    def __call__(self, graph_module: GraphModule) -> PassResult | None:
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module: GraphModule) -> PassResult | None:
        """Transform a module, and return the result.

        Args:
          graph_module (GraphModule): the module.
        """

    def requires(self, graph_module: GraphModule) -> None:  # noqa: B027
        """Check a module before the pass. Subclasses raise an error if the pass cannot transform it.

        Args:
          graph_module (GraphModule): the module.
        """

    def ensures(self, graph_module: GraphModule) -> None:  # noqa: B027
        """Check a module after the pass. Subclasses raise an error if it is wrong.

        Args:
          graph_module (GraphModule): the module.
        """


__all__ = ["PassBase", "PassResult"]
