"""Fused convolutions of quantization-aware training."""

from __future__ import annotations

import math
from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike._errors import arguments
from torchlike.ao.nn import intrinsic as nni
from torchlike.ao.nn import qat as nnqat
from torchlike.ao.nn.intrinsic.qat.modules.norm_fused import _Normed, check, share, statistics_of
from torchlike.ao.nn.qat.modules.conv import arguments_of, float_conv
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn.modules.conv import _ConvNd
from torchlike.nn.utils import fuse_conv_bn_weights

_OLD_NAMES = {
    "bn.weight": "gamma",
    "bn.bias": "beta",
    "bn.running_mean": "running_mean",
    "bn.running_var": "running_var",
    "bn.num_batches_tracked": "num_batches_tracked",
}


class _ConvBnNd(_Normed, _ConvNd):
    """The base class: a convolution and batch norm whose weight is rounded to quantized values.

    Args:
      in_channels: the number of input channels.
      out_channels: the number of output channels.
      kernel_size: the size of the kernel.
      stride: the distance of the windows.
      padding: the padding on both sides of each dim.
      dilation: the distance of the kernel elements.
      groups: the number of channel groups.
      bias: add a bias before the batch norm.
      padding_mode: the kind of padding.
      eps: of the batch norm.
      momentum: of the batch norm.
      freeze_bn: use the running statistics in training too.
      qconfig: the configuration, whose `weight` makes the rounding module.

    Raises:
      AssertionError: there is no configuration.
    """

    _version = 2
    _FLOAT_MODULE: Any
    _FLOAT_CONV_MODULE: Any
    _FLOAT_BN_MODULE: Any
    _FLOAT_RELU_MODULE: Any = None
    _FUSED_FLOAT_MODULE: Any = None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: Any = None,
        padding_mode: str = "zeros",
        eps: float = 1e-05,
        momentum: float = 0.1,
        freeze_bn: bool = False,
        qconfig: Any = None,
    ) -> None:
        places = kernel_size, stride, padding, dilation
        self._FLOAT_CONV_MODULE.__init__(self, in_channels, out_channels, *places, groups, False, padding_mode)
        self._set_norm(self._FLOAT_BN_MODULE(out_channels, eps, momentum, True, True), freeze_bn, qconfig)
        if bias:
            self.bias = nn.Parameter(torch.empty(out_channels))
        else:
            self.register_parameter("bias", None)
        self._set_mode(freeze_bn)
        self._enable_slow_path_for_better_numerical_stability = False

    def reset_bn_parameters(self) -> None:
        """Re-initialize the parameters of the batch norm, and the bias."""
        super().reset_bn_parameters()
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in)
            init.uniform_(self.bias, -bound, bound)

    def _product(self, input: Any, weight: Any, bias: Any) -> Any:
        return self._conv_forward(input, weight, bias)

    def forward(self, input: Any) -> Any:
        """Return the batch norm of the convolution, and ReLU of it if the module has one."""
        if self._enable_slow_path_for_better_numerical_stability:
            raise arguments.unsupported(type(self).__name__, "_enable_slow_path_for_better_numerical_stability")
        made = self._normed(input)
        return made if self._FLOAT_RELU_MODULE is None else F.relu(made)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: Any,
        unexpected_keys: Any,
        error_msgs: Any,
    ) -> None:
        if local_metadata.get("version") in (None, 1):
            for new, old in _OLD_NAMES.items():
                if prefix + old in state_dict:
                    state_dict[prefix + new] = state_dict.pop(prefix + old)
                elif prefix + new not in state_dict and strict:
                    missing_keys.append(prefix + new)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return a module that shares the parameters of a fused float module.

        Args:
          mod: the float module, with a configuration.
          use_precomputed_fake_quant: not used.

        Raises:
          AssertionError: `mod` is of another class, or has no configuration.
        """
        check(cls, mod)
        conv, norm = mod[0], mod[1]
        options = norm.eps, norm.momentum, False, mod.qconfig
        make: Any = cls
        return share(make(*arguments_of(conv), *options), conv, norm)

    def to_float(self) -> Any:
        """Return a float convolution that includes the batch norm, followed by ReLU if the module has one."""
        conv = float_conv(self)
        conv.weight, conv.bias = fuse_conv_bn_weights(conv.weight, conv.bias, *statistics_of(self.bn))
        made = conv if self._FUSED_FLOAT_MODULE is None else self._FUSED_FLOAT_MODULE(conv, nn.ReLU())
        made.train(self.training)
        return made


class ConvBn1d(_ConvBnNd, nn.Conv1d):
    """A one-dim convolution and batch norm. The arguments are those of `_ConvBnNd`."""

    _FLOAT_MODULE = nni.ConvBn1d
    _FLOAT_CONV_MODULE = nn.Conv1d
    _FLOAT_BN_MODULE = nn.BatchNorm1d


class ConvBn2d(_ConvBnNd, nn.Conv2d):
    """A two-dim convolution and batch norm. The arguments are those of `_ConvBnNd`."""

    _FLOAT_MODULE = nni.ConvBn2d
    _FLOAT_CONV_MODULE = nn.Conv2d
    _FLOAT_BN_MODULE = nn.BatchNorm2d


class ConvBn3d(_ConvBnNd, nn.Conv3d):
    """A three-dim convolution and batch norm. The arguments are those of `_ConvBnNd`."""

    _FLOAT_MODULE = nni.ConvBn3d
    _FLOAT_CONV_MODULE = nn.Conv3d
    _FLOAT_BN_MODULE = nn.BatchNorm3d


class ConvBnReLU1d(ConvBn1d):
    """A one-dim convolution, batch norm and ReLU. The arguments are those of `_ConvBnNd`."""

    _FLOAT_MODULE = nni.ConvBnReLU1d
    _FLOAT_RELU_MODULE = nn.ReLU
    _FUSED_FLOAT_MODULE = nni.ConvReLU1d


class ConvBnReLU2d(ConvBn2d):
    """A two-dim convolution, batch norm and ReLU. The arguments are those of `_ConvBnNd`."""

    _FLOAT_MODULE = nni.ConvBnReLU2d
    _FLOAT_RELU_MODULE = nn.ReLU
    _FUSED_FLOAT_MODULE = nni.ConvReLU2d


class ConvBnReLU3d(ConvBn3d):
    """A three-dim convolution, batch norm and ReLU. The arguments are those of `_ConvBnNd`."""

    _FLOAT_MODULE = nni.ConvBnReLU3d
    _FLOAT_RELU_MODULE = nn.ReLU
    _FUSED_FLOAT_MODULE = nni.ConvReLU3d


class ConvReLU1d(nnqat.Conv1d, nni._FusedModule):
    """A one-dim convolution and ReLU. The arguments are those of `torch.ao.nn.qat.Conv1d`."""

    _FLOAT_MODULE = nni.ConvReLU1d
    _FLOAT_RELU_MODULE = nn.ReLU

    def forward(self, input: Any) -> Any:
        """Return ReLU of the convolution."""
        return F.relu(super().forward(input))


class ConvReLU2d(nnqat.Conv2d, nni._FusedModule):
    """A two-dim convolution and ReLU. The arguments are those of `torch.ao.nn.qat.Conv2d`."""

    _FLOAT_MODULE = nni.ConvReLU2d
    _FLOAT_RELU_MODULE = nn.ReLU

    def forward(self, input: Any) -> Any:
        """Return ReLU of the convolution."""
        return F.relu(super().forward(input))


class ConvReLU3d(nnqat.Conv3d, nni._FusedModule):
    """A three-dim convolution and ReLU. The arguments are those of `torch.ao.nn.qat.Conv3d`."""

    _FLOAT_MODULE = nni.ConvReLU3d
    _FLOAT_RELU_MODULE = nn.ReLU

    def forward(self, input: Any) -> Any:
        """Return ReLU of the convolution."""
        return F.relu(super().forward(input))


def update_bn_stats(mod: Any) -> None:
    """Let the batch norm of a fused module use and update its statistics. Other modules are ignored.

    Args:
      mod: a module. Use the function with `Module.apply`.
    """
    if isinstance(mod, _Normed):
        mod.update_bn_stats()


def freeze_bn_stats(mod: Any) -> None:
    """Let the batch norm of a fused module use its running statistics as they are. Other modules are ignored.

    Args:
      mod: a module. Use the function with `Module.apply`.
    """
    if isinstance(mod, _Normed):
        mod.freeze_bn_stats()
