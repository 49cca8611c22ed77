"""`_FunctionalAdam`."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.optim import Adam

from ._functional import _Functional


class _FunctionalAdam(_Functional):
    """Adam with gradients that are passed to `step`.

    Args:
      params (list of Tensors): the parameters.
      lr, betas, eps, weight_decay, amsgrad, maximize, foreach, fused: the options of `torch.optim.Adam`.
      _allow_empty_param_list: whether there may be no parameters.
    """

    def __init__(
        self,
        params: list[Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        maximize: bool = False,
        foreach: bool = False,
        fused: bool = False,
        _allow_empty_param_list: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "fused": fused,
        }
        super().__init__(Adam, params, options, _allow_empty_param_list)
