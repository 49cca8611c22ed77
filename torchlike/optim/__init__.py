"""Optimizers and learning rate schedulers."""

from typing import Any

from torchlike._internal import settle as _settle
from torchlike.optim import lr_scheduler as lr_scheduler
from torchlike.optim import swa_utils as swa_utils
from torchlike.optim._adafactor import Adafactor as Adafactor
from torchlike.optim._from_optax import from_optax as from_optax
from torchlike.optim._muon import Muon as Muon
from torchlike.optim._state.swapping import swap_in_optimizer_params_and_state as swap_in_optimizer_params_and_state
from torchlike.optim.adadelta import Adadelta as Adadelta
from torchlike.optim.adagrad import Adagrad as Adagrad
from torchlike.optim.adam import Adam as Adam
from torchlike.optim.adamax import Adamax as Adamax
from torchlike.optim.adamw import AdamW as AdamW
from torchlike.optim.asgd import ASGD as ASGD
from torchlike.optim.lbfgs import LBFGS as LBFGS
from torchlike.optim.nadam import NAdam as NAdam
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.radam import RAdam as RAdam
from torchlike.optim.rmsprop import RMSprop as RMSprop
from torchlike.optim.rprop import Rprop as Rprop
from torchlike.optim.sgd import SGD as SGD
from torchlike.optim.sparse_adam import SparseAdam as SparseAdam


def __getattr__(name: str) -> Any:
    from torchlike._internal import _errors

    raise _errors.arguments.unknown_name("torch.optim", name, [n for n in globals() if not n.startswith("_")])


_settle(__name__, globals())
