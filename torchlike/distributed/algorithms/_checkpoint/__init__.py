"""Checkpoints of activations."""

from . import checkpoint_wrapper as checkpoint_wrapper
