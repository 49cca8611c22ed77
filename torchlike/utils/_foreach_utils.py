"""Grouping of tensor lists by device and dtype, for optimizers that are written for PyTorch."""

from __future__ import annotations

from torchlike import Tensor, device, dtype
from torchlike._internal import _errors

Grouped = dict[tuple[device, dtype], tuple[list[list[Tensor | None]], list[int]]]


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Return the device types for which optimizers use foreach implementations by default."""
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """Return the device types for which optimizers have fused implementations."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _device_has_foreach_support(device: device) -> bool:
    """Return whether foreach operators support a device."""
    return device.type in [*_get_foreach_kernels_supported_devices(), "cpu"]


def _has_foreach_support(tensors: list[Tensor], device: device) -> bool:
    """Return whether foreach operators support these tensors on a device."""
    return _device_has_foreach_support(device) and all(t is None or isinstance(t, Tensor) for t in tensors)


def _group_tensors_by_device_and_dtype(
    tensorlistlist: list[list[Tensor | None]], with_indices: bool = False
) -> Grouped:
    """Group the tensors at the same index of several lists by the device and dtype of the tensor in the first list.

    Return a dict from (device, dtype) to the pair of the grouped lists and the original indices. Empty lists stay
    empty. The indices are empty unless `with_indices` is True.
    """
    if not tensorlistlist:
        raise RuntimeError(
            "Expected !nested_tensorlist.empty() to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)"
        )
    first, found = tensorlistlist[0], {}
    if any(len(each) not in (0, len(first)) for each in tensorlistlist):
        raise RuntimeError(
            "Expected std::all_of( nested_tensorlist.cbegin(), nested_tensorlist.cend(), [&](const auto& "
            "tensorlist) -> bool { return tensorlist.size() == num_tensors || tensorlist.size() == 0; }) "
            "to be true, but got false.  (Could this error message be improved?  If so, please report an "
            "enhancement request to PyTorch.)"
        )
    for place, tensor in enumerate(first):
        if tensor is None:
            raise _errors.lists.undefined(place)
        lists, places = found.setdefault((tensor.device, tensor.dtype), ([[] for _ in tensorlistlist], []))
        for group, each in zip(lists, tensorlistlist):
            group += each[place : place + 1]
        places += [place] if with_indices else []
    return found
