"""Traced and loaded modules and functions."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torchlike
from torchlike import _errors
from torchlike._engine.report import log
from torchlike.jit._frozen import FrozenModule
from torchlike.jit._scripting import converted, failed
from torchlike.utils import _pytree as pytree

if TYPE_CHECKING:
    from torchlike.export._program import ExportedProgram
    from torchlike.export._shapes import Sizes
    from torchlike.jit._trace import Trace


class ScriptModule(torchlike.nn.Module):
    """The base class of scripted, traced and loaded modules. Programs can subclass it, with `script_method`s.

    Args:
      args, kwargs: as for `nn.Module`, which takes none.

    >>> import torchlike as torch
    >>> isinstance(torch.jit.trace(torch.nn.ReLU(), torch.ones(2)), torch.jit.ScriptModule)
    True
    """

    _is_program = False  # whether the module cannot be copied and saved by its attributes
    _shows_names = False  # whether `repr` shows the names of the original classes

    def programs(self) -> list[ExportedProgram]:
        """Return the programs of the module. The first one that takes the sizes of a call runs it."""
        raise _errors.arguments.no_torchscript("programs")

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """Write the module to a file, as `torch.jit.save` does.

        Args:
          f: a path, or a file that is open for writing bytes.
          _extra_files: further files of the archive: names to strings or bytes.
        """
        from torchlike.jit import _files

        if self._is_program:
            _files.save(self, f, _extra_files)
        else:
            _files.save_script(self, f, _extra_files)

    def save_to_buffer(self, _extra_files: Any = None) -> bytes:
        """Return the file of `save` as bytes."""
        import io

        file = io.BytesIO()
        self.save(file, _extra_files)
        return file.getvalue()

    @property
    def graph(self) -> Any:
        """The operators of the first program as a graph of `torch.fx`, or None for a loaded module."""
        return self.programs()[0].graph

    @property
    def code(self) -> str:
        """The operators of the first program, as the text of a function."""
        return self.programs()[0].code

    def __repr__(self) -> str:
        if not self._shows_names:
            return super().__repr__()
        return _shown(self, self.original_name, type(self).__name__ == "RecursiveScriptModule")

    @property
    def original_name(self) -> str:
        """The name of the class."""
        return self.__dict__.get("original_name", type(self).__name__)


def _shown(module: Any, original: str, is_loaded: bool) -> str:
    inner = []
    for name, part in module._modules.items():
        kind = getattr(part, "original_name", None) or type(part).__name__
        inner.append(f"  ({name}): " + _shown(part, kind, is_loaded).replace("\n", "\n  "))
    own = "RecursiveScriptModule" if is_loaded else original
    if not inner:
        return f"{own}(original_name={original})"
    return f"{own}(\n  original_name={original}\n" + "\n".join(inner) + "\n)"


def _small(leaf: Any) -> Any:
    """Return a tensor of the same shape, dtype and device that needs no memory. Return any other object itself."""
    if not isinstance(leaf, torchlike.Tensor):
        return leaf
    return torchlike.zeros((), dtype=leaf.dtype, device=leaf.device).expand(leaf.shape)


class TopLevelTracedModule(ScriptModule):
    """A module that `torch.jit.trace` returned. It shares parameters and buffers with the module that was traced.

    A call runs the forward of that module as in the trace: with its training mode, its attributes, and its answers
    wherever a tensor or a size became a Python value.

    Args:
      source: the module.
      trace: its trace.
      args, kwargs: the example inputs.
    """

    _is_program = _shows_names = True

    def __init__(self, source: Any, trace: Trace, args: tuple, kwargs: dict) -> None:
        own = self.__dict__
        own.update(torchlike.nn.Module().__dict__)
        own.update({name: source.__dict__[name] for name in ("_parameters", "_buffers", "_modules", "training")})
        own["_non_persistent_buffers_set"] = source._non_persistent_buffers_set
        own["_source"], own["_example"] = source, pytree.tree_map(_small, (args, kwargs))
        own["_trains"] = [(part, part.training) for part in _parts_of(trace)]
        own["_trace"] = trace
        own["original_name"] = type(source).__name__

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the forward of the traced module as in the trace."""
        from torchlike.jax._functional import training

        with training(self._trains):
            return converted(self._trace, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            source = self.__dict__.get("_source")
            if source is None or name.startswith("__") or not hasattr(source, name):
                raise
            return getattr(source, name)

    def __deepcopy__(self, memo: dict) -> TopLevelTracedModule:
        made = copy.copy(self._trace)
        is_module = isinstance(made.frozen, FrozenModule)
        source = copy.deepcopy(made.frozen.module, memo) if is_module else self._source
        made.frozen = FrozenModule(source) if is_module else made.frozen
        found = TopLevelTracedModule(source, made, *self._example)
        found.__dict__["original_name"] = self.original_name
        return found

    def programs(self) -> list[ExportedProgram]:
        """Return the exported programs: one for sizes that vary, if there are any, and one for those of the example."""
        return list(_exported(_Replayed(self), self._trains, *self._example))

    def train(self, mode: bool = True) -> TopLevelTracedModule:
        """Set `training` and return self. Neither calls nor the traced module change: the trace fixed the mode.

        Args:
          mode: the new value.
        """
        self.__dict__["training"] = mode
        return self


def _parts_of(trace: Trace) -> list:
    return [*trace.frozen.module.modules()] if isinstance(trace.frozen, FrozenModule) else []


class _Replayed(torchlike.nn.Module):
    """The traced module for the export: it has the same parameters and buffers, and its forward repeats the trace."""

    def __init__(self, traced: TopLevelTracedModule) -> None:
        super().__init__()
        self.__dict__.update({name: traced.__dict__[name] for name in ("_parameters", "_buffers", "_modules")})
        self.__dict__["_non_persistent_buffers_set"] = traced._non_persistent_buffers_set
        self.__dict__["forward"] = _like(traced._source.forward, traced._trace)


def _like(forward: Callable, trace: Trace) -> Callable:
    """Return the trace as a function with the signature of forward."""

    @functools.wraps(forward)
    def call(*args: Any, **kwargs: Any) -> Any:
        return trace(*args, **kwargs)

    return call


def _exported(source: Any, trains: list, args: tuple, kwargs: dict) -> Iterator[ExportedProgram]:
    from torchlike.export._export import exported_at
    from torchlike.export._search import varying
    from torchlike.export._shapes import Sizes
    from torchlike.jax._functional import training

    with training(trains):
        sizes = varying(source, args, kwargs)
        shapes = [tuple(leaf.shape) for leaf in pytree.tree_leaves((args, kwargs)) if hasattr(leaf, "shape")]
        wide = None
        for chosen in (sizes, _only_first(sizes)) if sizes.dims else ():
            try:
                wide = exported_at(source, args, kwargs, chosen)
            except Exception as error:  # a kernel or a formula refuses these dims; the next choice has fewer
                log.logger.debug("a traced module is not exported for %s", list(chosen.dims), exc_info=error)
                continue
            yield wide
            break
        if wide is None or any(n < 2 for shape in shapes for n in shape):
            yield exported_at(source, args, kwargs, Sizes({}, shapes, {}))


def _only_first(sizes: Sizes) -> Sizes:
    """Return the sizes in which only first dims vary."""
    from torchlike.export._shapes import Sizes

    names = {shape[0] for shape in sizes.shapes if shape and isinstance(shape[0], str)}
    shapes = [tuple(n if n in names or not isinstance(n, str) else sizes.given[n] for n in s) for s in sizes.shapes]
    return Sizes({n: sizes.dims[n] for n in names}, shapes, {n: sizes.given[n] for n in names})


class RecursiveScriptModule(ScriptModule):
    """A module that `torch.jit.load` returned. It runs exported programs.

    Args:
      programs: the programs. A call runs the first one that accepts its sizes.
      parts: for each submodule, by its path, the name of its original class and its training mode.
    """

    _is_program = _shows_names = True

    def __init__(self, programs: list[ExportedProgram], parts: dict[str, tuple[str, bool]]) -> None:
        from torchlike.export._module import ExportedModule

        super(ScriptModule, self).__init__()
        first: Any = programs[0].module()
        own = self.__dict__
        own.update({name: first.__dict__[name] for name in ("_parameters", "_buffers", "_modules")})
        own["_runs"] = [
            first,
            *(ExportedModule.over(first, each) for each in programs[1:]),
        ]
        own["_programs"] = programs
        for path, (name, mode) in parts.items():
            part = _part(self, path)
            part.__dict__["original_name"], part.training = name, mode

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the first program that takes the sizes of the inputs.

        Raises:
          ValueError: the inputs have another structure or dtype.
          RuntimeError: no program takes these sizes.
        """
        refused: AssertionError | None = None
        for run in self._runs:
            try:
                return run(*args, **kwargs)
            except AssertionError as error:
                refused = error
        raise failed(f"RuntimeError: {refused}")

    def programs(self) -> list[ExportedProgram]:
        """Return the exported programs."""
        return self._programs


def _part(module: torchlike.nn.Module, path: str) -> torchlike.nn.Module:
    """Return a module inside another one. Make it if it is missing, and place it last."""
    for name in path.split(".") if path else ():
        inner = module._modules.pop(name, None) or torchlike.nn.Module()
        module._modules[name] = inner
        module = inner
    return module


class ScriptFunction:
    """A function that `torch.jit.trace` returned. TorchScript's compiler is not supported: the constructor raises.

    Args:
      args, kwargs: not used.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.no_torchscript("ScriptFunction")


class TracedFunction(ScriptFunction):
    """A traced function. Calls repeat the trace."""

    def __init__(self, function: Callable, trace: Trace, args: tuple, kwargs: dict) -> None:
        functools.update_wrapper(self, function)
        self._module = TopLevelTracedModule(_Function(function), trace, args, kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._module(*args, **kwargs)

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """Write the function to a file (see `ScriptModule.save`)."""
        self._module.save(f, _extra_files)

    def save_to_buffer(self, _extra_files: Any = None) -> bytes:
        """Return the file of `save` as bytes."""
        return self._module.save_to_buffer(_extra_files)

    @property
    def graph(self) -> Any:
        """The operators as a graph of `torch.fx`."""
        return self._module.graph

    @property
    def code(self) -> str:
        """The operators, as the text of a function."""
        return self._module.code


class _Function(torchlike.nn.Module):
    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.__dict__.update(forward=function, function=function)
