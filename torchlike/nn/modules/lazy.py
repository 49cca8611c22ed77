"""Layers that learn the size of their input from the first one they see."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike._tensor import Tensor

from .. import _errors
from .._uninitialized import UninitializedBuffer, UninitializedParameter, is_lazy
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .linear import Linear
from .module import Module


class LazyModuleMixin(Module):
    """Makes the layer that stands after it in the list of bases lazy.

    The first call, or loading a state dictionary, gives the parameters their shapes; `initialize_parameters` says
    how. The module then becomes an instance of `cls_to_become`.
    """

    cls_to_become: type | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters the shapes that fit the input."""
        raise _errors.lazy_without_initialize(type(self).__name__)

    def has_uninitialized_params(self) -> bool:
        """Return whether some parameter or buffer has no shape yet."""
        return any(is_lazy(tensor) for tensor in (*self._parameters.values(), *self._buffers.values()))

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *_: Any) -> None:
        for name, mine in (*self._parameters.items(), *self._buffers.items()):
            theirs = state_dict.get(prefix + name)
            if is_lazy(mine) and theirs is not None and not is_lazy(theirs):
                with torchlike.no_grad():
                    mine.materialize(theirs.shape)  # type: ignore[union-attr]

    def _infer_parameters(self, module: Any, args: tuple, kwargs: dict | None = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise _errors.lazy_not_initialized(self._get_name())
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def reset_parameters(self) -> None:
        """Draw the parameters anew, once they have shapes."""
        if not self.has_uninitialized_params() and self._has_size():
            super().reset_parameters()  # type: ignore[misc]

    def _has_size(self) -> bool:
        raise NotImplementedError


class LazyLinear(LazyModuleMixin, Linear):
    """`Linear` whose `in_features` is that of its first input."""

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def _has_size(self) -> bool:
        return self.in_features != 0

    def initialize_parameters(self, input: Tensor) -> None:
        """Take `in_features` from the input's last dimension."""
        if self.has_uninitialized_params():
            self.in_features = input.shape[-1]
            self.weight.materialize((self.out_features, self.in_features))
            if self.bias is not None:
                self.bias.materialize((self.out_features,))
            self.reset_parameters()
        self.in_features = self.weight.shape[-1]


class _LazyConv(LazyModuleMixin):
    """What the lazy convolutions share."""

    def __init__(self, *args: Any, bias: bool, device: Any, dtype: Any, out_channels: int, **kwargs: Any) -> None:
        super().__init__(0, 0, *args, bias=False, **kwargs)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def _has_size(self) -> bool:
        return self.in_channels != 0

    def initialize_parameters(self, input: Tensor, *_: Any, **__: Any) -> None:
        """Take `in_channels` from the input."""
        spatial = self._spatial
        if input.dim() not in (spatial + 1, spatial + 2):
            raise _errors.lazy_conv_dimensions(spatial, type(self).__name__, input.shape)
        if self.has_uninitialized_params():
            self.in_channels = input.shape[-spatial - 1]
            self._check()
            shape = (self.out_channels, self.in_channels // self.groups)
            if self.transposed:
                shape = (self.in_channels, self.out_channels // self.groups)
            self.weight.materialize((*shape, *self.kernel_size))
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            self.reset_parameters()
        elif self.in_channels == 0:
            self.in_channels = input.shape[-spatial - 1]


class _LazyPlainConv(_LazyConv):
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: str | int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        shape = (kernel_size, stride, padding, dilation, groups)
        late = {"bias": bias, "device": device, "dtype": dtype, "out_channels": out_channels}
        super().__init__(*shape, padding_mode=padding_mode, **late)


class _LazyConvTranspose(_LazyConv):
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | tuple[int, ...] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        shape = (kernel_size, stride, padding, output_padding, groups)
        late = {"bias": bias, "device": device, "dtype": dtype, "out_channels": out_channels}
        super().__init__(*shape, dilation=dilation, padding_mode=padding_mode, **late)


class LazyConv1d(_LazyPlainConv, Conv1d):
    """`Conv1d` whose `in_channels` is that of its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyPlainConv, Conv2d):
    """`Conv2d` whose `in_channels` is that of its first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyPlainConv, Conv3d):
    """`Conv3d` whose `in_channels` is that of its first input."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """`ConvTranspose1d` whose `in_channels` is that of its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """`ConvTranspose2d` whose `in_channels` is that of its first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """`ConvTranspose3d` whose `in_channels` is that of its first input."""

    cls_to_become = ConvTranspose3d


class _LazyNormBase(LazyModuleMixin):
    """What the lazy norms share."""

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
        """Take `num_features` from the input's dimension 1."""
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            for name in ("weight", "bias", "running_mean", "running_var"):
                if is_lazy(getattr(self, name)):
                    getattr(self, name).materialize((self.num_features,))
            self.reset_parameters()
        elif self.num_features == 0:
            self.num_features = input.shape[1]


class LazyBatchNorm1d(_LazyNormBase, BatchNorm1d):
    """`BatchNorm1d` whose `num_features` is that of its first input."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNormBase, BatchNorm2d):
    """`BatchNorm2d` whose `num_features` is that of its first input."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNormBase, BatchNorm3d):
    """`BatchNorm3d` whose `num_features` is that of its first input."""

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNormBase, InstanceNorm1d):
    """`InstanceNorm1d` whose `num_features` is that of its first input."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, InstanceNorm2d):
    """`InstanceNorm2d` whose `num_features` is that of its first input."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, InstanceNorm3d):
    """`InstanceNorm3d` whose `num_features` is that of its first input."""

    cls_to_become = InstanceNorm3d
