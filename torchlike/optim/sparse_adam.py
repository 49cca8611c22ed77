"""The SparseAdam optimizer: Adam for sparse gradients."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import Step, namespace
from torchlike.optim import _errors
from torchlike.optim._checks import check_betas, check_one_element
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT


@update_rule
def sparse_adam_update(
    variant: tuple, scalars: tuple, step: Step, param: Any, grad: Any, mean: Any, square: Any
) -> tuple:
    """Return the update of the rows of one sparse gradient.

    As in PyTorch, `eps` is added before the bias of the second moment is corrected.
    """
    step_size, beta1_rest, beta2_rest, eps = scalars
    mean_change = step(step(grad - mean) * beta1_rest)
    square_change = step(step(step(grad * grad) - square) * beta2_rest)
    mean, square = step(mean + mean_change), step(square + square_change)
    divisor = step(step(namespace(param).sqrt(square)) + step(eps))
    return param - step(step_size * step(mean / divisor)), mean, square


class SparseAdam(RuleOptimizer):
    r"""The SparseAdam optimizer: Adam for sparse gradients. A step updates only the rows that the gradient contains.

    .. math:: m \leftarrow m + (1-\beta_1)(g - m),\quad v \leftarrow v + (1-\beta_2)(g^2 - v),\quad
        p \leftarrow p - \eta\, \frac{\sqrt{1-\beta_2^t}}{1-\beta_1^t} \frac{m}{\sqrt{v} + \epsilon}

    The moments of the other rows do not decay. :math:`t` counts the steps of the whole parameter.

    Args:
      params: dense parameters or groups of parameters.
      lr: learning rate :math:`\eta`, a number or a Tensor of one element.
      betas: decay rates of the two moments, each in [0, 1).
      eps: added to the denominator.
      maximize: maximize the objective instead of minimizing it.

    Raises:
      ValueError: `lr` or `eps` is not positive, a beta is out of range, or a parameter is sparse or complex.
      RuntimeError: a gradient is dense. The step raises this.

    >>> import torchlike
    >>> table = torchlike.nn.Embedding(3, 1, sparse=True, _weight=torchlike.ones(3, 1))
    >>> optimizer = torchlike.optim.SparseAdam(table.parameters(), lr=0.5)
    >>> table(torchlike.tensor([1])).sum().backward()
    >>> optimizer.step()
    >>> table.weight.detach().flatten()
    tensor([1.0000, 0.5000, 1.0000])
    """

    rule = sparse_rule = staticmethod(sparse_adam_update)
    shown_counter = staticmethod(lambda value, dtype: int(value))
    requires_counters = False

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_one_element(lr)
        if not 0.0 < lr:
            raise _errors.invalid("learning rate", lr)
        if not 0.0 < eps:
            raise _errors.invalid("epsilon value", eps)
        check_betas(betas)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, maximize=maximize))
        params_at = [([g, i], p) for g, group in enumerate(self.param_groups) for i, p in enumerate(group["params"])]
        if sparse := [place for place, p in params_at if p.is_sparse]:
            raise ValueError(f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors")
        if complex_ones := [place for place, p in params_at if p.is_complex()]:
            raise ValueError(
                f"Complex params at indices {complex_ones}: SparseAdam does not support complex parameters"
            )

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        return "exp_avg", "exp_avg_sq"

    def _step_group(self, index: int, group: Group) -> None:
        if any(param.grad is not None and not param.grad.is_sparse for param in group["params"]):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        super()._step_group(index, group)

    def _next_scalars(self, group: Group, bucket: Bucket) -> tuple[float, ...]:
        scalars = super()._next_scalars(group, bucket)
        for i in bucket.rows:  # other references to the dictionary may exist, so `step` is kept current there
            self._state[group["params"][i]]["step"] = int(bucket.counters[0])
        return scalars

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        (step,) = now
        beta1, beta2 = float(group["betas"][0]), float(group["betas"][1])
        step_size = float(group["lr"]) * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
        return step_size, 1 - beta1, 1 - beta2, float(group["eps"])
