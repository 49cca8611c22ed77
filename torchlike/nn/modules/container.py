"""Containers of modules."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, Self

from torchlike._internal import warn
from torchlike.nn import _errors
from torchlike.nn.modules._holding import pairs_of, place_in
from torchlike.nn.modules.module import Module, _addindent, framed
from torchlike.nn.modules.parameter_container import ParameterDict as ParameterDict
from torchlike.nn.modules.parameter_container import ParameterList as ParameterList

__all__ = ["Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"]


class Container(Module):
    """A container of named modules. Deprecated: subclass `Module` instead. Making one gives a warning.

    Args:
      **kwargs: the modules, by name.

    >>> import torchlike as torch, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     list(torch.nn.Container(a=torch.nn.ReLU())._modules)
    ['a']
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warn(_errors.container_deprecated(), FutureWarning)
        for name, module in kwargs.items():
            self.add_module(name, module)


class _Numbered(Module):
    """The base class of `Sequential` and `ModuleList`: an ordered container, indexed by position."""

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return self._of(list(self._modules.items())[idx])
        return next(islice(self._modules.values(), place_in(len(self), idx), None))

    def _of(self, items: list[tuple[str, Any]]) -> Any:
        raise NotImplementedError

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._name_at(idx), module)

    def __delitem__(self, idx: int | slice) -> None:
        names = list(self._modules)[idx] if isinstance(idx, slice) else [self._name_at(idx)]
        for name in names:
            delattr(self, name)
        self._renumber(list(self._modules.values()))

    def _name_at(self, idx: int) -> str:
        return next(islice(self._modules, place_in(len(self), idx), None))

    def _renumber(self, modules: Iterable[Any]) -> None:
        self._modules = {str(place): module for place, module in enumerate(modules)}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Self:
        """Append a module.

        Args:
          module: the module.

        Returns:
          The container.
        """
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Remove the module or slice at `key` and return it.

        Args:
          key: the position, or a slice.

        Raises:
          IndexError: there is no such position.
        """
        module = self[key]
        del self[key]
        return module


class Sequential(_Numbered):
    """A container that calls its modules in order. Each module receives the output of the previous one.

    Args:
      *args: the modules, or one OrderedDict of named modules.

    Raises:
      TypeError: an argument is not a module.

    >>> import torchlike as torch
    >>> torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for place, module in enumerate(args):
                self.add_module(str(place), module)

    def forward(self, input):
        for module in self:
            input = module(input)
        return input

    def _of(self, items: list[tuple[str, Any]]) -> Sequential:
        return type(self)(OrderedDict(items))

    def __add__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise _errors.sequential_add(type(other))
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Self:
        if not isinstance(other, Sequential):
            raise _errors.sequential_add(type(other))
        return self.extend(other)

    def __mul__(self, other: int) -> Sequential:
        self._check_factor(other)
        return Sequential(*(module for _ in range(other) for module in self))

    def __rmul__(self, other: int) -> Sequential:
        return self * other

    def __imul__(self, other: int) -> Self:
        self._check_factor(other)
        return self.extend([module for _ in range(other - 1) for module in self])

    def _check_factor(self, factor: Any) -> None:
        if not isinstance(factor, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(factor)}")
        if factor <= 0:
            raise ValueError(f"Non-positive multiplication factor {factor} for {type(self)}")

    def insert(self, index: int, module: Module) -> Self:
        """Insert a module before position `index`.

        Args:
          index: the position.
          module: the module.

        Returns:
          The container.

        Raises:
          AssertionError: `module` is not a module.
          IndexError: the position is out of range.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index if index >= 0 else index + len(self), module)
        self._renumber(modules)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Append all modules of an iterable.

        Args:
          sequential: the modules.

        Returns:
          The container.
        """
        for module in list(sequential):
            self.append(module)
        return self


class ModuleList(_Numbered):
    """A list of modules, which are registered as submodules.

    Args:
      modules: an iterable of modules to add.

    >>> import torchlike as torch
    >>> torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(3)])
    ModuleList(
      (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
    )
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def _of(self, items: list[tuple[str, Any]]) -> ModuleList:
        return type(self)([module for _, module in items])

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def extend(self, modules: Iterable[Module]) -> Self:
        """Append all modules of an iterable.

        Args:
          modules: the modules.
        """
        if not isinstance(modules, Iterable):
            raise _errors.extend_needs_iterable("ModuleList", modules)
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> None:
        """Insert a module before position `index`.

        A module that is inserted after the end has the name `index`.

        Args:
          index: the position.
          module: the module.

        Raises:
          KeyError: the position is negative.
        """
        if index < 0:
            raise KeyError("-1")
        count = len(self)
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)
        if index > count:
            self._modules[str(index)] = self._modules.pop(str(count))

    def __repr__(self) -> str:
        """Return the printed form. Consecutive modules with the same printed form appear once, with their count."""
        blocks: list[list[Any]] = []  # [first index, last index, printed form]
        for place, text in enumerate(map(repr, self)):
            if blocks and blocks[-1][2] == text:
                blocks[-1][1] = place
            else:
                blocks.append([place, place, text])
        lines = []
        for first, last, text in blocks:
            label = f"({first}): " if first == last else f"({first}-{last}): {last - first + 1} x "
            lines.append(label + _addindent(text, 2))
        return framed(self._get_name(), [], lines)


class ModuleDict(Module):
    """A dictionary of modules, which are registered as submodules. Iteration follows the order of insertion.

    Args:
      modules: a mapping of names to modules, or an iterable of (name, module) pairs, to add.

    >>> import torchlike as torch
    >>> layers = torch.nn.ModuleDict({"relu": torch.nn.ReLU(), "tanh": torch.nn.Tanh()})
    >>> layers["tanh"], list(layers)
    (Tanh(), ['relu', 'tanh'])
    """

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove the module at `key` and return it.

        Args:
          key: the name.

        Raises:
          KeyError: there is no such module.
        """
        return self._modules.pop(key)

    def keys(self) -> Any:
        """Return the names."""
        return self._modules.keys()

    def items(self) -> Any:
        """Return the (name, module) pairs."""
        return self._modules.items()

    def values(self) -> Any:
        """Return the modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add or replace modules from a mapping or an iterable of (name, module) pairs.

        Args:
          modules: the mapping or iterable.
        """
        for name, module in pairs_of("ModuleDict", "ModuleDict", modules):
            self[name] = module
