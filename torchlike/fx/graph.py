"""`Graph`: a function as a list of calls. Passes transform the list, and Python code is generated from it."""

from __future__ import annotations

import builtins
import contextlib
import copy
import keyword
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from . import _errors
from .node import Argument, Node, Target, map_arg, qualified_name


class PythonCode(NamedTuple):
    """The generated code of a graph, and the global variables that it uses."""

    src: str
    globals: dict[str, Any]


class CodeGen:
    """The generator of a graph's code. Not supported: the constructor raises NotImplementedError.

    Args:
      args, kwargs: not used.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.cannot("fx.graph.CodeGen", "transform the graph before GraphModule generates its code")


class Graph:
    """A list of nodes: placeholders, calls, and an output.

    Args:
      owning_module (Module, optional): the module to which the dotted names of the graph refer. `GraphModule` sets it.
      tracer_cls (type, optional): the class of the tracer. It has no effect, and copies of the graph keep it.
      tracer_extras: has no effect: nothing reads it.

    >>> import torchlike as torch
    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> y = graph.output(graph.call_function(torch.relu, (x,)))
    >>> print(graph)
    graph():
        %x : [num_users=1] = placeholder[target=x]
        %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
        return relu
    """

    def __init__(self, owning_module: Any = None, tracer_cls: Any = None, tracer_extras: Any = None) -> None:
        self.owning_module, self._tracer_cls, self._tracer_extras = owning_module, tracer_cls, tracer_extras
        self._nodes: list[Node] = []
        self._names: set[str] = set()
        self._counts: dict[str, int] = {}  # the last number that was appended to a name
        self._created = 0  # the number of nodes created so far
        self._root = Node(self, "", "placeholder", "", (), {})
        self._at: Callable[[], int] = lambda: len(self._nodes)

    # --- queries ------------------------------------------------------------------------------------------------------

    @property
    def nodes(self) -> list[Node]:
        """The nodes in order, as a new list."""
        return list(self._nodes)

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """Return the nodes with the given `op`.

        Args:
          op (str): the kind of the nodes.
          target (optional): only return nodes with this target.
          sort: return the nodes in the order of the graph. Otherwise they are in the order of their creation.
        """
        found = [n for n in self._nodes if n.op == op and (target is None or n.target == target)]
        return found if sort else sorted(found, key=lambda n: n._created)

    def output_node(self) -> Node:
        """Return the output node."""
        return next(n for n in reversed(self._nodes) if n.op == "output")

    def _place(self, node: Node) -> int:
        return self._nodes.index(node)

    def _beside(self, node: Node, step: int) -> Node:
        around = [self._root, *self._nodes]
        return around[(around.index(node) + step) % len(around)]

    def lint(self) -> None:
        """Check the graph. Raises RuntimeError if a node is used before its definition or a target does not exist."""
        seen: set[Node] = set()
        for node in self._nodes:
            for each in node.all_input_nodes:
                if each not in seen:
                    raise RuntimeError(
                        f"Argument '{each}' of Node '{node}' was used before it has been defined! Please check that "
                        "Nodes in the graph are topologically ordered"
                    )
            seen.add(node)
            if self.owning_module is not None and node.op in ("get_attr", "call_module"):
                found = self.owning_module
                for part in str(node.target).split("."):
                    if not hasattr(found, part):
                        raise _errors.unknown_target(str(node.target))
                    found = getattr(found, part)

    # --- changes ------------------------------------------------------------------------------------------------------

    def create_node(
        self,
        op: str,
        target: Target,
        args: tuple | None = None,
        kwargs: dict | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Create a node at the insertion point.

        The insertion point is the end of the graph, unless `inserting_before` or `inserting_after` set it.

        Args:
          op (str): the kind of the node (see `Node`).
          target (function or str): the function or name.
          args (tuple, optional): the positional arguments of the call.
          kwargs (dict, optional): the keyword arguments of the call.
          name (str, optional): the name of the node. A number is appended if it is taken. Default: that of the target.
          type_expr (optional): the annotation of the result.
        """
        node = Node(self, self._name(name or _proposed(target)), op, target, args or (), kwargs or {}, type_expr)
        self._nodes.insert(self._at(), node)
        return node

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """Create a node for an argument of the function.

        Args:
          name (str): the name of the argument.
          type_expr (optional): its annotation.
          default_value (optional): its default. `...` stands for none.
        """
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Create a node that reads an attribute of the root module.

        Args:
          qualified_name (str): the dotted name of the attribute.
          type_expr (optional): its annotation.
        """
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable,
        args: tuple | None = None,
        kwargs: dict | None = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        """Create a call of a function.

        Args:
          the_function (function): the function.
          args (tuple, optional): the positional arguments.
          kwargs (dict, optional): the keyword arguments.
          type_expr (optional): the annotation of the result.
          name (str, optional): the name of the node.
        """
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def call_method(
        self, method_name: str, args: tuple | None = None, kwargs: dict | None = None, type_expr: Any = None
    ) -> Node:
        """Create a call of a method of the first argument.

        Args:
          method_name (str): the name of the method.
          args (tuple, optional): the object and the positional arguments.
          kwargs (dict, optional): the keyword arguments.
          type_expr (optional): the annotation of the result.
        """
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_module(
        self, module_name: str, args: tuple | None = None, kwargs: dict | None = None, type_expr: Any = None
    ) -> Node:
        """Create a call of a submodule.

        Args:
          module_name (str): the dotted name of the submodule.
          args (tuple, optional): the positional arguments.
          kwargs (dict, optional): the keyword arguments.
          type_expr (optional): the annotation of the result.
        """
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """Create the output node.

        Args:
          result: the result of the graph: a node, a constant, or a nested container of these.
          type_expr (optional): its annotation.
        """
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Argument] = lambda n: n) -> Node:
        """Copy a node of another graph.

        Args:
          node (Node): the node.
          arg_transform (function): maps the other graph's nodes to this graph's nodes. Default: the identity.
        """
        args, kwargs = map_arg((node.args, node.kwargs), arg_transform)
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        """Copy all nodes of another graph except its output.

        Args:
          g (Graph): the other graph.
          val_map (dict): maps nodes of the other graph to nodes of this graph. Nodes in it are not copied, and the
            others are added.
          return_output_node: also return the output node of the other graph.

        Returns:
          The argument of the other graph's output, mapped to the copies.
        """
        for node in g._nodes:
            if node in val_map:
                continue
            if node.op == "output":
                found = map_arg(node.args[0], lambda n: val_map[n])
                return (found, node) if return_output_node else found
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def erase_node(self, to_erase: Node) -> None:
        """Remove a node from the graph.

        Args:
          to_erase (Node): the node.

        Raises:
          RuntimeError: the node has users.
        """
        if to_erase.users:
            raise _errors.still_used(to_erase)
        self._nodes.remove(to_erase)
        to_erase._set((), {})
        to_erase._erased = True

    def _move(self, node: Node, beside: Node, offset: int) -> None:
        self._nodes.remove(node)
        self._nodes.insert(0 if beside is self._root else self._place(beside) + offset, node)

    def inserting_before(self, n: Node | None = None) -> Any:
        """Set the insertion point before a node.

        As a context manager, it restores the insertion point at the end of the block.

        Args:
          n (Node, optional): the node. Default: the beginning of the graph.
        """
        return self._insert(lambda: 0 if n is None else self._place(n))

    def inserting_after(self, n: Node | None = None) -> Any:
        """Set the insertion point after a node.

        Each new node is inserted directly after that node. If that node is the last one, new nodes are appended in the
        order of their creation. As a context manager, it restores the insertion point at the end of the block.

        Args:
          n (Node, optional): the node. Default: the end of the graph.
        """
        return self._insert(lambda: len(self._nodes) if n is None else self._place(n) + 1)

    def _insert(self, at: Callable[[], int]) -> Any:
        before, self._at = self._at, at
        if at() == len(self._nodes):
            self._at = lambda: len(self._nodes)

        @contextlib.contextmanager
        def block() -> Iterator[None]:
            try:
                yield
            finally:
                self._at = before

        return block()

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Remove nodes that have neither users nor side effects.

        Args:
          is_impure_node (function, optional): returns whether a node must be kept. Default: `Node.is_impure`.

        Returns:
          Whether any node was removed.

        >>> import torchlike as torch
        >>> graph = torch.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> unused, output = graph.call_function(torch.relu, (x,)), graph.output(x)
        >>> graph.eliminate_dead_code(), graph.nodes
        (True, [x, output])
        """
        impure, before = is_impure_node or Node.is_impure, len(self._nodes)
        for node in reversed(self.nodes):
            if not impure(node) and not node.users:
                self.erase_node(node)
        return len(self._nodes) < before

    def process_inputs(self, *args: Any) -> tuple:
        """Return the arguments unchanged.

        Args:
          *args: the arguments.
        """
        return args

    def process_outputs(self, out: Any) -> Any:
        """Return the output unchanged.

        Args:
          out: the output.
        """
        return out

    # --- names and text -----------------------------------------------------------------------------------------------

    def _name(self, wanted: str) -> str:
        """Return a unique name that is neither a builtin nor a keyword."""
        stem = re.sub(r"[^0-9a-zA-Z_]+", "_", wanted)
        stem = f"_{stem}" if stem[:1].isdigit() else stem
        found, (base, number) = stem, _numbered(stem)
        number = number or self._counts.get(base, 0)
        while found in self._names or keyword.iskeyword(found) or found in vars(builtins) or found in ("self", "torch"):
            number += 1
            found = f"{base}_{number}"
        self._counts[base] = number
        self._names.add(found)
        return found

    def python_code(
        self,
        root_module: str = "self",
        *,
        verbose: bool = False,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        expanded_def: bool = False,
        record_func: bool = False,
        additional_meta: list[str] | None = None,
    ) -> PythonCode:
        """Generate the code of a method that computes the graph.

        Args:
          root_module (str): the name of the root in the code. Default: "self".
          verbose (bool): whether to write the source line of each node (`meta["stack_trace"]`) as a comment, and the
            dtype and the shape of each tensor (`meta["val"]` or `meta["tensor_meta"]`) as an annotation.
          include_stride (bool): whether annotations show strides.
          include_device (bool): whether annotations show devices.
          colored (bool): whether the code has escape sequences for colors.
          expanded_def (bool): whether each argument has its own line.
          record_func (bool): only False is supported.
          additional_meta (list of str, optional): the names of further metadata for the comments.

        Raises:
          NotImplementedError: `record_func` is True.
        """
        from ._code import generate
        from ._style import Style

        if record_func:
            raise NotImplementedError("python_code(record_func=True): torchlike does not profile the nodes of a graph")
        style = Style(verbose, include_stride, include_device, colored, expanded_def, additional_meta or ())
        return generate(self, root_module, style)

    def print_tabular(self) -> None:
        """Print the nodes as a table. Requires `tabulate`."""
        try:
            from tabulate import tabulate
        except ImportError:
            print(
                "`print_tabular` relies on the library `tabulate`, which could not be found on this machine. Run "
                "`pip install tabulate` to install the library."
            )
            raise
        rows = [[n.op, n.name, n.target, n.args, n.kwargs] for n in self._nodes]
        print(tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"]))

    def __str__(self) -> str:
        return "graph():" + "".join(f"\n    {node.format_node()}" for node in self._nodes)

    def __deepcopy__(self, memo: dict) -> Graph:
        made = Graph(tracer_cls=self._tracer_cls)
        copied: dict[Node, Node] = {}
        result = made.graph_copy(self, copied, return_output_node=True)
        memo.update({id(node): new for node, new in copied.items()})
        if result is not None:
            made.output(result[0], result[1].type).meta = copy.copy(result[1].meta)
        return made


def _numbered(name: str) -> tuple[str, int]:
    stem, _, number = name.rpartition("_")
    return (stem, int(number)) if stem and number.isdigit() else (name, 0)


def _proposed(target: Target) -> str:
    """Return the default name of a node: its target's name in snake case."""
    name = target.lstrip("*") if isinstance(target, str) else qualified_name(target).rpartition(".")[2]
    if isinstance(target, str) and target.startswith("*"):
        return "_" + name
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower() if not isinstance(target, str) else name
