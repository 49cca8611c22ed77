"""The AdamW optimizer: Adam with decoupled weight decay (Loshchilov and Hutter, 2019)."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.optim.adam import Adam, adam
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


def adamw(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    max_exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    *,
    amsgrad: bool,
    beta1: float | Tensor,
    beta2: float | Tensor,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Make one step of `AdamW` on lists of tensors, in place.

    The options are those of the class. The options without default must be given.

    Args:
      params: the parameters, which are updated in place.
      grads: their gradients.
      exp_avgs: the averages of the gradients.
      exp_avg_sqs: the averages of the squared gradients.
      max_exp_avg_sqs: the maxima of the second moments, used with `amsgrad`.
      state_steps: the number of steps of each parameter, as tensors of one element.
      has_complex: has no effect. Complex parameters are recognized.
      grad_scale: the factor by which a fused step divides the gradients.
      found_inf: a flag of one element. If it is not zero, a fused step does nothing.
      foreach, capturable, differentiable, fused, amsgrad: see `AdamW`.
      lr, weight_decay, eps, maximize: see `AdamW`.
      beta1, beta2: the decay rates of the averages.
    """
    adam(
        params,
        grads,
        exp_avgs,
        exp_avg_sqs,
        max_exp_avg_sqs,
        state_steps,
        decoupled_weight_decay=True,
        foreach=foreach,
        capturable=capturable,
        differentiable=differentiable,
        fused=fused,
        grad_scale=grad_scale,
        found_inf=found_inf,
        has_complex=has_complex,
        amsgrad=amsgrad,
        beta1=beta1,
        beta2=beta2,
        lr=lr,
        weight_decay=weight_decay,
        eps=eps,
        maximize=maximize,
    )
