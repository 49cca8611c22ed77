"""Optimizers for several processes. `DistributedOptimizer` is not supported."""

import sys

from torchlike.distributed import _absent
from torchlike.distributed.optim.apply_optimizer_in_backward import (
    _apply_optimizer_in_backward as _apply_optimizer_in_backward,
)
from torchlike.distributed.optim.apply_optimizer_in_backward import (
    _get_in_backward_optimizers as _get_in_backward_optimizers,
)
from torchlike.distributed.optim.functional_adadelta import _FunctionalAdadelta as _FunctionalAdadelta
from torchlike.distributed.optim.functional_adagrad import _FunctionalAdagrad as _FunctionalAdagrad
from torchlike.distributed.optim.functional_adam import _FunctionalAdam as _FunctionalAdam
from torchlike.distributed.optim.functional_adamax import _FunctionalAdamax as _FunctionalAdamax
from torchlike.distributed.optim.functional_adamw import _FunctionalAdamW as _FunctionalAdamW
from torchlike.distributed.optim.functional_rmsprop import _FunctionalRMSprop as _FunctionalRMSprop
from torchlike.distributed.optim.functional_rprop import _FunctionalRprop as _FunctionalRprop
from torchlike.distributed.optim.functional_sgd import _FunctionalSGD as _FunctionalSGD
from torchlike.distributed.optim.named_optimizer import _NamedOptimizer as _NamedOptimizer
from torchlike.distributed.optim.post_localSGD_optimizer import PostLocalSGDOptimizer as PostLocalSGDOptimizer
from torchlike.distributed.optim.utils import as_functional_optim as as_functional_optim
from torchlike.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer as ZeroRedundancyOptimizer

_absent.fill(sys.modules[__name__], "DistributedOptimizer")
_absent.submodule(__name__ + ".optimizer", "DistributedOptimizer")
