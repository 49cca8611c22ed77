"""Batch normalization layers."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import own_methods
from torchlike.nn import _errors_layers as _errors
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn.modules.lazy import LazyModuleMixin
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter, is_lazy

__all__ = [
    "BatchNorm1d",
    "LazyBatchNorm1d",
    "BatchNorm2d",
    "LazyBatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
]


class _NormBase(Module):
    """The base class of batch and instance norm: optional affine parameters and running statistics."""

    _version = 2
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        place = {"device": device, "dtype": dtype}
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, Parameter(torchlike.empty(num_features, **place)) if wanted else None)
        if track_running_stats:
            self.register_buffer("running_mean", torchlike.zeros(num_features, **place))
            self.register_buffer("running_var", torchlike.ones(num_features, **place))
            self.register_buffer("num_batches_tracked", torchlike.tensor(0, dtype=torchlike.long, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Reset the running statistics: mean 0, variance 1 and a batch count of 0."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0, and reset the running statistics."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest) -> None:  # type: ignore[override]
        # Version 2 added num_batches_tracked. Loading an older checkpoint keeps the current count.
        version = local_metadata.get("version")
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            counter = self.num_batches_tracked
            known = counter is not None and counter.device.type != "meta"
            state_dict[key] = counter if known else torchlike.tensor(0, dtype=torchlike.long)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


@own_methods("__init__")
class _BatchNorm(_NormBase):
    """Batch norm of an input with the channels in dimension 1."""

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # cumulative average over all batches
                factor = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        tracked = not self.training or self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if tracked else (None, None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, by_batch, factor, self.eps)


class BatchNorm1d(_BatchNorm):
    """Batch norm over the channels of (N, C) or (N, C, L): (x - mean) / sqrt(var + eps) · weight + bias.

    In training mode the layer normalizes by the statistics of the batch, with the biased variance. It also updates the
    running statistics, with the unbiased variance: running = (1 - momentum)·running + momentum·batch. In evaluation
    mode the layer normalizes by the running statistics.

    Args:
      num_features: C.
      eps: is added to the variance, which is the biased estimate in the formula.
      momentum: the share of each new batch in the running statistics. None means the average over all batches.
      affine: give the layer a weight (C), initialized to 1, and a bias (C), initialized to 0.
      track_running_stats: keep running statistics. If False, evaluation mode uses the statistics of the batch too.
      device, dtype: of the parameters and buffers. The defaults are the current default device and dtype.
      bias: if False, leave out the bias.

    Raises:
      ValueError: the input has another number of dimensions, or one value per channel in training mode. The call raises
        this.

    >>> import torchlike as torch
    >>> layer = torch.nn.BatchNorm1d(4)
    >>> layer(torch.ones(2, 4)).shape
    torch.Size([2, 4])
    >>> layer.running_mean
    tensor([0.1000, 0.1000, 0.1000, 0.1000])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (2, 3):
            raise _errors.norm_input_dimensions("2D or 3D", input.dim())


class BatchNorm2d(_BatchNorm):
    """Batch norm over the channels of (N, C, H, W). See `BatchNorm1d`.

    Args:
      num_features: C.
      eps: is added to the variance, which is the biased estimate in the formula.
      momentum: the share of each new batch in the running statistics. None means the average over all batches.
      affine: give the layer a weight (C), initialized to 1, and a bias (C), initialized to 0.
      track_running_stats: keep running statistics. If False, evaluation mode uses the statistics of the batch too.
      device, dtype: of the parameters and buffers. The defaults are the current default device and dtype.
      bias: if False, leave out the bias.

    Raises:
      ValueError: the input has another number of dimensions, or one value per channel in training mode. The call raises
        this.

    >>> import torchlike as torch
    >>> torch.nn.BatchNorm2d(4)(torch.ones(2, 4, 3, 3)).shape
    torch.Size([2, 4, 3, 3])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 4:
            raise _errors.norm_input_dimensions("4D", input.dim())


class BatchNorm3d(_BatchNorm):
    """Batch norm over the channels of (N, C, D, H, W). See `BatchNorm1d`.

    Args:
      num_features: C.
      eps: is added to the variance, which is the biased estimate in the formula.
      momentum: the share of each new batch in the running statistics. None means the average over all batches.
      affine: give the layer a weight (C), initialized to 1, and a bias (C), initialized to 0.
      track_running_stats: keep running statistics. If False, evaluation mode uses the statistics of the batch too.
      device, dtype: of the parameters and buffers. The defaults are the current default device and dtype.
      bias: if False, leave out the bias.

    Raises:
      ValueError: the input has another number of dimensions, or one value per channel in training mode. The call raises
        this.

    >>> import torchlike as torch
    >>> torch.nn.BatchNorm3d(4)(torch.ones(2, 4, 3, 3, 3)).shape
    torch.Size([2, 4, 3, 3, 3])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 5:
            raise _errors.norm_input_dimensions("5D", input.dim())


