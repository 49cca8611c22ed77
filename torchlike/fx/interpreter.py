"""A graph run call by call, by a class whose methods may be overridden; and one that makes another graph of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchlike.nn import Module

from . import _errors
from ._symbolic_trace import Tracer
from .graph import Graph
from .graph_module import GraphModule
from .node import Argument, Node, Target, map_arg
from .proxy import Proxy


class Interpreter:
    """Runs a module's graph: `Interpreter(module).run(x)` is `module(x)`."""

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module: Any = module
        self.graph = graph if graph is not None else self.module.graph
        self.garbage_collect_values = garbage_collect_values
        self.env: dict[Node, Any] = {}

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """The output for these arguments; nodes in `initial_env` are what it says."""
        self.env = dict(initial_env or {})
        self.args_iter: Iterator = iter(args)
        last = {n: node for node in self.graph.nodes for n in node.all_input_nodes}
        for node in self.graph.nodes:
            if node not in self.env:
                self.env[node] = self.run_node(node)
            if node.op == "output":
                return self.env[node]
            for each in [n for n in node.all_input_nodes if last[n] is node and self.garbage_collect_values]:
                self.env.pop(each, None)
        return None

    def boxed_run(self, args_list: list) -> Any:
        """`run`, with the arguments in a list that is emptied."""
        args = tuple(args_list)
        args_list.clear()
        return self.run(*args)

    def run_node(self, n: Node) -> Any:
        """One node's result."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """The next argument, or its default."""
        if str(target).startswith("*"):
            return list(self.args_iter)
        return next(self.args_iter, *args)

    def get_attr(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """An attribute of the module."""
        return self.fetch_attr(str(target))

    def call_function(self, target: Any, args: tuple, kwargs: dict) -> Any:
        """A function's result."""
        return target(*args, **kwargs)

    def call_method(self, target: Any, args: tuple, kwargs: dict) -> Any:
        """A method's result."""
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """A module's result."""
        return self.fetch_attr(str(target))(*args, **kwargs)

    def output(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """What is returned."""
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """An attribute of the module by a dotted name."""
        found = self.module
        for part in target.split("."):
            if not hasattr(found, part):
                raise _errors.unknown_target(target)
            found = getattr(found, part)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple, dict]:
        """A node's arguments, with results in place of nodes."""
        return self.map_nodes_to_values((n.args, n.kwargs), n)

    def map_nodes_to_values(self, args: Argument, n: Node) -> Any:
        """An argument with results in place of nodes."""
        return map_arg(args, lambda each: self.env[each])


class Transformer(Interpreter):
    """Runs a module's graph on proxies, so that overriding its methods makes another graph: `.transform()`."""

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.tracer = _Within(self.new_graph, module)

    def placeholder(self, target: Target, args: tuple, kwargs: dict) -> Proxy:
        """The same argument in the new graph."""
        return self.tracer.create_proxy("placeholder", target, args, {})

    def get_attr(self, target: Target, args: tuple, kwargs: dict) -> Proxy:
        """The same attribute."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Target, args: tuple, kwargs: dict) -> Any:
        """The same module's call."""
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_function(self, target: Any, args: tuple, kwargs: dict) -> Any:
        """The same function's call."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """The module of the new graph."""
        result = super().run()
        if result is not None:
            self.new_graph.output(map_result(result))
        return GraphModule(self.module, self.new_graph)


class _Within(Tracer):
    """Makes nodes of another graph of the same root."""

    def __init__(self, graph: Graph, root: Module) -> None:
        super().__init__()
        self.graph, self.root = graph, root
        self._tensors = {id(t): name for name, t in [*root.named_parameters(), *root.named_buffers()]}

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        return True


def map_result(result: Any) -> Argument:
    """What a run on proxies returned, as an output keeps it."""
    from .node import map_aggregate

    return map_aggregate(result, lambda a: a.node if isinstance(a, Proxy) else a)
