"""The AdamW optimizer: Adam with decoupled weight decay (Loshchilov and Hutter, 2019)."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.optim.adam import Adam
from torchlike.optim.optimizer import ParamsT


class AdamW(Adam):
    r"""The AdamW optimizer: Adam with weight decay applied to the parameter instead of the gradient.

    Each step first scales the parameter, and then makes the step of `Adam` without weight decay:

    .. math:: p \leftarrow (1 - \eta\lambda)\,p

    Args:
      params: parameters or groups of parameters.
      lr: learning rate :math:`\eta`, a number or a Tensor of one element.
      betas: decay rates of the two averages, each in [0, 1).
      eps: added to the denominator.
      weight_decay: :math:`\lambda`.
      amsgrad: divide by the maximum of all second moments so far.
      maximize: maximize the objective instead of minimizing it.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.
      fused: do not round intermediate results in half precision, like PyTorch's fused step. It has no other effect.
      capturable: True is not supported: the first step raises an error, as PyTorch's does on the CPU. A fused step on
        the CPU ignores it.
      differentiable: let autograd record the step, so that gradients flow through it.

    Raises:
      ValueError: `lr`, `eps` or `weight_decay` is negative, or a beta is outside [0, 1).

    >>> import torchlike
    >>> p = torchlike.nn.Parameter(torchlike.tensor([1.0]))
    >>> optimizer = torchlike.optim.AdamW([p], lr=0.5, weight_decay=0.5)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> round(p.item(), 6)
    0.25
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
