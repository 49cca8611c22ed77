"""How sequences of modules are fused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import nn
from torchlike.ao.nn import intrinsic as nni
from torchlike.nn.utils import fuse_conv_bn_eval, fuse_linear_bn_eval

_NORMED = {nn.Conv1d: nni.ConvBn1d, nn.Conv2d: nni.ConvBn2d, nn.Conv3d: nni.ConvBn3d}
_NORMED_WITH_RELU = {nn.Conv1d: nni.ConvBnReLU1d, nn.Conv2d: nni.ConvBnReLU2d, nn.Conv3d: nni.ConvBnReLU3d}
_WITH_RELU = {nn.Conv1d: nni.ConvReLU1d, nn.Conv2d: nni.ConvReLU2d, nn.Conv3d: nni.ConvReLU3d}


def fuse_conv_bn(is_qat: bool, conv: Any, bn: Any) -> Any:
    """Return a fused convolution and batch norm.

    Args:
      is_qat: keep both, for quantization-aware training. Otherwise, the batch norm becomes part of the convolution.
      conv: the convolution.
      bn: the batch norm.

    Raises:
      AssertionError: the modules do not fit.
      NotImplementedError: the class of the convolution is unknown.
    """
    _check_modes("Conv", conv, bn)
    if not is_qat:
        return fuse_conv_bn_eval(conv, bn)
    _check_norm(conv.out_channels, bn, "Output channel of Conv2d must match num_features of BatchNorm2d.", "2d")
    if type(conv) not in _NORMED:
        raise NotImplementedError(f"Cannot fuse train modules: {(conv, bn)}")
    return _NORMED[type(conv)](conv, bn)


def fuse_conv_bn_relu(is_qat: bool, conv: Any, bn: Any, relu: Any) -> Any:
    """Return a fused convolution, batch norm and ReLU.

    Args:
      is_qat: keep all, for quantization-aware training. Otherwise, the batch norm becomes part of the convolution.
      conv: the convolution.
      bn: the batch norm.
      relu: the ReLU module.

    Raises:
      AssertionError: the modules do not fit.
      NotImplementedError: the class of the convolution is unknown.
    """
    _check_modes("Conv", conv, bn, relu)
    if not is_qat:
        if type(conv) not in _WITH_RELU:
            raise NotImplementedError(f"Cannot fuse eval modules: {(conv, bn, relu)}")
        return _WITH_RELU[type(conv)](fuse_conv_bn_eval(conv, bn), relu)
    _check_norm(conv.out_channels, bn, "Output channel of Conv2d must match num_features of BatchNorm2d", "2d")
    if type(conv) not in _NORMED_WITH_RELU:
        raise NotImplementedError(f"Cannot fuse train modules: {(conv, bn, relu)}")
    return _NORMED_WITH_RELU[type(conv)](conv, bn, relu)


def fuse_linear_bn(is_qat: bool, linear: Any, bn: Any) -> Any:
    """Return a fused linear layer and batch norm.

    Args:
      is_qat: keep both, for quantization-aware training. Otherwise, the batch norm becomes part of the linear layer.
      linear: the linear layer.
      bn: the batch norm.

    Raises:
      AssertionError: the modules do not fit.
    """
    _check_modes("Linear", linear, bn)
    if not is_qat:
        return fuse_linear_bn_eval(linear, bn)
    _check_norm(linear.out_features, bn, "Output features of Linear must match num_features of BatchNorm1d", "1d")
    return nni.LinearBn1d(linear, bn)


def fuse_convtranspose_bn(is_qat: bool, convt: Any, bn: Any) -> Any:
    """Return a transposed convolution that includes the batch norm.

    Args:
      is_qat: must be False.
      convt: the transposed convolution.
      bn: the batch norm.

    Raises:
      AssertionError: the modules are in different modes.
      Exception: `is_qat` is True.
    """
    _check_modes("ConvTranspose", convt, bn)
    if is_qat:
        raise Exception("Fusing ConvTranspose+BatchNorm not yet supported in QAT.")
    return fuse_conv_bn_eval(convt, bn, transpose=True)


def _check_modes(name: str, *modules: Any) -> None:
    if len({module.training for module in modules}) > 1:
        raise AssertionError(f"{name} and BN both must be in the same mode (train or eval).")


def _check_norm(outputs: int, bn: Any, sentence: str, dims: str) -> None:
    if bn.num_features != outputs:
        raise AssertionError(sentence)
    if not bn.affine:
        raise AssertionError(f"Only support fusing BatchNorm{dims} with affine set to True")
    if not bn.track_running_stats:
        raise AssertionError(f"Only support fusing BatchNorm{dims} with tracking_running_stats set to True")


def _in_sequence(sequential: Any) -> Callable:
    def fuse(is_qat: bool, m1: Any, m2: Any) -> Any:
        return sequential(m1, m2)

    return fuse


_DEFAULT_OP_LIST_TO_FUSER_METHOD: dict[tuple, Callable] = {
    (nn.Conv1d, nn.BatchNorm1d): fuse_conv_bn,
    (nn.Conv1d, nn.BatchNorm1d, nn.ReLU): fuse_conv_bn_relu,
    (nn.Conv2d, nn.BatchNorm2d): fuse_conv_bn,
    (nn.Conv2d, nn.BatchNorm2d, nn.ReLU): fuse_conv_bn_relu,
    (nn.Conv3d, nn.BatchNorm3d): fuse_conv_bn,
    (nn.Conv3d, nn.BatchNorm3d, nn.ReLU): fuse_conv_bn_relu,
    (nn.Conv1d, nn.ReLU): _in_sequence(nni.ConvReLU1d),
    (nn.Conv2d, nn.ReLU): _in_sequence(nni.ConvReLU2d),
    (nn.Conv3d, nn.ReLU): _in_sequence(nni.ConvReLU3d),
    (nn.Linear, nn.BatchNorm1d): fuse_linear_bn,
    (nn.Linear, nn.ReLU): _in_sequence(nni.LinearReLU),
    (nn.BatchNorm2d, nn.ReLU): _in_sequence(nni.BNReLU2d),
    (nn.BatchNorm3d, nn.ReLU): _in_sequence(nni.BNReLU3d),
    (nn.ConvTranspose1d, nn.BatchNorm1d): fuse_convtranspose_bn,
    (nn.ConvTranspose2d, nn.BatchNorm2d): fuse_convtranspose_bn,
    (nn.ConvTranspose3d, nn.BatchNorm3d): fuse_convtranspose_bn,
}


def get_fuser_method(op_list: tuple, additional_fuser_method_mapping: dict | None = None) -> Callable:
    """Return the function that fuses modules of the given classes.

    Args:
      op_list: the classes, in order.
      additional_fuser_method_mapping: more functions by classes.

    Raises:
      AssertionError: there is no such function.
    """
    found = {**_DEFAULT_OP_LIST_TO_FUSER_METHOD, **(additional_fuser_method_mapping or {})}.get(op_list)
    if found is None:
        raise AssertionError(f"did not find fuser method for: {op_list} ")
    return found
