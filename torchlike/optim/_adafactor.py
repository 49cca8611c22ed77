"""The Adafactor optimizer, with factored second moments of matrices (Shazeer and Stern, 2018)."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import Step, namespace
from torchlike.optim import _errors
from torchlike.optim._checks import check_at_least
from torchlike.optim._numbers import chosen
from torchlike.optim._rule import Bucket, Group, RuleOptimizer, update_rule
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.optimizer import ParamsT


@update_rule
def adafactor_update(variant: list, scalars: list, step: Step, param: Any, grad: Any, *state: Any) -> tuple:
    xp = namespace(param)
    rate, newest_weight, eps1, eps2, limit, shrink = scalars
    scale = rate * xp.maximum(eps2, _rms(param))  # uses the parameter before weight decay
    square = grad * grad
    if len(state) == 2:
        row = state[0] + newest_weight * (square.mean(-1, keepdims=True) - state[0])  # (..., R, 1)
        column = state[1] + newest_weight * (square.mean(-2, keepdims=True) - state[1])  # (..., 1, C)
        kept: tuple = (row, column)
        variance = row * column / xp.maximum(row.mean(-2, keepdims=True), eps1)  # (..., R, C)
    else:
        variance = state[0] + newest_weight * (square - state[0])
        kept = (variance,)
    change = grad / xp.sqrt(xp.maximum(variance, eps1 * eps1))
    return param * shrink - scale / xp.maximum(1, _rms(change) / limit) * change, *kept


def _rms(array: Any) -> Any:
    return namespace(array).sqrt((array * array).mean())


class Adafactor(RuleOptimizer):
    r"""The Adafactor optimizer, without momentum. The second moment of a matrix is the outer product of two vectors.

    .. math:: v = \frac{r\,c}{\mathrm{mean}(r)},\quad u = g / \sqrt{v},\quad
        p \leftarrow (1 - \eta\lambda)\,p - \frac{\max(\epsilon_2, \mathrm{rms}(p))\,\min(\eta, 1/\sqrt{t})}
        {\max(1, \mathrm{rms}(u) / d)}\,u

    :math:`r` and :math:`c` are moving averages of the mean of :math:`g^2` over the columns and over the rows. The
    newest mean has the weight :math:`t^{\beta}`. Parameters with fewer than two dimensions keep a full :math:`v`.

    Args:
      params: parameters or groups of parameters.
      lr: :math:`\eta`, a number or a Tensor of one element.
      beta2_decay: :math:`\beta`, at most 0.
      eps: :math:`\epsilon_1` and :math:`\epsilon_2`. The second moment is at least :math:`\epsilon_1^2`.
        :math:`\epsilon_1` defaults to the machine epsilon of the dtype.
      d: clipping threshold of the root mean square of :math:`u`.
      weight_decay: :math:`\lambda`, decoupled.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.
      maximize: maximize the objective instead of minimizing it.

    Raises:
      ValueError: an option is out of range.
      RuntimeError: a parameter is complex. The first step raises this.

    >>> import torchlike as torch
    >>> p = torch.nn.Parameter(torch.tensor([1.0]))
    >>> optimizer = torch.optim.Adafactor([p], lr=0.5)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> round(p.item(), 4)
    0.5
    """

    rule = staticmethod(adafactor_update)
    by_element = False

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_at_least(0, Learning_rate=lr)
        if not beta2_decay <= 0:
            raise _errors.too_large("beta2_decay", 0, beta2_decay)
        check_at_least(0, epsilon1=0 if eps[0] is None else eps[0], epsilon2=eps[1])
        check_at_least(1, Clipping_threshold_d=d)
        if not weight_decay >= 0:
            raise _errors.too_small("weight_decay", 0, weight_decay)
        super().__init__(
            params,
            dict(
                lr=lr,
                beta2_decay=beta2_decay,
                eps=eps,
                d=d,
                weight_decay=weight_decay,
                foreach=foreach,
                maximize=maximize,
            ),
        )

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        if param is None:
            return ()
        if param.is_complex():
            raise _errors.no_complex("Adafactor")
        return ("row_var", "col_var") if param.dim() > 1 else ("variance",)

    def _initial(self, group: Group, name: str, shape: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        if name == "row_var":
            return 0.0, (*shape[:-1], 1)
        return 0.0, (*shape[:-2], 1, shape[-1]) if name == "col_var" else shape

    def _check_kept(self, kept: Group, missing: list[str]) -> None:
        super()._check_kept(kept, [])
        if missing:
            raise _errors.no_variance(missing[0])

    def _decay(self, group: Group) -> None:
        return None  # the rule applies weight decay itself, after it has computed `scale`

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        (step,), lr = now, group["lr"]
        eps1, eps2 = group["eps"]
        eps1 = torchlike.finfo(bucket.dtype).eps if eps1 is None else eps1
        shrink = 1 - lr * group["weight_decay"]
        rate = 1 / step**0.5
        return chosen(lr < rate, lr, rate), step ** group["beta2_decay"], eps1, eps2, group["d"], shrink
