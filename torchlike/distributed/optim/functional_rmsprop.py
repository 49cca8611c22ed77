"""`_FunctionalRMSprop`."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.optim import RMSprop

from ._functional import _Functional


class _FunctionalRMSprop(_Functional):
    """RMSprop with gradients that are passed to `step`.

    Args:
      params (list of Tensors): the parameters.
      lr, alpha, eps, weight_decay, momentum, centered, foreach, maximize: the options of `torch.optim.RMSprop`.
      _allow_empty_param_list: whether there may be no parameters.
    """

    def __init__(
        self,
        params: list[Tensor],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        foreach: bool = False,
        maximize: bool = False,
        _allow_empty_param_list: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "alpha": alpha,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "centered": centered,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(RMSprop, params, options, _allow_empty_param_list)
