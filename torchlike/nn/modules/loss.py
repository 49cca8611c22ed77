"""Loss layers. Each layer stores the options of a loss function and calls it.

`reduction` is 'none' (one loss for each element), 'sum' or 'mean'. `size_average` and `reduce` are legacy arguments
for the same choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torchlike import Tensor
from torchlike._internal import own_methods, warn
from torchlike.nn import _errors_layers as _errors
from torchlike.nn import functional as F
from torchlike.nn._linear_cross_entropy import LinearCrossEntropyOptions
from torchlike.nn.modules.distance import PairwiseDistance
from torchlike.nn.modules.linear import Linear
from torchlike.nn.modules.module import Module

__all__ = [
    "L1Loss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "GaussianNLLLoss",
    "KLDivLoss",
    "MSELoss",
    "BCELoss",
    "BCEWithLogitsLoss",
    "HingeEmbeddingLoss",
    "MultiLabelMarginLoss",
    "SmoothL1Loss",
    "HuberLoss",
    "SoftMarginLoss",
    "CrossEntropyLoss",
    "LinearCrossEntropyLoss",
    "MultiLabelSoftMarginLoss",
    "CosineEmbeddingLoss",
    "MarginRankingLoss",
    "MultiMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "CTCLoss",
]


def _legacy_reduction(size_average: bool | None, reduce: bool | None) -> str:
    """Issue a warning and return the reduction that the legacy arguments select. Either argument may be None."""
    if reduce is False:
        reduction = "none"
    else:
        reduction = "sum" if size_average is False else "mean"
    warn(_errors.legacy_reduction(reduction), site="_Loss")
    return reduction


class _Loss(Module):
    """The base class of losses, which stores the reduction."""

    reduction: str
    __constants__ = ["reduction"]

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = _legacy_reduction(size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """A loss with an optional tensor `weight`, which is a buffer."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


# --- regression -------------------------------------------------------------------------------------------------------


