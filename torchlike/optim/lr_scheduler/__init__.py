"""Learning rate schedulers."""

from torchlike._internal import settle as _settle
from torchlike.optim import _errors
from torchlike.optim.lr_scheduler._base import LRScheduler as LRScheduler
from torchlike.optim.lr_scheduler._base import (
    _warn_get_lr_called_within_step as _warn_get_lr_called_within_step,
)
from torchlike.optim.lr_scheduler._combine import ChainedScheduler as ChainedScheduler
from torchlike.optim.lr_scheduler._combine import SequentialLR as SequentialLR
from torchlike.optim.lr_scheduler._cosine import CosineAnnealingLR as CosineAnnealingLR
from torchlike.optim.lr_scheduler._cosine import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
from torchlike.optim.lr_scheduler._cycle import CyclicLR as CyclicLR
from torchlike.optim.lr_scheduler._cycle import OneCycleLR as OneCycleLR
from torchlike.optim.lr_scheduler._decay import ConstantLR as ConstantLR
from torchlike.optim.lr_scheduler._decay import ExponentialLR as ExponentialLR
from torchlike.optim.lr_scheduler._decay import LinearLR as LinearLR
from torchlike.optim.lr_scheduler._decay import MultiStepLR as MultiStepLR
from torchlike.optim.lr_scheduler._decay import PolynomialLR as PolynomialLR
from torchlike.optim.lr_scheduler._decay import StepLR as StepLR
from torchlike.optim.lr_scheduler._function import LambdaLR as LambdaLR
from torchlike.optim.lr_scheduler._function import MultiplicativeLR as MultiplicativeLR
from torchlike.optim.lr_scheduler._plateau import ReduceLROnPlateau as ReduceLROnPlateau
from torchlike.optim.optimizer import Optimizer as Optimizer

EPOCH_DEPRECATION_WARNING = _errors.epoch_deprecated()


class _LRScheduler(LRScheduler):
    """The name of `LRScheduler` before PyTorch 2.0, which existing code still subclasses."""


_settle(__name__, globals())
