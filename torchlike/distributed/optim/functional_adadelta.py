"""`_FunctionalAdadelta`."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.optim import Adadelta

from ._functional import _Functional


class _FunctionalAdadelta(_Functional):
    """Adadelta with gradients that are passed to `step`.

    Args:
      params (list of Tensors): the parameters.
      lr, rho, eps, weight_decay, foreach, maximize: the options of `torch.optim.Adadelta`.
      _allow_empty_param_list: whether there may be no parameters.
    """

    def __init__(
        self,
        params: list[Tensor],
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        foreach: bool = False,
        maximize: bool = False,
        _allow_empty_param_list: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(Adadelta, params, options, _allow_empty_param_list)
