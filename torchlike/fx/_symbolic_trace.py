"""Symbolic tracing: a function or module is called once, with proxies as its arguments."""

from __future__ import annotations

import contextlib
import inspect
import math
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import torchlike
from torchlike._errors.callers import module_of_caller
from torchlike.nn import Module, Sequential

from . import _errors, _replaced
from ._concrete import _assert_is_none as _assert_is_none
from ._concrete import specialized
from ._replaced import Replaced
from .graph import Graph
from .graph_module import GraphModule
from .node import Argument
from .proxy import TracerBase

_STARS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
_one_at_a_time = threading.RLock()


def _plain_tensors(module: Module, prefix: str) -> dict[int, str]:
    """Return the dotted names, by identity, of the tensors that are ordinary attributes of a module or its children."""
    found = {id(t): prefix + name for name, t in vars(module).items() if isinstance(t, torchlike.Tensor)}
    for name, child in module.named_children():
        found |= _plain_tensors(child, f"{prefix}{name}.")
    return found


class Tracer(TracerBase):
    """A tracer that records the operations on the arguments of a function or module.

    A call of a leaf module becomes a single node. Calls of other modules are traced into. Subclasses may override
    `is_leaf_module`, `call_module` or `create_arg`. Each use of a buffer creates a node; if a subclass sets
    `proxy_buffer_attributes` to True, operations on buffers are recorded too.

    Args:
      autowrap_modules (tuple of modules): calls of their public functions become single nodes. Default: `(math,)`.
      autowrap_functions (tuple of functions): calls of these functions become single nodes.
      param_shapes_constant: must be False. The shapes of parameters are always constants.

    Raises:
      NotImplementedError: `param_shapes_constant` is True.

    >>> import torchlike as torch
    >>> torch.fx.Tracer().trace(lambda x: torch.relu(x)).nodes
    [x, relu, output]
    """

    root: Module
    proxy_buffer_attributes = False

    def __init__(
        self, autowrap_modules: tuple = (math,), autowrap_functions: tuple = (), param_shapes_constant: bool = False
    ) -> None:
        if param_shapes_constant:
            raise _errors.cannot("fx.Tracer(param_shapes_constant=True)", "shapes are always constants")
        self._spaces = [vars(m) for m in autowrap_modules]
        public = [f for space in self._spaces for name, f in space.items() if callable(f) and not name.startswith("_")]
        self._whole = [*public, *autowrap_functions]
        self._calls: dict[str, int] = {}  # the number of calls of each module

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Return whether the call of a module becomes one node.

        By default, the leaf modules are torchlike's own modules, except `Sequential` and `GraphModule`.

        Args:
          m (Module): the module.
          module_qualified_name (str): its dotted name. It has no effect here, and subclasses may use it.
        """
        own = type(m).__module__.partition(".")[0] in ("torch", "torchlike")
        return own and not isinstance(m, Sequential | GraphModule)

    def path_of_module(self, mod: Module) -> str:
        """Return the dotted name of a module within the root.

        Args:
          mod (Module): the module.

        Raises:
          NameError: the root does not contain it.
        """
        for name, found in self.root.named_modules():
            if found is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m: Module, forward: Callable, args: tuple, kwargs: dict) -> Any:
        """Return the result of a module call: a proxy for a leaf module, otherwise the result of tracing `forward`.

        Args:
          m (Module): the module.
          forward (function): calls the module.
          args, kwargs: the arguments of the call.
        """
        path = self.path_of_module(m)
        before, count = self.module_stack, self._calls.get(path, 0)
        self._calls[path] = count + 1
        self.module_stack = {**before, f"{path}@{count}" if count else path: (path, type(m))}
        try:
            if self.is_leaf_module(m, path):
                return self.create_proxy("call_module", path, args, kwargs)
            return forward(*args, **kwargs)
        finally:
            self.module_stack = before

    def create_arg(self, a: Any) -> Argument:
        """Convert an argument as `TracerBase.create_arg` does.

        Tensors and modules of the root become `get_attr` nodes.

        Args:
          a: the argument, which may be nested.

        Raises:
          NotImplementedError: nodes cannot store an argument of this type.
        """
        if isinstance(a, torchlike.Tensor):
            return self.create_node("get_attr", self._name_of(a), (), {})
        if isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        return super().create_arg(a)

    def _name_of(self, tensor: torchlike.Tensor) -> str:
        found = self._tensors.get(id(tensor))
        if found is None:  # store a constant as an attribute of the root
            taken = [name for name in vars(self.root) if name.startswith("_tensor_constant")]
            found = self._tensors[id(tensor)] = f"_tensor_constant{len(taken)}"
            setattr(self.root, found, tensor)
        return found

    def trace(self, root: Module | Callable, concrete_args: dict | None = None) -> Graph:
        """Trace a module's `forward` or a function, and return the graph.

        Args:
          root (Module or function): the object to trace.
          concrete_args (dict, optional): constant values of arguments by name. The graph keeps a placeholder for each
            of them, and asserts that the argument equals the value. `fx.PH` stands for an argument without a value.

        Raises:
          TraceError: the function needs the value of a proxy, for example in a branch.
        """
        is_module = isinstance(root, Module)
        self.root = root if is_module else Module()
        function: Any = type(root).forward if is_module else root
        self.graph = Graph(tracer_cls=type(self))
        self._calls = {}
        state = [*self.root.named_parameters(), *self.root.named_buffers()]
        self._tensors = _plain_tensors(self.root, "") | {id(t): name for name, t in state}
        with _one_at_a_time, self._followed(function):
            called, args = self._placeholders(function, is_module, concrete_args or {})
            result = called(*args)
            kind = getattr(function, "__annotations__", {}).get("return")
            self.create_node("output", "output", (self.create_arg(result),), {}, type_expr=_type(kind))
        return self.graph

    def _placeholders(self, function: Callable, is_module: bool, concrete: dict) -> tuple[Callable, list]:
        """Return a function and the arguments with which to call it by position.

        The parameters `*args` and `**kwargs` get one proxy each.
        """
        parameters = list(inspect.signature(function).parameters.values())[is_module:]
        args: list = [self.root] if is_module else []
        for p in sorted(parameters, key=lambda p: len(_STARS.get(p.kind, ""))):
            default = () if p.default is p.empty or p.kind in _STARS else (p.default,)
            if p.name in concrete:
                args.append(specialized(self, p.name, default, concrete[p.name]))
                continue
            target = _STARS.get(p.kind, "") + p.name
            args.append(self.create_proxy("placeholder", target, default, {}, type_expr=_type(p.annotation)))
        if not any(p.kind in _STARS or p.kind is p.KEYWORD_ONLY for p in parameters):
            return function, args
        return _by_position(inspect.unwrap(function), len(args)), args

    @contextlib.contextmanager
    def _followed(self, function: Any) -> Iterator[None]:
        """Record this thread's module calls and reads of the root's tensors within the block.

        Functions that the tracer wraps are replaced by their wrappers.
        """
        call, get = Module.__call__, Module.__getattr__
        tracer, read, follows = self, {}, threading.get_ident()

        def module_call(mod: Module, *args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() != follows:
                return call(mod, *args, **kwargs)
            replaced.look_into(_globals(mod.forward))
            return tracer.call_module(mod, lambda *a, **k: call(mod, *a, **k), args, kwargs)

        def module_get(mod: Module, name: str) -> Any:
            found = get(mod, name)
            is_read = isinstance(found, torchlike.nn.Parameter) or tracer.proxy_buffer_attributes
            is_other = not is_read or id(found) not in tracer._tensors or not isinstance(found, torchlike.Tensor)
            if is_other or threading.get_ident() != follows:
                return found
            if id(found) not in read:
                read[id(found)] = tracer.create_proxy("get_attr", tracer._tensors[id(found)], (), {})
            return read[id(found)]

        replaced = Replaced(self._whole)
        kind: Any = Module
        try:
            kind.__call__, kind.__getattr__ = module_call, module_get
            replaced.replace_wrapped()
            for space in (_globals(function), *self._spaces):
                replaced.look_into(space)
            yield
        finally:
            Module.__call__, Module.__getattr__ = call, get
            replaced.put_back()


def _globals(function: Any) -> dict[str, Any]:
    return getattr(inspect.unwrap(function), "__globals__", {})


def _by_position(function: Any, count: int) -> Callable:
    """Return a function whose keyword-only, `*args` and `**kwargs` parameters are passed by position."""
    code = function.__code__
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    code = code.replace(co_flags=flags, co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0)
    return types.FunctionType(code, function.__globals__, function.__name__, None, function.__closure__)


def _type(annotation: Any) -> Any:
    return None if annotation is inspect.Parameter.empty else annotation


def wrap(fn_or_name: str | Callable) -> str | Callable:
    """Register a function of the calling module, so that tracers record its calls as single nodes.

    Use it at the top level of the module, as a decorator or with the function's name.

    Args:
      fn_or_name (function or str): the function or its name.

    Returns:
      `fn_or_name`.

    Raises:
      RuntimeError: `fn_or_name` is neither callable nor a string.
      NotImplementedError: the call is not at the top level of a module.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    space = module_of_caller()
    if space is None:
        raise NotImplementedError("wrap must be called at the top level of a module")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    _replaced.wrap(space, name)
    return fn_or_name


def symbolic_trace(root: Module | Callable, concrete_args: dict | None = None) -> GraphModule:
    """Trace a module or function, and return a `GraphModule` that performs the recorded operations.

    Args:
      root (Module or function): the object to trace. It is called once, with proxies.
      concrete_args (dict, optional): constant values of arguments by name. The result keeps their parameters, and
        asserts that the arguments equal the values. `fx.PH` stands for an argument that is not constant.

    Raises:
      TraceError: the function needs the value of a proxy, for example in a branch.

    Differences from PyTorch: a container in `concrete_args` is one parameter, and not checked. PyTorch flattens it.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> print(traced.code.strip())
    def forward(self, x):
        relu = torch.relu(x);  x = None
        add = relu + 1;  relu = None
        return add
    >>> traced(torch.tensor([-1.0, 2.0]))
    tensor([1., 3.])
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
