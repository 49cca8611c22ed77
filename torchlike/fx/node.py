"""`Node`, an operation of a graph, and functions on the arguments of nodes."""

from __future__ import annotations

import builtins
import operator
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from . import _errors

if TYPE_CHECKING:
    from .graph import Graph

OPS = ("placeholder", "get_attr", "call_function", "call_method", "call_module", "output")
# Functions that dead-code elimination keeps: `_assert`, and functions that sample. Removing a function that samples
# would change the random numbers of later functions. As in PyTorch, in-place functions can be removed.
_DRAWING = frozenset(
    (
        "rand",
        "randn",
        "randint",
        "randperm",
        "rand_like",
        "randn_like",
        "randint_like",
        "normal",
        "poisson",
        "bernoulli",
        "multinomial",
        "_assert",
    )
)
_side_effects: set[Callable] = set()
Target = Callable[..., Any] | str
Argument = Any  # nodes, numbers, strings, dtypes, devices, None, and tuples, lists, dicts and slices of these


class Node:
    """One operation of a graph: a call, an argument, the read of an attribute, or the output.

    The methods of `Graph` create nodes. The attribute `users` has the nodes that use the result, in order of use (the
    keys of a dict). The attribute `meta` is a dict for data that passes attach to the node.

    Args:
      graph (Graph): the graph.
      name (str): the name of the result, which is unique in the graph.
      op: "placeholder" (an argument), "get_attr" (an attribute of the root), "call_function", "call_method",
        "call_module" or "output".
      target: the name of the argument or attribute, the function, or the name of the method or module.
      args, kwargs: the arguments of the call. Nodes in them stand for their results.
      return_type (optional): the annotation of the result, available as `type`.

    Raises:
      AssertionError: `op` is another string.

    >>> import torchlike as torch
    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> relu = graph.call_function(torch.relu, (x,))
    >>> relu.op, relu.args, list(x.users)
    ('call_function', (x,), [relu])
    """

    def __init__(
        self, graph: Graph, name: str, op: str, target: Target, args: tuple, kwargs: dict, return_type: Any = None
    ) -> None:
        if op not in OPS:
            raise _errors.no_op(op)
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._args: tuple = ()
        self._kwargs: dict = {}
        self._inputs: dict[Node, None] = {}
        self._erased = False
        self._created = graph._created
        graph._created += 1
        self._set(args, kwargs)

    # --- arguments ----------------------------------------------------------------------------------------------------

    @property
    def args(self) -> tuple:
        """The positional arguments. Assigning new arguments updates the `users` of the old and new argument nodes."""
        return self._args

    @args.setter
    def args(self, given: tuple) -> None:
        self._set(given, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        """The keyword arguments. See `args`."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, given: dict[str, Argument]) -> None:
        self._set(self._args, given)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among the arguments, without duplicates."""
        return list(self._inputs)

    def _set(self, args: tuple, kwargs: dict) -> None:
        for node in self._inputs:
            node.users.pop(self, None)
        self._inputs = {}
        self._args, self._kwargs = map_arg((tuple(args), dict(kwargs)), self._uses)

    def _uses(self, node: Node) -> Node:
        self._inputs[node] = node.users[self] = None
        return node

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Replace a positional argument.

        Args:
          idx (int): its index.
          arg: the new argument.
        """
        self.args = (*self.args[:idx], arg, *self.args[idx + 1 :])

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Insert a positional argument.

        Args:
          idx (int): its index.
          arg: the argument.
        """
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Replace or add a keyword argument.

        Args:
          key (str): its name.
          arg: the argument.
        """
        self.kwargs = {**self.kwargs, key: arg}

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Replace a node in the arguments by another node.

        Args:
          old_input (Node): the node that is replaced.
          new_input (Node): the new node.
        """
        self._set(*map_arg((self.args, self.kwargs), lambda n: new_input if n is old_input else n))

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] = lambda user: True,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Replace this node by another node in its users.

        Args:
          replace_with (Node): the other node.
          delete_user_cb (function): returns whether a user is changed. Default: all users are.
          propagate_meta: also add the `meta` of this node to that of the other.

        Returns:
          The changed users.
        """
        if propagate_meta:
            replace_with.meta.update(self.meta)
        users = list(filter(delete_user_cb, self.users))
        for user in users:
            user.replace_input_with(self, replace_with)
        return users

    # --- position -----------------------------------------------------------------------------------------------------

    @property
    def next(self) -> Node:
        """The next node. The last node is followed by the graph's root."""
        return self.graph._beside(self, 1)

    @property
    def prev(self) -> Node:
        """The previous node. The first node is preceded by the graph's root."""
        return self.graph._beside(self, -1)

    def prepend(self, x: Node) -> None:
        """Move a node before this one.

        Args:
          x (Node): a node of the same graph.
        """
        self.graph._move(x, self, 0)

    def append(self, x: Node) -> None:
        """Move a node after this one.

        Args:
          x (Node): a node of the same graph.
        """
        self.graph._move(x, self, 1)

    # --- properties and text ------------------------------------------------------------------------------------------

    @property
    def stack_trace(self) -> str | None:
        """The stack trace of the call in the traced program, if it was recorded."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Return whether the node must be kept even if it has no users, for example because of a side effect.

        Args:
          impure_random: also return True for functions that sample.
        """
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_module":
            if self.graph.owning_module is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return getattr(self.graph.owning_module.get_submodule(self.target), "_is_impure", False)
        drawn = impure_random and getattr(self.target, "__name__", None) in _DRAWING
        kept = self.target is operator.setitem or self.target in _side_effects
        return self.op == "call_function" and (drawn or kept)

    def format_node(self) -> str | None:
        """Return the line that describes the node in a printed graph."""
        kind = f"{type_text(self.type)} " if self.type is not None else ""
        head = f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}[target={target_text(self.target)}]"
        if self.op == "placeholder":
            return head + (f"(default={self.args[0]})" if self.args else "")
        if self.op == "get_attr":
            return head
        if self.op == "output":
            return f"return {self.args[0]}"
        return f"{head}(args = {_shown(self.args)}, kwargs = {_shown(self.kwargs)})"

    def __repr__(self) -> str:
        return self.name

    def __lt__(self, other: Node) -> bool:
        return self.graph._place(self) < self.graph._place(other)

    def __gt__(self, other: Node) -> bool:
        return other < self


