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
    return module
