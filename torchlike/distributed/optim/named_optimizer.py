"""`_NamedOptimizer`: an optimizer whose state dict has the names of parameters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from copy import deepcopy
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import _errors, warn
from torchlike.distributed.fsdp import FullyShardedDataParallel
from torchlike.nn import Module
from torchlike.optim import Optimizer


class _NamedOptimizer(Optimizer):
    """An optimizer whose state dict has the names of parameters instead of numbers.

    Args:
      named_parameters (mapping or iterable of pairs): the parameters by name.
      optimizer_class (type): the class of the optimizer.
      param_groups (list of dicts, optional): the groups of the optimizer. Default: one group of all parameters.
      module (Module, optional): the module of the parameters. It must not be a `FullyShardedDataParallel`.
      *args, **kwargs: the options of the optimizer.

    Raises:
      ValueError: a parameter of a group has no name.
    """

    def __init__(
        self,
        named_parameters: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]],
        optimizer_class: Any,
        param_groups: Collection[Any] | None = None,
        module: Module | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if isinstance(module, FullyShardedDataParallel):
            instead = "use FullyShardedDataParallel.optim_state_dict"
            raise _errors.arguments.cannot("distributed.optim._NamedOptimizer of a sharded module", instead)
        for group in param_groups or ():
            _check_group(group)
        self.named_parameters, self.module = dict(named_parameters), module
        given = self.named_parameters.values() if param_groups is None else param_groups
        self._optimizer = optimizer_class(given, *args, **kwargs)
        if param_groups is None:
            self.ordered_param_keys = [*self.named_parameters]
        else:
            warn(
                "Since we pass in param_groups, we will use param_groups to "
                "initialize the optimizer, not all parameters of the module."
            )
            text = "Expect param name {} found in param group but is missing."
            self.ordered_param_keys = [name for group in param_groups for name in self._names(group["params"], text)]
        self.param_groups = self._optimizer.param_groups

    def _followed(self) -> list:
        """Return the objects that a captured call reaches through this optimizer."""
        return [self._optimizer]

    def _names(self, params: Iterable[Tensor], text: str) -> list[str]:
        names = {id(param): name for name, param in self.named_parameters.items()}
        for param in params:
            if id(param) not in names:
                raise ValueError(text.format(param))
        return [names[id(param)] for param in params]

    @property
    def state(self) -> Any:  # type: ignore[override]
        """The state of the optimizer."""
        return self._optimizer.state

    def state_dict(self) -> dict[str, Any]:
        """Return the state dict, in which parameters have their names."""
        found, names = self._optimizer.state_dict(), self.ordered_param_keys
        groups = [
            {"params": sorted(names[i] for i in group["params"]), **deepcopy(_options(group))}
            for group in found["param_groups"]
        ]
        return {"state": {names[i]: each for i, each in found["state"].items()}, "param_groups": groups}

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters.

        Args:
          closure (function, optional): computes the loss.
        """
        return self._optimizer.step(closure=closure)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state dict. The optimizer must have a state already.

        Args:
          state_dict (dict): the state dict, with names of parameters.

        Raises:
          ValueError: the optimizer has no state, or the state dict has other states or groups.
        """
        own = self._optimizer.state_dict()
        if not own["state"]:
            raise ValueError("Expects the optim to be initialized before load but found not initialized.")
        for i, name in enumerate(self.ordered_param_keys):
            if name in state_dict["state"]:
                _load_state(own["state"][i], state_dict["state"][name], name)
        given = {"/".join(sorted(group["params"])): group for group in state_dict["param_groups"]}
        for group in own["param_groups"]:
            key = "/".join(sorted(self.ordered_param_keys[i] for i in group["params"]))
            if key in given:
                _load_group(group, given[key], key)
        self._optimizer.load_state_dict(own)

    def add_param_group(self, param_group: Any) -> None:
        """Add a group of parameters.

        Args:
          param_group (dict): the group.

        Raises:
          ValueError: a parameter has no name.
        """
        if not isinstance(param_group, dict):
            raise AssertionError("param group must be a dict")
        _check_group(param_group)
        self.ordered_param_keys += self._names(param_group["params"], "some parameters are not in the module")
        self._optimizer.add_param_group(param_group)
        self.param_groups = self._optimizer.param_groups

    def init_state(self) -> None:
        """Run a step with gradients of zero, so that the optimizer has a state."""
        for param in self.named_parameters.values():
            if param.requires_grad:
                param.grad = torchlike.zeros_like(param)
        self.step()


def _check_group(group: Any) -> None:
    """Check a group, and make its parameters a list."""
    if not isinstance(group, dict):
        raise AssertionError("param group must be a dict")
    if "params" not in group:
        raise AssertionError("param group must contain key params")
    params = group["params"]
    group["params"] = params = [params] if isinstance(params, Tensor) else [*params]
    for param in params:
        if not isinstance(param, Tensor):
            raise TypeError(
                f"optimizer can only optimize Tensors, but one of the params is {torchlike.typename(param)}"
            )


def _options(group: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in group.items() if name != "params"}


def _load_state(own: dict[str, Any], given: dict[str, Any], name: str) -> None:
    if len(given) != len(own):
        raise ValueError(f"Expects equal length as {len(own)} for parameter {name} but found: {len(given)}")
    for key, value in own.items():
        if key not in given:
            raise ValueError(f"Expects state {key} for parameter {name} but not found.")
        if isinstance(value, Tensor):
            value.detach().copy_(given[key])
        else:
            own[key] = deepcopy(given[key])


def _load_group(own: dict[str, Any], given: dict[str, Any], key: str) -> None:
    if len(given) != len(own):
        raise ValueError(f"Expects equal param_group size as {len(own)} for group {key} but found {len(given)}.")
    for name in given:
        if name not in own:
            raise ValueError(f"Expects group key {name} to be in group {key} in `state_dict` but is missing.")
    own.update(deepcopy(_options(given)))
