"""`LazyModuleMixin`, the mixin of layers that infer their input size from the first input."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin(Module):
    """A mixin that makes a layer class lazy. It must precede the layer class in the list of base classes.

    The parameters get their shapes from a loaded state dictionary, or at the first call from `initialize_parameters`.
    After that first call the module is an instance of `cls_to_become`, unless this is None.

    Args:
      *args, **kwargs: the arguments of the layer class.

    >>> import torchlike as torch
    >>> layer = torch.nn.LazyLinear(3)
    >>> isinstance(layer, torch.nn.modules.lazy.LazyModuleMixin), layer.has_uninitialized_params()
    (True, True)
    """

    cls_to_become: type | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Materialize the parameters with the shapes that fit the input. Subclasses override this method.

        Args:
          *args, **kwargs: the arguments of the first call.
        """
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Return whether any parameter or buffer has no shape yet."""
        return any(is_lazy(tensor) for tensor in (*self._parameters.values(), *self._buffers.values()))

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *_: Any) -> None:
        mine: Any
        for name, mine in (*self._parameters.items(), *self._buffers.items()):
            theirs = state_dict.get(prefix + name)
            if is_lazy(mine) and theirs is not None and not is_lazy(theirs):
                with torchlike.no_grad():
                    mine.materialize(theirs.shape)

    def _infer_parameters(self, module: Any, args: tuple, kwargs: dict | None = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def reset_parameters(self) -> None:
        """Re-initialize the parameters. Do nothing while their shapes are unknown."""
        if not self.has_uninitialized_params() and self._has_size():
            super().reset_parameters()  # type: ignore[misc]

    def _has_size(self) -> bool:
        raise NotImplementedError
