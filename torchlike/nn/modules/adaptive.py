"""Adaptive softmax, an approximation for many classes of unequal frequency (Grave et al., 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import torchlike
from torchlike import Tensor
from torchlike.nn import _errors_layers as _errors
from torchlike.nn import functional as F
from torchlike.nn.modules.container import ModuleList, Sequential
from torchlike.nn.modules.linear import Linear
from torchlike.nn.modules.module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Adaptive log-softmax over `n_classes` classes, sorted by decreasing frequency (Grave et al., 2017).

    The head has one entry for each class before the first cutoff and one entry for each cluster of rarer classes.
    Cluster i scores its classes with a hidden size of in_features / div_value^(i+1). The layer takes an input
    (N, in_features) and targets (N), or a single sample. It returns `output`, the log-probability of each target, and
    `loss`, the negative mean of `output`.

    Args:
      in_features: the size of an input.
      n_classes: the number of classes.
      cutoffs: the first class of each cluster, positive numbers in increasing order, less than `n_classes`.
      div_value: the factor by which the hidden size of each cluster is smaller than that of the previous one.
      head_bias: give the head a bias.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      ValueError: the cutoffs are empty, not increasing or out of range.
      RuntimeError: a target is not a class. The call raises this.

    >>> import torchlike as torch
    >>> layer = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs=[4])
    >>> layer(torch.ones(2, 8), torch.tensor([0, 9])).output.shape
    torch.Size([2])
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        increasing = cutoffs == sorted(set(cutoffs)) and all(int(c) == c for c in cutoffs)
        if not increasing or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1:
            raise _errors.adaptive_cutoffs()
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        place = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **place)
        self.tail = ModuleList()
        for cluster, (low, high) in enumerate(pairwise(self.cutoffs)):
            hidden = int(in_features // (div_value ** (cluster + 1)))
            parts = (Linear(in_features, hidden, bias=False, **place), Linear(hidden, high - low, bias=False, **place))
            self.tail.append(Sequential(*parts))

    def reset_parameters(self) -> None:
        """Re-initialize the parameters."""
        self.head.reset_parameters()
        for projection, output in self.tail:
            projection.reset_parameters()
            output.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        if target_.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if target_.dim() == 1 and input_.shape[0] != target_.shape[0]:
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if target_.dim() == 0 and input_.dim() != 1:
            raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with size {input_.shape}")
        if target_.dtype not in (torchlike.int64, torchlike.int32):
            raise RuntimeError("gather(): Expected dtype int32/int64 for index")
        batched = target_.dim() > 0
        input, target = (input_, target_) if batched else (input_.unsqueeze(0), target_.unsqueeze(0))
        self._check_range(target)
        log_probs = self.log_prob(input)
        output = log_probs.gather(1, target.unsqueeze(1).long()).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _check_range(self, target: Tensor) -> None:
        low, high = int(target.min()), int(target.max())
        if low < 0 or high >= self.n_classes:
            raise _errors.adaptive_target_range(self.n_classes - 1, low, high)

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log-probabilities of all classes: (N, in_features) -> (N, n_classes).

        Args:
          input: (N, in_features).
        """
        return self._get_full_log_prob(input, self.head(input))

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        head = F.log_softmax(head_output, dim=1)
        parts = [head[:, : self.shortlist_size]]
        for cluster, layer in enumerate(self.tail):
            place = self.shortlist_size + cluster
            parts.append(F.log_softmax(layer(input), dim=1) + head[:, place : place + 1])
        return torchlike.cat(parts, dim=1)

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class: (N, in_features) -> (N).

        Args:
          input: (N, in_features).
        """
        return self.log_prob(input).argmax(dim=1)
