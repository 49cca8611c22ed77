"""`_FunctionalAdamax`."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.optim import Adamax

from ._functional import _Functional


class _FunctionalAdamax(_Functional):
    """Adamax with gradients that are passed to `step`.

    Args:
      params (list of Tensors): the parameters.
      lr, betas, eps, weight_decay, foreach, maximize: the options of `torch.optim.Adamax`.
      _allow_empty_param_list: whether there may be no parameters.
    """

    def __init__(
        self,
        params: list[Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        foreach: bool = False,
        maximize: bool = False,
        _allow_empty_param_list: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(Adamax, params, options, _allow_empty_param_list)
