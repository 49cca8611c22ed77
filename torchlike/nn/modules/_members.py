"""Iteration over the parameters, buffers and submodules of a module, and lookup by dotted name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from torchlike import Tensor
from torchlike.nn import _errors
from torchlike.nn.parameter import Parameter

if TYPE_CHECKING:
    from torchlike.nn.modules.module import Module


class Members:
    """The part of `Module` that iterates over and looks up parameters, buffers and submodules."""

    if TYPE_CHECKING:  # at run time, only `Module` declares these; programs inspect its annotations
        _parameters: dict[str, Parameter | None]
        _buffers: dict[str, Tensor | None]
        _modules: dict[str, Module | None]

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield every parameter once, including those of submodules unless `recurse` is false.

        Args:
          recurse: include submodules.
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield (dotted name, parameter) pairs.

        Args:
          prefix: is added to every name, with a dot.
          recurse: include submodules.
          remove_duplicate: yield a shared tensor once, under its first name.

        >>> import torchlike as torch
        >>> [name for name, _ in torch.nn.Linear(2, 3).named_parameters()]
        ['weight', 'bias']
        """
        yield from self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield every buffer once, including those of submodules unless `recurse` is false.

        Args:
          recurse: include submodules.
        """
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield (dotted name, buffer) pairs, including non-persistent buffers.

        Args:
          prefix: is added to every name, with a dot.
          recurse: include submodules.
          remove_duplicate: yield a shared tensor once, under its first name.
        """
        yield from self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def _named_members(
        self,
        get_members_fn: Callable[[Any], Iterable[tuple[str, Any]]],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        holders = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for holder_name, holder in holders:
            for name, member in get_members_fn(holder):
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield _join(holder_name, name), member

    def children(self) -> Iterator[Module]:
        """Yield every direct submodule once."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield (name, module) for every direct submodule. A shared submodule is yielded under its first name only."""
        seen: set[Any] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Yield this module and all its submodules, parents before children.

        Args:
          remove_duplicate: yield a shared module once.
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Yield (dotted name, module) for this module and all its submodules, parents before children.

        Args:
          memo: a set of modules to leave out. Modules that were yielded are added.
          prefix: the name of this module.
          remove_duplicate: yield a shared module once, under its first name.

        >>> import torchlike as torch
        >>> [name for name, _ in torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh()).named_modules()]
        ['', '0', '1']
        """
        seen: Any = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(seen, _join(prefix, name), remove_duplicate)

    # --- by dotted name ---

    def get_submodule(self, target: str) -> Any:
        """Return the submodule with the dotted name `target`. The empty name returns this module.

        Args:
          target: the name, for example "encoder.layers.0".

        Raises:
          AttributeError: a part of the name does not exist or is not a module.
        """
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise _errors.module_has_no_attribute(module, name)
            module = getattr(module, name)
            if not _is_module(module):
                raise _errors.attribute_is_not(name, "an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Set the submodule with the dotted name `target`. With `strict` the name must exist already.

        Args:
          target: the name, for example "encoder.layers.0".
          module: the new submodule.
          strict: raise AttributeError if the name does not exist.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not _is_module(module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise _errors.module_has_no_attribute(parent, name)
        if hasattr(parent, name) and not _is_module(getattr(parent, name)):
            raise _errors.attribute_is_not(name, "an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter with the dotted name `target`.

        Args:
          target: the name, for example "layers.0.weight".

        Raises:
          AttributeError: a part of the name does not exist, or the last part is not a parameter.
        """
        holder, name = self._holder_of(target)
        found = getattr(holder, name)
        if not isinstance(found, Parameter):
            raise _errors.attribute_is_not(name, "an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer with the dotted name `target`.

        Args:
          target: the name, for example "layers.0.running_mean".

        Raises:
          AttributeError: a part of the name does not exist, or the last part is not a buffer.
        """
        holder, name = self._holder_of(target)
        if name not in holder._buffers:
            raise _errors.attribute_is_not(name, "a buffer")
        return getattr(holder, name)

    def _holder_of(self, target: str) -> tuple[Any, str]:
        path, _, name = target.rpartition(".")
        holder = self.get_submodule(path)
        if not hasattr(holder, name):
            raise _errors.module_has_no_attribute(holder, name)
        return holder, name

    def _replicate_for_data_parallel(self) -> Any:
        """Return a module with the same attributes, without parameters and with its own dictionaries of members."""
        bare = type(self).__new__(type(self))
        own = {"_parameters": {}, "_buffers": {**self._buffers}, "_modules": {**self._modules}, "_is_replica": True}
        vars(bare).update({**vars(self), **own})
        return bare


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _is_module(value: Any) -> bool:
    from torchlike.nn.modules.module import Module  # that module imports this one

    return isinstance(value, Module)
