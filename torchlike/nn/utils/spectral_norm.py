"""Spectral normalization of a weight by a forward pre-hook (Miyato et al., 2018)."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike.nn import functional as F
from torchlike.nn.parameter import Parameter
from torchlike.nn.utils import _errors
from torchlike.nn.utils._norms import as_matrix, power_iterations, spectral_dim


class SpectralNorm:
    """The forward pre-hook that recomputes `name` from `name_orig` and the singular vectors `name_u` and `name_v`."""

    _version = 1

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        self.name = name
        self.dim = dim
        if n_power_iterations <= 0:
            raise _errors.power_iterations(n_power_iterations)
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Any:
        """Return the weight divided by its estimated largest singular value.

        If `do_power_iteration` is true, power iterations refine the estimate first.
        """
        weight = getattr(module, self.name + "_orig")
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with torchlike.no_grad():
                new = power_iterations(matrix, u, v, self.n_power_iterations, self.eps, first="v")
                u, v = u.copy_(new[0]).clone(), v.copy_(new[1]).clone()
        sigma = torchlike.dot(u, torchlike.mv(matrix, v))
        return weight / sigma

    def remove(self, module: Any) -> None:
        """Replace the parameter and the buffers of the hook by one parameter with the normalized weight."""
        with torchlike.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        delattr(module, self.name)
        for suffix in ("_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))


class SpectralNormLoadStateDictPreHook:
    """The hook that adds the right singular vector to a state dict of version 0, which has the normalized weight.

    Args:
      fn: the `SpectralNorm` of the module.
    """

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        version = local_metadata.get("spectral_norm", {}).get(f"{self.fn.name}.version", None)
        if version is not None and version >= 1:
            return
        key = prefix + self.fn.name
        if version is None and key not in state_dict and all(key + end in state_dict for end in ("_orig", "_u", "_v")):
            return  # a state dict of version 1 without its metadata
        absent = [key + end for end in ("_orig", "", "_u") if key + end not in state_dict]
        if absent:
            missing_keys.extend(absent if strict else [])
            return
        with torchlike.no_grad():
            weight, given = state_dict[key + "_orig"], state_dict.pop(key)
            sigma = (weight / given).mean()
            state_dict[key + "_v"] = _right_vector(as_matrix(weight, self.fn.dim), state_dict[key + "_u"], sigma)


class SpectralNormStateDictHook:
    """The hook that writes the version of the state to the metadata of a state dict.

    Args:
      fn: the `SpectralNorm` of the module.
    """

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Any, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any]) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        key = f"{self.fn.name}.version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def _right_vector(matrix: Any, u: Any, sigma: Any) -> Any:
    """Return the vector v for which u is the normalized product with the matrix, and u @ matrix @ v is `sigma`."""
    v = torchlike.linalg.multi_dot([matrix.t().mm(matrix).pinverse(), matrix.t(), u.unsqueeze(1)]).squeeze(1)
    return v.mul_(sigma / torchlike.dot(u, torchlike.mv(matrix, v)))


def _hook_of(module: Any, name: str) -> tuple[int, SpectralNorm] | None:
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            return key, hook
    return None


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide the parameter `name` by its largest singular value, and return the module.

    Power iterations refine the estimate of the singular value at each forward in training mode.
    `nn.utils.parametrizations.spectral_norm` is the newer form.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.
      n_power_iterations: the number of iterations at each forward.
      eps: the least divisor when vectors are normalized.
      dim: the dimension of the output channels: 1 for a transposed convolution, otherwise 0 by default.

    Raises:
      RuntimeError: the parameter already has a spectral norm.
      ValueError: `n_power_iterations` is not positive.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 2))
    >>> layer.weight_orig.shape
    torch.Size([2, 3])
    """
    if _hook_of(module, name):
        raise _errors.hook_exists("spectral_norm", name)
    hook = SpectralNorm(name, n_power_iterations, spectral_dim(module) if dim is None else dim, eps)
    weight = module._parameters[name]
    with torchlike.no_grad():
        rows, columns = as_matrix(weight, hook.dim).size()
        u = F.normalize(weight.new_empty(rows).normal_(0, 1), dim=0, eps=eps)
        v = F.normalize(weight.new_empty(columns).normal_(0, 1), dim=0, eps=eps)
    delattr(module, name)
    module.register_parameter(name + "_orig", weight)
    setattr(module, name, weight.data)  # a plain attribute until the first forward
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(hook)
    module._register_state_dict_hook(SpectralNormStateDictHook(hook))
    module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Remove spectral normalization. The parameter keeps its current normalized value.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.

    Returns:
      The module.

    Raises:
      ValueError: the parameter has no spectral norm.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 2))
    >>> [name for name, _ in torch.nn.utils.remove_spectral_norm(layer).named_parameters()]
    ['bias', 'weight']
    """
    found = _hook_of(module, name)
    if found is None:
        raise _errors.hook_not_found("spectral_norm", name, module)
    key, hook = found
    hook.remove(module)
    del module._forward_pre_hooks[key]
    kinds = SpectralNormStateDictHook, SpectralNormLoadStateDictPreHook
    for hooks, kind in zip((module._state_dict_hooks, module._load_state_dict_pre_hooks), kinds):
        for place, each in [*hooks.items()]:
            each = getattr(each, "hook", each)
            if isinstance(each, kind) and each.fn.name == name:
                del hooks[place]
    return module
