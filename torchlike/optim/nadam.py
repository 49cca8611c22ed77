"""The NAdam optimizer: Adam with Nesterov momentum (Dozat, 2016)."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import Step, namespace
from torchlike.optim._checks import Capturable, check_betas, check_lr, check_positive
from torchlike.optim._numbers import rounded
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim._state.given import check_counters, step_given
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT


@update_rule
def nadam_update(variant: tuple, scalars: tuple, step: Step, param: Any, grad: Any, mean: Any, square: Any) -> tuple:
    grad_rate, mean_rate, beta1_rest, beta2, beta2_rest, correction, eps = scalars
    mean = step(mean + beta1_rest * (grad - mean))
    square = step(step(beta2 * square) + beta2_rest * grad * grad)
    divisor = step(step(namespace(param).sqrt(step(square / correction))) + step(eps))
    return step(param - grad_rate * grad / divisor) - mean_rate * mean / divisor, mean, square


class NAdam(RuleOptimizer):
    r"""The NAdam optimizer: Adam with Nesterov momentum, whose coefficient grows toward :math:`\beta_1`.

    .. math:: \mu_t = \beta_1 (1 - \tfrac12\, 0.96^{t\psi}),\quad
        p \leftarrow p - \eta\,\frac{\frac{(1-\mu_t)\,g}{1-\prod_{i\le t}\mu_i}
        + \frac{\mu_{t+1}\,m}{1-\prod_{i\le t+1}\mu_i}}{\sqrt{v/(1-\beta_2^t)} + \epsilon}

    with Adam's averages :math:`m` and :math:`v`.

    Args:
      params: parameters or groups of parameters.
      lr: learning rate :math:`\eta`, a number or a Tensor of one element.
      betas: decay rates of the two averages, each in [0, 1).
      eps: added to the denominator.
      weight_decay: L2 penalty. With `decoupled_weight_decay` it scales the parameter before the step, as in `AdamW`.
      decoupled_weight_decay: see `weight_decay`.
      momentum_decay: :math:`\psi`.
      maximize: maximize the objective instead of minimizing it.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.
      capturable: True is not supported: the first step raises an error, as PyTorch's does on the CPU.
      differentiable: let autograd record the step, so that gradients flow through it.

    Raises:
      ValueError: an option is negative, or a beta is outside [0, 1).

    >>> import torchlike as torch
    >>> p = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = torch.optim.NAdam([p], lr=0.5)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.item() < 1.0
    True
    """

    capturable = Capturable(("params, mu_products and state_steps", "params, mu_products, and state_steps"))
    writes = 2
    rule = staticmethod(nadam_update)
    counters = ("step", "mu_product")
    tensor_counters = ("mu_product",)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_positive(eps=eps)
        check_betas(betas)
        check_positive(weight_decay=weight_decay, momentum_decay=momentum_decay)
        super().__init__(
            params,
            dict(
                lr=lr,
                betas=betas,
                eps=eps,
                weight_decay=weight_decay,
                momentum_decay=momentum_decay,
                decoupled_weight_decay=decoupled_weight_decay,
                maximize=maximize,
                foreach=foreach,
                capturable=capturable,
                differentiable=differentiable,
            ),
        )

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        return "exp_avg", "exp_avg_sq"

    def _start_counters(self, group: Group) -> tuple[float, ...]:
        return 0.0, 1.0

    def _advance(self, group: Group, counters: tuple[float, ...]) -> tuple[float, ...]:
        step, product = counters
        momentum = _momentum(group, step + 1)
        if isinstance(product, Tensor):
            return step + 1, product * momentum
        # PyTorch keeps the product in a tensor, so it is rounded to that dtype.
        return step + 1, rounded(rounded(product) * rounded(momentum))

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        step, product = now
        lr, (beta1, beta2) = group["lr"], group["betas"]
        following = _momentum(group, step + 1)
        grad_rate = lr * (1 - _momentum(group, step)) / (1 - product)
        mean_rate = lr * following / (1 - product * following)
        rests = (1 - beta1, beta2, 1 - beta2, 1 - beta2**step)
        return grad_rate, mean_rate, *rests, group["eps"]


def _momentum(group: Group, step: float) -> float:
    return group["betas"][0] * (1 - 0.5 * 0.96 ** (step * group["momentum_decay"]))


def nadam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    mu_products: list[Tensor],
    state_steps: list[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
    momentum_decay: float,
    eps: float,
) -> None:
    """Make one step of `NAdam` on lists of tensors, in place.

    The options are those of the class. The options without default must be given.

    Args:
      params: the parameters, which are updated in place.
      grads: their gradients.
      exp_avgs: the averages of the gradients.
      exp_avg_sqs: the averages of the squared gradients.
      mu_products: the products of the momentum coefficients.
      state_steps: the number of steps of each parameter, as tensors of one element.
      has_complex: has no effect. Complex parameters are recognized.
      foreach, capturable, differentiable, maximize: see `NAdam`.
      lr, weight_decay, decoupled_weight_decay, momentum_decay, eps: see `NAdam`.
      beta1, beta2: the decay rates of the averages.
    """
    check_counters(state_steps=state_steps, mu_products=mu_products)
    step_given(
        NAdam,
        params,
        grads,
        {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "mu_product": mu_products, "step": state_steps},
        decoupled_weight_decay=decoupled_weight_decay,
        foreach=foreach,
        capturable=capturable,
        differentiable=differentiable,
        maximize=maximize,
        betas=(beta1, beta2),
        lr=lr,
        weight_decay=weight_decay,
        momentum_decay=momentum_decay,
        eps=eps,
    )
