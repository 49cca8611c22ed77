"""The averaged stochastic gradient descent optimizer (Polyak and Juditsky, 1992)."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import Step, namespace
from torchlike.optim._checks import Capturable, check_lr, check_positive
from torchlike.optim._numbers import chosen, rounded
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim._state.given import step_given
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT


@update_rule
def asgd_update(variant: tuple, scalars: tuple, step: Step, param: Any, grad: Any, average: Any) -> tuple:
    eta, shrink, mu = scalars
    param = step(step(param * shrink) - step(eta) * grad)
    return param, namespace(param).where(mu == 1, param, average + step(mu * step(param - average)))


class ASGD(RuleOptimizer):
    r"""Averaged stochastic gradient descent with a decaying learning rate.

    The state entry `ax` is the average of the parameter since step `t0`.

    .. math:: p \leftarrow (1 - \lambda\eta_t)\,p - \eta_t g,\quad a \leftarrow a + \mu_t (p - a),\quad
        \eta_{t+1} = \frac{\eta}{(1 + \lambda\eta t)^\alpha},\quad \mu_{t+1} = \frac{1}{\max(1, t - t_0)}

    Args:
      params: parameters or groups of parameters.
      lr: initial learning rate :math:`\eta`, a number or a Tensor of one element.
      lambd: :math:`\lambda`, the rate at which the parameters and the learning rate decay.
      alpha: exponent of the decay.
      t0: the step at which averaging starts.
      weight_decay: L2 penalty.
      maximize: maximize the objective instead of minimizing it.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.
      capturable: True is not supported: the first step raises an error, as PyTorch's does on the CPU.
      differentiable: let autograd record the step, so that gradients flow through it.

    Raises:
      ValueError: `lr` or `weight_decay` is negative.

    >>> import torchlike as torch
    >>> p = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = torch.optim.ASGD([p], lr=0.5, lambd=0.0)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.tolist()
    [0.5]
    """

    capturable = Capturable(("params, mus, etas, and state_steps", "params, mus, etas, and state_steps"))
    writes = 2
    rule = staticmethod(asgd_update)
    counters = ("step", "eta", "mu")

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check_positive(weight_decay=weight_decay)
        super().__init__(
            params,
            dict(
                lr=lr,
                lambd=lambd,
                alpha=alpha,
                t0=t0,
                weight_decay=weight_decay,
                foreach=foreach,
                maximize=maximize,
                differentiable=differentiable,
                capturable=capturable,
            ),
        )

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        return ("ax",)

    def _check_kept(self, kept: Group, missing: list[str]) -> None:
        super()._check_kept(kept, ["mu", *missing])  # PyTorch looks up `mu` first, so a missing `mu` is reported first

    def _start_counters(self, group: Group) -> tuple[float, ...]:
        lr = group["lr"]
        return 0.0, rounded(lr.item() if isinstance(lr, Tensor) else lr), 1.0

    def _advance(self, group: Group, counters: tuple[float, ...]) -> tuple[float, ...]:
        step, lr = counters[0] + 1, group["lr"]
        eta = lr / (1 + group["lambd"] * lr * step) ** group["alpha"]
        past = step - group["t0"]
        mu = 1 / chosen(past > 1, past, 1)
        default = torchlike.get_default_dtype()  # the dtype of the tensors that PyTorch copies into the state
        return step, rounded(rounded(eta, default)), rounded(rounded(mu, default))

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        _, eta, mu = before
        return eta, 1 - group["lambd"] * eta, mu


def asgd(
    params: list[Tensor],
    grads: list[Tensor],
    axs: list[Tensor],
    mus: list[Tensor],
    etas: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lambd: float,
    lr: float | Tensor,
    t0: float,
    alpha: float,
    weight_decay: float,
) -> None:
    """Make one step of `ASGD` on lists of tensors, in place.

    The options are those of the class. The options without default must be given.

    Args:
      params: the parameters, which are updated in place.
      grads: their gradients.
      axs: the averages of the parameters.
      mus: the rates of averaging.
      etas: the learning rates.
      state_steps: the number of steps of each parameter, as tensors of one element.
      has_complex: has no effect. Complex parameters are recognized.
      foreach, maximize, differentiable, capturable, lambd, lr, t0, alpha, weight_decay: see `ASGD`.
    """
    step_given(
        ASGD,
        params,
        grads,
        {"ax": axs, "mu": mus, "eta": etas, "step": state_steps},
        foreach=foreach,
        maximize=maximize,
        differentiable=differentiable,
        capturable=capturable,
        lambd=lambd,
        lr=lr,
        t0=t0,
        alpha=alpha,
        weight_decay=weight_decay,
    )
