"""The Adam optimizer (Kingma and Ba, 2015)."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import Step, namespace
from torchlike.optim import _errors
from torchlike.optim._checks import check_betas, check_implementation, check_lr, check_positive
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim._state.given import check_counters, step_given
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT


@update_rule
def adam_update(
    variant: tuple, scalars: tuple, step: Step, param: Any, grad: Any, mean: Any, square: Any, largest: Any = None
) -> tuple:
    """Return the Adam update.

    Optax's version is not used. The decay rates are inputs of the program, because `OneCycleLR` changes beta1 at every
    step. Optax would compute `1 - beta2` from a float32 input, with an error in the fifth digit. PyTorch computes it,
    and the bias corrections, in double precision.
    """
    xp = namespace(param)
    step_size, beta1_rest, beta2, beta2_rest, correction, eps = scalars
    mean = step(mean + beta1_rest * (grad - mean))
    square = step(step(beta2 * square) + beta2_rest * grad * grad)
    largest = square if largest is None else xp.maximum(largest, square)
    divisor = step(step(step(xp.sqrt(largest)) / correction) + step(eps))
    kept = (mean, square) if largest is square else (mean, square, largest)
    return param - step_size * mean / divisor, *kept


class Adam(RuleOptimizer):
    r"""The Adam optimizer. It scales steps by running estimates of the first two moments of the gradient.

    .. math:: m \leftarrow \beta_1 m + (1-\beta_1) g,\quad v \leftarrow \beta_2 v + (1-\beta_2) g^2,\quad
        p \leftarrow p - \eta\, \frac{m / (1-\beta_1^t)}{\sqrt{v / (1-\beta_2^t)} + \epsilon}

    Args:
      params: parameters or groups of parameters.
      lr: learning rate :math:`\eta`, a number or a Tensor of one element.
      betas: decay rates of the two averages, each in [0, 1).
      eps: added to the denominator.
      weight_decay: :math:`\lambda`, an L2 penalty added to the gradient. With `decoupled_weight_decay` the parameter is
        multiplied by :math:`1 - \eta\lambda` before the step instead, as in `AdamW`.
      decoupled_weight_decay: see `weight_decay`.
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
    >>> p = torchlike.nn.Parameter(torchlike.tensor([1.0, -2.0]))
    >>> optimizer = torchlike.optim.Adam([p], lr=0.5)
    >>> p.square().sum().backward()
    >>> optimizer.step()
    >>> p.detach().numpy().round(6).tolist()
    [0.5, -1.5]
    """

    rule = staticmethod(adam_update)
    counts_on_device = True
    tensor_counters = ("step",)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        no_tensors = foreach and not capturable
        if isinstance(lr, Tensor) and no_tensors:
            raise _errors.tensor_with_foreach("lr")
        check_lr(lr)
        check_positive(eps=eps)
        check_betas(betas)
        _check_tensors(betas, no_tensors)
        squeezed = tuple([_squeezed(beta) for beta in betas])
        check_positive(weight_decay=weight_decay)
        check_implementation(foreach, fused, differentiable)
        super().__init__(
            params,
            dict(
                lr=lr,
                betas=squeezed,
                eps=eps,
                weight_decay=weight_decay,
                amsgrad=amsgrad,
                maximize=maximize,
                foreach=foreach,
                capturable=capturable,
                differentiable=differentiable,
                fused=fused,
                decoupled_weight_decay=decoupled_weight_decay,
            ),
        )

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq", "max_exp_avg_sq") if group["amsgrad"] else ("exp_avg", "exp_avg_sq")

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        (step,) = now
        beta1, beta2 = group["betas"]
        step_size = group["lr"] / (1 - beta1**step)
        correction = (1 - beta2**step) ** 0.5
        return step_size, 1 - beta1, beta2, 1 - beta2, correction, group["eps"]


def _squeezed(beta: float | Tensor) -> float | Tensor:
    return beta.squeeze() if isinstance(beta, Tensor) else beta


def _check_tensors(betas: tuple, foreach: bool | None) -> None:
    if isinstance(betas[0], Tensor) != isinstance(betas[1], Tensor):
        raise ValueError("betas must be either both floats or both Tensors")
    if isinstance(betas[0], Tensor) and foreach:
        raise _errors.tensor_with_foreach("betas[0]")


def adam(
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
    decoupled_weight_decay: bool = False,
    *,
    amsgrad: bool,
    beta1: float | Tensor,
    beta2: float | Tensor,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Make one step of `Adam` on lists of tensors, in place.

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
      foreach, capturable, differentiable, fused, amsgrad: see `Adam`.
      decoupled_weight_decay, lr, weight_decay, eps, maximize: see `Adam`.
      beta1, beta2: the decay rates of the averages.
    """
    check_counters(state_steps=state_steps)
    step_given(
        Adam,
        params,
        grads,
        {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "max_exp_avg_sq": max_exp_avg_sqs, "step": state_steps},
        (grad_scale, found_inf),
        foreach=foreach,
        capturable=capturable,
        differentiable=differentiable,
        fused=fused,
        decoupled_weight_decay=decoupled_weight_decay,
        amsgrad=amsgrad,
        betas=(beta1, beta2),
        lr=lr,
        weight_decay=weight_decay,
        eps=eps,
        maximize=maximize,
    )
