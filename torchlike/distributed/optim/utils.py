"""The optimizers whose gradients are passed to `step`, by the classes of `torch.optim`."""

from __future__ import annotations

from typing import Any

from torchlike import optim as _optim

from .functional_adadelta import _FunctionalAdadelta
from .functional_adagrad import _FunctionalAdagrad
from .functional_adam import _FunctionalAdam
from .functional_adamax import _FunctionalAdamax
from .functional_adamw import _FunctionalAdamW
from .functional_rmsprop import _FunctionalRMSprop
from .functional_rprop import _FunctionalRprop
from .functional_sgd import _FunctionalSGD

functional_optim_map: dict[Any, Any] = {
    _optim.Adagrad: _FunctionalAdagrad,
    _optim.Adam: _FunctionalAdam,
    _optim.AdamW: _FunctionalAdamW,
    _optim.SGD: _FunctionalSGD,
    _optim.Adadelta: _FunctionalAdadelta,
    _optim.RMSprop: _FunctionalRMSprop,
    _optim.Rprop: _FunctionalRprop,
    _optim.Adamax: _FunctionalAdamax,
}


def register_functional_optim(key: Any, optim: Any) -> None:
    """Register the functional form of an optimizer, unless it has one.

    Args:
      key: the optimizer.
      optim: the class of its functional form.
    """
    functional_optim_map.setdefault(key, optim)


def as_functional_optim(optim_cls: type, *args: Any, **kwargs: Any) -> Any:
    """Return the functional form of an optimizer, without parameters. Its `step_param` updates any parameter.

    Args:
      optim_cls (type): the class of the optimizer.
      *args, **kwargs: the options of the functional form.

    Raises:
      ValueError: the optimizer has no functional form.
    """
    if optim_cls not in functional_optim_map:
        raise ValueError(f"Optimizer {optim_cls} does not have a functional counterpart!")
    return functional_optim_map[optim_cls]([], *args, **kwargs, _allow_empty_param_list=True)
