"""Optimizations of traced modules for inference."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import torchlike
from torchlike._internal import _errors
from torchlike.fx._symbolic_trace import symbolic_trace
from torchlike.fx.graph import Graph
from torchlike.fx.graph_module import GraphModule
from torchlike.fx.interpreter import Transformer
from torchlike.fx.node import Node, Target
from torchlike.nn import Module
from torchlike.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

nn = torchlike.nn
_FUSED = (
    (nn.Conv1d, nn.BatchNorm1d, fuse_conv_bn_eval),
    (nn.Conv2d, nn.BatchNorm2d, fuse_conv_bn_eval),
    (nn.Conv3d, nn.BatchNorm3d, fuse_conv_bn_eval),
    (nn.Linear, nn.BatchNorm1d, fuse_linear_bn_eval),
)


def matches_module_pattern(pattern: Iterable[type], node: Node, modules: dict[str, Any]) -> bool:
    """Return whether a node calls a module, and its first argument is the call of another, of the given classes.

    Args:
      pattern: the class of the inner module, and that of the outer one. Subclasses do not match.
      node (Node): the outer call.
      modules (dict): the modules by their dotted names.

    >>> import torchlike as torch
    >>> from torchlike.fx.experimental.optimization import matches_module_pattern
    >>> traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh()))
    >>> tanh = traced.graph.output_node().args[0]
    >>> matches_module_pattern((torch.nn.ReLU, torch.nn.Tanh), tanh, dict(traced.named_modules()))
    True
    """
    if not node.args:
        return False
    return all(
        isinstance(each, Node)
        and each.op == "call_module"
        and each.target in modules
        and type(modules[str(each.target)]) is kind
        for kind, each in zip(pattern, (node.args[0], node))
    )


def replace_node_module(node: Node, modules: dict[str, Any], new_module: Module) -> None:
    """Replace the module that a node calls.

    Args:
      node (Node): the call of the module.
      modules (dict): the modules by their dotted names, the root with the name "". The new module is stored in it.
      new_module (Module): the new module.

    >>> import torchlike as torch
    >>> from torchlike.fx.experimental.optimization import replace_node_module
    >>> traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.ReLU()))
    >>> call = traced.graph.output_node().args[0]
    >>> replace_node_module(call, dict(traced.named_modules()), torch.nn.Sigmoid())
    >>> traced(torch.zeros(1))
    tensor([0.5000])
    """
    parent, _, name = str(node.target).rpartition(".")
    modules[str(node.target)] = new_module
    setattr(modules[parent], name, new_module)


def fuse(model: Module, inplace: bool = False, no_trace: bool = False) -> GraphModule:
    """Fuse each batch norm into the convolution or linear layer whose result only it uses.

    Args:
      model (Module): a module in evaluation mode.
      inplace (bool): use the layers of `model` instead of copies. Default: False.
      no_trace (bool): use the graph of a `GraphModule` instead of tracing it again. Default: False.

    Returns:
      A module without the fused batch norms.

    Raises:
      AssertionError: layers that would be fused are in training mode.

    >>> import torchlike as torch
    >>> from torchlike.fx.experimental.optimization import fuse
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3)).eval()
    >>> print(fuse(model).code.strip())
    def forward(self, input):
        input_1 = input
        _0 = getattr(self, "0")(input_1);  input_1 = None
        return _0
    """
    model = model if inplace else copy.deepcopy(model)
    traced = model if no_trace and isinstance(model, GraphModule) else symbolic_trace(model)
    modules, graph = dict(traced.named_modules()), copy.deepcopy(traced.graph)
    for layer, norm, fused in _FUSED:
        for node in graph.nodes:
            if not matches_module_pattern((layer, norm), node, modules):
                continue
            inner, bn = node.args[0], modules[str(node.target)]
            if len(inner.users) > 1 or not bn.track_running_stats:
                continue
            replace_node_module(inner, modules, fused(modules[inner.target], bn))
            node.replace_all_uses_with(inner)
            graph.erase_node(node)
    return GraphModule(traced, graph)


class _WithoutDropout(Transformer):
    def call_module(self, target: Target, args: tuple, kwargs: dict) -> Any:
        if isinstance(self.fetch_attr(str(target)), nn.Dropout) and len(args) == 1:
            return args[0]
        return super().call_module(target, args, kwargs)


def remove_dropout(model: Module) -> GraphModule:
    """Remove the calls of `nn.Dropout`. Calls of other classes and of functions stay.

    Args:
      model (Module): the module. It does not change.

    >>> import torchlike as torch
    >>> from torchlike.fx.experimental.optimization import remove_dropout
    >>> remove_dropout(torch.nn.Sequential(torch.nn.Dropout(), torch.nn.ReLU()))(torch.ones(3))
    tensor([1., 1., 1.])
    """
    return _WithoutDropout(symbolic_trace(model)).transform()


def extract_subgraph(orig_module: Module, nodes: list[Node], inputs: list[Node], outputs: list[Node]) -> GraphModule:
    """Return a module that computes some nodes of a graph.

    Args:
      orig_module (Module): the module to which the names in the graph refer.
      nodes (list): the nodes, in the order of the graph.
      inputs (list): the nodes whose results are the arguments of the new module.
      outputs (list): the nodes whose results it returns, as a list.

    >>> import torchlike as torch
    >>> from torchlike.fx.experimental.optimization import extract_subgraph
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.sin(torch.relu(x)))
    >>> x, relu, sin, _ = traced.graph.nodes
    >>> extract_subgraph(traced, [relu], [x], [relu])(torch.tensor([-1.0, 2.0]))
    [tensor([0., 2.])]
    """
    graph = Graph()
    copies: dict[Node, Node] = {each: graph.placeholder(each.name) for each in inputs}
    for node in nodes:
        copies[node] = graph.node_copy(node, lambda n: copies[n])
    graph.output([copies[each] for each in outputs])
    graph.lint()
    return GraphModule(orig_module, graph)


def optimize_for_inference(model: Module, pass_config: dict[str, Any] | None = None, tracer: Any = None) -> Any:
    """Raise NotImplementedError: PyTorch's layout for oneDNN does not exist. Call `fuse` and `remove_dropout` instead.

    Args:
      model, pass_config, tracer: not used.
    """
    raise _errors.arguments.cannot(
        "fx.experimental.optimization.optimize_for_inference",
        "call fuse and remove_dropout of the same module; XLA chooses the layout",
    )