@own_methods("forward")
class SyncBatchNorm(_BatchNorm):
    """Batch norm that in PyTorch computes its statistics over the batches of all processes.

    Here the statistics are those of this process's batch only. See `BatchNorm1d`.

    Args:
      num_features: C, the size of dimension 1.
      eps: is added to the variance, which is the biased estimate in the formula.
      momentum: the share of each new batch in the running statistics. None means the average over all batches.
      affine: give the layer a weight (C), initialized to 1, and a bias (C), initialized to 0.
      track_running_stats: keep running statistics. If False, evaluation mode uses the statistics of the batch too.
      process_group: must be None.
      device, dtype: of the parameters and buffers. The defaults are the current default device and dtype.
      bias: if False, leave out the bias.

    Raises:
      NotImplementedError: a `process_group` is given.
      ValueError: the input has fewer than two dimensions. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.SyncBatchNorm(4)(torch.ones(2, 4, 3)).shape
    torch.Size([2, 4, 3])
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        if process_group is not None:
            raise _errors.unsupported("SyncBatchNorm", "process_group")
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise _errors.norm_input_dimensions("at least 2D", input.dim())

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """Replace every batch norm in `module` by a `SyncBatchNorm` that shares its tensors, and return the result.

        Args:
          module: the module. Its children are replaced in place.
          process_group: must be None.
        """
        converted = module
        if isinstance(module, _BatchNorm):
            options = (module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats)
            converted = cls(*options, process_group, bias=module.bias is not None)
            converted.__dict__.update({n: v for n, v in vars(module).items() if n != "_modules"})
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted


# -- lazy layers -------------------------------------------------------------------------------------------------------


class _LazyNormBase(LazyModuleMixin):
    """The base class of the lazy batch and instance norms."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        place = {"device": device, "dtype": dtype}
        super().__init__(0, eps, momentum, False, False, **place, bias=bias)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(**place)
            if bias:
                self.bias = UninitializedParameter(**place)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**place)
            self.running_var = UninitializedBuffer(**place)
            self.num_batches_tracked = torchlike.tensor(0, dtype=torchlike.long, device=device)

    def _has_size(self) -> bool:
        return self.num_features != 0

    def initialize_parameters(self, input: Tensor) -> None:
        """Set `num_features` to the size of the input's dimension 1 and materialize the parameters and buffers.

        Args:
          input: the first input of the layer.
        """
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            for name in ("weight", "bias", "running_mean", "running_var"):
                if is_lazy(getattr(self, name)):
                    getattr(self, name).materialize((self.num_features,))
            self.reset_parameters()
        elif self.num_features == 0:
            self.num_features = input.shape[1]


class LazyBatchNorm1d(_LazyNormBase, BatchNorm1d):
    """A `BatchNorm1d` that sets `num_features` to the number of channels of its first input.

    Args:
      eps, momentum, affine, track_running_stats, device, dtype, bias: as for `BatchNorm1d`.

    >>> import torchlike as torch
    >>> layer = torch.nn.LazyBatchNorm1d()
    >>> layer(torch.ones(2, 4)).shape, layer.num_features
    (torch.Size([2, 4]), 4)
    """

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNormBase, BatchNorm2d):
    """A `BatchNorm2d` that sets `num_features` to the number of channels of its first input.

    Args:
      eps, momentum, affine, track_running_stats, device, dtype, bias: as for `BatchNorm2d`.

    >>> import torchlike as torch
    >>> torch.nn.LazyBatchNorm2d()(torch.ones(2, 4, 3, 3)).shape
    torch.Size([2, 4, 3, 3])
    """

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNormBase, BatchNorm3d):
    """A `BatchNorm3d` that sets `num_features` to the number of channels of its first input.

    Args:
      eps, momentum, affine, track_running_stats, device, dtype, bias: as for `BatchNorm3d`.

    >>> import torchlike as torch
    >>> torch.nn.LazyBatchNorm3d()(torch.ones(2, 4, 3, 3, 3)).shape
    torch.Size([2, 4, 3, 3, 3])
    """

    cls_to_become = BatchNorm3d
