"""`_FunctionalRprop`."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.optim import Rprop

from ._functional import _Functional


class _FunctionalRprop(_Functional):
    """Rprop with gradients that are passed to `step`.

    Args:
      params (list of Tensors): the parameters.
      lr, etas, step_sizes, foreach, maximize: the options of `torch.optim.Rprop`.
      _allow_empty_param_list: whether there may be no parameters.
    """

    def __init__(
        self,
        params: list[Tensor],
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        foreach: bool = False,
        maximize: bool = False,
        _allow_empty_param_list: bool = False,
    ) -> None:
        options = {"lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize}
        super().__init__(Rprop, params, options, _allow_empty_param_list)
