"""The base class of sparsifiers."""

from __future__ import annotations

import abc
import copy
from collections import defaultdict
from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike.ao.pruning.sparsifier.utils import (
    FakeSparsity,
    get_arg_info_from_tensor_fqn,
    module_contains_param,
    module_to_fqn,
    swap_module,
)
from torchlike.nn.utils import parametrize

__all__ = ["BaseSparsifier"]

SUPPORTED_MODULES = {nn.Linear}
_OF_MODULES = ("module", "module_fqn", "tensor_name")


class BaseSparsifier(abc.ABC):
    """The base class. A subclass defines `update_mask`, which changes the mask of one tensor.

    Args:
      defaults: the arguments of `update_mask` of tensors whose configuration lacks them.

    >>> import torchlike as torch
    >>> class First(torch.ao.pruning.BaseSparsifier):
    ...     def update_mask(self, module, tensor_name, count, **kwargs):
    ...         module.parametrizations[tensor_name][0].mask[count:] = 0
    >>> sparsifier = First({"count": 1})
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 2))
    >>> sparsifier.prepare(model, config=[{"tensor_fqn": "0.weight"}])
    >>> sparsifier.step()
    >>> sparsifier.squash_mask()
    >>> model[0].weight != 0
    tensor([[ True,  True],
            [False, False]])
    """

    def __init__(self, defaults: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.defaults: dict[str, Any] = defaults or {}
        self.state: dict[str, dict] = defaultdict(dict)
        self.groups: list[dict[str, Any]] = []
        self.enable_mask_update = True

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "groups": self.groups}

    def __setstate__(self, state: dict[str, dict[str, Any]]) -> None:
        vars(self).update(state)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for place, group in enumerate(self.groups):
            keys = ["module", *sorted(key for key in group if key != "module")]
            text += f"\n\tGroup {place}\n" + "".join(f"\t    {key}: {group[key]}\n" for key in keys)
        return text + ")"

    # -- states --------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return the masks (`state`), and the configurations without their modules (`groups`)."""
        groups = [{key: value for key, value in each.items() if key not in _OF_MODULES} for each in self.groups]
        return {"state": self.state, "groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any], strict: bool = True) -> None:
        """Set the masks and the configurations. The masks are taken out of `state_dict`.

        Args:
          state_dict: the result of `state_dict`.
          strict: raise if the model lacks a module.

        Raises:
          RuntimeError: the model lacks a module.
        """
        groups, states = copy.deepcopy(state_dict["groups"]), state_dict["state"]
        for name, state in states.items():
            found = get_arg_info_from_tensor_fqn(self.model, name)
            if strict and found["module"] is None:
                raise RuntimeError(f"Error loading {name} into the model")
            masking = _masking_of(found["module"], found["tensor_name"])
            if state.get("mask") is not None:
                masking.mask = state.pop("mask")
            for group in groups:
                if group["tensor_fqn"] == name:
                    group.update(found)
        self.__setstate__({"state": states, "groups": groups})

    # -- preparation ---------------------------------------------------------------------------------------------------

    def make_config_from_model(self, model: nn.Module, SUPPORTED_MODULES: set[Any] = SUPPORTED_MODULES) -> None:
        """Make the configuration of all weights of the given classes.

        Args:
          model: the model.
          SUPPORTED_MODULES: the classes.
        """
        self.config: Any = []
        stack = [model]
        while stack:
            for child in stack.pop().children():
                if type(child) in SUPPORTED_MODULES:
                    self.config.append({"tensor_fqn": f"{module_to_fqn(model, child)}.weight"})
                else:
                    stack.append(child)

    def prepare(self, model: Any, config: Any) -> None:
        """Add a mask to each configured tensor of a model.

        Args:
          model: the model.
          config: a dictionary for each tensor, with its name (`tensor_fqn`) and arguments of `update_mask`. None stands
            for the weights of all linear layers.

        Raises:
          AssertionError: an element is no dictionary, has no name, or contradicts the model.
        """
        self.model = model
        if config is None:
            self.make_config_from_model(model)
        else:
            self.config = config
        for given in self.config:
            self.groups.append({**copy.deepcopy(self.defaults), **self._checked(given)})
        self._prepare()

    def _checked(self, given: Any) -> dict[str, Any]:
        if not isinstance(given, dict):
            raise AssertionError(
                "config elements should be dicts not modules i.e.:"
                "[{`tensor_fqn`: `foo.bar.weight`}, {`tensor_fqn`: ... }, ...]"
            )
        name = given.get("tensor_fqn")
        if name is None:
            raise AssertionError(
                "tensor_fqn is a required argument in the sparsity config which "
                "replaces previous `module` and [module]`fqn` arguments"
            )
        found = get_arg_info_from_tensor_fqn(self.model, name)
        if any(key in given and given[key] != value for key, value in found.items()):
            raise AssertionError("Given both `module` and `tensor_fqn` in the config, it is expected them to agree!")
        return {**given, **found}

    def _prepare(self, *args: Any, **kwargs: Any) -> None:
        """Add the parametrizations."""
        for group in self.groups:
            module, name = group["module"], group["tensor_name"]
            make = group.get("parametrization", FakeSparsity)
            mask = group.get("mask", torch.ones_like(getattr(module, name)))
            self.state[group["tensor_fqn"]]["mask"] = mask
            parametrize.register_parametrization(module, name, make(mask))

    # -- use -----------------------------------------------------------------------------------------------------------

    def squash_mask(
        self,
        params_to_keep: tuple[str, ...] | None = None,
        params_to_keep_per_layer: dict[str, tuple[str, ...]] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Replace each tensor by its masked value, and remove the masks.

        Args:
          params_to_keep: keys of the configurations that are saved as `sparse_params` of the modules.
          params_to_keep_per_layer: such keys for single modules, by their names.
          *args, **kwargs: not used.
        """
        for group in self.groups:
            module = group["module"]
            parametrize.remove_parametrizations(module, group["tensor_name"], leave_parametrized=True)
            keys = [*(params_to_keep or ()), *(params_to_keep_per_layer or {}).get(group["module_fqn"], ())]
            if keys:
                module.sparse_params = {key: group[key] for key in keys}

    def convert(
        self,
        module: nn.Module,
        mapping: dict[Any, Any] | None = None,
        inplace: bool = False,
        parameterization: type[nn.Module] = FakeSparsity,
    ) -> Any:
        """Return the model with its masked layers replaced by sparse ones.

        Args:
          module: the model.
          mapping: the sparse classes, by the classes that they replace.
          inplace: change `module` itself.
          parameterization: the class of the masks.

        Raises:
          NotImplementedError: `mapping` is None.
        """
        if mapping is None:
            raise NotImplementedError("Need to auto generate mapping ")
        module = module if inplace else copy.deepcopy(module)
        for name, child in module.named_children():
            if module_contains_param(child, parameterization):
                module._modules[name] = swap_module(child, mapping)
            else:
                module._modules[name] = self.convert(child, mapping, inplace, parameterization)
        return module

    def step(self, use_path: bool = True) -> None:
        """Update all masks.

        Args:
          use_path: not used, as in PyTorch.
        """
        if not self.enable_mask_update:
            return
        with torch.no_grad():
            for group in self.groups:
                self.update_mask(**group)

    @abc.abstractmethod
    def update_mask(self, module: nn.Module, tensor_name: str, **kwargs: Any) -> None:
        """Change the mask of a tensor. Subclasses define it.

        Args:
          module: the module of the tensor.
          tensor_name: the name of the tensor in its module.
          **kwargs: the other entries of the configuration.
        """


def _masking_of(module: Any, name: str) -> Any:
    """Return the mask module of a tensor. Add one if there is none."""
    for each in module.parametrizations[name]:
        if isinstance(each, FakeSparsity):
            return each
    made = FakeSparsity(torch.ones(getattr(module, name).shape))
    parametrize.register_parametrization(module, name, made)
    return made
