"""Pruning of parameters by masks, which a forward pre-hook applies."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any, ClassVar

import torchlike
from torchlike import Tensor
from torchlike.nn.utils import _errors


class BasePruningMethod:
    """The base class of pruning methods. An instance is the forward pre-hook that applies the mask.

    Pruning renames the parameter `name` to `name_orig`, adds the mask as the buffer `name_mask`, and sets the attribute
    `name` to their product. Subclasses define `compute_mask`.

    `PRUNING_TYPE` defines what the method may prune after earlier methods: remaining elements ('unstructured'),
    channels with remaining elements ('structured') or everything ('global').

    >>> import torchlike as torch
    >>> class First(torch.nn.utils.prune.BasePruningMethod):
    ...     def compute_mask(self, t, default_mask):
    ...         mask = default_mask.clone()
    ...         mask.view(-1)[0] = 0
    ...         return mask
    >>> First().prune(torch.ones(3)).tolist()
    [0.0, 1.0, 1.0]
    """

    PRUNING_TYPE: ClassVar[str] = "unstructured"
    _tensor_name: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask, with 0 at the elements of `t` to prune. Elements with 0 in `default_mask` stay pruned.

        Args:
          t: the scores, a tensor of the shape of the parameter.
          default_mask: the mask of earlier pruning.
        """
        raise NotImplementedError

    def apply_mask(self, module: Any) -> Tensor:
        """Return the product of the original parameter and its mask.

        Args:
          module: the pruned module.
        """
        original = getattr(module, self._tensor_name + "_orig")
        return getattr(module, self._tensor_name + "_mask").to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any) -> Any:
        """Prune the parameter `name` with `cls(*args, **kwargs)`, in addition to earlier pruning. Return the hook.

        Args:
          module: the module, which is changed.
          name: the name of the parameter.
          *args, **kwargs: the arguments of the class.
          importance_scores: a tensor of the shape of the parameter. The default is the parameter.
        """
        earlier = _hook_of(module, name)
        method: Any = cls(*args, **kwargs)
        method._tensor_name = name
        if earlier is not None:
            key, hook = earlier
            del module._forward_pre_hooks[key]
            container = PruningContainer(hook) if not isinstance(hook, PruningContainer) else hook
            container.add_pruning_method(method)
            method = container
        original = getattr(module, name) if earlier is None else getattr(module, name + "_orig")
        scores = original if importance_scores is None else importance_scores
        if scores.shape != original.shape:
            raise _errors.prune_scores(scores.shape, original.shape, name, module)
        default = torchlike.ones_like(original) if earlier is None else getattr(module, name + "_mask").detach().clone()
        mask = method.compute_mask(getattr(module, name) if importance_scores is None else scores, default_mask=default)
        if earlier is None:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
        module.register_buffer(name + "_mask", mask.to(dtype=original.dtype))
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """Return the tensor `t` pruned, without a module.

        Args:
          t: the tensor.
          default_mask: the mask of earlier pruning. The default is ones.
          importance_scores: a tensor of the shape of `t`. The default is `t`.
        """
        scores = t if importance_scores is None else importance_scores
        default = torchlike.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=default)

    def remove(self, module: Any) -> None:
        """Make the pruning permanent: store the pruned values in the parameter and remove the mask.

        Args:
          module: the pruned module.
        """
        name = self._tensor_name
        weight = self.apply_mask(module)
        delattr(module, name)
        original = module._parameters[name + "_orig"]
        original.data = weight.data
        del module._parameters[name + "_orig"], module._buffers[name + "_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """A sequence of pruning methods applied to one parameter.

    Args:
      *args: the methods, in order.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.prune.identity(torch.nn.Linear(3, 2), "weight")
    >>> layer = torch.nn.utils.prune.l1_unstructured(layer, "weight", amount=1)
    >>> [type(hook).__name__ for hook in layer._forward_pre_hooks.values()]
    ['PruningContainer']
    """

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Append a method for the same parameter.

        Args:
          method: the method.
        """
        self._tensor_name = method._tensor_name
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> BasePruningMethod:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask after the last method has pruned the elements that the earlier methods left.

        Args:
          t: the scores, a tensor of the shape of the parameter.
          default_mask: the mask of the earlier methods.
        """
        method = self._pruning_methods[-1]
        left = _left_for(method, default_mask)
        mask = default_mask.clone()
        mask[left] = method.compute_mask(t[left], default_mask=default_mask[left]).to(dtype=mask.dtype)
        return mask


def _left_for(method: Any, mask: Tensor) -> Any:
    """Return the index of the elements that a method may still prune."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    if method.PRUNING_TYPE == "structured":
        dim = method.dim % mask.dim()
        others = [d for d in range(mask.dim()) if d != dim]
        return (slice(None),) * dim + (mask.sum(others) != 0,)
    return (slice(None),) * mask.dim()


# --- how much ---------------------------------------------------------------------------------------------------------


def _checked_amount(amount: Any) -> Any:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if (whole and amount < 0) or (not whole and not 0.0 <= float(amount) <= 1.0):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")
    return amount


def _count(amount: Any, size: int) -> int:
    """Return the number of elements to prune out of `size`. `amount` is a count, or a fraction if not an int."""
    if not isinstance(amount, numbers.Integral):
        return round(amount * size)
    amount = int(amount)
    if amount > size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
    return amount


# --- methods ----------------------------------------------------------------------------------------------------------


class Identity(BasePruningMethod):
    """A method that prunes nothing but adds the mask and the hook.

    >>> import torchlike as torch
    >>> torch.nn.utils.prune.Identity().prune(torch.ones(2)).tolist()
    [1.0, 1.0]
    """

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> Any:
        """Add the mask and the hook of the parameter `name` without pruning it. Return the hook.

        Args:
          module: the module, which is changed.
          name: the name of the parameter.
        """
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    """A method that prunes the `amount` elements (a count or a fraction) with the largest `_rank`."""

    def __init__(self, amount: float) -> None:
        self.amount = _checked_amount(amount)

    def _rank(self, t: Tensor) -> Tensor:
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[torchlike.topk(self._rank(t).reshape(-1), k=count).indices] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """A method that prunes random elements.

    Args:
      amount: the number of elements to prune if it is an int, or their fraction if it is a float.

    Raises:
      TypeError: `amount` is not a number.
      ValueError: `amount` is negative, a fraction above 1, or more than there is to prune.

    >>> import torchlike as torch
    >>> torch.nn.utils.prune.RandomUnstructured(amount=0.5).prune(torch.ones(4)).sum().item()
    2.0
    """

    def _rank(self, t: Tensor) -> Tensor:
        return torchlike.rand_like(t)

    @classmethod
    def apply(cls, module: Any, name: str, amount: float) -> Any:
        """Prune random elements of the parameter `name`, in addition to earlier pruning. Return the hook.

        Args:
          module: the module, which is changed.
          name: the name of the parameter.
          amount: as for the class.
        """
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """A method that prunes the elements with the smallest absolute values.

    Args:
      amount: the number of elements to prune if it is an int, or their fraction if it is a float.

    Raises:
      TypeError: `amount` is not a number.
      ValueError: `amount` is negative, a fraction above 1, or more than there is to prune.

    >>> import torchlike as torch
    >>> torch.nn.utils.prune.L1Unstructured(amount=1).prune(torch.tensor([-3.0, 1.0, 2.0])).tolist()
    [-3.0, 0.0, 2.0]
    """

    def _rank(self, t: Tensor) -> Tensor:
        return -t.abs()

    @classmethod
    def apply(cls, module: Any, name: str, amount: float, importance_scores: Tensor | None = None) -> Any:
        """Prune the elements of the parameter `name` with the smallest absolute scores. Return the hook.

        Args:
          module: the module, which is changed.
          name: the name of the parameter.
          amount: as for the class.
          importance_scores: a tensor of the shape of the parameter. The default is the parameter.
        """
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    """A method that prunes `amount` channels (a count or a fraction) along `dim`, selected by `_kept`."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        self.amount = _checked_amount(amount)
        self.dim = dim

    def _kept(self, t: Tensor, count: int) -> Tensor:
        """Return a vector with 0 for the `count` channels to prune, and 1 or True for the others."""
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if t.dim() <= 1:
            raise _errors.prune_dimensions(t.shape, t.dim())
        if not -t.dim() <= self.dim < t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        count = _count(self.amount, t.shape[self.dim])
        if not count:
            return default_mask
        shape = [1] * t.dim()
        shape[self.dim] = -1
        return self._kept(t, count).to(dtype=t.dtype).view(shape).expand_as(t) * default_mask


class RandomStructured(_Structured):
    """A method that prunes random channels.

    Args:
      amount: the number of channels to prune if it is an int, or their fraction if it is a float.
      dim: the dimension of the channels.

    Raises:
      TypeError: `amount` is not a number.
      ValueError: `amount` is negative, a fraction above 1, or more than there is to prune.

    >>> import torchlike as torch
    >>> torch.nn.utils.prune.RandomStructured(amount=1, dim=0).prune(torch.ones(3, 2)).sum().item()
    4.0
    """

    def _kept(self, t: Tensor, count: int) -> Tensor:
        draws = torchlike.rand(t.shape[self.dim])
        return draws > torchlike.kthvalue(draws, k=count).values

    @classmethod
    def apply(cls, module: Any, name: str, amount: float, dim: int = -1) -> Any:
        """Prune random channels of the parameter `name`, in addition to earlier pruning. Return the hook.

        Args:
          module: the module, which is changed.
          name: the name of the parameter.
          amount, dim: as for the class.
        """
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """A method that prunes the channels with the smallest n-norms.

    Args:
      amount: the number of channels to prune if it is an int, or their fraction if it is a float.
      n: the exponent of the norm, as for `torch.norm`.
      dim: the dimension of the channels.

    Raises:
      TypeError: `amount` is not a number.
      ValueError: `amount` is negative, a fraction above 1, or more than there is to prune.

    >>> import torchlike as torch
    >>> torch.nn.utils.prune.LnStructured(amount=1, n=2, dim=0).prune(torch.tensor([[1.0], [3.0]])).tolist()
    [[0.0], [3.0]]
    """

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _kept(self, t: Tensor, count: int) -> Tensor:
        norms = torchlike.norm(t, p=self.n, dim=[d for d in range(t.dim()) if d != self.dim % t.dim()])
        kept = torchlike.zeros_like(norms)
        kept[torchlike.topk(norms, k=t.shape[self.dim] - count).indices] = 1
        return kept

    @classmethod
    def apply(
        cls, module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
    ) -> Any:
        """Prune the channels of the parameter `name` with the smallest n-norms. Return the hook.

        Args:
          module: the module, which is changed.
          name: the name of the parameter.
          amount, n, dim: as for the class.
          importance_scores: a tensor of the shape of the parameter. The default is the parameter.
        """
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """A method that prunes by a given mask.

    Args:
      mask: a tensor of the shape of the parameter, 0 or False at the elements to prune.

    >>> import torchlike as torch
    >>> torch.nn.utils.prune.CustomFromMask(torch.tensor([0, 1])).prune(torch.ones(2)).tolist()
    [0.0, 1.0]
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise _errors.prune_mask(default_mask.shape, self.mask.shape)
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, mask: Tensor) -> Any:
        """Prune the parameter `name` by a mask, in addition to earlier pruning. Return the hook.

        Args:
          module: the module, which is changed.
          name: the name of the parameter.
          mask: as for the class.
        """
        return super().apply(module, name, mask=mask)


