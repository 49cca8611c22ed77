"""`_FunctionalSGD`."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.optim import SGD

from ._functional import _Functional


class _FunctionalSGD(_Functional):
    """SGD with gradients that are passed to `step`.

    Args:
      params (list of Tensors): the parameters.
      lr, momentum, dampening, weight_decay, nesterov, maximize, foreach, fused: the options of
        `torch.optim.SGD`.
      _allow_empty_param_list: whether there may be no parameters.
    """

    def __init__(
        self,
        params: list[Tensor],
        lr: float = 1e-2,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        maximize: bool = False,
        foreach: bool = False,
        fused: bool = False,
        _allow_empty_param_list: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "fused": fused,
        }
        super().__init__(SGD, params, options, _allow_empty_param_list)
