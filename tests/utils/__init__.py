"""Tests of the modules of `utils`, except for `utils.data`."""
