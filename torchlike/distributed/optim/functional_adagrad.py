"""`_FunctionalAdagrad`."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.optim import Adagrad

from ._functional import _Functional


class _FunctionalAdagrad(_Functional):
    """Adagrad with gradients that are passed to `step`.

    Args:
      params (list of Tensors): the parameters.
      lr, lr_decay, weight_decay, initial_accumulator_value, eps, foreach, fused, maximize: the options of
        `torch.optim.Adagrad`.
      warmup_lr_multiplier, warmup_num_iters: have no effect, as in PyTorch. They are stored in `defaults`.
      coalesce_grad: has no effect, as in PyTorch.
      _allow_empty_param_list: whether there may be no parameters.
    """

    def __init__(
        self,
        params: list[Tensor],
        lr: float = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        warmup_lr_multiplier: float = 1.0,
        warmup_num_iters: float = 0.0,
        eps: float = 1e-10,
        coalesce_grad: bool = True,
        foreach: bool = False,
        fused: bool = False,
        maximize: bool = False,
        _allow_empty_param_list: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "lr_decay": lr_decay,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "eps": eps,
            "foreach": foreach,
            "fused": fused,
            "maximize": maximize,
        }
        super().__init__(Adagrad, params, options, _allow_empty_param_list)
        self.defaults["warmup_lr_multiplier"] = warmup_lr_multiplier
        self.defaults["warmup_num_iters"] = warmup_num_iters
