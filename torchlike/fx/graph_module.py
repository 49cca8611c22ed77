"""`GraphModule`: a module whose `forward` is generated from a graph."""

from __future__ import annotations

import copy
import linecache
from typing import Any

from torchlike.nn import Module

from . import _errors
from .graph import Graph, PythonCode

_files = iter(range(1 << 62))
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"

_KEPT_IN_COPIES = frozenset(
    ("_parameters", "_buffers", "_modules", "meta")
    + ("_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")
)


class GraphModule(Module):
    """A module generated from a graph, with the submodules and tensors of `root` that the graph uses.

    Args:
      root: a module, or a dict from dotted names to modules and tensors.
      graph: the graph. Call `recompile()` after changing it in place.
      class_name: the name of the module's class. Default: "GraphModule".
      *args, **kwargs: the arguments above, or those of a subclass with a constructor of its own.

    >>> import torchlike as torch
    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> y = graph.output(graph.call_function(torch.relu, (x,)))
    >>> torch.fx.GraphModule(torch.nn.Module(), graph)(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        class GraphModuleImpl(next(c for c in cls.__mro__ if "_generated" not in vars(c))):
            _generated = True

        GraphModuleImpl.__module__ = GraphModule.__module__
        return object.__new__(GraphModuleImpl)

    def __init__(self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        type(self).__name__ = class_name
        if isinstance(root, Module) and hasattr(root, "training"):
            self.training = root.training
        self.meta: dict[str, Any] = {}
        self.shape_env: Any = None
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module"):
                _copy_attr(root, self, str(node.target))
        self.graph = graph

    @property
    def graph(self) -> Graph:
        """The graph. Assigning another graph recompiles the code."""
        return self._graph

    @graph.setter
    def graph(self, given: Graph) -> None:
        self._graph, given.owning_module = given, self
        self.recompile()

    @property
    def code(self) -> str:
        """The generated code of `forward`."""
        return self._code

    def recompile(self) -> PythonCode:
        """Generate `forward` again from the current graph."""
        made = self._graph.python_code("self")
        self._code, name = made.src, f"<eval_with_key>.{next(_files)}"
        space = dict(made.globals)
        exec(compile(made.src, name, "exec"), space)
        linecache.cache[name] = (len(made.src), None, made.src.splitlines(keepends=True), name)
        type(self).forward = space["forward"]
        return made

    def print_readable(
        self,
        print_output: bool = True,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        *,
        fast_sympy_print: bool = False,
        expanded_def: bool = False,
        additional_meta: list[str] | None = None,
    ) -> str:
        """Return the code as a class, with the code of submodules that are graphs as inner classes.

        Args:
          print_output (bool): whether to print it too.
          include_stride (bool): whether annotations show strides.
          include_device (bool): whether annotations show devices.
          colored (bool): whether the code has escape sequences for colors.
          fast_sympy_print (bool): has no effect: sizes are never symbolic.
          expanded_def (bool): whether each argument has its own line.
          additional_meta (list of str, optional): the names of further metadata for the comments.
        """
        options = {
            "include_stride": include_stride,
            "include_device": include_device,
            "colored": colored,
            "expanded_def": expanded_def,
            "additional_meta": additional_meta,
        }
        text = self._readable(type(self).__name__, options)
        if print_output:
            print(text)
        return text

    def _readable(self, name: str, options: dict[str, Any]) -> str:
        code = self._graph.python_code("self", verbose=True, **options).src
        options = {**options, "expanded_def": False}  # in inner classes, PyTorch keeps the arguments on one line
        inner = [m._readable(key, options) for key, m in self.named_children() if isinstance(m, GraphModule)]
        parts = [code.strip(), *(part.rstrip("\n") for part in inner)]
        body = "\n\n".join(parts)
        return f"class {name}(torch.nn.Module):\n" + "".join(
            f"    {line}\n" if line.strip() else "\n" for line in body.splitlines()
        )

    def add_submodule(self, target: str, m: Module) -> bool:
        """Add a submodule, and return True.

        Args:
          target (str): the dotted name. Missing parents are created.
          m (Module): the submodule.
        """
        _place(self, target, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Delete a submodule, and return whether it existed.

        Args:
          target (str): the dotted name.
        """
        owner: Any = self
        *path, name = target.split(".")
        for part in path:
            owner = getattr(owner, part, None)
        if not isinstance(getattr(owner, name, None), Module):
            return False
        delattr(owner, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Delete the submodules that the graph does not use."""
        used = {str(node.target) for node in self._graph.nodes if node.op in ("get_attr", "call_module")}
        for name, _ in list(self.named_modules()):
            if name and not any(
                f"{each}.".startswith(f"{name}.") or f"{name}.".startswith(f"{each}.") for each in used
            ):
                self.delete_submodule(name)

    def __deepcopy__(self, memo: dict) -> GraphModule:
        made = memo[id(self)] = type(self).__new__(type(self))
        root = Module()
        vars(root).update(copy.deepcopy(vars(self), memo))
        GraphModule.__init__(made, root, vars(root)["_graph"])
        vars(made).update({name: value for name, value in vars(root).items() if name in _KEPT_IN_COPIES})
        for name, value in made.meta.get(_USER_PRESERVED_ATTRIBUTES_KEY, {}).items():
            setattr(made, name, value)
        return made

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, self._graph)
        made.meta = self.meta
        return made

    def __reduce__(self) -> tuple:
        kept = {name: each for name, each in vars(self).items() if name not in ("_graph", "_code")}
        return _again, (kept, self._code)

    def __str__(self) -> str:
        return "\n".join(
            [super().__str__(), self._code, "# To see more debug info, please use `graph_module.print_readable()`"]
        )


def reduce_graph_module(body: dict[Any, Any], import_block: str) -> GraphModule:
    """Raise NotImplementedError. PyTorch's pickled modules name this function; its code would need PyTorch's names.

    Args:
      body, import_block: not used.
    """
    raise _errors.cannot("fx.graph_module.reduce_graph_module", "pickle the module with torchlike")


def _again(kept: dict, code: str, name: str = "GraphModule") -> GraphModule:
    """Rebuild a module from its pickled attributes and code. The graph is rebuilt by tracing the code."""
    from ._symbolic_trace import Tracer

    class Whole(Tracer):
        def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
            return True

    import torchlike

    space: dict[str, Any] = {"torch": torchlike, "device": torchlike.device, "inf": float("inf"), "nan": float("nan")}
    exec(code, space)
    root = type(name, (Module,), {"forward": space["forward"]})()
    vars(root).update(kept)
    return GraphModule(root, Whole().trace(root), name)


class _CodeOnlyModule(Module):
    """A module whose attributes are the items of a dict."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__ = body


def _copy_attr(from_module: Module | dict[str, Any], to_module: Module, target: str) -> None:
    """Copy the attribute with a dotted name from one module to another."""
    _place(to_module, target, _attribute(from_module, target))


def _attribute(root: Module | dict[str, Any], target: str) -> Any:
    if isinstance(root, dict):
        return root[target]
    found: Any = root
    for part in target.split("."):
        found = getattr(found, part)
    return found


def _place(module: Module, target: str, found: Any) -> None:
    """Set the attribute with a dotted name, and create empty modules for missing parents.

    Tensors become buffers. An existing buffer is kept.
    """
    owner: Any = module
    *path, name = target.split(".")
    for part in path:
        if not hasattr(owner, part):
            setattr(owner, part, Module())
        owner = getattr(owner, part)
    import torchlike

    if isinstance(found, torchlike.Tensor) and not isinstance(found, torchlike.nn.Parameter):
        if name not in owner._buffers:
            owner.register_buffer(name, found)
    else:
        setattr(owner, name, found)
