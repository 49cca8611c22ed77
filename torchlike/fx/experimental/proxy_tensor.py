"""`make_fx`, which runs a function and returns the graph of the ATen operators that ran."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Mapping
from typing import Any

import torchlike
from torchlike import fx
from torchlike._dtypes.recorder import enter, leave
from torchlike._internal import _errors
from torchlike.fx.experimental._recording import GraphRecorder, watching
from torchlike.utils import _pytree as pytree

_open: list[GraphRecorder] = []


def get_proxy_mode() -> Any:
    """Return the mode of the `make_fx` call that is recording, or None."""
    return _open[-1] if _open else None


def make_fx(
    f: Callable,
    decomposition_table: Mapping[Any, Callable] | None = None,
    tracing_mode: str = "real",
    _allow_non_fake_inputs: bool = False,
    *,
    pre_dispatch: bool = False,
    record_module_stack: bool = False,
    _allow_fake_constant: bool = False,
    _error_on_data_dependent_ops: bool = True,
) -> Callable[..., fx.GraphModule]:
    """Return a function that runs `f` on its arguments and returns a graph of the ATen operators that ran.

    Gradients within `f` are recorded, and random operators sample anew in every call of the graph. Branches on data
    and sizes are fixed. A slice that reaches the end of a dim of the example reaches the end of larger dims too.
    Operators without an ATen name, such as most gradients, are nodes that call torchlike.

    Args:
      f: a function of tensors and pytrees of tensors.
      decomposition_table: for ATen operators, such as `torch.ops.aten.addmm.default`, the functions that replace them.
      tracing_mode: "real". The modes "fake" and "symbolic" are not supported.
      pre_dispatch, record_module_stack: not supported unless False.
      _allow_non_fake_inputs, _allow_fake_constant, _error_on_data_dependent_ops: PyTorch's settings for fake tensors,
        which the mode "real" does not use.

    >>> import torchlike as torch
    >>> from torchlike.fx.experimental.proxy_tensor import make_fx
    >>> graph = make_fx(lambda x: x.sin() + 1)(torch.zeros(2))
    >>> [str(node.target) for node in graph.graph.nodes]
    ['x_1', 'aten.sin.default', 'aten.add.Tensor', 'output']
    >>> graph(torch.zeros(2))
    tensor([1., 1.])
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise AssertionError(f"tracing_mode must be 'real', 'fake', or 'symbolic', got {tracing_mode}")
    if tracing_mode != "real":
        raise _errors.arguments.cannot(f"make_fx(tracing_mode={tracing_mode!r})", "use tracing_mode='real'")
    for name, value in {"pre_dispatch": pre_dispatch, "record_module_stack": record_module_stack}.items():
        if value:
            raise _errors.arguments.unsupported("make_fx", name)

    @functools.wraps(f)
    def wrapped(*args: Any) -> fx.GraphModule:
        table, names = decomposition_table or {}, _names(f, len(args))
        example = pytree.tree_map(_copy, args) if table else args
        made = _traced(f, args, names, _reached(f))
        return _decomposed(made, example, names, table) if table else made

    return wrapped


def _copy(leaf: Any) -> Any:
    if not isinstance(leaf, torchlike.Tensor):
        return leaf
    return leaf.detach().clone().requires_grad_(leaf.requires_grad)


def _based(leaf: Any) -> Any:
    """Return an argument with memory of its own: views of one memory would be one node."""
    return _copy(leaf) if isinstance(leaf, torchlike.Tensor) and leaf._chain is not None else leaf


class _Decomposing(fx.Interpreter):
    """An interpreter that runs the functions of a table in place of ATen operators."""

    def __init__(self, module: fx.GraphModule, table: Mapping) -> None:
        super().__init__(module)
        self.table, self.kept = table, set()

    def call_function(self, target: Any, args: tuple, kwargs: dict) -> Any:
        """Run a function, or its decomposition unless that returns NotImplemented."""
        found = self.table[target](*args, **kwargs) if target in self.table else NotImplemented
        if found is NotImplemented:
            self.kept.add(target)
            return super().call_function(target, args, kwargs)
        return found


def _decomposed(made: fx.GraphModule, example: Any, names: list[str], table: Mapping) -> fx.GraphModule:
    """Return the graph after replacing operators, also those within the replacements, until none is left."""
    kept: set = set()
    while any(node.op == "call_function" and node.target in table.keys() - kept for node in made.graph.nodes):
        runner = _Decomposing(made, table)
        known = [x for x in vars(made).values() if isinstance(x, torchlike.Tensor)]
        name = type(made).__name__
        with torchlike.random.fork_rng():
            args = pytree.tree_map(_copy, example)
            made = _traced(runner.run, args, names, [*known, *made.parameters(), *made.buffers()])
        type(made).__name__, kept = name, kept | runner.kept
    return made


def _traced(f: Callable, args: tuple, names: list[str], known: list) -> fx.GraphModule:
    recorder = GraphRecorder(known)
    args = pytree.tree_map(_based, args)
    for name, arg in zip(names, args):
        _placeholder(recorder, name, arg)
    enter(recorder)
    _open.append(recorder)
    try:
        with watching(recorder):
            leaves, tree = pytree.tree_flatten(f(*args))
            tensors = [recorder.node(x._pair()[0]) if isinstance(x, torchlike.Tensor) else x for x in leaves]
    finally:
        _open.pop()
        leave(recorder)
    recorder.graph.output(pytree.tree_unflatten(tensors, tree))
    _drop_unused(recorder.graph)
    return fx.GraphModule(recorder.root, recorder.graph, getattr(f, "__name__", type(f).__name__))


def _drop_unused(graph: fx.Graph) -> None:
    for node in reversed(list(graph.nodes)):
        if node.op == "get_attr" and not node.users:
            graph.erase_node(node)


def _names(f: Callable, count: int) -> list[str]:
    """Return the names of the placeholders: those of the parameters of a plain function."""
    code = getattr(inspect.unwrap(f), "__code__", None) if not isinstance(f, torchlike.nn.Module) else None
    own = list(code.co_varnames[: code.co_argcount]) if code is not None else []
    if inspect.ismethod(f):
        own = own[1:]
    return [f"{own[i]}_1" if i < len(own) else f"arg{i}_1" for i in range(count)]


def _placeholder(recorder: GraphRecorder, name: str, arg: Any) -> None:
    """Add a placeholder for an argument, and a node for each tensor in it."""
    node = recorder.graph.placeholder(name)
    for path, leaf in pytree.tree_flatten_with_path(arg)[0]:
        if not isinstance(leaf, torchlike.Tensor):
            continue
        found = node
        for key in path:
            found = recorder.graph.call_function(operator.getitem, (found, getattr(key, "key", getattr(key, "idx", 0))))
        recorder.hold(leaf._pair()[0], found)


def _reached(f: Any) -> list:
    """Return the tensors that a function refers to directly or through modules."""
    inner = inspect.unwrap(f) if callable(f) else f
    cells = [cell.cell_contents for cell in getattr(inner, "__closure__", None) or () if _is_filled(cell)]
    names = getattr(getattr(inner, "__code__", None), "co_names", ())
    space = getattr(inner, "__globals__", {})
    found: list = []
    for each in (f, getattr(f, "__self__", None), *cells, *(space[name] for name in names if name in space)):
        if isinstance(each, torchlike.nn.Module):
            found += [*each.parameters(), *each.buffers()]
        elif isinstance(each, torchlike.Tensor):
            found.append(each)
    return found


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
