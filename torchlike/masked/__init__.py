"""`torch.masked`: masked tensors, and reductions and normalizations over the elements that a mask selects."""

from torchlike.masked._ops import amax as amax
from torchlike.masked._ops import amin as amin
from torchlike.masked._ops import argmax as argmax
from torchlike.masked._ops import argmin as argmin
from torchlike.masked._ops import cumprod as cumprod
from torchlike.masked._ops import cumsum as cumsum
from torchlike.masked._ops import log_softmax as log_softmax
from torchlike.masked._ops import logaddexp as logaddexp
from torchlike.masked._ops import logsumexp as logsumexp
from torchlike.masked._ops import mean as mean
from torchlike.masked._ops import median as median
from torchlike.masked._ops import norm as norm
from torchlike.masked._ops import normalize as normalize
from torchlike.masked._ops import prod as prod
from torchlike.masked._ops import softmax as softmax
from torchlike.masked._ops import softmin as softmin
from torchlike.masked._ops import std as std
from torchlike.masked._ops import sum as sum
from torchlike.masked._ops import var as var
from torchlike.masked.maskedtensor import _ops_refs as _ops_refs
from torchlike.masked.maskedtensor.core import MaskedTensor as MaskedTensor
from torchlike.masked.maskedtensor.core import is_masked_tensor as is_masked_tensor
from torchlike.masked.maskedtensor.creation import as_masked_tensor as as_masked_tensor
from torchlike.masked.maskedtensor.creation import masked_tensor as masked_tensor