# --- functions --------------------------------------------------------------------------------------------------------


def identity(module: Any, name: str) -> Any:
    """Add the mask and the hook of the parameter `name` without pruning it, and return the module.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.prune.identity(torch.nn.Linear(3, 2), "weight")
    >>> layer.weight_mask.sum().item()
    6.0
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """Prune random elements of the parameter `name`, and return the module.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.
      amount: the number of elements to prune if it is an int, or their fraction if it is a float.

    Raises:
      TypeError: `amount` is not a number.
      ValueError: `amount` is negative, a fraction above 1, or more than there is to prune.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.prune.random_unstructured(torch.nn.Linear(3, 2), "weight", amount=1)
    >>> layer.weight_mask.sum().item()
    5.0
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: float, importance_scores: Tensor | None = None) -> Any:
    """Prune the elements of the parameter `name` with the smallest absolute scores, and return the module.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.
      amount: the number of elements to prune if it is an int, or their fraction if it is a float.
      importance_scores: a tensor of the shape of the parameter. The default is the parameter.

    Raises:
      TypeError: `amount` is not a number.
      ValueError: `amount` is negative, a fraction above 1, or more than there is to prune.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.prune.l1_unstructured(torch.nn.Linear(3, 2), "weight", amount=0.5)
    >>> layer.weight_mask.sum().item()
    3.0
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """Prune random channels of the parameter `name`, and return the module.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.
      amount: the number of channels to prune if it is an int, or their fraction if it is a float.
      dim: the dimension of the channels.

    Raises:
      TypeError: `amount` is not a number.
      ValueError: `amount` is negative, a fraction above 1, or more than there is to prune.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.prune.random_structured(torch.nn.Linear(3, 2), "weight", amount=1, dim=0)
    >>> layer.weight_mask.sum().item()
    3.0
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Any:
    """Prune the channels of the parameter `name` with the smallest n-norms, and return the module.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.
      amount: the number of channels to prune if it is an int, or their fraction if it is a float.
      n: the exponent of the norm, as for `torch.norm`.
      dim: the dimension of the channels.
      importance_scores: a tensor of the shape of the parameter. The default is the parameter.

    Raises:
      TypeError: `amount` is not a number.
      ValueError: `amount` is negative, a fraction above 1, or more than there is to prune.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.prune.ln_structured(torch.nn.Linear(3, 2), "weight", amount=1, n=2, dim=1)
    >>> layer.weight_mask.sum().item()
    4.0
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Tensor) -> Any:
    """Prune the parameter `name` where `mask` is 0, and return the module.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.
      mask: a tensor of the shape of the parameter, 0 or False at the elements to prune.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.prune.custom_from_mask(torch.nn.Linear(3, 2), "bias", torch.tensor([0, 1]))
    >>> layer.bias[0].item() == 0.0
    True
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Any, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict | None = None,
    **kwargs: Any,
) -> None:
    """Prune several parameters together, as one tensor, with an unstructured method.

    Args:
      parameters: (module, name) pairs.
      pruning_method: the class of the method, for example `L1Unstructured`.
      importance_scores: a dictionary of (module, name) pairs and tensors. The default scores are the parameters.
      **kwargs: the arguments of the class, for example `amount`.

    Raises:
      TypeError: the method is not unstructured.

    >>> import torchlike as torch
    >>> layer, method = torch.nn.Linear(3, 1), torch.nn.utils.prune.L1Unstructured
    >>> torch.nn.utils.prune.global_unstructured([(layer, "weight"), (layer, "bias")], method, amount=2)
    >>> (layer.weight_mask.sum() + layer.bias_mask.sum()).item()
    2.0
    """
    parameters = list(parameters)
    importance_scores = {} if importance_scores is None else importance_scores
    if not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    values = [getattr(module, name) for module, name in parameters]
    scores = [importance_scores.get(place, value) for place, value in zip(parameters, values)]
    masks = [getattr(module, name + "_mask", torchlike.ones_like(v)) for (module, name), v in zip(parameters, values)]
    together = torchlike.cat([score.reshape(-1) for score in scores])
    container = PruningContainer()
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    container.add_pruning_method(method)
    if method.PRUNING_TYPE != "unstructured":
        raise _errors.prune_global_type(pruning_method, method.PRUNING_TYPE)
    mask = container.compute_mask(together, torchlike.cat([m.reshape(-1) for m in masks]))
    for (module, name), piece in zip(parameters, mask.split([value.numel() for value in values])):
        custom_from_mask(module, name, piece.view_as(getattr(module, name)))


def _hook_of(module: Any, name: str) -> tuple[int, BasePruningMethod] | None:
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            return key, hook
    return None


def remove(module: Any, name: str) -> Any:
    """Make the pruning of the parameter `name` permanent, remove its mask and hook, and return the module.

    Args:
      module: the module, which is changed.
      name: the name of the parameter.

    Raises:
      ValueError: the parameter is not pruned.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.prune.l1_unstructured(torch.nn.Linear(3, 2), "weight", amount=2)
    >>> (torch.nn.utils.prune.remove(layer, "weight").weight == 0).sum().item()
    2
    """
    found = _hook_of(module, name)
    if found is None:
        raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    key, hook = found
    hook.remove(module)
    del module._forward_pre_hooks[key]
    return module


def is_pruned(module: Any) -> bool:
    """Return whether the module or any of its submodules is pruned.

    Args:
      module: the module.

    >>> import torchlike as torch
    >>> torch.nn.utils.prune.is_pruned(torch.nn.Linear(3, 2))
    False
    """
    return any(
        isinstance(hook, BasePruningMethod) for each in module.modules() for hook in each._forward_pre_hooks.values()
    )
