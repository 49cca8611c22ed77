"""The functional forms of the optimizers, and that of `SparseAdam`."""

from __future__ import annotations

from torchlike import Tensor
from torchlike.optim._state.given import step_given
from torchlike.optim.adadelta import adadelta as adadelta
from torchlike.optim.adagrad import adagrad as adagrad
from torchlike.optim.adam import adam as adam
from torchlike.optim.adamax import adamax as adamax
from torchlike.optim.adamw import adamw as adamw
from torchlike.optim.asgd import asgd as asgd
from torchlike.optim.nadam import nadam as nadam
from torchlike.optim.radam import radam as radam
from torchlike.optim.rmsprop import rmsprop as rmsprop
from torchlike.optim.rprop import rprop as rprop
from torchlike.optim.sgd import sgd as sgd
from torchlike.optim.sparse_adam import SparseAdam


def sparse_adam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    state_steps: list[int],
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float,
    maximize: bool,
) -> None:
    """Make one step of `SparseAdam` on lists of tensors, in place.

    Args:
      params: the parameters, which are updated in place.
      grads: their sparse gradients.
      exp_avgs: the averages of the gradients.
      exp_avg_sqs: the averages of the squared gradients.
      state_steps: the number of this step for each parameter, from 1. The list is not changed.
      lr, eps, maximize: see `SparseAdam`.
      beta1, beta2: the decay rates of the averages.
    """
    state = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "step": [step - 1 for step in state_steps]}
    step_given(SparseAdam, params, grads, state, lr=lr, betas=(beta1, beta2), eps=eps, maximize=maximize)