class L1Loss(_Loss):
    """The absolute error: |input - target|.

    Args:
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per element.

    >>> import torchlike as torch
    >>> torch.nn.L1Loss()(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(1.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """The squared error: (input - target)².

    Args:
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per element.

    >>> import torchlike as torch
    >>> torch.nn.MSELoss()(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(2.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """The smooth L1 loss: d²/(2·beta) where d = |input - target| < beta, d - beta/2 elsewhere.

    Args:
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per element.
      beta: the largest difference with a quadratic loss. With 0, the loss is that of `L1Loss`.

    Raises:
      RuntimeError: `beta` is negative. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.SmoothL1Loss(reduction="none")(torch.tensor([1.0, 3.0]), torch.zeros(2))
    tensor([0.5000, 2.5000])
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """The Huber loss: d²/2 where d = |input - target| < delta, delta·(d - delta/2) elsewhere.

    Args:
      reduction: 'mean', 'sum', or 'none' for one loss per element.
      delta: the largest difference with a quadratic loss.

    Raises:
      TypeError: `delta` is not a number.
      RuntimeError: `delta` is not positive. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.HuberLoss(reduction="none", delta=2.0)(torch.tensor([1.0, 3.0]), torch.zeros(2))
    tensor([0.5000, 4.0000])
    """

    __constants__ = ["reduction", "delta"]

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, float | int):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


# --- likelihoods ------------------------------------------------------------------------------------------------------


class NLLLoss(_WeightedLoss):
    """The negative log likelihood, -weight[target] · input[target].

    The input holds log-probabilities (N, C, *). The target holds class indices (N, *).

    Args:
      weight: (C), a weight for each class, which becomes a buffer. The default is 1.
      ignore_index: targets of this class do not contribute.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum' or 'none'. The mean divides by the sum of the weights of targets that are not ignored.

    Raises:
      IndexError: a target is not a class, and the targets are already on the host. The call raises this. Otherwise such
        a target gives NaN.

    >>> import torchlike as torch
    >>> torch.nn.NLLLoss()(torch.tensor([[-1.0, -3.0]]), torch.tensor([1]))
    tensor(3.)
    """

    __constants__ = ["ignore_index", "reduction"]

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """The deprecated name of `NLLLoss`. Making one gives a warning.

    Args:
      *args, **kwargs: the arguments of `NLLLoss`.

    >>> import torchlike as torch, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.nn.NLLLoss2d(reduction="sum")(torch.zeros(1, 2, 3, 3), torch.zeros(1, 3, 3, dtype=torch.int64)).abs()
    tensor(0.)
    """

    def __init__(self, *args, **kwargs) -> None:
        warn(_errors.nll_loss_2d(), FutureWarning)
        super().__init__(*args, **kwargs)


class CrossEntropyLoss(_WeightedLoss):
    """The cross entropy, -log softmax(input)[target].

    The input holds logits (N, C, *) or (C). The target holds class indices (N, *), or class probabilities of the shape
    of the input.

    Args:
      weight: (C), a weight for each class, which becomes a buffer. The default is 1.
      ignore_index: targets of this class do not contribute.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum' or 'none'. The mean divides by the sum of the weights of targets that are not ignored or,
        with probabilities, by the number of targets.
      label_smoothing: from 0 to 1, the share of the target that is spread evenly over all classes.

    Raises:
      IndexError: a target is not a class, and the targets are already on the host. The call raises this. Otherwise such
        a target gives NaN.

    >>> import torchlike as torch
    >>> torch.nn.CrossEntropyLoss()(torch.zeros(1, 4), torch.tensor([2]))
    tensor(1.3863)
    """

    __constants__ = ["ignore_index", "reduction", "label_smoothing"]

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class LinearCrossEntropyLoss(_WeightedLoss):
    """The cross entropy of the logits of a linear layer, which is a part of the loss.

    The input is of shape (N, in_features) or (in_features). The target holds class indices (N, *out_features), or class
    probabilities (N, num_classes, *out_features).

    Args:
      in_features: the size of each input row.
      num_classes: the number of classes.
      out_features: further dimensions of the logits, each of which has classes of its own.
      bias: add a learned bias to the logits.
      device, dtype: of the layer's parameters.
      reduction: 'mean', 'sum' or 'none', as in `CrossEntropyLoss`.
      weight: (num_classes), a weight for each class, which becomes a buffer. The default is 1.
      ignore_index: targets of this class do not contribute. None means -100 for class indices.
      label_smoothing: from 0 to 1, the share of the target that is spread evenly over all classes.
      options: compute the logits in chunks of the batch, see `LinearCrossEntropyOptions`.

    Raises:
      RuntimeError: `weight` is not of the shape (num_classes), or `label_smoothing` is outside [0, 1].

    >>> import torchlike as torch
    >>> loss = torch.nn.LinearCrossEntropyLoss(3, 4)
    >>> loss(torch.zeros(2, 3), torch.tensor([1, 2]))
    tensor(1.3863, grad_fn=<NllLossBackward0>)
    """

    __constants__ = ["num_classes", "out_features", "reduction", "ignore_index", "label_smoothing"]
    num_classes: int
    out_features: tuple[int, ...]
    reduction: str
    ignore_index: int | None
    label_smoothing: float
    options: LinearCrossEntropyOptions | None

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        super().__init__(weight, None, None, reduction)
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0.0 <= label_smoothing <= 1.0:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.options = options
        rows = num_classes * math.prod(out_features)
        self.linear = Linear(in_features, rows, bias=bias, device=device, dtype=dtype)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        shape, bias = (self.num_classes, *self.out_features), self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape(*shape, self.linear.in_features),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        bias = self.linear.bias is not None
        names = ("num_classes", "out_features", "reduction", "ignore_index", "label_smoothing", "options")
        shown = {"in_features": self.linear.in_features, **{name: getattr(self, name) for name in names}}
        parts = [f"{name}={value}" for name, value in shown.items()]
        return ", ".join([*parts[:3], f"bias={bias}", *parts[3:]])


class PoissonNLLLoss(_Loss):
    """The negative log likelihood of a Poisson distribution: exp(input) - target·input.

    Args:
      log_input: the input is the logarithm of the rate. Otherwise it is the rate, and the loss is
        input - target·log(input + eps).
      full: add Stirling's approximation of log(target!) for targets greater than 1.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per element.
      eps: keeps the logarithm of a rate of 0 finite.

    >>> import torchlike as torch
    >>> torch.nn.PoissonNLLLoss()(torch.zeros(1), torch.tensor([2.0]))
    tensor(1.)
    """

    __constants__ = ["log_input", "full", "eps", "reduction"]

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(_Loss):
    """The negative log likelihood of a normal distribution: (log(var) + (input - target)² / var) / 2.

    A call receives the input (the means), the target and the variances.

    Args:
      full: add the constant log(2π) / 2.
      eps: the variance is clamped to at least this number.
      reduction: 'mean', 'sum', or 'none' for one loss per element.

    Raises:
      ValueError: a variance is negative and is already on the host, or its shape does not fit. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.GaussianNLLLoss()(torch.zeros(1), torch.tensor([2.0]), torch.ones(1))
    tensor(2.)
    """

    __constants__ = ["full", "eps", "reduction"]

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence: target·(log(target) - input), where the input holds log-probabilities.

    Args:
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'none', 'mean', 'sum' or 'batchmean', the sum divided by the size of the first dimension, which agrees
        with the mathematical definition. The mean over all elements, the default, gives a warning in the call.
      log_target: the target holds log-probabilities too.

    >>> import torchlike as torch
    >>> p = torch.tensor([[0.5, 0.5]])
    >>> torch.nn.KLDivLoss(reduction="batchmean")(p.log(), p)
    tensor(0.)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class BCELoss(_WeightedLoss):
    """The binary cross entropy of probabilities: -(target·log(input) + (1 - target)·log(1 - input)).

    The logarithms are clamped to at least -100.

    Args:
      weight: a factor for each element, which becomes a buffer; broadcast.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per element.

    Raises:
      ValueError: the shapes of input and target differ. The call raises this.
      RuntimeError: a probability is not in [0, 1], and the input is already on the host. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.BCELoss()(torch.tensor([0.5]), torch.tensor([1.0]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """The binary cross entropy of sigmoid(input), computed in a numerically stable form.

    Args:
      weight: a factor for each element, which becomes a buffer; broadcast.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per element.
      pos_weight: a factor for the term of the positive class, usually (C); broadcast. It becomes a buffer.

    Raises:
      ValueError: the shapes of input and target differ. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.BCEWithLogitsLoss()(torch.zeros(1), torch.ones(1))
    tensor(0.6931)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class CTCLoss(_Loss):
    """The connectionist temporal classification loss (Graves et al., 2006).

    The loss is the negative logarithm of the probability of each target, summed over all alignments. A call receives
    `log_probs` (T, N, C), `targets` (N, S) or the concatenation of all targets, `input_lengths` (N) and
    `target_lengths` (N).

    Args:
      blank: the index of the blank class.
      reduction: 'mean', 'sum' or 'none'. The mean first divides each loss by the length of its target.
      zero_infinity: a target that is too long for its input has a loss of 0 instead of infinity.

    >>> import torchlike as torch
    >>> x = torch.zeros(2, 1, 2).log_softmax(2)
    >>> torch.nn.CTCLoss()(x, torch.tensor([[1]]), [2], [1])
    tensor(0.2877)
    """

    __constants__ = ["blank", "reduction"]

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor) -> Tensor:
        lengths = (input_lengths, target_lengths)
        return F.ctc_loss(log_probs, targets, *lengths, self.blank, self.reduction, self.zero_infinity)


# --- margins ----------------------------------------------------------------------------------------------------------


class HingeEmbeddingLoss(_Loss):
    """The hinge embedding loss: input where target = 1, max(0, margin - input) where target = -1.

    Args:
      margin: the distance from which dissimilar pairs have a loss of 0.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per element.

    >>> import torchlike as torch
    >>> torch.nn.HingeEmbeddingLoss()(torch.tensor([0.5, 0.5]), torch.tensor([1, -1]))
    tensor(0.5000)
    """

    __constants__ = ["margin", "reduction"]

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class _MarginLoss(_Loss):
    """A loss with a margin, which is zero by default."""

    __constants__ = ["margin", "reduction"]

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


@own_methods("__init__")
class MarginRankingLoss(_MarginLoss):
    """The margin ranking loss: max(0, -target·(input1 - input2) + margin), for targets of 1 or -1.

    Args:
      margin: the difference of scores from which the loss is 0.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per element.

    Raises:
      RuntimeError: the numbers of dimensions differ. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.MarginRankingLoss()(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1]))
    tensor(2.)
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


@own_methods("__init__")
class CosineEmbeddingLoss(_MarginLoss):
    """The cosine embedding loss: 1 - cos(x1, x2) where target = 1, max(0, cos(x1, x2) - margin) where target = -1.

    A call receives x1 and x2 of shape (N, D) or (D), and targets of shape (N) or ().

    Args:
      margin: the cosine up to which dissimilar pairs have a loss of 0.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per sample.

    >>> import torchlike as torch
    >>> x1, x2 = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    >>> torch.nn.CosineEmbeddingLoss()(x1, x2, torch.tensor([1]))
    tensor(1.)
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """The logistic loss: log(1 + exp(-target·input)), for targets of 1 or -1.

    Args:
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per element.

    >>> import torchlike as torch
    >>> torch.nn.SoftMarginLoss()(torch.zeros(2), torch.tensor([1.0, -1.0]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """The multi-label margin loss: the hinge loss between the scores of target classes and of other classes.

    The sum over all such pairs is divided by the number of classes. Scores and targets have the shape (N, C) or (C). A
    row of targets ends at the first -1.

    Args:
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per sample.

    Raises:
      RuntimeError: a target is not a class, and the targets are already on the host. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.MultiLabelMarginLoss()(torch.tensor([1.0, 2.0]), torch.tensor([0, -1]))
    tensor(1.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over the classes of the binary cross-entropy of sigmoid(input).

    Scores and targets have the shape (N, C).

    Args:
      weight: (C), a weight for each class, which becomes a buffer. The default is 1.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per sample.

    >>> import torchlike as torch
    >>> torch.nn.MultiLabelSoftMarginLoss()(torch.zeros(1, 2), torch.ones(1, 2))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """The multi-class margin loss: the sum of max(0, margin - input[target] + input[i])ᵖ over the other classes i.

    The sum is divided by the number of classes. Scores have the shape (N, C) or (C), targets (N) or ().

    Args:
      p: the exponent, 1 or 2.
      margin: the difference of scores from which the loss is 0.
      weight: (C), a weight for each target class, which becomes a buffer. The default is 1.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per sample.

    Raises:
      ValueError: `p` is neither 1 nor 2, or `weight` has not one dimension.

    >>> import torchlike as torch
    >>> torch.nn.MultiMarginLoss()(torch.tensor([[1.0, 2.0]]), torch.tensor([0]))
    tensor(1.)
    """

    __constants__ = ["p", "margin", "reduction"]

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        options = {"p": self.p, "margin": self.margin, "weight": self.weight}
        return F.multi_margin_loss(input, target, **options, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """The triplet margin loss: max(0, d(anchor, positive) - d(anchor, negative) + margin).

    d is the p-norm of the difference over the last dimension. The inputs have the shape (N, D) or (D).

    Args:
      margin: the difference of distances from which the loss is 0; positive.
      p: the exponent of the norm.
      eps: is added to each difference.
      swap: replace d(anchor, negative) by d(positive, negative) where that is smaller.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: 'mean', 'sum', or 'none' for one loss per sample.

    Raises:
      ValueError: `margin` is not positive.

    >>> import torchlike as torch
    >>> a, p, n = torch.zeros(1, 1), torch.ones(1, 1), torch.tensor([[3.0]])
    >>> torch.nn.TripletMarginLoss(margin=3.0)(a, p, n)
    tensor(1.)
    """

    __constants__ = ["margin", "p", "eps", "swap", "reduction"]

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise _errors.triplet_margin("TripletMarginLoss", margin)
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        options = {"margin": self.margin, "p": self.p, "eps": self.eps, "swap": self.swap}
        return F.triplet_margin_loss(anchor, positive, negative, **options, reduction=self.reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """The triplet margin loss with a custom distance function.

    Args:
      distance_function: a function of two tensors, by default the Euclidean distance (`PairwiseDistance`).
      margin: the difference of distances from which the loss is 0; positive.
      swap: replace d(anchor, negative) by d(positive, negative) where that is smaller.
      reduction: 'mean', 'sum', or 'none' for one loss per sample.

    Raises:
      ValueError: `margin` is not positive.

    >>> import torchlike as torch
    >>> a, p, n = torch.zeros(1), torch.ones(1), torch.tensor([3.0])
    >>> torch.nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: (x - y).abs(), margin=3.0)(a, p, n)
    tensor(1.)
    """

    __constants__ = ["margin", "swap", "reduction"]

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise _errors.triplet_margin("TripletMarginWithDistanceLoss", margin)
        self.distance_function = distance_function if distance_function is not None else PairwiseDistance()
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        options = {"distance_function": self.distance_function, "margin": self.margin, "swap": self.swap}
        return F.triplet_margin_with_distance_loss(anchor, positive, negative, **options, reduction=self.reduction)
