"""Common subexpression elimination: equal calls are computed once."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any

import torchlike
from torchlike.fx.graph import Graph
from torchlike.fx.graph_module import GraphModule
from torchlike.fx.node import Argument, Node
from torchlike.fx.passes.infra.pass_base import PassBase, PassResult

_KEPT = ("placeholder", "get_attr", "output")
_IN_PLACE = ("add_", "sub_", "mul_", "div_", "pow_", "lerp_", "relu_", "sigmoid_", "tanh_")
_SAMPLING = (
    *("dropout", "native_dropout", "rand", "randint", "randn", "rand_like", "randperm"),
    *("normal", "poisson", "bernoulli", "binomial", "multinomial", "rrelu", "_standard_gamma"),
)


def get_CSE_banned_ops() -> set:
    """Return the operators of `torch.ops.aten` whose calls must not be merged: they sample, or write in place.

    >>> import torchlike as torch
    >>> from torchlike.fx.passes.dialect.common.cse_pass import get_CSE_banned_ops
    >>> torch.ops.aten.rand in get_CSE_banned_ops(), torch.ops.aten.sin in get_CSE_banned_ops()
    (True, False)
    """
    return {getattr(torchlike.ops.aten, name) for name in (*_SAMPLING, *_IN_PLACE)}


class CSEPass(PassBase):
    """Common subexpression elimination. The first of equal calls replaces the later ones.

    Calls are equal if their targets are, and their arguments compare equal and have the same structure. Reads of
    attributes are not merged. The module that is given does not change.

    Args:
      banned_ops (set, optional): functions and operators whose calls are kept, such as those of `get_CSE_banned_ops`.
        Default: calls of all functions are merged, those that sample too.

    Differences from PyTorch: PyTorch keeps equal calls if an earlier call differs from them in containers only: both
    calls of `f(x, [1])` after `f(x, 1)`. An operator of `torch.ops.aten` and its overload `default` are one target.

    >>> import torchlike as torch
    >>> from torchlike.fx.passes.dialect.common.cse_pass import CSEPass
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.sin(x) + torch.sin(x))
    >>> print(CSEPass()(traced).graph_module.code.strip())
    def forward(self, x):
        sin = torch.sin(x);  x = None
        add = sin + sin;  sin = None
        return add
    """

    def __init__(self, banned_ops: Collection | None = None) -> None:
        self.banned_ops: Collection = set() if banned_ops is None else banned_ops

    def call(self, graph_module: GraphModule) -> PassResult:
        """Return the module with merged calls, or the module itself if no calls are equal.

        Args:
          graph_module (GraphModule): the module.

        Raises:
          TypeError: an argument of a call cannot be hashed, such as a slice before Python 3.12.
        """
        graph = Graph()
        copies: dict[Node, Any] = {}
        first: dict[Hashable, Node] = {}
        modified = False
        for node in graph_module.graph.nodes:
            key = None if self._is_kept(node) else _key(node, copies)
            if key is not None and key in first:
                copies[node], modified = first[key], True
                continue
            copies[node] = graph.node_copy(node, lambda n: copies[n])
            if key is not None:
                first[key] = copies[node]
        return PassResult(GraphModule(graph_module, graph) if modified else graph_module, modified)

    def _is_kept(self, node: Node) -> bool:
        return node.op in _KEPT or getattr(node.target, "overloadpacket", node.target) in self.banned_ops


def _key(node: Node, copies: dict[Node, Any]) -> Hashable:
    """Return a key that equal calls share."""
    return node.target, _frozen(node.args, copies), _frozen(node.kwargs, copies)


def _frozen(argument: Argument, copies: dict[Node, Any]) -> Hashable:
    """Return an argument with containers replaced by hashable ones, and with nodes replaced by their copies."""
    if isinstance(argument, Node):
        return copies[argument]
    if isinstance(argument, tuple | list):
        return type(argument), tuple(_frozen(each, copies) for each in argument)
    if isinstance(argument, dict):
        return dict, tuple((name, _frozen(each, copies)) for name, each in argument.items())
    hash(argument)
    return argument
