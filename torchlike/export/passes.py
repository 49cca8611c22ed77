"""Passes over exported programs, which are not supported."""

from ._refused import move_to_device_pass as move_to_device_pass

__all__ = ["move_to_device_pass"]
