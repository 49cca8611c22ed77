"""Activation checkpointing."""

from . import checkpoint_wrapper as checkpoint_wrapper
