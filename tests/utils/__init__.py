"""The modules of `utils`, except for `utils.data`."""
