"""Modules of options, such as `torch._dynamo.config`: an option that does not exist cannot be read or set."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any


class ConfigModule(ModuleType):
    """The class of a module whose attributes are options. Options of a group have dotted names."""

    _config: dict[str, Any]
    _aliases: Mapping[str, str]
    _refused: Mapping[str, str]

    def _resolve(self, name: str) -> str:
        """Return the name of the option that a name or an alias refers to. Raise an error if there is none."""
        name = self._aliases.get(name, name)
        if name not in self._config:
            raise AttributeError(f"{_shown(self)}.{name} does not exist")
        return name

    def __getattr__(self, name: str) -> Any:
        if any(key.startswith(f"{name}.") for key in self._config):
            return SubConfigProxy(self, f"{name}.")
        return self._config[self._resolve(name)]

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):
            return super().__setattr__(name, value)
        name = self._resolve(name)
        if name in self._refused and value != self._config[name]:
            raise NotImplementedError(f"{_shown(self)}.{name} = {value!r}: {self._refused[name]}")
        self._config[name] = value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._config]

    def get_config_copy(self) -> dict[str, Any]:
        """Return the values of all options."""
        return dict(self._config)

    def load_config(self, maybe_pickled_config: Mapping[str, Any]) -> None:
        """Set options.

        Args:
          maybe_pickled_config (dict): their values by name. Pickled options are refused, since they can run code.
        """
        if isinstance(maybe_pickled_config, bytes):
            raise NotImplementedError(f"{_shown(self)}.load_config: pickled options are not loaded")
        for name, value in maybe_pickled_config.items():
            setattr(self, name, value)

    @contextlib.contextmanager
    def patch(self, arg1: str | Mapping[str, Any] | None = None, arg2: Any = None, **kwargs: Any) -> Iterator[None]:
        """Return a context manager, which is also a decorator, that sets options for a while.

        Args:
          arg1 (str or dict): the name of an option, or the values of several by name.
          arg2: the value of the option that `arg1` names.
          **kwargs: values by name, instead of `arg1`.

        >>> import torchlike as torch
        >>> with torch._dynamo.config.patch(recompile_limit=20):
        ...     print(torch._dynamo.config.recompile_limit)
        20
        """
        changes = {arg1: arg2} if isinstance(arg1, str) else dict(arg1 or kwargs)
        before = {name: self._config[self._resolve(name)] for name in changes}
        try:
            self.load_config(changes)
            yield
        finally:
            self.load_config(before)


class SubConfigProxy:
    """A group of options, such as `torch._inductor.config.triton`."""

    def __init__(self, config: ConfigModule, prefix: str) -> None:
        vars(self).update(_config_module=config, _prefix=prefix)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._config_module, self._prefix + name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._config_module, self._prefix + name, value)


def install_config_module(
    module: ModuleType, aliases: Mapping[str, str] | None = None, refused: Mapping[str, str] | None = None
) -> None:
    """Turn the numbers, strings and None values of a module into options. Its classes become groups of options.

    Args:
      module: the module.
      aliases: further names of options.
      refused: options that cannot be changed. The values are texts that say what to use instead.
    """
    options: dict[str, Any] = {}
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            options |= {f"{name}.{key}": each for key, each in vars(value).items() if not key.startswith("_")}
        elif isinstance(value, bool | int | str | None) and not name.startswith("_"):
            options[name] = value
        else:
            continue
        delattr(module, name)
    vars(module).update(_config=options, _aliases=aliases or {}, _refused=refused or {})
    module.__class__ = ConfigModule


def _shown(module: ModuleType) -> str:
    return module.__name__.replace("torchlike", "torch", 1)
