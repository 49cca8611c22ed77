"""`FxGraphDrawer`, the drawing of graphs with Graphviz, which is not supported."""

from __future__ import annotations

from typing import Any

from torchlike.fx._errors import cannot


class FxGraphDrawer:
    """A drawing of a graph. Not supported: the constructor raises NotImplementedError.

    Args:
      args, kwargs: not used.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise cannot("fx.passes.graph_drawer.FxGraphDrawer", "print the graph or call graph.print_tabular()")


__all__ = ["FxGraphDrawer"]
