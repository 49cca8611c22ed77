"""The masks of sparsifiers, and the names of tensors and modules in a model."""

from __future__ import annotations

from typing import Any

from torchlike import nn
from torchlike.ao.quantization.quantize import take_over
from torchlike.nn.utils.parametrize import is_parametrized, type_before_parametrizations

__all__ = [
    "module_contains_param",
    "swap_module",
    "module_to_fqn",
    "fqn_to_module",
    "get_arg_info_from_tensor_fqn",
    "FakeSparsity",
]


class FakeSparsity(nn.Module):
    """Multiply a weight by a mask. The mask is not saved in the state dict of the model.

    Args:
      mask: a tensor of the shape of the weight.

    >>> import torchlike as torch
    >>> torch.ao.pruning.FakeSparsity(torch.tensor([1.0, 0.0]))(torch.tensor([2.0, 3.0]))
    tensor([2., 0.])
    """

    def __init__(self, mask: Any) -> None:
        super().__init__()
        self.register_buffer("mask", mask)

    def forward(self, x: Any) -> Any:
        """Return the masked weight.

        Args:
          x: the weight.

        Raises:
          AssertionError: the mask has another shape.
        """
        if self.mask.shape != x.shape:
            raise AssertionError(f"mask shape ({self.mask.shape}) must match x shape ({x.shape})")
        return self.mask * x

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return an empty dictionary: the sparsifier saves the mask.

        Args:
          *args, **kwargs: not used.
        """
        return {}


def module_contains_param(module: Any, parametrization: type[nn.Module]) -> bool:
    """Return whether a tensor of a module has a parametrization of the given class.

    Args:
      module: a module.
      parametrization: the class.

    >>> import torchlike as torch
    >>> from torchlike.ao.pruning.sparsifier.utils import module_contains_param
    >>> module_contains_param(torch.nn.Linear(2, 2), torch.ao.pruning.FakeSparsity)
    False
    """
    if not is_parametrized(module):
        return False
    lists = module.parametrizations.values()
    return any(isinstance(each, parametrization) for parts in lists for each in parts)


def swap_module(mod: Any, mapping: dict[Any, Any]) -> Any:
    """Return the sparse module of a module, or the module itself if its class is not listed.

    Args:
      mod: the module.
      mapping: the sparse classes, by the classes that they replace. `from_dense` makes the sparse module.
    """
    kind = type_before_parametrizations(mod)
    return take_over(mod, mapping[kind].from_dense(mod)) if kind in mapping else mod


def module_to_fqn(model: Any, module: Any, prefix: str = "") -> str | None:
    """Return the name of a module in a model, or None.

    Args:
      model: the model.
      module: a module of the model.
      prefix: is put before the name.

    >>> import torchlike as torch
    >>> model = torch.nn.Sequential(torch.nn.Sequential(torch.nn.ReLU()))
    >>> torch.ao.pruning.module_to_fqn(model, model[0][0])
    '0.0'
    """
    if module is model:
        return ""
    for name, child in model.named_children():
        found = module_to_fqn(child, module, ".")
        if found is not None:
            return f"{prefix}{name}{found}"
    return None


def fqn_to_module(model: Any, path: str) -> Any:
    """Return the module or tensor with the given name, or None.

    Args:
      model: the model.
      path: the name, with points. The empty name is that of the model.

    >>> import torchlike as torch
    >>> torch.ao.pruning.fqn_to_module(torch.nn.Sequential(torch.nn.ReLU()), "0")
    ReLU()
    """
    for name in path.split(".") if path else ():
        model = getattr(model, name, None)
    return model


def get_arg_info_from_tensor_fqn(model: Any, tensor_fqn: str) -> dict[str, Any]:
    """Return the module of a tensor, the names of the module and of the tensor in it, and the full name.

    Args:
      model: the model.
      tensor_fqn: the name of the tensor in the model.

    >>> import torchlike as torch
    >>> torch.ao.pruning.get_arg_info_from_tensor_fqn(torch.nn.Sequential(torch.nn.Linear(2, 1)), "0.bias")
    {'module_fqn': '0', 'module': Linear(in_features=2, out_features=1, bias=True), 'tensor_name': 'bias', ...}
    """
    place, _, name = tensor_fqn.rpartition(".")
    module = fqn_to_module(model, place)
    return {"module_fqn": place, "module": module, "tensor_name": name, "tensor_fqn": tensor_fqn}
