"""Setting parts of a parameter to zero for good, by a mask that a hook applies before each forward."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any, ClassVar

import torchlike
from torchlike import Tensor
from torchlike.nn.utils import _errors


class BasePruningMethod:
    """A way to choose what to prune, and the hook that keeps it pruned.

    Parameter `name` becomes `name_orig`, its mask is the buffer `name_mask`, and the attribute `name` is their product.
    Subclasses define `compute_mask`. `PRUNING_TYPE` says what a later method may still prune: single elements
    ('unstructured'), whole channels ('structured') or everything ('global').
    """

    PRUNING_TYPE: ClassVar[str] = "unstructured"
    _tensor_name: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask, 0 where `t` is to be pruned; at least what `default_mask` prunes stays pruned."""
        raise NotImplementedError

    def apply_mask(self, module: Any) -> Tensor:
        """Return the pruned parameter."""
        original = getattr(module, self._tensor_name + "_orig")
        return getattr(module, self._tensor_name + "_mask").to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any) -> Any:
        """Prune parameter `name` with `cls(*args, **kwargs)`, on top of what is pruned already."""
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
        """Return `t` pruned, without any module."""
        scores = t if importance_scores is None else importance_scores
        default = torchlike.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=default)

    def remove(self, module: Any) -> None:
        """Make the pruned values the parameter's own."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        delattr(module, name)
        original = module._parameters[name + "_orig"]
        original.data = weight.data
        del module._parameters[name + "_orig"], module._buffers[name + "_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods applied to one parameter, one after the other."""

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Add a method for the same parameter."""
        self._tensor_name = method._tensor_name
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> BasePruningMethod:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Let the last method prune what the earlier ones left."""
        method = self._pruning_methods[-1]
        left = _left_for(method, default_mask)
        mask = default_mask.clone()
        mask[left] = method.compute_mask(t[left], default_mask=default_mask[left]).to(dtype=mask.dtype)
        return mask


def _left_for(method: Any, mask: Tensor) -> Any:
    """The index of what a method may still prune."""
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
        raise _errors.prune_amount_type(amount)
    whole = isinstance(amount, numbers.Integral)
    if (whole and amount < 0) or (not whole and not 0.0 <= float(amount) <= 1.0):
        raise _errors.prune_amount(amount)
    return amount


def _count(amount: Any, size: int) -> int:
    """How many of `size` things to prune."""
    if not isinstance(amount, int):
        return round(amount * size)
    if amount > size:
        raise _errors.prune_amount_too_large(amount, size)
    return amount


# --- methods ----------------------------------------------------------------------------------------------------------


class Identity(BasePruningMethod):
    """Prunes nothing, but brings the mask."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> Any:
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    """Prunes the `amount` elements (a number or a fraction) of largest `_rank`."""

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
    """Prunes `amount` elements (a number or a fraction) chosen at random."""

    def _rank(self, t: Tensor) -> Tensor:
        return torchlike.rand_like(t)

    @classmethod
    def apply(cls, module: Any, name: str, amount: float) -> Any:
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prunes the `amount` elements (a number or a fraction) of smallest absolute value."""

    def _rank(self, t: Tensor) -> Tensor:
        return -t.abs()

    @classmethod
    def apply(cls, module: Any, name: str, amount: float, importance_scores: Tensor | None = None) -> Any:
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    """Prunes the `amount` channels along `dim` (a number or a fraction) that `_kept` leaves out."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        self.amount = _checked_amount(amount)
        self.dim = dim

    def _kept(self, t: Tensor, count: int) -> Tensor:
        """A vector, 0 for the `count` channels to prune."""
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if t.dim() <= 1:
            raise _errors.prune_dimensions(t.shape, t.dim())
        if not -t.dim() <= self.dim < t.dim():
            raise _errors.prune_dim(self.dim, t.shape)
        count = _count(self.amount, t.shape[self.dim])
        if not count:
            return default_mask
        shape = [1] * t.dim()
        shape[self.dim] = -1
        return self._kept(t, count).to(dtype=t.dtype).view(shape).expand_as(t) * default_mask


class RandomStructured(_Structured):
    """Prunes `amount` channels along `dim` (a number or a fraction) chosen at random."""

    def _kept(self, t: Tensor, count: int) -> Tensor:
        draws = torchlike.rand(t.shape[self.dim])
        return draws > torchlike.kthvalue(draws, k=count).values

    @classmethod
    def apply(cls, module: Any, name: str, amount: float, dim: int = -1) -> Any:
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Prunes the `amount` channels along `dim` (a number or a fraction) of smallest n-norm."""

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
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask of one's own."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, mask: Tensor) -> Any:
        return super().apply(module, name, mask=mask)


# --- functions --------------------------------------------------------------------------------------------------------


def identity(module: Any, name: str) -> Any:
    """Bring mask and hook without pruning; return the module."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """Prune `amount` random elements of parameter `name`; return the module."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: float, importance_scores: Tensor | None = None) -> Any:
    """Prune the `amount` elements of parameter `name` with the smallest scores, its own values by default."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """Prune `amount` random channels along `dim` of parameter `name`; return the module."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Any:
    """Prune the `amount` channels along `dim` of parameter `name` with the smallest n-norms; return the module."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Tensor) -> Any:
    """Prune parameter `name` where `mask` is 0; return the module."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Any, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict | None = None,
    **kwargs: Any,
) -> None:
    """Prune several (module, name) parameters as if they were one, with an unstructured method."""
    parameters = list(parameters)
    importance_scores = importance_scores or {}
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
    """Make the pruned values of parameter `name` its own, and take mask and hook away; return the module."""
    found = _hook_of(module, name)
    if found is None:
        raise _errors.not_pruned(name, module)
    key, hook = found
    hook.remove(module)
    del module._forward_pre_hooks[key]
    return module


def is_pruned(module: Any) -> bool:
    """Return whether something in the module or below it is pruned."""
    return any(
        isinstance(hook, BasePruningMethod) for each in module.modules() for hook in each._forward_pre_hooks.values()
    )
