"""`torch.cuda._utils`: the function of it that other projects import."""

from torchlike.cuda._devices import _get_device_index as _get_device_index

__all__ = ["_get_device_index"]