def has_side_effect(fn: Callable) -> Callable:
    """Register a function whose calls are kept by dead-code elimination, and return it. It can be used as a decorator.

    Args:
      fn (function): the function.

    >>> import torchlike as torch
    >>> @torch.fx.has_side_effect
    ... def log(x):
    ...     print(x)
    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> called, output = graph.call_function(log, (x,)), graph.output(x)
    >>> graph.eliminate_dead_code(), graph.nodes
    (False, [x, log, output])
    """
    _side_effects.add(fn)
    return fn


def map_arg(a: Argument, fn: Callable[[Node], Argument]) -> Argument:
    """Return an argument with every node replaced by `fn(node)`.

    Args:
      a: an argument of a node. Tuples, lists, dicts and slices are searched for nodes.
      fn (function): maps a node to its replacement.

    >>> import torchlike as torch
    >>> x = torch.fx.Graph().placeholder("x")
    >>> torch.fx.node.map_arg((x, [1, x]), lambda node: node.name)
    ('x', [1, 'x'])
    """
    return map_aggregate(a, lambda each: fn(each) if isinstance(each, Node) else each)


def map_aggregate(a: Argument, fn: Callable[[Argument], Argument]) -> Argument:
    """Return an argument with every leaf `x` replaced by `fn(x)`. Tuples, lists, dicts and slices are not leaves."""
    if isinstance(a, tuple):
        found = [map_aggregate(each, fn) for each in a]
        return type(a)(*found) if hasattr(a, "_fields") else tuple(found)
    if isinstance(a, list):
        return [map_aggregate(each, fn) for each in a]
    if isinstance(a, dict):
        return {key: map_aggregate(each, fn) for key, each in a.items()}
    if isinstance(a, slice):
        return slice(*(map_aggregate(each, fn) for each in (a.start, a.stop, a.step)))
    return fn(a)


def qualified_name(function: Callable) -> str:
    """Return the name with which generated code refers to a function."""
    from torchlike.overrides import resolve_name

    name = getattr(function, "__name__", None) or type(function).__name__
    if getattr(builtins, name, None) is function:
        return name
    known = resolve_name(function)
    if known is not None:
        return known
    if isinstance(function, types.MethodDescriptorType | types.WrapperDescriptorType):
        return f"{function.__objclass__.__module__}.{function.__objclass__.__name__}.{name}"
    module = {"_operator": "operator"}.get(getattr(function, "__module__", None) or "", function.__module__)
    return f"{module}.{getattr(function, '__qualname__', name)}"


def target_text(target: Target) -> str:
    """Return the text of a target in a printed graph."""
    if isinstance(target, str):
        return target
    name = qualified_name(target)
    return f"builtins.{name}" if "." not in name else name


def type_text(kind: Any) -> str:
    """Return the text of an annotation in generated code."""
    if not isinstance(kind, type) or kind.__module__ == "builtins":
        return getattr(kind, "__name__", None) or str(kind)
    return f"{kind.__module__}.{kind.__qualname__}".replace("torchlike.", "torch.", 1)


def _shown(arg: Argument) -> str:
    if isinstance(arg, tuple):
        return "(" + ", ".join(map(_shown, arg)) + ("," if len(arg) == 1 else "") + ")"
    if isinstance(arg, list):
        return "[" + ", ".join(map(_shown, arg)) + "]"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{key}: {_shown(each)}" for key, each in arg.items()) + "}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


def nodes_in(a: Argument) -> Iterator[Node]:
    """Return an iterator over the nodes in an argument."""
    found: list[Node] = []
    map_arg(a, found.append)
    return iter(found)
