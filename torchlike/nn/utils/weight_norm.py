"""Weight normalization by a forward pre-hook (Salimans and Kingma, 2016)."""

from __future__ import annotations

from typing import Any

from torchlike._internal import warn
from torchlike.nn.parameter import Parameter
from torchlike.nn.utils import _errors
from torchlike.nn.utils._norms import norm_except_dim
from torchlike.nn.utils._norms import weight_norm as _weight_norm


class WeightNorm:
    """The forward pre-hook that recomputes `name` from `name_g` and `name_v`."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Any:
        """Return the weight: the direction `name_v` scaled to the norms `name_g`."""
        return _weight_norm(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    def remove(self, module: Any) -> None:
        """Replace the two parameters by one parameter with the current weight."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"], module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def _hook_of(module: Any, name: str) -> tuple[int, WeightNorm] | None:
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            return key, hook
    return None


def weight_norm(module: Any, name: str = "weight", dim: int = 0) -> Any:
    """Replace the parameter `name` by its norms (`name_g`) and its direction (`name_v`), and return the module.

    Deprecated, with a warning: use `nn.utils.parametrizations.weight_norm`.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.
      dim: the norms are taken over all dimensions but this one. None means one norm for the whole tensor.

    Raises:
      RuntimeError: the parameter already has a weight norm.

    >>> import torchlike as torch, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = torch.nn.utils.weight_norm(torch.nn.Linear(3, 2))
    >>> layer.weight_g.shape, layer.weight_v.shape
    (torch.Size([2, 1]), torch.Size([2, 3]))
    """
    warn(_errors.weight_norm_deprecated(), FutureWarning, site="weight_norm")
    if _hook_of(module, name):
        raise _errors.hook_exists("weight_norm", name)
    hook = WeightNorm(name, dim)
    weight = getattr(module, name)
    del module._parameters[name]
    module.register_parameter(name + "_g", Parameter(norm_except_dim(weight, hook.dim).data))
    module.register_parameter(name + "_v", Parameter(weight.data))
    hook(module, None)
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Undo `weight_norm` and return the module.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.

    Raises:
      ValueError: the parameter has no weight norm.

    >>> import torchlike as torch, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = torch.nn.utils.weight_norm(torch.nn.Linear(3, 2))
    >>> [name for name, _ in torch.nn.utils.remove_weight_norm(layer).named_parameters()]
    ['bias', 'weight']
    """
    found = _hook_of(module, name)
    if found is None:
        raise _errors.hook_not_found("weight_norm", name, module)
    key, hook = found
    hook.remove(module)
    del module._forward_pre_hooks[key]
    return module
