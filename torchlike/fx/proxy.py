"""Proxies: the symbolic values of a trace. Operations on proxies become nodes of a graph."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import torchlike
from torchlike._errors.callers import unpacked_by_caller
from torchlike._tensor import overriding

from . import _errors, traceback
from .graph import Graph
from .node import Argument, Node, Target

TraceError = _errors.TraceError
_NUMERIC = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
)
_OTHERS = ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "invert", "getitem", "abs")


class TracerBase:
    """The base class of tracers, which create nodes from calls and convert arguments to a form that nodes can store."""

    graph: Graph
    record_stack_traces = False
    module_stack: Mapping[str, tuple[str, type]] = MappingProxyType({})  # the modules whose forward is traced

    def create_node(
        self, kind: str, target: Target, args: tuple, kwargs: dict, name: str | None = None, type_expr: Any = None
    ) -> Node:
        """Create a node of the graph. Subclasses may override this method to change or observe nodes."""
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        if traceback.has_preserved_node_meta():
            traceback.pass_on(node)
        elif self.module_stack:
            node.meta["nn_module_stack"] = OrderedDict(self.module_stack)
        return node

    def proxy(self, node: Node) -> Proxy:
        """Return a proxy for the result of a node."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Target,
        args: tuple,
        kwargs: dict,
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Callable | None = None,
    ) -> Any:
        """Create a node, and return a proxy for its result."""
        args, kwargs = self.create_arg(args), self.create_arg(kwargs)
        node = self.create_node(kind, target, args, kwargs, name, type_expr)
        return (proxy_factory_fn or self.proxy)(node)

    def create_arg(self, a: Any) -> Argument:
        """Convert an argument to a form that nodes can store. Proxies become their nodes."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            found = [self.create_arg(each) for each in a]
            return type(a)(*found) if hasattr(a, "_fields") else tuple(found)
        if isinstance(a, list):
            return [self.create_arg(each) for each in a]
        if isinstance(a, dict):
            return {self.create_arg(key): self.create_arg(each) for key, each in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        plain = int | float | complex | str | bytes | None | type(...) | torchlike.dtype | torchlike.device
        if isinstance(a, plain | torchlike.memory_format | torchlike.layout | type) or callable(a):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def to_bool(self, obj: Proxy) -> bool:
        """Raise an error: a proxy has no value, so a branch cannot depend on it. Subclasses may return a bool."""
        raise _errors.no_flow()

    def iter(self, obj: Proxy) -> Iterator:
        """Raise an error: a proxy has no length, so it cannot be iterated. Subclasses may return an iterator."""
        raise _errors.no_iteration()

    def keys(self, obj: Proxy) -> Any:
        """Return a proxy for the keys for `**obj`. A subclass must override this method to return iterable keys."""
        return Attribute(obj, "keys")()


class Scope:
    """The place of a traced operation: the dotted name and the type of the module whose forward calls it.

    Args:
      module_path (str): the dotted name.
      module_type: the type.
    """

    def __init__(self, module_path: str, module_type: Any) -> None:
        self.module_path, self.module_type = module_path, module_type


class ScopeContextManager:
    """A context manager in which a scope has the place of another one.

    Args:
      scope (Scope): the scope, which is changed.
      current_scope (Scope): the other scope.

    >>> outer, inner = Scope("", None), Scope("layer", None)
    >>> with ScopeContextManager(outer, inner) as found:
    ...     print(found.module_path)
    layer
    """

    def __init__(self, scope: Scope, current_scope: Scope) -> None:
        self._scope = scope
        self._before = Scope(scope.module_path, scope.module_type)
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *_: object) -> None:
        self._scope.module_path, self._scope.module_type = self._before.module_path, self._before.module_type


class GraphAppendingTracer(TracerBase):
    """A tracer that appends nodes to an existing graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph


class Proxy:
    """A symbolic value of a traced function. Its operators, methods and attributes create nodes.

    Args:
      node (Node): the node whose result the proxy stands for.
      tracer (TracerBase, optional): creates the nodes. Default: a tracer that appends nodes to the graph of `node`.

    >>> import torchlike as torch
    >>> x = torch.fx.Proxy(torch.fx.Graph().placeholder("x"))
    >>> torch.relu(x) + 1
    Proxy(add)
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        overriding.look_at_functions()
        self.node = node
        self.tracer = tracer or GraphAppendingTracer(node.graph)

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        if k.startswith("__") and k.endswith("__"):  # Python and `copy` look up these names
            raise AttributeError(k)
        return Attribute(self, k)

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator:
        count = unpacked_by_caller()
        if count is None:
            return self.tracer.iter(self)
        found: Any = self
        return (found[i] for i in range(count))

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __index__(self) -> int:
        raise _errors.no_flow()

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, "
            "please call torch.fx.wrap('len') at module scope"
        )

    def __hash__(self) -> int:
        return id(self)

    def keys(self) -> Any:
        """Return the keys for `**proxy`. See `TracerBase.keys`."""
        return self.tracer.keys(self)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        found = next(each for each in overriding.of((*args, *(kwargs or {}).values())) if isinstance(each, Proxy))
        return found.tracer.create_proxy("call_function", func, args, kwargs or {}, name=func.__name__)


class ParameterProxy(Proxy):
    """A proxy for a parameter, whose shape and number of dims are those of the parameter.

    Args:
      tracer (TracerBase): creates the nodes.
      node (Node): the node that reads the parameter.
      name (str): the name of the parameter.
      param (Parameter): the parameter.
    """

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Any) -> None:
        super().__init__(node, tracer)
        if not isinstance(param, torchlike.nn.Parameter):
            raise AssertionError(f"expected Parameter, got {type(param)}")
        self.param, self.name = param, name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        """The shape of the parameter."""
        return self.param.shape

    def size(self, *args: Any, **kwargs: Any) -> Any:
        """Return the shape of the parameter, or the size of a dim."""
        return self.param.size(*args, **kwargs)

    def dim(self) -> int:
        """Return the number of dims of the parameter."""
        return self.param.dim()

    @property
    def ndim(self) -> int:
        """The number of dims of the parameter."""
        return self.param.ndim

    def numel(self) -> int:
        """Return the number of elements of the parameter."""
        return self.param.numel()

    def nelement(self) -> int:
        """Return the number of elements of the parameter."""
        return self.param.nelement()


class MetaProxy(Proxy):
    """A proxy that carries a meta tensor. Not supported: the constructor raises NotImplementedError.

    Args:
      args, kwargs: not used.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.cannot("fx.proxy.MetaProxy", "find shapes with torch.fx.passes.shape_prop.ShapeProp")


class Attribute(Proxy):
    """An attribute of a proxy. Calling it creates one `call_method` node, without a node for the attribute."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:
        """The node that reads the attribute. It is created at the first access."""
        found = self._node
        if found is None:
            found = self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


def _operator(name: str, turned: bool = False) -> Callable:
    target = getattr(operator, name)

    def call(self: Proxy, *others: Any) -> Proxy:
        return self.tracer.create_proxy("call_function", target, (*others, self) if turned else (self, *others), {})

    return call


for _name in (*_NUMERIC, *_OTHERS):
    setattr(Proxy, f"__{_name.strip('_')}__", _operator(_name))
for _name in _NUMERIC:
    setattr(Proxy, f"__r{_name.strip('_')}__", _operator(_name, turned=True))
