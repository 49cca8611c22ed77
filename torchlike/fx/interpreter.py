"""Interpreters, which execute or transform a graph node by node. Subclasses override a method for each kind of node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchlike.nn import Module

from . import _errors, traceback
from ._symbolic_trace import Tracer
from .graph import Graph
from .graph_module import GraphModule
from .node import Argument, Node, Target, map_arg
from .proxy import Proxy


class Interpreter:
    """An executor of a module's graph. `Interpreter(module).run(x)` computes `module(x)`.

    Args:
      module (Module): the module to which the names in the graph refer, usually a `GraphModule`.
      garbage_collect_values: delete each result from `env` after its last use.
      graph (Graph, optional): the graph. Default: `module.graph`.

    >>> import torchlike as torch
    >>> class Shown(torch.fx.Interpreter):
    ...     def call_function(self, target, args, kwargs):
    ...         print(target.__name__)
    ...         return super().call_function(target, args, kwargs)
    >>> Shown(torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)).run(torch.tensor([-1.0, 2.0]))
    relu
    add
    tensor([1., 3.])
    """

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module: Any = module
        self.graph = graph if graph is not None else self.module.graph
        self.garbage_collect_values = garbage_collect_values
        self.env: dict[Node, Any] = {}

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """Execute the graph, and return its result.

        Args:
          *args: the arguments of the graph.
          initial_env (dict, optional): the results of some nodes, which are not executed.
          enable_io_processing: has no effect: arguments and results are not converted.
        """
        self.env = dict(initial_env or {})
        self.args_iter: Iterator = iter(args)
        last = {n: node for node in self.graph.nodes for n in node.all_input_nodes}
        for node in self.graph.nodes:
            if node not in self.env:
                with traceback.set_current_meta(node, f"Interpreter_{type(self).__name__}"):
                    self.env[node] = self.run_node(node)
            if node.op == "output":
                return self.env[node]
            for each in [n for n in node.all_input_nodes if last[n] is node and self.garbage_collect_values]:
                self.env.pop(each, None)
        return None

    def boxed_run(self, args_list: list) -> Any:
        """Execute the graph, and return its result.

        Args:
          args_list (list): the arguments of the graph. The list is cleared before.
        """
        args = tuple(args_list)
        args_list.clear()
        return self.run(*args)

    def run_node(self, n: Node) -> Any:
        """Execute one node and return its result.

        Args:
          n (Node): the node.
        """
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """Return the next argument of `run`, or its default. Return all remaining arguments for `*args`.

        Args:
          target (str): the name of the argument.
          args (tuple): the default, if there is one.
          kwargs (dict): empty.
        """
        if str(target).startswith("*"):
            return list(self.args_iter)
        return next(self.args_iter, *args)

    def get_attr(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """Return an attribute of the module.

        Args:
          target (str): the dotted name of the attribute.
          args, kwargs: empty.
        """
        return self.fetch_attr(str(target))

    def call_function(self, target: Any, args: tuple, kwargs: dict) -> Any:
        """Call a function and return its result.

        Args:
          target (function): the function.
          args, kwargs: its arguments.
        """
        return target(*args, **kwargs)

    def call_method(self, target: Any, args: tuple, kwargs: dict) -> Any:
        """Call a method and return its result.

        Args:
          target (str): the name of the method.
          args (tuple): the object and the positional arguments.
          kwargs (dict): the keyword arguments.
        """
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """Call a submodule and return its result.

        Args:
          target (str): the dotted name of the submodule.
          args, kwargs: its arguments.
        """
        return self.fetch_attr(str(target))(*args, **kwargs)

    def output(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """Return the value of the output node.

        Args:
          target (str): "output".
          args (tuple): the value.
          kwargs (dict): empty.
        """
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """Return an attribute of the module.

        Args:
          target (str): the dotted name.

        Raises:
          RuntimeError: there is no such attribute.
        """
        found = self.module
        for part in target.split("."):
            if not hasattr(found, part):
                raise _errors.unknown_target(target)
            found = getattr(found, part)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple, dict]:
        """Return the arguments of a node, with nodes replaced by their results.

        Args:
          n (Node): the node.
        """
        return self.map_nodes_to_values((n.args, n.kwargs), n)

    def map_nodes_to_values(self, args: Argument, n: Node) -> Any:
        """Return an argument, with nodes replaced by their results.

        Args:
          args: the argument, which may be nested.
          n (Node): the node to which the argument belongs. It has no effect.
        """
        return map_arg(args, lambda each: self.env[each])


class Transformer(Interpreter):
    """An interpreter that creates a new graph by running a graph on proxies.

    Subclasses override the methods for the kinds of nodes that they change. `transform()` returns the new module.

    Args:
      module (GraphModule): the module. It does not change.

    >>> import torchlike as torch
    >>> class Smooth(torch.fx.Transformer):
    ...     def call_function(self, target, args, kwargs):
    ...         return super().call_function(torch.sigmoid if target == torch.relu else target, args, kwargs)
    >>> Smooth(torch.fx.symbolic_trace(lambda x: torch.relu(x))).transform()(torch.zeros(1))
    tensor([0.5000])
    """

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.tracer = _Within(self.new_graph, module)

    def placeholder(self, target: Target, args: tuple, kwargs: dict) -> Proxy:
        """Create the placeholder in the new graph.

        Args:
          target (str): the name of the argument.
          args (tuple): the default, if there is one.
          kwargs (dict): has no effect: it is empty.
        """
        default = () if not args else (args[0],)
        return Proxy(self.new_graph.create_node("placeholder", target, default), self.tracer)

    def get_attr(self, target: Target, args: tuple, kwargs: dict) -> Proxy:
        """Create the attribute access in the new graph.

        Args:
          target (str): the dotted name of the attribute.
          args, kwargs: empty.
        """
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """Create the call of the submodule in the new graph.

        Args:
          target (str): the dotted name of the submodule.
          args, kwargs: its arguments, with proxies for results.
        """
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_function(self, target: Any, args: tuple, kwargs: dict) -> Any:
        """Create the call of the function in the new graph.

        Args:
          target (function): the function.
          args, kwargs: its arguments, with proxies for results.
        """
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """Return a module with the transformed graph."""
        with traceback.preserve_node_meta():
            result = super().run()
        if result is not None:
            output = self.new_graph.output(map_result(result))
            output.meta = dict(self.graph.output_node().meta)
        return GraphModule(self.module, self.new_graph)


class _Within(Tracer):
    """A tracer that creates nodes in a new graph of the same root module."""

    def __init__(self, graph: Graph, root: Module) -> None:
        super().__init__()
        self.graph, self.root = graph, root
        self._tensors = {id(t): name for name, t in [*root.named_parameters(), *root.named_buffers()]}

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        return True


def map_result(result: Any) -> Argument:
    """Return the result of a run on proxies, with proxies replaced by their nodes."""
    from .node import map_aggregate

    return map_aggregate(result, lambda a: a.node if isinstance(a, Proxy) else a)
